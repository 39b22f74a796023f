"""What every document of the page family says around its contents: whose it is, and of what."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from tournaments.models import Club
from tournaments.models.clubs import Paper


@dataclass(frozen=True, slots=True)
class Heading:
    """What stands at the head of a document: its title, lines below, and what it is about.

    `event` and `date` stand at the head of every page; `description` says what the document is,
    for who searches it or has it read aloud; `origin` stands at the foot.
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
    """What `page.typ` asks of each document, in the active language.

    A document of a club is on the club's paper and shows its name and logo; `paper` is for those
    without a club.
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
    """The picture of a club; None where it has none, or its file was lost."""
    try:
        with club.logo.open("rb") as file:
            return bytes(file.read())
    except (FileNotFoundError, ValueError):
        return None
