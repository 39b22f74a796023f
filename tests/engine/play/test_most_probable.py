"""Sheets of paper are read by the rules of their game."""

import random
from contextlib import suppress
from dataclasses import replace
from functools import reduce
from itertools import product
from math import exp, inf, log
from operator import getitem

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.deals import WHOLE_GAME
from tournaments.engine.play.games import Game, check, play
from tournaments.engine.play.most_probable import (
    SURE,
    ReadRow,
    can_be_read,
    contradicted_totals,
    largest_count,
    most_probable,
    total_of,
)
from tournaments.engine.rules.entries import Deal
from tournaments.engine.rules.rulesets import InvalidEntry
from tournaments.engine.variants import RULESETS

# A game of 20 deals is read in a tenth of a second.
few = settings(max_examples=settings().max_examples // 2)

READABLE = {id_: rules for id_, rules in RULESETS.items() if can_be_read(rules)}
CHANCE = st.integers(0, 2**32).map(random.Random)


@st.composite
def games(draw):
    """A game to any of its deals, by any ruleset that can be read or house rules like it."""
    chance = draw(CHANCE)
    ruleset = vary(chance, READABLE[draw(st.sampled_from(sorted(READABLE)))])
    game = Game(ruleset, chance.randrange(ruleset.seats))
    length = chance.randint(1, ruleset.length)
    while len(game.deals) < length and game.ending is None and game.legal_contracts():
        deal = draw_deal(chance, ruleset, chance.choice(game.legal_contracts()))
        if not any(check(game, deal)):
            game = play(game, deal)
    return game


def vary(chance, ruleset):
    options = {o.setting: chance.choice(o.values) for o in ruleset.options if o.values}
    chosen = chance.sample(sorted(options), chance.randint(0, len(options)))
    house = ruleset.with_options({name: options[name] for name in chosen})
    if chance.random() < 0.5:
        each = [replace(c, quota_each=chance.choice((None, 2, 3))) for c in house.contracts]
        house = replace(house, in_a_row=chance.choice((1, 2, 5)), contracts=tuple(each))
    return house if can_be_read(house) else ruleset


def draw_deal(chance, ruleset, contract):
    """A deal as a sheet can have it: no more than 13 cards left, mostly no King."""
    [unit] = contract.values
    sides, total = range(ruleset.side_count), total_of(ruleset, contract)
    if total is None:
        counts = [chance.randint(2, 13) for _ in sides]
        closer = chance.choice(sides)
        counts[closer] = 0
        closed_by = {"closed_by": closer} if "closed_by" in contract.fields else {}
        return Deal(contract.id, None, {unit: tuple(counts)}, closed_by)
    takers = [chance.choice(sides) for _ in range(chance.choice((1, 2, 13, 13, 13)))]
    taken = [chance.choice(takers) for _ in range(total)]
    return Deal(contract.id, counts={unit: tuple(map(taken.count, sides))})


def sheet_of(game):
    """The contract and counts of each row, which can be changed."""
    return [(p.contract.id, [*next(iter(p.deal.counts.values()))]) for p in game.deals]


def certain(ruleset, sheet):
    classes = range(largest_count(ruleset) + 1)
    return [
        ReadRow({name: 0.0}, [[0.0 if n == count else -inf for n in classes] for count in counts])
        for name, counts in sheet
    ]


def read(game, rows):
    answers = most_probable(game.ruleset, rows)
    return [(answer.contract, [*answer.counts]) for answer in answers], answers


def has_sum(ruleset, answer):
    return total_of(ruleset, ruleset.by_id[answer.contract]) is not None


@few
@given(games())
def test_a_legal_game_is_read_as_it_stands(game):
    sheet, answers = read(game, certain(game.ruleset, sheet_of(game)))
    assert sheet == sheet_of(game)
    assert [a.is_doubtful for a in answers] == [not has_sum(game.ruleset, a) for a in answers]


@few
@given(games(), CHANCE)
def test_the_sum_of_a_row_gives_back_a_number_that_nobody_can_read(game, chance):
    rows = certain(game.ruleset, sheet_of(game))
    for row, played in zip(rows, game.deals, strict=True):
        if total_of(game.ruleset, played.contract) is not None:
            unknown = chance.randrange(len(row.counts))
            row.counts[unknown] = [0.0] * len(row.counts[unknown])
    sheet, _ = read(game, rows)
    assert sheet == sheet_of(game)


def is_legal(game, sheet):
    """Whether the deals of a sheet can be played; no sheet says who went out."""
    replayed = Game(game.ruleset, game.first_declarer)
    for name, counts in sheet:
        contract = game.ruleset.by_id[name]
        [unit] = contract.values
        closed_by = (
            {"closed_by": counts.index(min(counts))} if "closed_by" in contract.fields else {}
        )
        deal = Deal(name, counts={unit: tuple(counts)}, details=closed_by)
        if any(check(replayed, deal)):
            return False
        replayed = replayed.after(deal)
    return True


def another_count(chance, game, sheet):
    _, counts = chance.choice(sheet)
    counts[chance.randrange(len(counts))] = chance.randint(0, largest_count(game.ruleset))


def another_contract(chance, game, sheet):
    at = chance.randrange(len(sheet))
    sheet[at] = (chance.choice(game.ruleset.contracts).id, sheet[at][1])


def another_order(chance, _game, sheet):
    chance.shuffle(sheet)


def more_rows(chance, _game, sheet):
    sheet += [(name, [*counts]) for name, counts in chance.choices(sheet, k=chance.randint(1, 9))]


SPOIL = st.sampled_from([another_count, another_contract, another_order, more_rows])


@few
@given(games(), CHANCE, st.lists(SPOIL, min_size=1, max_size=3))
def test_an_illegal_sheet_never_passes_without_a_mark(game, chance, spoilt_by):
    sheet = sheet_of(game)
    for spoil in spoilt_by:
        spoil(chance, game, sheet)
    assume(not is_legal(game, sheet))
    _, answers = read(game, certain(game.ruleset, sheet))
    assert any(answer.is_doubtful for answer in answers if has_sum(game.ruleset, answer))


def test_only_rulesets_whose_rows_say_everything_can_be_read():
    assert list(READABLE) == [
        "turkish-king",
        "turkish-king-internet",
        "turkish-king-bloody",
        "turkish-king-blind",
        "turkish-king-sealed",
        "honeymoon-king",
        "rifki",
        "king-three",
        "king-five",
        "italian-king",
        "italian-king-choice",
        "italian-king-pairs",
        "portuguese-king",
        "russian-king-three",
    ]
    assert not can_be_read(RULESETS["italian-king"].with_options({"sale": True}))


ROWS = [(deal["contract"], *deal["counts"].values()) for deal in WHOLE_GAME]
TURKISH = Game(RULESETS["turkish-king"])

MIDDLE = {
    "no-hearts": {"hearts": (7, 6)},
    "no-queens": {"queens": (2, 2)},
    "trump": {"tricks": (7, 6)},
}


def certain_rows():
    return certain(TURKISH.ruleset, ROWS)


@pytest.mark.parametrize("row", [0, 6, 19])
def test_quotas_of_all_deals_give_back_a_contract_that_nobody_can_read(row):
    rows = certain_rows()
    rows[row] = rows[row]._replace(contracts={})
    sheet, answers = read(TURKISH, rows)
    assert sheet == ROWS
    assert not any(answer.is_doubtful for answer in answers)


@settings(max_examples=few.max_examples // 4)
@given(CHANCE)
def test_contracts_are_as_probable_as_all_games_in_which_they_can_stand(chance):
    # Little enough to try all games: quotas of the game, of a side, and of a kind.
    quotas = {"no-hearts": (1, None), "no-queens": (None, 1), "trump": (None, None)}
    contracts = [
        replace(TURKISH.ruleset.by_id[name], quota=quota, quota_each=each, replay_one_each=False)
        for name, (quota, each) in quotas.items()
    ]
    honeymoon = replace(RULESETS["honeymoon-king"], contracts=tuple(contracts))
    game = Game(replace(honeymoon, quotas={"penalty": 2, "trump": 2}))
    ticks = [{name: log(chance.uniform(0.1, 1)) for name in quotas} for _ in range(6)]
    played = {}
    for names in product(quotas, repeat=len(ticks)):
        with suppress(InvalidEntry):
            reduce(play, [Deal(name, counts=MIDDLE[name]) for name in names], game)
            played[names] = exp(sum(map(getitem, ticks, names)))

    answers = most_probable(game.ruleset, [ReadRow(row, [[0.0] * 14] * 2) for row in ticks])

    assert tuple(answer.contract for answer in answers) == max(played, key=played.__getitem__)
    for row, answer in enumerate(answers):
        share = sum(p for names, p in played.items() if names[row] == answer.contract)
        assert answer.contract_probability == pytest.approx(share / sum(played.values()), rel=0.02)


def test_a_sum_that_its_writer_got_wrong_is_not_corrected():
    written = [*ROWS[:-1], ("trump", [2, 0, 4, 8])]
    sheet, answers = read(TURKISH, certain(TURKISH.ruleset, written))
    assert sheet == written
    assert [answer.sum_is_wrong for answer in answers] == [False] * 19 + [True]


def test_a_number_that_was_read_for_sure_is_corrected_only_for_somebody_to_see():
    rows = certain_rows()
    rows[3].counts[3] = [{1: log(0.975), 7: log(0.025)}.get(n, -inf) for n in range(14)]
    sheet, answers = read(TURKISH, rows)
    assert sheet == ROWS
    assert [p < SURE for p in answers[3].probabilities] == [False, False, False, True]


@pytest.mark.parametrize(
    ("totals", "sides"),
    [
        ((540, -110, -330, -100), ()),
        ((540, None, -330, -100), ()),
        ((540, -110, 330, -200), (2, 3)),
    ],
)
def test_totals_at_the_foot_that_the_rows_do_not_give_are_named(totals, sides):
    _, answers = read(TURKISH, certain_rows())
    assert contradicted_totals(TURKISH.ruleset, answers, totals) == sides


def test_totals_are_not_compared_if_nobody_can_have_gone_out():
    game = Game(RULESETS["italian-king-choice"])
    _, answers = read(game, certain(game.ruleset, [("domino", [3, 4, 2, 5])]))
    assert contradicted_totals(game.ruleset, answers, (0, 0, 0, 0)) == ()
