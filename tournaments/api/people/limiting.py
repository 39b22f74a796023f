"""The limits of a player's numbers: a kind of game, and perhaps a season."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from tournaments.models import Season
from tournaments.queries.people.players import PlayerGame

LIMITS = [
    OpenApiParameter(
        "family", str, description="A kind of game, as `turkish-king`; else the one played most."
    ),
    OpenApiParameter("season", int, description="The id of a season; else all the time."),
]


def limited(
    request: Request, games: Sequence[PlayerGame]
) -> tuple[dict[str, Any], list[PlayerGame]]:
    """Return the limits asked for, the possible ones, and the games (1 query).

    A kind or a season without games is as if it was not asked for, as on the page.
    """
    by_family = Counter(game.family for game in games)
    asked = request.query_params.get("family", "")
    most = max(by_family, key=by_family.__getitem__, default="")
    family = asked if asked in by_family else most
    own = [game for game in games if game.family == family]
    seasons = _seasons(own)
    wanted = request.query_params.get("season", "")
    season = next((row["id"] for row in seasons if str(row["id"]) == wanted), None)
    details = {
        "family": family,
        "season": season,
        "families": [{"family": f, "games": n} for f, n in by_family.most_common()],
        "seasons": seasons,
    }
    return details, [game for game in own if season in (None, game.season)]


def _seasons(games: Sequence[PlayerGame]) -> list[dict[str, Any]]:
    counted = Counter(game.season for game in games if game.season is not None)
    rows = Season.objects.filter(pk__in=list(counted))
    return [{"id": row.pk, "name": row.name, "games": counted[row.pk]} for row in rows]
