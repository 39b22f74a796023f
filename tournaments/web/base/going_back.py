"""Pages that a browser may keep, so that going back shows them at once.

All others have `no-store` (`kingscore/middleware.py`), which forbids that, too.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_cache_control

from tournaments.permissions import account_of


def kept_for_going_back(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Let browsers keep a page whose visitors without an account all see the same."""

    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = view(request, *args, **kwargs)
        keep_for_going_back(request, response)
        return response

    return answer


def keep_for_going_back(request: HttpRequest, response: HttpResponse) -> None:
    """Let the browser keep a whole page for visitors without an account."""
    whole = response.status_code == 200 and "HX-Request" not in request.headers
    if whole and account_of(request) is None:
        patch_cache_control(response, private=True, no_cache=True)
        # Browsers would send it with the next request; the page is rendered anew each time.
        del response["ETag"]
