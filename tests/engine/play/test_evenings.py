from fractions import Fraction

import pytest

from tests.deals import NAMES, WHOLE_GAME
from tests.sample_games import load
from tournaments.engine.documents.games import read_game
from tournaments.engine.play.outcomes import FinishedGame, courses, settle, settle_evening, tally


def game(players=NAMES, ruleset="turkish-king", entries=WHOLE_GAME, **options):
    record = {
        "format": "kingscore-game/1",
        "ruleset": ruleset,
        "players": list(players),
        "options": options,
        "entries": list(entries),
    }
    reading = read_game(record)
    assert not reading.problems
    return FinishedGame(reading.game, players)


KING = [{"type": "deal", "contract": "no-tricks", "counts": {"tricks": [13, 0, 0, 0]}}]
OTHERS = ("Ayşe", "Elif", "Cem", "Deniz")


def test_places_points_and_games_won_of_each_player():
    ayse, deniz, burak, cem = tally([game(), game()])

    assert (ayse.name, ayse.won, ayse.points, ayse.average) == ("Ayşe", 2, 1080, 540)
    assert ayse.places() == (2,)
    assert (deniz.name, deniz.places()) == ("Deniz", (0, 2))
    assert [each.name for each in (burak, cem)] == ["Burak", "Cem"]


def test_player_of_some_games_has_no_place_in_the_others():
    standings = {each.name: each for each in tally([game(), game(OTHERS)])}

    assert (standings["Elif"].games, standings["Burak"].games) == (1, 1)
    assert standings["Elif"].placed[0] is None
    assert standings["Elif"].average == standings["Elif"].points
    assert standings["Ayşe"].games == 2


def test_king_wins_whatever_the_points_say():
    (first, *rest) = tally([game(entries=KING)])

    assert (first.name, first.won, first.placed[0].king, first.placed[0].out) == (
        "Ayşe",
        1,
        True,
        True,
    )
    assert first.points < min(each.points for each in rest)


def test_partners_share_place_and_points():
    hand = {"type": "deal", "maker": 0, "tricks": 5}
    standings = tally([game(ruleset="euchre", entries=[hand] * 5, target=10)])

    assert [(each.name, each.won, each.points) for each in standings] == [
        ("Ayşe", 1, 10),
        ("Cem", 1, 10),
        ("Burak", 0, 0),
        ("Deniz", 0, 0),
    ]


@pytest.mark.parametrize("number", [1, 2])
def test_course_goes_on_from_game_to_game_and_stays_for_whoever_sits_out(number):
    games = [game(), game(OTHERS)][:number]
    lines = courses(games)

    assert {len(line) for line in lines.values()} == {1 + 20 * number}
    assert {name: line[-1] for name, line in lines.items()} == {
        each.name: each.points for each in tally(games)
    }
    if number == 2:
        assert set(lines["Elif"][:21]) == {0}
        assert len(set(lines["Burak"][20:])) == 1


def test_evening_without_a_stake_settles_nothing():
    assert settle_evening([game()]) is None


def sample(name, players, stake="1/10"):
    record = load(name)
    record |= {"players": list(players), "options": record.get("options", {}) | {"stake": stake}}
    return FinishedGame(read_game(record).game, players)


def flows(settled):
    names, payments = settled
    balance = dict.fromkeys(names, Fraction(0))
    for each in payments:
        balance[names[each.payer]] -= each.amount
        balance[names[each.payee]] += each.amount
    return balance


def test_evening_is_settled_over_all_its_games_with_a_stake():
    whole = sample("italian-king-whole", NAMES)
    back = sample("italian-king-whole", NAMES[::-1])
    pairs = sample("italian-king-pairs-whole", OTHERS)
    alone = settle(whole.game.totals, Fraction(1, 10)).balances
    of_pairs = settle(pairs.game.totals, Fraction(1, 10)).balances

    assert flows(settle_evening([whole, game()])) == dict(zip(NAMES, alone, strict=True))
    both = flows(settle_evening([whole, back]))
    assert both == {name: alone[n] + alone[3 - n] for n, name in enumerate(NAMES)}
    # Five people: partners share what their pair wins or loses.
    shared = flows(settle_evening([whole, pairs]))
    assert shared["Elif"] == of_pairs[1] / 2
    assert shared["Burak"] == alone[1]
    assert shared["Ayşe"] == alone[0] + of_pairs[0] / 2


def test_evening_with_many_people_is_settled_quickly_and_right():
    games = [sample("italian-king-whole", [f"{n}-{seat}" for seat in range(4)]) for n in range(30)]

    balance = flows(settle_evening(games))

    assert len(balance) == 120
    assert sum(balance.values()) == 0
    assert balance["0-0"] == settle(games[0].game.totals, Fraction(1, 10)).balances[0]
