from collections import Counter
from fractions import Fraction
from itertools import combinations, pairwise, permutations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.deals import NAMES, WHOLE_GAME
from tests.engine.play.table_play import draw_counts
from tests.sample_games import DRAWN, load
from tests.sample_games import NAMES as RECORDS
from tournaments.engine.documents.entries import parse_entry
from tournaments.engine.documents.games import read_game
from tournaments.engine.play import outcomes
from tournaments.engine.play.games import Game, play, share_of_unplayed
from tournaments.engine.rules.entries import (
    STAKES,
    Adjustment,
    Deal,
    Stopped,
    Totals,
    write_points,
)
from tournaments.engine.rules.rulesets import UNITS, number_of
from tournaments.engine.variants import RULESETS


def stopped_at(totals, *, ruleset="turkish-king", **options):
    game = Game(RULESETS[ruleset].with_options(options))
    for seat, points in enumerate(totals):
        if points:
            game = play(game, Adjustment(seat, points, "as it stood"))
    return play(game, Stopped("other"))


@pytest.mark.parametrize(
    ("scores", "ranks"),
    [
        ((0, 0, 0, 0), (1, 1, 1, 1)),
        ((10, 20, 20, 5), (3, 1, 1, 4)),
        ((9, 8, 8, 7), (1, 2, 2, 4)),
        ((Fraction(1, 3), 0, Fraction(1, 2), -1), (2, 3, 1, 4)),
    ],
)
def test_equal_scores_share_a_rank(scores, ranks):
    assert outcomes.rank(scores) == ranks
    assert outcomes.decide(stopped_at(scores)).ranks == ranks


def test_exactly_zero_is_sunk():
    outcome = outcomes.decide(stopped_at((0, Fraction(1, 3), -5, 5)))
    assert (outcome.out, outcome.sunk) == ((1, 3), (0, 2))


@pytest.mark.parametrize(
    ("totals", "out"),
    [
        ((-100, -200, -300, -400), (0, 1)),
        # The mean is -250/4 = -62.5: -62 is above it, -63 below.
        ((-62, -63, -63, -62), (0, 3)),
        ((-100, -100, -100, -100), ()),
        # The mean is 1/12 + 1/4 = 1/3: exactly the mean is sunk.
        ((Fraction(1, 3), 1, 0, 0), (1,)),
    ],
)
def test_out_may_mean_above_the_mean(totals, out):
    outcome = outcomes.decide(stopped_at(totals, out="mean"))
    assert outcome.out == out
    assert outcome.sunk == tuple(seat for seat in range(4) if seat not in out)


def test_adjustment_after_the_end_decides_anew_and_reopens_nothing():
    game = stopped_at((1, -1, -1, -1))
    adjusted = play(game, Adjustment(0, -3, "revoke", "others"))
    assert adjusted.totals == (-2, 0, 0, 0)
    assert (adjusted.finished, adjusted.ending) == (True, game.ending)
    assert (outcomes.decide(adjusted).out, outcomes.award(adjusted)) == ((), ())


def test_adjustment_does_not_take_a_king_away():
    game = play(Game(RULESETS["turkish-king"]), Deal("trump", counts={"tricks": (0, 13, 0, 0)}))
    outcome = outcomes.decide(play(game, Adjustment(1, -2000, "revoke")))
    assert (outcome.ranks, outcome.out) == ((2, 1, 2, 2), (1,))


@pytest.mark.parametrize(
    ("ruleset", "deals", "share"),
    [
        ("turkish-king", 1, 80),
        ("turkish-king", 3, 80 + 100 + 120),
        ("honeymoon-king", 0, 2600),
        ("euchre", 0, 0),
    ],
)
def test_stopped_game_lacks_what_whole_games_have(ruleset, deals, share):
    game = Game(RULESETS[ruleset])
    for body in WHOLE_GAME[:deals]:
        game = play(game, parse_entry(body))
    fined = play(game, Adjustment(0, -100, "revoke"))

    assert share_of_unplayed(game) == 0
    for stopped in (play(game, Stopped("time")), play(fined, Stopped("time"))):
        assert share_of_unplayed(stopped) == share


