"""Corrections, deletions and names without a signal wait at their rows, and are sent in order."""

from functools import partial

import pytest
from playwright.sync_api import expect

from tests.browser.cable import Cable
from tests.browser.playing import choose, end, shown, write_without_signal
from tests.deals import WHOLE_GAME, deal
from tests.factories import ContextFactory, record
from tournaments.engine.documents.entries import parse_entry
from tournaments.services.games import playing

pytestmark = [pytest.mark.browser, pytest.mark.keeps_pages]

MINE, HERS = deal("no-queens", 2, 0, 1, 1), deal("no-queens", 0, 4, 0, 0)
NOTED = {**MINE, "note": "a queen fell"}


def type_mine(phone):
    for seat, number in ((2, 1), (0, 2)):
        phone.tap(phone.tiles("queens").nth(seat))
        phone.tap(phone.key(number))


def tap_row(phone, position):
    phone.tap(phone.page.locator(f".sheet tr[data-position='{position}'] .of-contract a"))


def delete(phone):
    phone.tap(phone.page.locator(".last button", has_text="Delete"))
    phone.go_on()


def comes_back(phone):
    phone.find_signal()
    expect(phone.page.locator("#table .waits")).to_have_count(0)


def test_rows_are_corrected_and_taken_off_without_a_signal(new_phone):
    # A short screen folds the last entry while numbers are counted, but no way out of a correction.
    phone = new_phone(viewport={"width": 320, "height": 568})
    page = phone.page
    phone.sit_down(*WHOLE_GAME[:4])
    phone.lose_signal()
    tap_row(phone, 1)
    expect(page.locator(".declares-now strong")).to_have_text("Burak")
    assert (phone.path, phone.numbers("queens")) == (
        page.url.removeprefix(phone.base),
        ["1", "0", "2", "1"],
    )
    expect(page.locator(".save [value=deal]")).to_have_text("Save the correction")
    phone.tap(page.locator(".last button", has_text="Cancel"))
    expect(page.locator("[data-deal]")).to_have_text("5")
    assert phone.waiting() == []

    tap_row(phone, 1)
    type_mine(phone)
    phone.tap(phone.save)
    assert shown(phone)[1] == [
        *("2", "−2002−200 deals", "00 declares", "−4201−100", "−1001−100"),
    ]
    write_without_signal(phone, WHOLE_GAME[4:5])
    tap_row(phone, 0)
    delete(phone)
    sheet = shown(phone)
    assert len(phone.waiting()) == 3
    page.reload()
    assert shown(phone) == sheet
    comes_back(phone)
    # What is taken off stays struck until the server has heard of it.
    assert shown(phone) == sheet[1:]
    assert phone.stored() == [MINE, *WHOLE_GAME[2:5]]


def test_lines_that_are_no_deals_are_corrected_or_taken_off_without_a_signal(new_phone):
    phone = new_phone()
    page = phone.page
    fine = {"type": "adjustment", "seat": 2, "points": -100, "reason": "revoke"}
    misdeal = {"type": "void", "reason": "misdeal"}
    phone.sit_down(*WHOLE_GAME[:2], fine, WHOLE_GAME[2], misdeal)
    phone.stay_after_reload()
    phone.lose_signal()
    for position, says in ((2, "Cem, -50, revoke"), (4, "")):
        phone.tap(page.locator(f".sheet tr[data-position='{position}'] .note"))
        if says:
            expect(page.locator("form.entry [name=reason]")).to_have_value("revoke")
            page.fill("form.entry [name=points]", "-50")
            phone.tap(page.locator("form.entry button", has_text="Save the correction"))
            expect(page.locator(f".sheet tr[data-position='{position}'] .note")).to_have_text(says)
        else:
            delete(phone)
    assert len(phone.waiting()) == 2
    # The deal after it has other totals.
    totals = page.locator(".sheet tr[data-position='3'] .score b").all_inner_texts()
    comes_back(phone)
    assert page.locator(".sheet tr[data-position='3'] .score b").all_inner_texts() == totals
    assert phone.stored() == [*WHOLE_GAME[:2], {**fine, "points": -50, "to": "none"}, WHOLE_GAME[2]]


