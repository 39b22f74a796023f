"""A new table, and the rematch."""

import pytest
from django.urls import reverse

from tests.factories import WHOLE_GAME, GameFactory, HeadFactory
from tournaments.models import Game
from tournaments.services.playing import hand_over
from tournaments.web.phone import address

pytestmark = pytest.mark.django_db

KEY = "a-key-of-at-least-22-characters"
FOUR = {"name0": "Ayşe", "name1": "Burak", "name2": "Cem", "name3": "Deniz"}
TABLE = {"ruleset": "turkish-king", "first_declarer": "2", "key": KEY, **FOUR}


@pytest.fixture
def phone(client):
    """A browser in English."""
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "en"
    return client


def test_new_table_opens_the_sheet(phone):
    answer = phone.post(reverse("new"), TABLE)

    game = Game.objects.get()
    assert (answer.status_code, answer.url) == (302, address(game, "write"))
    assert game.players == ["Ayşe", "Burak", "Cem", "Deniz"]
    assert (game.ruleset, game.first_declarer, game.options) == ("turkish-king", 2, {})


def test_new_table_keeps_only_options_that_differ_and_belong_to_the_ruleset(phone):
    options = {
        "turkish-king-bloody.king": "ends-game",
        "turkish-king-bloody.order": "strict",
        "turkish-king.king": "off",
    }

    phone.post(reverse("new"), {**TABLE, **options, "ruleset": "turkish-king-bloody"})

    assert Game.objects.get().options == {"order": "strict"}


def test_new_table_keeps_title_and_place(phone):
    phone.post(reverse("new"), {**TABLE, "title": "Cuma", "place": "Moda"})

    game = Game.objects.get()
    assert (game.title, game.place) == ("Cuma", "Moda")


def test_start_tapped_twice_opens_one_table(phone):
    answers = [phone.post(reverse("new"), TABLE) for _ in range(2)]

    assert answers[0].url == answers[1].url
    assert Game.objects.count() == 1


def test_start_with_other_names_opens_another_table(phone):
    phone.post(reverse("new"), TABLE)
    phone.post(reverse("new"), {**TABLE, "name0": "Ece"})

    assert Game.objects.count() == 2


def test_short_key_finds_no_table(phone):
    # A key that could be guessed would show a stranger where to write.
    urls = {phone.post(reverse("new"), {**TABLE, "key": "short"}).url for _ in range(2)}

    assert len(urls) == 2


def test_row_keeps_no_key_that_opens_the_table(phone):
    phone.post(reverse("new"), TABLE)

    assert KEY not in Game.objects.get().start_key


@pytest.mark.parametrize(
    ("change", "errors"),
    [
        ({"name2": ""}, {"name2": ["Who sits here?"]}),
        ({"name2": "   "}, {"name2": ["Who sits here?"]}),
        ({"name3": "Ayşe"}, {"name3": ["Ayşe sits here twice."]}),
        ({"name3": " Ayşe "}, {"name3": ["Ayşe sits here twice."]}),
    ],
)
def test_new_table_refuses_names_beside_their_seats(phone, change, errors):
    page = phone.post(reverse("new"), {**TABLE, **change, "place": "Moda"})

    assert page.status_code == 422
    assert page.context["form"].errors == errors
    assert 'value="Burak"' in page.text
    assert 'value="Moda"' in page.text
    assert f'value="{KEY}"' in page.text
    assert not Game.objects.exists()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("ruleset", "bridge"),
        ("first_declarer", "4"),
        ("turkish-king.king", "sometimes"),
        ("name0", "x" * 31),
    ],
)
def test_new_table_refuses_what_is_no_choice(phone, field, value):
    page = phone.post(reverse("new"), {**TABLE, field: value})

    assert page.status_code == 422
    assert list(page.context["form"].errors) == [field]
    assert not Game.objects.exists()


def test_new_table_suggests_the_names_this_phone_knows(phone):
    phone.post(reverse("new"), TABLE)
    phone.post(reverse("new"), {**TABLE, "name0": "Ece"})

    assert phone.get(reverse("new")).context["names"] == ["Ece", "Burak", "Cem", "Deniz", "Ayşe"]


def test_new_table_starts_with_ruleset_and_options_of_the_last_but_no_names(phone):
    options = {"ruleset": "turkish-king-bloody", "turkish-king-bloody.order": "ordered"}
    phone.post(reverse("new"), {**TABLE, **options})

    form = phone.get(reverse("new")).context["form"]

    assert form["ruleset"].value() == "turkish-king-bloody"
    assert form["turkish-king-bloody.order"].value() == "ordered"
    assert form["name0"].value() is None


def test_same_four_again_is_one_tap_on_who_declares_first(phone):
    phone.post(reverse("new"), {**TABLE, "turkish-king.king": "declared"})
    again = phone.get("/").context["again"]
    fields = {f.html_name: f.value() for f in again.table() if f.value() is not None}

    phone.post(reverse("new"), {**fields, "key": again.key, "first_declarer": "3"})

    before, game = Game.objects.order_by("pk")
    assert game.players == before.players
    assert game.options == {"king": "declared"}
    assert game.first_declarer == 3


@pytest.mark.parametrize(
    ("seats", "players", "first"),
    [
        ("kept", ["Ayşe", "Burak", "Cem", "Deniz"], 1),
        ("moved", ["Deniz", "Ayşe", "Burak", "Cem"], 2),
    ],
)
def test_rematch_seats_the_same_four(phone, seats, players, first):
    head = HeadFactory(options={"out": "mean"}, title="Cuma", place="Moda")
    before = GameFactory(head=head, entries=WHOLE_GAME)
    url = reverse("rematch", args=[before.public_id, before.secret("write")])
    key = phone.get(url).context["key"]

    answers = [phone.post(url, {"seats": seats, "first": "1", "key": key}) for _ in range(2)]

    game = Game.objects.exclude(pk=before.pk).get()
    assert {answer.url for answer in answers} == {address(game, "write")}
    assert (game.players, game.first_declarer) == (players, first)
    assert (game.ruleset, game.options) == ("turkish-king", {"out": "mean"})
    assert (game.title, game.place) == ("Cuma", "Moda")


def test_rematch_without_a_first_declarer_is_refused(phone):
    before = GameFactory()
    url = reverse("rematch", args=[before.public_id, before.secret("write")])

    assert phone.post(url, {"seats": "kept"}).status_code == 422
    assert Game.objects.count() == 1


def test_rematch_is_for_whoever_writes(phone):
    before = GameFactory()
    follower = reverse("rematch", args=[before.public_id, before.secret("follow")])
    writer = reverse("rematch", args=[before.public_id, before.secret("write")])

    hand_over(before.pk, 1, "key-of-another-phone-123")

    assert phone.get(follower).status_code == 404
    assert phone.get(writer).status_code == 404
