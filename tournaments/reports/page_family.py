"""The page frame that all documents share: owner, subject, header and footer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from tournaments.models import Club
from tournaments.models.clubs import Paper


@dataclass(frozen=True, slots=True)
class Heading:
    """The heading of a document: its title, the lines below, and its subject.

    `event` and `date` appear at the top of every page. `description` is metadata for search and
    screen readers; `origin` appears in the footer.
    """

    title: str
    lines: Sequence[str] = ()
    event: str = ""
    date: str = ""
    description: str = ""
    origin: str = "Kingscore"


def page_data(
    heading: Heading,
    club: Club | None = None,
    *,
    paper: str = Paper.A4,
    words: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return the data that `page.typ` needs for each document, in the active language.

    A club's document uses the club's paper size, name and logo; `paper` is for documents without a
    club.
    """
    return {
        "language": get_language(),
        "title": heading.title,
        "description": heading.description or heading.title,
        "paper": club.paper if club is not None else paper,
        "club": club and {"name": club.name, "logo": club_logo(club)},
        "event": heading.event,
        "date": heading.date,
        "lines": [*heading.lines],
        "origin": heading.origin,
        "words": {"page": _("Page"), **(words or {})},
    }


def club_logo(club: Club) -> bytes | None:
    """Return the logo of a club; None if it has none, or its file is lost."""
    try:
        with club.logo.open("rb") as file:
            return bytes(file.read())
    except (FileNotFoundError, ValueError):
        return None
