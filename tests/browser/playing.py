"""How a phone fills in the forms of each game, and the deals that tests play on it."""

from playwright.sync_api import expect

from tests.deals import WHOLE_GAME, deal
from tests.sample_games import load

TYPED = ("type", "contract", "trump", "offered", "third", "closed_by", "counts")


def pick(phone, contract):
    phone.tap(phone.page.locator(f".pick:has([value={contract}])"))


def choose(phone, body):
    """Tap the offers and the contract that is taken, unless it is chosen already."""
    page = phone.page
    if page.locator(f"form.entry [name=contract][value={body['contract']}]").is_checked():
        choose_suit(phone, body)
        return
    offered = body.get("offered", ())
    if not all(page.locator(f"[name=offered{n}]").input_value() for n, _ in enumerate(offered, 1)):
        for contract in offered:
            pick(phone, contract)
    if body.get("third"):
        phone.tap(page.locator(".third"))
    pick(phone, body["contract"])
    choose_suit(phone, body)


def choose_suit(phone, body):
    """Tap the trump, which records may leave out; it stands already if it was named before."""
    suits = phone.page.locator(".picked .suit:visible")
    if suits.count() and not phone.page.locator(".picked [name=trump]:checked").count():
        phone.tap(suits.and_(phone.page.locator(f".suit-{body.get('trump', 'spades')}")))


def tap_chip(phone, name, value):
    phone.tap(phone.page.locator(f".chip:has([name={name}][value='{value}'])"))


def tap_radio(phone, name, value):
    phone.tap(phone.page.locator(f"label:has([name={name}][value='{value}'])"))


def enter_deal(phone, body):
    """Fill in a deal of a record; nothing is saved yet."""
    choose(phone, body)
    if "closed_by" in body:
        tap_chip(phone, "closed_by", body["closed_by"])
    phone.count(body)


def write_record(phone, bodies):
    for body in bodies:
        enter_deal(phone, body)
        phone.save_and_wait()


def enter_hand(phone, hand):
    tap_radio(phone, "maker", hand["maker"])
    tap_radio(phone, "tricks", f"{hand['tricks']}{'-alone' * hand.get('alone', False)}")
    for name in ("defender_alone", "trump"):
        if name in hand:
            tap_radio(phone, name, hand[name])


def write_hand(phone, hand):
    """Write a hand of Euchre; return the taps it took."""
    before, revision = phone.taps, phone.revision
    if hand.get("passed"):
        phone.tap(phone.page.locator(".save [value=passed]"))
    else:
        enter_hand(phone, hand)
        phone.tap(phone.save)
    phone.wait_for(revision + 1)
    return phone.taps - before


# Without a signal.

KEPT_TO_START = {"/offline/", "/offline/new/", "/offline/table/"}
"""The pages with which a phone begins a table without a signal."""

WAITING_ROWS = "#table .sheet tr.waits:has(.score)"
SHEET = """() => [...document.querySelectorAll("#table .sheet tbody tr:has(th)")].map(row => {
  const seen = row.cloneNode(true);
  for (const hidden of seen.querySelectorAll(".visually-hidden")) hidden.remove();
  const cells = [...seen.querySelectorAll(".score")].map(cell =>
    cell.textContent.replace(/\\s+/g, "") + (/ (declares|deals)/.exec(cell.className)?.[0] ?? ""));
  return [seen.querySelector("th").textContent.trim(), ...cells];
})"""


def write_without_signal(phone, bodies):
    for body in bodies:
        before = phone.page.locator(WAITING_ROWS).count()
        if phone.page.locator("form.naming").count():
            choose(phone, body)
            phone.tap(phone.save)
            expect(phone.page.locator("form.naming")).to_have_count(0)
        enter_deal(phone, body)
        phone.tap(phone.save)
        expect(phone.page.locator(WAITING_ROWS)).to_have_count(before + 1)


