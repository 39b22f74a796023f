"""Every page once, on a phone: accessible, tappable, within its policy, as wide as the screen."""

from urllib.parse import urlsplit

import pytest
from django.urls import resolve, reverse
from playwright.sync_api import Error, expect

from tests import club_factories as make
from tests.browser.phone import SIDEWAYS, game_with
from tests.browser.playing import pick
from tests.deals import NAMES, WHOLE_GAME, deal
from tests.factories import EVENING, ContextFactory, HouseRulesetFactory, UserFactory, record
from tests.rating_factories import PlayerRatingFactory, RatingChangeFactory, RatingPoolFactory
from tests.sample_games import load
from tests.services.tournaments.whole_tournament import LATER, whole_tournament
from tests.tournament_builders import running
from tournaments.engine.documents.entries import parse_entry
from tournaments.models import Event, Report
from tournaments.services.audit import NOBODY, Actor
from tournaments.services.games.playing import correct_entry
from tournaments.services.people.merging import merge_players
from tournaments.services.rounds.rulings import call_director
from tournaments.web.base.phone import address

pytestmark = pytest.mark.browser

LAPTOP_WIDTH, NARROW = 1280, {"width": 360, "height": 844}


def faults_anywhere(phone):
    return phone.faults() | phone.misfits(LAPTOP_WIDTH) | phone.crowded()


def faults_however_turned(phone):
    """Search on both screens; the next page is opened on the one that this is left on.

    Each change of the screen draws the page anew.
    """
    if phone.page.viewport_size == NARROW:
        found = phone.faults() | phone.crowded()
        phone.page.set_viewport_size(NARROW | {"width": LAPTOP_WIDTH})
        return found | phone.misfits()
    found = phone.misfits()
    phone.page.set_viewport_size(NARROW)
    return found | phone.faults() | phone.crowded()


OFFICE = {
    *("admin:index", "admin:app_list", "admin:password_change"),
    *(f"admin:tournaments_user_{kind}" for kind in ("changelist", "change", "history")),
}
"""One of each kind of Django's pages."""


def of_office(view):
    return view.startswith("admin:")


def made_for_phones(view):
    """Django's pages and those for programmers only have to keep to the policy."""
    return not view.startswith(("admin:", "api_"))


def crawl(phone, waiting):
    """Open every page that links lead to, one for each view; yield the names of the views."""
    seen = set()
    while waiting:
        path = waiting.pop(0)
        here = urlsplit(path).path
        # Addresses of pages end with one, those of files do not.
        if not here.endswith("/"):
            continue
        view = resolve(here).view_name
        if view in seen or (of_office(view) and view not in OFFICE):
            continue
        seen.add(view)
        try:
            answer = phone.page.goto(phone.base + path)
        except Error:  # A file to download opens no page.
            continue
        if not answer.ok or not answer.headers["content-type"].startswith("text/html"):
            continue
        # Playwright's own way to ask all links first loads scripts into the page.
        links = phone.page.evaluate("[...document.querySelectorAll('a[href]')].map(a => a.href)")
        waiting += [link.removeprefix(phone.base) for link in links if link.startswith(phone.base)]
        yield view


def test_every_page_that_links_lead_to_is_without_faults(new_phone):
    owner = UserFactory(username="Nil", email="nil@ornek.org", is_superuser=True)
    # The language with the longest words.
    phone = new_phone(owner, locale="it-IT", viewport=NARROW)
    found, within = {}, set()
    for view in crawl(phone, starts_of_an_owner(owner)):
        within.add(view)
        if made_for_phones(view):
            found[view] = faults_however_turned(phone)
    phone.context.clear_cookies(name="sessionid")
    outside = set()
    for view in crawl(phone, [reverse("account_login"), reverse("account_reset_password")]):
        outside.add(view)
        if view not in within:
            found[view] = faults_however_turned(phone)

    assert {view: faults for view, faults in found.items() if faults} == {}
    assert within >= {
        *("home", "new", "write", "pen", "history", "rules", "rules_of_game"),
        *("house_rules", "house_ruleset", "try_rules", "delete_rules", "guide"),
        *("club", "people", "players", "player", "me", "new_players", "player_card"),
        *("merge_player", "remove_player", "events", "event", "seasons", "change_event"),
        *("event_table", "remove_table", "club_games", "club_game"),
        *("tournament", "change_tournament", "entrants", "add_entrants", "entrant", "seating"),
        *(
            "running",
            "running_table",
            "round_codes",
            "new_ruling",
            "rulings",
            "wall",
            "standings",
            "why_place",
        ),
        *("register_card", "check_in_card", "event_documents", "new_tournament", "round_changes"),
        *("account_email", "mfa_list_webauthn", "mfa_add_webauthn", "usersessions_list"),
        *("clubs", "join", "invitation", "new_invitation", "claim", "claim_code"),
        *("club_settings", "leave_club", "member", "club_changes", "player_against", "me"),
        *OFFICE,
    }
    assert outside >= {"account_login", "account_signup", "account_reset_password", "home"}


