"""What a chat shows of a link that somebody has pasted."""

from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import HttpRequest
from django.templatetags.static import static
from django.utils.translation import get_language

from tournaments.models import Club
from tournaments.origin import absolute


@dataclass(frozen=True)
class LinkPreview:
    """Title, a line of result, and absolute addresses of the page and its picture (1200 × 630).

    No page that shows an address to write has one: whoever reads the chat would see it.
    """

    title: str
    line: str
    address: str
    picture: str


def link_preview(request: HttpRequest, title: str, line: str, picture: str) -> LinkPreview:
    """Return the preview of the requested page; `picture` is the path of its picture."""
    return LinkPreview(title, line, absolute(request, request.path), absolute(request, picture))


def club_page_preview(
    request: HttpRequest, club: Club, title: str, line: str
) -> LinkPreview | None:
    """Return the preview of a page of a published club; `line` has a place for its name."""
    if not club.published:
        return None
    picture = static("kingscore-wide.png")
    said = line % {"club": club.name}
    return link_preview(request, f"{title} · {club.name}", said, picture)


def as_of(path: str, version: int) -> str:
    """Return the address of a picture, another one after each change, in the active language."""
    return f"{path}?{urlencode({'language': get_language(), 'revision': version})}"
