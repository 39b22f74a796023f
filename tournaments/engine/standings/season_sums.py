"""Sums of points over several entrants or evenings: teams, and leagues over a season."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tournaments.engine.play.outcomes import rank
from tournaments.engine.rules.rulesets import Points, whole
from tournaments.engine.standings.round_results import Competitor
from tournaments.engine.standings.standings import Standing


@dataclass(frozen=True, slots=True)
class TeamStanding:
    """A team with its members in the order of their places; only `counted` members add points.

    `by_round` are the sums of what they made in each round (None: nobody played), without
    penalties. `rounds_won` is the number of rounds in which no team made more.
    """

    team: str
    place: int
    points: Points
    members: tuple[str, ...]
    counted: tuple[str, ...]
    shared: bool
    by_round: tuple[Points | None, ...]
    rounds_won: int


@dataclass(frozen=True, slots=True)
class SeasonStanding:
    """A player over a season.

    `by_evening` holds the points of each evening (None: not there). `counted` are the evenings in
    the sum, by their places from 0, in order.
    """

    player: str
    place: int
    points: Points
    by_evening: tuple[Points | None, ...]
    counted: tuple[int, ...]
    shared: bool


def team_standings(
    standings: Sequence[Standing],
    competitors: Iterable[Competitor],
    best: int | None = None,
    *,
    by_rounds: bool = False,
) -> tuple[TeamStanding, ...]:
    """Return the teams by the sum of their members' points, or of the `best` so many.

    With `by_rounds`, teams with the same sum are in the order of the rounds they won, then of their
    best rounds. Equal teams share a place, in the order of their names. Entrants without a team do
    not count.
    """
    teams = {competitor.id: competitor.team for competitor in competitors}
    members: dict[str, list[Standing]] = {}
    for standing in standings:
        if teams[standing.entrant]:
            members.setdefault(teams[standing.entrant], []).append(standing)
    # The best of a team come first, because the standings are in order.
    sums = {
        team: whole(sum(standing.points for standing in rows[:best]))
        for team, rows in members.items()
    }
    made = {team: _round_sums(rows[:best]) for team, rows in members.items()}
    won = {team: _rounds_won(points, made.values()) for team, points in made.items()}
    worths = {
        team: (sums[team], won[team], _best_of(made[team])) if by_rounds else (sums[team],)
        for team in members
    }
    return tuple(
        TeamStanding(
            team=team,
            place=place,
            points=sums[team],
            members=tuple(standing.entrant for standing in members[team]),
            counted=tuple(standing.entrant for standing in members[team][:best]),
            shared=shared,
            by_round=made[team],
            rounds_won=won[team],
        )
        for team, place, shared in _places(worths)
    )


Made = tuple[Points | None, ...]


def _round_sums(rows: Sequence[Standing]) -> Made:
    """Return what the members of a team made together in each round; None if nobody played."""
    rounds = zip(*(standing.by_round for standing in rows), strict=True)
    played = ([points for points in each if points is not None] for each in rounds)
    return tuple(whole(sum(points)) if points else None for points in played)


def _rounds_won(points: Made, others: Collection[Made]) -> int:
    rounds = zip(points, zip(*others, strict=True), strict=True)
    return sum(
        own is not None and all(other is None or own >= other for other in made)
        for own, made in rounds
    )


def _best_of(points: Made) -> Points:
    return max((each for each in points if each is not None), default=0)


def league(
    evenings: Sequence[Mapping[str, Points]], best: int | None = None
) -> tuple[SeasonStanding, ...]:
    """Return the season after `evenings`: for each, the points of those who were there.

    For each player all evenings count, or the `best` so many; among equal ones the earlier. Players
    with the same sum share a place, in the order of their ids.
    """
    players = {player for evening in evenings for player in evening}
    counted = {player: _best_evenings(evenings, player, best) for player in players}
    sums = {
        player: whole(sum(evenings[at][player] for at in counted[player])) for player in players
    }
    return tuple(
        SeasonStanding(
            player=player,
            place=place,
            points=sums[player],
            by_evening=tuple(evening.get(player) for evening in evenings),
            counted=counted[player],
            shared=shared,
        )
        for player, place, shared in _places(sums)
    )


def evening_points(standings: Sequence[Standing]) -> dict[str, Points]:
    """Return what places of an evening are worth: 1 for coming, and 1 for each behind.

    Those who share places share their points. Each section counts for itself.
    """
    played = [row for row in standings if row.has_played]
    sizes = Counter(row.section for row in played)
    sharing = Counter((row.section, row.place) for row in played)
    return {
        row.entrant: whole(
            sizes[row.section] - row.place + 1 - Fraction(sharing[row.section, row.place] - 1, 2)
        )
        for row in played
    }


def _best_evenings(
    evenings: Sequence[Mapping[str, Points]], player: str, best: int | None
) -> tuple[int, ...]:
    there = [at for at, evening in enumerate(evenings) if player in evening]
    # Sorting keeps the order of equals: the earlier one counts.
    there.sort(key=lambda at: evenings[at][player], reverse=True)
    return tuple(sorted(there[:best]))


def _places(worths: Mapping[str, Any]) -> list[tuple[str, int, bool]]:
    """Name, place and whether it is shared, in order of place; more is better."""
    names = sorted(sorted(worths), key=worths.__getitem__, reverse=True)
    places = rank([worths[name] for name in names])
    return [
        (name, place, places.count(place) > 1) for name, place in zip(names, places, strict=True)
    ]
