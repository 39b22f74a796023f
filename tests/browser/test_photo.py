"""A sheet of paper that is photographed on a phone becomes the game of a table."""

import io
from zipfile import ZipFile

import pytest
from PIL import Image
from playwright.sync_api import expect

from benchmarks.photo_simulator import photograph, write
from tests.club_factories import ClubFactory, MemberFactory
from tests.web.rounds.going import going, of_all
from tournaments.models import GamePhoto
from tournaments.tasks import read_photo

pytestmark = pytest.mark.browser

SHEET = 4
"""The number of a simulated sheet: who wrote it, what, and how it was photographed."""


CAMERA = Image.Exif()
CAMERA[0x010F] = "A phone"


def test_photo_of_a_sheet_closes_a_round_in_fewer_than_15_touches(new_phone, tmp_path):
    club = ClubFactory()
    director = MemberFactory(club=club, role="director").user
    round_ = going(club, 1)
    paper, written = write("turkish-king", SHEET)
    picture = tmp_path / "IMG_0815.jpg"
    with Image.open(io.BytesIO(photograph(paper, SHEET, megapixels=8))) as taken:
        taken.save(picture, exif=CAMERA, quality=95)
    phone = new_phone(director, locale="tr-TR")
    page = phone.page

    phone.open(of_all("round_totals", round_, 1))
    phone.tap_and_go(page.get_by_role("link", name="Kâğıttan: fotoğraf"), "/photo/")
    assert not phone.faults()
    page.set_input_files("[name=pictures]", picture)
    phone.taps += 1
    expect(page.get_by_text("Fotoğraf sırasını bekliyor.")).to_be_visible()
    photo = GamePhoto.objects.get()
    with ZipFile(io.BytesIO(photo.pictures)) as archive:
        [sent] = map(archive.read, archive.namelist())
    # Made smaller on the phone, and nothing else of the camera leaves it.
    with Image.open(io.BytesIO(sent)) as opened:
        assert (opened.width * opened.height <= 5_000_000, dict(opened.getexif())) == (True, {})
    read_photo(photo.pk)
    page.wait_for_selector(".photo-confirm")
    assert not phone.faults()
    truth = {f"total-{side}": str(total) for side, total in enumerate(written.totals)}
    for number, (contract, trump, counts) in enumerate(written.rows):
        truth[f"contract-{number}"] = f"{contract}:{trump}" if trump else contract
        truth |= {f"count-{number}-{side}": str(count) for side, count in enumerate(counts)}
    for field in page.locator(".photo-field").all():
        box = field.locator("input, select")
        right = truth[box.get_attribute("name")]
        if (
            box.input_value() != right
            and (take := field.locator(f"[data-value='{right}']")).count()
        ):
            phone.tap(take)
        elif box.input_value() != right:
            phone.tap(box)
            box.fill(right)
            phone.taps += len(right)
    phone.tap_and_go(page.get_by_role("button", name="Bütün turları kaydet"), "/play/[^/]+/[^/]+/$")
    phone.tap_and_go("#round-bar a", "/rounds/1/")
    phone.tap(page.get_by_role("button", name="1. raundu kapat"))
    expect(page.get_by_role("button", name="1. raundu kapat")).to_have_count(0)

    round_.refresh_from_db()
    photo.refresh_from_db()
    assert (round_.closed_at is not None, photo.game.result["totals"]) == (True, written.totals)
    assert (photo.state, bytes(photo.pictures), bytes(photo.page)) == ("confirmed", b"", b"")
    assert phone.taps < 15
