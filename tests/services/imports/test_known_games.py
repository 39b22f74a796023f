"""One's own games, brought back by a file: nobody is rated for one twice, whatever the door."""

import json

import pytest

from tests.club_factories import AccountFactory, ClubFactory, PlayerFactory
from tests.factories import EVENING
from tests.services.imports.record_files import asked
from tests.tournament_builders import NINE, SHORT, closed, running
from tests.tournament_records import exported, imported
from tournaments.models import Game, Player, RatingChange, Tournament
from tournaments.queries.sheets import load_sheets
from tournaments.services.audit import NOBODY
from tournaments.services.imports.records import preview_records
from tournaments.services.people.changes import rename_player
from tournaments.services.people.merging import merge_players
from tournaments.services.tournaments.record_import import GamesExist

pytestmark = pytest.mark.django_db


@pytest.fixture
def row():
    row = running(*NINE[:8], rounds=2)
    closed(row, SHORT)
    return row


def counted():
    return Tournament.objects.count(), Game.objects.count(), RatingChange.objects.count()


def as_it_was(_row, text):
    return text


def partly(_row, text):
    """One of the two games was played at another time."""
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
def test_own_export_under_another_address_is_refused(row, since, number):
    text = since(row, exported())
    before = counted()

    with pytest.raises(GamesExist) as refused:
        imported(text, club=row.event.club, elsewhere=True)

    assert refused.value.data == {"number": number}
    assert counted() == before


def test_export_without_a_game_is_no_copy_of_one(row):
    document = json.loads(exported())
    document["rounds"] = []

    imported(json.dumps(document), club=row.event.club, elsewhere=True)

    assert Tournament.objects.count() == 2


def test_another_club_takes_it_unless_an_account_plays_in_both(row):
    text, account = exported(), AccountFactory()
    imported(text, club=ClubFactory(), elsewhere=True)

    there = ClubFactory()
    name = row.entrants.first().player.name
    PlayerFactory(club=there, name=name, account=account)
    Player.objects.filter(pk=row.entrants.first().player_id).update(account=account)

    with pytest.raises(GamesExist) as refused:
        imported(text, club=there, elsewhere=True)
    assert refused.value.data == {"number": 1}


@pytest.mark.parametrize("since", [as_it_was, renamed, merged])
def test_records_of_games_of_a_tournament_are_known(row, since):
    records = [sheet.record for sheet in load_sheets(Game.objects.order_by("pk"))]
    since(row, "")

    plan = preview_records(row.event.club, asked(*records), now=EVENING)

    assert [(seen.there, seen.faults) for seen in plan.seen] == [(True, ())] * 2
