import pytest
from django.db import IntegrityError

from tests import club_factories as make
from tests.factories import EVENING, ContextFactory
from tests.together import at_once, doing, while_another_is_writing
from tournaments.models import AuditEntry, Club, Game, Member, Merge, Player, Report, Seat, User
from tournaments.models.clubs import Role
from tournaments.models.people import MOST_WRONG_CLAIMS, MOST_WRONG_TYPED
from tournaments.services.audit import NOBODY, Actor
from tournaments.services.clubs.membership import (
    accept_invitation,
    change_role,
    create_club,
    delete_account,
    leave_club,
)
from tournaments.services.documents import reporting
from tournaments.services.games import playing
from tournaments.services.people.changes import remove_player, rename_player
from tournaments.services.people.merging import (
    claim_player,
    find_by_code,
    merge_players,
    undo_merge,
)
from tournaments.services.people.players import add_player

pytestmark = pytest.mark.django_db(transaction=True)

PHONES = 6


def test_second_claim_waits_for_the_first_and_finds_the_link_used():
    player = make.PlayerFactory()
    accounts = [make.AccountFactory() for _ in range(2)]
    link = player.public_id, player.claim_secret

    assert while_another_is_writing(
        *[lambda user=user: claim_player(*link, Actor(user), at=EVENING).pk for user in accounts]
    ) == (player.pk, "DoesNotExist", True)
    assert Player.objects.get().account == accounts[0]


def test_one_account_that_claims_two_players_at_once_has_one():
    players = make.PlayerFactory.create_batch(2, club=make.ClubFactory())
    me = Actor(make.AccountFactory())

    answers = at_once(
        *[
            lambda row=row: claim_player(row.public_id, row.claim_secret, me, at=EVENING).pk
            for row in players
        ]
    )

    assert sorted(map(type, answers), key=str) == [int, str]
    assert Player.objects.filter(account=me.user).count() == 1


def test_wrong_codes_at_once_are_all_counted():
    player = make.PlayerFactory(wrong_claims=MOST_WRONG_CLAIMS - PHONES)
    accounts = [make.AccountFactory() for _ in range(PHONES)]
    code = f"{player.pk}-2222-2222"

    answers = at_once(
        *[lambda user=user: find_by_code(code, Actor(user), at=EVENING) for user in accounts]
    )

    assert answers == ["WrongClaimCode"] * PHONES
    assert Player.objects.get().wrong_claims == MOST_WRONG_CLAIMS


def test_account_that_types_many_wrong_codes_at_once_is_stopped():
    me = Actor(make.AccountFactory(wrong_claims=MOST_WRONG_TYPED - 2, wrong_claims_since=EVENING))

    answers = at_once(*[lambda: find_by_code("9-2222-2222", me, at=EVENING)] * PHONES)

    assert sorted(answers) == ["TooManyCodes"] * (PHONES - 2) + ["WrongClaimCode"] * 2


def test_second_merge_waits_for_the_first():
    one, other = make.PlayerFactory.create_batch(2, club=make.ClubFactory())

    assert while_another_is_writing(
        lambda: merge_players(one.pk, other.pk, NOBODY, at=EVENING).kept_id,
        lambda: merge_players(other.pk, one.pk, NOBODY, at=EVENING).kept_id,
    ) == (one.pk, "NotOnePerson", True)
    assert Merge.objects.get().kept == one


def test_merge_undone_by_several_at_once_is_undone_once():
    one, other = make.PlayerFactory.create_batch(2, club=make.ClubFactory())
    merge = merge_players(one.pk, other.pk, NOBODY, at=EVENING)

    answers = at_once(*[lambda: undo_merge(merge.pk, NOBODY, at=EVENING).pk] * PHONES)

    assert answers == [merge.pk] * PHONES
    assert AuditEntry.objects.filter(action="part").count() == 1


def test_one_name_added_in_several_letters_at_once_is_one_player():
    club = make.ClubFactory()
    names = ["İPEK", "ipek", "Ipek", "ıpek", "İpek", "I\u0307pek"]

    answers = at_once(
        *[lambda name=name: add_player(club, name, NOBODY, at=EVENING).pk for name in names]
    )

    player = Player.objects.get()
    assert sorted(map(str, answers)) == [str(player.pk), *["NameTaken"] * (len(names) - 1)]
    assert AuditEntry.objects.count() == 1


def test_two_players_renamed_alike_at_once_are_not_both():
    players = make.PlayerFactory.create_batch(2, club=make.ClubFactory())

    answers = at_once(
        *[
            lambda row=row, name=name: rename_player(row.pk, name, NOBODY, at=EVENING).pk
            for row, name in zip(players, ["IŞIL", "ışıl"], strict=True)
        ]
    )

    assert "NameTaken" in answers
    assert Player.objects.filter(name_key="is\u0327il").count() == 1


def test_head_changed_while_a_player_is_removed_keeps_no_name():
    game = make.TableFactory().games.get()
    player = Seat.objects.get(game=game, number=0).player
    head = playing.GameSetup("turkish-king", game.players, title="Final")

    answers = at_once(
        lambda: remove_player(player.pk, NOBODY, at=EVENING),
        lambda: bool(playing.change_head(game.pk, head, ContextFactory(author="Ayşe"))),
    )

    assert answers[0] is None
    assert answers[1] in (True, "NotOfClub")
    assert Game.objects.get().players[0] == "№ 1"
    assert "Ayşe" not in str(list(game.revisions.values()))


def test_document_asked_for_while_a_player_is_removed_keeps_no_name():
    game = make.TableFactory().games.get()
    player = Seat.objects.get(game=game, number=0).player

    def ask():
        asked = reporting.request_scoresheet(game, language="tr", follow_url="x", at=EVENING)
        return bool(asked)

    answers = at_once(lambda: remove_player(player.pk, NOBODY, at=EVENING), ask)

    assert answers == [None, True]
    assert "Ayşe" not in str(list(Report.objects.values()))


@pytest.fixture
def club():
    return make.ClubFactory()


@pytest.fixture
def owners(club):
    return [Actor(make.MemberFactory(club=club, role="owner").user) for _ in range(2)]


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
    link = make.InvitationFactory(club=club, role="director", most_uses=1)
    one, other = (doing(accept_invitation, link.pk, Actor(make.AccountFactory())) for _ in range(2))

    assert while_another_is_writing(one, other) == (1, "DoesNotExist", True)
    assert Member.objects.filter(role="director").count() == 1


def test_link_for_all_counts_each_who_comes_at_once(club, owners):
    link = make.InvitationFactory(club=club)
    asks = [doing(accept_invitation, link.pk, Actor(make.AccountFactory())) for _ in range(6)]

    assert at_once(*asks) == [1] * 6
    link.refresh_from_db()
    assert link.uses == 6


def test_several_who_choose_one_name_at_once_all_get_their_club():
    asks = [doing(create_club, "Moda", Actor(make.AccountFactory())) for _ in range(6)]

    assert at_once(*asks) == [1] * 6
    assert len(set(Club.objects.values_list("slug", flat=True))) == 6


def test_account_deleted_meanwhile_leaves_no_club_behind():
    account = make.AccountFactory()
    by = Actor(User.objects.get(pk=account.pk))
    account.delete()

    with pytest.raises(IntegrityError):
        create_club("Moda", by, at=EVENING)

    assert not Club.objects.exists()
