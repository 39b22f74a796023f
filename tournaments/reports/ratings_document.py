"""A club's rating history as a `kingscore-ratings/1` document."""

from collections import defaultdict
from itertools import chain
from typing import Any

from tournaments.engine.documents.games import digest_of_document
from tournaments.engine.documents.verify import PROGRAM, RATINGS_FORMAT
from tournaments.engine.rules.entries import write_points
from tournaments.models import Club, Game, Player, PlayerRating, RatingChange, RatingPool
from tournaments.services.base.writes import one_moment
from tournaments.services.ratings.games import Played, RoundToRate, person_of, played_rounds

Json = dict[str, Any]


def ratings_document(club: Club) -> Json:
    """Return the document; ratings that are due should be computed before."""
    with one_moment():
        writer = _Writer(club)
        document: Json = {
            "format": RATINGS_FORMAT,
            "club": {"slug": club.slug, "name": club.name},
            "program": dict(PROGRAM),
            "pools": writer.pools(),
            "players": writer.players(),
        }
    return document | {"digest": digest_of_document(document)}


class _Writer:
    def __init__(self, club: Club) -> None:
        self.club = club
        self.ids: dict[str, str] = {}
        games = Game.objects.filter(table__round__event__club=club).exclude(digest="")
        self.digests = dict(games.values_list("pk", "digest"))
        self.games: dict[str, list[tuple[RoundToRate, Played]]] = defaultdict(list)
        for round_ in chain.from_iterable(played_rounds(club.pk, None)):
            for game in round_.games:
                self.games[game.family].append((round_, game))

    def pools(self) -> list[Json]:
        rows = RatingPool.objects.filter(club=self.club).order_by("family")
        return [self._pool(row) for row in rows]

    def players(self) -> list[Json]:
        """Return the people with ratings; those removed have no name."""
        names = dict(
            Player.objects.filter(club=self.club, removed_at=None).values_list("pk", "name")
        )
        return [
            {"id": own, "name": names.get(int(person.removeprefix("p")))}
            for person, own in self.ids.items()
        ]

    def _id(self, person: str) -> str:
        return self.ids.setdefault(person, f"p{len(self.ids) + 1}")

    def _pool(self, row: RatingPool) -> Json:
        changes: dict[tuple[int, int], RatingChange] = {
            (change.game_id, change.seat): change
            for change in RatingChange.objects.filter(rating__pool=row).order_by().iterator()
        }
        games = [self._game(round_, game, changes) for round_, game in self.games[row.family]]
        ratings = PlayerRating.objects.filter(pool=row).order_by("pk")
        return {
            "family": row.family,
            "constants": {
                "version": row.version,
                "fitted_at": row.fitted_at.isoformat() if row.fitted_at else None,
                "start": row.start,
                "luck": row.luck,
            },
            "games": games,
            "ratings": [
                {
                    "player": self._id(each.person),
                    "games": each.games,
                    "last_at": each.last_at.isoformat(),
                    "rating": [each.mean, each.variance],
                    "provisional": each.provisional,
                }
                for each in ratings
            ],
        }

    def _seat(self, person: str, change: RatingChange) -> Json:
        return {
            "player": self._id(person),
            "before": [change.mean_before, change.variance_before],
            "after": [change.mean, change.variance],
        }

    def _game(
        self, round_: RoundToRate, game: Played, changes: dict[tuple[int, int], RatingChange]
    ) -> Json:
        seats: list[Json | None] = []
        for seat, person in enumerate(game.people):
            change = changes.get((game.pk, seat)) if person else None
            seats.append(None if change is None else self._seat(person_of(person), change))
        digest = self.digests.get(game.pk)
        return {
            **({"digest": digest} if digest else {}),
            "at": round_.at.isoformat(),
            "ruleset": game.spread,
            "sides": list(game.sides),
            "totals": list(map(write_points, game.totals)),
            "ranks": list(game.ranks),
            "seats": seats,
        }
