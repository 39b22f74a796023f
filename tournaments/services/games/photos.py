"""Photographs of paper sheets: stored, read, and saved as the deals of a game."""

import io
import logging
from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import datetime
from functools import partial
from typing import Any
from zipfile import ZipFile

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from tournaments.engine.documents.entries import write_entry
from tournaments.engine.rules.entries import Entry, write_points
from tournaments.engine.rules.rulesets import InvalidEntry, Points, Ruleset
from tournaments.models import Game, GamePhoto
from tournaments.models.games import MOST_READINGS, PHOTO_KEY
from tournaments.photos.layout import can_be_photographed
from tournaments.queries.sheets import Sheet, load_sheet, ruleset_of
from tournaments.services.audit import Actor
from tournaments.services.base.writes import Refused, wake_worker
from tournaments.services.games.playing import record_keyed
from tournaments.services.games.writing import KeyReused, WriteContext

log = logging.getLogger(__name__)

READ_TASK = "tournaments.tasks.read_photo"


class PhotoOutdated(Refused, code="photo-outdated"):
    sentence = _(
        "Deals are written on this sheet already, or another photo of it was sent: nothing was"
        " saved."
    )


def takes_photos(ruleset: Ruleset) -> bool:
    """Return whether deals of a ruleset can be written from a photo of its sheet."""
    return "sealed" not in ruleset.fields and can_be_photographed(ruleset)


def add_photo(game_pk: int, pictures: Sequence[bytes], by: Actor, *, at: datetime) -> GamePhoto:
    """Store pictures of the sheet of a game, to be read; they replace those sent before.

    Raises:
        PhotoOutdated: something is written on the sheet.
        Game.DoesNotExist: the game was deleted.
    """
    packed = io.BytesIO()
    with ZipFile(packed, "w") as archive:
        for number, picture in enumerate(pictures):
            archive.writestr(str(number), picture)
    with transaction.atomic():
        row = Game.objects.select_for_update().get(pk=game_pk)
        if load_sheet(row).positions:
            raise PhotoOutdated
        row.photos.current().delete()
        photo = row.photos.create(user=by.user, pictures=packed.getvalue(), added_at=at)
        transaction.on_commit(partial(wake_worker, READ_TASK, photo.pk))
    return photo


def read_photo(pk: int, at: datetime) -> None:
    """Read the pictures of a photo and delete them, unless somebody else does."""
    from PIL import Image

    from tournaments.photos.reading import read_photos
    from tournaments.photos.straighten import UnreadablePhoto

    with transaction.atomic():
        waiting = GamePhoto.objects.select_for_update(of=("self",)).awaiting_reading(at)
        photo = waiting.select_related("game").filter(pk=pk).first()
        if photo is None:
            return
        photo.attempts, photo.tried_at = photo.attempts + 1, at
        photo.save(update_fields=["attempts", "tried_at"])
    row, read = photo.game, dict[str, Any](state=GamePhoto.State.UNREADABLE)
    try:
        if photo.attempts <= MOST_READINGS:
            with ZipFile(io.BytesIO(photo.pictures)) as archive:
                pictures = [archive.read(name) for name in archive.namelist()]
            found = read_photos(pictures, ruleset_of(row), row.public_id, row.first_declarer)
            reading = asdict(found) | {"size": Image.open(io.BytesIO(found.page)).size}
            page = reading.pop("page")
            read = {"state": GamePhoto.State.READ, "page": page, "reading": reading}
    except UnreadablePhoto as unreadable:
        read["reason"] = unreadable.reason
    # Any error belongs to the photo, not the worker: a sweep tries it again.
    except Exception:
        log.exception("photo %s failed at attempt %s", pk, photo.attempts)
        return
    GamePhoto.objects.filter(pk=pk, state=GamePhoto.State.WAITING).update(pictures=b"", **read)


def confirm_photo(
    photo: GamePhoto,
    entries: Sequence[Entry],
    totals: Sequence[Points | None],
    context: WriteContext,
) -> Sheet:
    """Save the deals of a photo as the only entries of its game; only figures stay of it.

    Idempotent. `totals` are those on the paper, as far as they are known.

    Raises:
        PhotoOutdated: others have written, saved this photo in another way, or sent a new one;
            or the deals do not fit an empty sheet.
        StaleRevision, RoundClosed, Game.DoesNotExist: as in `record_keyed`.
    """
    key = f"{PHOTO_KEY}{photo.pk:08}"
    keyed = [(f"{key}-{number:03}", entry) for number, entry in enumerate(entries)]
    figures = {
        "rows": [write_entry(entry) for entry in entries],
        "totals": [None if total is None else write_points(total) for total in totals],
    }
    done = {"state": GamePhoto.State.CONFIRMED, "pictures": b"", "page": b"", "confirmed": figures}
    with transaction.atomic():
        try:
            sheet = record_keyed(photo.game_id, keyed, replace(context, key=key))
        except (KeyReused, InvalidEntry) as error:
            raise PhotoOutdated from error
        alone = len(sheet.positions) == len(entries)
        if not alone or not GamePhoto.objects.filter(pk=photo.pk).update(**done):
            raise PhotoOutdated
    return sheet
