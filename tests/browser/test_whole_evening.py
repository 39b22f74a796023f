"""An evening on four phones in Turkish, by taps and links: three games, one without a signal."""

import re
from io import BytesIO
from time import monotonic

import pytest
from django.utils.timezone import localtime
from playwright.sync_api import expect
from pypdf import PdfReader

from tests.browser.phone import only_found
from tests.browser.playing import (
    KEPT_TO_START,
    asks_who,
    comes_home,
    end,
    from_seat,
    lose_the_answer,
    say_who,
    shown,
    write_without_signal,
)
from tests.deals import NAMES, WHOLE_GAME
from tests.factories import record_all, reload
from tournaments.models import Game, Report
from tournaments.web.base.phone import address

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("worker")]

LAST = 2
"""Deals of the first game that the fourth phone watches."""

MOST_SECONDS, MOST_TAPS, MOST_TAPS_OF_TRUMP, TAPS_OF_RIFKI = 4, 90, 5, 3

SHARES = """
  window.shared = new Promise(resolve => {
    navigator.canShare = ({ files }) => files.every(file => file.type === "image/png");
    navigator.share = async ({ files: [file], title }) => {
      const { width, height } = await createImageBitmap(file);
      resolve([title, file.name, file.type, width, height]);
    };
  });
"""

TALLY = [
    "Burak 2 kez battı 3 1 çıkan 2 1 330 110",
    "Ayşe 2 kez battı 1 çıkan 2 4 1 110 36,7",
    "Cem 2 kez battı 4 3 1 çıkan 1 100 33,3",
    "Deniz 1 kez battı 2 – – 0 −100 −100",
    "Elif 2 kez battı – 4 3 0 −440 −220",
]
"""By player: how often sunk, the places in three games, games won, points, points a game."""


def test_evening_on_four_phones(new_phone):
    writer = new_phone(locale="tr-TR", asked=True, keeps_pages=True)
    partner, follower, watcher = (new_phone(locale="tr-TR", asked=True) for _ in range(3))
    writer.context.add_init_script(SHARES)
    start(writer)
    shared = share(writer, partner, follower)

    taps = write_most_of_the_first_game(writer, partner, follower)
    # Each page that follows is drawn anew at each deal: the fourth phone comes for the last ones.
    watch(watcher, shared)
    finish_first_game(writer, taps)
    for phone in (writer, partner, follower, watcher):
        expect(phone.page.locator("#end-title")).to_have_text("Çıkan: Ayşe")
    send_picture(writer)
    watcher.open(shared)
    expect(watcher.page.locator(".tally tbody tr")).to_have_count(4)

    begin_second_game(writer, partner, follower, watcher)
    record_all(newest(), from_seat(1))
    expect(follower.page.locator("#end-title")).to_have_text("Çıkan: Burak")

    play_third_game_without_signal(writer)
    for phone in (partner, follower, watcher):
        phone.page.wait_for_url(re.compile(newest().public_id))
        expect(phone.page.locator("#end-title")).to_have_text("Çıkan: Cem")
    check_tally(watcher)


def newest():
    return Game.objects.latest("pk")


def start(phone):
    phone.open("/")
    phone.tap_and_go("a.button[href='/new/']", "/new/$")
    phone.name_seats(NAMES)
    phone.tap(phone.page.locator(".first:has([value='0'])"))
    phone.tap_and_go(".actions button", "/play/")
    # Whoever starts a table is not stopped by the question.
    expect(asks_who(phone)).to_have_count(0)
    phone.tap(phone.page.locator(".last .ask-who"))
    say_who(phone, "Ayşe")


def share(writer, partner, follower):
    """Hand out the addresses that the page for sharing shows; return that of the evening."""
    writer.tap_and_go(".share-link", "/pen/$")
    write, follow = (
        re.sub(r"^https?://[^/]+", "", writer.page.locator(f"#{kind}-address").input_value())
        for kind in ("write", "follow")
    )
    assert "/evening/" in follow
    for phone, path, who in ((partner, write, "Burak"), (follower, follow, "Cem")):
        phone.open(path)
        say_who(phone, who)
    assert follower.path == address(newest(), "follow")
    writer.tap_and_go(".actions a.button", "/play/")
    return follow


def watch(watcher, shared):
    watcher.open(shared)
    say_who(watcher, "Yalnız izliyorum")
    assert watcher.path == address(newest(), "follow")


def write_most_of_the_first_game(writer, partner, follower):
    """Return the taps of each deal."""
    taps = [writer.write_deal(WHOLE_GAME[0])]
    expect(follower.page.locator(".last .what")).to_contain_text("Rıfkı")
    assert follower.totals() == [0, 0, -320, 0]
    with follower.page.expect_response(lambda answer: answer.status == 304):
        pass
    lose_and_find_signal(follower)
    partner.wait_for(1)
    # The keys of a phone begin with its own player.
    taps.append(partner.write_deal(WHOLE_GAME[1] | {"counts": {"queens": [0, 2, 1, 1]}}))
    writer.wait_for(2)
    return taps + [writer.write_deal(body) for body in WHOLE_GAME[2:-LAST]]


