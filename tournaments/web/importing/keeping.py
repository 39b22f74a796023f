"""What was uploaded, kept in the form between its preview and the import: nothing is stored.

It is signed, so that only what was read and bounded here is unpacked again.
"""

from typing import Any

from django.core import signing

A_DAY = 24 * 60 * 60

LARGEST_KEPT = 1_800_000
"""As much as comes back in a form: less than the largest body, whatever else stands in it."""

SALT = "kingscore.importing.1"


class TooMuch(Exception):
    """More than comes back in a form."""


class Forgotten(Exception):
    """What was kept is of another club or kind, older than a day, or none of ours."""


def keep(kind: str, club_pk: int, content: Any) -> str:
    """What was uploaded, as a text for a hidden field.

    Raises:
        TooMuch: it is too long for that.
    """
    text = signing.dumps([kind, club_pk, content], salt=SALT, compress=True)
    if len(text) > LARGEST_KEPT:
        raise TooMuch
    return text


def kept(kind: str, club_pk: int, text: str) -> Any:
    """What was kept.

    Raises:
        Forgotten: as it says.
    """
    try:
        kind_kept, club_kept, content = signing.loads(text, salt=SALT, max_age=A_DAY)
    except signing.BadSignature as error:
        raise Forgotten from error
    if (kind_kept, club_kept) != (kind, club_pk):
        raise Forgotten
    return content
