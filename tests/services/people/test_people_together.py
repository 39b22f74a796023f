import pytest

from tests.club_factories import AccountFactory, ClubFactory, PlayerFactory, TableFactory
from tests.factories import EVENING, ContextFactory
from tests.together import at_once, while_another_is_writing
from tournaments.models import AuditEntry, Game, Merge, Player, Report, Seat
from tournaments.models.people import MOST_WRONG_CLAIMS, MOST_WRONG_TYPED
from tournaments.services.audit import NOBODY, Actor
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
    player = PlayerFactory()
    accounts = [AccountFactory() for _ in range(2)]
    link = player.public_id, player.claim_secret

    first, second, waited = while_another_is_writing(
        *[lambda user=user: claim_player(*link, Actor(user), at=EVENING).pk for user in accounts]
    )

    assert (first, second, waited) == (player.pk, "DoesNotExist", True)
    assert Player.objects.get().account == accounts[0]


def test_one_account_that_claims_two_players_at_once_has_one():
    players = [PlayerFactory(club=club) for club in [ClubFactory()] for _ in range(2)]
    me = Actor(AccountFactory())

    answers = at_once(
        *[
            lambda row=row: claim_player(row.public_id, row.claim_secret, me, at=EVENING).pk
            for row in players
        ]
    )

    assert sorted(map(type, answers), key=str) == [int, str]
    assert Player.objects.filter(account=me.user).count() == 1


def test_wrong_codes_at_once_are_all_counted():
    player = PlayerFactory(wrong_claims=MOST_WRONG_CLAIMS - PHONES)
    accounts = [AccountFactory() for _ in range(PHONES)]
    code = f"{player.pk}-2222-2222"

    answers = at_once(
        *[lambda user=user: find_by_code(code, Actor(user), at=EVENING) for user in accounts]
    )

    assert answers == ["WrongClaimCode"] * PHONES
    assert Player.objects.get().wrong_claims == MOST_WRONG_CLAIMS


def test_account_that_types_many_wrong_codes_at_once_is_stopped():
    me = Actor(AccountFactory(wrong_claims=MOST_WRONG_TYPED - 2, wrong_claims_since=EVENING))

    answers = at_once(*[lambda: find_by_code("9-2222-2222", me, at=EVENING)] * PHONES)

    assert sorted(answers) == ["TooManyCodes"] * (PHONES - 2) + ["WrongClaimCode"] * 2


def test_second_merge_waits_for_the_first():
    one, other = (PlayerFactory(club=club) for club in [ClubFactory()] for _ in range(2))

    first, second, waited = while_another_is_writing(
        lambda: merge_players(one.pk, other.pk, NOBODY, at=EVENING).kept_id,
        lambda: merge_players(other.pk, one.pk, NOBODY, at=EVENING).kept_id,
    )

    assert (first, second, waited) == (one.pk, "NotOnePerson", True)
    assert Merge.objects.get().kept == one


def test_merge_undone_by_several_at_once_is_undone_once():
    one, other = (PlayerFactory(club=club) for club in [ClubFactory()] for _ in range(2))
    merge = merge_players(one.pk, other.pk, NOBODY, at=EVENING)

    answers = at_once(*[lambda: undo_merge(merge.pk, NOBODY, at=EVENING).pk] * PHONES)

    assert answers == [merge.pk] * PHONES
    assert AuditEntry.objects.filter(action="part").count() == 1


def test_one_name_added_in_several_letters_at_once_is_one_player():
    club = ClubFactory()
    names = ["İPEK", "ipek", "Ipek", "ıpek", "İpek", "I\u0307pek"]

    answers = at_once(
        *[lambda name=name: add_player(club, name, NOBODY, at=EVENING).pk for name in names]
    )

    player = Player.objects.get()
    assert sorted(map(str, answers)) == [str(player.pk), *["NameTaken"] * (len(names) - 1)]
    assert AuditEntry.objects.count() == 1


def test_two_players_renamed_alike_at_once_are_not_both():
    players = [PlayerFactory(club=club) for club in [ClubFactory()] for _ in range(2)]

    answers = at_once(
        *[
            lambda row=row, name=name: rename_player(row.pk, name, NOBODY, at=EVENING).pk
            for row, name in zip(players, ["IŞIL", "ışıl"], strict=True)
        ]
    )

    assert "NameTaken" in answers
    assert Player.objects.filter(name_key="is\u0327il").count() == 1


def test_head_changed_while_a_player_is_removed_keeps_no_name():
    game = TableFactory().games.get()
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
    game = TableFactory().games.get()
    player = Seat.objects.get(game=game, number=0).player

    def ask():
        asked = reporting.request_scoresheet(game, language="tr", follow_url="x", at=EVENING)
        return bool(asked)

    answers = at_once(lambda: remove_player(player.pk, NOBODY, at=EVENING), ask)

    assert answers == [None, True]
    assert "Ayşe" not in str(list(Report.objects.values()))
