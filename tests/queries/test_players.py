import random
from collections import Counter
from datetime import timedelta

import pytest

from tests.club_factories import ClubFactory, EventFactory, PlayerFactory, RoundFactory
from tests.deals import KINGS
from tests.factories import EVENING
from tests.rating_factories import PlayerRatingFactory, RatingPoolFactory
from tests.sample_games import DRAWN, load
from tournaments.models import Event, Game, Revision, Seat, Table
from tournaments.queries.players import (
    add_up,
    compare,
    games_of,
    meetings,
    rank_of,
    ratings_of,
    seats_beside,
)
from tournaments.queries.ratings import month_of
from tournaments.queries.sheets import fold_sheet, load_sheets, result_of
from tournaments.queries.site import load_games

pytestmark = pytest.mark.django_db

KEPT = (
    *("turkish-king-whole", "turkish-king-king", "declared-king-failed", "rifki-whole"),
    *("partners-whole", "partners-king", "honeymoon-whole", "bloody-strict", "internet-mean"),
    *("italian-king-whole", "italian-king-pairs-whole", "euchre-two-whole", "krapet-won"),
    *("euchre-railroad-whole", "adjusted-after-the-end", "stopped-at-once", "double-whole"),
)


def records():
    kept = [load(name) for name in KEPT]
    drawn = [each["record"] for each in DRAWN if each["record"]["ruleset"] in KINGS]
    return [*kept, *drawn]


def play(club, record, sitting, number):
    game = Game.objects.create(
        ruleset=record["ruleset"],
        options=record.get("options", {}),
        players=[player.name for player in sitting],
        first_declarer=record.get("first_declarer", 0),
        played_at=EVENING + timedelta(minutes=number),
        revision=len(record["entries"]),
        table=Table.objects.create(round=club.table_round, number=number + 1),
    )
    writes = Revision.objects.bulk_create(
        Revision(game=game, revision=n + 1, key=f"key-{n}", kind="entry", position=n, body=body,
              at=EVENING)
        for n, body in enumerate(record["entries"])
    )  # fmt: skip
    game.result = result_of(fold_sheet(game, tuple(writes)))
    game.save()
    for seat, player in enumerate(sitting):
        Seat.objects.create(game=game, number=seat, player=player)


@pytest.fixture
def club():
    club = ClubFactory()
    club.table_round = RoundFactory(event=EventFactory(club=club))
    return club


@pytest.fixture
def people(club):
    """Five who sit down at every table in an order drawn, with a game of each record."""
    people = [PlayerFactory(club=club) for _ in range(5)]
    chance = random.Random(7)
    for number, record in enumerate(records()):
        play(club, record, chance.sample(people, len(record["players"])), number)
    return people


def sheets_of(player):
    rows = Game.objects.filter(seats__player=player).order_by("-played_at")
    seats = dict(player.seats.values_list("game_id", "number"))
    return [(sheet, seats[sheet.row.pk]) for sheet in load_sheets(rows)]


def test_games_of_a_player_and_their_sums_are_those_of_the_sheets(people):
    for player in people:
        games, sheets = games_of(player, None), sheets_of(player)
        sums = add_up(games)
        places, badges, points, won, out, sunk = Counter(), Counter(), [], 0, 0, 0
        for game, (sheet, seat) in zip(games, sheets, strict=True):
            side = sheet.game.ruleset.sides[seat]
            assert (game.pk, game.finished) == (sheet.row.pk, sheet.game.finished)
            assert game.family == sheet.game.ruleset.family
            if not game.finished:
                continue
            ranks = sheet.outcome.ranks
            assert (game.place, game.points) == (ranks[side], sheet.game.totals[side])
            points.append(game.points)
            places[sheet.game.ruleset.side_count, ranks[side]] += 1
            won += ranks[side] == 1
            out += side in sheet.outcome.out
            sunk += side in sheet.outcome.sunk
            badges.update(badge.badge for badge in sheet.badges if badge.seat == side)
        assert points
        assert (sums.games, sums.points, sums.won) == (len(points), sum(points), won)
        assert (sums.out, sums.sunk, sums.kings) == (out, sunk, badges["king"])
        assert (sums.places, sums.badges) == (places, badges)
        assert (sums.best.points, sums.worst.points) == (max(points), min(points))
        # They come the latest first, and of equals the first there was is told.
        assert sums.best.pk == min(g.pk for g in games if g.finished and g.points == max(points))


