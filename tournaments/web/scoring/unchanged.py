"""Tells an open page that nothing has changed, before anything else looks at its question.

A thousand phones ask every few seconds, and nearly always that is the answer: sessions, forms and
accounts are none of its business, and cost more than the answer itself.
"""

from collections.abc import Callable
from functools import lru_cache
from hashlib import sha256

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import Resolver404, ResolverMatch, resolve
from django.utils import translation
from django.utils.cache import get_conditional_response

from tournaments.queries.marks import Mark, Watch, followed, written
from tournaments.web.scoring.pages import etag_of

ACCESS = {"follow": followed, "write": written}
"""What is asked of a mark, by the name of the address."""


NEVER_CACHED = "max-age=0, no-cache, no-store, must-revalidate, private"
"""As `never_cache` says it of the pages, without putting it together for each answer."""

MOST_PHONES = 4000
"""As many as one process remembers, each by a digest of its path and cookies."""

LONGEST_PATH = 100
"""Paths of sheets have some fifty letters; longer ones would only fill the memory."""


class Etags:
    """What each phone was told last: it asks for the same until the mark of its game is another."""

    def __init__(self) -> None:
        self.told: dict[bytes, tuple[Mark, str]] = {}

    def of(self, request: HttpRequest, match: ResolverMatch, mark: Mark) -> str | None:
        """The ETag of the sheet at an address; None where that gives no access to the game."""
        sent = request.META.get
        sees = (request.path_info, sent("HTTP_COOKIE"), sent("HTTP_ACCEPT_LANGUAGE"))
        phone = sha256(repr(sees).encode()).digest()
        seen, etag = self.told.get(phone, (None, None))
        if seen == mark:
            return etag
        etag = etag_at(request, match, mark)
        # Whoever knows no address of a game fills no memory.
        if etag is not None:
            if len(self.told) >= MOST_PHONES:
                self.told.clear()
            self.told[phone] = mark, etag
        return etag


def answer_unchanged(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Answer 304 where a page that listens has what there is; leave all else to others."""
    watch, etags = Watch(settings.MARKS_KEPT_SECONDS), Etags()

    def middleware(request: HttpRequest) -> HttpResponseBase:
        return unchanged(request, watch, etags) or get_response(request)

    return middleware


def unchanged(request: HttpRequest, watch: Watch, etags: Etags) -> HttpResponse | None:
    """The answer 304; None where there is something new, or something else is asked."""
    match = listening(request)
    mark = None if match is None else watch.mark(match.kwargs["public_id"])
    if match is None or mark is None:
        return None
    etag = etags.of(request, match, mark)
    response: HttpResponse | None = get_conditional_response(request, etag=etag) if etag else None
    if response is not None and etag:
        response["ETag"], response["Cache-Control"] = etag, NEVER_CACHED
        # For whoever counts requests by where they went.
        request.resolver_match = match
    return response


def etag_at(request: HttpRequest, match: ResolverMatch, mark: Mark) -> str | None:
    """The ETag of what this phone sees at an address; None where that gives no access."""
    public_id, secret = match.kwargs["public_id"], match.kwargs["secret"]
    if ACCESS[str(match.url_name)](mark, public_id, secret) is None:
        return None
    with translation.override(translation.get_language_from_request(request)):
        return etag_of(request, public_id, mark, fragment=True)


def listening(request: HttpRequest) -> ResolverMatch | None:
    """Where a page that is open asks whether there is anything new; None where nothing does."""
    asked = {"HTTP_IF_NONE_MATCH", "HTTP_HX_REQUEST"} <= request.META.keys()
    if not asked or request.method != "GET" or len(request.path_info) > LONGEST_PATH:
        return None
    return sheet_at(request.path_info)


@lru_cache(maxsize=MOST_PHONES)
def sheet_at(path: str) -> ResolverMatch | None:
    """The address of a sheet; None for all others."""
    # Before all others are tried.
    if not path.startswith(("/follow/", "/play/")):
        return None
    try:
        match = resolve(path)
    except Resolver404:
        return None
    return match if match.url_name in ACCESS else None
