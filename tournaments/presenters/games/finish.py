"""The end of a game: the standings, and why it came about."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournaments.engine.play.games import Game, only_totals
from tournaments.engine.play.outcomes import Outcome
from tournaments.engine.rules.rulesets import Points
from tournaments.presenters.games.sheets import EarnedBadge, Members, ending_of, members_of
from tournaments.texts import labels


@dataclass(frozen=True, slots=True)
class FinalStanding:
    """A player (or pair) at the end of a game; `king` made the King that ended it."""

    name: str
    members: Members
    total: Points
    rank: int
    out: bool
    sunk: bool
    king: bool


def standings_of(game: Game, outcome: Outcome, players: Sequence[str]) -> tuple[FinalStanding, ...]:
    """Return the sides in order of rank."""
    names, members = game.ruleset.side_names(players), members_of(game.ruleset, players)
    king = None
    if game.ending is not None and game.ending.by == "king" and game.ending.seat is not None:
        king = game.ruleset.sides[game.ending.seat]
    order = sorted(range(len(game.totals)), key=lambda side: outcome.ranks[side])
    return tuple(
        FinalStanding(
            names[side],
            members[side],
            game.totals[side],
            outcome.ranks[side],
            out=side in outcome.out,
            sunk=side in outcome.sunk,
            king=side == king,
        )
        for side in order
    )


def occasion_of(game: Game, players: Sequence[str]) -> str:
    """Return the name of a game, and how it ended, how far it is, or how many deals it took."""
    name, deals = labels.name_of(game.ruleset), len(game.deals)
    ending = ending_of(game, players)
    if not ending:
        ending = ngettext("%(number)s deal", "%(number)s deals", deals) % {"number": deals}
    return f"{name} · {ending}"


def reason_of(game: Game, outcome: Outcome) -> str:
    """Return why an unusual result came about; empty for others."""
    if not (outcome.out or outcome.sunk) or only_totals(game):
        return ""
    if game.ending is not None and game.ending.seat is not None:
        return _("A King decides, whatever the scores say.")
    if not outcome.sunk:
        return _("The scores do not add up to zero here: everybody is above it.")
    return "" if outcome.out else _why_nobody(game)


def _why_nobody(game: Game) -> str:
    if game.ruleset.settings.get("out") == "mean":
        return _("All scores are level: nobody is above the mean.")
    if any(game.totals):
        return _("The scores do not add up to zero here: nobody is above it.")
    return _("All scores are level: nobody is above zero.")


def surprise_of(game: Game, outcome: Outcome, badges: Sequence[EarnedBadge]) -> str:
    """Return what else to say below the headline: the reason, or the badge of the whole game."""
    of_game = [each for each in badges if each.badge in game.ruleset.badges]
    return reason_of(game, outcome) or next((f"{b.name}: {b.meaning}" for b in of_game), "")
