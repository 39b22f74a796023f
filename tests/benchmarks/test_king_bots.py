"""Games of the bots that chose the model of ratings are legal, and scored as they were kept."""

from itertools import islice

import numpy as np
import pytest

from benchmarks.king_bots.playing import play_game
from benchmarks.king_bots.sheets import Sheet, as_line, as_sheet, kept, record_of
from tournaments.engine.documents.games import read_game, write_result

# Mistakes, attention, worlds, tricks ahead, memory, worlds to name a contract.
AT_RANDOM, BY_EYE, SLIPPING = [1000, 0, 0, 0, 0, -1], [0] * 6, [200, 0, 0, 0, 0, 0]
LOOKING_AHEAD = [0, 60, 1, 2, 1, 1]


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
