"""Answer phones that look on before sessions are loaded: with 304, or a sheet drawn for others.

A thousand phones ask whether their sheet has changed, and nearly always get one of these answers.
Sessions, forms and accounts are not needed for them, and cost more than the answer itself.
"""

from collections.abc import Callable
from functools import lru_cache
from hashlib import sha256

from django.conf import settings
from django.core.cache import caches
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import Resolver404, ResolverMatch, resolve
from django.utils import translation

from tournaments.queries.versions import GameVersion, VersionCache, followed, written
from tournaments.web.base.pages import ANNOUNCED, not_modified
from tournaments.web.games.views import etag_of

ACCESS = {"follow": followed, "write": written}
"""The check of an address against a version, by the name of the route."""


NEVER_CACHED = "max-age=0, no-cache, no-store, must-revalidate, private"
"""The headers of `never_cache`, without computing them for each answer."""

MOST_PHONES = 4000
"""The size of the cache per process; keys are digests of path and cookies."""

LONGEST_PATH = 100
"""Paths of sheets have some fifty characters; longer ones would only fill the memory."""


class Etags:
    """The last ETag of each phone, valid until the version of its game changes."""

    def __init__(self) -> None:
        self.answered: dict[bytes, tuple[GameVersion, str]] = {}

    def of(self, request: HttpRequest, match: ResolverMatch, mark: GameVersion) -> str | None:
        """Return the ETag of the sheet at an address; None if it gives no access to the game."""
        sent = request.META.get
        sees = (request.path_info, sent("HTTP_COOKIE"), sent("HTTP_ACCEPT_LANGUAGE"))
        phone = sha256(repr(sees).encode()).digest()
        seen, etag = self.answered.get(phone, (None, None))
        if seen == mark:
            return etag
        etag = etag_at(request, match, mark)
        # Unknown addresses must not fill the memory.
        if etag is not None:
            if len(self.answered) >= MOST_PHONES:
                self.answered.clear()
            self.answered[phone] = mark, etag
        return etag


def answer_unchanged(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Answer a question for a sheet that needs no drawing; pass on all other requests."""
    watch, etags = VersionCache(settings.MARKS_KEPT_SECONDS), Etags()

    def middleware(request: HttpRequest) -> HttpResponseBase:
        return unchanged(request, watch, etags) or get_response(request)

    return middleware


def unchanged(request: HttpRequest, watch: VersionCache, etags: Etags) -> HttpResponse | None:
    """Return a 304, or the sheet as it was drawn for others; None if there is neither."""
    match = listening(request)
    if match is None:
        return None
    public_id = match.kwargs["public_id"]
    # A stream has announced a change that this process may not have seen yet.
    news = request.META.get("HTTP_KINGSCORE_NEWS")
    if news is None:
        mark = watch.mark(public_id)
    else:
        mark = watch.mark_announced(public_id, news.split(" ")[-1])
    etag = None if mark is None else etags.of(request, match, mark)
    if not etag:
        return None
    if news is not None:
        request.META[ANNOUNCED] = mark
    response: HttpResponse | None = not_modified(request, etag)
    is_visitor = settings.SESSION_COOKIE_NAME not in request.COOKIES
    # A version without news may be older than the sheet that another process has sent.
    if response is None and news is not None and match.url_name == "follow" and is_visitor:
        drawn = caches["sheets"].get(etag)
        response = None if drawn is None else HttpResponse(drawn)
    if response is not None:
        response["ETag"], response["Cache-Control"] = etag, NEVER_CACHED
        # For the request metrics, which count by route.
        request.resolver_match = match
    return response


def etag_at(request: HttpRequest, match: ResolverMatch, mark: GameVersion) -> str | None:
    """Return the ETag of this phone's page at an address; None if it gives no access."""
    public_id, secret = match.kwargs["public_id"], match.kwargs["secret"]
    if ACCESS[str(match.url_name)](mark, public_id, secret) is None:
        return None
    with translation.override(translation.get_language_from_request(request)):
        return etag_of(request, public_id, mark)


def listening(request: HttpRequest) -> ResolverMatch | None:
    """Return the route of a poll; None for other requests."""
    # A replica may be behind the version of the primary: `ReplicaMiddleware` decides.
    if "HTTP_KINGSCORE_NEWS" in request.META and settings.REPLICA_URL:
        return None
    asked = {"HTTP_IF_NONE_MATCH", "HTTP_HX_REQUEST"} <= request.META.keys()
    if not asked or request.method != "GET" or len(request.path_info) > LONGEST_PATH:
        return None
    return sheet_at(request.path_info)


@lru_cache(maxsize=MOST_PHONES)
def sheet_at(path: str) -> ResolverMatch | None:
    """Return the route of a sheet's address; None for all others."""
    # Before all other routes are tried.
    if not path.startswith(("/follow/", "/play/")):
        return None
    try:
        match = resolve(path)
    except Resolver404:
        return None
    return match if match.url_name in ACCESS else None
