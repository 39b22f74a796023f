"""Photographs of a paper sheet, and what a person makes of what was read in them."""

import io
import re
from http import HTTPStatus

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from PIL import Image

from tests.deals import WHOLE_GAME
from tests.factories import ContextFactory, GamePhotoFactory, reading_of, record, reload
from tests.web.games.table import game_with, page_of, table_of, url
from tournaments.models import GamePhoto, Revision
from tournaments.services.games.playing import withdraw_entry

pytestmark = pytest.mark.django_db

ENTRIES = [
    entry if entry["contract"] != "trump" or "trump" in entry else entry | {"trump": "spades"}
    for entry in WHOLE_GAME
]
UNTYPED = ("sure", "csrfmiddlewaretoken")
WRONG_SUM = {"doubtful": [0, 1, 2, 3], "sum_is_wrong": True}


@pytest.fixture
def game():
    return game_with(0)


def photo_of(game, **changes):
    return GamePhotoFactory(game=game, reading=reading_of(ENTRIES, **changes))


def picture(size=(60, 80), kind="JPEG"):
    file = io.BytesIO()
    Image.new("1" if kind == "PNG" else "L", size).save(file, kind)
    return SimpleUploadedFile("photo", file.getvalue())


def send(phone, game, *pictures):
    return phone.post(url(game, "photo"), {"pictures": pictures})


def fields_on(page):
    """Return what the form of a page would send."""
    form = page.partition("photo-confirm")[2].partition("</form>")[0]
    inputs = re.findall(r"<input ([^>]*)>", form)
    named = [(re.search(r'name="([^"]+)"', i), re.search(r'value="([^"]*)"', i)) for i in inputs]
    found = {name[1]: value[1] if value else "" for name, value in named if name[1] not in UNTYPED}
    for name, options in re.findall(r'<select name="([^"]+)".*?>(.*?)</select>', form, re.DOTALL):
        found[name] = (
            re.findall(r'value="([^"]*)"[^>]* selected', options)[0]
            if "selected" in options
            else ""
        )
    return found


def confirm(phone, game, **changes):
    return phone.post(url(game, "photo"), fields_on(page_of(phone, game, "photo")) | changes)


def test_whole_sheet_is_saved_as_ordinary_entries_and_its_page_deleted(plain, game):
    photo = photo_of(game)

    answer = confirm(plain, game)

    assert (answer.status_code, answer["Location"]) == (HTTPStatus.FOUND, url(game, "write"))
    assert [dict(revision.body) for revision in reload(game).revisions] == ENTRIES
    assert {r.kind for r in reload(game).revisions} == {Revision.Kind.ENTRY}
    photo.refresh_from_db()
    assert (photo.state, bytes(photo.page), photo.confirmed["totals"]) == (
        "confirmed",
        b"",
        [540, -110, -330, -100],
    )
    assert photo.confirmed["rows"] == ENTRIES
    assert "from paper, read by photo" in page_of(plain, game, "history")
    # The page is gone, and what is written is not filled in again.
    assert plain.get(url(game, "photo_page")).status_code == HTTPStatus.NOT_FOUND
    assert "Deals are written on this sheet: a photo fills an empty one only." in page_of(
        plain, game, "photo"
    )


def test_doubtful_fields_come_first_and_are_saved_only_once_filled_in(plain, game):
    photo_of(game, row3={"contract_is_doubtful": True}, row7={"doubtful": [0]}, row9=WRONG_SUM)
    page = page_of(plain, game, "photo")
    numbers = [int(n) for n in re.findall(r"<legend>\s*Deal (\d+)", page)]
    empty = {name for name, value in fields_on(page).items() if not value}

    refused = confirm(plain, game)

    assert numbers[:4] == [4, 8, 10, 1]
    assert empty == {"contract-3", "count-7-0", *(f"count-9-{side}" for side in range(4))}
    assert refused.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert refused.content.decode().count("a whole number") == 2
    assert not reload(game).positions
    filled = {"contract-3": "trump:spades", "count-7-0": 1} | {
        f"count-9-{s}": n for s, n in enumerate((0, 3, 0, 1))
    }
    assert confirm(plain, game, **filled).status_code == HTTPStatus.FOUND


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"count-1-0": "2"}, "Queens"),
        ({"contract-1": "heart-king"}, "must be 1 in all, 4 written"),
        ({"count-1-0": "x"}, "whole number"),
        ({"total-0": "530"}, "do not add up"),
    ],
)
def test_what_does_not_come_out_is_asked_about_and_nothing_saved(plain, game, changes, told):
    photo_of(game)

    answer = confirm(plain, game, **changes)

    assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert told in answer.content.decode()
    assert changes.items() <= fields_on(answer.content.decode()).items()
    assert not reload(game).positions


