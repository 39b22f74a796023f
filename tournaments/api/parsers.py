"""JSON read as strictly as the records are: in UTF-8, no NaN, no field twice, nothing too deep."""

from collections.abc import Mapping
from typing import Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser

from tournaments.engine.problems import InvalidEntry
from tournaments.engine.records import parse_json


class StrictJSONParser(BaseParser):
    """What is sent, as JSON; nothing at all is an empty object."""

    media_type = "application/json"

    def parse(
        self,
        stream: Any,
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        """The document.

        Raises:
            ParseError: it is no JSON.
        """
        try:
            return parse_json(stream.read())
        except InvalidEntry as error:
            raise ParseError(str(error.problems[0].params["error"])) from error
