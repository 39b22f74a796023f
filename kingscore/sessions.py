"""Sessions end a while after their last day of use, not after their first."""

import time
from collections.abc import Callable
from typing import Any

from django.contrib.auth import SESSION_KEY
from django.contrib.auth.signals import user_logged_in
from django.dispatch import receiver
from django.http import HttpRequest
from django.http.response import HttpResponseBase

USED_AT = "used_at"
A_DAY = 24 * 60 * 60


@receiver(user_logged_in)
def note_use(request: HttpRequest, **_more: Any) -> None:
    """Record the last use of a session, from its start on."""
    request.session[USED_AT] = time.time()


def renew_sessions(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Extend a session in use; once a day, because each extension is a write."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        session = request.session
        in_use = session.accessed and SESSION_KEY in session
        if in_use and time.time() - session.get(USED_AT, 0) > A_DAY:
            session[USED_AT] = time.time()
        return response

    return middleware
