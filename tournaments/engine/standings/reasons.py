"""Explain a place: the points of an entrant by round, and the decisions against neighbours.

Everything is a code with its parameters; pages provide the words.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType

from tournaments.engine.rules.rulesets import Points, whole
from tournaments.engine.standings.round_results import Competitor, RoundResults
from tournaments.engine.standings.standings import Standing, rank_tallies
from tournaments.engine.standings.tallies import BYE_AVERAGE, Counted, Tally, tally_rounds
from tournaments.engine.standings.tournament_settings import TournamentSettings

REASONS = (
    "total",
    "place",
    "shared-place",
    "out",
    "sunk",
    "best",
    "shared-best",
    "not-best",
    "difference",
    "bye-average",
    "bye-fixed",
    "missed",
    "forfeit",
    "absent",
    "unplayed",
    "adjusted",
    "penalty",
)
"""The possible reasons for the points of a round."""

DECISIONS = ("played", "points", "tie-break", "shared")
"""The possible decisions between two neighbours."""


@dataclass(frozen=True, slots=True)
class Reason:
    """The reason for the points of a round, as a code of `REASONS` with its parameters."""

    code: str
    params: Mapping[str, Points]


@dataclass(frozen=True, slots=True)
class RoundReasons:
    """The points of a round (None: nothing counts yet), with reasons and penalties.

    `points` exclude the penalties, which are among the reasons.
    """

    number: int
    points: Points | None
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class Decision:
    """The decision against a neighbour: a code of `DECISIONS`, and the two numbers.

    `tie_break` names the one that decided; if nothing did, the place is shared.
    """

    other: str
    code: str
    own: Points | None = None
    theirs: Points | None = None
    tie_break: str = ""


@dataclass(frozen=True, slots=True)
class Why:
    """The explanation of a row of the standings; `ahead` and `behind` are None at the ends."""

    standing: Standing
    rounds: tuple[RoundReasons, ...]
    ahead: Decision | None
    behind: Decision | None


def why_place(
    entrant: str,
    competitors: Iterable[Competitor],
    rounds: Sequence[RoundResults],
    settings: TournamentSettings,
    seed: int = 0,
) -> Why:
    """Return the explanation of an entrant's place after `rounds`.

    Raises:
        KeyError: if there is no such entrant with a place.
        ValueError: if a round names an unknown competitor.
    """
    tallies = tally_rounds(competitors, rounds, settings)
    tally = tallies[entrant]
    ranked = rank_tallies(tallies, settings, seed)
    rows = [row for row in ranked if row.section == tally.section]
    at = next(at for at, row in enumerate(rows) if row.entrant == entrant)
    return Why(
        standing=rows[at],
        rounds=tuple(
            RoundReasons(played.number, tally.by_round[n], tuple(_reasons(n, tally, settings)))
            for n, played in enumerate(rounds)
        ),
        ahead=_decide(rows[at], rows[at - 1], settings) if at else None,
        behind=_decide(rows[at], rows[at + 1], settings) if at + 1 < len(rows) else None,
    )


def _decide(row: Standing, other: Standing, settings: TournamentSettings) -> Decision:
    """The first difference between two neighbours decided their order."""
    if row.has_played != other.has_played:
        return Decision(other.entrant, "played")
    if row.points != other.points:
        return Decision(other.entrant, "points", row.points, other.points)
    for name, own, theirs in zip(
        settings.tie_breaks, row.tie_breaks, other.tie_breaks, strict=True
    ):
        if own != theirs:
            return Decision(other.entrant, "tie-break", own, theirs, name)
    return Decision(other.entrant, "shared")


def _reasons(at: int, tally: Tally, settings: TournamentSettings) -> Iterator[Reason]:
    """Yield the events of a round, in the order in which they count."""
    for game in tally.counted:
        if game.at == at:
            yield from _game_reasons(game, settings)
    if at in tally.byes:
        points = tally.bye_at(at)
        is_full = points == tally.bye
        yield _bye_reason(tally, settings) if is_full else Reason("missed", {"points": points})
    elif tally.first is not None and at < tally.first and tally.by_round[at] is not None:
        yield Reason("missed", {"points": tally.by_round[at] or 0})
    if at in tally.adjusted:
        yield Reason("adjusted", {"points": tally.adjusted[at].points})
    for fined_at, ruling in tally.penalized:
        if fined_at == at:
            yield Reason("penalty", {"points": ruling.points})


def _bye_reason(tally: Tally, settings: TournamentSettings) -> Reason:
    if settings.bye == BYE_AVERAGE:
        return Reason("bye-average", {"points": tally.bye, "rounds": len(tally.games)})
    return Reason("bye-fixed", {"points": tally.bye})


def _game_reasons(game: Counted, settings: TournamentSettings) -> Iterator[Reason]:
    if game.ruling is not None:
        yield Reason(game.ruling.kind, {"points": game.ruling.points})
    yield METHOD_REASONS[settings.points](game)
    levels = settings.tie_break_version > 1 and "total-points" in settings.tie_breaks
    if levels and game.table.unplayed:
        yield Reason("unplayed", {"points": game.table.unplayed})


def _total(game: Counted) -> Reason:
    return Reason("total", {"points": game.worth})


def _place(game: Counted) -> Reason:
    """The place and the number of sides; for a shared place, the number that share it."""
    ranks = game.table.ranks
    place = ranks[game.side]
    params: dict[str, Points] = {"points": game.worth, "place": place, "of": len(ranks)}
    sharing = ranks.count(place)
    if sharing == 1:
        return Reason("place", params)
    return Reason("shared-place", {**params, "last": place + sharing - 1, "sharing": sharing})


def _out(game: Counted) -> Reason:
    table, points = game.table, game.worth
    if table.out:
        return Reason("out" if game.side in table.out else "sunk", {"points": points})
    if table.ranks[game.side] != 1:
        return Reason("not-best", {"points": points})
    sharing = table.ranks.count(1)
    code = "best" if sharing == 1 else "shared-best"
    return Reason(code, {"points": points, "sharing": sharing})


def _difference(game: Counted) -> Reason:
    total = game.table.totals[game.side]
    others = len(game.table.totals) - 1
    mean = whole(Fraction(sum(game.table.totals) - total, others))
    return Reason("difference", {"points": game.worth, "own": total, "others": mean})


METHOD_REASONS: Mapping[str, Callable[[Counted], Reason]] = MappingProxyType(
    {"game": _total, "places": _place, "out": _out, "pair-difference": _difference}
)
"""The reason for the worth of a game, by the method of points."""
