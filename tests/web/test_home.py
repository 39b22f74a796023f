"""The first page: this phone's games, the sample, and how pages look here."""

import random

import pytest
from django.urls import reverse
from django.utils import translation

from tests.deals import WHOLE_GAME
from tests.factories import EVENING, GameFactory, HeadFactory, UserFactory, reload
from tournaments.engine.variants import RULESETS
from tournaments.models import Game
from tournaments.queries.sheets import load_sheet
from tournaments.services.play import playing, writing
from tournaments.telling.sheets import state_of
from tournaments.web.phone import MOST_GAMES, address

pytestmark = pytest.mark.django_db

LETTERS = "abcçdefgğhıijklmnoöprsştuüvyzABCÇDEFGĞHIİJKLMNOÖPRSŞTUÜVYZ"


@pytest.fixture
def phone(client):
    """A browser in English whose pages are asked by `phone.get`."""
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "en"
    return client


def start(phone, **fields):
    names = dict(zip(("name0", "name1", "name2", "name3"), HeadFactory().players, strict=True))
    data = {"ruleset": "turkish-king", "first_declarer": "0", **names, **fields}
    phone.post(reverse("new"), data)
    return Game.objects.latest("pk")


def test_home_without_games_says_what_to_do(phone):
    page = phone.get("/")

    assert page.status_code == 200
    assert page.context["games"] == []
    assert "None yet." in page.text


def test_home_is_kept_by_no_cache(phone):
    assert "no-store" in phone.get("/")["Cache-Control"]


def test_home_lists_the_games_of_this_phone_newest_first(phone):
    first, second = start(phone), start(phone, name0="Ece")
    GameFactory()

    lines = phone.get("/").context["games"]

    assert [line.game.address for line in lines] == [
        address(second, "write"),
        address(first, "write"),
    ]
    assert [line.sheet.row.players[0] for line in lines] == ["Ece", "Ayşe"]


@pytest.mark.parametrize("number", [1, 3])
def test_home_asks_the_database_as_often_however_many_games(
    phone, number, django_assert_num_queries
):
    for index in range(number):
        game = start(phone, name0=f"Ece {index}")
        for revision, body in enumerate(WHOLE_GAME[:3]):
            pen = writing.Pen(f"some-key-{revision}", revision, game.played_at)
            playing.record_entry(game.pk, body, pen)

    # Games, their writes, whether there is a leaderboard.
    with django_assert_num_queries(3):
        page = phone.get("/")

    assert [line.state for line in page.context["games"]] == ["deal 4 of 20"] * number


def test_home_without_games_asks_only_for_a_leaderboard(phone, django_assert_num_queries):
    with django_assert_num_queries(1):
        phone.get("/")


def test_start_page_without_signal_asks_one_query_however_many_games(
    phone, django_assert_num_queries
):
    games = [start(phone, name0=f"Ece {index}") for index in range(3)]

    with django_assert_num_queries(1):
        page = phone.get(reverse("offline"))

    assert [game.row for game, _ruleset in page.context["games"]] == games[::-1]


def test_start_page_without_signal_leaves_messages_to_the_page_they_are_for(phone):
    user = UserFactory()
    phone.force_login(user)
    phone.post(reverse("account_logout"))

    phone.get(reverse("offline"))

    assert len(phone.get("/").context["messages"]) == 1


def test_home_opens_a_game_whose_pen_was_taken_to_follow(phone):
    game = start(phone)
    taken = playing.hand_over(
        game.pk, game.write_generation, "key-of-another-phone-123", at=EVENING
    )

    (line,) = phone.get("/").context["games"]

    assert line.game.address == address(taken, "follow")
    assert line.delete == ""


def test_home_forgets_a_deleted_game(phone):
    game = start(phone)

    playing.delete_game(game.pk)

    assert phone.get("/").context["games"] == []


def test_home_ignores_a_forged_cookie(phone):
    phone.cookies["games"] = "forged"
    phone.cookies["table"] = "forged"

    page = phone.get("/")

    assert page.context["games"] == []
    assert page.context["again"] is None


