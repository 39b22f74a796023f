from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests import club_factories
from tournaments.models import AuditEntry, Invitation, Member


def url(name, *args):
    return reverse(name, args=["moda", *args])


PEOPLE, NEW = "/clubs/moda/people/", "/clubs/moda/invitations/new/"


def link_of(invitation):
    return reverse("join", args=[invitation.public_id, invitation.secret])


def roles():
    return sorted(Member.objects.values_list("role", flat=True))


def test_people_stand_by_role_and_name(visitor, club):
    for role, name in (("member", "Burak"), ("member", "Ayşe"), ("owner", "Cem")):
        club_factories.MemberFactory(club=club, role=role, user__first_name=name)

    page = visitor.become("director", club).get(PEOPLE)

    assert [(name, member.role) for member, name in page.context["lines"]] == [
        ("Cem", "owner"),
        (visitor.user.email, "director"),
        ("Ayşe", "member"),
        ("Burak", "member"),
    ]


def test_members_see_no_addresses_and_no_invitations(visitor, club):
    club_factories.MemberFactory(
        club=club, user__username="secret", user__email="secret@example.org"
    )
    club_factories.InvitationFactory(club=club)

    page = visitor.become("member", club).get(PEOPLE)

    # A user name is made of the e-mail address.
    assert "secret" not in page.text
    assert [name for _, name in page.context["lines"]] == ["member", "member"]
    assert "/invitations/" not in page.text
    assert visitor.get(f"{PEOPLE}?q=secret").context["lines"] == []
    assert len(visitor.become("director", club).get(f"{PEOPLE}?q=secret").context["lines"]) == 1


def test_member_without_a_name_is_called_as_their_player_is_shown(visitor, club):
    for name, initials in (("Ece Işık", False), ("Can Kaya", True)):
        user = club_factories.MemberFactory(club=club, user__username=f"secret.{name[:3]}").user
        club_factories.PlayerFactory(club=club, account=user, name=name, initials=initials)
        club_factories.PlayerFactory(account=user, name=f"Gizli {name}")
    member = visitor.become("member", club)

    def called(query=""):
        return sorted(name for _, name in member.get(PEOPLE + query).context["lines"])

    assert called() == ["C. K.", "Ece Işık", "member"]
    assert called("?q=isik") == ["Ece Işık"]
    assert [called(f"?q={word}") for word in ("kaya", "gizli", "secret")] == [[], [], []]


def test_owner_gives_another_role_and_puts_somebody_out(visitor, club):
    ece = club_factories.MemberFactory(club=club).user
    visitor.become("owner", club)
    assert visitor.get(url("member", ece.pk)).context["form"].initial == {"role": "member"}

    assert visitor.post(url("member", ece.pk), {"role": "director"}).url == PEOPLE
    assert roles() == ["director", "owner"]
    assert visitor.post(url("remove_member", ece.pk), {"reason": "moved"}).url == PEOPLE

    assert roles() == ["owner"]
    assert AuditEntry.objects.get(action="remove").reason == "moved"
    assert visitor.get(url("member", club_factories.MemberFactory().user.pk)).status_code == 404


def test_only_owner_is_shown_why_the_role_stays(visitor, club):
    visitor.become("owner", club)
    own = visitor.user.pk

    for path, typed in (
        (url("member", own), {"role": "member"}),
        (url("remove_member", own), {}),
        (url("leave_club"), {}),
    ):
        answer = visitor.post(path, typed)
        assert answer.status_code == 422
        assert "Moda King has no other owner." in answer.text
    assert roles() == ["owner"]


def test_invitation_shows_its_link_and_code_and_is_listed(visitor, club):
    visitor.become("owner", club)

    answer = visitor.post(NEW, {"role": "director", "days": "14"}, follow=True)

    made = Invitation.objects.get()
    assert answer.redirect_chain == [(url("invitation", made.public_id), 302)]
    assert f"http://testserver{link_of(made)}" in answer.text
    assert "<svg" in answer.text
    assert " as director " in answer.text
    assert (made.role, made.most_uses) == ("director", 1)
    assert timedelta(days=13) < made.expires_at - timezone.now() <= timedelta(days=14)
    assert [*visitor.get(PEOPLE).context["invitations"]] == [made]


def test_director_invites_members_only(visitor, club):
    visitor.become("director", club)

    assert visitor.post(NEW, {"role": "director", "days": "14"}).status_code == 422
    visitor.post(NEW, {"role": "member", "days": "1", "many": "on"})

    made = Invitation.objects.get()
    assert (made.role, made.most_uses) == ("member", None)


