from datetime import date

import pytest

from tests import club_factories as make
from tests.deals import NAMES, WHOLE_GAME
from tests.factories import EVENING
from tests.services.imports.result_files import FRIDAY, TOTALS, asked, table, take_over
from tournaments.engine.rules.entries import Totals
from tournaments.models import AuditEntry, Event, Game, RatingDue, Round, Seat, Table
from tournaments.queries.scoresheets import ending_of
from tournaments.queries.sheets import load_sheets
from tournaments.services.imports import files, names
from tournaments.services.imports.results import preview_results
from tournaments.services.ratings.games import played_rounds

pytestmark = pytest.mark.django_db


def codes(club, asked):
    return [(fault.line, fault.code) for fault in preview_results(club, asked).faults]


@pytest.fixture
def club():
    return make.ClubFactory(rates_evenings=True)


def test_games_of_totals_are_tables_of_closed_rounds_with_sheets_and_places(club):
    seated = make.PlayerFactory(club=club, name="Ayşe")
    season = make.SeasonFactory(club=club, starts_on=date(2025, 1, 1), ends_on=date(2025, 12, 31))
    others = ("Elif", "Fatma", "Gül", "Hakan")

    done = take_over(
        club, asked(table(), table(2, others, (0, 0, 0, 0)), table(names=others, place=2))
    )

    event = Event.objects.get()
    assert (done.events, done.games, done.players) == ((event,), 3, 7)
    assert (event.name, event.held_on, event.season) == ("Cuma", FRIDAY, season)
    assert (event.ruleset, event.published) == ("turkish-king", False)
    rounds = list(Round.objects.values_list("number", "closed_at__date"))
    assert rounds == [(1, FRIDAY), (2, FRIDAY)]
    assert list(Table.objects.order_by("pk").values_list("round__number", "number")) == [
        (1, 1),
        (1, 2),
        (2, 1),
    ]
    first, drawn, _last = load_sheets(Game.objects.order_by("pk"))
    assert first.game.entries == (Totals(TOTALS, imported=True),)
    assert (first.game.totals, first.outcome.ranks, first.row.title) == (
        TOTALS,
        (1, 3, 4, 2),
        "Cuma",
    )
    assert (first.row.result["totals"], first.row.result["contracts"]) == (list(TOTALS), {})
    assert drawn.game.entries == (Totals((0, 0, 0, 0), imported=True),)
    assert ending_of(first.game, NAMES) == "Only its totals are known"
    assert list(Seat.objects.filter(player=seated).values_list("game", "number")) == [
        (first.row.pk, 0)
    ]
    assert list(AuditEntry.objects.exclude(action="add").values_list("action", "after")) == [
        ("import-results", {"games_imported": 3, "new_players": 7}),
        ("add-event", {"name": "Cuma", "held_on": "2025-03-14", "ruleset": "turkish-king"}),
    ]
    # They count for no rating.
    assert RatingDue.objects.count() == 1
    assert not any(played_rounds(club.pk, None))


def test_games_that_are_there_are_left_and_others_join_their_evening(club):
    take_over(club, asked(table()))
    others = ("Elif", "Fatma", "Gül", "Hakan")
    both = asked(table(evening="CUMA"), table(2, others, evening="cuma"))

    done = take_over(club, both)

    assert (done.games, Event.objects.count(), Round.objects.count()) == (1, 1, 1)
    assert take_over(club, both).games == 0
    assert list(Table.objects.values_list("number", flat=True)) == [1, 2]


def test_sums_must_agree_where_the_rules_know_them(club):
    wrong = table(totals=(540, -110, -330, -90))

    assert codes(club, asked(wrong)) == [(2, files.Wrong.WRONG_SUM)]
    assert codes(club, asked(wrong, early=True)) == []
    euchre = table(totals=(10, 6, 10, 6))
    assert codes(club, asked(euchre, rules="euchre")) == []


def test_partners_share_their_points_and_a_target_ends_the_game(club):
    assert codes(club, asked(table(totals=(10, 6, 9, 6)), rules="euchre")) == [
        (4, files.Wrong.PARTNERS_DIFFER)
    ]

    take_over(club, asked(table(totals=(10, 6, 10, 6)), rules="euchre"))

    game = load_sheets(Game.objects.all())[0].game
    assert (game.totals, game.ending.by, len(game.entries)) == ((10, 6), "target", 1)


def test_each_line_says_what_is_wrong_with_it(club):
    few = table(1, NAMES[:3], TOTALS[:3])
    twice = table(2, ("Elif", "ELİF", "Gül", "Hakan"))
    again = table(3, ("Gül", "İnci", "Jale", " "))

    assert codes(club, asked(few, twice, again)) == [
        (2, files.Wrong.WRONG_SIZE),
        (6, files.Wrong.SITS_TWICE),
        (9, files.Wrong.SITS_ELSEWHERE),
        (12, files.Wrong.EMPTY),
    ]


def test_tables_that_others_have_laid_are_not_touched(club):
    event = make.EventFactory(club=club, name="Cuma", held_on=FRIDAY)
    over, going = (make.RoundFactory(event=event, number=n) for n in (1, 2))
    make.TableFactory(round=over, number=1, entries=WHOLE_GAME)
    Round.objects.filter(pk=over.pk).update(closed_at=EVENING)
    others = ("Elif", "Fatma", "Gül", "Hakan")

    assert codes(club, asked(table())) == []
    assert codes(club, asked(table(names=others), table(2))) == [
        (2, files.Wrong.TABLE_TAKEN),
        (6, files.Wrong.SITS_ELSEWHERE),
        (7, files.Wrong.SITS_ELSEWHERE),
        (8, files.Wrong.SITS_ELSEWHERE),
        (9, files.Wrong.SITS_ELSEWHERE),
    ]
    assert codes(club, asked(table(place=2))) == [(2, files.Wrong.ROUND_OPEN)]
    assert going.closed_at is None


def test_names_that_may_mean_several_are_asked_for(club):
    one, other = (make.PlayerFactory(club=club, name=f"Ayşe {name}") for name in ("Çelik", "Demir"))
    file = table()

    assert codes(club, asked(file)) == [(2, files.Wrong.AMBIGUOUS)]
    chosen = preview_results(club, asked(file, choices={"ays\u0327e": other.public_id}))
    assert (chosen.faults, chosen.games[0].who[0]) == ([], other)
    as_new = preview_results(club, asked(file, choices={"ays\u0327e": names.NEW}))
    assert as_new.new_names == list(NAMES)
    assert as_new.book.like("Ayse Celk") == [one]
