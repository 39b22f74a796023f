import pytest

from tests.club_factories import AccountFactory, TableFactory
from tests.deals import WHOLE_GAME
from tests.factories import EVENING, ContextFactory, GameFactory
from tests.match_builders import TWO
from tournaments.models import AuditEntry, Confirmation, Player
from tournaments.queries.sheets import load_sheet
from tournaments.services.audit import Actor
from tournaments.services.games.playing import (
    GameSetup,
    NotSeated,
    agreement_on,
    confirm_own_result,
    confirm_result,
    start_game,
    withdraw_entry,
)
from tournaments.services.games.writing import NotFinished, StaleRevision

pytestmark = pytest.mark.django_db

BY = Actor(table="thetable12")


def finished_game():
    return TableFactory(entries=WHOLE_GAME).games.get()


def confirm(game, seat, revision=20):
    return confirm_result(game.pk, seat, revision, BY, at=EVENING)


def agreement(game, setting):
    game.refresh_from_db()
    return agreement_on(load_sheet(game), setting, Confirmation.objects.filter(game=game))


@pytest.mark.parametrize(
    ("setting", "seats", "enough"),
    [
        ("none", [], True),
        ("two", [3], False),
        ("two", [3, 1], True),
        ("all", [0, 1, 2], False),
        ("all", [0, 1, 2, 3], True),
    ],
)
def test_result_is_confirmed_by_as_many_as_the_evening_asks(setting, seats, enough):
    game = finished_game()

    for seat in seats:
        confirm(game, seat)

    agreed = agreement(game, setting)
    assert (agreed.confirmed, agreed.enough) == (tuple(sorted(seats)), enough)
    assert agreed.missing == tuple(seat for seat in range(4) if seat not in seats)


def test_two_at_a_table_of_two_are_both():
    game = start_game(GameSetup("krapet", TWO), at=EVENING)
    sheet = load_sheet(game)

    said = [Confirmation(game=game, seat=1, revision=0)]

    assert [agreement_on(sheet, s, said).needed for s in ("none", "two", "all")] == [0, 2, 2]
    assert not agreement_on(sheet, "two", said).enough


def test_confirmation_has_its_line_in_the_audit_once():
    game = finished_game()

    for _ in range(2):
        confirm(game, 2)

    assert Confirmation.objects.count() == 1
    line = AuditEntry.objects.get(action="confirm")
    assert (line.kind, line.subject, line.table, line.after) == (
        "result",
        f"game:{game.public_id}",
        game.table.public_id,
        {"seat": 2, "player": "Cem", "revision": 20},
    )


def test_later_write_makes_confirmations_void():
    game = finished_game()
    confirm(game, 0)
    context = ContextFactory(revision=20)

    withdraw_entry(game.pk, 19, "", context)

    assert agreement(game, "two").confirmed == ()
    with pytest.raises(StaleRevision) as stale:
        confirm(game, 1)
    assert stale.value.sheet.row.revision == 21
    with pytest.raises(NotFinished):
        confirm(game, 1, revision=21)


def test_seat_that_is_none_and_an_open_table_confirm_nothing():
    with pytest.raises(NotSeated):
        confirm(finished_game(), 4)
    with pytest.raises(NotSeated):
        confirm(GameFactory(entries=WHOLE_GAME), 0)


def test_account_confirms_for_its_own_player_only():
    game = finished_game()
    account = AccountFactory()
    Player.objects.filter(name="Cem").update(account=account)

    confirm_own_result(game.pk, 20, Actor(account), at=EVENING)
    for by in (Actor(AccountFactory()), Actor(), BY):
        with pytest.raises(NotSeated):
            confirm_own_result(game.pk, 20, by, at=EVENING)

    said = Confirmation.objects.get()
    assert (said.seat, said.user) == (2, account)


def test_account_that_holds_the_phone_of_the_table_speaks_for_itself_only():
    game = finished_game()
    account = AccountFactory()
    Player.objects.filter(name="Cem").update(account=account)

    for seat in (2, 3):
        confirm_result(game.pk, seat, 20, Actor(account), at=EVENING)

    own = dict(Confirmation.objects.values_list("seat", "own"))
    assert own == {2: True, 3: False}
