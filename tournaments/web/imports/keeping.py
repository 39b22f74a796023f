"""Keep an upload in the form between preview and import, instead of storing it.

It is signed, so only data that was read and limited here is unpacked again.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.core import signing
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest

from tournaments.models import Club
from tournaments.services.imports.files import FileRefused

A_DAY = 24 * 60 * 60

LARGEST_KEPT = 1_800_000
"""Maximum size of the kept data in a form, below that of the largest body."""

SALT = "kingscore.importing.1"


@dataclass(frozen=True, slots=True)
class Upload:
    """Data read from files (JSON values), and the same as a text for a hidden field."""

    content: Any
    kept: str


def upload_of(
    request: HttpRequest, club: Club, kind: str, read: Callable[["list[UploadedFile[Any]]"], Any]
) -> Upload:
    """Return the upload of a form: files, read by `read`, or else the data kept before.

    Kept data expire after a day, and are valid only on their own page.

    Raises:
        FileRefused: neither of the two, or too much to send back.
    """
    files = request.FILES.getlist("file")
    if files:
        return _keep([kind, club.pk, read(files)])
    text = request.POST.get("kept", "")
    if not text:
        raise FileRefused("nothing")
    return Upload(_kept(kind, club, text), text)


def _keep(said: list[Any]) -> Upload:
    text = signing.dumps(said, salt=SALT, compress=True)
    if len(text) > LARGEST_KEPT:
        raise FileRefused("large")
    return Upload(said[-1], text)


def _kept(kind: str, club: Club, text: str) -> Any:
    try:
        *about, content = signing.loads(text, salt=SALT, max_age=A_DAY)
    except signing.BadSignature as error:
        raise FileRefused("forgotten") from error
    if about != [kind, club.pk]:
        raise FileRefused("forgotten")
    return content
