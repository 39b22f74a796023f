"""Sessions end some time after their last use."""

import time
from collections.abc import Callable
from typing import Any

from django.contrib.auth import SESSION_KEY
from django.contrib.auth.signals import user_logged_in
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponseBase

USED_AT = "used_at"
A_DAY = 24 * 60 * 60


@receiver(user_logged_in)
def note_use(request: HttpRequest, **_more: Any) -> None:
    """Note when a session was used, from its beginning on."""
    request.session[USED_AT] = time.time()


def renew_sessions(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Put off the end of a session that is used; once a day, because each time is a write."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        session = request.session
        in_use = session.accessed and SESSION_KEY in session
        if in_use and time.time() - session.get(USED_AT, 0) > A_DAY:
            session[USED_AT] = time.time()
        return response

    return middleware
