"""A table that is started without a signal: played to its end, kept, and sent once."""

import json

import pytest
from playwright.sync_api import expect

from tests.browser.playing import (
    FAMILIES,
    KEPT_TO_START,
    WAITING_ROWS,
    comes_home,
    end,
    enter_deal,
    enter_hand,
    lose_the_answer,
    mix_up,
    shown,
    write_without_signal,
)
from tests.browser.service_worker import ServiceWorker
from tests.deals import NAMES, WHOLE_GAME, deal
from tests.factories import EVENING, SetupFactory, record, reload
from tests.rules_next.test_rules_next import load as load_next
from tests.sample_games import DRAWN
from tournaments.engine.documents.entries import parse_entry
from tournaments.engine.play.games import Game as EngineGame
from tournaments.engine.play.games import play
from tournaments.engine.play.outcomes import decide
from tournaments.engine.rules.entries import Adjustment
from tournaments.engine.variants import RULESETS
from tournaments.models import Game
from tournaments.queries.rulesets import describe, folds_without_signal
from tournaments.services.games.tables import start_table
from tournaments.texts.labels import points_text
from tournaments.web.base.phone import address

pytestmark = [pytest.mark.browser, pytest.mark.keeps_pages]

CHOOSE = """ruleset => {
  const form = document.querySelector(`[name^='form.'][value='${ruleset}']`);
  const family = document.querySelector(`[name=family][value='${form.name.slice(5)}']`);
  for (const radio of [family, form]) radio.checked = true;
  form.dispatchEvent(new Event("change", { bubbles: true }));
}"""

LEFT_TWICE = """async () => {
  const cache = await caches.open("kingscore-outbox");
  const left = (await cache.keys()).map(async (each) => (await cache.match(each)).json());
  return (await Promise.all(left)).some(({ what }) => what.length === 2);
}"""
"""Both entries are left with the worker."""

ALL_LEFT = """async () => {
  const all = Object.entries(localStorage).filter(([name]) => name.startsWith("kingscore.outbox."));
  const cache = await caches.open("kingscore-outbox");
  const found = all.map(async ([name, items]) => {
    const left = await cache.match(`/outbox/${name.slice("kingscore.outbox.".length)}`);
    return JSON.stringify((await left?.json())?.what) === items;
  });
  return (await Promise.all(found)).every(Boolean);
}"""

OPTION = """([name, value]) => {
  const fields = [...document.querySelectorAll(`[name='${name}']`)];
  if (fields.length === 1) fields[0].value = value;
  else fields.find(field => field.value === value).checked = true;
}"""


@pytest.fixture
def away(new_phone):
    """Make phones that have opened the site once, and have no signal now."""

    def make(**settings):
        phone = new_phone(**settings)
        phone.open("/")
        phone.wait_for_kept(lambda kept: kept.keys() >= KEPT_TO_START)
        phone.lose_signal()
        return phone

    return make


def worker_sends(phone):
    phone.page.wait_for_function(ALL_LEFT)
    ServiceWorker(phone).find_signal()


def begin(phone, ruleset="turkish-king", names=NAMES, first=0, options=()):
    page = phone.page
    phone.open("/")
    phone.tap_and_go(".actions a", "/new/$")
    page.evaluate(CHOOSE, ruleset)
    for name, value in options:
        page.evaluate(OPTION, [f"{ruleset}.{name}", value])
    phone.name_seats(names)
    page.locator(f".first:has([name=first_declarer][value='{first}'])").tap()
    phone.tap_and_go(".actions button", "/offline/table/#")


def the_game():
    """The last that was begun."""
    return reload(Game.objects.latest("pk"))


GAMES = ("italian-king", "honeymoon-king", "turkish-king-partners", "turkish-king-blind")
GAMES += ("king-three",)


