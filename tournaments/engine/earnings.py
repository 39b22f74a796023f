"""What each seat earned in each contract of a game, as who declared it and otherwise."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tournaments.engine.badges import Badge
from tournaments.engine.entry_records import write_points
from tournaments.engine.games import Game, PlayedDeal
from tournaments.engine.rulesets import Points


@dataclass(frozen=True, slots=True)
class Earned:
    """Deals of one contract that a seat declared, and those that it did not, with its points.

    The points are those of its side.
    """

    declared: int = 0
    declared_points: Points = 0
    others: int = 0
    others_points: Points = 0

    def with_deal(self, points: Points, *, declared: bool) -> "Earned":
        """This with one deal more."""
        if declared:
            total = self.declared_points + points
            return replace(self, declared=self.declared + 1, declared_points=total)
        total = self.others_points + points
        return replace(self, others=self.others + 1, others_points=total)


def earned(game: Game) -> dict[str, list[Earned]]:
    """What each seat earned, in seat order, by the contracts that were played.

    A deal that nobody declared, and one that was not to be chosen, counts as somebody else's.
    """
    moved = {row.entry: row.points for row in game.rows}
    played: dict[str, list[Earned]] = {}
    for number, deal in enumerate(game.deals):
        seats = played.setdefault(deal.contract.id, [Earned()] * game.ruleset.seats)
        chose = who_chose(game, number)
        points = moved[deal.entry]
        for seat, side in enumerate(game.ruleset.sides):
            seats[seat] = seats[seat].with_deal(points[side], declared=seat == chose)
    return played


def who_declared(played: PlayedDeal) -> int | None:
    """The seat that declared or made trump; None where there was only a leader."""
    maker: int | None = played.deal.details.get("maker")
    declared = played.contract.declared and played.contract.named
    return played.declarer if declared else maker


def who_chose(game: Game, number: int) -> int | None:
    """As `who_declared` of the deal `number`, from 0; None where it had to be this contract."""
    played = game.deals[number]
    stage = game.ruleset.plan[number] if number < len(game.ruleset.plan) else ()
    fixed = len(stage) == 1 and not played.contract.trumps
    return None if fixed else who_declared(played)


def write_earned(game: Game) -> dict[str, list[list[int | str]]]:
    """`earned` as JSON: by contract, for each seat, declared deals, points, others, points."""
    return {
        contract: [
            [
                seat.declared,
                write_points(seat.declared_points),
                seat.others,
                write_points(seat.others_points),
            ]
            for seat in seats
        ]
        for contract, seats in earned(game).items()
    }


def write_badges(badges: Sequence[Badge], sides: int) -> dict[str, list[int]]:
    """How often each side earned each badge, as JSON: those that somebody earned."""
    found = Counter((badge.badge, badge.seat) for badge in badges)
    names = dict.fromkeys(badge.badge for badge in badges)
    return {name: [found[name, side] for side in range(sides)] for name in names}
