"""Games of which only the final totals are known, as from a sheet of paper."""

from collections.abc import Iterator
from operator import sub

from tournaments.engine.play.entry_checks import play
from tournaments.engine.play.games import Game
from tournaments.engine.rules.entries import IMPORTED, TOTALS, Adjustment, Entry, Stopped
from tournaments.engine.rules.problems import Code, Problem
from tournaments.engine.rules.ruleset_sums import sums_of
from tournaments.engine.rules.rulesets import PerSide, Ruleset
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
    whole = sums_of(ruleset).game
    if whole is not None and not whole[0] <= sum(totals) <= whole[1]:
        least, most, got = map(write_points, (*whole, sum(totals)))
        yield Problem(Code.BAD_SUM, "totals", {"least": least, "most": most, "got": got})
    if ruleset.target is not None and max(totals) < ruleset.target:
        yield Problem(Code.BELOW_TARGET, "totals", {"target": ruleset.target})


def entries_to(game: Game, totals: PerSide, reason: str) -> list[Entry]:
    """Return the entries that bring an unfinished game to `totals` and end it."""
    known = len(game.entries)
    for side, points in enumerate(map(sub, totals, game.totals)):
        if points:
            game = play(game, Adjustment(game.ruleset.sides.index(side), points, reason))
    # A game to a target ends when a side reaches it.
    return list((game if game.finished else play(game, Stopped("other"))).entries[known:])


def only_totals(game: Game, *reasons: str) -> bool:
    """Return whether no deal is known of a game, only totals that were entered for `reasons`."""
    given = [entry for entry in game.entries if isinstance(entry, Adjustment)]
    wanted = reasons or (IMPORTED, TOTALS)
    return not game.turns and any(entry.reason in wanted for entry in given)
