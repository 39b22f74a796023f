"""The list of entrants as the door of a tournament: who is here, who has paid, badges."""

import pytest
from playwright.sync_api import expect

from tests.browser.laptop import Laptop
from tests.club_factories import (
    ClubFactory,
    EntrantFactory,
    EventFactory,
    MemberFactory,
    PlayerFactory,
    TournamentFactory,
)

pytestmark = pytest.mark.browser

NAMES = (
    *("Selin Yıldırım", "Muhammed Abdurrahmanoğlu", "Deniz Kaya", "Pınar Şimşek", "Burak Öztürk"),
    *("Ece Taş", "Fırat Can", "Gül Nur", "Hakan Öz", "İrem Ak", "Kerem Geç", "Leyla Tunç"),
    *("Mert Uz", "Zeynep Güneş", "Onur Çelik", "Tolga Erdem", "Ufuk Ay", "Jale Demir"),
    *("Ayşe Yılmaz", "Cem Aydın"),
)


def test_two_helpers_take_twenty_people_in_at_the_door(new_phone):
    club = ClubFactory(published=True)
    settings = {"check_in": "once", "fee": "200"}
    row = TournamentFactory(
        event=EventFactory(club=club, name="Aralık Turnuvası"),
        state="registration",
        settings=settings,
    )
    for number, name in enumerate(NAMES, 1):
        EntrantFactory(tournament=row, number=number, player=PlayerFactory(club=club, name=name))
    helpers = [MemberFactory(club=club, role="director").user for _ in range(2)]
    one, other = (Laptop(new_phone(helper, locale="tr-TR")) for helper in helpers)
    one.row = other.row = row
    for screen in (one, other):
        screen.open("entrants")
    taps = []

    def tap(screen, what):
        taps.append(what)
        screen.phone.tap(screen.page.locator(what))

    def paid():
        return sorted(row.entrants.filter(paid=True).values_list("number", flat=True))

    # Fees of twenty people: one tap, one to undo it, two where one has not paid.
    everybody = list(range(1, len(NAMES) + 1))
    tap(one, "[name=paid][value=all]")
    expect(one.page.locator("#entrant-counts [role=status]")).to_contain_text("20 / 20")
    assert paid() == everybody
    assert one.phone.faults() == {}
    tap(one, "#entrant-counts [name=unpaid]")
    expect(one.page.locator("[name=paid][value=all]")).to_be_visible()
    assert paid() == []
    taps.clear()
    tap(one, "[name=paid][value=all]")
    tap(one, "#e7 [name=unpaid]")
    expect(one.page.locator("#e7 [name=paid]")).to_be_visible()
    assert paid() == [number for number in everybody if number != 7]
    assert len(taps) == 2

    # Taps on a row do not load the page; the other helper has the list as it was before.
    one.page.evaluate("window.same = true")
    tap(one, "#e1 [name=here]")
    tap(other, "#e1 [name=here]")
    expect(other.page.locator("#e1 [name=unpaid]")).to_be_visible()
    for screen in (one, other):
        expect(screen.page.locator("#e1 [name=gone]")).to_be_visible()
    assert one.page.evaluate("window.same")
    assert list(row.entrants.filter(checked_in=1).values_list("number", flat=True)) == [1]

    # The code of a badge opens the row of the person.
    tap(one, "#e7 .entrant-badge")
    code = one.page.input_value("#card-address")
    other.phone.open(code[code.index("/clubs/") :])
    expect(other.page.locator(".entrant")).to_have_count(1)
    tap(other, "#e7 [name=paid]")
    expect(other.page.locator("#e7 [name=unpaid]")).to_be_visible()
    assert paid() == everybody
    assert one.complaints == other.complaints == []
