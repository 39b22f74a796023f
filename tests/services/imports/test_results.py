from datetime import date
from fractions import Fraction

import pytest

from tests.club_factories import (
    ClubFactory,
    EventFactory,
    PlayerFactory,
    RoundFactory,
    SeasonFactory,
    TableFactory,
)
from tests.deals import NAMES, WHOLE_GAME
from tests.factories import EVENING
from tests.services.imports.result_files import FRIDAY, TOTALS, asked, table, take_over
from tournaments.engine.rules.entries import Totals
from tournaments.models import AuditEntry, Event, Game, Player, RatingDue, Round, Seat, Table
from tournaments.queries.scoresheets import ending_of
from tournaments.queries.sheets import load_sheets
from tournaments.services.audit import NOBODY
from tournaments.services.imports import files
from tournaments.services.imports.results import import_results, preview_results
from tournaments.services.ratings.games import played_rounds

pytestmark = pytest.mark.django_db


def codes(club, asked):
    return [(fault.line, fault.code) for fault in preview_results(club, asked).faults]


@pytest.fixture
def club():
    return ClubFactory(rates_evenings=True)


def test_games_of_totals_are_tables_of_closed_rounds_with_sheets_and_places(club):
    seated = PlayerFactory(club=club, name="Ayşe")
    season = SeasonFactory(club=club, starts_on=date(2025, 1, 1), ends_on=date(2025, 12, 31))
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


def test_file_with_faults_or_not_as_it_was_looked_at_writes_nothing(club):
    good = asked(table())
    seen = preview_results(club, good).mark
    PlayerFactory(club=club, name="Burak")
    wrong = asked(table(totals=(1, 2, 3, 4)))

    for what, mark in ((good, seen), (wrong, preview_results(club, wrong).mark)):
        with pytest.raises(files.PlanChanged):
            import_results(club.pk, what, mark, NOBODY, at=EVENING)

    assert not Event.objects.exists()
    assert Player.objects.count() == 1


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
    event = EventFactory(club=club, name="Cuma", held_on=FRIDAY)
    over, going = (RoundFactory(event=event, number=n) for n in (1, 2))
    TableFactory(round=over, number=1, entries=WHOLE_GAME)
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
    one, other = (PlayerFactory(club=club, name=f"Ayşe {name}") for name in ("Çelik", "Demir"))
    file = table()

    assert codes(club, asked(file)) == [(2, files.Wrong.AMBIGUOUS)]
    chosen = preview_results(club, asked(file, meant={"ays\u0327e": other.public_id}))
    assert (chosen.faults, chosen.games[0].who[0]) == ([], other)
    as_new = preview_results(club, asked(file, meant={"ays\u0327e": files.NEW}))
    assert as_new.new_names == list(NAMES)
    assert as_new.book.like("Ayse Celk") == [one]


def test_points_may_be_parts_of_one(club):
    halves = (Fraction(1, 2), Fraction(-1, 2), 0, 0)

    take_over(club, asked(table(totals=halves)))

    assert load_sheets(Game.objects.all())[0].game.totals == halves


def test_players_are_added_once_with_their_wish_and_each_line_says_why_not(club):
    PlayerFactory(club=club, name="Şule Ak")
    lines = [
        files.PlayerLine(number, *line)
        for number, line in enumerate(
            [("Ayşe Çelik",), ("SULE AK",), ("şule ak",), ("",), ("x" * 81,), ("AYŞE ÇELİK",)],
            start=2,
        )
    ]

    seen = files.preview_players(club, files.PlayersRequest(lines)).seen

    assert [s.fault and s.fault.code for s in seen] == [
        None,
        None,
        None,
        files.Wrong.EMPTY,
        files.Wrong.NO_NAME,
        files.Wrong.TWICE,
    ]
    assert [s.player is not None for s in seen] == [False, False, True, False, False, False]
    assert [p.name for p in seen[1].like] == ["Şule Ak"]
    good = files.PlayersRequest(
        [files.PlayerLine(2, "Ayşe Çelik", initials=True), files.PlayerLine(3, "Burak")]
    )
    mark = files.preview_players(club, good).mark
    assert files.import_players(club.pk, good, mark, NOBODY, at=EVENING) == 2
    with pytest.raises(files.PlanChanged) as changed:
        files.import_players(club.pk, good, mark, NOBODY, at=EVENING)
    assert (changed.value.plan.new, changed.value.plan.faults) == ([], [])
    assert sorted(Player.objects.values_list("name", "initials")) == [
        ("Ayşe Çelik", True),
        ("Burak", False),
        ("Şule Ak", False),
    ]