def test_games_begin_without_a_signal_one_after_another(away):
    phone = away()
    for ruleset in GAMES:
        seats, deals = FAMILIES[ruleset]
        begin(phone, ruleset, NAMES[:seats], first=1)
        write_without_signal(phone, [{**body, "declarer": None} for body in deals[:2]])
        sheet = shown(phone)
        assert "…" not in str(sheet)
        comes_home(phone)
        assert shown(phone) == sheet
        game = the_game()
        assert (game.row.ruleset, game.row.first_declarer, len(game.positions)) == (ruleset, 1, 2)
        phone.lose_signal()

    declare_a_king(phone)
    hold_to_chosen_options(phone)


def test_table_that_is_sent_with_the_names_of_another_is_sent_again(away):
    phone = away()
    before = Game.objects.count()
    begin(phone)
    mixed = mix_up(phone, "new", NAMES[1], "Berke")
    comes_home(phone)

    assert [each.count("Berke") for each in mixed] == [1]
    assert the_game().row.players == list(NAMES)
    assert Game.objects.count() == before + 1


def declare_a_king(phone):
    """It ends the game."""
    begin(phone, options=[("king", "declared")])
    enter_deal(phone, {**WHOLE_GAME[3], "counts": {"tricks": [13, 0, 0, 0]}})
    phone.page.select_option("[name=king_declared_by]", "0")
    phone.tap(phone.save)
    # Where the page asks first, a tap that comes at once is no answer.
    phone.page.wait_for_timeout(500)
    sure = phone.page.locator("#ask[open] .button:not(.button-quiet)")
    if sure.count():
        phone.tap(sure)
    ending = end(phone)
    assert ending[0] == "King! Ayşe alone is out."
    comes_home(phone)
    assert end(phone) == ending
    phone.lose_signal()


def hold_to_chosen_options(phone):
    """A game of two deals, whose first answer is lost."""
    names, before = ("<b>&amp;", "O'Neill"), Game.objects.count()
    begin(phone, "honeymoon-king", names, options=[("deals", "2")])
    write_without_signal(phone, FAMILIES["honeymoon-king"][1][:2])
    expect(phone.page.locator(".end h2")).to_contain_text("Won: ")
    sheet, ending = shown(phone), end(phone)
    lose_the_answer(phone)
    assert Game.objects.count() == before + 1
    phone.page.reload()
    assert shown(phone) == sheet
    comes_home(phone)
    assert (shown(phone), end(phone)) == (sheet, ending)
    assert the_game().row.players == list(names)


def test_answer_that_is_cut_off_replaces_no_page(away):
    phone = away()
    phone.cable.plug()
    phone.cable.curt = True
    phone.open("/")
    phone.tap_and_go(".actions a", "/new/$")
    expect(phone.page.locator("[name=name0]")).to_be_visible()


def test_refused_row_is_shown_with_what_can_be_done(away):
    phone = away()
    page = phone.page
    begin(phone)
    write_without_signal(phone, WHOLE_GAME[:3])
    # What only the server finds out.
    page.evaluate("""() => {
      const place = Object.keys(localStorage).find(key => key.startsWith("kingscore.outbox."));
      const items = JSON.parse(localStorage.getItem(place));
      items[1].fields = items[1].fields.map(([name, value]) =>
        [name, name === "count-queens-0" ? "4" : value]);
      localStorage.setItem(place, JSON.stringify(items));
    }""")
    phone.find_signal()
    page.wait_for_url("**/play/**")
    row = page.locator(".marks.refused")
    expect(row).to_contain_text("Not accepted")
    assert len(the_game().positions) == 1
    phone.tap(row.locator("button", has_text="Edit"))
    for side, number in enumerate(WHOLE_GAME[1]["counts"]["queens"]):
        page.fill(f"[name=count-queens-{side}]", str(number))
    phone.tap(phone.save)
    expect(page.locator("#table .waits")).to_have_count(0)
    game = the_game()
    assert [game.body(at)["counts"] for at in game.positions] == [
        body["counts"] for body in WHOLE_GAME[:3]
    ]


