"""The pages around the table, in Chromium at the size of a phone."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.phone import LOOKS
from tests.deals import NAMES
from tests.factories import record
from tests.services.play.test_matches import won_by
from tournaments.models import Game, Report
from tournaments.tasks import build_report

pytestmark = pytest.mark.browser


def pages(phone):
    """Every page around the table in turn, opened, with its name."""
    phone.open("/")
    yield "home, empty"
    phone.open("/new/")
    yield "new table"
    phone.page.locator("#table").evaluate("form => form.requestSubmit()")
    phone.page.wait_for_selector(".errors")
    yield "new table, refused"
    sheet = phone.start_table()
    phone.open("/")
    phone.page.locator(".again summary").tap()
    phone.page.locator(".paper summary").tap()
    yield "home"
    phone.open("/new/?again=1")
    phone.page.locator(".more summary").first.tap()
    phone.page.locator("form > details:not(.match) summary").tap()
    yield "new table, options"
    phone.open(f"{sheet}pen/")
    for summary in phone.page.locator("summary").all():
        summary.tap()
    yield "pen"
    take = phone.page.input_value("#take-address")
    phone.open(f"{sheet}rematch/")
    yield "rematch"
    phone.open(f"{sheet}names/")
    yield "names and options"
    phone.open(f"{sheet}delete/")
    yield "delete"
    phone.open(take)
    yield "take"
    phone.open("/")
    phone.page.locator(".paper summary").tap()
    phone.page.locator(".paper button").first.tap()
    phone.page.wait_for_selector(".steps")
    yield "report"
    Report.objects.update(state="failed", error="ValueError")
    phone.page.reload()
    yield "report, failed"
    phone.open("/play/nothing/here/pen/")
    yield "not found"


def pages_of_games(phone):
    """The pages to choose a game on and to read its rules, with their names."""
    phone.open("/new/")
    phone.page.locator("[name=family][value=euchre]").check()
    phone.page.locator(".others:visible").tap()
    phone.page.locator("[value=euchre-railroad]").check()
    phone.page.locator(".more:visible summary").tap()
    phone.page.locator(".match summary").tap()
    phone.page.locator("[value=first-to]").check()
    yield "new table, pairs and a match"
    phone.page.locator("[name=family][value=italian-king]").check()
    phone.page.locator(".more:visible summary").tap()
    yield "new table, options of every kind"
    phone.open("/rules/")
    yield "rules"
    for ruleset in ("turkish-king", "euchre", "barbu"):
        phone.open(f"/rules/{ruleset}/")
        yield f"rules of {ruleset}"


@pytest.mark.parametrize("visited", [pages, pages_of_games])
@pytest.mark.parametrize(("language", "scheme"), LOOKS)
def test_every_page_is_accessible_tappable_and_its_own(new_phone, language, scheme, visited):
    phone = new_phone(locale=language, color_scheme=scheme, reduced_motion="reduce")

    for name in visited(phone):
        assert (name, phone.faults()) == (name, {})


def test_same_four_play_again_after_two_taps(new_phone):
    phone = new_phone()
    phone.start_table()
    phone.open("/")

    phone.tap(phone.page.locator(".again summary"))
    phone.tap(phone.page.get_by_role("button", name="Cem", exact=True))
    phone.page.wait_for_url(re.compile("/play/"))

    before, game = Game.objects.order_by("pk")
    assert phone.taps == 2
    assert phone.page.url.endswith(f"/play/{game.public_id}/{game.secret('write')}/")
    assert (game.players, game.first_declarer) == (before.players, 2)


def test_same_four_again_after_going_back_is_another_game(new_phone):
    phone = new_phone()
    phone.start_table()
    phone.open("/")
    for _ in range(2):
        phone.page.locator(".again summary").tap()
        phone.page.get_by_role("button", name="Cem", exact=True).tap()
        phone.page.wait_for_url(re.compile("/play/"))
        phone.page.go_back()

    assert Game.objects.count() == 3


def test_start_tapped_twice_opens_one_table(new_phone):
    phone = new_phone()
    phone.open("/new/")
    for seat, name in enumerate(NAMES):
        phone.page.fill(f"[name=name{seat}]", name)

    phone.page.locator("#table").evaluate("form => { form.submit(); form.submit(); }")
    phone.page.wait_for_url(re.compile("/play/"))
    phone.open("/")

    assert Game.objects.count() == 1
    expect(phone.page.locator(".games li")).to_have_count(1)


def test_table_starts_without_scripts(new_phone):
    phone = new_phone(java_script_enabled=False)

    phone.start_table()
    phone.open("/")

    expect(phone.page.locator(".games .names")).to_have_text("Ayşe · Burak · Cem · Deniz")


def test_only_the_chosen_ruleset_offers_its_options(new_phone):
    phone = new_phone()
    phone.open("/new/")
    offered = phone.page.locator(".more details:visible")

    expect(offered).to_have_count(1)
    expect(offered).to_contain_text("King")
    phone.page.locator(".others:visible").tap()
    phone.page.get_by_role("radio", name="Rıfkı").check()

    expect(offered).to_have_count(0)


def seats_shown(phone):
    """The seats on the page, each with the words for its place."""
    labels = phone.page.locator(".seat:visible > label[for]").all_inner_texts()
    return [label.split("\n")[0] for label in labels]


def test_no_wall_of_games_only_families_and_the_chosen_form(new_phone):
    phone = new_phone()
    phone.open("/new/")

    games = phone.page.locator(".families [type=radio]:visible")
    expect(games).to_have_count(6)
    phone.page.locator(".others:visible").tap()

    expect(games).to_have_count(5 + 9)


def test_table_is_drawn_for_the_chosen_game(new_phone):
    phone = new_phone()
    phone.open("/new/")
    drawn = [seats_shown(phone)]

    for family, form in (("krapet", ""), ("euchre", ""), ("euchre", "euchre-three")):
        phone.page.locator(f"[name=family][value={family}]").check()
        if form:
            phone.page.locator(".others:visible").tap()
            phone.page.locator(f"[value={form}]").check()
        drawn.append(seats_shown(phone))

    assert drawn == [
        ["You, with this phone", "To your right", "Opposite", "To your left"],
        ["You, with this phone", "Opposite"],
        ["You, with this phone", "To your left", "Opposite", "To your right"],
        ["You, with this phone", "To your left", "To your right"],
    ]


def test_seats_are_drawn_where_their_words_say(new_phone):
    phone = new_phone()
    phone.open("/new/?ruleset=euchre")
    boxes = [phone.page.locator(f".seat-{seat}").bounding_box() for seat in range(4)]
    you, left, opposite, right = boxes

    assert left["x"] < opposite["x"] < right["x"]
    assert opposite["y"] < left["y"] == right["y"] < you["y"]


def test_game_for_two_starts_without_scripts_and_with_names_too_many(new_phone):
    phone = new_phone(java_script_enabled=False)
    phone.open("/new/")
    assert len(seats_shown(phone)) == 4
    phone.page.locator("[name=family][value=krapet]").check()
    for seat, name in enumerate(NAMES):
        phone.page.fill(f"[name=name{seat}]", name)

    phone.page.locator(".actions button").tap()
    phone.page.wait_for_url(re.compile("/play/"))

    game = Game.objects.get()
    assert (game.ruleset, game.players) == ("krapet", list(NAMES[:2]))


def test_all_seats_are_shown_without_scripts_whatever_was_played_last(new_phone):
    phone = new_phone(java_script_enabled=False)

    phone.open("/new/?ruleset=krapet")

    expect(phone.page.locator(".seat:visible")).to_have_count(4)
    expect(phone.page.get_by_text("If fewer play, leave the other seats empty.")).to_be_visible()


def test_page_gone_back_to_draws_the_game_that_is_chosen(new_phone):
    phone = new_phone()
    phone.open("/new/")
    phone.page.locator("[name=family][value=krapet]").check()
    phone.page.locator(".more:visible .link").tap()
    phone.page.wait_for_url(re.compile("/rules/"))

    phone.page.go_back()

    chosen = phone.page.locator("[name=family]:checked").input_value()
    expect(phone.page.locator(".seat:visible")).to_have_count(2 if chosen == "krapet" else 4)


def test_two_play_a_match_of_krapet_with_one_tap_between_the_games(new_phone):
    phone = new_phone()
    phone.open("/new/?ruleset=krapet")
    for seat, name in enumerate(NAMES[:2]):
        phone.page.fill(f"[name=name{seat}]", name)
    phone.page.locator(".match summary").tap()
    phone.page.get_by_role("radio", name="Best of 3 games").check()
    phone.page.locator(".actions button").tap()
    for number in (1, 2):
        phone.page.wait_for_url(re.compile("/play/"))
        game = Game.objects.latest("pk")
        record(game, won_by(1))
        phone.page.reload()
        if number == 1:
            expect(phone.page.locator(".match-score")).to_contain_text("In the lead: Burak")
            phone.page.get_by_role("button", name="Next game").tap()
            phone.page.wait_for_url(lambda url, last=game: last.public_id not in url)

    expect(phone.page.locator(".match-score")).to_contain_text("Match won: Burak")
    assert [game.match_number for game in Game.objects.order_by("pk")] == [1, 2]
    assert phone.faults() == {}


def test_pen_handed_over_is_taken_from_the_first_phone(new_phone):
    first, second = new_phone(), new_phone()
    sheet = first.start_table()
    first.open(f"{sheet}pen/")
    first.page.get_by_text("Another phone writes instead of this one").tap()

    second.open(first.page.input_value("#take-address"))
    second.page.get_by_role("button", name="Take the pen").tap()
    second.page.wait_for_url(re.compile("/play/"))

    assert second.page.url != sheet
    assert second.page.request.get(f"{second.page.url}pen/").status == 200
    assert first.page.request.get(f"{sheet}pen/").status == 404
    first.open("/")
    assert "/follow/" in first.page.locator(".games a").first.get_attribute("href")


def test_deleted_game_is_off_the_list(new_phone):
    phone = new_phone()
    phone.start_table()
    phone.open("/")

    phone.page.get_by_role("link", name="Delete the game of Ayşe, Burak, Cem, Deniz").tap()
    phone.page.get_by_role("button", name="Delete for good").tap()

    expect(phone.page.get_by_role("status")).to_have_text("The game is deleted.")
    expect(phone.page.locator(".games li")).to_have_count(0)


def test_report_turns_into_its_download_by_itself(new_phone):
    phone = new_phone()
    phone.open("/")
    phone.page.locator(".paper summary").tap()
    phone.page.locator(".paper button").first.tap()
    expect(phone.page.locator("[aria-current=step]")).to_have_text("Waiting for its turn")

    build_report(Report.objects.get().pk)

    download = phone.page.get_by_role("link", name="Download (PDF)")
    expect(download).to_be_visible()
    with phone.page.expect_download() as waiting:
        download.tap()
    assert waiting.value.suggested_filename == "King, empty sheet.pdf"


def test_choices_of_a_reader_last(new_phone):
    phone = new_phone(color_scheme="light")
    phone.open("/new/")

    phone.page.get_by_role("button", name="Türkçe").tap()
    phone.page.get_by_role("button", name="Koyu").tap()
    phone.page.get_by_role("button", name="4 renk").tap()

    expect(phone.page).to_have_url(re.compile("/new/$"))
    html = phone.page.locator("html")
    expect(html).to_have_attribute("lang", "tr")
    expect(html).to_have_attribute("data-theme", "dark")
    expect(html).to_have_attribute("data-suits", "four")
    expect(phone.page.locator("body")).to_have_css("background-color", "rgb(20, 24, 21)")
