"""The first ten minutes of a club, in Turkish on a phone: from the sign-up to printed cards."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect
from pypdf import PdfReader

from tests.web.accounts.signing_in import AYSE, last_code
from tournaments.models import Event, Seat

pytestmark = pytest.mark.browser

NAMES = """Ayşe Yıldırım
Burak Şahin
Cem Özdemir
Deniz Aydın
Ece Taş
Fırat Can
Gül Er
Hakan Öz
İrem Ak
Kerem Geç"""


def press(phone, target):
    """Press what leads to the next page."""
    with phone.page.expect_navigation():
        phone.tap(target)


def search(phone, scripts):
    """Search the page for faults, also on smaller and wider screens and in larger letters."""
    assert not scripts or phone.faults() | phone.misfits(320, 1280) | phone.crowded() == {}


def sign_up_and_paste_names(phone, scripts):
    """Create a club with ten players, in seven taps; return the path of its page."""
    page = phone.page
    button = page.locator(".actions button")
    phone.open("/")
    press(phone, page.locator(".masthead .link"))
    press(phone, page.locator(f"main a[href='{reverse('account_signup')}']"))
    page.fill("[name=email]", AYSE)
    press(phone, button)
    page.fill("[name=code]", last_code())
    press(phone, button)

    assert phone.path == reverse("clubs")
    page.fill("[name=name]", "Moda King")
    press(phone, page.locator("main form:has([name=name]) button"))
    club = phone.path
    expect(page.locator(".club-head")).to_contain_text("Henüz oyuncu yok.")
    page.fill("#names", NAMES)
    search(phone, scripts)
    press(phone, page.locator(".club-names button"))
    press(phone, button)

    assert phone.path == club
    search(phone, scripts)
    expect(page.locator(".club-head")).to_contain_text(
        "10 oyuncu, 2 masa; 2 kişi açıkta; 2 kişi daha gelirse bir masa daha dolar."
    )
    return club


def check_cards(phone, downloading):
    """The cards that were downloaded within twelve taps have the names of all seats."""
    assert phone.taps <= 12
    text = "".join(each.extract_text() for each in PdfReader(downloading.value.path()).pages)
    event = Event.objects.get()
    seats = Seat.objects.filter(game__table__round__event=event)
    assert seats.count() == 8
    assert all(seat.player.name in text for seat in seats.select_related("player"))


@pytest.mark.parametrize("scripts", [True, False])
def test_sign_up_leads_to_cards_of_an_evening_in_twelve_taps_and_one_paste(
    new_phone, worker, scripts
):
    phone = new_phone(locale="tr-TR", java_script_enabled=scripts)
    page = phone.page
    club = sign_up_and_paste_names(phone, scripts)

    press(phone, page.locator("#ticks > button"))
    assert phone.path == club
    expect(page.locator(".event-tables > li")).to_have_count(2)
    press(phone, page.locator("[value='table-cards-of-round.pdf']"))
    download = page.locator("a.button[download]")
    download.wait_for()
    with page.expect_download() as downloading:
        phone.tap(download)

    check_cards(phone, downloading)
    phone.open(club)
    search(phone, scripts)


def test_sign_up_leads_to_cards_of_a_tournament_in_twelve_taps_and_one_paste(new_phone, worker):
    phone = new_phone(locale="tr-TR")
    page = phone.page
    club = sign_up_and_paste_names(phone, scripts=True)

    press(phone, page.locator(f"main a[href='{club}new-tournament/']"))
    search(phone, scripts=True)
    page.fill("[name=name]", "Moda Kupası")
    press(phone, page.locator(".actions button"))
    expect(page.locator(".strip")).to_contain_text("10 katılımcı")
    search(phone, scripts=True)
    for _step in ("seat", "publish"):
        press(phone, page.locator(".strip .button"))
    search(phone, scripts=True)
    with page.expect_download() as downloading:
        press(phone, page.locator("[value='table-cards-of-round.pdf']"))

    check_cards(phone, downloading)