def test_every_row_of_a_game_begun_without_a_signal_is_corrected_or_deleted(away):
    phone = away()
    page = phone.page
    begin(phone)
    write_without_signal(phone, WHOLE_GAME[:1])
    for points in ("-100", "-30"):
        page.locator("details:has(#write-points)").evaluate("each => { each.open = true }")
        page.fill("#write-points [name=points]", points)
        page.fill("#write-points [name=reason]", "late")
        phone.tap(page.locator("#write-points button"))
    write_without_signal(phone, WHOLE_GAME[1:5])
    notes = page.locator(".sheet tr.slim.waits button")
    phone.tap(notes.nth(0))
    page.fill("form.entry [name=points]", "-50")
    phone.tap(page.locator("form.entry button", has_text="Save the correction"))
    phone.tap(notes.nth(1))
    phone.tap(page.locator(".last button", has_text="Delete"))
    phone.go_on()
    symbols = page.locator(".sheet tr.waits .of-contract button")
    phone.tap(symbols.nth(1))
    expect(page.locator(".declares-now strong")).to_have_text(NAMES[1])
    for seat, number in ((2, 1), (0, 2)):
        phone.tap(phone.tiles("queens").nth(seat))
        phone.tap(phone.key(number))
    phone.tap(phone.save)
    phone.tap(symbols.nth(2))
    phone.tap(page.locator(".last button", has_text="Delete"))
    phone.go_on()
    page.reload()
    sheet = shown(phone)
    assert "2−200" in sheet[1][1]
    comes_home(phone)
    assert shown(phone) == sheet
    game = the_game()
    assert [game.body(at) for at in game.positions] == [
        WHOLE_GAME[0],
        {"type": "adjustment", "seat": 0, "points": -50, "to": "others", "reason": "late"},
        deal("no-queens", 2, 0, 1, 1),
        *WHOLE_GAME[3:5],
    ]


@pytest.mark.parametrize("send", [comes_home, worker_sends])
def test_game_that_ends_without_a_signal_offers_the_next_one_of_the_evening(away, send):
    phone = away()
    page = phone.page
    names, deals = NAMES[:2], FAMILIES["honeymoon-king"][1]
    begin(phone, "honeymoon-king", names, options=[("deals", "2")])
    write_without_signal(phone, deals[:2])
    phone.tap_and_go(".end a.button", "/new/#after=")
    expect(page.locator("[name=name1]")).to_have_value(names[1])
    # Somebody else comes: by the names alone the server could not know that it is one evening.
    page.fill("[name=name1]", "Zehra")
    page.locator(".first:has([name=first_declarer][value='1'])").tap()
    phone.tap_and_go(".actions button", "/offline/table/#")
    write_without_signal(phone, deals[:1])
    send(phone)
    first, second = (reload(game) for game in Game.objects.order_by("pk"))
    assert first.game.finished
    assert second.row.open_table == first.row.open_table is not None
    assert (second.row.players, second.row.first_declarer) == ([names[0], "Zehra"], 1)
    assert second.row.options == first.row.options == {"deals": 2}
    assert len(second.positions) == 1


