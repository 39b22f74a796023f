"""Standings of tournaments and seasons, the reasons for a place, finals, and prizes."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import groupby
from types import MappingProxyType
from typing import Any

from tournaments.engine.play.outcomes import rank
from tournaments.engine.rules.rulesets import Code, InvalidEntry, Points, Problem, whole
from tournaments.engine.standings.results import (
    BYE_AVERAGE,
    TIE_BREAKS,
    Book,
    Competitor,
    Counted,
    RoundResults,
    Tally,
    encounters,
    tally_rounds,
)
from tournaments.engine.standings.tournament_settings import TournamentSettings

Value = Points | None
Decided = dict[str, dict[str, Value]]


@dataclass(frozen=True, slots=True)
class Standing:
    """A row of the standings.

    `by_round` holds the points of each round (None: nothing yet). `points` is their sum less
    `penalties`. `tie_breaks` are in the order of the settings, the larger the better; None if a
    tie-break does not apply or was not needed. A place is `shared` if nothing decides. It is the
    place within the `section`.
    """

    entrant: str
    place: int
    points: Points
    by_round: tuple[Value, ...]
    tie_breaks: tuple[Value, ...]
    shared: bool
    penalties: Points = 0
    section: str = ""

    @property
    def has_played(self) -> bool:
        """Whether any round has a result, even one of 0 points."""
        return any(points is not None for points in self.by_round)


def rank_entrants(
    competitors: Iterable[Competitor],
    rounds: Sequence[RoundResults],
    settings: TournamentSettings,
    seed: int = 0,
) -> tuple[Standing, ...]:
    """Return the standings after `rounds`, by section and place; house players have no row.

    More points rank first; entrants who have not played rank behind all others. Then the tie-breaks
    of the settings decide, one after the other. Full equals share a place (1, 2, 2, 4), in the
    order of their numbers. `seed` is for random draws. For the standings after an earlier round,
    pass fewer rounds.

    Raises: ValueError: if a round names an unknown competitor.
    """
    return rank_tallies(tally_rounds(competitors, rounds, settings), settings, seed)


def rank_tallies(
    tallies: Mapping[str, Tally], settings: TournamentSettings, seed: int = 0
) -> tuple[Standing, ...]:
    book = Book(tallies, settings, seed)
    everybody = sorted(tallies.values(), key=lambda tally: (tally.number, tally.id))
    # Tie-breaks among equals are computed when they are needed.
    decided: Decided = {
        name: {} if TIE_BREAKS[name].among_equals else _ask(name, everybody, book)
        for name in settings.tie_breaks
    }
    rows: list[Standing] = []
    for section in sorted({tally.section for tally in everybody}):
        here = (tally for tally in everybody if tally.section == section)
        groups = _equals(here, lambda tally: (tally.has_played, tally.points))
        rows += _rows(groups, settings.tie_breaks, decided, book)
    return tuple(rows)


def _ask(name: str, tied: Sequence[Tally], book: Book) -> dict[str, Value]:
    values = TIE_BREAKS[name].values(tied, book)
    return {tally.id: value for tally, value in zip(tied, values, strict=True)}


def _equals(
    tallies: Iterable[Tally], key: Callable[[Tally], tuple[bool, Points]]
) -> Iterator[list[Tally]]:
    """Group tallies with the same key, the largest first."""
    groups: dict[tuple[bool, Points], list[Tally]] = {}
    for tally in tallies:
        groups.setdefault(key(tally), []).append(tally)
    for value in sorted(groups, reverse=True):
        yield groups[value]


def _rows(
    groups: Iterable[list[Tally]], names: tuple[str, ...], decided: Decided, book: Book
) -> Iterator[Standing]:
    place = 1
    for group in groups:
        for tied in _break(group, names, decided, book):
            for tally in tied:
                yield Standing(
                    entrant=tally.id,
                    place=place,
                    points=tally.points,
                    by_round=tally.by_round,
                    tie_breaks=tuple(values.get(tally.id) for values in decided.values()),
                    shared=len(tied) > 1,
                    penalties=tally.penalties,
                    section=tally.section,
                )
            place += len(tied)


def _break(
    tied: list[Tally], names: tuple[str, ...], decided: Decided, book: Book
) -> Iterator[list[Tally]]:
    """The groups that `names` cannot divide any further, in order."""
    if not names or len(tied) == 1:
        yield tied
        return
    name, *later = names
    if TIE_BREAKS[name].among_equals:
        decided[name].update(_ask(name, tied, book))
    values = decided[name]
    # None comes last.
    for group in _equals(tied, lambda t: (values[t.id] is not None, values[t.id] or 0)):
        yield from _break(group, tuple(later), decided, book)


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
    "excused",
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

    `tie_break` names the one that decided; if nothing did, the place is shared. `rounds` are what
    each of the two has of it from each round, by its number; None for who had no game there.
    """

    other: str
    code: str
    own: Points | None = None
    theirs: Points | None = None
    tie_break: str = ""
    rounds: tuple[tuple[int, Value, Value], ...] = ()


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
    book = Book(tallies, settings, seed)

    def decided(other: Standing) -> Decision:
        decision = _decide(rows[at], other, settings)
        if not decision.tie_break:
            return decision
        pair = [tallies[entrant], tallies[decision.other]]
        before = settings.tie_breaks.index(decision.tie_break)
        ties = [(row, (row.points, *row.tie_breaks[:before])) for row in rows]
        level = [tallies[row.entrant] for row, values in ties if values == ties[at][1]]
        by_round = _by_round(decision.tie_break, pair, level, book)
        return replace(decision, rounds=tuple((rounds[n].number, *by) for n, by in by_round))

    return Why(
        standing=rows[at],
        rounds=tuple(
            RoundReasons(played.number, tally.by_round[n], tuple(_reasons(n, tally, settings)))
            for n, played in enumerate(rounds)
        ),
        ahead=decided(rows[at - 1]) if at else None,
        behind=decided(rows[at + 1]) if at + 1 < len(rows) else None,
    )


