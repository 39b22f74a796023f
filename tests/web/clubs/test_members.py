"""The people of a club and the invitations into it."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from tests.club_factories import (
    AccountFactory,
    ClubFactory,
    InvitationFactory,
    MemberFactory,
    PlayerFactory,
)
from tournaments.models import AuditLine, Invitation, Member

pytestmark = pytest.mark.django_db


@pytest.fixture
def club():
    return ClubFactory(slug="moda", name="Moda King")


@pytest.fixture
def visitor(client):
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "en"
    return client


@pytest.fixture
def signed_in(visitor, club):
    """Sign somebody in who is in the club in a role."""

    def sign_in(role):
        visitor.user = MemberFactory(club=club, role=role, user__first_name="Zeki").user
        visitor.force_login(visitor.user)
        return visitor

    return sign_in


def url(name, *args):
    return reverse(name, args=["moda", *args])


PEOPLE, NEW = "/clubs/moda/people/", "/clubs/moda/invitations/new/"


def door(invitation):
    return reverse("join", args=[invitation.public_id, invitation.secret])


def roles():
    return sorted(Member.objects.values_list("role", flat=True))


def test_people_are_not_found_by_others(visitor, club):
    assert visitor.get(PEOPLE).status_code == 404
    visitor.force_login(MemberFactory(role="owner").user)
    assert visitor.get(PEOPLE).status_code == 404


def test_people_stand_by_role_and_name(signed_in, club):
    for role, name in (("member", "Burak"), ("member", "Ayşe"), ("owner", "Cem")):
        MemberFactory(club=club, role=role, user__first_name=name)

    page = signed_in("director").get(PEOPLE)

    assert [(name, role) for _, name, role in page.context["lines"]] == [
        ("Cem", "owner"),
        ("Zeki", "director"),
        ("Ayşe", "member"),
        ("Burak", "member"),
    ]


def test_members_see_no_addresses_and_no_invitations(signed_in, club):
    MemberFactory(club=club, user__username="secret", user__email="secret@example.org")
    InvitationFactory(club=club)

    page = signed_in("member").get(PEOPLE)

    # A user name is made of the e-mail address.
    assert "secret" not in page.text
    assert "member" in [name for _, name, _ in page.context["lines"]]
    assert "/invitations/" not in page.text
    assert [
        name for _, name, _ in signed_in("member").get(f"{PEOPLE}?q=secret").context["lines"]
    ] == []
    assert len(signed_in("director").get(f"{PEOPLE}?q=secret").context["lines"]) == 1


def test_member_without_a_name_is_called_as_their_player_is_shown(signed_in, club):
    for name, initials in (("Ece Işık", False), ("Can Kaya", True)):
        user = MemberFactory(club=club, user__username=f"secret.{name[:3]}").user
        PlayerFactory(club=club, account=user, name=name, initials=initials)
        PlayerFactory(account=user, name=f"Gizli {name}")
    member = signed_in("member")

    def called(query=""):
        return sorted(name for _, name, _ in member.get(PEOPLE + query).context["lines"])

    assert called() == ["C. K.", "Ece Işık", "Zeki"]
    assert called("?q=isik") == ["Ece Işık"]
    assert [called(f"?q={word}") for word in ("kaya", "gizli", "secret")] == [[], [], []]


@pytest.mark.parametrize("number", [1, 3])
def test_players_of_members_are_asked_for_at_once(
    signed_in, club, number, django_assert_num_queries
):
    for each in MemberFactory.create_batch(number, club=club):
        PlayerFactory(club=club, account=each.user)
    visitor = signed_in("member")
    visitor.get(PEOPLE)

    # Session, account, club, own role, how many, the people, their players.
    with django_assert_num_queries(7):
        visitor.get(PEOPLE)


def test_many_people_come_in_pages_and_are_found_by_name(signed_in, club):
    for number in range(60):
        MemberFactory(club=club, user__first_name=f"Oyuncu {number:02}")
    visitor = signed_in("member")

    assert len(visitor.get(PEOPLE).context["lines"]) == 50
    assert len(visitor.get(f"{PEOPLE}?page=2").context["lines"]) == 11
    found = visitor.get(f"{PEOPLE}?q=oyuncu+07").context["lines"]
    assert [name for _, name, _ in found] == ["Oyuncu 07"]
    assert "Nobody is called that." in visitor.get(f"{PEOPLE}?q=%00nobody").text


@pytest.mark.parametrize("number", [1, 3])
def test_people_are_asked_for_at_once(signed_in, club, number, django_assert_num_queries):
    MemberFactory.create_batch(number, club=club)
    InvitationFactory.create_batch(number, club=club)
    visitor = signed_in("owner")
    visitor.get(PEOPLE)

    # Session, account, club, own role, how many, the people, the invitations.
    with django_assert_num_queries(7):
        visitor.get(PEOPLE)


def test_owner_gives_another_role(signed_in, club):
    ece = MemberFactory(club=club).user
    visitor = signed_in("owner")
    assert visitor.get(url("member", ece.pk)).context["form"].initial == {"role": "member"}

    answer = visitor.post(url("member", ece.pk), {"role": "director"})

    assert answer.url == PEOPLE
    assert roles() == ["director", "owner"]


def test_only_owner_is_told_why_the_role_stays(signed_in, club):
    visitor = signed_in("owner")

    answer = visitor.post(url("member", visitor.user.pk), {"role": "member"})

    assert answer.status_code == 422
    assert "Moda King has no other owner." in answer.text
    assert roles() == ["owner"]
    assert visitor.post(url("remove_member", visitor.user.pk)).status_code == 422


def test_role_that_there_is_not_is_refused(signed_in, club):
    ece = MemberFactory(club=club).user
    answer = signed_in("owner").post(url("member", ece.pk), {"role": "king"})

    assert (answer.status_code, roles()) == (422, ["member", "owner"])


def test_owner_puts_somebody_out(signed_in, club):
    ece = MemberFactory(club=club).user

    answer = signed_in("owner").post(url("remove_member", ece.pk), {"reason": "moved"})

    assert answer.url == PEOPLE
    assert roles() == ["owner"]
    assert AuditLine.objects.get().reason == "moved"


@pytest.mark.parametrize("role", ["director", "member"])
def test_roles_are_for_owners(signed_in, club, role):
    ece = MemberFactory(club=club, role="member").user
    visitor = signed_in(role)

    assert visitor.get(url("member", ece.pk)).status_code == 404
    assert visitor.post(url("member", ece.pk), {"role": "owner"}).status_code == 404
    assert visitor.post(url("remove_member", ece.pk)).status_code == 404
    assert Member.objects.count() == 2


def test_somebody_of_another_club_is_not_found(signed_in, club):
    other = MemberFactory().user
    assert signed_in("owner").get(url("member", other.pk)).status_code == 404


def test_invitation_shows_its_link_and_code_and_is_listed(signed_in, club):
    visitor = signed_in("owner")

    answer = visitor.post(NEW, {"role": "director", "days": "14"}, follow=True)

    made = Invitation.objects.get()
    assert answer.redirect_chain == [(url("invitation", made.public_id), 302)]
    assert f"http://testserver{door(made)}" in answer.text
    assert "<svg" in answer.text
    assert (made.role, made.most_uses) == ("director", 1)
    left = made.expires_at - timezone.now()
    assert timedelta(days=13) < left <= timedelta(days=14)
    assert visitor.get(PEOPLE).context["invitations"] == [(made, "director")]


def test_director_invites_members_only(signed_in, club):
    visitor = signed_in("director")

    assert visitor.post(NEW, {"role": "director", "days": "14"}).status_code == 422
    visitor.post(NEW, {"role": "member", "days": "1", "many": "on"})

    made = Invitation.objects.get()
    assert (made.role, made.most_uses) == ("member", None)


def test_director_sees_no_link_that_gives_more_than_membership(signed_in, club):
    for_owner = InvitationFactory(club=club, role="owner", most_uses=1)
    for_member = InvitationFactory(club=club)
    visitor = signed_in("director")

    assert visitor.get(PEOPLE).context["invitations"] == [(for_member, "member")]
    assert visitor.get(url("invitation", for_owner.public_id)).status_code == 404
    assert visitor.post(url("withdraw_invitation", for_owner.public_id)).status_code == 404
    assert visitor.get(url("invitation", for_member.public_id)).status_code == 200


def test_link_for_several_directors_is_refused(signed_in, club):
    answer = signed_in("owner").post(NEW, {"role": "director", "days": "14", "many": "on"})

    assert answer.status_code == 422
    assert list(answer.context["form"].errors) == ["many"]
    assert not Invitation.objects.exists()


def test_members_do_not_invite(signed_in, club):
    made = InvitationFactory(club=club)
    visitor = signed_in("member")

    assert visitor.get(NEW).status_code == 404
    assert visitor.post(NEW, {"role": "member", "days": "14"}).status_code == 404
    assert visitor.get(url("invitation", made.public_id)).status_code == 404
    assert visitor.post(url("withdraw_invitation", made.public_id)).status_code == 404


def test_invitation_is_withdrawn_and_its_door_says_so(signed_in, client, club):
    made = InvitationFactory(club=club)
    visitor = signed_in("director")

    for _ in range(2):
        answer = visitor.post(url("withdraw_invitation", made.public_id))
        assert answer.url == PEOPLE
    assert visitor.get(url("invitation", made.public_id)).status_code == 404

    visitor.force_login(AccountFactory())
    page = visitor.get(door(made))
    assert page.status_code == 410
    assert "This invitation no longer works" in page.text
    assert visitor.post(door(made)).status_code == 410
    assert roles() == ["director"]


def test_stranger_is_told_to_what_and_comes_back_after_signing_in(visitor, club):
    made = InvitationFactory(club=club, role="director", most_uses=1)

    page = visitor.get(door(made))

    assert page.status_code == 200
    assert "You are invited to Moda King" in page.text
    assert "As director" in page.text
    assert f"/accounts/login/?next={door(made)}" in page.text
    assert visitor.post(door(made)).url == f"/accounts/login/?next={door(made)}"
    assert roles() == []


def test_whoever_accepts_belongs_to_the_club(visitor, club):
    made = InvitationFactory(club=club, most_uses=1)
    ece = AccountFactory()
    visitor.force_login(ece)

    for _ in range(2):
        answer = visitor.post(door(made))
        assert answer.url == "/clubs/moda/"
    assert list(Member.objects.values_list("club", "user", "role")) == [(club.pk, ece.pk, "member")]
    assert "You belong to this club already." in visitor.get(door(made)).text

    visitor.force_login(AccountFactory())
    assert visitor.get(door(made)).status_code == 410


def spoiled(path):
    """An address with another last letter."""
    return f"{path[:-2]}{'y' if path[-2] == 'x' else 'x'}/"


@pytest.mark.parametrize("spoil", [spoiled, lambda path: "/join/a%00b/c/"])
def test_door_with_another_secret_is_not_found(visitor, club, spoil):
    made = InvitationFactory(club=club)
    assert visitor.get(spoil(door(made))).status_code == 404


@pytest.mark.parametrize(
    ("link", "warned"), [({"most_uses": 1}, True), ({}, True), ({"most_uses": 1, "uses": 1}, False)]
)
def test_owner_is_told_of_links_by_which_those_put_out_come_back(signed_in, club, link, warned):
    InvitationFactory(club=club, **link)
    ece = MemberFactory(club=club).user

    page = signed_in("owner").get(url("member", ece.pk))

    assert ("comes in again" in page.text) == warned