@pytest.mark.parametrize("totals", [(-850, -1200, -1000, -1500), (0, -700, 0, 0)])
@pytest.mark.parametrize("fine", [0, -100])
def test_totals_of_a_game_that_ended_early_lack_the_same(totals, fine):
    game = Game(RULESETS["turkish-king"])
    if fine:
        game = play(game, Adjustment(0, fine, "revoke"))

    assert share_of_unplayed(play(game, Totals(totals, early=True))) == Fraction(-sum(totals), 4)


SUMMED = (
    *("turkish-king", "turkish-king-bloody", "rifki", "italian-king", "italian-king-choice"),
    *("italian-king-pairs", "euchre", "euchre-three", "krapet"),
)
SIDES = {"italian-king-pairs": (0, 1, 0, 1), "euchre": (0, 1, 0, 1)}
HAND = {"euchre": "euchre", "euchre-three": "euchre", "krapet": "krapet"}
NOT_CHOSEN = {"no-trump"}
"""The last deal of Italian King is the same in every game."""


def naive(record, result):
    """By contract, for each seat: deals declared, their points, other deals, their points."""
    ruleset, seats = record["ruleset"], len(record["players"])
    sides = SIDES.get(ruleset, tuple(range(seats)))
    moved = {row["entry"]: row["points"] for row in result["entries"]}
    earned, dealt = {}, 0
    for number, entry in enumerate(record["entries"]):
        if entry["type"] == "deal" and number in moved:
            contract = HAND.get(ruleset) or entry["contract"]
            chose = entry.get("maker") if ruleset in HAND else None
            fixed = ruleset in ("italian-king", "italian-king-pairs") and contract != "declaration"
            if ruleset not in HAND and not fixed and contract not in NOT_CHOSEN:
                chose = (record.get("first_declarer", 0) + dealt) % seats
            for seat, side in enumerate(sides):
                row = earned.setdefault(contract, [[0, 0, 0, 0] for _ in sides])[seat]
                at = 0 if seat == chose else 2
                row[at] += 1
                row[at + 1] += number_of(moved[number][side])
            dealt += 1
    for rows in earned.values():
        for row in rows:
            row[1], row[3] = write_points(row[1]), write_points(row[3])
    return earned


@pytest.mark.parametrize("ruleset", SUMMED)
def test_earnings_of_drawn_games_are_those_of_a_naive_sum(ruleset):
    games = [kept for kept in DRAWN if kept["record"]["ruleset"] == ruleset]
    sums = [naive(**kept) for kept in games]
    assert any(sums)
    assert [outcomes.write_earned(read_game(kept["record"]).game) for kept in games] == sums


@pytest.mark.parametrize("name", RECORDS)
def test_earnings_and_adjustments_add_up_to_the_totals(name):
    game = read_game(load(name)).game
    earned = outcomes.write_earned(game)

    deals = {played.entry for played in game.deals}
    moved = [row.points for row in game.rows if row.entry not in deals]
    for seat, side in enumerate(game.ruleset.sides):
        rows = [seats[seat] for seats in earned.values()]
        points = sum(number_of(each) for row in rows for each in (row[1], row[3]))
        assert points + sum(row[side] for row in moved) == game.totals[side]
        assert sum(row[0] + row[2] for row in rows) == len(game.deals)


@pytest.mark.parametrize("name", RECORDS)
def test_badges_are_counted_by_side(name):
    game = read_game(load(name)).game
    counts = outcomes.write_badges(outcomes.award(game), game.ruleset.side_count)

    earned = load(f"{name}.result")["badges"]
    told = [
        (badge, side)
        for badge, sides in counts.items()
        for side, n in enumerate(sides)
        for _ in range(n)
    ]
    assert sorted(told) == sorted((each["badge"], each["seat"]) for each in earned)


