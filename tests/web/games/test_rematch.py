from datetime import timedelta
from http import HTTPStatus

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests.club_factories import TableFactory
from tests.deals import NAMES, WHOLE_GAME
from tests.factories import GameFactory, SetupFactory, record
from tests.match_builders import TWO, krapet, won_by
from tournaments.models import Game
from tournaments.web.base.phone import address

KEY = "a-key-of-at-least-22-characters"


@pytest.fixture
def before():
    return GameFactory(entries=WHOLE_GAME)


def page_of(game):
    return reverse("rematch", args=[game.public_id, game.secret("write")])


def names(*people):
    return {f"name{line}": name for line, name in enumerate(people)}


def go_on(phone, before, **fields):
    answer = phone.post(page_of(before), {"key": KEY, "first": "0"} | fields)
    if answer.status_code != HTTPStatus.FOUND:
        return None
    return Game.objects.get(open_table=before.open_table, number=before.number + 1)


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


def test_phone_of_a_club_does_not_write_the_open_game_after_the_adopted_one(plain, before):
    after = go_on(plain, before)
    Game.objects.filter(pk=before.pk).update(table=TableFactory())
    stranger = Client()

    asked = stranger.get(page_of(before))
    sent = stranger.post(page_of(before), {"key": "another-key-of-22-characters", "first": "0"})

    assert (asked.url, sent.url) == (address(after, "follow"), address(after, "follow"))


KRAPET = {"ruleset": "krapet", "name0": TWO[0], "name1": TWO[1], "key": KEY}


def start(plain, **fields):
    plain.post(reverse("new"), {**KRAPET, "match": "best-of.3", **fields})
    return Game.objects.latest("pk")


def sheet_of(plain, game):
    return plain.get(address(game, "write"))


def tap_next(plain, game, key=KEY, headers=None, **fields):
    url = reverse("next_game", args=[game.public_id, game.secret("write")])
    return plain.post(url, {"key": key, **fields}, headers=headers)


@pytest.mark.parametrize(
    ("fields", "terms"),
    [
        ({"match": "best-of.3"}, ("best-of", 3)),
        ({"match": "best-of.7", "match_to": "4"}, ("best-of", 7)),
        ({"match": "first-to", "match_to": "4"}, ("first-to", 4)),
    ],
)
def test_new_table_opens_a_match(plain, fields, terms):
    game = start(plain, **fields)

    assert (game.match.length, game.match.number, game.match_number) == (*terms, 1)


@pytest.mark.parametrize(
    ("fields", "errors"),
    [
        ({"match": "first-to"}, {"match_to": ["To how many games?"]}),
        ({"match": "longest"}, {"match"}),
        ({"match": "first-to", "match_to": "0"}, {"match_to"}),
    ],
)
def test_new_table_refuses_a_match_that_cannot_be(plain, fields, errors):
    page = plain.post(reverse("new"), {**KRAPET, **fields})

    found = page.context["form"].errors
    assert page.status_code == 422
    assert (found if isinstance(errors, dict) else set(found)) == errors
    assert not Game.objects.exists()


def test_end_of_a_game_shows_the_match_and_leads_to_the_next(plain):
    game = start(plain)
    record(game, won_by(0))

    page = sheet_of(plain, game)
    answer = tap_next(plain, game, page.context["match"]["key"])

    after = Game.objects.latest("pk")
    assert "In the lead: Ayşe" in page.text
    assert [(side["name"], side["won"]) for side in page.context["match"]["sides"]] == [
        ("Ayşe", 1),
        ("Burak", 0),
    ]
    assert answer.url == address(after, "write")
    assert (after.match_number, after.first_declarer) == (2, 1)
    assert plain.get("/").context["games"][0]["sheet"].row == after


def test_script_gets_the_addresses_of_the_next_game_once_or_the_reason(plain):
    game, json = start(plain), {"Accept": "application/json"}
    record(game, won_by(0))
    begun = timezone.now() - timedelta(minutes=20)

    first, again = (tap_next(plain, game, headers=json, at=begun.isoformat()) for _tap in range(2))

    after = Game.objects.latest("pk")
    write = address(after, "write")
    assert first.json() == again.json()
    assert first.json() == {"game": after.public_id, "address": write, "base": write}
    assert (first.status_code, after.played_at, after.match_number) == (201, begun, 2)
    record(after, won_by(0))
    refused = tap_next(plain, after, headers=json)
    assert (refused.status_code, refused.json()) == (422, {"refused": "The match is over."})


def test_match_that_is_over_says_who_won_and_offers_a_rematch(plain):
    game = start(plain)
    record(game, won_by(1))
    tap_next(plain, game)
    last = Game.objects.latest("pk")
    record(last, won_by(1))

    page = sheet_of(plain, last)

    assert "Match won: Burak" in page.text
    assert reverse("rematch", args=[last.public_id, last.secret("write")]) in page.text
    assert tap_next(plain, last).url == address(last, "write")
    assert Game.objects.count() == 2


def test_same_two_again_play_the_same_match(plain):
    start(plain)
    Game.objects.update(played_at=timezone.now() - timedelta(hours=9))
    again = plain.get("/").context["again"]
    fields = {f.html_name: f.value() for f in again.table() if f.value() is not None}

    plain.post(reverse("new"), {**fields, "key": again.key, "first_declarer": "1"})

    games = Game.objects.all()
    assert [(g.match.length, g.match.number) for g in games] == [("best-of", 3)] * 2
    assert len({g.match_id for g in games}) == 2


@pytest.mark.parametrize(
    ("options", "there"),
    [
        ({"king_tricks": 11}, True),
        ({"king_in_a_row": 10}, False),
        ({"last_two": "seventh-and-last"}, False),
    ],
)
def test_phone_without_signal_goes_on_only_by_rules_that_it_has(plain, options, there):
    game = GameFactory(head=SetupFactory(options=options))
    assert ('id="again"' in plain.get(address(game, "write")).text) == there