def test_game_that_is_refused_is_corrected_and_the_one_behind_it_waits(away):
    phone = away()
    page = phone.page
    names, deals = NAMES[:2], FAMILIES["honeymoon-king"][1]
    begin(phone, "honeymoon-king", names, options=[("deals", "2")])
    write_without_signal(phone, deals[:2])
    # What only the server finds out.
    page.evaluate("""() => {
      const [record] = JSON.parse(localStorage.getItem("kingscore.starts"));
      const fields = record.fields.map(([name, value]) =>
        [name, name === "title" ? "x".repeat(999) : value]);
      localStorage.setItem("kingscore.starts", JSON.stringify([{ ...record, fields }]));
    }""")
    phone.tap_and_go(".end a.button", "/new/#after=")
    page.evaluate(OPTION, ["title", ""])
    phone.tap_and_go(".actions button", "/offline/table/#")
    write_without_signal(phone, deals[:1])
    phone.find_signal()
    strip = page.locator("#outbox")
    expect(strip).to_contain_text("Waits for the game before it, which was not accepted.")
    phone.open("/")
    expect(page.locator("#unsent .why").last).to_contain_text("Waits for the game before")
    phone.tap_and_go(page.locator("#unsent a").first, "/offline/table/#")
    expect(strip).to_contain_text("Not accepted: Ensure this value has at most")
    phone.tap_and_go(strip.locator("button", has_text="Edit"), "/new/#correct=")
    expect(page.locator(".start-problem")).to_contain_text("Ensure this value has at most")
    expect(page.locator("[name=name1]")).to_have_value(names[1])
    page.evaluate(OPTION, ["title", "Friday"])
    phone.tap_and_go(".actions button", "/play/")
    phone.wait_for(2)
    phone.open("/")
    expect(page.locator("#unsent")).to_be_hidden()
    first, second = (reload(game) for game in Game.objects.order_by("pk"))
    assert (first.row.title, first.row.options, first.game.finished) == (
        "Friday",
        {"deals": 2},
        True,
    )
    assert (second.row.open_table, len(second.positions)) == (first.row.open_table, 1)


def test_players_of_a_game_begun_without_a_signal_are_renamed(away):
    phone = away()
    page = phone.page
    names, deals = NAMES[:2], FAMILIES["honeymoon-king"][1]
    begin(phone, "honeymoon-king", names, first=1, options=[("deals", "2")])
    write_without_signal(phone, deals[:1])
    for name, ok in (("Ay", True), (names[1], False), ("O'Neill", True)):
        page.locator("details:has(#write-names)").evaluate("each => { each.open = true }")
        page.fill("#write-names [name=name0]", name)
        phone.tap(page.locator("#write-names button"))
        expect(page.locator("#write-names button")).to_be_visible(visible=not ok)
        if ok:
            expect(page.locator(".who.seat-0").first).to_have_text(name)
    page.reload()
    expect(page.locator("#write-names [name=name0]")).to_have_value("O'Neill")
    phone.open("/")
    expect(page.locator("#unsent .names")).to_have_text(f"O'Neill · {names[1]}")
    phone.tap_and_go("#unsent a", "/offline/table/#")
    write_without_signal(phone, deals[1:2])
    expect(page.locator(".standings")).to_contain_text("O'Neill")
    phone.tap_and_go(".end a.button", "/new/#after=")
    expect(page.locator("[name=name0]")).to_have_value("O'Neill")
    page.go_back()
    sheet = shown(phone)
    comes_home(phone)
    assert shown(phone) == sheet
    row = the_game().row
    assert (row.players, row.first_declarer) == (["O'Neill", names[1]], 1)
    assert row.options == {"deals": 2}


@pytest.mark.parametrize(
    ("finished", "send"),
    [(False, worker_sends), (True, comes_home)],
    ids=["ended here", "ended before"],
)
def test_match_goes_on_without_a_signal(away, finished, send):
    phone = away()
    page, go_on = phone.page, ".end form[data-outbox=next] button"
    phone.cable.plug()
    head = SetupFactory(ruleset="euchre", players=NAMES, options={"target": 4}, title="Friday")
    game = start_table(head, ("best-of", 3), at=EVENING)
    march = {"type": "deal", "maker": 1, "tricks": 5, "alone": True}
    if finished:
        record(game, march)
    phone.open(address(game, "write"))
    phone.lose_signal()
    if not finished:
        play_hand(phone, march)
    expect(page.locator(".end h2")).to_have_text("Won: Burak + Deniz")

    phone.tap_and_go(go_on, "/offline/table/#")
    expect(page.locator(".declares-now strong")).to_have_text("Burak")
    play_hand(phone, {"maker": 0, "tricks": 5})
    play_hand(phone, {"maker": 1, "tricks": 2})
    expect(page.locator(".end h2")).to_have_text("Won: Ayşe + Cem")
    second = page.url
    phone.tap(page.locator(go_on))
    page.wait_for_function("before => location.href !== before", arg=second)
    expect(page.locator(".declares-now strong")).to_have_text("Cem")
    play_hand(phone, march)
    expect(page.locator(".end h2")).to_have_text("Won: Burak + Deniz")
    expect(page.locator(go_on)).to_have_count(0)
    send(phone)
    games = [reload(each) for each in Game.objects.order_by("match_number")]
    assert [each.game.totals for each in games] == [(0, 4), (4, 0), (0, 4)]
    assert [each.row.first_declarer for each in games] == [0, 1, 2]
    assert {(each.row.match, each.row.title) for each in games} == {(game.match, "Friday")}


