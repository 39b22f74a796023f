"""Matches: games between the same sides, in the database."""

import pytest
from django.db import IntegrityError, models

from tests.factories import EVENING, HeadFactory, PenFactory, record
from tournaments.engine.problems import InvalidEntry
from tournaments.models import Game, Match
from tournaments.services.play.matches import (
    GameGoesOn,
    MatchOver,
    load_match,
    start_match,
    start_next_game,
)
from tournaments.services.play.playing import change_head, correct_entry, delete_game

pytestmark = pytest.mark.django_db

KEY = "a-key-of-at-least-22-characters"
TWO = ("Ayşe", "Burak")


def won_by(side, reserve=4):
    """A game of Krapet, as it stands in a record."""
    left = [0, 0]
    left[1 - side] = reserve
    piles = {"reserve": left, "stock": [0, 0], "waste": [0, 0]}
    return {"type": "deal", "winner": side, "left": piles}


def krapet(number=3, length="best-of", **options):
    head = HeadFactory(ruleset="krapet", players=TWO, options=options)
    return start_match(head, length, number, at=EVENING, key=KEY)


def next_game(game, key=KEY, reason="Laps"):
    return start_next_game(game.pk, at=EVENING, key=key, reason=reason)


def play(winners, **terms):
    """The last game of a match whose games these sides have won."""
    game = krapet(**terms)
    for index, side in enumerate(winners):
        game = next_game(game)[0] if index else game
        record(game, won_by(side))
    return game


def test_match_begins_with_its_first_game():
    game = krapet()

    assert (game.match.length, game.match.number, game.match_number) == ("best-of", 3, 1)
    assert (game.ruleset, game.players) == ("krapet", list(TWO))


def test_match_started_twice_with_one_key_is_one():
    first, second = krapet(), krapet()

    assert first.pk == second.pk
    assert (Game.objects.count(), Match.objects.count()) == (1, 1)


def test_match_of_another_length_with_the_same_key_is_another():
    assert krapet(3).pk != krapet(5).pk


def test_game_without_a_target_makes_no_match():
    with pytest.raises(InvalidEntry):
        start_match(HeadFactory(), "best-of", 3, at=EVENING)

    assert not Match.objects.exists()
    assert not Game.objects.exists()


@pytest.mark.parametrize(("length", "number"), [("best-of", 0), ("longest", 3)])
def test_match_refuses_terms_that_cannot_be(length, number):
    with pytest.raises(ValueError, match="A match is"):
        krapet(number, length)

    assert not Game.objects.exists()


def test_next_game_seats_the_same_and_another_begins():
    first = play([0])

    game, opened = next_game(first)

    assert opened
    assert (game.match_id, game.match_number) == (first.match_id, 2)
    assert (game.players, game.ruleset, game.options) == (list(TWO), "krapet", {})
    assert (first.first_declarer, game.first_declarer) == (0, 1)


def test_next_game_asked_for_twice_is_opened_once():
    first = play([0])

    games = [next_game(first) for _ in range(2)]

    assert [opened for _, opened in games] == [True, True]
    assert len({game.pk for game, _ in games}) == 1
    assert Game.objects.count() == 2


def test_next_game_opened_by_another_phone_is_told_apart():
    first = play([0])
    game, _ = next_game(first)

    again, opened = next_game(first, key="key-of-another-phone-123")

    assert (again.pk, opened) == (game.pk, False)
    assert Game.objects.count() == 2


def test_next_game_waits_for_the_end_of_this_one():
    game = krapet()

    with pytest.raises(GameGoesOn):
        next_game(game)

    assert Game.objects.count() == 1


@pytest.mark.parametrize(
    ("terms", "winners", "won", "winner"),
    [
        ({"number": 3}, [0, 0], (2, 0), (0,)),
        ({"number": 3}, [0, 1, 1], (1, 2), (1,)),
        ({"number": 2, "length": "first-to"}, [1, 0, 1], (1, 2), (1,)),
    ],
)
def test_match_is_over_when_its_terms_are_met(terms, winners, won, winner):
    game = play(winners, **terms)

    with pytest.raises(MatchOver):
        next_game(game)

    score = load_match(game.match).score
    assert (score.won, score.winners, score.over) == (won, winner, True)
    assert Game.objects.count() == len(winners)


