"""Older open games get a table each, with all their rematches and the games of their matches."""

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from tests.factories import EVENING
from tournaments.models.audit_view import create_view, drop_view

BEFORE = ("tournaments", "0010_open_tables")
AFTER = ("tournaments", "0011_tables_of_open_games")

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


@pytest.fixture
def older_site():
    """The tables of the database as they were before, and at the end as they are now."""
    drop_view()
    executor = MigrationExecutor(connection)
    now = executor.loader.graph.leaf_nodes()
    executor.migrate([BEFORE])
    yield executor.loader.project_state([BEFORE]).apps
    executor = MigrationExecutor(connection)
    executor.migrate(now)
    create_view()


def migrated():
    executor = MigrationExecutor(connection)
    executor.migrate([AFTER])
    return executor.loader.project_state([AFTER]).apps.get_model("tournaments", "Game")


def test_open_games_of_older_sites_get_their_tables(older_site):
    game, match, club, event, round_, table = (
        older_site.get_model("tournaments", name)
        for name in ("Game", "Match", "Club", "Event", "Round", "Table")
    )

    def start(name, **fields):
        common = {"ruleset": "turkish-king", "players": [name], "played_at": EVENING}
        return game.objects.create(**common | fields)

    best_of = match.objects.create(length="best-of", number=3, created_at=EVENING)
    other = match.objects.create(length="best-of", number=3, created_at=EVENING)
    start("alone")
    first = start("first")
    second = start("second", rematch_of=first)
    in_match = start("m1", match=best_of, match_number=1, rematch_of=second)
    start("m2", match=best_of, match_number=2)
    start("last", rematch_of=in_match)
    start("n1", match=other, match_number=1)
    start("n2", match=other, match_number=2)
    moda = club.objects.create(name="Moda", slug="moda", created_at=EVENING)
    evening = event.objects.create(
        club=moda, name="Cuma", held_on=EVENING.date(), ruleset="turkish-king", created_at=EVENING
    )
    laid = table.objects.create(round=round_.objects.create(event=evening, number=1), number=1)
    start("of club", table=laid)

    rows = migrated().objects.order_by("pk").values_list("players", "open_table", "number")

    found = {}
    for (name,), at, number in rows:
        found.setdefault(at, []).append((name, number))
    assert found.pop(None) == [("of club", None)]
    assert sorted(found.values()) == [
        [("alone", 1)],
        [("first", 1), ("second", 2), ("m1", 3), ("m2", 4), ("last", 5)],
        [("n1", 1), ("n2", 2)],
    ]