def test_rematch_without_a_signal_seats_whoever_sat_out(away):
    phone = away()
    page, (names, deals) = phone.page, (NAMES[:2], FAMILIES["honeymoon-king"][1])
    phone.cable.plug()
    head = SetupFactory(ruleset="honeymoon-king", players=names, options={"deals": 2})
    game = start_table(head, at=EVENING)
    stake = {"per": "last", "amount": 2, "thing": "ayran"}
    Game.objects.filter(pk=game.pk).update(resting=["Cem"], stake=stake)
    record(game, deals[0])
    phone.open(address(game, "write"))
    phone.lose_signal()
    write_without_signal(phone, deals[1:2])
    phone.tap_and_go(".end a.button", "/rematch/$")
    rests = page.get_by_label("Sits out this game")
    playing = [page.locator(f"[name=name{seat}]").input_value() for seat in (0, 1)]
    assert {*playing, rests.input_value()} == {*names, "Cem"} != {*playing, "Cem"}
    phone.name_seats(["Cem", names[1]])
    rests.fill(names[0])
    phone.tap_and_go(".actions button", "/offline/table/#")
    write_without_signal(phone, deals[:1])
    comes_home(phone)
    row = the_game().row
    assert (row.players, row.resting, row.stake) == (["Cem", names[1]], [names[0]], stake)
    assert (row.number, len(the_game().positions)) == (2, 1)


def play_hand(phone, hand):
    before = phone.page.locator("#table .sheet .marks.waits").count()
    enter_hand(phone, hand)
    phone.tap(phone.save)
    expect(phone.page.locator("#table .sheet .marks.waits")).to_have_count(before + 1)


def test_two_tabs_send_one_table(away):
    phone = away()
    begin(phone)
    write_without_signal(phone, WHOLE_GAME[:2])
    other = phone.context.new_page()
    other.goto(phone.page.url)
    expect(other.locator(WAITING_ROWS)).to_have_count(2)
    write_without_signal(phone, WHOLE_GAME[2:3])
    expect(other.locator(WAITING_ROWS)).to_have_count(3)
    phone.cable.plug()
    for page in (phone.page, other):
        page.evaluate("dispatchEvent(new Event('online'))")
    for page in (phone.page, other):
        page.wait_for_url("**/play/**")
        expect(page.locator("#table .waits")).to_have_count(0)
    assert the_game().game.totals == tuple(sum_of(WHOLE_GAME[:3]))


def sum_of(bodies):
    each = {"heart_king": -320, "queens": -100, "men": -60}
    points = [[each[u] * n for n in c] for b in bodies for u, c in b["counts"].items()]
    return map(sum, zip(*points, strict=True))


