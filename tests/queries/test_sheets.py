import pytest

from tests.deals import WHOLE_GAME
from tests.factories import ContextFactory, GameFactory, RevisionFactory, SetupFactory, record
from tournaments.engine.rules.rulesets import InvalidEntry
from tournaments.models import Game
from tournaments.queries.sheets import load_sheet, load_sheets
from tournaments.services.games import playing

pytestmark = pytest.mark.django_db

RIFKI, QUEENS = WHOLE_GAME[:2]
DOUBLE_COUNTS = {
    "tricks": [6, 2, 3, 2],
    "hearts": [6, 0, 0, 7],
    "men": [8, 0, 0, 0],
    "queens": [1, 0, 0, 3],
    "heart_king": [1, 0, 0, 0],
    "last_two": [0, 0, 2, 0],
}


def test_sheet_is_of_the_revision_its_row_was_read_at():
    game = GameFactory(entries=[RIFKI])
    row, rows = Game.objects.get(pk=game.pk), Game.objects.filter(pk=game.pk)
    rows._fetch_all()
    record(game, QUEENS)

    for sheet in (load_sheet(row), *load_sheets(rows)):
        assert (sheet.row.revision, len(sheet.revisions)) == (1, 1)
        assert sheet.game.totals == (0, 0, -320, 0)


def test_sheet_never_mixes_a_head_with_entries_written_under_another():
    """Read between two statements of a reader, these would not even fold."""
    game = GameFactory(entries=[RIFKI])
    row = Game.objects.get(pk=game.pk)
    playing.change_head(game.pk, SetupFactory(first_declarer=2), ContextFactory(revision=1))
    record(game, {**QUEENS, "declarer": 3})

    assert load_sheet(row).game.declarer == 1
    assert load_sheet(Game.objects.get(pk=game.pk)).game.declarer == 0


@pytest.mark.parametrize("number", [1, 3])
def test_sheets_take_two_queries_however_many(number, django_assert_num_queries):
    for _ in range(number):
        GameFactory(entries=WHOLE_GAME[:3])

    with django_assert_num_queries(2):
        sheets = load_sheets(Game.objects.all())

    assert [len(sheet.revisions) for sheet in sheets] == [3] * number


def test_record_of_a_sheet_leaves_out_what_was_withdrawn():
    game = GameFactory(entries=[RIFKI, QUEENS], head=SetupFactory(title="Cuma"))
    playing.withdraw_entry(game.pk, 0, "", ContextFactory(revision=2))

    record_of = load_sheet(Game.objects.get(pk=game.pk)).record

    assert record_of == {
        "format": "kingscore-game/1",
        "ruleset": "turkish-king",
        "options": {},
        "players": ["Ayşe", "Burak", "Cem", "Deniz"],
        "first_declarer": 0,
        "title": "Cuma",
        "played_at": "2026-11-20T19:30:00+00:00",
        "entries": [QUEENS],
    }


def test_counts_that_were_accepted_before_can_still_be_read_and_go_on():
    """Versions up to 0.2.0 took 7 hearts and 3 queens of one player in two tricks."""
    game = GameFactory(head=SetupFactory(ruleset="turkish-king-double"))
    RevisionFactory(
        game=game, revision=1, body={"contract": "all-penalties", "counts": DOUBLE_COUNTS}
    )
    Game.objects.update(revision=1)

    sheet = load_sheet(Game.objects.get())
    possible = {**DOUBLE_COUNTS, "queens": [3, 0, 0, 1]}
    again = {"type": "deal", "contract": "all-penalties", "counts": DOUBLE_COUNTS}

    assert sheet.game.totals == (-1380, -100, -510, -610)
    assert record(game, {**again, "counts": possible}).game.totals[3] == -1020
    with pytest.raises(InvalidEntry, match="inconsistent-counts"):
        record(game, again)
