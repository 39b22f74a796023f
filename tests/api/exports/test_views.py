"""Exports as NDJSON: what the lists show, row by row."""

import json

import pytest

from tests.api.test_queries import rating, table, tournament
from tests.club_factories import EntrantFactory
from tests.counting import queries_of
from tournaments.api.exports import views
from tournaments.models import Game, RatingChange


def entrants(club):
    EntrantFactory(tournament=tournament(club), player__club=club)


def games(club):
    table(tournament(club).event)


def lines(answer):
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/x-ndjson")
    assert answer.streaming
    return [json.loads(line) for line in answer.getvalue().splitlines()]


def test_games_are_exported_with_their_records(club, director):
    for _ in range(3):
        games(club)
    found = lines(director.get("clubs/moda/exports/games/"))

    listed = director.get("games/?club=moda&ordering=played_at").json()["results"]
    assert {row["id"] for row in found} == {row["id"] for row in listed}
    for row in found:
        record = row.pop("record")
        assert row in listed
        assert record == director.get(f"games/{row['id']}/record/").json()


def test_entrants_are_exported_with_their_tournament(club, director):
    for _ in range(3):
        entrants(club)
    found = lines(director.get("clubs/moda/exports/entrants/"))

    path = "clubs/moda/tournaments/acik/entrants/"
    listed = director.get(path).json()["results"]
    assert found == [{"tournament": "acik", **row} for row in listed]


def test_rated_history_is_exported_for_members(club, member, program):
    games(club)
    games(club)
    rating(club)
    row, played = club.rating_pools.get().ratings.get(), Game.objects.order_by("pk")
    for number, game in enumerate(played, 1):
        rated = {"mean_before": 1500, "variance_before": 100, "mean": 1510.2, "variance": 90}
        where = {"rating": row, "game": game, "seat": number, "at": game.played_at}
        RatingChange.objects.create(number=number, **where, **rated)
    found = lines(member.get("clubs/moda/exports/ratings/"))

    assert [(each["number"], each["game"], each["seat"]) for each in found] == [
        (number, game.public_id, number) for number, game in enumerate(played, 1)
    ]
    assert (found[0]["before"]["points"], found[0]["after"]["points"]) == (1500, 1510)
    assert program.get("clubs/moda/exports/ratings/").status_code == 404


@pytest.mark.parametrize(("what", "make"), [("games", games), ("entrants", entrants)])
def test_more_rows_take_as_many_queries_and_are_read_in_parts(
    club, director, what, make, monkeypatch
):
    def ask():
        return director.get(f"clubs/moda/exports/{what}/").getvalue()

    make(club)
    first = queries_of(ask)
    make(club)
    make(club)
    assert queries_of(ask) == first
    monkeypatch.setattr(views, "AT_ONCE", 1)
    # What belongs to each part is read with it, so no more is held than one.
    assert queries_of(ask) == first + {"games": 2, "entrants": 4}[what]