def test_cookie_of_the_games_stays_small(phone):
    for index in range(MOST_GAMES + 2):
        start(phone, name0=f"Ece {index}")

    assert len(phone.get("/").context["games"]) == MOST_GAMES
    assert len(phone.cookies["games"].value) < 3000
    assert phone.cookies["games"]["httponly"]
    assert phone.cookies["games"]["samesite"] == "Lax"


def test_cookie_of_the_names_stays_small_with_the_longest_names(phone):
    # Letters drawn by chance, so that nothing is gained by compressing them.
    letters = random.Random(7)
    for _ in range(30):
        names = {f"name{seat}": "".join(letters.choices(LETTERS, k=30)) for seat in range(4)}
        start(phone, **names)

    assert len(phone.cookies["table"].value) < 3000


@pytest.mark.parametrize(
    ("entries", "ruleset", "state"),
    [
        ((), "turkish-king", "deal 1 of 20"),
        (WHOLE_GAME[:6], "turkish-king", "deal 7 of 20"),
        (WHOLE_GAME, "turkish-king", "Out: Ayşe"),
        (WHOLE_GAME, "rifki", "Won: Ayşe"),
        (({"type": "stopped", "reason": "time"},), "turkish-king", "Nobody is out."),
        (({"type": "stopped", "reason": "time"},), "rifki", "Won: Ayşe, Burak, Cem, Deniz"),
    ],
)
def test_state_of_a_game_says_how_far_it_is(entries, ruleset, state):
    sheet = reload(GameFactory(head=HeadFactory(ruleset=ruleset), entries=entries))

    with translation.override("en"):
        assert state_of(sheet.game, sheet.outcome, sheet.row.players) == state


@pytest.mark.parametrize(("language", "first"), [("en", "Alice"), ("tr", "Ayşe"), ("it", "Anna")])
def test_sample_is_half_way_with_names_of_the_language(client, language, first):
    answer = client.post(reverse("sample"), headers={"accept-language": language})

    game = Game.objects.get()
    sheet = load_sheet(game)
    assert answer.url == address(game, "write")
    assert game.players[0] == first
    assert sheet.game.totals == (0, -140, -620, -290)
    assert len(sheet.game.deals) == 10


def test_sample_opened_twice_from_one_page_is_one_game(phone):
    key = phone.get("/").context["key"]

    answers = [phone.post(reverse("sample"), {"key": key}) for _ in range(2)]

    assert answers[0].url == answers[1].url
    assert Game.objects.count() == 1


def test_preferences_are_remembered_and_lead_back(phone):
    answer = phone.post(
        reverse("preferences"),
        {"theme": "dark"},
        headers={"referer": "http://testserver/new/?again=1"},
    )
    phone.post(reverse("preferences"), {"suits": "four"})

    assert answer.url == "http://testserver/new/?again=1"
    page = phone.get("/").text
    assert 'data-theme="dark"' in page
    assert 'data-suits="four"' in page


def test_preferences_lead_nowhere_else(phone):
    away = phone.post(reverse("preferences"), headers={"referer": "https://elsewhere.example/"})

    assert away.url == "/"


def test_preferences_refuse_what_is_no_choice(phone):
    phone.post(reverse("preferences"), {"theme": '"><script>'})

    assert "theme" not in phone.cookies


def test_language_is_remembered(phone):
    phone.post(reverse("set_language"), {"language": "it", "next": "/"})

    assert '<html lang="it"' in phone.get("/").text


def test_wrong_address_is_answered_in_friendly_words(phone):
    page = phone.get("/play/2345678/not-the-secret/pen/")

    assert page.status_code == 404
    assert "There is nothing at this address" in page.text


def test_every_ruleset_has_an_empty_sheet_to_print(phone):
    assert [id_ for id_, _ in phone.get("/").context["empty_sheets"]] == list(RULESETS)


def test_form_without_token_is_answered_in_friendly_words(phone):
    phone.handler.enforce_csrf_checks = True

    page = phone.post(reverse("sample"))

    assert page.status_code == 403
    assert "This page was open for too long" in page.text


def test_error_page_needs_no_database(settings, rf):
    from django.views.defaults import server_error

    assert "Something broke here" in server_error(rf.get("/")).content.decode()
