"""The next game at a table: who plays in which seats, what, and who begins."""

from http import HTTPStatus

import pytest
from django.test import Client
from django.urls import reverse

from tests.club_factories import TableFactory
from tests.deals import NAMES, WHOLE_GAME
from tests.factories import GameFactory, record
from tests.match_builders import krapet, won_by
from tournaments.models import Game
from tournaments.web.base.phone import address

pytestmark = pytest.mark.django_db

KEY = "a-key-of-at-least-22-characters"


@pytest.fixture
def before():
    """A finished game; the last in it is Cem."""
    return GameFactory(entries=WHOLE_GAME)


def page_of(game):
    return reverse("rematch", args=[game.public_id, game.secret("write")])


def names(*people):
    return {f"name{line}": name for line, name in enumerate(people)}


def go_on(phone, before, **fields):
    """Send the form, and return the game that follows; None where it is refused."""
    answer = phone.post(page_of(before), {"key": KEY, "first": "0"} | fields)
    if answer.status_code != HTTPStatus.FOUND:
        return None
    return Game.objects.get(open_table=before.open_table, number=before.number + 1)


def test_player_is_changed_in_place(plain, before):
    after = go_on(plain, before, first="1", **names("Ayşe", "Elif", "Cem", "Deniz"))

    assert (after.players, after.first_declarer) == (["Ayşe", "Elif", "Cem", "Deniz"], 1)


def test_seats_are_exchanged_on_the_page_and_nothing_starts(plain, before):
    sent = names(*NAMES) | {"swap": "1", "seats": "moved"}

    page = plain.post(page_of(before), sent)

    assert page.status_code == HTTPStatus.OK
    assert page.context["form"].typed[:4] == ["Ayşe", "Cem", "Burak", "Deniz"]
    assert page.context["form"].starters()[0] == (3, "Deniz")
    assert Game.objects.count() == 1


def test_another_game_with_its_options_is_played_at_the_same_table(plain, before):
    bloody = {"family": "turkish-king", "form.turkish-king": "turkish-king-bloody"}
    options = {"turkish-king-bloody.order": "strict", "turkish-king-bloody.out": "mean"}

    after = go_on(plain, before, **names(*NAMES), **bloody, **options)

    assert after.ruleset == "turkish-king-bloody"
    assert after.options == {"order": "strict", "out": "mean"}


def test_last_of_the_last_game_sits_out_for_a_fifth_and_comes_back(plain, before):
    five = names(*NAMES, "Elif")
    second = go_on(plain, before, **five)
    assert (second.players, second.resting) == (["Ayşe", "Burak", "Elif", "Deniz"], ["Cem"])

    page = plain.get(page_of(second))
    assert page.context["form"].people == ["Ayşe", "Burak", "Elif", "Deniz", "Cem"]
    third = go_on(plain, second, first="1")
    assert third.players == ["Cem", "Burak", "Elif", "Deniz"]
    assert (third.resting, third.first_declarer) == (["Ayşe"], 1)


def test_who_sits_out_is_chosen_by_a_tap(plain, before):
    after = go_on(plain, before, out="0", first="4", **names(*NAMES, "Elif"))

    assert (after.players, after.resting) == (["Elif", "Burak", "Cem", "Deniz"], ["Ayşe"])
    assert after.first_declarer == 0


def test_whoever_sits_out_cannot_begin(plain, before):
    sent = {"key": KEY, "first": "2", **names(*NAMES, "Elif")}

    page = plain.post(page_of(before), sent)

    assert page.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert "Cem sits out: who begins?" in page.text
    assert page.context["form"].typed[4] == "Elif"
    assert Game.objects.count() == 1


@pytest.mark.parametrize(
    ("people", "field", "error"),
    [
        (("Ayşe", "Burak", "", "Deniz"), "name2", "Who sits here?"),
        (("Ayşe", "Burak", "Ayşe", "Deniz"), "name2", "Ayşe sits here twice."),
        (("Ayşe", "B" * 31, "Cem", "Deniz"), "name1", "Ensure this value has at most 30"),
    ],
)
def test_names_that_cannot_be_are_refused_beside_their_fields(plain, before, people, field, error):
    page = plain.post(page_of(before), {"first": "0", **names(*people)})

    assert page.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert list(page.context["form"].errors) == [field]
    assert error in page.text
    assert Game.objects.count() == 1


def test_names_asked_for_meanwhile_follow_what_is_typed(phone, before):
    page = phone.post(page_of(before), names(*NAMES, "Elif"))

    assert page.context["form"].starters() == [(0, "Ayşe"), (1, "Burak"), (4, "Elif"), (3, "Deniz")]
    assert "<html" not in page.text
    assert Game.objects.count() == 1


def test_two_of_a_table_go_on_with_a_match_and_the_others_sit_out(plain, before):
    fields = {"family": "krapet", "form.krapet": "krapet", "match": "best-of.3"}

    after = go_on(plain, before, first="1", out=["2", "3"], **names(*NAMES), **fields)

    assert (after.players, after.resting) == (["Ayşe", "Burak"], ["Cem", "Deniz"])
    assert (after.match.number, after.match_number) == (3, 1)


def test_match_is_offered_again_as_a_match(plain):
    game = krapet(number=5)
    record(game, won_by(0))

    after = go_on(plain, game, **names("Ayşe", "Elif"))

    assert (after.match.length, after.match.number) == ("best-of", 5)
    assert after.match != game.match


def test_sent_twice_starts_one_game(plain, before):
    sent = {"key": KEY, "first": "0", **names(*NAMES, "Elif")}

    answers = {plain.post(page_of(before), sent).url for _ in range(2)}

    assert len(answers) == 1
    assert Game.objects.count() == 2


def test_rematch_page_asks_the_database_as_often_after_any_number_of_games(
    plain, before, django_assert_num_queries
):
    second = go_on(plain, before)
    with django_assert_num_queries(5):
        plain.get(page_of(second))
    third = go_on(plain, second)
    with django_assert_num_queries(5):
        plain.get(page_of(third))


def test_phone_of_a_club_does_not_write_the_open_game_after_the_adopted_one(plain, before):
    after = go_on(plain, before)
    Game.objects.filter(pk=before.pk).update(table=TableFactory())
    stranger = Client()

    asked = stranger.get(page_of(before))
    sent = stranger.post(page_of(before), {"key": "another-key-of-22-characters", "first": "0"})

    assert (asked.url, sent.url) == (address(after, "follow"), address(after, "follow"))
