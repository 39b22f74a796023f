import pytest
from django.urls import reverse

from tests.factories import record
from tests.match_builders import TWO, won_by
from tournaments.models import Game
from tournaments.web.base.phone import address

KEY = "a-key-of-at-least-22-characters"
KRAPET = {"ruleset": "krapet", "name0": TWO[0], "name1": TWO[1], "key": KEY}


def start(plain, **fields):
    plain.post(reverse("new"), {**KRAPET, "match": "best-of.3", **fields})
    return Game.objects.latest("pk")


def page_of(plain, game):
    return plain.get(address(game, "write"))


def tap_next(plain, game, key=KEY):
    url = reverse("next_game", args=[game.public_id, game.secret("write")])
    return plain.post(url, {"key": key})


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

    page = page_of(plain, game)
    answer = tap_next(plain, game, page.context["match"].key)

    after = Game.objects.latest("pk")
    assert "In the lead: Ayşe" in page.text
    assert [(side.name, side.won) for side in page.context["match"].sides] == [
        ("Ayşe", 1),
        ("Burak", 0),
    ]
    assert answer.url == address(after, "write")
    assert (after.match_number, after.first_declarer) == (2, 1)
    assert plain.get("/").context["games"][0].sheet.row == after


def test_next_game_opened_by_another_phone_is_written_by_both(plain, other):
    game = start(plain)
    record(game, won_by(0))
    opened = [tap_next(plain, game).url for _ in range(2)]

    answer = tap_next(other, game, "key-of-another-phone-123")

    after = Game.objects.latest("pk")
    assert opened == [address(after, "write")] * 2
    assert answer.url == address(after, "write")


def test_page_of_an_earlier_game_leads_to_the_one_after_it(plain):
    game = start(plain)
    record(game, won_by(0))
    tap_next(plain, game)
    after = Game.objects.latest("pk")

    page = page_of(plain, game)

    assert page.context["goes_on"].address == address(after, "write")
    assert not page.context["match"].open


def test_match_that_is_over_says_who_won_and_offers_a_rematch(plain):
    game = start(plain)
    record(game, won_by(1))
    tap_next(plain, game)
    last = Game.objects.latest("pk")
    record(last, won_by(1))

    page = page_of(plain, last)

    assert "Match won: Burak" in page.text
    assert reverse("rematch", args=[last.public_id, last.secret("write")]) in page.text
    assert tap_next(plain, last).url == address(last, "write")
    assert Game.objects.count() == 2


def test_rematch_of_a_match_is_another_match_to_the_same(plain):
    game = start(plain, match="first-to", match_to="2")
    url = reverse("rematch", args=[game.public_id, game.secret("write")])

    plain.post(url, {"seats": "kept", "first": "1", "key": KEY})

    again = Game.objects.latest("pk")
    assert again.match != game.match
    assert (again.match.length, again.match.number, again.match_number) == ("first-to", 2, 1)


def test_same_two_again_play_the_same_match(plain):
    start(plain)
    again = plain.get("/").context["again"]
    fields = {f.html_name: f.value() for f in again.table() if f.value() is not None}

    plain.post(reverse("new"), {**fields, "key": again.key, "first_declarer": "1"})

    games = Game.objects.all()
    assert [(g.match.length, g.match.number) for g in games] == [("best-of", 3)] * 2
    assert len({g.match_id for g in games}) == 2


@pytest.mark.parametrize("games", [1, 3])
def test_follower_of_a_match_asks_the_database_as_often_however_many_games(
    plain, games, django_assert_num_queries
):
    game = start(plain, match="best-of.7")
    for index in range(games):
        if index:
            tap_next(plain, game)
            game = Game.objects.latest("pk")
        record(game, won_by(index % 2))
    url = address(game, "follow")

    with django_assert_num_queries(7):
        assert "In the lead: Ayşe" in plain.get(url).text


def test_follower_hears_that_the_next_game_has_begun(plain, other):
    game = start(plain)
    record(game, won_by(0))
    url = address(game, "follow")
    follower, headers = other, {"hx-request": "true"}
    seen = follower.get(url, headers=headers)["ETag"]
    headers["if-none-match"] = seen

    before = follower.get(url, headers=headers).status_code
    tap_next(plain, game)
    page = follower.get(url, headers=headers)

    assert (before, page.status_code) == (304, 200)
    assert address(Game.objects.latest("pk"), "follow") in page.text