def starts_of_an_owner(owner):
    """A club with something of everything, and the addresses from which links lead on."""
    row = hall()
    club = row.event.club
    make.MemberFactory(club=club, user=owner, role="owner")
    make.AuditEntryFactory.create_batch(40, club=club, user=owner, address="192.0.2.7")
    one, other = rated_players(club)
    merge_players(one.pk, make.PlayerFactory(club=club).pk, NOBODY, at=EVENING)
    long_name = make.PlayerFactory(club=club, name="Sule Ak Yılmaz-Karamustafaoğulları")
    table = make.TableFactory(round__event__club=club, entries=WHOLE_GAME)
    event = table.round.event
    Event.objects.filter(pk=event.pk).update(table_codes=True, confirmations="two")
    rules = HouseRulesetFactory(slug="moda", base="italian-king-choice")
    invitation = make.InvitationFactory(club=club)
    in_event, in_tournament = [club.slug, event.public_id], [club.slug, row.slug]
    return [
        reverse("house_ruleset", args=[rules.slug]),
        reverse("delete_rules", args=[rules.slug]),
        reverse("admin:tournaments_user_change", args=[make.AccountFactory().pk]),
        f"{reverse('merge_player', args=[club.slug, one.public_id])}?other={long_name.public_id}",
        reverse("player", args=[club.slug, one.public_id]),
        f"/clubs/{club.slug}/players/{one.public_id}/against/{other.public_id}/",
        reverse("player_card", args=[club.slug, long_name.public_id]),
        reverse("remove_player", args=[club.slug, one.public_id]),
        f"/clubs/{club.slug}/changes/?kind=settings",
        reverse("club", args=[club.slug]),
        reverse("event", args=in_event),
        reverse("event_table", args=[*in_event, table.public_id]),
        reverse("remove_table", args=[*in_event, table.public_id]),
        reverse("event_documents", args=in_event),
        reverse("club_games", args=[club.slug]),
        reverse("club_game", args=[club.slug, table.games.get().public_id]),
        reverse("tournament", args=in_tournament),
        reverse("seating", args=[*in_tournament, 3]),
        reverse("running", args=[*in_tournament, 2]),
        reverse("running_table", args=[*in_tournament, 2, 1]),
        reverse("round_changes", args=in_tournament),
        reverse("clubs"),
        reverse("claim_code"),
        reverse("join", args=[invitation.public_id, invitation.secret]),
        reverse("claim", args=[long_name.public_id, long_name.claim_secret]),
        reverse("account_email"),
        reverse("account_set_password"),
        reverse("admin:index"),
        "/offline/",
        "/",
    ]


def hall():
    """A tournament with a bit of everything: a table calls, a closed round was corrected."""
    row = whole_tournament()
    first, second = row.event.rounds.order_by("number")[:2]
    call_director(second.tables.get(number=1).pk, NOBODY, at=EVENING)
    game = first.tables.get(number=2).games.get()
    swapped = {**WHOLE_GAME[0], "counts": {"heart_king": [1, 0, 0, 0]}}
    by = Actor(make.MemberFactory(club=row.event.club, role="director").user)
    context = ContextFactory(revision=game.revision, at=LATER, by=by)
    correct_entry(game.pk, 0, parse_entry(swapped), "yanlış yazıldı", context)
    return row


def rated_players(club):
    game = make.TableFactory(round__event__club=club, entries=WHOLE_GAME).games.get()
    one, other, *_rest = [seat.player for seat in game.seats.all()]
    pool = RatingPoolFactory(club=club)
    for player in (one, other):
        rating = PlayerRatingFactory(pool=pool, player=player)
        RatingChangeFactory(rating=rating, game=game)
    return one, other


def test_smuggled_script_and_style_are_refused(new_phone):
    phone = new_phone()
    # The first page of a browser comes by no service worker, whose answers cannot be changed.
    answer = phone.page.request.get(phone.base)
    html = answer.text().replace(
        "</body>",
        "<script>document.title = 'smuggled'</script><p style='color: red'>red</p></body>",
    )
    phone.page.route(f"{phone.base}/", lambda route: route.fulfill(response=answer, body=html))

    phone.open("/")

    assert phone.page.title() != "smuggled"
    refused, phone.complaints = phone.complaints, []
    assert len(refused) == 2