def test_total_that_the_writer_got_wrong_is_passed_over_by_a_tick(plain, game):
    photo_of(game, totals=(540, -110, None, -90))

    assert confirm(plain, game).status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert confirm(plain, game, sure="1").status_code == HTTPStatus.FOUND
    assert reload(game).game.totals == (540, -110, -330, -100)


def test_photo_that_is_confirmed_twice_is_saved_once(plain, other, game):
    photo_of(game)
    fields = fields_on(page_of(plain, game, "photo"))
    path = url(game, "photo")

    first, again = plain.post(path, fields), other.post(path, fields)
    # Somebody else has read a number of it another way.
    differs = {"count-8-0": "8", "count-8-1": "1", "total-0": "", "total-1": ""}
    another = other.post(path, fields | differs)

    assert (first.status_code, again.status_code) == (HTTPStatus.FOUND, HTTPStatus.FOUND)
    assert another.status_code == HTTPStatus.CONFLICT
    assert "Deals are written on this sheet already" in another.content.decode()
    assert differs.items() <= fields_on(another.content.decode()).items()
    assert [dict(revision.body) for revision in reload(game).revisions] == ENTRIES


# One deal would still fit behind the other, twenty would not.
@pytest.mark.parametrize("deals", [1, 20])
def test_deal_that_was_written_meanwhile_refuses_the_photo_and_keeps_what_was_typed(
    plain, game, deals
):
    GamePhotoFactory(game=game, reading=reading_of(ENTRIES[:deals], totals=(None,) * 4))
    fields = fields_on(page_of(plain, game, "photo"))
    record(game, WHOLE_GAME[1])

    answer = plain.post(url(game, "photo"), fields)

    assert answer.status_code == HTTPStatus.CONFLICT
    assert "Someone else has written meanwhile. Yours was not saved." in answer.content.decode()
    again = fields_on(answer.content.decode())
    assert again == fields | {"revision": "1"}
    assert plain.post(url(game, "photo"), again).status_code == HTTPStatus.CONFLICT
    assert len(reload(game).positions) == 1
    assert send(plain, game, picture()).status_code == HTTPStatus.CONFLICT


def test_another_photo_replaces_one_that_is_not_confirmed(plain, game):
    photo_of(game)
    fields = fields_on(page_of(plain, game, "photo"))

    assert send(plain, game, picture(), picture()).status_code == HTTPStatus.FOUND
    answer = plain.post(url(game, "photo"), fields)

    assert GamePhoto.objects.get().state == "waiting"
    assert answer.status_code == HTTPStatus.CONFLICT
    assert "or another photo of it was sent: nothing was saved." in answer.content.decode()


def test_wrong_sheet_that_was_saved_is_taken_back_and_the_right_one_saved(plain, game):
    def save(deals):
        GamePhotoFactory(game=game, reading=reading_of(ENTRIES[:deals], totals=(None,) * 4))
        return confirm(plain, game).status_code

    assert save(1) == HTTPStatus.FOUND
    withdraw_entry(game.pk, 0, "another table's", ContextFactory(revision=1))
    assert save(2) == HTTPStatus.FOUND
    assert len(reload(game).positions) == 2


def test_larger_bodies_are_taken_of_photos_only(plain, game, settings):
    settings.LARGEST_BODY, settings.LARGEST_PHOTOS = 1_000, 2_000
    paths = [url(game, name) for name in ("photo", "record")]

    def status(path, size):
        return plain.post(path, {"pictures": SimpleUploadedFile("photo", b"x" * size)}).status_code

    too_large = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    assert [status(path, 1_200) for path in paths] == [HTTPStatus.FOUND, too_large]
    assert status(paths[0], 2_000) == too_large


def test_sheet_without_sums_or_with_deals_offers_no_photo(plain):
    hearts = table_of("barbu")

    offered = [
        "From paper: photo" in page_of(plain, g) for g in (game_with(0), game_with(1), hearts)
    ]

    assert offered == [True, False, False]
    assert plain.get(url(hearts, "photo")).status_code == HTTPStatus.NOT_FOUND
