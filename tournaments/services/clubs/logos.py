"""The logo of a club: a picture that somebody sent, drawn anew."""

import hashlib
import io
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction
from PIL import Image, ImageOps

from tournaments.models import AuditLine, Club
from tournaments.services.auditing import Actor, Change, note_change
from tournaments.services.people.players import lock_people

MOST_BYTES = 1024 * 1024
MOST_PIXELS = 2000
KEPT_PIXELS = 480
"""Kept no larger than this: sharp in print at 34 mm, and a document carries it only once."""

FORMATS = ("PNG", "JPEG")


class NoPicture(Exception):
    """What was sent is no PNG and no JPEG, or a broken one."""


class PictureTooLarge(Exception):
    """A picture has more than `MOST_BYTES`, or more than `MOST_PIXELS` in a row or column."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture as we keep it; `kind` is png or jpeg."""

    content: bytes
    kind: str

    @property
    def name(self) -> str:
        """A name by which the same picture is the same file."""
        return f"{hashlib.sha256(self.content).hexdigest()[:24]}.{self.kind}"


def draw_anew(sent: bytes) -> Picture:
    """The picture in a file: its pixels alone, with nothing else that the file carries.

    Raises:
        NoPicture: it is none, or none that we take.
        PictureTooLarge: the file or the picture is too large.
    """
    if len(sent) > MOST_BYTES:
        raise PictureTooLarge
    try:
        # Opening reads the head only; nothing is unpacked before its size is known.
        with Image.open(io.BytesIO(sent), formats=FORMATS) as opened:
            if max(opened.size) > MOST_PIXELS:
                raise PictureTooLarge
            kind = "jpeg" if opened.format == "JPEG" else "png"
            return _kept(ImageOps.exif_transpose(opened), kind)
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise NoPicture from error


def change_logo(club_pk: int, picture: Picture | None, by: Actor, *, at: datetime) -> Club:
    """Give a club another logo, or none; the file before it is thrown away."""
    with transaction.atomic():
        club = lock_people(club_pk)
        before, club.logo = club.logo.name or "", ""
        if picture is not None:
            club.logo.save(f"{club.pk}-{picture.name}", ContentFile(picture.content), save=False)
        if club.logo.name == before:
            return club
        club.save(update_fields=["logo"])
        action = "remove-logo" if picture is None else "change-logo"
        note_change(club, Change(AuditLine.Kind.SETTINGS, action), by, at=at)
        if before:
            # After the commit: a change that is taken back must not have lost its file.
            transaction.on_commit(partial(default_storage.delete, before))
    return club


def _kept(picture: Image.Image, kind: str) -> Picture:
    drawn = picture.convert("RGB" if kind == "jpeg" else "RGBA")
    drawn.thumbnail((KEPT_PIXELS, KEPT_PIXELS), Image.Resampling.LANCZOS)
    # Onto paper of our own, for a picture takes what its file says about it along.
    clean = Image.new(drawn.mode, drawn.size)
    clean.paste(drawn)
    buffer = io.BytesIO()
    clean.save(buffer, kind.upper(), optimize=True, quality=90)
    return Picture(buffer.getvalue(), kind)
