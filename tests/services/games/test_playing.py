from functools import partial

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.club_factories import AccountFactory, TableFactory
from tests.deals import WHOLE_GAME, deal
from tests.factories import (
    EVENING,
    ContextFactory,
    GameFactory,
    ReportFactory,
    SetupFactory,
    log,
    record,
    reload,
)
from tests.match_builders import TWO
from tournaments.engine.documents.entries import parse_entry
from tournaments.models import Confirmation, Game, Player, Report, Revision
from tournaments.queries.sheets import LaterEntryInvalid, load_sheet
from tournaments.services.audit import Actor
from tournaments.services.games import playing, writing

pytestmark = pytest.mark.django_db

RIFKI, QUEENS = WHOLE_GAME[:2]
MOST_STATEMENTS = 15
FINE = {"type": "adjustment", "seat": 2, "points": -100, "reason": "revoke"}


def found(problems):
    return [(str(problem.code), problem.where) for problem in problems]


def test_start_game_twice_with_one_key_opens_one_table_of_the_same_players():
    def start(**head):
        return playing.start_game(SetupFactory(**head), at=EVENING, key="start-key-1")

    first = start()

    assert (start().pk, Game.objects.count()) == (first.pk, 1)
    assert "start-key-1" not in first.start_key
    # A stolen key must not open a table of other players.
    assert start(first_declarer=1).pk != first.pk


def test_entry_is_stored_in_one_form_however_it_was_sent():
    game = GameFactory()
    sent = {"reason": "revoke", "points": "-200/2", "seat": 2, "type": "adjustment"}

    record(game, sent)
    playing.correct_entry(game.pk, 0, parse_entry(sent), "the same", ContextFactory(revision=1))

    assert [body for _, _, _, body, _, _ in log(game)] == [FINE | {"to": "none"}]


def test_record_entry_after_a_withdrawal_takes_a_new_position():
    """A position names one entry for ever, so that old versions never mix with another deal's."""
    game = GameFactory(entries=[RIFKI, QUEENS])
    playing.withdraw_entry(game.pk, 1, "not played", ContextFactory(revision=2))

    record(game, QUEENS)

    assert reload(game).positions == (0, 2)


def test_change_refused_by_a_later_entry_gives_that_entry_and_its_reasons():
    stated = {**QUEENS, "declarer": 1}
    last = [deal("heart-king", 1, 0, 0, 0), deal("no-queens", 4, 0, 0, 0)]
    game = GameFactory(entries=[RIFKI, stated, *last])
    queens, turn = parse_entry(deal("no-queens", 0, 4, 0, 0)), ("wrong-declarer", "declarer")

    for change, position, problem in (
        (
            partial(playing.correct_entry, game.pk, 0, queens, ""),
            3,
            ("contract-used-up", "contract"),
        ),
        (partial(playing.withdraw_entry, game.pk, 0, ""), 1, turn),
        (partial(playing.change_head, game.pk, SetupFactory(first_declarer=2)), 1, turn),
    ):
        with pytest.raises(LaterEntryInvalid) as refused:
            change(ContextFactory(revision=4))
        assert (refused.value.position, found(refused.value.problems)) == (position, [problem])
    sheet = reload(game)
    assert (sheet.row.revision, sheet.row.first_declarer, len(log(game))) == (4, 0, 4)


def test_correct_entry_where_nothing_stands_says_so():
    game = GameFactory(entries=[RIFKI, QUEENS])
    playing.withdraw_entry(game.pk, 1, "", ContextFactory(revision=2))
    pen = ContextFactory(revision=3)

    for position in (1, 2, -1, 70000):
        with pytest.raises(writing.NoSuchEntry):
            playing.correct_entry(game.pk, position, parse_entry(QUEENS), "", pen)
        with pytest.raises(writing.NoSuchEntry):
            playing.withdraw_entry(game.pk, position, "", pen)

    assert len(log(game)) == 3


def test_write_never_fails_for_what_is_said_about_it():
    """A remark is shown and nothing else; PostgreSQL refuses a NUL, and what is too long."""
    game = GameFactory(entries=[RIFKI])
    context = ContextFactory(revision=1, author="Ayşe\0" + "y" * 100)

    right = deal("heart-king", 1, 0, 0, 0)
    playing.correct_entry(game.pk, 0, parse_entry(right), "wrong\0" + "z" * 300, context)
    again = playing.correct_entry(game.pk, 0, parse_entry(right), "wrong\0" + "z" * 300, context)

    _, _, _, _, author, reason = log(game)[1]
    assert (author, reason) == ("Ayşe " + "y" * 75, "wrong " + "z" * 194)
    assert again.row.revision == 2


def test_change_head_never_changes_the_ruleset_and_is_not_written_without_a_change():
    game = GameFactory()

    playing.change_head(game.pk, SetupFactory(ruleset="rifki"), ContextFactory())

    assert (reload(game).game.ruleset.id, log(game)) == ("turkish-king", [])