def _decide(row: Standing, other: Standing, settings: TournamentSettings) -> Decision:
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


def _by_round(
    name: str, pair: Sequence[Tally], tied: Sequence[Tally], book: Book
) -> list[tuple[int, tuple[Value, Value]]]:
    """Return what each of two has of a tie-break from each round, by the round's place."""
    values: dict[str, dict[int, Value]] = {tally.id: {} for tally in pair}
    if name == "head-to-head":
        for tally, met in zip(tied, encounters(tied), strict=True):
            for at, _other, ahead in met if tally in pair else ():
                values[tally.id][at] = (values[tally.id].get(at) or 0) + ahead
    elif name != "lot":
        parts = [
            (at, one)
            for tally in pair
            for at in range(tally.rounds)
            if (one := tally.only(at)).counted or one.penalized
        ]
        of_parts = TIE_BREAKS[name].values([one for _at, one in parts], book)
        for (at, one), value in zip(parts, of_parts, strict=True):
            values[one.id][at] = value
    own, theirs = values.values()
    return [(at, (own.get(at), theirs.get(at))) for at in sorted({*own, *theirs})]


def _reasons(at: int, tally: Tally, settings: TournamentSettings) -> Iterator[Reason]:
    for game in tally.counted:
        if game.at == at:
            if game.ruling is not None:
                yield Reason(game.ruling.kind, {"points": game.ruling.points})
            yield METHOD_REASONS[settings.points](game)
            levels = settings.tie_break_version > 1 and "total-points" in settings.tie_breaks
            if levels and game.table.unplayed:
                yield Reason("unplayed", {"points": game.table.unplayed})
    if at in tally.byes:
        yield from _bye_reasons(at, tally, settings)
    elif tally.first is not None and at < tally.first and tally.by_round[at] is not None:
        yield Reason("missed", {"points": tally.by_round[at] or 0})
    if at in tally.adjusted:
        yield Reason("adjusted", {"points": tally.adjusted[at].points})
    for fined_at, ruling in tally.penalized:
        if fined_at == at:
            yield Reason("penalty", {"points": ruling.points})


def _bye_reasons(at: int, tally: Tally, settings: TournamentSettings) -> Iterator[Reason]:
    points = tally.bye_at(at)
    if at in tally.excused:
        yield Reason("excused", {})
    if points != tally.bye:
        yield Reason("missed", {"points": points})
    elif settings.bye == BYE_AVERAGE:
        yield Reason("bye-average", {"points": tally.bye, "rounds": len(tally.games)})
    else:
        yield Reason("bye-fixed", {"points": tally.bye})


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
    {
        "game": lambda game: Reason("total", {"points": game.worth}),
        "places": _place,
        "out": _out,
        "pair-difference": _difference,
    }
)
"""The reason for the worth of a game, by the method of points."""