CENT = Fraction(1, 100)

points = st.integers(-40, 40) | st.fractions(-40, 40, max_denominator=6)
tables = st.lists(points, min_size=1, max_size=4)
stakes = st.integers(1, 5) | st.fractions(Fraction(1, 1000), 5, max_denominator=1000)
coins = st.sampled_from([CENT, Fraction(1, 20), Fraction(1), Fraction(5)])


def money(*amounts):
    return tuple(Fraction(amount) for amount in amounts)


def after_payments(settlement):
    balances = list(settlement.balances)
    for payment in settlement.payments:
        balances[payment.payer] += payment.amount
        balances[payment.payee] -= payment.amount
    return balances


def fewest_payments(balances):
    """By brute force over all choices of who pays whom.

    Payments between chosen pairs can settle everything if whoever they link is at 0 together.
    """
    pairs = list(combinations(range(len(balances)), 2))
    for number in range(len(balances)):
        for chosen in combinations(pairs, number):
            links = list(range(len(balances)))
            for one, other in chosen:
                links = [links[one] if link == links[other] else link for link in links]
            sums = [
                sum(b for b, link in zip(balances, links, strict=True) if link == group)
                for group in set(links)
            ]
            if not any(sums):
                return number
    raise AssertionError(balances)


def test_example_of_the_rules():
    settlement = outcomes.settle((13, -7, 3, -9), Fraction(1, 10))
    assert settlement.balances == money("1.30", "-0.70", "0.30", "-0.90")
    assert settlement.payments == (
        outcomes.Payment(3, 0, Fraction("0.90")),
        outcomes.Payment(1, 0, Fraction("0.40")),
        outcomes.Payment(1, 2, Fraction("0.30")),
    )


def test_the_most_groups_are_found_where_the_largest_pay_first_would_miss_them():
    # 6 = 4 + 2 and 5 + 3 = 8: largest first would let 8 pay 6 and then need five payments.
    settlement = outcomes.settle((6, 5, 3, -8, -4, -2), 1)
    assert len(settlement.payments) == 4
    assert after_payments(settlement) == [0] * 6


def test_scores_that_do_not_sum_to_zero_are_taken_from_their_mean():
    # Euchre 10–4, a pair a side: 3 points above and below the mean.
    assert outcomes.settle((10, 4), Fraction(1, 2)).balances == money("1.50", "-1.50")


def test_missing_coins_go_to_the_largest_remainders():
    # Cents of 33⅓, −66⅔, 33⅓ are 33, −67, 33 rounded down: one is missing. Each lost ⅓ of one,
    # so the first side gets it.
    assert outcomes.settle((1, 0, 1), 1).balances == money("0.34", "-0.67", "0.33")
    # Cents of 16⅔, 16⅔, −33⅓ are 16, 16, −34: each lost ⅔ of one, and the first two get theirs.
    assert outcomes.settle((1, 1, -2), Fraction(1, 6)).balances == money("0.17", "0.17", "-0.34")
    # 2½, −¼, −¾, −1½ are 2, −1, −1, −2: the second side lost most, ¾; then the first, ½.
    assert outcomes.settle((10, -1, -3, -6), Fraction(1, 4), Fraction(1)).balances == (3, 0, -1, -2)


@pytest.mark.parametrize(("stake", "coin"), [(0, CENT), (-1, CENT), (1, Fraction(0))])
def test_stake_and_coin_are_above_zero(stake, coin):
    with pytest.raises(ValueError, match="above 0"):
        outcomes.settle((1, -1), stake, coin)


def test_nobody_cannot_settle():
    with pytest.raises(ValueError, match="nobody"):
        outcomes.settle((), 1)