def test_delete_game_takes_everything_of_it_and_nothing_else(django_capture_on_commit_callbacks):
    game, other = GameFactory(entries=[RIFKI]), GameFactory(entries=[RIFKI])
    report, kept = ReportFactory(game=game), ReportFactory(game=other)
    report.file.save("sheet.pdf", ContentFile(b"names of people"))
    assert default_storage.exists(report.file.name)

    for _tap in range(2):
        with django_capture_on_commit_callbacks(execute=True):
            playing.delete_game(game.pk)

    assert list(Game.objects.all()) == [other]
    assert [write.game_id for write in Revision.objects.all()] == [other.pk]
    assert list(Report.objects.all()) == [kept]
    assert not default_storage.exists(report.file.name)


@pytest.mark.parametrize(
    "write",
    [
        lambda pk, _last, pen: playing.record_entry(pk, parse_entry(FINE), pen),
        lambda pk, last, pen: playing.record_entries(pk, [parse_entry(FINE)] * (last + 1), pen),
        lambda pk, _last, pen: playing.correct_entry(pk, 0, parse_entry(RIFKI), "", pen),
        lambda pk, last, pen: playing.withdraw_entry(pk, last, "", pen),
        lambda pk, _last, pen: playing.change_head(pk, SetupFactory(title="Cuma"), pen),
        lambda pk, _last, _pen: playing.hand_over(pk, 1, "other-phone", at=EVENING),
    ],
    ids=["record", "record several", "correct", "withdraw", "head", "hand-over"],
)
def test_write_takes_few_statements_however_long_the_sheet(write):
    taken = []
    for length in (1, 20):
        game = GameFactory(entries=WHOLE_GAME[:length])
        with CaptureQueriesContext(connection) as queries:
            write(game.pk, length - 1, ContextFactory(revision=length))
        taken.append(len(queries))

    assert taken[0] == taken[1] <= MOST_STATEMENTS


BLIND = [
    {"type": "deal", "contract": "no-queens"},
    {"type": "deal", "contract": "no-queens", "counts": {"queens": [1, 0, 2, 1]}},
    WHOLE_GAME[0],
]


def stored(game):
    sheet = reload(game)
    # Without the keys.
    fields = ("revision", "kind", "position", "body", "author", "at", "reason")
    return (sheet.row.revision, sheet.row.result, [*sheet.row.revisions.values_list(*fields)])


@pytest.mark.parametrize("entries", [WHOLE_GAME, BLIND], ids=["whole game", "begun blind"])
def test_record_leaves_what_its_entries_leave_one_by_one(entries):
    one_by_one, at_once = GameFactory(), GameFactory()

    for body in entries:
        record(one_by_one, body)
    sheet = playing.record_entries(at_once.pk, map(parse_entry, entries), ContextFactory())

    assert stored(at_once) == stored(one_by_one)
    assert sheet.game == reload(at_once).game


TABLE = Actor(table="thetable12")


def finished_game():
    return TableFactory(entries=WHOLE_GAME).games.get()


def confirm(game, seat, revision=20):
    return playing.confirm_result(game.pk, seat, revision, TABLE, at=EVENING)


def agreement(game, setting):
    game.refresh_from_db()
    return playing.agreement_on(load_sheet(game), setting, Confirmation.objects.filter(game=game))


def test_result_is_confirmed_by_as_many_as_the_evening_asks():
    game, seats = finished_game(), []
    assert agreement(game, "none").enough

    for seat, enough in ((3, []), (1, ["two"]), (0, ["two"]), (2, ["two", "all"])):
        confirm(game, seat)
        seats.append(seat)
        agreed = {setting: agreement(game, setting) for setting in ("two", "all")}
        assert [setting for setting, each in agreed.items() if each.enough] == enough
        assert agreed["all"].confirmed == tuple(sorted(seats))
        assert agreed["all"].missing == tuple(seat for seat in range(4) if seat not in seats)


def test_two_at_a_table_of_two_are_both():
    game = playing.start_game(playing.GameSetup("krapet", TWO), at=EVENING)
    sheet = load_sheet(game)

    said = [Confirmation(game=game, seat=1, revision=0)]

    assert [playing.agreement_on(sheet, s, said).needed for s in ("none", "two", "all")] == [
        0,
        2,
        2,
    ]
    assert not playing.agreement_on(sheet, "two", said).enough


def test_seat_that_is_none_and_an_open_table_confirm_nothing():
    with pytest.raises(playing.NotSeated):
        confirm(finished_game(), 4)
    with pytest.raises(playing.NotSeated):
        confirm(GameFactory(entries=WHOLE_GAME), 0)


def test_account_confirms_for_its_own_player_only():
    game = finished_game()
    account = AccountFactory()
    Player.objects.filter(name="Cem").update(account=account)

    playing.confirm_own_result(game.pk, 20, Actor(account), at=EVENING)
    for by in (Actor(AccountFactory()), Actor(), TABLE):
        with pytest.raises(playing.NotSeated):
            playing.confirm_own_result(game.pk, 20, by, at=EVENING)
    said = Confirmation.objects.get()
    assert (said.seat, said.user) == (2, account)
    # Holding the phone of the table, it speaks for itself only.
    for seat in (2, 3):
        playing.confirm_result(game.pk, seat, 20, Actor(account), at=EVENING)

    assert dict(Confirmation.objects.values_list("seat", "own")) == {2: True, 3: False}
