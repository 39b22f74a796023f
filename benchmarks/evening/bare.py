"""The control of whoever looks on: an application that knows nothing and answers 304."""

from collections.abc import Callable, Iterable
from typing import Any

from kingscore.streams import Buffered

PAGE = b"""<div data-revision="0" hx-headers='{"If-None-Match": "\\"nothing\\""}'></div>"""


def pages(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """A page that asks for itself, and after that nothing new."""
    if "HTTP_IF_NONE_MATCH" in environ:
        start_response("304 Not Modified", [("ETag", '"nothing"')])
        return []
    start_response("200 OK", [("Content-Type", "text/html"), ("Content-Length", str(len(PAGE)))])
    return [PAGE]


application = Buffered(pages, threads=4)
