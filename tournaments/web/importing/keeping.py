"""What was uploaded, kept in the form between its preview and the import: nothing is stored.

It is signed, so that only what was read and bounded here is unpacked again.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.core import signing
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest

from tournaments.models import Club

A_DAY = 24 * 60 * 60

LARGEST_KEPT = 1_800_000
"""As much as comes back in a form: less than the largest body, whatever else stands in it."""

SALT = "kingscore.importing.1"


class NotKept(Exception):
    """Nothing to import; `why` is `nothing`, `large` or `forgotten`.

    What was kept is forgotten after a day, and of use only for its own page.
    """

    def __init__(self, why: str) -> None:
        self.why = why
        super().__init__(why)


@dataclass(frozen=True, slots=True)
class Upload:
    """What was read from files (JSON values), and the same as a text for a hidden field."""

    content: Any
    kept: str


def upload_of(
    request: HttpRequest, club: Club, kind: str, read: Callable[["list[UploadedFile[Any]]"], Any]
) -> Upload:
    """What a form was sent with: files, read by `read`, or else what was kept before.

    Raises:
        NotKept: neither of the two, or too much to come back.
    """
    files = request.FILES.getlist("file")
    if files:
        return _keep([kind, club.pk, read(files)])
    text = request.POST.get("kept", "")
    if not text:
        raise NotKept("nothing")
    return Upload(_kept(kind, club, text), text)


def _keep(said: list[Any]) -> Upload:
    text = signing.dumps(said, salt=SALT, compress=True)
    if len(text) > LARGEST_KEPT:
        raise NotKept("large")
    return Upload(said[-1], text)


def _kept(kind: str, club: Club, text: str) -> Any:
    try:
        *about, content = signing.loads(text, salt=SALT, max_age=A_DAY)
    except signing.BadSignature as error:
        raise NotKept("forgotten") from error
    if about != [kind, club.pk]:
        raise NotKept("forgotten")
    return content
