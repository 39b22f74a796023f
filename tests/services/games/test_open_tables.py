import pytest

from tests.club_factories import RoundFactory
from tests.deals import NAMES, WHOLE_GAME
from tests.factories import EVENING, GameFactory, SetupFactory, record
from tests.match_builders import KEY, krapet, next_game, rematch, won_by
from tournaments.engine.rules.rulesets import InvalidEntry
from tournaments.models import Game, OpenTable
from tournaments.services.audit import NOBODY
from tournaments.services.games import playing, tables

pytestmark = pytest.mark.django_db


def numbers(table):
    return list(table.games.order_by("number").values_list("number", flat=True))


def test_table_opens_with_its_first_game_once_for_a_key():
    games = [tables.start_table(SetupFactory(), at=EVENING, key=KEY) for _ in range(2)]

    assert games[0] == games[1]
    assert games[0].open_table == OpenTable.objects.get()
    assert games[0].number == 1


def test_setup_that_is_refused_leaves_no_table():
    with pytest.raises(InvalidEntry):
        tables.start_table(SetupFactory(players=("Ayşe",)), at=EVENING)

    assert not OpenTable.objects.exists()


def test_games_follow_one_another_at_a_table_whatever_is_played():
    first = GameFactory(entries=WHOLE_GAME)
    second, opened = rematch(first, ruleset="krapet", players=("Ayşe", "Elif"))
    again, twice = rematch(first)
    by_another, theirs = rematch(first, key="another-phone-pressed-later")
    third, _ = rematch(second)

    assert (opened, twice, theirs) == (True, True, False)
    assert second == again == by_another
    assert numbers(first.open_table) == [1, 2, 3]
    # From an old sheet, the table leads to its last game.
    assert rematch(first, key="yet-another-key") == (third, False)


def test_games_of_a_match_are_games_of_the_table():
    game = krapet()
    record(game, won_by(0))
    second, _ = next_game(game)
    record(second, won_by(1))
    third, _ = next_game(second)
    last, _ = rematch(third, ruleset="krapet", players=("Ayşe", "Burak"))

    games = (game, second, third, last)
    assert {each.open_table for each in games} == {game.open_table}
    assert [(each.number, each.match_number) for each in games] == [
        (1, 1), (2, 2), (3, 3), (4, None),
    ]  # fmt: skip


def test_taking_the_scoring_revokes_the_write_links_of_all_games_at_the_table():
    first, stranger = GameFactory(entries=WHOLE_GAME), GameFactory()
    second, _ = rematch(first)

    for _ in range(2):
        playing.hand_over(second.pk, 1, "key-of-the-taker", at=EVENING)

    generations = dict(Game.objects.values_list("pk", "write_generation"))
    assert generations == {first.pk: 2, second.pk: 2, stranger.pk: 1}


def test_table_goes_with_its_last_game():
    first = GameFactory(entries=WHOLE_GAME)
    second, _ = rematch(first)

    playing.delete_game(second.pk)
    third, opened = rematch(first, key="pressed-once-more")
    assert (opened, third.number) == (True, 2)
    for game in (first, third):
        playing.delete_game(game.pk)

    assert not OpenTable.objects.exists()


def test_game_that_a_club_adopts_stays_in_the_evening():
    first = GameFactory(entries=WHOLE_GAME)
    second, _ = rematch(first)

    tables.adopt_game(second.pk, RoundFactory().pk, NAMES, NOBODY, at=EVENING)
    playing.hand_over(second.pk, 1, "key-of-the-taker", at=EVENING)

    assert numbers(first.open_table) == [1, 2]
    # The club hands over its own game only.
    assert Game.objects.get(pk=first.pk).write_generation == 1