@given(tables, stakes, coins)
def test_balances_are_whole_coins_near_the_exact_money_and_sum_to_zero(totals, stake, coin):
    balances = outcomes.settle(totals, stake, coin).balances
    mean = Fraction(sum(totals)) / len(totals)
    assert sum(balances) == 0
    assert [(balance / coin).denominator for balance in balances] == [1] * len(totals)
    for score, balance in zip(totals, balances, strict=True):
        assert abs(balance - stake * (score - mean)) < coin


@given(tables, stakes, coins)
def test_higher_score_never_gets_less_and_equals_differ_by_a_coin_for_the_first(
    totals, stake, coin
):
    balances = outcomes.settle(totals, stake, coin).balances
    places = sorted(range(len(totals)), key=lambda side: (-totals[side], side))
    assert [balances[side] for side in places] == sorted(balances, reverse=True)
    for upper, lower in pairwise(places):
        if totals[upper] == totals[lower]:
            assert balances[upper] - balances[lower] in (0, coin)


@given(tables, stakes, coins)
def test_payments_settle_everything_and_are_the_fewest(totals, stake, coin):
    settlement = outcomes.settle(totals, stake, coin)
    assert after_payments(settlement) == [0] * len(totals)
    assert all(payment.amount > 0 for payment in settlement.payments)
    assert len(settlement.payments) == fewest_payments(settlement.balances)


@given(st.lists(st.integers(-5, 5), min_size=3, max_size=4))
def test_payments_are_the_fewest_where_many_sides_balance_each_other(balances):
    settlement = outcomes.settle((*balances, -sum(balances)), 1)
    assert after_payments(settlement) == [0] * (len(balances) + 1)
    assert len(settlement.payments) == fewest_payments(settlement.balances)


def game(players=NAMES, ruleset="turkish-king", entries=WHOLE_GAME, played_for=None, **options):
    record = {
        "stake": played_for,
        "format": "kingscore-game/1",
        "ruleset": ruleset,
        "players": list(players),
        "options": options,
        "entries": list(entries),
    }
    reading = read_game(record)
    assert not reading.problems
    return outcomes.FinishedGame(reading.game, players)


KING = [{"type": "deal", "contract": "no-tricks", "counts": {"tricks": [13, 0, 0, 0]}}]
OTHERS = ("Ayşe", "Elif", "Cem", "Deniz")


def test_places_points_and_games_won_of_each_player():
    ayse, deniz, burak, cem = outcomes.tally([game(), game()])

    assert (ayse.name, ayse.won, ayse.points, ayse.average) == ("Ayşe", 2, 1080, 540)
    assert ayse.places() == (2,)
    assert (deniz.name, deniz.places()) == ("Deniz", (0, 2))
    assert [each.name for each in (burak, cem)] == ["Burak", "Cem"]


def test_player_of_some_games_has_no_place_in_the_others():
    standings = {each.name: each for each in outcomes.tally([game(), game(OTHERS)])}

    assert (standings["Elif"].games, standings["Burak"].games) == (1, 1)
    assert standings["Elif"].placed[0] is None
    assert standings["Elif"].average == standings["Elif"].points
    assert standings["Ayşe"].games == 2


def test_king_wins_whatever_the_points_say():
    (first, *rest) = outcomes.tally([game(entries=KING)])

    assert (first.name, first.won, first.placed[0].king, first.placed[0].out) == (
        "Ayşe",
        1,
        True,
        True,
    )
    assert first.points < min(each.points for each in rest)


def test_partners_share_place_and_points():
    hand = {"type": "deal", "maker": 0, "tricks": 5}
    standings = outcomes.tally([game(ruleset="euchre", entries=[hand] * 5, target=10)])

    assert [(each.name, each.won, each.points) for each in standings] == [
        ("Ayşe", 1, 10),
        ("Cem", 1, 10),
        ("Burak", 0, 0),
        ("Deniz", 0, 0),
    ]