@pytest.mark.parametrize("written", [20, 19], ids=["ended before", "ended without a signal"])
def test_finished_game_is_corrected_without_a_signal(new_phone, written):
    phone = new_phone()
    page = phone.page
    phone.sit_down(*WHOLE_GAME[:written])
    phone.stay_after_reload()
    phone.lose_signal()
    write_without_signal(phone, WHOLE_GAME[written:])
    ending = end(phone)
    tap_row(phone, 1)
    expect(page.locator(".declares-now strong")).to_have_text("Burak")
    phone.tap(page.locator(".last button", has_text="Cancel"))
    assert end(phone) == ending
    tap_row(phone, 1)
    type_mine(phone)
    phone.tap(phone.save)
    corrected, sheet = end(phone), shown(phone)
    assert corrected[1][-1] == "4 Cem sunk −230"
    page.reload()
    assert end(phone) == corrected
    comes_back(phone)
    assert [shown(phone), end(phone)] == [sheet, corrected]
    assert phone.stored()[:19] == [WHOLE_GAME[0], MINE, *WHOLE_GAME[2:19]]


def test_row_opened_while_another_is_edited_takes_its_place(new_phone):
    phone = new_phone()
    phone.sit_down(*WHOLE_GAME[:4])
    phone.lose_signal()
    choose(phone, WHOLE_GAME[4])
    tap_row(phone, 0)
    tap_row(phone, 1)
    type_mine(phone)
    phone.tap(phone.save)
    assert len(phone.waiting()) == 1
    # The deal that was begun before is in the form again.
    expect(phone.page.locator("[name=contract]:checked")).to_have_value(WHOLE_GAME[4]["contract"])
    comes_back(phone)
    assert phone.stored() == [WHOLE_GAME[0], MINE, *WHOLE_GAME[2:4]]


@pytest.mark.parametrize(
    ("breaks", "theirs"),
    [
        (Cable.pull, None),
        (Cable.hang, None),
        (Cable.lose_answer, None),
        (partial(Cable.lead_astray, who="portal"), HERS),
        (partial(Cable.lead_astray, who="proxy"), NOTED),
    ],
    ids=["off", "hang", "lost answer", "portal", "proxy"],
)
def test_correction_waits_whose_page_lost_the_signal(new_phone, breaks, theirs):
    phone = new_phone()
    page = phone.page
    phone.sit_down(*WHOLE_GAME[:4])
    phone.stay_after_reload()
    phone.tap_and_go(page.locator(".sheet tr[data-position='1'] a"), "entries/1/$")
    breaks(phone.cable)
    for seat, number in enumerate(MINE["counts"]["queens"]):
        page.fill(f"[name=count-queens-{seat}]", str(number))
    page.fill("[name=note]", NOTED["note"])
    phone.tap_and_go(".save [value=correct]", "#corrected$")
    assert phone.waiting() == [
        "2 Q Queens −200 2 −200 0 0 −420 1 −100 −100 1 −100 Waiting for signal Edit Discard"
    ]
    if theirs:
        context = ContextFactory(revision=4)
        playing.correct_entry(phone.game.pk, 1, parse_entry(theirs), "", context)
    record(phone.game, WHOLE_GAME[4])
    phone.find_signal()
    refused = theirs == HERS
    if refused:
        expect(page.locator(".marks.refused")).to_contain_text(
            "Someone else has written meanwhile."
        )
        phone.tap(page.locator(".marks.refused button", has_text="Edit"))
        assert phone.numbers("queens") == ["2", "0", "1", "1"]
        phone.tap(phone.save)
    phone.wait_for(6 + refused)
    expect(page.locator("#table .waits")).to_have_count(0)
    assert phone.stored() == [WHOLE_GAME[0], NOTED, *WHOLE_GAME[2:5]]


def test_names_wait_and_stand_on_the_sheet_at_once(new_phone):
    phone = new_phone()
    page = phone.page
    phone.sit_down(WHOLE_GAME[0])
    phone.stay_after_reload()
    names = f"{phone.path}names/"
    phone.wait_for_kept(lambda kept: names in kept)
    for number, name in enumerate(("Berk", "Berke"), 1):
        phone.cable.pull()
        phone.open(names)
        page.fill("[name=name1]", name)
        phone.tap_and_go(".actions button", "#table$")
        expect(page.locator(".who.seat-1").first).to_have_text(name)
        write_without_signal(phone, WHOLE_GAME[number : number + 1])
        comes_back(phone)
        assert phone.sheet().row.players == ["Ayşe", name, "Cem", "Deniz"]
        phone.wait_for_kept(lambda kept, name=name: f'value="{name}"' in kept[names])
    assert phone.stored() == list(WHOLE_GAME[:3])
