"""Tells an open page that nothing has changed, before anything else looks at its question.

A thousand phones ask every few seconds, and nearly always that is the answer: sessions, forms and
accounts are none of its business, and cost more than the answer itself.
"""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import Resolver404, ResolverMatch, resolve
from django.utils import translation
from django.utils.cache import add_never_cache_headers, get_conditional_response

from tournaments.queries.marks import Watch, followed, written
from tournaments.web.scoring.pages import etag_of

ACCESS = {"follow": followed, "write": written}
"""What is asked of a mark, by the name of the address."""


def answer_unchanged(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Answer 304 where a page that listens has what there is; leave all else to others."""
    watch = Watch(settings.MARKS_KEPT_SECONDS)

    def middleware(request: HttpRequest) -> HttpResponseBase:
        return unchanged(request, watch) or get_response(request)

    return middleware


def unchanged(request: HttpRequest, watch: Watch) -> HttpResponse | None:
    """The answer 304; None where there is something new, or something else is asked."""
    match = listening(request)
    if match is None:
        return None
    public_id, secret = match.kwargs["public_id"], match.kwargs["secret"]
    mark = ACCESS[str(match.url_name)](watch.mark(public_id), public_id, secret)
    if mark is None:
        return None
    with translation.override(translation.get_language_from_request(request)):
        etag = etag_of(request, public_id, mark, fragment=True)
    response: HttpResponse | None = get_conditional_response(request, etag=etag)
    if response is not None:
        response["ETag"] = etag
        add_never_cache_headers(response)
        # For whoever counts requests by where they went.
        request.resolver_match = match
    return response


def listening(request: HttpRequest) -> ResolverMatch | None:
    """Where a page that is open asks whether there is anything new; None where nothing does."""
    asked = {"HTTP_IF_NONE_MATCH", "HTTP_HX_REQUEST"} <= request.META.keys()
    if not asked or request.method != "GET":
        return None
    # Before all others are tried.
    if not request.path_info.startswith(("/follow/", "/play/")):
        return None
    try:
        match = resolve(request.path_info)
    except Resolver404:
        return None
    return match if match.url_name in ACCESS else None