@pytest.mark.parametrize("number", [1, 2])
def test_course_goes_on_from_game_to_game_and_stays_for_whoever_sits_out(number):
    games = [game(), game(OTHERS)][:number]
    lines = outcomes.courses(games)

    assert {len(line) for line in lines.values()} == {1 + 20 * number}
    assert {name: line[-1] for name, line in lines.items()} == {
        each.name: each.points for each in outcomes.tally(games)
    }
    if number == 2:
        assert set(lines["Elif"][:21]) == {0}
        assert len(set(lines["Burak"][20:])) == 1


def test_evening_without_a_stake_settles_nothing():
    assert outcomes.settle_evening([game()]) is None


def sample(name, players, stake="1/10"):
    record = load(name)
    record |= {"players": list(players), "options": record.get("options", {}) | {"stake": stake}}
    return outcomes.FinishedGame(read_game(record).game, players)


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
    alone = outcomes.settle(whole.game.totals, Fraction(1, 10)).balances
    of_pairs = outcomes.settle(pairs.game.totals, Fraction(1, 10)).balances

    assert flows(outcomes.settle_evening([whole, game()])) == dict(zip(NAMES, alone, strict=True))
    both = flows(outcomes.settle_evening([whole, back]))
    assert both == {name: alone[n] + alone[3 - n] for n, name in enumerate(NAMES)}
    # Five people: partners share what their pair wins or loses.
    shared = flows(outcomes.settle_evening([whole, pairs]))
    assert shared["Elif"] == of_pairs[1] / 2
    assert shared["Burak"] == alone[1]
    assert shared["Ayşe"] == alone[0] + of_pairs[0] / 2


PEOPLE = ("Ayşe", "Burak", "Cem", "Deniz", "Elif")
FINISHED = [each for each in DRAWN if each["result"]["valid"] and each["result"]["finished"]]


@st.composite
def paid_games(draw):
    """A drawn game of some of five people, played for something."""
    record = draw(st.sampled_from(FINISHED))["record"]
    players = draw(st.permutations(PEOPLE))[: len(record["players"])]
    stake = {
        "per": draw(st.sampled_from(STAKES)),
        "amount": write_points(draw(stakes)),
        "thing": draw(st.sampled_from(("", "tea", "simit"))),
    }
    reading = read_game({**record, "players": players, "stake": stake})
    return outcomes.FinishedGame(reading.game, players)


def debts(played):
    """What each player is owed, person by person; an opponent counts half where two sit together.

    So each of a pair owes what a player alone would.
    """
    game, end = played.game, played.outcome
    stake, rules = game.stake, game.ruleset
    owed = dict.fromkeys(played.players, Fraction(0))
    if stake.per == "point":
        mean = Fraction(sum(game.totals)) / len(game.totals)
        for seat, name in enumerate(played.players):
            points = game.totals[rules.sides[seat]] - mean
            owed[name] = stake.amount * points / rules.seats_in_a_side
        return owed
    ranks, last = end.ranks, max(end.ranks)
    for one, other in permutations(range(len(played.players)), 2):
        a, b = rules.sides[one], rules.sides[other]
        pays = {
            "sinking": a in end.sunk and b in end.out,
            "pot": a in end.sunk and b in end.out,
            "last": ranks[a] == last and ranks[b] < last,
            "place": ranks[a] > ranks[b],
        }[stake.per]
        if pays:
            amount = Fraction(stake.amount) / rules.seats_in_a_side
            if stake.per == "pot":
                amount /= rules.seats_in_a_side * len(end.out)
            owed[played.players[one]] -= amount
            owed[played.players[other]] += amount
    return owed


