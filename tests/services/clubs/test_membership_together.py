"""Several members of a club at the same moment, on real connections of their own.

What holds them apart is the lock of the club's row, and on SQLite the immediate transaction.
"""

import pytest
from django.db import IntegrityError

from tests.club_factories import AccountFactory, ClubFactory, InvitationFactory, MemberFactory
from tests.factories import EVENING
from tests.together import at_once, doing, while_another_is_writing
from tournaments.models import Club, Member, User
from tournaments.models.clubs import Role
from tournaments.services.audit import Actor
from tournaments.services.clubs.membership import (
    accept_invitation,
    change_role,
    create_club,
    delete_account,
    leave_club,
)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def club():
    return ClubFactory()


@pytest.fixture
def owners(club):
    return [Actor(MemberFactory(club=club, role="owner").user) for _ in range(2)]


@pytest.mark.parametrize("account", [False, True])
def test_of_two_owners_who_leave_or_delete_their_accounts_at_once_one_stays(club, owners, account):
    one, other = (
        doing(delete_account, owner) if account else doing(leave_club, club.pk, owner)
        for owner in owners
    )

    assert while_another_is_writing(one, other) == (1, "LastOwner", True)
    assert Member.objects.get().user == owners[1].user


def test_of_two_owners_who_demote_each_other_one_stays(club, owners):
    one, other = owners
    told = at_once(
        doing(change_role, club.pk, other.user.pk, Role.MEMBER, one),
        doing(change_role, club.pk, one.user.pk, Role.MEMBER, other),
    )

    assert sorted(map(str, told)) == ["1", "LastOwner"]
    assert sorted(Member.objects.values_list("role", flat=True)) == ["member", "owner"]


def test_link_for_one_is_used_by_one_of_two(club, owners):
    link = InvitationFactory(club=club, role="director", most_uses=1)
    one, other = (doing(accept_invitation, link.pk, Actor(AccountFactory())) for _ in range(2))

    assert while_another_is_writing(one, other) == (1, "DoesNotExist", True)
    assert Member.objects.filter(role="director").count() == 1


def test_link_for_all_counts_each_who_comes_at_once(club, owners):
    link = InvitationFactory(club=club)
    asks = [doing(accept_invitation, link.pk, Actor(AccountFactory())) for _ in range(6)]

    assert at_once(*asks) == [1] * 6
    link.refresh_from_db()
    assert link.uses == 6


def test_several_who_choose_one_name_at_once_all_get_their_club():
    asks = [doing(create_club, "Moda", Actor(AccountFactory())) for _ in range(6)]

    assert at_once(*asks) == [1] * 6
    assert len(set(Club.objects.values_list("slug", flat=True))) == 6


def test_account_deleted_meanwhile_leaves_no_club_behind():
    account = AccountFactory()
    by = Actor(User.objects.get(pk=account.pk))
    account.delete()

    with pytest.raises(IntegrityError):
        create_club("Moda", by, at=EVENING)

    assert not Club.objects.exists()
