import re
from dataclasses import replace
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from tests.club_factories import ClubFactory, TableFactory
from tests.deals import WHOLE_GAME
from tests.factories import EVENING, GameFactory, SetupFactory
from tournaments.engine.documents.ruleset_records import write_ruleset
from tournaments.engine.variants import RULESETS
from tournaments.models import Game, HouseRuleset
from tournaments.services.games.seating import answer_for_pen
from tournaments.web.base.phone import address, evening_address
from tournaments.web.games.game_setup import NAMES

KEY = "a-key-of-at-least-22-characters"
FOUR = {"name0": "Ayşe", "name1": "Burak", "name2": "Cem", "name3": "Deniz"}
TABLE = {"ruleset": "turkish-king", "first_declarer": "2", "key": KEY, **FOUR}


def test_new_table_opens_the_sheet(plain):
    said = {**TABLE, "title": "Cuma", "place": "Moda"}
    answers = [plain.post(reverse("new"), said) for _tap in range(2)]

    game = Game.objects.get()
    assert [answer.url for answer in answers] == [address(game, "write")] * 2
    assert game.players == ["Ayşe", "Burak", "Cem", "Deniz"]
    assert (game.title, game.place) == ("Cuma", "Moda")
    assert (game.ruleset, game.first_declarer, game.options) == ("turkish-king", 2, {})


def test_new_table_keeps_only_options_that_differ_and_belong_to_the_ruleset(plain):
    options = {
        "turkish-king-bloody.king": "ends-game",
        "turkish-king-bloody.order": "strict",
        "turkish-king.king": "off",
    }

    plain.post(reverse("new"), {**TABLE, **options, "ruleset": "turkish-king-bloody"})

    assert Game.objects.get().options == {"order": "strict"}


def test_short_key_finds_no_table(plain):
    # A key that could be guessed would show a stranger where to write.
    typed = {**TABLE, "key": "short", "another": "yes"}
    urls = {plain.post(reverse("new"), typed).url for _ in range(2)}

    assert len(urls) == 2


@pytest.mark.parametrize(
    ("field", "value", "error"),
    [
        ("name2", "", "Who sits here?"),
        ("name3", " Ayşe ", "Ayşe sits here twice."),
        ("name0", "x" * 31, "at most 30"),
        ("ruleset", "bridge", "not"),
        ("first_declarer", "5", "not one of the available choices"),
        ("turkish-king.king", "sometimes", "not one of the available choices"),
    ],
)
def test_new_table_refuses_what_cannot_be_beside_its_field(plain, field, value, error):
    page = plain.post(reverse("new"), {**TABLE, field: value, "place": "Moda"})

    assert page.status_code == 422
    ((where, (sentence,)),) = page.context["form"].errors.items()
    assert (where, error in sentence) == (field, True)
    assert 'value="Burak"' in page.text
    assert 'value="Moda"' in page.text
    assert f'value="{KEY}"' in page.text
    assert not Game.objects.exists()


def test_new_table_suggests_the_names_this_phone_knows(plain):
    plain.post(reverse("new"), TABLE)
    plain.post(reverse("new"), {**TABLE, "name0": "Ece"})

    assert plain.get(reverse("new")).context["names"] == ["Ece", "Burak", "Cem", "Deniz", "Ayşe"]