@given(st.lists(paid_games(), min_size=1, max_size=5))
def test_evening_of_any_stakes_is_settled_exactly_and_by_the_fewest_payments(games):
    names, payments = outcomes.settle_evening(games) or ((), ())
    for thing in {played.game.stake.thing for played in games}:
        own = [played for played in games if played.game.stake.thing == thing]
        owed = Counter()
        for played in own:
            owed.update(debts(played))
        paid = Counter()
        for payer, payee, amount, of in payments:
            if of == thing:
                paid.update({names[payer]: -amount, names[payee]: amount})
        assert sum(paid.values()) == 0
        stakes = [played.game.stake for played in own]
        is_exact = all(
            s.per not in ("point", "pot") and (s.amount * 100).denominator == 1 for s in stakes
        )
        # Else each game may round by less than a cent, and so may the evening.
        limit = 0 if is_exact else CENT * (len(own) + 1)
        assert all(abs(paid[name] - owed[name]) <= limit for name in PEOPLE)
        number = sum(payment.thing == thing for payment in payments)
        assert number == fewest_payments([paid[name] for name in PEOPLE])
        assert number <= len(PEOPLE) - 1


@pytest.mark.parametrize(
    ("ruleset", "entries", "per", "owed"),
    [
        # One is out and three are sunk, by their scores or by a King.
        ("turkish-king", WHOLE_GAME, "sinking", [3, -1, -1, -1]),
        ("turkish-king", KING, "sinking", [3, -1, -1, -1]),
        ("turkish-king", WHOLE_GAME, "last", [1, 1, -3, 1]),
        ("turkish-king", WHOLE_GAME, "place", [3, -1, -3, 1]),
        # Each pays once, and what is paid is shared.
        ("turkish-king", WHOLE_GAME, "pot", [3, -1, -1, -1]),
        ("turkish-king", WHOLE_GAME[:3], "pot", [0, 0, 0, 0]),
        # Somebody who leads owes nothing yet; the penalties before have sunk all four.
        ("turkish-king", WHOLE_GAME[:3], "sinking", [0, 0, 0, 0]),
        ("euchre", [{"type": "deal", "maker": 0, "tricks": 5}] * 5, "last", [2, -2]),
    ],
)
def test_who_owes_what_by_sinking_and_by_places(ruleset, entries, per, owed):
    played = game(ruleset=ruleset, entries=entries, played_for={"per": per, "amount": "1/2"})

    assert outcomes.settle_game(played.game).balances == tuple(Fraction(n, 2) for n in owed)


@pytest.mark.parametrize(
    ("ruleset", "totals", "balances", "payments"),
    [
        ("turkish-king", [300, -100, -100, -100], [15, -5, -5, -5], 3),
        ("turkish-king", [50, 60, 70, -180], ["5/3", "5/3", "5/3", -5], 3),
        ("king-five", [400, 300, -800, -700, -700], ["15/2", "15/2", -5, -5, -5], 4),
        ("turkish-king-partners", [-40, 40], [-5, 5], 1),
    ],
)
def test_rules_may_say_that_each_who_sinks_pays_once(ruleset, totals, balances, payments):
    entries = [{"type": "totals", "totals": totals}]
    names = [*NAMES, "Elif"][: RULESETS[ruleset].seats]
    played = game(names, ruleset, entries, stake=5, stake_per="sinking")
    settled = outcomes.settle_game(played.game)
    assert all(abs(a - Fraction(b)) < CENT for a, b in zip(settled.balances, balances, strict=True))
    assert (sum(settled.balances), len(settled.payments)) == (0, payments)


def test_nobody_sinks_in_rifki_and_nothing_is_settled():
    stake = {"per": "sinking", "amount": 1}
    assert outcomes.settle_evening([game(ruleset="rifki", played_for=stake)]) is None


def test_evening_with_many_people_is_settled_quickly_and_right():
    games = [sample("italian-king-whole", [f"{n}-{seat}" for seat in range(4)]) for n in range(30)]

    balance = flows(outcomes.settle_evening(games))

    assert len(balance) == 120
    assert sum(balance.values()) == 0
    assert balance["0-0"] == outcomes.settle(games[0].game.totals, Fraction(1, 10)).balances[0]


