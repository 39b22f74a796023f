"""The limits of numbers: a kind of game, and perhaps a season of the club."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from rest_framework.request import Request

from tournaments.api.filtering import UnknownFamily, read_limits
from tournaments.models import Club, Season
from tournaments.presenters.statistics.statistics import family_asked
from tournaments.queries.people.players import PlayerGame


def limited(
    request: Request, club: Club, games: Sequence[PlayerGame]
) -> tuple[dict[str, Any], list[PlayerGame]]:
    """Return the limits, the possible ones, and the games (at most 2 queries).

    Raises:
        ValidationError, UnknownSeason, UnknownFamily: the limits are none.
    """
    limits = read_limits(request, club)
    by_family = Counter(game.family for game in games)
    family = family_asked(by_family, limits.family)
    if limits.family not in ("", family):
        raise UnknownFamily
    own = [game for game in games if game.family == family]
    details = {
        "family": family,
        "season": limits.season,
        "families": [{"family": f, "games": n} for f, n in by_family.most_common()],
        "seasons": _seasons(own),
    }
    return details, [game for game in own if limits.season in (None, game.season)]


def _seasons(games: Sequence[PlayerGame]) -> list[dict[str, Any]]:
    counted = Counter(game.season for game in games if game.season is not None)
    rows = Season.objects.in_bulk(counted.keys())
    return [{"id": pk, "name": row.name, "games": counted[pk]} for pk, row in rows.items()]