def test_score_of_a_match_follows_a_correction():
    first = play([0])
    assert load_match(first.match).score.won == (1, 0)
    first.refresh_from_db()

    correct_entry(first.pk, 0, won_by(1), "", PenFactory(revision=first.revision))

    assert load_match(first.match).score.won == (0, 1)


def railroad(**options):
    head = HeadFactory(ruleset="euchre-railroad", options=options)
    return start_match(head, "first-to", 3, at=EVENING, key=KEY)


def march(game, times, maker=0):
    for _ in range(times):
        record(game, {"type": "deal", "maker": maker, "tricks": 5, "alone": True})


def test_laps_carry_what_is_over_the_target_into_the_next_game():
    game = railroad(laps=True)
    march(game, 3)

    after, _ = next_game(game)

    (write,) = after.writes.all()
    assert write.body == {
        "type": "adjustment",
        "seat": 0,
        "points": 2,
        "to": "none",
        "reason": "Laps",
    }
    sheet = load_match(game.match).sheets[1]
    assert (sheet.game.totals, sheet.row.revision) == ((2, 0), 1)
    assert after.revision == 1


def test_without_laps_nothing_is_carried():
    game = railroad()
    march(game, 3)

    after, _ = next_game(game)

    assert not after.writes.exists()


@pytest.mark.parametrize(("slam", "won"), [(True, (2, 0)), (False, (1, 0))])
def test_slam_counts_as_two_games_where_it_is_played(slam, won):
    game = railroad(slam=slam)
    march(game, 3)

    assert load_match(game.match).score.won == won


def test_next_game_takes_the_names_as_they_are_now():
    first = play([0])
    head = HeadFactory(ruleset="krapet", players=("Ayşe", "Cem"))
    change_head(first.pk, head, PenFactory(revision=1))

    game, _ = next_game(first)

    assert game.players == ["Ayşe", "Cem"]


@pytest.mark.parametrize("number", [1, 3])
def test_match_is_loaded_in_two_queries(number, django_assert_num_queries):
    row = play([0, 1, 0][:number], number=7).match

    with django_assert_num_queries(2):
        match = load_match(row)

    assert len(match.sheets) == number


def test_match_goes_with_its_last_game():
    first = play([0])
    second, _ = next_game(first)

    delete_game(first.pk)
    assert Match.objects.count() == 1

    delete_game(second.pk)
    assert not Match.objects.exists()


def test_match_keeps_its_games():
    game = krapet()

    with pytest.raises(models.ProtectedError):
        game.match.delete()


@pytest.mark.parametrize(
    ("constraint", "change"),
    [
        ("game_number_in_its_match", {"match_number": 0}),
        ("game_number_in_its_match", {"match_number": None}),
        ("game_number_in_its_match", {"match": None}),
    ],
)
def test_database_refuses_a_game_without_its_number(constraint, change):
    game = krapet()

    with pytest.raises(IntegrityError, match=constraint):
        Game.objects.filter(pk=game.pk).update(**change)


def test_database_refuses_a_number_twice_in_one_match():
    game = play([0])

    # SQLite names the columns of a unique constraint, PostgreSQL the constraint.
    with pytest.raises(IntegrityError, match=r"game_one_per_number|match_id.*match_number"):
        Game.objects.create(
            ruleset="krapet", players=TWO, played_at=EVENING, match=game.match, match_number=1
        )


@pytest.mark.parametrize(
    ("constraint", "change"),
    [
        ("match_length_known", {"length": "longest"}),
        ("match_of_one_game_or_more", {"number": 0}),
    ],
)
def test_database_refuses_terms_that_cannot_be(constraint, change):
    match = krapet().match

    with pytest.raises(IntegrityError, match=constraint):
        Match.objects.filter(pk=match.pk).update(**change)
