"""The most probable game of a sheet of paper, from what each of its cells may say.

A program that reads handwriting is sure of few cells. The rules correct it: the numbers of a row
add up to the units of its contract, and quotas, stages and turns say where a contract can stand.
`can_be_read` names the rulesets that correct enough, `most_probable` answers row by row.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial, reduce
from math import comb, exp, prod
from operator import attrgetter
from typing import NamedTuple

from tournaments.engine.play.games import Game, PlayedDeal, check
from tournaments.engine.rules.entries import Deal
from tournaments.engine.rules.fields import KING_FIELDS, fields_of
from tournaments.engine.rules.rulesets import Contract, Points, Ruleset

SURE = 0.97
"""The least probability that needs no confirmation by a person."""

FLOOR = 2e-4
"""The least probability of anything, so that one confident misreading cannot outweigh a sum."""

WRONG_SUM = 0.01
"""How often the writer of a row is wrong by one."""

MOST_STATES = 120
"""How many ways to have used the quotas are followed from row to row."""

LEAST = -1e9
"""The logarithm of a probability of 0."""

ON_NO_SHEET = {*KING_FIELDS["declared"], "tricks_played", "rifki_holder", "sealed", "salt"}
"""Fields that a sheet of paper does not have, and that change no points of a row."""


class ReadRow(NamedTuple):
    """A row as it was read: the natural logarithms of probabilities.

    `contracts` has those of contracts by id; it is empty if the sheet names none. `counts` has
    those of the numbers from 0 to `largest_count` for each side.
    """

    contracts: Mapping[str, float]
    counts: Sequence[Sequence[float]]


class MostProbable(NamedTuple):
    """The most probable deal of a row, and how probable its contract and each number are.

    If the `sum_is_wrong`, the writer probably erred, and the counts are those read.
    """

    contract: str
    contract_probability: float
    counts: tuple[int, ...]
    probabilities: tuple[float, ...]
    sum_is_wrong: bool

    @property
    def is_doubtful(self) -> bool:
        """Whether a person has to look at some part of the row."""
        return self.sum_is_wrong or min(self.contract_probability, *self.probabilities) < SURE


def can_be_read(ruleset: Ruleset) -> bool:
    """Return whether rows of a contract and one number per side say all that a sheet needs.

    The numbers of each contract have a sum, but for cards left, which are always doubtful. Nothing
    else may change the points of a row, as a sale does, and the turn tells who declares.
    """
    return ruleset.declares == "turn" and all(
        contract.named
        and len(contract.values) == 1
        and (
            "cards_left" in contract.values
            or (
                total_of(ruleset, contract) and ON_NO_SHEET.issuperset(fields_of(ruleset, contract))
            )
        )
        for contract in ruleset.contracts
    )


def total_of(ruleset: Ruleset, contract: Contract) -> int | None:
    """Return what the numbers of a row add up to; None if that is not fixed."""
    [unit] = contract.values
    return ruleset.units[unit].total


def largest_count(ruleset: Ruleset) -> int:
    """Return the largest number of which a cell gives the probability."""
    return max(total_of(ruleset, contract) or 0 for contract in ruleset.contracts)


def deal_of(ruleset: Ruleset, row: MostProbable) -> Deal:
    [unit] = ruleset.by_id[row.contract].values
    return Deal(row.contract, counts={unit: row.counts})


def most_probable(ruleset: Ruleset, rows: Sequence[ReadRow]) -> tuple[MostProbable, ...]:
    """Return the most probable deal of each row, given all the others, whoever declares first.

    The game may be over or not: leave out the rows after the last that is written. An empty row
    before it is a row like any other, and comes out doubtful. So does a row that cannot come after
    those above it, as on a sheet with void deals, after a King, or with too many rows; and whatever
    differs from a reading that was sure. A King follows from the numbers where they show it.
    """
    game = Game(ruleset)
    read = [_Row(ruleset, row) for row in rows]
    answers = []
    for row, contract, posterior in zip(read, *_choose_contracts(game, read), strict=True):
        answer = row.answer(contract, posterior)
        deal = deal_of(ruleset, answer)
        if any(check(game, deal)):
            answer = answer._replace(probabilities=(0.0,) * len(answer.counts))
            game = _after(game, contract)
        else:
            game = game.after(deal)
        answers.append(answer)
    return tuple(answers)


def contradicted_totals(
    ruleset: Ruleset,
    rows: Sequence[MostProbable],
    totals: Sequence[Points | None],
) -> tuple[int, ...]:
    """Return the sides whose total at the foot of the sheet differs from that of its rows.

    None is a total that cannot be read. Nothing is compared if a row without a sum is impossible.
    """
    game = Game(ruleset)
    for row in rows:
        deal = deal_of(ruleset, row)
        if total_of(ruleset, ruleset.by_id[row.contract]) is None and any(check(game, deal)):
            return ()
        game = game.after(deal)
    return tuple(
        side for side, total in enumerate(totals) if total not in (None, game.totals[side])
    )


def _likely(logarithms: Sequence[float]) -> list[float]:
    """Return probabilities that add up to 1, none far under the floor."""
    highest = max(logarithms)
    shares = [exp(one - highest) for one in logarithms]
    whole = sum(shares)
    return [(share / whole + FLOOR) / (1 + FLOOR * len(shares)) for share in shares]


def _unless_overruled(probability: float, read: Sequence[float], chosen: int) -> float:
    """Return the probability of a choice, which is doubtful if another was read for sure."""
    surest = max(read)
    return min(probability, 1 - surest) if read[chosen] < surest >= SURE else probability


class _Fit(NamedTuple):
    """How a row fits a sum: how probable it is, and that its writer erred.

    `others` has for each side how probable each sum of all other sides is, `right` the right sum.
    """

    score: float
    erred: float = 0
    others: Sequence[Sequence[float]] = ()
    right: float = 1


class _Row:
    """A row as read, and how it fits each contract."""

    def __init__(self, ruleset: Ruleset, row: ReadRow) -> None:
        self.contracts = ruleset.contracts
        self.totals = {c.id: total_of(ruleset, c) for c in self.contracts}
        self.ticks = _likely([row.contracts.get(c.id, LEAST) for c in self.contracts])
        self.cells = [_likely(cell) for cell in row.counts]
        fits = {total: self._fit(total) for total in {*self.totals.values()}}
        self.fits = {id_: fits[total] for id_, total in self.totals.items()}
        self.scores = [
            tick * self.fits[c.id].score for c, tick in zip(self.contracts, self.ticks, strict=True)
        ]

    def _fit(self, total: int | None) -> _Fit:
        cells, sides = self.cells, len(self.cells)
        if total is None:
            return _Fit(prod(1 / len(cell) for cell in cells))
        add = partial(_add, most=total + 1)
        others = [reduce(add, cells[:side] + cells[side + 1 :], [1.0]) for side in range(sides)]
        sums = add(others[0], cells[0])
        # A sum with more ways to share it is no more probable.
        each = [one / comb(number + sides - 1, sides - 1) for number, one in enumerate(sums)]
        right = (1 - WRONG_SUM) * each[total]
        wrong = WRONG_SUM * (each[total - 1] + each[total + 1]) / 2
        return _Fit(right + wrong, wrong / (right + wrong), others, sums[total])

    def answer(self, contract: Contract, posterior: Mapping[str, float]) -> MostProbable:
        """Return the row with its most probable counts for a contract."""
        total = self.totals[contract.id]
        sum_is_wrong = total is not None and self.fits[contract.id].erred > 1 / 2
        if total is None or sum_is_wrong:
            counts = tuple(cell.index(max(cell)) for cell in self.cells)
        else:
            counts = _most_probable_counts(self.cells, total)
        probabilities = []
        for side, (cell, count) in enumerate(zip(self.cells, counts, strict=True)):
            probability = 0.0
            for id_, share in posterior.items():
                fit, whole = self.fits[id_], self.totals[id_]
                if whole is not None and count <= whole:
                    marginal = cell[count] * fit.others[side][whole - count] / fit.right
                    probability += share * marginal * (1 - fit.erred)
            probabilities.append(_unless_overruled(probability, cell, count))
        chosen = self.contracts.index(contract)
        named = _unless_overruled(posterior[contract.id], self.ticks, chosen)
        return MostProbable(contract.id, named, counts, tuple(probabilities), sum_is_wrong)


def _add(one: Sequence[float], other: Sequence[float], most: int) -> list[float]:
    """Return how probable each sum of two numbers is, up to the most."""
    sums = [0.0] * (most + 1)
    for number, probability in enumerate(one):
        for more, another in enumerate(other[: most + 1 - number]):
            sums[number + more] += probability * another
    return sums


def _most_probable_counts(cells: Sequence[Sequence[float]], total: int) -> tuple[int, ...]:
    best: dict[int, tuple[float, tuple[int, ...]]] = {0: (1.0, ())}
    for cell in cells:
        longer: dict[int, tuple[float, tuple[int, ...]]] = {}
        for number, (probability, counts) in best.items():
            for more, one in enumerate(cell[: total - number + 1]):
                found = probability * one, (*counts, more)
                longer[number + more] = max(longer.get(number + more, found), found)
        best = longer
    return best[total][1]


class _State:
    """The games before a row that have used the same of the quotas; `game` is one of them.

    `weight` is how probable the rows above are with it, `later` those below. Its most probable
    game has the contracts `way`, and the probability `best`.
    """

    def __init__(self, game: Game, used: tuple[str, ...] = ()) -> None:
        self.game, self.used = game, used
        self.weight = self.best = self.later = 0.0
        self.way: tuple[Contract, ...] = ()
        self.steps: list[tuple[Contract, float, _State]] = []


def _after(game: Game, contract: Contract) -> Game:
    """Return the game after a deal of which only the contract counts."""
    deal = PlayedDeal(0, contract, game.declarer, Deal(contract.id), None)
    return game._replace(deals=(*game.deals, deal))


def _choose_contracts(
    start: Game, rows: Sequence[_Row]
) -> tuple[Sequence[Contract], Sequence[Mapping[str, float]]]:
    """Return the most probable contracts that can follow each other, and how probable all are.

    A hidden Markov model: forward and backward for the probabilities, Viterbi for the contracts.
    """
    first = _State(start)
    first.weight = first.best = 1.0
    layers = [[first]]
    for row in rows:
        layer = _next_layer(layers[-1], row, legal=True)
        layer = layer or _next_layer(layers[-1], row, legal=False)
        layer = sorted(layer, key=attrgetter("weight"), reverse=True)[:MOST_STATES]
        whole, best = sum(s.weight for s in layer), max(s.best for s in layer)
        for state in layer:
            state.weight, state.best = state.weight / whole, state.best / best
        layers.append(layer)
    posteriors: list[Mapping[str, float]] = []
    for state in layers[-1]:
        state.later = 1.0
    for layer in layers[-2::-1]:
        posterior: defaultdict[str, float] = defaultdict(float)
        for state in layer:
            for contract, score, following in state.steps:
                state.later += score * following.later
                posterior[contract.id] += state.weight * score * following.later
        whole, highest = sum(posterior.values()), max(state.later for state in layer)
        posteriors.insert(0, {id_: share / whole for id_, share in posterior.items()})
        for state in layer:
            state.later /= highest
    return max(layers[-1], key=attrgetter("best")).way, posteriors


def _next_layer(layer: Sequence[_State], row: _Row, *, legal: bool) -> list[_State]:
    """Return the states after a row of a legal contract, or of any."""
    following: dict[tuple[str, ...], _State] = {}
    for state in layer:
        game, seat = state.game, state.game.declarer
        side, quotas = game.ruleset.sides[seat], game.ruleset.side_quotas
        for contract, score in zip(row.contracts, row.scores, strict=True):
            if legal and game.check_choice(contract, seat):
                continue
            of_game = [contract.id] * (contract.quota is not None)
            of_side = [contract.id] * (contract.quota_each is not None)
            of_side += [contract.kind] * (contract.kind in quotas)
            used = tuple(sorted([*state.used, *of_game, *(f"{name} {side}" for name in of_side)]))
            if used not in following:
                following[used] = _State(_after(game, contract), used)
            after = following[used]
            after.weight += state.weight * score
            if state.best * score > after.best:
                after.best, after.way = state.best * score, (*state.way, contract)
            state.steps.append((contract, score, after))
    return list(following.values())