def shown(phone):
    """The rows of the sheet: number of the deal; total, units and points of each player."""
    return phone.page.evaluate(SHEET)


def end(phone):
    # Waits for the page; the lines would be none before.
    headline = phone.page.locator(".end h2").inner_text()
    lines = phone.page.locator(".standings li").all_inner_texts()
    return headline, [" ".join(line.split()) for line in lines]


def comes_home(phone):
    """Find the signal; the page of the table at the server takes over and sends all."""
    phone.find_signal()
    phone.page.wait_for_url("**/play/**")
    expect(phone.page.locator("#table .waits")).to_have_count(0)


def lose_the_answer(phone):
    """Find the signal for one form that is sent: it arrives, its answer is lost."""
    phone.cable.lose_answer()
    phone.find_signal()
    for _ in range(400):
        if not phone.cable.plugged:
            return
        phone.page.wait_for_timeout(50)
    raise AssertionError("no form was sent")


# Who are you.


def asks_who(phone):
    return phone.page.locator("#who[open]")


def say_who(phone, text):
    phone.page.locator("#who").get_by_role("button", name=text).tap()
    expect(asks_who(phone)).to_have_count(0)


def otherwise(body):
    if "maker" in body:
        return {**body, "maker": (body["maker"] + 1) % 4}
    if "winner" in body:
        return {**body, "winner": 1 - body["winner"]}
    turned = {unit: _turn(counts) for unit, counts in body["counts"].items()}
    closed = {"closed_by": 1 - body["closed_by"]} if "closed_by" in body else {}
    return {**body, "counts": turned, **closed}


def _turn(counts):
    first, second, *rest = counts
    return [first + 1, second - 1, *rest] if len(set(counts)) == 1 else [second, *rest, first]


def hold(phone, path):
    """Let one request wait for its answer; return the list in which it is held."""
    held = []

    def take(route):
        held.append(route)

    phone.page.route(f"**/{path}/", take, times=1)
    return held


def mix_up(phone, path, mine, hers):
    """Send one request with the body of another phone, as a proxy may; return it in a list."""
    mixed = []

    def take(route):
        body = route.request.post_data.replace(mine, hers)
        mixed.append(body)
        route.continue_(post_data=body)

    phone.page.route(f"**/{path}/", take, times=1)
    return mixed


def deals_of(name, *more):
    """The first deals of a record, as far as they are typed, with these fields besides."""
    deals = [body for body in load(name)["entries"] if body["type"] == "deal"][:4]
    return [{field: body[field] for field in (*TYPED, *more) if field in body} for body in deals]


def hands(*hands):
    return [{"type": "deal", **hand} for hand in hands]


def from_seat(first):
    """The whole game as it is when another seat begins."""

    def turned(body):
        return {unit: counts[-first:] + counts[:-first] for unit, counts in body["counts"].items()}

    return [{**body, "counts": turned(body)} for body in WHOLE_GAME]


FAMILIES = {
    "turkish-king": (4, WHOLE_GAME[:4]),
    "turkish-king-partners": (4, deals_of("partners-whole", "declarer")),
    "turkish-king-blind": (4, WHOLE_GAME[:4]),
    "turkish-king-sealed": (4, WHOLE_GAME[:4]),
    "italian-king": (4, deals_of("italian-king-whole")),
    "italian-king-pairs-choice": (4, deals_of("italian-king-pairs-choice-whole")),
    "portuguese-king": (4, deals_of("portuguese-whole")),
    "honeymoon-king": (2, deals_of("honeymoon-whole")),
    "barbu": (4, deals_of("barbu-doubled")),
    "euchre": (4, hands(*({"maker": seat, "tricks": 3} for seat in range(4)))),
    "king-three": (3, [deal("no-tricks", 4, 6, 7), deal("no-queens", 1, 3, 0)]),
    "krapet": (2, hands(*({"winner": seat} for seat in (0, 1, 0, 1)))),
}
"""By the ruleset of each family of games: how many play, and the deals they play."""
