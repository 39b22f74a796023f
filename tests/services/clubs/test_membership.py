from datetime import timedelta

import pytest

from tests import club_factories as make
from tests.factories import EVENING
from tournaments.models import AuditEntry, Invitation, Member, User
from tournaments.models.clubs import Role
from tournaments.services.audit import Actor
from tournaments.services.clubs import membership

pytestmark = pytest.mark.django_db

LATER = EVENING + timedelta(days=14)


def member(club, role="member"):
    return Actor(make.MemberFactory(club=club, role=role).user, address="192.0.2.7")


@pytest.fixture
def club():
    return make.ClubFactory(slug="moda", name="Moda")


@pytest.fixture
def owner(club):
    return member(club, "owner")


def lines():
    """The lines of the audit, oldest first: kind, action, before, after."""
    return [
        (line.kind, line.action, line.before, line.after)
        for line in AuditEntry.objects.order_by("pk")
    ]


def roles(club):
    return sorted(club.members.values_list("role", flat=True))


def accept(invitation, by, at=EVENING):
    return membership.accept_invitation(invitation.pk, by, at=at)


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Moda King Kulübü", "moda-king-kulubu"),
        ("  Işık   Şişli ", "isik-sisli"),
        ("♠♥", "club"),
        ("k" * 80, "k" * 35),
    ],
)
def test_club_gets_a_slug_of_its_name_and_its_maker_as_owner(name, slug):
    maker = make.AccountFactory()

    made = membership.create_club(name, Actor(maker), at=EVENING)

    assert (made.slug, made.name) == (slug, " ".join(name.split()))
    assert list(made.members.values_list("user", "role")) == [(maker.pk, "owner")]
    assert lines() == [
        ("settings", "create", None, {"name": made.name}),
        ("role", "join", None, {"role": "owner"}),
    ]


def test_settings_note_what_was_changed_and_nothing_else(club, owner):
    chosen = membership.ClubSettings("Moda  King", published=True, confirmations="two")

    membership.change_settings(club.pk, chosen, owner, at=EVENING)
    membership.change_settings(club.pk, chosen, owner, at=EVENING)

    club.refresh_from_db()
    assert (club.slug, club.name, club.published) == ("moda", "Moda King", True)
    before = {"name": "Moda", "published": False, "confirmations": "none"}
    after = {"name": "Moda King", "published": True, "confirmations": "two"}
    assert lines() == [("settings", "change", before, after)]
    line = AuditEntry.objects.get()
    assert (line.user, line.address, line.at) == (owner.user, "192.0.2.7", EVENING)


def test_invitation_makes_a_member_once_for_each_account(club, owner):
    link = membership.invite(club, membership.Offer(Role.MEMBER, None), owner, at=EVENING)
    ece = Actor(make.AccountFactory())

    # The answer may be lost: it can be asked for when the link has expired.
    first, second = accept(link, ece), accept(link, ece, at=LATER)

    link.refresh_from_db()
    assert (first, first.role, link.uses) == (second, "member", 1)
    expires = LATER.isoformat()
    assert lines() == [
        ("role", "invite", None, {"role": "member", "uses": None, "expires": expires}),
        ("role", "join", None, {"role": "member", "invitation": f"invitation:{link.public_id}"}),
    ]


def test_invitation_raises_a_lower_role_and_keeps_a_higher_one(club, owner):
    director, lowly = member(club, "director"), member(club)
    to_direct = membership.invite(club, membership.Offer(Role.DIRECTOR), owner, at=EVENING)

    assert accept(to_direct, owner).role == "owner"
    assert accept(to_direct, director).role == "director"
    to_direct.refresh_from_db()
    assert to_direct.uses == 0
    assert accept(to_direct, lowly).role == "director"
    to_direct.refresh_from_db()
    assert to_direct.uses == 1
    assert lines()[1:] == [("role", "role", {"role": "member"}, {"role": "director"})]


def test_invitation_of_staff_is_used_once_whatever_was_asked(club, owner):
    for role in (Role.DIRECTOR, Role.OWNER):
        link = membership.invite(club, membership.Offer(role, None), owner, at=EVENING)
        accept(link, Actor(make.AccountFactory()))

        with pytest.raises(Invitation.DoesNotExist):
            accept(link, Actor(make.AccountFactory()))
        assert link.most_uses == 1
    assert roles(club) == ["director", "owner", "owner"]


def test_invitation_lasts_fourteen_days_or_until_it_is_withdrawn(club, owner):
    link = membership.invite(club, membership.Offer(Role.MEMBER), owner, at=EVENING)
    ece = Actor(make.AccountFactory())

    with pytest.raises(Invitation.DoesNotExist):
        accept(link, ece, at=LATER)
    assert accept(link, ece, at=LATER - timedelta(seconds=1)).role == "member"
    for _tap in range(2):
        membership.withdraw_invitation(link.pk, owner, at=EVENING)
    with pytest.raises(Invitation.DoesNotExist):
        accept(link, Actor(make.AccountFactory()))
    assert lines()[2:] == [("role", "withdraw", {"role": "member", "used": 1}, None)]


def test_account_that_is_deleted_leaves_its_clubs_and_its_players_stay(club, owner):
    ece = member(club)
    player = make.PlayerFactory(club=club, name="Ece", account=ece.user)
    make.AuditEntryFactory(club=club, user=ece.user)
    # In this club the account is no member.
    another = make.PlayerFactory(account=ece.user)

    membership.delete_account(ece, at=EVENING)

    player.refresh_from_db()
    another.refresh_from_db()
    assert (player.name, player.account, another.account) == ("Ece", None, None)
    assert list(User.objects.all()) == [owner.user]
    assert list(Member.objects.values_list("user", flat=True)) == [owner.user.pk]
    assert lines()[1:] == [
        ("role", "leave", {"role": "member"}, None),
        *[("player", "release", {"account": f"account:{ece.user.pk}"}, None)] * 2,
    ]
    assert not AuditEntry.objects.exclude(user=None).exists()


@pytest.mark.parametrize(
    "go",
    [
        lambda club, by, one: membership.remove_member(club.pk, one.user.pk, by, at=EVENING),
        lambda club, by, one: membership.change_role(
            club.pk, one.user.pk, Role.MEMBER, by, at=EVENING
        ),
        lambda club, _by, one: membership.leave_club(club.pk, one, at=EVENING),
    ],
)
def test_owner_who_goes_comes_back_by_no_link_of_staff(club, owner, go):
    going = member(club, "owner")
    links = [membership.invite(club, membership.Offer(role), going, at=EVENING) for role in Role]
    other = membership.invite(make.ClubFactory(), membership.Offer(Role.OWNER), owner, at=EVENING)

    go(club, owner, going)

    standing = Invitation.objects.standing(EVENING)
    assert set(standing) == {links[2], other}
    assert AuditEntry.objects.filter(club=club, action="withdraw").count() == 2