def test_same_four_again_is_one_tap_on_who_declares_first(plain):
    plain.post(reverse("new"), {**TABLE, "turkish-king.king": "declared"})
    Game.objects.update(played_at=timezone.now() - timedelta(hours=9))
    again = plain.get("/").context["again"]
    fields = {f.html_name: f.value() for f in again.table() if f.value() is not None}

    plain.post(reverse("new"), {**fields, "key": again.key, "first_declarer": "3"})

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
def test_rematch_seats_the_same_four(plain, seats, players, first):
    options = {"out": "mean", "adjustment_to": "others"}
    head = SetupFactory(options=options, title="Cuma", place="Moda")
    before = GameFactory(head=head, entries=WHOLE_GAME)
    url = reverse("rematch", args=[before.public_id, before.secret("write")])
    key = plain.get(url).context["key"]

    answers = [plain.post(url, {"seats": seats, "first": "1", "key": key}) for _ in range(2)]

    game = Game.objects.exclude(pk=before.pk).get()
    assert {answer.url for answer in answers} == {address(game, "write")}
    assert (game.players, game.first_declarer) == (players, first)
    assert (game.ruleset, game.options) == ("turkish-king", options)
    assert (game.title, game.place) == ("Cuma", "Moda")


def names(number):
    return {f"name{seat}": name for seat, name in enumerate(list(FOUR.values())[:number])}


def start(plain, ruleset, seats=4, **fields):
    return plain.post(reverse("new"), {"ruleset": ruleset, **names(seats), **fields})


def test_family_and_its_form_name_the_ruleset(plain):
    page = plain.post(reverse("new"), {"family": "euchre", **names(4)})
    assert page.status_code == 422
    assert list(page.context["form"].errors) == ["ruleset"]

    choice = {"family": "euchre", "form.euchre": "euchre-three", "form.krapet": "krapet"}
    plain.post(reverse("new"), {**choice, **names(3)})

    assert Game.objects.get().ruleset == "euchre-three"


@pytest.mark.parametrize("ruleset", RULESETS.values(), ids=list(RULESETS))
def test_every_game_starts_with_as_many_as_it_seats(plain, ruleset):
    start(plain, ruleset.id, first_declarer="1", name4="Elif")

    game = Game.objects.get()
    assert (game.ruleset, len(game.players)) == (ruleset.id, ruleset.seats)
    assert (game.first_declarer, game.options) == (1, {})


def test_seats_that_a_game_has_not_are_left_aside(plain):
    start(plain, "krapet", name2="Ayşe", name3="x" * 31, first_declarer="3")

    game = Game.objects.get()
    assert (game.players, game.first_declarer) == (["Ayşe", "Burak"], 0)


@pytest.mark.parametrize(
    ("ruleset", "typed", "options"),
    [
        ("italian-king", {"sale": "True"}, {"sale": True}),
        ("italian-king", {"sale": "False"}, {}),
        ("italian-king", {"no_trump_declaration": "False"}, {"no_trump_declaration": False}),
        ("honeymoon-king", {"deals": "12"}, {"deals": 12}),
        ("euchre", {"target": "5", "deck": "32"}, {"target": 5, "deck": 32}),
        ("krapet", {"target": "300"}, {"target": 300}),
        # One question about two settings, and an answer that another follows from.
        (
            "turkish-king",
            {"king_tricks": "11,10", "king_deals": ""},
            {"king_tricks": 11, "king_in_a_row": 10},
        ),
        (
            "turkish-king",
            {"king_tricks": "11", "king_deals": "all"},
            {"king_tricks": 11, "king_deals": "all"},
        ),
        ("turkish-king-bloody", {"order": "advised,unit"}, {"order_by": "unit"}),
        ("krapet", {"scoring": "points", "target": "300"}, {"scoring": "points"}),
        ("krapet", {"scoring": "points", "target": "1"}, {"scoring": "points", "target": 1}),
    ],
)
def test_options_of_every_kind_are_kept_where_they_differ(plain, ruleset, typed, options):
    start(plain, ruleset, **{f"{ruleset}.{name}": value for name, value in typed.items()})

    game = Game.objects.get()
    assert game.options == options
    assert all(type(game.options[name]) is type(value) for name, value in options.items())


