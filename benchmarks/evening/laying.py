"""The evening before its first deal: a club, its director, and a table for every four players."""

import json
from collections.abc import Sequence
from typing import Any

from django.urls import reverse
from django.utils import timezone

from tournaments.models import Game, User
from tournaments.queries.sheets import load_sheets
from tournaments.services.audit import Actor
from tournaments.services.clubs.membership import create_club
from tournaments.services.events.events import EventPlan, create_event
from tournaments.services.games.playing import GameSetup
from tournaments.services.games.tables import Laying, add_table

RULESET = "turkish-king"


def lay_evening(tables: int) -> list[dict[str, Any]]:
    """Each game with its addresses, to write and to follow; by the services, as a director does."""
    at = timezone.now()
    director = Actor(User.objects.create(username=f"director-{at.timestamp()}"))
    club = create_club("Büyük Akşam", director, at=at)
    event = create_event(
        club, EventPlan("Cuma", at.date(), RULESET, published=True), director, at=at
    )
    place = event.rounds.get()
    for number in range(tables):
        names = [f"Oyuncu {4 * number + seat}" for seat in range(4)]
        add_table(place.pk, Laying(GameSetup(RULESET, ()), names), director, at=at)
    return [told(game) for game in Game.objects.filter(table__round=place).order_by("pk")]


def told(game: Game) -> dict[str, Any]:
    """The addresses and keys for the phones of a table."""
    kinds = ("write", "follow")
    paths = {kind: reverse(kind, args=[game.public_id, game.secret(kind)]) for kind in kinds}
    return {"game": game.public_id, **paths}


def print_evening(tables: int) -> None:
    """For the process that plays it."""
    print(json.dumps(lay_evening(tables)))


def print_sheets(games: Sequence[str]) -> None:
    """Return the stored entries of games by public id, for the comparing process."""
    print(
        json.dumps(
            {
                sheet.row.public_id: {
                    "revision": sheet.row.revision,
                    "writes": [
                        [write.revision, write.key, write.body] for write in sheet.revisions
                    ],
                    "totals": list(sheet.game.totals),
                    "result": sheet.row.result,
                }
                for sheet in load_sheets(Game.objects.filter(public_id__in=games))
            }
        )
    )