STAGES = ("final", "semi-final", "quarter-final", "round-of-16")
"""The names of the stages, the last one first."""


@dataclass(frozen=True, slots=True)
class FinalStage:
    """A round of the finals by its name; ids in seat order for each table, the best one first."""

    name: str
    tables: tuple[tuple[str, ...], ...]


def stages(cut: int, table_size: int = 4) -> tuple[str, ...]:
    """Return the names of the stages in the order of play; empty without a cut."""
    return STAGES[: len(_fields(cut, table_size))][::-1]


def next_stage(
    standings: Sequence[Standing],
    competitors: Iterable[Competitor],
    played: Sequence[RoundResults],
    settings: TournamentSettings,
    table_size: int = 4,
) -> FinalStage | None:
    """Return the tables of the next stage; None after the last one, or without finals.

    `standings` are those at the cut. `played` are the finals so far, with their tables in seating
    order. The best of each table advance: by the ranks of the game, or by what the round is worth
    if a ruling concerns the table, with a forfeit behind everything. The standings at the cut
    decide between equals. If an entrant has withdrawn, the next one steps in.

    Raises:
        InvalidEntry: if too few entrants are left to play on.
        ValueError: if the last stage is not finished.
    """
    names = stages(settings.finals, table_size)
    if len(played) >= len(names):
        return None
    if played and not _is_finished(played[-1]):
        raise ValueError("The stage before is not finished.")
    competitors = tuple(competitors)
    size = _fields(settings.finals, table_size)[len(played)]
    gone = {competitor.id for competitor in competitors if competitor.withdrawn}
    tables: list[tuple[str, ...]] = []
    for rows in _sections(standings) or [[]]:
        if not played:
            tables += _seed(_first([row.entrant for row in rows], size, gone), table_size)
            continue
        orders = _table_orders(rows, competitors, _within(played[-1], rows), settings)
        through = size // max(1, len(orders))
        best = [entrant for order in orders for entrant in _first(order, through, gone)]
        seeds = _seeds(rows)
        tables += [
            tuple(sorted(best[at : at + table_size], key=seeds.__getitem__))
            for at in range(0, len(best), table_size)
        ]
    return FinalStage(names[len(played)], tuple(tables))


def rank_with_finals(
    competitors: Iterable[Competitor],
    rounds: Sequence[RoundResults],
    finals: Sequence[RoundResults],
    settings: TournamentSettings,
    seed: int = 0,
) -> tuple[Standing, ...]:
    """Return the standings with the games after the cut, stage by stage.

    Entrants who reached a later stage rank before all others; the rest keep their order at the cut.
    Within a stage, points decide: all of them if they are carried, else those since the cut, which
    `points` then shows. Then the rank at the last table decides, then the standings at the cut. At
    tables of two, only the last game decides. Entrants who played on never share a place.
    """
    competitors = tuple(competitors)
    at_cut = rank_entrants(competitors, rounds, settings, seed)
    if not finals:
        return at_cut
    # Round results name everybody, so they are counted once for all sections.
    counted = [*rounds, *finals]
    after = {row.entrant: row for row in rank_entrants(competitors, counted, settings, seed)}
    points = {name: row.points for name, row in after.items()}
    if not settings.carry:
        points = {row.entrant: row.points for row in rank_entrants(competitors, finals, settings)}
    table_size = max((len(table.entrants) for table in finals[0].tables), default=4)
    fields = _fields(settings.finals, table_size)
    ranked: list[Standing] = []
    for rows in _sections(at_cut):
        order: list[str] = []
        played = [_within(stage, rows) for stage in finals]
        for reached in _by_stage(rows, competitors, played, settings, fields):
            if table_size != 2:
                # Sorting keeps the order of equals: that of their tables.
                reached.sort(key=points.__getitem__, reverse=True)
            order += [name for name in reached if name not in order]
        ranked += [
            replace(after[name], place=place, points=points[name], shared=False)
            for place, name in enumerate(order, start=1)
        ]
        ranked += _the_rest(rows, order, len(finals))
    return tuple(ranked)