@pytest.mark.parametrize(
    ("ruleset", "name", "typed", "error"),
    [
        ("honeymoon-king", "deals", "7", "An even number"),
        ("euchre", "target", "0", "Ensure this value is greater than or equal to 1."),
        ("euchre", "deck", "52", "Select a valid choice. 52 is not one of the available choices."),
    ],
)
def test_options_that_cannot_be_are_refused_beside_their_fields(plain, ruleset, name, typed, error):
    page = start(plain, ruleset, **{f"{ruleset}.{name}": typed})

    assert page.status_code == 422
    assert page.context["form"].errors == {f"{ruleset}.{name}": [error]}
    assert not Game.objects.exists()


NO_KING = "“King: does not exist”"


@pytest.mark.parametrize("typed", [{"king_tricks": "11,10"}, {"king_deals": "trump"}])
def test_answer_that_means_nothing_beside_another_is_refused_at_its_question(plain, typed):
    typed = {f"turkish-king.{name}": value for name, value in {**typed, "king": "off"}.items()}
    page = start(plain, "turkish-king", **typed)

    ((where, (error,)),) = page.context["form"].errors.items()
    assert (page.status_code, where in typed, NO_KING in error) == (422, True, True)
    for name, value in typed.items():
        assert re.search(f'name="{name}" value="{value}"[^>]*checked', page.text)
    assert not Game.objects.exists()


def test_how_it_is_played_is_at_most_ten_questions_with_the_usual_answer_first(plain):
    page = plain.get(reverse("new"))
    for ruleset in RULESETS:
        form = page.text[page.text.index(f'value="{ruleset}"') :].split('<div class="ruleset">')[0]
        questions = re.findall(
            r'<fieldset class="option".*?</fieldset>|<div class="option', form, re.DOTALL
        )

        assert len(questions) <= 10, ruleset
        for question in questions:
            answers = re.findall(r"<input[^>]*>", question)
            checked = [n for n, each in enumerate(answers) if "checked" in each]
            assert checked == [0] * bool(answers), ruleset


def test_orders_are_asked_with_the_penalties_in_their_order(plain):
    page = plain.get(reverse("new"), {"ruleset": "turkish-king-bloody"})
    assert "Tricks, Men, Queens, Hearts, Last 2, Rıfkı" in page.text
    assert "Rıfkı, Last 2, Queens, Men, Tricks, Hearts" in page.text


def test_answers_of_the_circle_are_kept_for_each_game_and_shown_in_one_line(plain):
    answers = {"turkish-king.king_tricks": "11,10", "turkish-king.penalties_first": "4"}
    line = "Tricks for King: 11, or 10 in a row · First deals are penalties: the first 4"
    start(plain, "turkish-king", **answers)
    game = Game.objects.get()
    for name in ("write", "head"):
        assert line in plain.get(reverse(name, args=[game.public_id, game.secret("write")])).text
    start(plain, "euchre", another="yes")

    for asked in ({}, {"ruleset": "turkish-king"}):
        page = plain.get(reverse("new"), asked)
        form = page.context["form"]
        assert {name: str(form[name].value()) for name in answers} == answers
        assert page.text.count(line) == 1
    # Usual again.
    usual = {"turkish-king.king_tricks": "13", "turkish-king.penalties_first": "0"}
    start(plain, "turkish-king", **usual, another="yes")
    start(plain, "euchre", another="yes")
    assert line not in plain.get(reverse("new"), {"ruleset": "turkish-king"}).text


@pytest.mark.parametrize(
    ("ruleset", "typed", "shown"),
    [
        ("honeymoon-king", {"deals": "12"}, 12),
        ("italian-king", {"sale": "True"}, True),
    ],
)
def test_options_of_the_last_table_stand_in_the_next(client, ruleset, typed, shown):
    ((name, value),) = typed.items()
    start(client, ruleset, **{f"{ruleset}.{name}": value})

    form = client.get(reverse("new")).context["form"]

    assert form[f"{ruleset}.{name}"].value() == shown
    assert (form["ruleset"].value(), form["name0"].value()) == (ruleset, None)


