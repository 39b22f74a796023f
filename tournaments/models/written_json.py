"""JSON that is only read as a whole."""

import json
from typing import Any

from django.db import models


def compact_json(value: Any) -> str:
    """Return JSON without a space between its parts."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class WrittenJSONField(models.JSONField):
    """JSON that is only read as a whole: PostgreSQL keeps it as text, half as large as `jsonb`."""

    def db_type(self, connection: Any) -> str | None:
        return "json" if connection.vendor == "postgresql" else super().db_type(connection)

    def get_db_prep_value(self, value: Any, connection: Any, prepared: bool = False) -> Any:
        adapted = super().get_db_prep_value(value, connection, prepared)
        if connection.vendor == "postgresql" and hasattr(adapted, "obj"):
            # Not loaded where there is no PostgreSQL.
            from psycopg.types.json import Json

            # Not as `jsonb`, which would come back with other spaces and in another order.
            return Json(adapted.obj, compact_json)
        return adapted

    def from_db_value(self, value: Any, *_rest: Any) -> Any:
        # Psycopg has read it already.
        return json.loads(value) if isinstance(value, str) else value


class EntryField(WrittenJSONField):
    """The body of a revision. A deal, as nearly all are, is stored without its type.

    So a stored body with neither `type` nor `players`, which only a setup has, is a deal.
    """

    def get_db_prep_value(self, value: Any, connection: Any, prepared: bool = False) -> Any:
        if isinstance(value, dict) and value.get("type") == "deal":
            value = {name: part for name, part in value.items() if name != "type"}
        return super().get_db_prep_value(value, connection, prepared)

    def from_db_value(self, value: Any, *_rest: Any) -> Any:
        body = super().from_db_value(value)
        if body is None or "type" in body or "players" in body:
            return body
        return {"type": "deal"} | body
