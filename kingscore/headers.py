"""What every answer says to browsers, beside what Django and django-csp have them say."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase

HEADERS = {
    # No page uses any of these, so that nothing smuggled into one can, either.
    "Permissions-Policy": ", ".join(
        f"{feature}=()"
        for feature in (
            *("camera", "display-capture", "geolocation", "microphone"),
            *("midi", "payment", "usb"),
        )
    ),
    # No page of another site loads ours as a part of it; a view may allow it.
    "Cross-Origin-Resource-Policy": "same-origin",
}


def add_headers(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Add `HEADERS` to each answer that does not say otherwise, static files included."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        return response

    return middleware
