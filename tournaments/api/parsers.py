"""JSON read as strictly as the records are: in UTF-8, no NaN, no field twice, nothing too deep."""

from collections.abc import Iterator, Mapping
from typing import Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser
from rest_framework.request import Request

from tournaments.api.fields import LARGEST_KEY
from tournaments.api.problems import BodyTooLarge
from tournaments.engine.documents.games import parse_json
from tournaments.engine.rules.rulesets import InvalidEntry
from tournaments.models.people import ScopedToken

DEEPEST = 40
"""So many lists and objects within each other; the record of a tournament has nine."""

MOST_OF_STRANGERS = 128 * 1024
"""Bytes that are read of whoever sends no personal token: two megabytes take seconds to look at."""


class StrictJSONParser(BaseParser):
    """The body as JSON; an empty body is an empty object."""

    media_type = "application/json"

    def parse(
        self,
        stream: Any,
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        """The document.

        Raises:
            ParseError: it is no JSON, or nothing that can be kept.
            BodyTooLarge: a stranger sends too much.
        """
        try:
            document = parse_json(_read(stream, (parser_context or {}).get("request")))
        except InvalidEntry as error:
            raise ParseError(str(error.problems[0].params["error"])) from error
        for value in _values(document):
            if isinstance(value, str):
                _check_text(value)
            elif isinstance(value, int | float) and not -LARGEST_KEY <= value <= LARGEST_KEY:
                message = "a number is too large"
                raise ParseError(message)
        return document


def _read(stream: Any, request: Request | None) -> bytes:
    if request is None or isinstance(request.auth, ScopedToken):
        content: bytes = stream.read()
        return content
    content = stream.read(MOST_OF_STRANGERS + 1)
    if len(content) > MOST_OF_STRANGERS:
        raise BodyTooLarge(data={"megabytes": MOST_OF_STRANGERS / 1024**2})
    return content


def _values(document: Any) -> Iterator[Any]:
    """Every text, number and name within a document."""
    waiting = [(document, 0)]
    while waiting:
        value, depth = waiting.pop()
        if depth > DEEPEST:
            message = f"more than {DEEPEST} lists and objects lie within each other"
            raise ParseError(message)
        if isinstance(value, dict):
            yield from value
            waiting += [(within, depth + 1) for within in value.values()]
        elif isinstance(value, list):
            waiting += [(within, depth + 1) for within in value]
        else:
            yield value


def _check_text(text: str) -> None:
    try:
        # A half of a character (\ud800) is no text, and PostgreSQL keeps none with a NUL in it.
        broken = b"\0" in text.encode()
    except UnicodeEncodeError:
        broken = True
    if broken:
        message = "a text has a character that cannot be kept"
        raise ParseError(message)