def _sections(standings: Sequence[Standing]) -> list[list[Standing]]:
    return [list(rows) for _section, rows in groupby(standings, lambda row: row.section)]


def _within(played: RoundResults, standings: Sequence[Standing]) -> RoundResults:
    names = {row.entrant for row in standings}
    return replace(played, tables=tuple(t for t in played.tables if names & {*t.entrants}))


def _fields(cut: int, table_size: int) -> list[int]:
    fields = [cut] if cut else []
    while fields and fields[-1] > table_size:
        fields.append(table_size if table_size > 2 else fields[-1] // 2)
    return fields


def _seeds(standings: Sequence[Standing]) -> dict[str, int]:
    return {row.entrant: seed for seed, row in enumerate(standings)}


def _first(order: Iterable[str], count: int, gone: set[str]) -> list[str]:
    there = [name for name in order if name not in gone]
    if len(there) < count:
        params = {"expected": count, "got": len(there)}
        raise InvalidEntry([Problem(Code.TOO_FEW_ENTRANTS, "finals", params)])
    return there[:count]


def _seed(best: Sequence[str], table_size: int) -> tuple[tuple[str, ...], ...]:
    """The first tables: a snake at fours (1-4-5-8, 2-3-6-7), at twos 1-8, 4-5, 2-7, 3-6."""
    if table_size == 2:
        bracket = [0]
        while len(bracket) < len(best):
            last = 2 * len(bracket) - 1
            bracket = [seed for upper in bracket for seed in (upper, last - upper)]
        return tuple(
            (best[one], best[other]) for one, other in zip(*[iter(bracket)] * 2, strict=True)
        )
    tables: list[list[str]] = [[] for _ in range(len(best) // table_size)]
    for row in range(table_size):
        names = best[row * len(tables) : (row + 1) * len(tables)]
        for table, name in zip(tables, names if row % 2 == 0 else names[::-1], strict=True):
            table.append(name)
    return tuple(map(tuple, tables))


def _is_finished(played: RoundResults) -> bool:
    return all(table.finished for table in played.tables)


def _table_orders(
    standings: Sequence[Standing],
    competitors: Iterable[Competitor],
    played: RoundResults,
    settings: TournamentSettings,
) -> list[dict[str, int]]:
    """The entrants of each table, the best first; equals share a rank, and seeds order them."""
    tallies, seeds = tally_rounds(competitors, [played], settings), _seeds(standings)
    orders = []
    for table in played.tables:
        here = [tallies[name] for name in table.entrants if name in seeds]
        ruled = any(tally.adjusted or tally.penalized for tally in here)
        keys: dict[str, tuple[bool, Points, int]] = {}
        for tally in here:
            (game,) = tally.counted
            worth = -tally.points if ruled else 0
            keys[tally.id] = not game.was_played, worth, game.table.ranks[game.side]
        order = sorted(keys, key=lambda name: (keys[name], seeds[name]))
        orders.append({name: 1 + sum(key < keys[name] for key in keys.values()) for name in order})
    return orders


def _by_stage(
    standings: Sequence[Standing],
    competitors: Iterable[Competitor],
    finals: Sequence[RoundResults],
    settings: TournamentSettings,
    fields: Sequence[int],
) -> Iterator[list[str]]:
    """The entrants of each stage, the last stage first, and the best of each table first.

    If another stage follows a finished last one, those who are to play it come first.
    """
    seeds = _seeds(standings)
    for played in reversed(finals):
        if not _is_finished(played):
            there = [name for table in played.tables for name in table.entrants if name in seeds]
            yield sorted(there, key=seeds.__getitem__)
            continue
        orders = _table_orders(standings, competitors, played, settings)
        if played is finals[-1] and len(finals) < len(fields):
            gone = {competitor.id for competitor in competitors if competitor.withdrawn}
            through = fields[len(finals)] // max(1, len(orders))
            best = [
                dict([(name, rank) for name, rank in order.items() if name not in gone][:through])
                for order in orders
            ]
            yield _across(best, seeds)
        yield _across(orders, seeds)


def _across(orders: Iterable[Mapping[str, int]], seeds: dict[str, int]) -> list[str]:
    """The entrants of several tables by their ranks there; seeds order those of equal rank."""
    ranks = {name: rank for order in orders for name, rank in order.items()}
    return sorted(ranks, key=lambda name: (ranks[name], seeds[name]))


def _the_rest(
    at_cut: Sequence[Standing], played_on: Sequence[str], finals: int
) -> Iterator[Standing]:
    rest = [row for row in at_cut if row.entrant not in played_on]
    equals = Counter(row.place for row in rest)
    place = len(played_on) + 1
    for at, row in enumerate(rest):
        if at and rest[at - 1].place != row.place:
            place = len(played_on) + at + 1
        yield replace(
            row,
            place=place,
            shared=equals[row.place] > 1,
            by_round=row.by_round + (None,) * finals,
        )


def share_prizes(
    prizes: Sequence[str], pot: Fraction, standings: Sequence[Standing]
) -> Mapping[str, Fraction]:
    """Return what each entrant with a prize gets, in whole hundredths; `pot` is all fees together.

    Those who share a place share the prizes of the places that they fill. Hundredths left over by
    rounding go to the first prize, and those of a shared sum to the first by number.
    """
    worth = [_worth(prize, pot) * 100 for prize in prizes]
    cents = [int(prize) for prize in worth]
    if cents:
        cents[0] += int(sum(worth)) - sum(cents)
    given: dict[str, Fraction] = {}
    first = 0
    played = [row for row in standings if row.has_played]
    for _place, rows in groupby(played, key=lambda row: row.place):
        tied = [row.entrant for row in rows]
        share, over = divmod(sum(cents[first : first + len(tied)]), len(tied))
        first += len(tied)
        given |= {name: Fraction(share, 100) for name in tied}
        given[tied[0]] += Fraction(over, 100)
    return {name: amount for name, amount in given.items() if amount}


def _worth(prize: str, pot: Fraction) -> Fraction:
    if prize.endswith("%"):
        return pot * Fraction(prize[:-1]) / 100
    return Fraction(prize)


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
    best_round = {
        team: max((points for points in rounds if points is not None), default=0)
        for team, rounds in made.items()
    }
    worths = {
        team: (sums[team], won[team], best_round[team]) if by_rounds else (sums[team],)
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
    played = ([points for points in round_ if points is not None] for round_ in rounds)
    return tuple(whole(sum(points)) if points else None for points in played)


def _rounds_won(points: Made, others: Collection[Made]) -> int:
    rounds = zip(points, zip(*others, strict=True), strict=True)
    return sum(
        own is not None and all(other is None or own >= other for other in made)
        for own, made in rounds
    )


def league(
    evenings: Sequence[Mapping[str, Points]], best: int | None = None
) -> tuple[SeasonStanding, ...]:
    """Return the season after `evenings`: for each, the points of those who were there.

    For each player all evenings count, or the `best` so many; among equal ones the earlier. Between
    players with the same sum, those with the better best evening come first, then those with the
    better second, and so on; then with the better last evening, also one that does not count (as in
    the Racing Rules of Sailing, A8). Who is still equal shares a place, in the order of ids.
    """
    players = {player for evening in evenings for player in evening}
    counted: dict[str, tuple[int, ...]] = {}
    worths: dict[str, Any] = {}
    for player in players:
        there = [at for at, evening in enumerate(evenings) if player in evening]
        # Sorting keeps the order of equals: the earlier one counts.
        there.sort(key=lambda at: evenings[at][player], reverse=True)
        counted[player] = tuple(sorted(there[:best]))
        adds = [evenings[at][player] for at in there[:best]]
        latest = [(player in each, each.get(player, 0)) for each in reversed(evenings)]
        worths[player] = (whole(sum(adds)), adds, latest)
    return tuple(
        SeasonStanding(
            player=player,
            place=place,
            points=worths[player][0],
            by_evening=tuple(evening.get(player) for evening in evenings),
            counted=counted[player],
            shared=shared,
        )
        for player, place, shared in _places(worths)
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


def _places(worths: Mapping[str, Any]) -> list[tuple[str, int, bool]]:
    """Name, place and whether it is shared, in order of place; more is better."""
    names = sorted(sorted(worths), key=worths.__getitem__, reverse=True)
    places = rank([worths[name] for name in names])
    return [
        (name, place, places.count(place) > 1) for name, place in zip(names, places, strict=True)
    ]
