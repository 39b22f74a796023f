"""The table as drawn: where each player or side sits, and what it still has to declare."""

from collections.abc import Iterator, Mapping, Sequence

from django.utils.translation import pgettext

from tournaments import words
from tournaments.engine.games import Game
from tournaments.engine.rulesets import Ruleset
from tournaments.ruleset_json import declared_by
from tournaments.web.deals.fields import Tile

PLACES = {
    4: ("bottom", "right", "top", "left"),
    3: ("bottom", "right", "left"),
    2: ("bottom", "top"),
}
"""Where the seats are in counter-clockwise order of play, beginning with the phone."""

Left = tuple[tuple[str, str, int], ...]


def place_of(ruleset: Ruleset, turn: int) -> str:
    """The side of the drawing at which the `turn`-th seat after the phone's holder sits."""
    return _place(ruleset.seats, turn, clockwise=ruleset.clockwise)


def seat_tiles(game: Game, players: Sequence[str], holder: int) -> Iterator[Tile]:
    """The players as they sit, the phone's holder first, then in order of play."""
    ruleset = game.ruleset
    for turn in range(ruleset.seats):
        seat = (holder + turn) % ruleset.seats
        yield Tile(
            seat=seat,
            side=ruleset.sides[seat],
            seats=(seat,),
            name=players[seat],
            place=place_of(ruleset, turn),
            total=game.totals[ruleset.sides[seat]],
            declares=seat == game.declarer,
            left=left_of(game, seat),
        )


def side_tiles(
    game: Game, players: Sequence[str], holder: int, unit: str, typed: Mapping[str, str]
) -> Iterator[Tile]:
    """The sides with the numbers of a unit, that of the phone's holder first."""
    ruleset = game.ruleset
    order = [ruleset.sides[(holder + turn) % ruleset.seats] for turn in range(ruleset.seats)]
    names = ruleset.side_names(players)
    for turn, side in enumerate(dict.fromkeys(order)):
        field = f"count-{unit}-{side}"
        seats = tuple(seat for seat, its in enumerate(ruleset.sides) if its == side)
        yield Tile(
            seat=seats[0],
            side=side,
            seats=seats,
            name=names[side],
            place=_place(ruleset.side_count, turn, clockwise=ruleset.clockwise),
            total=game.totals[side],
            declares=game.declarer in seats,
            left=(),
            field=field,
            value=typed.get(field, ""),
        )


def left_of(game: Game, seat: int) -> Left:
    """What a seat, with its partner, still has to declare: kind, name and number.

    Where each contract has a number of its own, one number says how many there are.
    """
    each = sum(contract.quota_each or 0 for contract in game.ruleset.contracts)
    if each:
        number = each - sum(declared_by(game, seat).values())
        return (("", pgettext("contracts to declare", "left"), number),)
    left = game.left_to_declare(seat).items()
    return tuple((kind, words.kind_name(kind), number) for kind, number in left)


def _place(number: int, turn: int, *, clockwise: bool) -> str:
    places = PLACES[number]
    return places[-turn % number if clockwise else turn]