def test_worker_sends_what_waits_while_no_page_is_open(away):
    phone = away()
    page = phone.page
    # Tests have Background Sync switched off.
    phone.context.add_init_script(
        "SyncManager.prototype.register = async (tag) => { window.registered = tag; };"
    )
    begin(phone)
    write_without_signal(phone, WHOLE_GAME[:2])
    local = page.url
    page.wait_for_function("window.registered === 'outbox'")
    page.wait_for_function(LEFT_TWICE)
    worker = ServiceWorker(phone)
    worker.find_signal()
    assert the_game().game.totals == tuple(sum_of(WHOLE_GAME[:2]))
    # The page sends the same once more, and shows what is there.
    phone.open(local)
    page.wait_for_url("**/play/**")
    phone.wait_for(2)
    expect(page.locator("#table .waits")).to_have_count(0)

    # A deal at a table that the server has, in front of one that it refuses.
    phone.lose_signal()
    write_without_signal(phone, WHOLE_GAME[2:3])
    page.evaluate("""() => {
      const place = Object.keys(localStorage).find(key => key.startsWith("kingscore.outbox."));
      const items = JSON.parse(localStorage.getItem(place));
      const { fields: [...fields], ...more } = items[0];
      items.push({ ...more, fields, key: "refused-1" });
      localStorage.setItem(place, JSON.stringify(items));
    }""")
    page.reload()
    expect(page.locator(WAITING_ROWS)).to_have_count(2)
    page.wait_for_function(LEFT_TWICE)
    worker.find_signal()
    assert (len(the_game().positions), Game.objects.count()) == (3, 1)
    phone.open(phone.base + address(the_game().row, "write"))
    expect(page.locator("#table .errors").first).to_contain_text("turn to declare")


def test_start_page_sends_what_waits_the_next_day(away):
    phone = away()
    begin(phone)
    write_without_signal(phone, WHOLE_GAME[:2])
    local = phone.page.url
    phone.open("/")
    expect(phone.page.locator("#unsent .entries")).to_have_text("2")
    phone.cable.plug()
    phone.page.close()
    phone.page = phone.context.new_page()
    phone.open("/")
    expect(phone.page.locator("#unsent")).to_be_hidden()
    expect(phone.page.locator(".games li > a:first-child[href^='/play/']")).to_have_count(1)
    assert len(the_game().positions) == 2
    # The address of before leads to the table, and starts nothing again.
    phone.open(local)
    phone.page.wait_for_url("**/play/**")
    assert Game.objects.count() == 1


def test_start_without_a_signal_says_what_is_wrong_and_keeps_what_was_typed(new_phone):
    phone = new_phone()
    page = phone.page
    phone.open("/new/")
    phone.wait_for_kept(lambda kept: kept.keys() >= KEPT_TO_START)
    phone.lose_signal()
    problem = page.locator(".start-problem")
    phone.tap(page.locator(".actions button"))
    expect(problem).to_have_text("Who sits here?")
    phone.name_seats(("Ayşe", "Burak", "Ayşe", "Deniz"))
    phone.tap(page.locator(".actions button"))
    expect(problem).to_have_text("Ayşe sits here twice.")
    phone.name_seats(NAMES)
    # The server would refuse the whole game for it, after it was played.
    how_much, like = "How much is a point?", "An amount, like 1 or 0.10"
    for per, amount, why in (
        ("point", "0", how_much),
        ("last", "5 TL", like),
        ("place", "1/0", like),
    ):
        page.evaluate(OPTION, ["pays", per])
        page.evaluate(OPTION, ["pays_amount", amount])
        phone.tap(page.locator(".actions button"))
        expect(problem).to_have_text(why)
        expect(page.locator("[name=pays_amount]")).to_be_focused()
    page.evaluate(OPTION, ["pays", ""])
    page.evaluate(CHOOSE, "turkish-king")
    page.evaluate(OPTION, ["turkish-king.king_tricks", "11"])
    page.evaluate(OPTION, ["turkish-king.king", "off"])
    phone.tap(page.locator(".actions button"))
    expect(problem).to_have_text("This has no meaning with “King: does not exist”.")
    expect(page.locator(".option .start-problem")).to_be_visible()
    page.evaluate(OPTION, ["turkish-king.king", "declared"])
    for ruleset in ("euchre", "turkish-king-sealed"):
        page.evaluate(CHOOSE, ruleset)
        phone.tap(page.locator(".actions button"))
        expect(problem).to_contain_text("this game needs one to begin")
    page.evaluate(CHOOSE, "turkish-king")
    page.evaluate("""() => {
      window.keep = Storage.prototype.setItem;
      Storage.prototype.setItem = () => { throw new Error('full'); };
    }""")
    phone.tap(page.locator(".actions button"))
    expect(problem).to_have_text("This phone has no room left to keep a game.")
    assert phone.path == "/new/"

    page.evaluate("() => { Storage.prototype.setItem = window.keep; }")
    phone.tap_and_go(".actions button", "/offline/table/#")
    expect(page.locator("#table .tile .who").first).to_have_text(NAMES[0])
    played = "King: must be declared before the first lead · Tricks for King: 11"
    expect(page.locator("#table .how-played")).to_have_text(played)
    # So many tricks are King in deals with trump only, as the server says.
    settings = json.loads(page.locator("#game-rules").text_content())["settings"]
    assert (settings["king_tricks"], settings["king_deals"]) == (11, "trump")
    phone.tap(page.locator(".share-link"))
    expect(page.locator("#outbox")).to_contain_text("Nobody can follow yet")