def finish_first_game(writer, taps):
    taps += [writer.write_deal(body) for body in WHOLE_GAME[-LAST:]]
    sheet = reload(newest())
    assert [row.author for row in sheet.revisions] == ["Ayşe", "Burak", *["Ayşe"] * 18]
    assert writer.totals() == [540, -110, -330, -100]
    assert writer.badges() == [
        ["flower", "Deniz", 6],
        ["dys", "Burak", 10],
        ["dys", "Cem", 15],
        ["ox-eye", "Ayşe", 16],
        ["flower", "Burak", 20],
        ["phone-plug", "Ayşe", 20],
    ]
    assert sum(taps) <= MOST_TAPS
    by_deal = [(body["contract"], taken) for body, taken in zip(WHOLE_GAME, taps, strict=True)]
    assert {taken for contract, taken in by_deal if contract == "heart-king"} == {TAPS_OF_RIFKI}
    assert max(n for contract, n in by_deal if contract == "trump") <= MOST_TAPS_OF_TRUMP


def lose_and_find_signal(follower):
    signal = follower.page.locator("#signal")
    follower.lose_signal()
    expect(signal).to_be_visible()
    follower.find_signal()
    expect(signal).to_be_hidden()


def send_picture(phone):
    phone.tap(phone.page.locator("[data-picture]"))
    name = f"king-{localtime(newest().played_at):%Y-%m-%d}.png"
    picture = ["Çıkan: Ayşe", name, "image/png", 1080, 1350]
    assert phone.page.evaluate("shared") == picture
    assert Report.objects.get().language == "tr"


def begin_second_game(writer, partner, follower, watcher):
    """Elif comes for Deniz, and every phone is there at once."""
    first = newest()
    writer.tap_and_go(".end a.button:has-text('Rövanş')", "/rematch/$")
    writer.page.fill("[name=name3]", "Elif")
    writer.tap_and_go(".starters button:has-text('Burak')", r"/play/\w+/[^/]+/$")
    began = monotonic()
    second = newest()
    assert (second.players, second.first_declarer) == (["Ayşe", "Burak", "Cem", "Elif"], 1)
    for phone in (writer, partner, follower, watcher):
        kind = "write" if phone in (writer, partner) else "follow"
        phone.page.wait_for_url(f"**{address(second, kind)}")
        expect(phone.page.get_by_text("2. parti başladı")).to_be_visible()
    assert monotonic() - began < MOST_SECONDS
    expect(follower.page.locator(".who-line button")).to_have_text("Siz: Cem")
    expect(watcher.page.locator(".who-line button")).to_have_text("Yalnız izliyorsunuz")
    assert writer.faults() == follower.faults() == {}

    # An old sheet that is opened later stays, and says where the evening goes on.
    follower.open(address(first, "follow"))
    follower.page.wait_for_timeout(2500)
    assert follower.path == address(first, "follow")
    assert follower.faults() == {}
    follower.tap_and_go(
        follower.page.get_by_text("Akşam sürüyor: 2. parti"), re.escape(address(second, "follow"))
    )
    watcher.tap_and_go(".occasion a", "/games/$")
    assert watcher.faults() == {}


def play_third_game_without_signal(phone):
    """Begun, played and shown without a signal; sent once, though the first answer is lost."""
    second = newest()
    phone.wait_for_kept(lambda kept: kept.keys() >= KEPT_TO_START)
    phone.wait_for(20)
    phone.lose_signal()
    phone.tap_and_go(".end a.button:has-text('Rövanş')", "/rematch/$")
    expect(phone.page.locator("[name=name3]")).to_have_value("Elif")
    phone.tap(phone.page.locator(".first:has([name=first_declarer][value='2'])"))
    phone.tap_and_go(".actions button", "/offline/table/#")
    deals = from_seat(2)
    write_without_signal(phone, deals[:7])
    phone.page.reload()
    write_without_signal(phone, deals[7:])
    sheet, ending = shown(phone), end(phone)
    assert len(sheet) == 20
    assert newest() == second

    lose_the_answer(phone)
    assert Game.objects.count() == 3
    phone.page.reload()
    assert shown(phone) == sheet
    comes_home(phone)
    assert (shown(phone), end(phone)) == (sheet, ending)
    third = reload(newest())
    assert (third.row.open_table_id, third.row.number) == (second.open_table_id, 3)
    assert third.game.totals == (-330, -100, 540, -110)
    assert [third.body(at)["counts"] for at in third.positions] == [b["counts"] for b in deals]


def check_tally(phone):
    """The page of the evening and its PDF, to the point."""
    phone.tap_and_go(".occasion a", "/games/$")
    rows = phone.page.locator(".tally tbody tr").all_inner_texts()
    assert [" ".join(row.replace("\xad", "").split()) for row in rows] == TALLY
    assert phone.faults() == {}
    phone.tap(phone.page.get_by_role("button", name="Akşam (PDF)"))
    link = phone.page.locator("a[download]")
    link.wait_for()
    pdf = phone.context.request.get(phone.base + link.get_attribute("href")).body()
    text = " ".join(page.extract_text() for page in PdfReader(BytesIO(pdf)).pages).split()
    assert only_found({row: set(row.split()) - {*text, "çıkan"} for row in TALLY}) == {}