def around_the_table(phone):
    phone.open("/new/")
    phone.page.locator("#table").evaluate("form => form.requestSubmit()")
    phone.page.wait_for_selector(".seat .start-problem")
    yield "new table, refused"
    sheet = phone.start_table()
    phone.open("/")
    phone.page.locator(".paper summary").tap()
    yield "home"
    phone.open("/new/?again=1")
    phone.page.locator(".more summary").first.tap()
    phone.page.locator("form > details:not(.match, .pays) summary").tap()
    yield "new table, options"
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
    phone.open(f"{sheet}pen/")
    for summary in phone.page.locator("summary").all():
        summary.tap()
    yield "hand over"
    phone.open(phone.page.input_value("#take-address"))
    yield "take over"
    for name in ("rematch", "delete"):
        phone.open(f"{sheet}{name}/")
        yield name
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


def at_the_table(phone):
    phone.sit_down(*WHOLE_GAME[:16])
    record(phone.game, {"type": "adjustment", "seat": 2, "points": -100, "reason": "revoke"})
    record(phone.game, {"type": "redeal", "by": 1, "reason": "misdeal"})
    phone.page.reload()
    for summary in phone.page.locator("summary").all():
        summary.tap()
    yield "must trump"
    phone.choose({"contract": "trump", "trump": "hearts"})
    phone.tap(phone.key(7))
    yield "trump, numbers"
    sheet = address(phone.game, "write")
    for path in ("entries/2/", "entries/16/", "names/", "log/"):
        phone.open(f"{sheet}{path}")
        yield path
    phone.open(address(phone.game, "follow"))
    yield "follow"
    phone.sit_down(ruleset="turkish-king-bloody", options={"king": "declared"})
    phone.choose({"contract": "heart-king"})
    phone.tap(phone.tiles("heart_king").first)
    yield "one tap, complete"
    phone.lose_signal()
    phone.tap(phone.save)
    phone.page.wait_for_selector(".marks.waits")
    yield "waiting"
    phone.find_signal()
    phone.sit_down(*WHOLE_GAME)
    yield "finished"


def forms_of_other_games(phone):
    italian = load("italian-king-whole")["entries"]
    phone.sit_down(ruleset="turkish-king-double")
    yield "all penalties"
    phone.sit_down(*italian[:7], ruleset="italian-king")
    yield "domino"
    options = {"sale": True, "blind_declaration": True}
    phone.sit_down(*italian[:8], ruleset="italian-king", options=options)
    phone.page.select_option("[name=sale_buyer]", "1")
    yield "sale"
    phone.sit_down(*load("italian-king-pairs-whole")["entries"][:7], ruleset="italian-king-pairs")
    yield "domino of pairs"
    phone.sit_down(ruleset="italian-king-pirandello")
    pick(phone, "declaration")
    yield "partner"
    phone.sit_down(ruleset="italian-king-pairs-choice")
    yield "offer"
    pick(phone, "no-men")
    pick(phone, "no-queens")
    yield "two offered"
    phone.tap(phone.page.locator(".third"))
    pick(phone, "declaration")
    yield "third"
    phone.sit_down(ruleset="barbu")
    pick(phone, "no-hearts")
    phone.tap(phone.page.locator(".doubles summary"))
    yield "hearts and ace"
    phone.sit_down(ruleset="turkish-king-partners")
    pick(phone, "trump")
    yield "partners"
    phone.sit_down(ruleset="honeymoon-king", players=NAMES[:2])
    yield "two"


@pytest.mark.parametrize("visited", [around_the_table, at_the_table, forms_of_other_games])
def test_page_that_was_typed_on_is_without_faults(new_phone, visited):
    phone = new_phone(locale="it-IT", viewport=NARROW)
    found = {}
    for name in visited(phone):
        found[name] = faults_anywhere(phone)
        if visited is forms_of_other_games and phone.save.is_visible():
            box = phone.save.bounding_box()
            found[name] |= {"Save": "out of reach"} if box["y"] + box["height"] > 844 else {}
    assert {name: faults for name, faults in found.items() if faults} == {}


def test_long_page_that_refuses_a_form_opens_at_the_field(new_phone):
    row = running(*NAMES)
    make.PlayerFactory.create_batch(20, club=row.event.club)
    phone = new_phone()
    phone.sign_in(make.MemberFactory(club=row.event.club, role="director").user)
    phone.open(reverse("add_entrants", args=[row.event.club.slug, row.slug]))
    phone.page.fill("[name=list]", "0532 123 45 67")
    phone.tap(phone.page.locator("form:has([name=list]) button"))
    expect(phone.page.locator("[aria-invalid=true]")).to_be_in_viewport(ratio=1)


# Names, numbers and crowns in their places.

