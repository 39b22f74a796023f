"""A new table, and the rematch."""

from dataclasses import replace

import pytest
from django.test import Client
from django.urls import reverse

from tests.deals import WHOLE_GAME
from tests.factories import EVENING, GameFactory, HeadFactory
from tournaments.engine.ruleset_records import write_ruleset
from tournaments.engine.variants import RULESETS
from tournaments.models import Game, HouseRuleset
from tournaments.services.play.playing import hand_over
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


def test_rematch_from_the_old_sheet_leads_to_the_one_already_started(phone):
    before = GameFactory(entries=WHOLE_GAME)
    url = reverse("rematch", args=[before.public_id, before.secret("write")])
    started = phone.post(url, {"seats": "kept", "first": "1"})
    again = [phone.get(url), phone.post(url, {"seats": "moved", "first": "0"})]
    other = Client().get(url)

    game = Game.objects.exclude(pk=before.pk).get()
    assert started.url == address(game, "write")
    assert [answer.url for answer in again] == [address(game, "write")] * 2
    assert other.url == address(game, "follow")
    game.delete()
    assert phone.get(url).status_code == 200


def test_rematch_without_a_first_declarer_is_refused(phone):
    before = GameFactory()
    url = reverse("rematch", args=[before.public_id, before.secret("write")])

    assert phone.post(url, {"seats": "kept"}).status_code == 422
    assert Game.objects.count() == 1


def test_rematch_is_for_whoever_writes(phone):
    before = GameFactory()
    follower = reverse("rematch", args=[before.public_id, before.secret("follow")])
    writer = reverse("rematch", args=[before.public_id, before.secret("write")])

    hand_over(before.pk, 1, "key-of-another-phone-123", at=EVENING)

    assert phone.get(follower).status_code == 404
    assert phone.get(writer).status_code == 404


# Every game.


def names(number):
    return {f"name{seat}": name for seat, name in enumerate(list(FOUR.values())[:number])}


def start(phone, ruleset, seats=4, **fields):
    return phone.post(reverse("new"), {"ruleset": ruleset, **names(seats), **fields})


def test_family_and_its_form_name_the_ruleset(phone):
    choice = {"family": "euchre", "form.euchre": "euchre-three", "form.krapet": "krapet"}

    phone.post(reverse("new"), {**choice, **names(3)})

    assert Game.objects.get().ruleset == "euchre-three"


def test_family_without_a_form_is_refused(phone):
    page = phone.post(reverse("new"), {"family": "euchre", **names(4)})

    assert page.status_code == 422
    assert list(page.context["form"].errors) == ["ruleset"]


@pytest.mark.parametrize("ruleset", RULESETS.values(), ids=list(RULESETS))
def test_every_game_starts_with_as_many_as_it_seats(phone, ruleset):
    start(phone, ruleset.id, first_declarer="1")

    game = Game.objects.get()
    assert (game.ruleset, len(game.players)) == (ruleset.id, ruleset.seats)
    assert (game.first_declarer, game.options) == (1, {})


def test_names_at_seats_that_a_game_has_not_are_left_aside(phone):
    start(phone, "krapet", name2="Ayşe", name3="x" * 31)

    assert Game.objects.get().players == ["Ayşe", "Burak"]


def test_seat_that_a_game_has_not_does_not_begin_it(phone):
    start(phone, "krapet", first_declarer="3")

    assert Game.objects.get().first_declarer == 0


def test_three_are_asked_for_the_third_name(phone):
    page = start(phone, "euchre-three", seats=2)

    assert page.context["form"].errors == {"name2": ["Who sits here?"]}


@pytest.mark.parametrize(
    ("ruleset", "typed", "options"),
    [
        ("italian-king", {"sale": "True"}, {"sale": True}),
        ("italian-king", {"sale": ["False", "True"]}, {"sale": True}),
        ("italian-king", {"sale": "False"}, {}),
        ("italian-king", {"no_trump_declaration": "False"}, {"no_trump_declaration": False}),
        ("italian-king", {"stake": "0.10"}, {"stake": "1/10"}),
        ("italian-king", {"stake": "0,10"}, {"stake": "1/10"}),
        ("italian-king", {"stake": " 2 "}, {"stake": 2}),
        ("italian-king", {"stake": "1/3"}, {"stake": "1/3"}),
        ("italian-king", {"stake": "0"}, {}),
        ("italian-king", {"stake": ""}, {}),
        ("honeymoon-king", {"deals": "8"}, {}),
        ("honeymoon-king", {"deals": "12"}, {"deals": 12}),
        ("euchre", {"target": "10"}, {}),
        ("euchre", {"target": "5", "deck": "32"}, {"target": 5, "deck": 32}),
        ("krapet", {"target": "1"}, {}),
        ("krapet", {"target": "300"}, {"target": 300}),
        ("krapet", {"scoring": "points"}, {"scoring": "points"}),
        ("krapet", {"scoring": "points", "target": "300"}, {"scoring": "points"}),
        ("krapet", {"scoring": "points", "target": "1"}, {"scoring": "points", "target": 1}),
    ],
)
def test_options_of_every_kind_are_kept_where_they_differ(phone, ruleset, typed, options):
    start(phone, ruleset, **{f"{ruleset}.{name}": value for name, value in typed.items()})

    game = Game.objects.get()
    assert game.options == options
    assert all(type(game.options[name]) is type(value) for name, value in options.items())


