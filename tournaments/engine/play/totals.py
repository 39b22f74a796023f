"""Games of which only the final totals are known, as from a sheet of paper."""

from collections.abc import Iterator
from fractions import Fraction

from tournaments.engine.play.games import Game
from tournaments.engine.rules.entries import IMPORTED, TOTALS, Adjustment, Totals
from tournaments.engine.rules.problems import Code, Problem
from tournaments.engine.rules.ruleset_sums import sums_of
from tournaments.engine.rules.rulesets import PerSide, Points, Ruleset, whole
from tournaments.engine.rules.shapes import write_points


def check_totals(ruleset: Ruleset, totals: PerSide, *, early: bool = False) -> Iterator[Problem]:
    """Yield the reasons why a game cannot have ended with `totals`, one per side.

    With `early`, a King or the table ended it before its last deal, so the sum is unknown.
    """
    if len(totals) != ruleset.side_count:
        params = {"expected": ruleset.side_count, "got": len(totals)}
        yield Problem(Code.WRONG_SEATS, "totals", params)
        return
    if early:
        return
    ends = sums_of(ruleset).game
    if ends is not None and not ends[0] <= sum(totals) <= ends[1]:
        least, most, got = map(write_points, (*ends, sum(totals)))
        yield Problem(Code.BAD_SUM, "totals", {"least": least, "most": most, "got": got})
    if ruleset.target is not None and max(totals) < ruleset.target:
        yield Problem(Code.BELOW_TARGET, "totals", {"target": ruleset.target})


def only_totals(game: Game, *, rated: bool = False) -> bool:
    """Return whether no deal is known of a game, only its totals.

    With `rated`, totals that were imported do not count.
    """
    if game.turns:
        return False
    # Adjustments in records from before totals were an entry.
    reasons = (TOTALS,) if rated else (TOTALS, IMPORTED)
    return any(
        not (rated and entry.imported)
        if isinstance(entry, Totals)
        else isinstance(entry, Adjustment) and entry.reason in reasons
        for entry in game.entries
    )


def share_of_unplayed(game: Game) -> Points:
    """Return what each side of a stopped game lacks until its sum is that of a whole game.

    It is 0 for a game that was not stopped, and for rules whose whole games have any sum. If they
    have one of several, the nearest is taken. Points that a director gave count in no sum.
    """
    # Totals are of a whole game, or were stopped; some were corrected before that was checked.
    by_totals = any(isinstance(entry, Totals) for entry in game.entries)
    if game.ending is None or (game.ending.by != "stopped" and not by_totals):
        return 0
    of_whole = sums_of(game.ruleset).game
    if of_whole is None:
        return 0
    # Adjustments in records from before totals were an entry.
    totals = () if game.turns else (TOTALS, IMPORTED)
    played = sum(
        sum(row.points)
        for row in game.rows
        if not isinstance(entry := game.entries[row.entry], Adjustment) or entry.reason in totals
    )
    due = min(max(played, of_whole[0]), of_whole[1])
    return whole(Fraction(due - played, game.ruleset.side_count))
