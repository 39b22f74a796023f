import pytest

from tests.factories import EVENING, ContextFactory, SetupFactory
from tests.match_builders import TWO, krapet, march, next_game, play, railroad, won_by
from tournaments.engine.documents.entries import parse_entry
from tournaments.engine.rules.rulesets import InvalidEntry
from tournaments.models import Game, Match
from tournaments.services.games.playing import change_head, correct_entry, delete_game
from tournaments.services.games.tables import MatchOver, load_match, start_match
from tournaments.services.games.writing import NotFinished

pytestmark = pytest.mark.django_db


def test_match_started_twice_with_one_key_and_length_is_one():
    first, second = krapet(), krapet()

    assert first.pk == second.pk
    assert (first.match.length, first.match.number, first.match_number) == ("best-of", 3, 1)
    assert (first.ruleset, first.players) == ("krapet", list(TWO))
    assert (Game.objects.count(), Match.objects.count()) == (1, 1)
    assert krapet(5).pk != first.pk


def test_game_without_a_target_makes_no_match():
    with pytest.raises(InvalidEntry):
        start_match(SetupFactory(), "best-of", 3, at=EVENING)

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


def test_next_game_waits_for_the_end_of_this_one():
    game = krapet()

    with pytest.raises(NotFinished):
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

    correct_entry(first.pk, 0, parse_entry(won_by(1)), "", ContextFactory(revision=first.revision))

    assert load_match(first.match).score.won == (0, 1)


def test_laps_carry_what_is_over_the_target_into_the_next_game():
    game = railroad(laps=True)
    march(game, 3)

    after, _ = next_game(game)

    (write,) = after.revisions.all()
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


def test_next_game_takes_the_names_as_they_are_now():
    first = play([0])
    head = SetupFactory(ruleset="krapet", players=("Ayşe", "Cem"))
    change_head(first.pk, head, ContextFactory(revision=1))

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
