"""The request after django_htmx.middleware.HtmxMiddleware."""

from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails


class HtmxRequest(HttpRequest):
    """A request with the details of htmx."""

    htmx: HtmxDetails