def test_setup_changes_options_of_every_kind(plain):
    start(plain, "italian-king", **{"italian-king.sale": "True"})
    game = Game.objects.get()
    url = reverse("head", args=[game.public_id, game.secret("write")])
    fields = {**FOUR, "first_declarer": "0", "key": KEY, "revision": "0"}

    page = plain.get(url)
    plain.post(url, {**fields, "sale": "False", "blind_declaration": "True"})

    game.refresh_from_db()
    assert "dealt first" in page.text
    assert game.options == {"blind_declaration": True}


def test_same_again_is_not_offered_once_house_rules_are_gone(plain):
    rules = replace(RULESETS["turkish-king"], id="club-king", name="Club King")
    house = HouseRuleset.objects.create(
        slug="club-king", name="Club King", document=write_ruleset(rules), changed_at=EVENING
    )
    start(plain, "club-king")

    house.delete()

    Game.objects.update(played_at=timezone.now() - timedelta(hours=9))
    page = plain.get("/")
    assert "again" not in page.context
    assert [line["ruleset"] for line in page.context["games"]] == ["Club King"]


HAS_A_TARGET = {
    *("krapet", "euchre", "euchre-two", "euchre-three", "euchre-railroad", "bid-euchre"),
}
"""Only the next game of a match begins without a signal."""
NEEDS_A_SIGNAL = {
    *("turkish-king-sealed", "italian-king-pirandello", "italian-king-pairs"),
    *("italian-king-pairs-choice", "barbu", "barbu-doubles"),
}
PAGES = ("new_offline", "table_offline")


def test_script_that_starts_a_table_gets_its_addresses_once_or_the_reasons(visitor):
    json = {"Accept": "application/json"}
    wrong = visitor.post(reverse("new"), {**TABLE, "name1": TABLE["name0"]}, headers=json)
    assert wrong.status_code == 422
    assert "Ayşe sits here twice." in wrong.content.decode()
    said = [visitor.post(reverse("new"), TABLE, headers=json) for _tap in range(2)]

    game = Game.objects.get()
    write = address(game, "write")
    assert [answer.status_code for answer in said] == [201, 201]
    assert said[1].json() == {"game": game.public_id, "address": write, "base": write}
    assert "games" in visitor.cookies


def test_empty_tables_are_those_that_a_phone_can_play_to_the_end(visitor):
    tables = {
        table["id"]: table["html"]
        for table in visitor.get(reverse("table_offline")).context["tables"]
    }
    form = visitor.get(reverse("new_offline")).content.decode()

    assert tables.keys() == RULESETS.keys() - NEEDS_A_SIGNAL
    for ruleset, html in tables.items():
        players = NAMES[: RULESETS[ruleset].seats]
        assert all(
            html.count(f'<option value="{seat}">{name}') for seat, name in enumerate(players)
        )
        assert 'action="/play/-/-/entry/"' in html
    assert form.count("Needs a signal to begin.") == len(NEEDS_A_SIGNAL | HAS_A_TARGET)


@pytest.mark.parametrize("page", PAGES)
def test_pages_kept_for_any_account_are_the_same_and_sent_once(
    visitor, page, django_assert_num_queries
):
    with django_assert_num_queries(0):
        # Compression makes the tag a weak one.
        first = visitor.get(reverse(page), headers={"Accept-Encoding": "gzip"})
        known = visitor.get(reverse(page), headers={"If-None-Match": first["ETag"]})
    in_turkish = visitor.get(reverse(page), headers={"Accept-Language": "tr"})
    visitor.become("director", ClubFactory())
    signed_in = visitor.get(reverse(page))

    assert known.status_code == 304
    assert first["ETag"] == f"W/{signed_in['ETag']}"
    assert in_turkish["ETag"] != signed_in["ETag"]
    assert reverse("me") not in signed_in.content.decode()


def under(name, game, kind="write"):
    return reverse(name, args=[game.public_id, game.secret(kind)])


