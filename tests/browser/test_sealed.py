"""Sealed and blind deals on the phone, in Turkish: handed over, sealed, revealed, counted."""

from hashlib import sha256

import pytest
from playwright.sync_api import expect

from tests.deals import WHOLE_GAME, deal
from tests.factories import GameFactory, HeadFactory, reload
from tournaments.web.phone import address

pytestmark = pytest.mark.browser

# Twice is what the game holds of each penalty.
SEALED = (
    deal("no-men", 2, 3, 1, 2),
    deal("no-queens", 1, 2, 1, 0),
    deal("no-men", 0, 0, 8, 0),
    deal("trump", 6, 4, 1, 2),
)


@pytest.fixture
def at_naming(table_phone):
    """A phone in Turkish that writes at a table where contracts are named before the deal."""

    def open_table(ruleset, *entries):
        phone = table_phone(locale="tr-TR")
        head = HeadFactory(ruleset=ruleset)
        phone.game = reload(GameFactory(head=head, entries=entries)).row
        phone.open(address(phone.game, "write"))
        return phone

    return open_table


def wait_for(phone, revision):
    phone.page.wait_for_selector(f"#table[data-revision='{revision}']")


def seal(phone, contract):
    """What the declarer does with the phone that is handed over; the revision after it."""
    revision = phone.revision + 1
    phone.tap(phone.page.locator(".hand-to summary"))
    phone.tap(phone.page.locator(f".pick:has([value={contract}])"))
    phone.tap(phone.page.locator(".hand-to .save button"))
    wait_for(phone, revision)


def reveal(phone):
    revision = phone.revision + 1
    phone.tap(phone.page.locator(".sealed .save button"))
    wait_for(phone, revision)


def count(phone, body):
    """Tap the numbers of a deal whose contract stands."""
    revision = phone.revision + 1
    phone.count(body)
    phone.tap(phone.save)
    wait_for(phone, revision)


def totals_of(phone):
    """The totals in the last line of the sheet that has points."""
    cells = phone.page.locator(".sheet tbody tr:has(.score)").last.locator(".score b")
    return [int(text.replace("−", "-")) for text in cells.all_inner_texts()]


def last(game):
    sheet = reload(game)
    return sheet.body(sheet.positions[-1])


def test_whole_sealed_game_is_sealed_revealed_and_counted(at_naming):
    phone = at_naming("turkish-king-sealed")
    for body in WHOLE_GAME:
        seal(phone, body["contract"])
        published = last(phone.game)["sealed"]
        expect(phone.page.locator(".seal")).to_contain_text(published[:8])
        # Not a word of it is left on the phone, not even where it cannot be seen.
        assert f'value="{body["contract"]}"' not in phone.page.content()
        reveal(phone)
        count(phone, body)
        stored = last(phone.game)
        assert stored["contract"] == body["contract"]
        assert sha256(f"{stored['contract']}:{stored['salt']}".encode()).hexdigest() == published
    assert totals_of(phone) == [540, -110, -330, -100]
    expect(phone.page.locator(".end h2")).to_have_text("Çıkan: Ayşe")


def test_contract_over_quota_is_played_again_and_says_why(at_naming):
    phone = at_naming("turkish-king-sealed", SEALED[0], SEALED[2])
    declarer = phone.page.locator("[data-declarer]")
    expect(declarer).to_have_text("Cem")
    seal(phone, "no-men")
    published = last(phone.game)["sealed"]

    reveal(phone)

    notice = phone.page.locator(".naming .notice")
    expect(notice).to_contain_text("Erkek almaz")
    notice.locator("summary").tap()
    expect(notice).to_contain_text(published)
    expect(notice).to_contain_text(last(phone.game)["salt"])
    assert phone.faults() == {}
    expect(declarer).to_have_text("Cem")
    seal(phone, "no-queens")
    reveal(phone)
    count(phone, SEALED[1])
    assert [reload(phone.game).body(p)["type"] for p in (2, 3)] == ["void", "deal"]


def test_pages_of_a_sealed_deal_keep_nobody_out(at_naming):
    phone = at_naming("turkish-king-sealed")
    assert phone.faults() == {}
    phone.page.locator(".hand-to summary").tap()
    assert phone.faults() == {}
    phone.page.locator(".hand-to summary").tap()
    seal(phone, "no-men")
    phone.page.locator(".seal summary").tap()
    assert phone.faults() == {}
    reveal(phone)
    phone.page.locator(".proof summary").tap()
    assert phone.faults() == {}


def test_seal_without_signal_is_not_kept_on_the_phone(at_naming):
    phone = at_naming("turkish-king-sealed")
    phone.lose_signal()
    phone.tap(phone.page.locator(".hand-to summary"))
    phone.tap(phone.page.locator(".pick:has([value=no-men])"))
    phone.tap(phone.page.locator(".hand-to .save button"))
    expect(phone.page.locator("#outbox")).to_be_visible()
    assert "no-men" not in phone.page.evaluate("JSON.stringify({...localStorage})")
    phone.find_signal()
    phone.tap(phone.page.locator(".hand-to .save button"))
    wait_for(phone, 1)


def test_whoever_follows_sees_that_it_is_sealed_and_what_is_revealed(at_naming, table_phone):
    phone = at_naming("turkish-king-sealed")
    other = table_phone(locale="tr-TR")
    other.open(address(phone.game, "follow"))
    seal(phone, "no-men")
    expect(other.page.locator(".sheet tbody")).to_contain_text("✉")
    assert "Erkek" not in other.page.locator("#table").inner_text()
    reveal(phone)
    expect(other.page.locator(".sheet tbody")).not_to_contain_text("✉")


def test_blind_deal_is_named_and_then_counted(at_naming):
    phone = at_naming("turkish-king-blind")
    assert phone.faults() == {}
    phone.tap(phone.page.locator(".suit-hearts:has(input)"))
    phone.tap(phone.page.locator(".save button[value=deal]"))
    wait_for(phone, 1)
    expect(phone.page.locator(".contracts .pick:visible")).to_have_count(1)
    expect(phone.page.locator(".contracts .change")).to_be_hidden()
    assert phone.faults() == {}

    count(phone, SEALED[3])

    assert last(phone.game) == {**SEALED[3], "trump": "hearts"}
    assert totals_of(phone) == [300, 200, 50, 100]
    # A penalty takes the suit back that was tapped before it.
    phone.tap(phone.page.locator(".suit-clubs:has(input)"))
    phone.tap(phone.page.locator(".pick:has([value=no-queens])"))
    phone.tap(phone.page.locator(".save button[value=deal]"))
    wait_for(phone, 3)
    assert last(phone.game) == {"type": "deal", "contract": "no-queens"}


def test_one_queen_each_in_a_blind_deal_is_played_again(at_naming):
    phone = at_naming("turkish-king-blind", {"type": "deal", "contract": "no-queens"})
    for _ in range(4):
        if phone.page.locator(".replay").is_visible():
            break
        phone.tap(phone.key(1))
    phone.tap(phone.page.locator(".replay"))
    wait_for(phone, 2)
    assert last(phone.game)["reason"] == "one-each"
