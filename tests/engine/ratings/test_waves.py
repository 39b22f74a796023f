from hypothesis import given
from hypothesis import strategies as st

from tournaments.engine.ratings.fitting import DAY, GUEST, MICROSECONDS, Waves
from tournaments.engine.ratings.ratings import newcomer, rate

NEWCOMER = newcomer(150.0**2)
SIDES = st.sampled_from([(0, 1), (0, 1, 2), (0, 1, 2, 3), (0, 1, 0, 1)])
HOUR = 3600 * MICROSECONDS


@st.composite
def played(draw):
    """Games of six players and guests, some of them without points, at growing moments."""
    games, at = [], 0
    for key in range(1, draw(st.integers(1, 30))):
        at += draw(st.integers(0, 100 * 24)) * HOUR
        sides = draw(SIDES)
        players = draw(st.permutations([*range(6), GUEST, GUEST]))[: len(sides)]
        scores = [draw(st.integers(-900, 900)) / 3 for _ in set(sides)]
        games.append((key, at, players, sides, scores, draw(st.sampled_from([0.0, 70.0, 210.5]))))
    return games


def one_by_one(games):
    """The changes of all players, and what they have reached, with `rate` for each game."""
    reached = dict.fromkeys(range(6), (NEWCOMER, 0, 0))
    changes = []
    for key, at, players, sides, scores, unit in games:
        ratings = [
            NEWCOMER if player == GUEST else rested(*reached[player], at) for player in players
        ]
        after = rate(ratings, sides, scores, unit)
        for seat, player in enumerate(players):
            if player != GUEST:
                number = reached[player][1] + 1
                reached[player] = after[seat], number, at
                change = player, key, seat, number, at
                changes.append((*change, *ratings[seat][:2], *after[seat][:2]))
    return changes, list(reached.values())


def rested(rating, _games, last_at, at):
    return rating.rested((at - last_at) / MICROSECONDS / DAY)


@given(played())
def test_waves_rate_as_one_game_after_the_other_to_the_last_digit(games):
    waves = Waves([(NEWCOMER, 0, 0)] * 6, NEWCOMER)
    for *game, scores, unit in games:
        waves.add(*game, unit, *scores)

    changes = waves.rate()

    assert (changes.tolist(), list(waves.reached())) == one_by_one(games)
