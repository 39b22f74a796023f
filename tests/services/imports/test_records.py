from datetime import date, timedelta

import pytest
from django.utils import timezone

from tests.club_factories import ClubFactory, PlayerFactory, TableFactory
from tests.deals import NAMES, WHOLE_GAME
from tests.factories import EVENING
from tests.services.imports.record_files import OTHERS, asked, record, take_over
from tournaments.models import Event, Game, Revision, Seat
from tournaments.models.events import moment_of_play
from tournaments.queries.sheets import load_sheet, load_sheets
from tournaments.services.imports.files import Wrong
from tournaments.services.imports.records import preview_records
from tournaments.services.ratings.games import played_rounds

pytestmark = pytest.mark.django_db


def told(club, *documents):
    """The faults of each file: codes of the record, and of conflicts with the club."""
    plan = preview_records(club, asked(*documents), now=EVENING)
    return [[p.code for p in s.problems] + [f.code for f in s.faults] for s in plan.seen]


@pytest.fixture
def club():
    return ClubFactory(rates_evenings=True)


def test_records_become_rated_tables_with_sheets_in_rounds_by_their_time(club):
    burak = PlayerFactory(club=club, name="BURAK")
    late = record(hours=5, title="Cuma", place="Moda")

    done = take_over(club, asked(late, record(title="Cuma"), record(OTHERS, title="Cuma", hours=1)))

    assert (done.games, done.players) == (3, 7)
    event = Event.objects.get()
    # What begins after midnight is of the same evening.
    assert (event.name, event.held_on) == ("Cuma", date(2025, 3, 14))
    places = Game.objects.order_by("played_at").values_list("table__round__number", "table__number")
    assert list(places) == [(1, 1), (1, 2), (2, 1)]
    sheet = load_sheet(Game.objects.latest("played_at"))
    assert (sheet.row.players, sheet.row.place) == (["Ayşe", "BURAK", "Cem", "Deniz"], "Moda")
    assert sheet.record["entries"] == list(WHOLE_GAME)
    assert sheet.row.result["totals"] == [540, -110, -330, -100]
    assert Seat.objects.filter(player=burak).count() == 2
    rated = [place for batch in played_rounds(club.pk, None) for place in batch]
    assert [(place.at, len(place.games)) for place in rated] == [
        (moment_of_play(event.held_on, 1), 2),
        (moment_of_play(event.held_on, 2), 1),
    ]


def test_record_that_was_imported_or_played_here_is_left(club):
    played = TableFactory(round__event__club=club, entries=WHOLE_GAME).games.get()
    own = load_sheet(played).record
    take_over(club, asked(record(OTHERS)))
    again = record(OTHERS, entries=[{**deal, "author": "Elif"} for deal in WHOLE_GAME])
    now = EVENING + timedelta(days=1)

    plan = preview_records(club, asked(again, own, record(OTHERS, hours=2)), now=now)

    assert [each.there for each in plan.seen] == [True, True, False]
    assert not plan.wrong
    assert (plan.to_write[0].round, Game.objects.count()) == (2, 2)


def test_each_file_says_what_is_wrong_with_it(club):
    impossible = [*WHOLE_GAME[:1], {**WHOLE_GAME[1], "counts": {"queens": [4, 4, 0, 0]}}]
    one = record()

    assert told(
        club,
        "{",
        record(entries=impossible),
        record(played_at="2999-01-01"),
        {name: value for name, value in one.items() if name != "played_at"},
        record(("Ayşe", "AYŞE", "Cem", "Deniz"), title="x" * 81),
        one,
        one,
        record(OTHERS, players=["Elif", "Fatma", "Gül", "x" * 81]),
    ) == [
        ["bad-json"],
        ["wrong-total"],
        [Wrong.DAY_TO_COME],
        [Wrong.NO_MOMENT],
        [Wrong.TOO_LONG, Wrong.SITS_TWICE],
        [],
        [Wrong.SAME_AS],
        [Wrong.NO_NAME],
    ]


def test_corrected_sheet_is_not_imported_beside_the_first_one(club):
    take_over(club, asked(record()))

    assert told(club, record(entries=list(WHOLE_GAME[:-1]))) == [[Wrong.OTHER_SHEET]]


def test_whoever_wrote_a_line_is_called_as_on_the_sheet(club):
    PlayerFactory(club=club, name="Ayşe Çelik", initials=True)
    file = record(("Ayşe Çelik", *NAMES[1:]), entries=[{**WHOLE_GAME[0], "author": "Ayşe Çelik"}])

    take_over(club, asked(file))

    write = Revision.objects.get()
    assert (write.author, write.at) == ("A. Ç.", EVENING)
    assert "Ayşe Çelik" not in str(write.body)
    row = Game.objects.get()
    assert (row.players[0], row.result) == ("A. Ç.", None)


def test_moments_without_a_zone_or_an_hour_are_those_of_the_club(club):
    take_over(
        club, asked(record(played_at="2025-03-14"), record(OTHERS, played_at="2025-03-15T02:00"))
    )

    moments = [timezone.localtime(row.played_at) for row in Game.objects.order_by("played_at")]
    assert [(moment.day, moment.hour) for moment in moments] == [(14, 12), (15, 2)]
    assert Event.objects.get().held_on == date(2025, 3, 14)


def test_house_rules_come_along_with_their_record(club):
    from tests.factories import HouseRulesetFactory

    rules = HouseRulesetFactory.build().document

    take_over(club, asked(record(ruleset=rules)))

    sheet = load_sheets(Game.objects.all())[0]
    assert (sheet.row.document["name"], sheet.game.finished) == ("Moda rules", True)
    assert Event.objects.get().ruleset == "turkish-king"