def test_meetings_are_those_of_the_sheets(people):
    for player in people:
        expected = {}
        for sheet, seat in sheets_of(player):
            if not sheet.game.finished:
                continue
            sides, ranks, totals = sheet.game.ruleset.sides, sheet.outcome.ranks, sheet.game.totals
            own = sides[seat]
            for number, pk in sheet.row.seats.values_list("number", "player_id"):
                met = expected.setdefault(pk, Counter())
                other = sides[number]
                if pk == player.pk:
                    continue
                if other == own:
                    met["together"] += 1
                    met["together_won"] += ranks[own] == 1
                    continue
                met["above"] += ranks[own] < ranks[other]
                met["level"] += ranks[own] == ranks[other]
                met["below"] += ranks[own] > ranks[other]
                met["places"] += ranks[own]
                met["points"] += totals[own]
                met["other_points"] += totals[other]
        del expected[player.pk]
        met = meetings(games_of(player, None), seats_beside(player))
        assert met.keys() == expected.keys()
        for other in people:
            if other != player:
                told, found = expected[other.pk], met[other.pk]
                for name in ("above", "level", "below", "together", "together_won"):
                    assert getattr(found, name) == told[name], name
                sums = compare(games_of(player, None, other), seats_beside(player, other))
                assert (sums["games"], sums["points"]) == (found.against, told["points"])
                assert sums["other_points"] == told["other_points"]
                assert sums["places"] == told["places"]


def test_two_players_beside_each_other_are_the_same_from_both_sides(people):
    one, other = people[:2]
    met = meetings(games_of(one, None, other), seats_beside(one, other))[other.pk]
    back = meetings(games_of(other, None, one), seats_beside(other, one))[one.pk]

    assert met.games == back.games > 5
    assert (met.above, met.level, met.below) == (back.below, back.level, back.above)
    sums = compare(games_of(one, None, other), seats_beside(one, other))
    mirrored = compare(games_of(other, None, one), seats_beside(other, one))
    assert sums["games"] == met.against
    assert (sums["points"], sums["places"]) == (mirrored["other_points"], mirrored["other_places"])
    assert met == meetings(games_of(one, None), seats_beside(one))[other.pk]


def test_rank_is_that_among_the_active_and_settled_and_equals_share_it():
    pool = RatingPoolFactory()
    long_ago = month_of(EVENING) - 12
    for points, ratings in ((1600, 3), (1512, 1), (1400, 5)):
        PlayerRatingFactory.create_batch(ratings, pool=pool, points=points, provisional=False)
        PlayerRatingFactory.create_batch(2, pool=pool, points=points + 1, provisional=True)
        PlayerRatingFactory.create_batch(
            2, pool=pool, points=points + 2, provisional=False, month=long_ago
        )
    PlayerRatingFactory(points=1700, provisional=False)
    settled = PlayerRatingFactory(pool=pool, points=1512, provisional=False)

    assert rank_of(settled, EVENING) == (4, 10)
    assert rank_of(PlayerRatingFactory(pool=pool), EVENING) is None
    rests = PlayerRatingFactory(pool=pool, provisional=False, month=long_ago)
    assert rank_of(rests, EVENING) is None


def test_ratings_are_of_the_club_and_of_the_account_on_the_server(club):
    player = PlayerFactory(club=club)
    own = PlayerRatingFactory(pool__club=club, player=player)
    server = PlayerRatingFactory(pool__club=None, player=player)
    PlayerRatingFactory(pool__club=club, pool__family="euchre")

    assert sorted(row.pk for row in ratings_of(player)) == sorted([own.pk, server.pk])


def test_games_of_a_ruleset_that_is_gone_are_left_out(club):
    people = [PlayerFactory(club=club) for _ in range(4)]
    for number in range(2):
        play(club, records()[0], people, number)
    kept, gone = Game.objects.order_by("pk")
    Game.objects.filter(pk=gone.pk).update(ruleset="gone")

    assert [game.pk for game in games_of(people[0], None)] == [kept.pk]
    Event.objects.update(published=True)
    assert [game.played.key for game in load_games(club, None)] == [kept.pk]
