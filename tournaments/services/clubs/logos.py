"""Club logos: uploaded pictures, redrawn."""

import hashlib
import io
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction
from django.utils.translation import gettext_lazy as _

from tournaments.models import AuditEntry, Club
from tournaments.services.audit import Actor, Change, note_change
from tournaments.services.base.refusals import Refused
from tournaments.services.people.players import lock_people

if TYPE_CHECKING:
    # Loaded when a logo is sent.
    from PIL.Image import Image

MOST_BYTES = 1024 * 1024
MOST_PIXELS = 2000
KEPT_PIXELS = 480
"""Maximum stored size: sharp in print at 34 mm, and a document contains it only once."""

FORMATS = ("PNG", "JPEG")


class NoPicture(Refused, code="no-picture", status=422):
    sentence = _("This is no PNG or JPEG picture.")


class PictureTooLarge(Refused, code="picture-too-large", status=413):
    sentence = _("The picture is too large: up to 1 MB and 2000 pixels wide and high.")


@dataclass(frozen=True, slots=True)
class Logo:
    """A stored picture; `kind` is png or jpeg."""

    content: bytes
    kind: str

    @property
    def name(self) -> str:
        """A file name derived from the content, so that equal pictures share a file."""
        return f"{hashlib.sha256(self.content).hexdigest()[:24]}.{self.kind}"


def draw_anew(sent: bytes) -> Logo:
    """Return the picture in a file, redrawn: pixels only, without metadata.

    Raises:
        NoPicture: the file is no picture, or of an unsupported kind.
        PictureTooLarge: the file or the picture is too large.
    """
    from PIL import Image, ImageOps

    if len(sent) > MOST_BYTES:
        raise PictureTooLarge
    try:
        # Opening reads the header only; nothing is unpacked before the size is known.
        with Image.open(io.BytesIO(sent), formats=FORMATS) as opened:
            if max(opened.size) > MOST_PIXELS:
                raise PictureTooLarge
            kind = "jpeg" if opened.format == "JPEG" else "png"
            return _kept(ImageOps.exif_transpose(opened), kind)
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise NoPicture from error


def change_logo(club_pk: int, picture: Logo | None, by: Actor, *, at: datetime) -> Club:
    """Replace or remove a club's logo; delete the old file."""
    with transaction.atomic():
        club = lock_people(club_pk)
        before, club.logo = club.logo.name or "", ""
        if picture is not None:
            club.logo.save(f"{club.pk}-{picture.name}", ContentFile(picture.content), save=False)
        if club.logo.name == before:
            return club
        club.save(update_fields=["logo"])
        action = "remove-logo" if picture is None else "change-logo"
        note_change(club, Change(AuditEntry.Kind.SETTINGS, action), by, at=at)
        if before:
            # After the commit: a rollback must not lose the file.
            transaction.on_commit(partial(default_storage.delete, before))
    return club


def _kept(picture: "Image", kind: str) -> Logo:
    from PIL import Image

    seated = picture.convert("RGB" if kind == "jpeg" else "RGBA")
    seated.thumbnail((KEPT_PIXELS, KEPT_PIXELS), Image.Resampling.LANCZOS)
    # Paste onto a new image, since a picture keeps its metadata.
    clean = Image.new(seated.mode, seated.size)
    clean.paste(seated)
    buffer = io.BytesIO()
    clean.save(buffer, kind.upper(), optimize=True, quality=90)
    return Logo(buffer.getvalue(), kind)