AUCTIONS = ("bid-euchre", "portuguese-king-auction")
SCORE = """async ([rules, sides, deals]) => {
  const { href } = document.querySelector("[href*='/fold.']");
  const fold = await import(href);
  let totals = Array(sides).fill(0), king = null;
  const rows = [];
  for (const deal of deals) {
    const points = deal.points ? fold.adjustment(rules, deal, sides) : fold.pointsOf(rules, deal);
    totals = totals.map((total, side) => fold.number(total + points[side]));
    king = (!deal.points && fold.kingOf(rules, deal)) || king;
    rows.push(totals.map(fold.text));
  }
  return [rows, fold.outcome(rules, { totals, ending: { king } }), king];
}"""


def test_phone_adds_up_drawn_games_as_the_engine(new_phone):
    phone = new_phone(keeps_pages=False)
    phone.start_table()
    scored = 0
    auctions = (load_next(f"{name}.game.json") for name in AUCTIONS)
    for document in [*(drawn["record"] for drawn in DRAWN), *auctions]:
        rules = RULESETS.get(document["ruleset"]) if isinstance(document["ruleset"], str) else None
        if rules is None or not folds_without_signal(rules):
            continue
        rules = rules.with_options(document.get("options", {}))
        game = fold(rules, document)
        entries = [told(game, row) for row in game.rows]
        rows, outcome, king = phone.page.evaluate(
            SCORE, [describe(rules), rules.side_count, entries]
        )
        assert rows == [[points_text(total) for total in row.totals] for row in game.rows], document
        if game.finished:
            decided = decide(game)
            assert outcome["ranks"] == list(decided.ranks), document
            assert (outcome["out"] or []) == list(decided.out), document
            assert (king is not None) == (game.ending.seat is not None), document
            scored += 1
    assert scored > 70


def fold(rules, record):
    game = EngineGame(rules, record.get("first_declarer", 0))
    for body in record["entries"]:
        game = play(game, parse_entry(body))
    return game


def told(game, row):
    entry = game.entries[row.entry]
    if isinstance(entry, Adjustment):
        side = game.ruleset.sides[entry.seat]
        return {"side": side, "points": str(entry.points), "to": entry.to}
    played = next(deal for deal in game.deals if deal.entry == row.entry)
    details = played.deal.details
    counts = played.deal.counts or {}
    counts = [[unit, list(enumerate(numbers))] for unit, numbers in counts.items()]
    return {
        "contract": played.contract.id, "declarer": played.declarer, "counts": counts,
        "blind": details.get("blind"), "sale": details.get("sale"),
        "king": "king" in details, "declared": details.get("king_declared_by"),
        "maker": details.get("maker"), "bid": details.get("bid"), "tricks": details.get("tricks"),
        "alone": details.get("alone"), "defendsAlone": details.get("defender_alone"),
        "winner": details.get("winner"), "left": details.get("left"),
    }  # fmt: skip
