"""Games that count for ratings, round by round in rating order."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction
from functools import lru_cache
from json import loads
from typing import Any, NamedTuple

from django.db.models import BigIntegerField, F, Func, Q, TextField
from django.db.models.functions import Cast, Coalesce

from tournaments.engine.documents.ruleset_records import read_ruleset
from tournaments.engine.ratings.ratings import Spread, half_places, scores_of
from tournaments.engine.rules.rulesets import InvalidEntry, Points, Ruleset
from tournaments.engine.variants import RULESETS
from tournaments.models import Entrant, Game, Round, Seat, Sitting, Tournament
from tournaments.models.events import moment_of_play

ROUNDS_AT_ONCE = 50
"""Rounds read, rated and written in a batch: some thousand games in memory."""

FAMILIES = frozenset(rules.family for rules in RULESETS.values())
"""The families of games known to all clubs of a server."""


@dataclass(slots=True)
class Played:
    """A game to rate; `spread` is the scale its points are compared with.

    `scores` are those of its points. With `half`, half of what counts is the place.
    """

    pk: int
    table: int
    family: str
    spread: str
    sides: tuple[int, ...]
    totals: list[Points]
    ranks: list[int]
    scores: list[float]
    # By seat; 0 for guests and house players. A person is a player, or below 0 an account.
    people: list[int]
    players: list[int]
    half: bool = False

    def counted(self, spread: Spread) -> list[float]:
        """Return the scores that count, after games with this spread."""
        if not self.half:
            return self.scores
        return half_places(self.scores, self.ranks, spread.width)[0]


@dataclass(slots=True)
class RoundToRate:
    """A closed round with its games, ordered by table and match number; `at` is its `played_at`."""

    pk: int
    event: int
    at: datetime
    games: list[Played] = field(default_factory=list)


def played_rounds(
    club: int | None, since: datetime | None, until: datetime | None = None
) -> Iterator[list[RoundToRate]]:
    """Yield batches of rounds that count for a club, or the server, from a moment on.

    Those played at `until` or later are left out. The server's ratings count only games of common
    families, not those made up by a club.
    """
    # A rating that moves would tell a hidden result: such a round counts once it is shown.
    counted = Round.objects.closed().exclude(pk__in=Round.objects.hiding_results())
    counted = counted.filter(
        Q(event__tournament__isnull=False) | Q(event__club__rates_evenings=True),
        event__tournament__cancelled_at=None,
        **({"event__club__in_server_ratings": True} if club is None else {"event__club": club}),
    )
    if since is not None:
        counted = counted.played_since(since)
    counted = counted.in_order_of_play()
    if until is not None:
        counted = counted.played_before(until)
    # Whoever writes between two batches may leave no query open: on SQLite it would hold an old
    # snapshot, which cannot become a write.
    rows: Any = counted.values_list("pk", "event_id", "event__held_on", "number")
    rounds = [RoundToRate(pk, event, moment_of_play(day, n)) for pk, event, day, n in rows]
    for first in range(0, len(rounds), ROUNDS_AT_ONCE):
        batch = rounds[first : first + ROUNDS_AT_ONCE]
        _read_games(batch, FAMILIES if club is None else None)
        _seat(batch, of_server=club is None)
        for round_ in batch:
            # A player whose opponents are all guests is not rated.
            round_.games = [g for g in round_.games if len(g.people) - g.people.count(0) > 1]
        yield [round_ for round_ in batch if round_.games]


class _Points(Func):
    """Select only points and places of a result: reading all of it takes ten times as long."""

    function = "JSON_EXTRACT"
    template = "%(function)s(%(expressions)s, '$.totals', '$.ranks')"
    output_field = TextField()

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        template = "jsonb_build_array(%(expressions)s->'totals', %(expressions)s->'ranks')::text"
        return self.as_sql(compiler, connection, template=template, **context)


class _Row(NamedTuple):
    """A finished game as read; `text` is the document of house rules."""

    round: int
    number: int
    match_number: int | None
    pk: int
    table: int
    points: str
    ruleset: str
    text: str | None


def _read_games(batch: Sequence[RoundToRate], families: frozenset[str] | None) -> None:
    rounds = {round_.pk: round_ for round_ in batch}
    games = Game.objects.filter(table__round__in=list(rounds), result__isnull=False)
    # Stopped before its first deal: points given by a director say nothing about strength, but
    # totals from a sheet of paper do.
    games = games.exclude(result__contracts={}, result__by_totals__isnull=True)
    texts = games.annotate(points=_Points("result"), text=Cast("document", TextField()))
    found: Any = texts.values_list(
        *("table__round_id", "table__number", "match_number", "pk", "table_id"),
        *("points", "ruleset", "text"),
    )
    rows = [_Row(*row) for row in found]
    # Sorted here: databases disagree on whether a missing match number comes first or last.
    rows.sort(key=lambda row: (row.number, row.match_number or 0, row.pk))
    by_places = Tournament.objects.filter(
        event__in={round_.event for round_ in batch},
        settings__points="places",
        settings__rated_by="half-places",
    )
    halves = set(by_places.values_list("event_id", flat=True))
    points = loads(f"[{','.join([row.points for row in rows])}]")
    for row, (totals, ranks) in zip(rows, points, strict=True):
        game = _played(row, totals, ranks)
        if game is not None and (families is None or game.family in families):
            game.half = rounds[row.round].event in halves
            rounds[row.round].games.append(game)


def _played(row: _Row, result: list[int | str], ranks: list[int]) -> Played | None:
    """Convert a row to a game to rate; None if it says nothing, or its rules are invalid."""
    rules = RULESETS.get(row.ruleset) if row.text is None else _house_rules(row.text)
    totals: list[Points] = [
        points if isinstance(points, int) else Fraction(points) for points in result
    ]
    if rules is None or not any(totals) or len(totals) != rules.side_count:
        return None
    # House rules may share a name with built-in rules but differ in points.
    spread = row.ruleset if row.text is None else f"house {row.ruleset}"
    scores, sides = scores_of(totals, ranks), rules.sides
    people, players = [0] * len(sides), [0] * len(sides)
    family = rules.family
    return Played(row.pk, row.table, family, spread, sides, totals, ranks, scores, people, players)


@lru_cache(maxsize=256)
def _house_rules(text: str) -> Ruleset | None:
    try:
        return read_ruleset(loads(text), stored=True)
    except InvalidEntry:
        # The result is from an older version or another site; the other games are still rated.
        return None


def _seat(batch: Sequence[RoundToRate], *, of_server: bool) -> None:
    games = {game.pk: game for round_ in batch for game in round_.games}
    houses = _houses(batch)
    player = F("player_id")
    account = Coalesce(F("player__account_id") * -1, player, output_field=BigIntegerField())
    person = account if of_server else player
    seats = Seat.objects.filter(game__table__round__in=[round_.pk for round_ in batch]).order_by()
    for pk, number, of_club, of_all in seats.values_list("game_id", "number", player, person):
        found = games.get(pk)
        if found is None or number >= len(found.sides):
            continue
        if houses and (found.table, of_club) in houses:
            continue
        found.people[number], found.players[number] = of_all, of_club


def person_of(number: int) -> str:
    """Return a person of a `Played` as ratings store them."""
    return f"a{-number}" if number < 0 else f"p{number}"


def _houses(batch: Sequence[RoundToRate]) -> set[tuple[int, int]]:
    house = Entrant.objects.filter(
        house=True, tournament__event__in={round_.event for round_ in batch}
    )
    pairs = {pk: pair for pk, *pair in house.values_list("pk", "player_id", "partner_id")}
    if not pairs:
        return set()
    sittings = Sitting.objects.filter(entrant__in=pairs, round__in=[round_.pk for round_ in batch])
    rows = sittings.exclude(table=None).values_list("table_id", "entrant_id")
    return {(table, player) for table, entrant in rows for player in pairs[entrant]}