def test_director_sees_no_link_that_gives_more_than_membership(visitor, club):
    for_owner = club_factories.InvitationFactory(club=club, role="owner", most_uses=1)
    for_member = club_factories.InvitationFactory(club=club)
    visitor.become("director", club)

    assert [*visitor.get(PEOPLE).context["invitations"]] == [for_member]
    assert visitor.get(url("invitation", for_owner.public_id)).status_code == 404
    assert visitor.post(url("withdraw_invitation", for_owner.public_id)).status_code == 404
    assert visitor.get(url("invitation", for_member.public_id)).status_code == 200


def test_invitation_is_withdrawn_and_its_link_says_so(visitor, club):
    made = club_factories.InvitationFactory(club=club)
    visitor.become("director", club)

    for _ in range(2):
        answer = visitor.post(url("withdraw_invitation", made.public_id))
        assert answer.url == PEOPLE
    assert visitor.get(url("invitation", made.public_id)).status_code == 404

    visitor.force_login(club_factories.AccountFactory())
    page = visitor.get(link_of(made))
    assert page.status_code == 410
    assert "This invitation no longer works" in page.text
    assert visitor.post(link_of(made)).status_code == 410
    assert roles() == ["director"]


def test_stranger_is_shown_to_what_and_comes_back_after_signing_in(visitor, club):
    made = club_factories.InvitationFactory(club=club, role="director", most_uses=1)

    page = visitor.get(link_of(made))

    assert page.status_code == 200
    assert "You are invited to Moda King" in page.text
    assert "As director" in page.text
    assert f"/accounts/login/?next={link_of(made)}" in page.text
    assert visitor.post(link_of(made)).url == f"/accounts/login/?next={link_of(made)}"
    assert roles() == []


def test_whoever_accepts_belongs_to_the_club(visitor, club):
    made = club_factories.InvitationFactory(club=club, most_uses=1)
    ece = club_factories.AccountFactory()
    visitor.force_login(ece)

    for _ in range(2):
        answer = visitor.post(link_of(made))
        assert answer.url == "/clubs/moda/"
    assert list(Member.objects.values_list("club", "user", "role")) == [(club.pk, ece.pk, "member")]
    assert "You belong to this club already." in visitor.get(link_of(made)).text

    visitor.force_login(club_factories.AccountFactory())
    assert visitor.get(link_of(made)).status_code == 410


def test_many_people_come_in_pages_and_are_found_by_name(visitor, club):
    for number in range(60):
        club_factories.MemberFactory(club=club, user__first_name=f"Oyuncu {number:02}")
    visitor.become("member", club)

    assert len(visitor.get(PEOPLE).context["lines"]) == 50
    assert len(visitor.get(f"{PEOPLE}?page=2").context["lines"]) == 11
    found = visitor.get(f"{PEOPLE}?q=oyuncu+07").context["lines"]
    assert [name for _, name in found] == ["Oyuncu 07"]
    assert "Nobody is called that." in visitor.get(f"{PEOPLE}?q=%00nobody").text


def _evening(club):
    event = club_factories.RoundFactory(event__club=club).event
    return reverse("remove_event", args=["moda", event.public_id]), reverse("events", args=["moda"])


def _table(club):
    table = club_factories.TableFactory(round__event__club=club)
    event = ["moda", table.round.event.public_id]
    return reverse("remove_table", args=[*event, table.public_id]), reverse("event", args=event)


def _season(club):
    season = club_factories.SeasonFactory(club=club)
    return reverse("remove_season", args=["moda", season.pk]), reverse("seasons", args=["moda"])


def _member(club):
    user = club_factories.MemberFactory(club=club).user
    return reverse("remove_member", args=["moda", user.pk]), reverse("people", args=["moda"])


def _player(club):
    player = club_factories.PlayerFactory(club=club)
    away = reverse("remove_player", args=["moda", player.public_id])
    return away, reverse("players", args=["moda"])


@pytest.mark.parametrize("removal", [_evening, _table, _season, _member, _player])
def test_second_tap_on_a_removal_leads_where_the_first_did(client, removal):
    club = club_factories.ClubFactory(slug="moda")
    client.force_login(club_factories.MemberFactory(club=club, role="owner").user)
    path, parent = removal(club)

    first, lines = client.post(path), AuditEntry.objects.count()
    second = client.post(path)

    assert (first.status_code, first.url) == (second.status_code, second.url) == (302, parent)
    assert AuditEntry.objects.count() == lines
    stranger = Client()
    stranger.force_login(club_factories.MemberFactory(club=club).user)
    assert stranger.post(path).status_code == 404
