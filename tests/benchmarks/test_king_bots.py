"""The bots whose games chose the model of ratings keep to the rules, and so do their games."""

from itertools import islice

import numpy as np
import pytest

from benchmarks.king_bots import cards
from benchmarks.king_bots.playing import play_game
from benchmarks.king_bots.sheets import Sheet, as_line, as_sheet, kept, record_of
from tournaments.engine.documents.games import read_game, write_result

RANKS = "23456789TJQKA"
SUITS = "SHDC"
SPADE_TRUMP = cards.TRUMP + cards.SPADES
# Mistakes, attention, worlds, tricks ahead, memory, worlds to name a contract.
AT_RANDOM, BY_EYE, SLIPPING = [1000, 0, 0, 0, 0, -1], [0] * 6, [200, 0, 0, 0, 0, 0]
LOOKING_AHEAD = [0, 60, 1, 2, 1, 1]


def card(word):
    return SUITS.index(word[1]) * 13 + RANKS.index(word[0])


def hand(words):
    return sum(1 << card(word) for word in words.split())


def may_lay(contract, laid, own, *, broken=False):
    deal = np.zeros(cards.SIZE, dtype=np.int64)
    deal[cards.CONTRACT], deal[cards.BROKEN] = contract, broken
    for seat, word in enumerate(laid.split()):
        deal[cards.HAND + seat] = 1 << card(word)
        cards.lay(deal, card(word))
    deal[cards.HAND + cards.to_play(deal)] = hand(own)
    legal = cards.legal(deal)
    return " ".join(word for word in own.split() if legal >> card(word) & 1)


@pytest.mark.parametrize(
    ("contract", "laid", "own", "expected"),
    [
        (cards.NO_TRICKS, "9D", "2D KD AS", "2D KD"),
        (cards.NO_TRICKS, "9D", "2H KC AS", "2H KC AS"),
        (cards.NO_TRICKS, "", "2H KC", "2H KC"),
        (cards.NO_HEARTS, "", "2H KC", "KC"),
        (cards.NO_HEARTS, "", "2H KH", "2H KH"),
        (cards.NO_HEARTS, "9D", "2H KC", "2H"),
        (cards.HEART_KING, "9D", "2H KH AC", "KH"),
        (cards.HEART_KING, "9D", "2H AC", "2H"),
        (cards.HEART_KING, "", "KH AC", "AC"),
        (cards.NO_MEN, "AD", "KD JD 2D", "KD JD"),
        (cards.NO_MEN, "QD", "KD JD 2D", "JD"),
        (cards.NO_MEN, "9D", "KD 2D", "KD 2D"),
        (cards.NO_MEN, "9D", "KC 2C JH", "KC JH"),
        (cards.NO_QUEENS, "KD", "QD 2D", "QD"),
        (cards.NO_QUEENS, "9D", "QD 2D", "QD 2D"),
        (cards.NO_QUEENS, "9D", "QS AH", "QS"),
        (cards.LAST_TWO, "9D", "QS AH", "QS AH"),
        (SPADE_TRUMP, "9S", "8S TS AS", "TS AS"),
        (SPADE_TRUMP, "KS", "8S TS 2D", "8S TS"),
        (SPADE_TRUMP, "9D", "8S TS AH", "8S TS"),
        (SPADE_TRUMP, "9D 9S", "8S TS AH", "TS"),
        (SPADE_TRUMP, "9D 9S", "2D 8S AD", "2D AD"),
        (SPADE_TRUMP, "9D 9S", "8S AH", "8S"),
        (SPADE_TRUMP, "", "AS KS JS 2D", "2D"),
        (SPADE_TRUMP, "", "AS KS QS 2S 2D", "AS KS QS 2D"),
    ],
)
def test_bots_may_lay_what_the_rules_allow(contract, laid, own, expected):
    assert may_lay(contract, laid, own) == expected


def test_hearts_are_led_once_one_has_fallen():
    assert may_lay(cards.NO_HEARTS, "", "2H KC", broken=True) == "2H KC"


@pytest.mark.parametrize("seed", [1, 2])
def test_bots_play_games_that_the_engine_finds_legal(seed):
    bots = np.array([AT_RANDOM, BY_EYE, SLIPPING, LOOKING_AHEAD])

    rows = play_game(bots, 0, np.array([seed, 99]))

    sheet = Sheet(0, 0, (0, 1, 2, 3), tuple(tuple(map(int, row)) for row in rows))
    scored_as_kept(sheet)
    assert as_sheet(as_line(sheet)) == sheet


def test_kept_games_are_scored_alike_by_the_engine_and_end_with_the_king():
    for sheet in islice(kept(), 0, None, 250):
        scored_as_kept(sheet)
    kings = [sheet for sheet in kept() if sheet.deals[-1][5] >= 0]
    assert kings
    for sheet in kings:
        scored_as_kept(sheet)
        assert sheet.ranks[sheet.deals[-1][5]] == 1


def scored_as_kept(sheet):
    result = write_result(read_game(record_of(sheet)))
    assert (result["valid"], result["finished"]) == (True, True)
    assert (result["totals"], result["ranks"]) == (sheet.totals, sheet.ranks)