@pytest.mark.parametrize(
    ("ruleset", "name", "typed", "error"),
    [
        ("italian-king", "stake", "ten", "An amount of money, like 0.10"),
        ("italian-king", "stake", "1/0", "An amount of money, like 0.10"),
        ("italian-king", "stake", "-1", "An amount of money, like 0.10"),
        ("honeymoon-king", "deals", "7", "An even number"),
        ("euchre", "target", "ten", "A whole number"),
        ("euchre", "target", "0", "Ensure this value is greater than or equal to 1."),
        ("euchre", "deck", "52", "Select a valid choice. 52 is not one of the available choices."),
    ],
)
def test_options_that_cannot_be_are_refused_beside_their_fields(phone, ruleset, name, typed, error):
    page = start(phone, ruleset, **{f"{ruleset}.{name}": typed})

    assert page.status_code == 422
    assert page.context["form"].errors == {f"{ruleset}.{name}": [error]}
    assert not Game.objects.exists()


def test_what_was_typed_for_another_game_hinders_nobody(phone):
    start(phone, "krapet", **{"euchre.target": "ten"})

    assert Game.objects.get().options == {}


@pytest.mark.parametrize(
    ("language", "ruleset", "typed", "shown"),
    [
        ("en", "italian-king", {"stake": "0,10"}, "0.10"),
        ("tr", "italian-king", {"stake": "0.10"}, "0,10"),
        ("it", "italian-king", {"stake": "2"}, "2"),
        ("en", "italian-king", {"stake": "1/3"}, "1/3"),
        ("en", "honeymoon-king", {"deals": "12"}, 12),
        ("en", "italian-king", {"sale": "True"}, True),
    ],
)
def test_options_of_the_last_table_stand_in_the_next(client, language, ruleset, typed, shown):
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = language
    ((name, value),) = typed.items()
    start(client, ruleset, **{f"{ruleset}.{name}": value})

    form = client.get(reverse("new")).context["form"]

    assert form[f"{ruleset}.{name}"].value() == shown


@pytest.mark.parametrize(
    ("ruleset", "drawn", "begins"),
    [
        ("turkish-king", "4-right", "two-of-diamonds"),
        ("euchre", "4-left", "dealer"),
        ("euchre-three", "3-left", "dealer"),
        ("honeymoon-king", "2-right", "two-of-diamonds"),
        ("krapet", "2-right", "starter"),
        ("italian-king", "4-right", "dealer"),
    ],
)
def test_table_is_drawn_as_the_game_sits(phone, ruleset, drawn, begins):
    page = phone.get(f"{reverse('new')}?ruleset={ruleset}")

    shown = page.context["form"].shown
    assert (shown.drawn, shown.begins) == (drawn, begins)
    assert f'data-drawn="{drawn}" data-begins="{begins}"' in page.text


@pytest.mark.parametrize(("ruleset", "pairs"), [("euchre", True), ("euchre-three", False)])
def test_pairs_are_marked_where_there_are_any(phone, ruleset, pairs):
    page = phone.get(f"{reverse('new')}?ruleset={ruleset}")

    assert page.context["form"].shown.pairs == pairs


@pytest.mark.parametrize(
    ("ruleset", "seats", "question"),
    [
        ("turkish-king", 4, "Who has the two of diamonds?"),
        ("italian-king", 4, "Who deals first?"),
        ("krapet", 2, "Who begins?"),
    ],
)
def test_same_again_asks_who_begins_in_words_of_the_game(phone, ruleset, seats, question):
    start(phone, ruleset)
    game = Game.objects.get()

    pages = ["/", reverse("rematch", args=[game.public_id, game.secret("write")])]

    for page in map(phone.get, pages):
        starters = page.text.partition('class="starters"')[2].partition("</fieldset>")[0]
        assert question in page.text
        assert starters.count("<button") == seats


def test_rematch_of_two_refuses_a_third(phone):
    start(phone, "krapet")
    game = Game.objects.get()
    url = reverse("rematch", args=[game.public_id, game.secret("write")])

    assert phone.post(url, {"seats": "kept", "first": "2"}).status_code == 422
    assert phone.post(url, {"seats": "moved", "first": "1"}).status_code == 302

    again = Game.objects.latest("pk")
    assert (again.players, again.first_declarer) == (["Burak", "Ayşe"], 0)


def test_heading_changes_options_of_every_kind(phone):
    start(phone, "italian-king", **{"italian-king.sale": "True"})
    game = Game.objects.get()
    url = reverse("head", args=[game.public_id, game.secret("write")])
    fields = {**FOUR, "first_declarer": "0", "key": KEY, "revision": "0"}

    page = phone.get(url)
    phone.post(url, {**fields, "stake": "0,05", "sale": "False", "blind_declaration": "True"})

    game.refresh_from_db()
    assert "dealt first" in page.text
    assert game.options == {"stake": "1/20", "blind_declaration": True}


def test_table_of_house_rules_is_opened_like_any_other(phone):
    rules = replace(RULESETS["turkish-king"], id="club-king", name="Club King", deals=16)
    document = write_ruleset(rules)
    HouseRuleset.objects.create(
        slug="club-king", name="Club King", document=document, changed_at=EVENING
    )
    page = phone.get(reverse("new"))

    start(phone, "club-king", **{"club-king.king": "off"})

    game = Game.objects.get()
    assert "Club King" in page.text
    assert (game.ruleset, game.document, game.options) == ("club-king", document, {"king": "off"})
    assert phone.get("/").context["again_ruleset"] == "Club King"


def test_same_again_is_not_offered_once_house_rules_are_gone(phone):
    rules = replace(RULESETS["turkish-king"], id="club-king", name="Club King")
    house = HouseRuleset.objects.create(
        slug="club-king", name="Club King", document=write_ruleset(rules), changed_at=EVENING
    )
    start(phone, "club-king")

    house.delete()

    page = phone.get("/")
    assert page.context["again"] is None
    assert [line.ruleset for line in page.context["games"]] == ["Club King"]
