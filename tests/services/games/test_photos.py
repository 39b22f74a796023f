"""Reading of photographs by workers, also by those that are killed or fail."""

import io
from datetime import timedelta

import pytest
from PIL import Image

from tests.factories import EVENING, GameFactory, GamePhotoFactory
from tournaments.models import GamePhoto
from tournaments.models.games import MOST_READINGS, READ_AGAIN_AFTER
from tournaments.services.audit import NOBODY
from tournaments.services.games.photos import add_photo, read_photo

pytestmark = pytest.mark.django_db

LATER = EVENING + READ_AGAIN_AFTER + timedelta(seconds=1)


def picture(kind="JPEG", **size):
    file = io.BytesIO()
    Image.new("1", (600 * size.get("times", 1), 800)).save(file, kind)
    return file.getvalue()


def state(photo):
    photo.refresh_from_db()
    return photo.state, photo.reason, bytes(photo.pictures) == b""


@pytest.mark.parametrize(
    ("sent", "reason"),
    [
        (picture(), "too-few-codes"),
        (b"no picture", "not-a-picture"),
        # Some kilobytes that would be 30, 60 and 240 megapixels once unpacked.
        (picture("PNG", times=63), "too-large"),
        (picture("PNG", times=125), "too-large"),
        (picture("PNG", times=500), "too-large"),
    ],
)
def test_photo_that_cannot_be_read_says_why_and_is_deleted_at_once(sent, reason):
    photo = add_photo(GameFactory().pk, [sent], NOBODY, at=EVENING)

    read_photo(photo.pk, EVENING)

    assert state(photo) == ("unreadable", reason, True)


def test_worker_that_was_killed_leaves_the_photo_to_another_and_the_third_is_the_last():
    photo = add_photo(GameFactory().pk, [picture()], NOBODY, at=EVENING)
    # As a worker leaves it that is killed while it reads.
    GamePhoto.objects.update(attempts=MOST_READINGS - 1, tried_at=EVENING)

    # A second message finds nothing to do while the first worker may still be at it.
    read_photo(photo.pk, EVENING)
    assert state(photo) == ("waiting", "", False)
    assert not GamePhoto.objects.awaiting_reading(EVENING).exists()
    assert GamePhoto.objects.awaiting_reading(LATER).get() == photo
    GamePhoto.objects.update(attempts=MOST_READINGS)
    read_photo(photo.pk, LATER)
    assert state(photo) == ("unreadable", "", True)


def test_fault_of_the_reader_is_tried_again_later(caplog):
    packed = io.BytesIO(b"no archive")
    photo = GamePhotoFactory(state="waiting", page=b"", reading=None, pictures=packed.getvalue())

    read_photo(photo.pk, EVENING)

    assert state(photo) == ("waiting", "", False)
    assert f"photo {photo.pk} failed at attempt 1" in caplog.text
