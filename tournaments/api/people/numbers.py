"""The address of what the games of a player add up to."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.filtering import LimitsSerializer
from tournaments.api.people.finding import PlayerResource
from tournaments.api.people.limiting import limited
from tournaments.api.people.numbers_serializers import PlayerNumbersSerializer
from tournaments.models import Game, PlayerRating
from tournaments.presenters.people.players import (
    badges_of,
    favourite_of,
    rating_row,
    rows_of,
    rulesets_of,
)
from tournaments.queries.people.players import (
    PlayerGame,
    PlayerSums,
    add_up,
    games_of,
    rank_of,
    ratings_of,
)
from tournaments.queries.ratings.ratings import rating_at, shown

Json = dict[str, Any]


class PlayerNumbers(PlayerResource):
    @extend_schema(responses=PlayerNumbersSerializer, parameters=[LimitsSerializer])
    def get(self, request: Request, slug: str, public_id: str) -> Response:
        """The statistics of a player in one kind of game."""
        row = self.player_of(slug, public_id)
        details, games = limited(request, row.club, games_of(row, request.user))
        sums = add_up(games)
        rows = rows_of([sums.best, sums.worst])
        numbers = {
            **{name: getattr(sums, name) for name in COUNTED},
            "limited_to": details,
            "rating": _rating(ratings_of(row), details["family"], timezone.now()),
            "ranks": _ranks(sums),
            "contracts": _contracts(sums, games),
            "badges": _badges(sums),
            "best": _extreme(sums.best, rows),
            "worst": _extreme(sums.worst, rows),
        }
        return self.shown(PlayerNumbersSerializer, numbers)


COUNTED = ("games", "points", "won", "out", "sunk", "kings")


def _rating(rows: Sequence[PlayerRating], family: str, at: datetime) -> Json | None:
    """The rating of today in the club and on the whole server (2 queries)."""
    own = rating_row(rows, family)
    if own is None:
        return None
    everywhere = [r for r in rows if r.pool.club_id is None and r.pool.family == family]
    rank, ranked = rank_of(own, at) or (None, 0)
    return {
        **asdict(shown(rating_at(own, at))),
        "games": own.games,
        "rank": rank,
        "ranked": ranked,
        "on_server": shown(rating_at(everywhere[-1], at)) if everywhere else None,
    }


def _ranks(sums: PlayerSums) -> list[Json]:
    counted = sorted(sums.places.items())
    return [{"sides": s, "rank": rank, "games": n} for (s, rank), n in counted]


def _contracts(sums: PlayerSums, games: Sequence[PlayerGame]) -> list[Json]:
    """In the order of the rulesets that were played."""
    rulesets = rulesets_of(games)
    favourite = favourite_of(sums, rulesets.values())
    order = list(dict.fromkeys(name for rules in rulesets.values() for name in rules.by_id))
    known = [name for name in order if name in sums.contracts]
    names = [*known, *(name for name in sums.contracts if name not in known)]
    return [
        {**asdict(sums.contracts[name]), "contract": name, "favourite": name == favourite}
        for name in names
    ]


def _badges(sums: PlayerSums) -> list[Json]:
    details = zip(sums.badges.most_common(), badges_of(sums), strict=True)
    return [{"badge": badge, **asdict(row)} for (badge, _number), row in details]


def _extreme(game: PlayerGame | None, rows: Mapping[int, Game]) -> Json | None:
    if game is None:
        return None
    details = {"rank": game.place, "points": game.points}
    return {"id": rows[game.pk].public_id, "played_at": game.at, **details}