LONG_NAMES = ("Muhammed Abdurrahman Karaosman", "Şevval İlkay Çağıltepe-Öztürk", "Ali", "Deniz Su")
CUT_OFF = """
[...document.querySelectorAll(".seats .who, .seats .total, .deal .turns > span")]
  .filter(e => e.scrollHeight > e.clientHeight + 1 && e.matches(".who")
    || e.scrollWidth > e.clientWidth && e.matches(".turns > span"))
  .map(e => e.outerHTML)
"""
OVERLAPS = """
[...document.querySelectorAll(".seats .tile")].filter(tile => {
  const boxes = [...tile.children].map(e => e.getBoundingClientRect()).filter(e => e.width);
  const edge = tile.getBoundingClientRect();
  const meet = (one, other) => Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 1
    && Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1;
  return boxes.some(box => box.bottom > edge.bottom + 1)
    || boxes.some((box, n) => boxes.slice(n + 1).some(other => meet(box, other)));
}).map(tile => tile.textContent)
"""
LINE_HEIGHT = """e => {
  const style = getComputedStyle(e);
  return parseFloat(style.lineHeight) / parseFloat(style.fontSize);
}"""


def test_names_fit_however_long_and_large(new_phone):
    phone = new_phone(locale="it")
    phone.sit_down(*WHOLE_GAME[:17], players=LONG_NAMES, options={"king": "declared"})
    phone.choose({"contract": "trump", "trump": "hearts"})
    phone.tap(phone.key(7))
    assert phone.faults() | phone.misfits(320, 360, LAPTOP_WIDTH) == {}
    phone.open(address(phone.game, "follow"))
    assert phone.faults() | phone.misfits(320, 360, LAPTOP_WIDTH) == {}

    # The dealer and who cuts are named in full where there is room; capitals keep their dots.
    for names in (("İlker", "Şükrü", "Çiğdem", "Nazlı"), ("İİ", "ŞÇĞ", "Jale", "Övgü")):
        phone.sit_down(*WHOLE_GAME[:3], players=names)
        assert phone.page.evaluate(CUT_OFF) == []
        assert phone.page.locator(".seats .who").first.evaluate(LINE_HEIGHT) >= 1.3

    phone = new_phone()
    phone.sit_down(*WHOLE_GAME[:3])
    phone.page.evaluate("document.documentElement.style.fontSize = '200%'")
    assert phone.page.evaluate(OVERLAPS) == []
    assert phone.page.evaluate(SIDEWAYS) is False
    phone.choose(WHOLE_GAME[3])
    phone.tap(phone.key(7))
    assert phone.page.evaluate(SIDEWAYS) is False


ALL_TO_BURAK = {
    "type": "deal",
    "contract": "all-penalties",
    "counts": {
        unit: [0, number, 0, 0]
        for unit, number in {
            "tricks": 13,
            "hearts": 13,
            "men": 8,
            "queens": 4,
            "heart_king": 1,
            "last_two": 2,
        }.items()
    },
}
KINGS = {
    "turkish-king": deal("no-tricks", 0, 13, 0, 0),
    "turkish-king-double": ALL_TO_BURAK,
    "turkish-king-partners": deal("trump", 0, 13, trump="spades", declarer=0),
    "honeymoon-king": deal("trump", 0, 13, trump="spades"),
}
WITH_A_CROWN = """cell => {
  const box = cell.getBoundingClientRect();
  const found = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  while (found.nextNode()) {
    if (found.currentNode.data.includes("♚")) range.selectNode(found.currentNode);
  }
  const crown = range.getBoundingClientRect();
  return crown.width > 0 && crown.left >= box.left && crown.right <= box.right
    && cell.scrollWidth <= cell.clientWidth;
}"""


def test_numbers_and_crowns_are_in_their_columns(new_phone):
    phone = new_phone()
    phone.sit_down(WHOLE_GAME[0])
    record(phone.game, {"type": "adjustment", "seat": 2, "points": -100, "reason": "revoke"})
    phone.page.reload()
    row = phone.page.locator(".sheet tbody tr").last
    took, total = (row.locator(f".score:nth-child(4) {part}") for part in (".took .soft", "b"))
    right = "e => Math.round(e.getBoundingClientRect().right)"
    assert took.evaluate(right) == total.evaluate(right)
    assert row.bounding_box()["height"] < 50

    king = deal("trump", 0, 0, 13, 0, trump="hearts")
    phone.sit_down(deal("heart-king", 0, 0, 1, 0), deal("no-men", 8, 0, 0, 0), king)
    lines = "e => Math.round(e.offsetHeight / parseFloat(getComputedStyle(e).lineHeight))"
    assert phone.page.locator(".score b").evaluate_all(f"all => all.map({lines})") == [1] * 12

    for ruleset, body in KINGS.items():
        game = game_with([body], ruleset=ruleset, players=NAMES[: 4 - 2 * ("honey" in ruleset)])
        for kind in ("write", "follow"):
            phone.open(address(game, kind))
            burak = phone.page.locator(".sheet tbody .score").nth(1)
            for width in (320, 390):
                phone.page.set_viewport_size({"width": width, "height": 844})
                assert burak.evaluate(WITH_A_CROWN), (ruleset, kind, width)