@pytest.mark.parametrize("of_club", [False, True])
def test_handover_page_shows_the_whole_addresses_as_qr_codes(plain, of_club):
    game = TableFactory().games.get() if of_club else GameFactory()
    # One code for all games of the evening.
    to_follow = address(game, "follow") if of_club else evening_address(game.open_table)

    page = plain.get(under("pen", game))

    links = [page.context[name]["address"] for name in ("follow", "take", "write")]
    assert links == [
        "http://testserver" + path
        for path in (to_follow, under("take", game, "pen"), address(game, "write"))
    ]
    assert page.text.count("<svg xmlns") + page.text.count('stroke="#000"') >= 3
    assert "style=" not in page.text
    assert "no-store" in page["Cache-Control"]


@pytest.mark.parametrize(
    ("site", "warned"), [("http://127.0.0.1:8000", True), ("http://192.168.1.7:8000", False)]
)
def test_handover_page_warns_where_no_other_phone_can_reach_it(settings, plain, site, warned):
    settings.SITE_ADDRESS = site

    page = plain.get(under("pen", GameFactory()))

    assert page.context["out_of_reach"] is warned


def test_scoring_that_is_taken_over_is_taken_from_the_phone_before(plain):
    game = GameFactory()
    old = under("pen", game)

    # The answer was lost in the café, and the phone sends the form again.
    answers = [plain.post(under("take", game, "pen"), {"key": KEY}) for _ in range(2)]

    taken = Game.objects.get()
    assert [answer.url for answer in answers] == [address(taken, "write")] * 2
    assert taken.secret("write") != game.secret("write")
    other = plain.post(under("take", game, "pen"), {"key": "key-of-the-phone-before-it"})
    assert (plain.get(old).status_code, other.status_code) == (404, 404)
    assert plain.get(under("pen", taken)).status_code == 200
    plain.get(address(taken, "write"))
    (line,) = plain.get("/").context["games"]
    assert line["game"].kind == "write"


def test_phone_at_a_seat_takes_the_scoring_once_it_may(plain, other):
    game = GameFactory()
    at = reverse("seat", args=[game.public_id, game.secret("follow")])

    def answers(*steps, seat):
        key = {"key": KEY, "name": game.players[1]}
        return [phone.post(at, {"does": d, "seat": seat, **key}).status_code for phone, d in steps]

    first = [(plain, "take"), (other, "take"), (other, "pen"), (plain, "pen"), (plain, "write")]
    assert answers(*first, seat=1) == [204, 409, 409, 204, 409]
    assert answers((plain, "agree"), (other, "take"), (other, "agree"), seat=2) == [409, 204, 204]
    answer_for_pen(game.pk, 1, gives=True)
    # The answer was lost, and the phone sends it again.
    assert answers((plain, "write"), (plain, "write"), seat=1) == [200, 200]
    assert Game.objects.get().write_generation == game.write_generation + 1
    assert answers((other, "ask"), (other, "yes"), (plain, "no"), seat=1) == [204, 409, 204]
    assert answers((plain, "leave"), (plain, "shout"), (other, "take"), seat=1) == [204, 409, 204]
    assert [plain.post(at, {"does": "take", "seat": n}).status_code for n in ("4", "")] == [409] * 2


def test_deleted_game_is_gone_and_its_phone_does_not_look_for_it(plain, django_assert_num_queries):
    game = GameFactory(entries=WHOLE_GAME[:2])
    plain.post(under("take", game, "pen"), {"key": "key-of-the-phone-that-takes-it"})
    game.refresh_from_db()

    answer = plain.post(under("delete", game))

    assert answer.url == "/?deleted=1"
    assert not Game.objects.exists()
    assert "The game is deleted." in plain.get(answer.url).text
    # Whether there is a leaderboard of all clubs is asked, and what is played; no game is.
    with django_assert_num_queries(3) as asked:
        plain.get("/")
    assert not any('FROM "tournaments_game"' in query["sql"] for query in asked.captured_queries)
