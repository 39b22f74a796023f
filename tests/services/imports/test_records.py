import json
from datetime import date, timedelta
from importlib import import_module

import pytest
from django.apps import apps
from django.utils import timezone

from tests.club_factories import AccountFactory, ClubFactory, PlayerFactory, TableFactory
from tests.deals import NAMES, WHOLE_GAME
from tests.engine.documents.small_tournament import small_tournament
from tests.factories import EVENING, HouseRulesetFactory
from tests.services.imports import result_files
from tests.services.imports.record_files import OTHERS, asked, record, take_over
from tests.tournament_builders import NINE, SHORT, closed, running
from tests.tournament_records import exported, imported
from tournaments.engine.documents.verify import verify
from tournaments.models import Event, Game, Player, RatingChange, Revision, Seat, Tournament
from tournaments.models.events import moment_of_play
from tournaments.queries.sheets import load_sheet, load_sheets
from tournaments.services.audit import NOBODY
from tournaments.services.checks.caches import seal_what_is_missing
from tournaments.services.checks.nights import look_at_all
from tournaments.services.imports.files import Wrong
from tournaments.services.imports.records import preview_records
from tournaments.services.people.changes import rename_player
from tournaments.services.people.merging import merge_players
from tournaments.services.ratings.games import played_rounds
from tournaments.services.tournaments.record_import import GamesExist

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
    stake = {"per": "place", "amount": "1/2", "thing": "simit"}
    late = record(hours=5, title="Cuma", place="Moda", stake=stake)

    done = take_over(club, asked(late, record(title="Cuma"), record(OTHERS, title="Cuma", hours=1)))

    assert (done.games, done.players) == (3, 7)
    event = Event.objects.get()
    # What begins after midnight is of the same evening.
    assert (event.name, event.held_on) == ("Cuma", date(2025, 3, 14))
    places = Game.objects.order_by("played_at").values_list("table__round__number", "table__number")
    assert list(places) == [(1, 1), (1, 2), (2, 1)]
    sheet = load_sheet(Game.objects.latest("played_at"))
    assert (sheet.row.players, sheet.row.place) == (["Ayşe", "BURAK", "Cem", "Deniz"], "Moda")
    assert (sheet.record["entries"], sheet.record["stake"]) == (list(WHOLE_GAME), stake)
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
    rules = HouseRulesetFactory.build().document

    take_over(club, asked(record(ruleset=rules)))

    sheet = load_sheets(Game.objects.all())[0]
    assert (sheet.row.document["name"], sheet.game.finished) == ("Moda rules", True)
    assert Event.objects.get().ruleset == "turkish-king"


@pytest.fixture
def own():
    row = running(*NINE[:8], rounds=2)
    closed(row, SHORT)
    return row


def counted():
    return Tournament.objects.count(), Game.objects.count(), RatingChange.objects.count()


def as_it_was(_row, text):
    return text


def partly(_row, text):
    document = json.loads(text)
    record = document["rounds"][0]["tables"][0]["game"]["record"]
    record["played_at"] = "2026-01-02T03:04:05+00:00"
    return json.dumps(document)


def renamed(row, text):
    """One at each table has another name by now."""
    for entrant in row.entrants.filter(sittings__side=0):
        rename_player(entrant.player_id, f"Yeni {entrant.number}", NOBODY, at=EVENING)
    return text


def merged(row, text):
    """One at each table was merged into somebody else."""
    for entrant in row.entrants.filter(sittings__side=0):
        other = PlayerFactory(club=row.event.club, name=f"Yeni {entrant.number}")
        merge_players(other.pk, entrant.player_id, NOBODY, at=EVENING)
    return text


@pytest.mark.parametrize(
    ("since", "number"), [(as_it_was, 2), (partly, 1), (renamed, 2), (merged, 2)]
)
def test_own_games_are_known_in_an_export_under_another_address_and_as_records(own, since, number):
    records = [sheet.record for sheet in load_sheets(Game.objects.order_by("pk"))]
    text = since(own, exported())
    before = counted()

    with pytest.raises(GamesExist) as refused:
        imported(text, club=own.event.club, elsewhere=True)
    plan = preview_records(own.event.club, asked(*records), now=EVENING)

    assert refused.value.data == {"number": number}
    assert counted() == before
    assert [(seen.there, seen.faults) for seen in plan.seen] == [(True, ())] * 2


def test_export_without_a_game_is_no_copy_of_one(own):
    document = json.loads(exported())
    document["rounds"] = []

    imported(json.dumps(document), club=own.event.club, elsewhere=True)

    assert Tournament.objects.count() == 2


def test_another_club_takes_it_unless_an_account_plays_in_both(own):
    text, account = exported(), AccountFactory()
    imported(text, club=ClubFactory(), elsewhere=True)

    there = ClubFactory()
    name = own.entrants.first().player.name
    PlayerFactory(club=there, name=name, account=account)
    Player.objects.filter(pk=own.entrants.first().player_id).update(account=account)

    with pytest.raises(GamesExist) as refused:
        imported(text, club=there, elsewhere=True)
    assert refused.value.data == {"number": 1}


MOMENTS = (
    "2025-03-14T21:30:00+03:00",
    "2025-03-14T18:30:00.5-07:30",
    "20250314T213000.25+0300",
    "2025-03-14T18:30:00Z",
)


def by_records(club, moment):
    take_over(club, asked(record(played_at=moment)))


def by_results(club, _moment):
    result_files.take_over(club, result_files.asked(result_files.table()))


def by_tournament(club, moment):
    document = small_tournament()
    document["rounds"][0]["tables"][0]["game"]["record"]["played_at"] = moment
    imported(json.dumps(document), club=club)


def code_of_the_export():
    exported = load_sheet(Game.objects.get()).record
    return verify(json.loads(json.dumps(exported))).digest


@pytest.mark.parametrize(
    ("way", "moment"),
    [
        *((by_records, moment) for moment in (*MOMENTS, "2025-03-14T18:30", "2025-03-14")),
        *((by_tournament, moment) for moment in MOMENTS),
        (by_results, ""),
    ],
)
def test_code_on_the_sheet_is_that_of_the_exported_record(way, moment):
    way(ClubFactory(), moment)

    assert Game.objects.get().digest == code_of_the_export()
    assert "game-digests" not in {cache for cache, _ in look_at_all()}


@pytest.mark.parametrize("way", [by_records, by_results])
def test_codes_of_games_imported_before_are_mended_at_night(way):
    way(ClubFactory(), MOMENTS[0])
    Game.objects.update(digest="0" * 64)
    migration = import_module("tournaments.migrations.0046_digests_of_imported_games")

    migration.forget_digests(apps, None)
    seal_what_is_missing()

    assert Game.objects.get().digest == code_of_the_export()
