import random
from datetime import UTC, datetime, timedelta

from tournaments.engine.statistics import Active, PlayedGame, Record, add_up

START = datetime(2026, 9, 4, 20, tzinfo=UTC)


def game(key, totals, *, at=None, evening=1, players=(1, 2, 3, 4), kings=()):
    out = [side for side, total in enumerate(totals) if total > 0]
    return PlayedGame(
        key,
        at or START + timedelta(hours=key),
        evening,
        tuple(player if isinstance(player, tuple) else (player,) for player in players),
        tuple(totals),
        out,
        [side for side in range(len(totals)) if side not in out] if any(totals) else [],
        kings,
    )


def many(number):
    chance = random.Random(number)
    for key in range(200):
        totals = [10 * chance.randint(-40, 40) for _ in range(3)]
        yield game(
            key,
            [*totals, -sum(totals)],
            evening=key // 7,
            players=chance.sample(range(1, 12), 4),
            kings=[chance.randrange(4)] if chance.random() < 0.1 else [],
        )


def test_records_are_those_of_a_plain_look_at_every_game():
    games = list(many(5))

    sums = add_up(games, 100)

    scores = [(t, p, g.key) for g in games for (p,), t in zip(g.sides, g.totals, strict=True)]
    assert [r.value for r in sums.highest] == sorted((t for t, _p, _k in scores), reverse=True)[:3]
    assert [r.value for r in sums.lowest] == sorted(t for t, _p, _k in scores)[:3]
    for record in (*sums.highest, *sums.lowest):
        assert (record.value, record.players[0], record.key) in scores
    kings = {p: sum((p,) == g.sides[s] for g in games for s in g.kings) for p in range(1, 12)}
    assert [(r.players[0], r.value) for r in sums.kings] == [
        (p, kings[p]) for p in sorted(kings, key=lambda p: (-kings[p], last_king(games, p)))[:3]
    ]
    assert [r.value for r in sums.runs] == sorted(
        (longest_run(games, player) for player in range(1, 12)), reverse=True
    )[:3]
    assert sums.active[0].games == max(sum((p,) in g.sides for g in games) for p in range(1, 12))
    assert sum(sums.hours.values()) == sum(n for _y, _m, n in sums.months) == sums.games == 200


def last_king(games, player):
    return max((g.at for g in games for s in g.kings if g.sides[s] == (player,)), default=START)


def longest_run(games, player):
    letters = ""
    for each in games:
        side = next((s for s, those in enumerate(each.sides) if player in those), None)
        if side is not None and (each.out or each.sunk):
            letters += "o" if side in each.out else "s"
    return max(map(len, letters.split("s")))


def test_first_to_have_reached_it_holds_a_record():
    sums = add_up([game(1, [50, 30, -40, -40]), game(2, [30, 50, -40, -40])], 10)

    assert [(r.value, r.players, r.key) for r in sums.highest][:2] == [(50, (1,), 1), (50, (2,), 2)]


def test_draw_neither_ends_a_run_nor_adds_to_it():
    totals = [[10, -10], [0, 0], [10, -10], [-10, 10], [10, -10]]
    games = [game(key, each, players=(1, 2)) for key, each in enumerate(totals)]

    assert add_up(games, 10).runs == (Record(2, (1,), 2, games[2].at),)


def test_pair_holds_its_records_together_and_each_plays():
    sums = add_up([game(1, [20, -20], players=((1, 3), (2, 4)), kings=[0])], 10)

    assert sums.highest[0].players == (1, 3)
    assert [record.players for record in sums.kings] == [(1,), (3,)]
    assert sums.active == tuple(Active(player, 1, 1) for player in (1, 2, 3, 4))


def test_who_does_not_count_holds_no_record_and_plays_no_game():
    sums = add_up([game(1, [90, -30, -30, -30], players=((), 2, 3, 4), kings=[0])], 10)

    assert (sums.highest[0].value, sums.kings, sums.players) == (-30, (), 3)


def test_night_belongs_to_the_evening_before():
    friday, night = datetime(2026, 7, 31, 23, tzinfo=UTC), datetime(2026, 8, 1, 1, tzinfo=UTC)
    games = [game(n, [1, 2, 3, -6], at=at) for n, at in enumerate((friday, night))]

    sums = add_up(games, 10)

    assert sums.hours == {(4, 23): 1, (4, 1): 1}
    assert sums.months == ((2026, 7, 2),)


def test_months_without_a_game_stand_between():
    days = (datetime(2025, 11, 7, 20, tzinfo=UTC), datetime(2026, 1, 9, 20, tzinfo=UTC))
    games = [game(n, [1, 2, 3, -6], at=at) for n, at in enumerate(days)]

    assert add_up(games, 10).months == ((2025, 11, 1), (2025, 12, 0), (2026, 1, 1))


def test_no_game_adds_up_to_nothing():
    sums = add_up([], 10)

    assert (sums.games, sums.players, sums.highest, sums.months) == (0, 0, (), ())