# What each side still needs.


def play_on(game, bodies):
    for body in bodies:
        game = play(game, parse_entry(body))
    return game


@pytest.mark.parametrize("out", ["positive", "mean"])
@pytest.mark.parametrize("ruleset", ["turkish-king", "turkish-king-internet"])
def test_last_deal_decides_as_the_tricks_that_were_needed(ruleset, out):
    rules = RULESETS[ruleset].with_options({"out": out})
    trumps_last = [*WHOLE_GAME[:3], *WHOLE_GAME[4:5], *WHOLE_GAME[6:8], *WHOLE_GAME[11:13]]
    played = WHOLE_GAME[:19] if rules.length == 20 else [*trumps_last, *WHOLE_GAME[16:19]]
    game = play_on(Game(rules), played)
    needs = outcomes.tricks_to_be_out(game)
    for ends in combinations(range(16), 3):
        tricks = [after - end - 1 for end, after in pairwise((-1, *ends, 16))]
        if 13 not in tricks:
            end = play(game, Deal("trump", counts={"tricks": tuple(tricks)}))
            wanted = [s for s in range(4) if needs[s] is not None and tricks[s] >= needs[s]]
            assert list(outcomes.decide(end).out) == wanted


def finish(chance, game, side, tricks):
    """Play to the end: the side takes so many tricks with trumps, and nothing else."""
    sides = range(game.ruleset.side_count)
    others = [other for other in sides if other != side]
    while not game.finished:
        contract = chance.choice(game.legal_contracts())
        own = min(tricks, 13) if contract.kind == "trump" else 0
        tricks -= own
        taker = chance.choice(others)
        counts = {
            unit: tuple({side: own, taker: UNITS[unit].total - own}.get(s, 0) for s in sides)
            for unit in contract.values
        }
        game = play(game, Deal(contract.id, game.declarer if contract.declared else None, counts))
    return game


@pytest.mark.parametrize(
    ("ruleset", "out"),
    [
        *(("turkish-king", "positive"), ("turkish-king", "mean"), ("turkish-king-bloody", "mean")),
        *(("turkish-king-internet", "positive"), ("turkish-king-double", "positive")),
        ("turkish-king-partners", None),
    ],
)
def test_so_many_tricks_are_out_and_one_fewer_is_not(ruleset, out):
    chance = Random(ruleset)
    options = {"king": "off"} | ({"out": out} if out else {})
    for _game in range(20):
        game = Game(RULESETS[ruleset].with_options(options))
        for _deal in range(chance.randrange(game.ruleset.length)):
            contract = chance.choice(game.legal_contracts())
            counts = draw_counts(chance, game.ruleset, contract)
            game = play(
                game, Deal(contract.id, game.declarer if contract.declared else None, counts)
            )
        needs = outcomes.tricks_to_be_out(game)
        assert len(needs) == game.ruleset.side_count
        trumps = outcomes.deals_left(game)[1]
        for side, need in enumerate(needs):
            enough = 13 * trumps if need is None else need
            is_out = side in outcomes.decide(finish(chance, game, side, enough)).out
            assert is_out is (need is not None)
            if need:
                fewer = finish(chance, game, side, need - 1)
                assert side not in outcomes.decide(fewer).out


@pytest.mark.parametrize(
    ("ruleset", "options", "deals"),
    [
        ("rifki", {}, 3),
        # Which penalties will have been played decides the mean.
        ("turkish-king-internet", {"out": "mean"}, 3),
        ("turkish-king", {}, 20),
    ],
)
def test_nothing_is_needed_where_nobody_sinks_or_knows(ruleset, options, deals):
    game = play_on(Game(RULESETS[ruleset].with_options(options)), WHOLE_GAME[:deals])
    assert outcomes.tricks_to_be_out(game) == ()
