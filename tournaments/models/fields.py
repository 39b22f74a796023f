"""Fields of models: public ids and keys of addresses, and JSON as it was written."""

import base64
import json
import re
import secrets
from typing import TYPE_CHECKING, Any, TypeVar

from django.conf import settings
from django.db import models
from django.utils.crypto import constant_time_compare, salted_hmac

BYTES = 18
"""144 bits of the digest: impossible to guess, and no padding in base64."""

ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"
"""No characters that are easily misread on paper: no 0/o, no 1/l/i."""

Rows = TypeVar("Rows", bound=models.QuerySet[Any])


def new_public_id() -> str:
    """Return a random public id for a row. It is not a secret."""
    return "".join(secrets.choice(ALPHABET) for _ in range(10))


def derive(kind: str, public_id: str, generation: int, key: str | None = None) -> str:
    """Return the secret part of an address, now or under another key: 24 URL-safe characters."""
    key = settings.SECRET_KEY if key is None else key
    digest = _digest(kind, public_id, generation, key)
    return base64.urlsafe_b64encode(digest[:BYTES]).decode()


def server_keys() -> list[str]:
    """Return the key of the server, and the old ones that still open what was printed."""
    return [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]


def derive_code(kind: str, public_id: str, generation: int, letters: str, length: int) -> str:
    """Return a short secret to type in. The caller must count and limit wrong attempts."""
    number = int.from_bytes(_digest(kind, public_id, generation, settings.SECRET_KEY), "big")
    code = ""
    for _ in range(length):
        number, letter = divmod(number, len(letters))
        code += letters[letter]
    return code


def matches(secret: str, kind: str, public_id: str, generation: int) -> bool:
    """Return whether `secret` is the derived one, or was under an old key of the server."""
    # No `any` over a generator: the time must not tell which key fits.
    fits = [
        constant_time_compare(secret, derive(kind, public_id, generation, key))
        for key in server_keys()
    ]
    return any(fits)


def found_at(
    rows: Rows, kind: str, public_id: str, secret: str, generation: str = "generation"
) -> Rows:
    """Filter `rows` to the one with this address; `generation` names its generation field."""
    pk, now = named(rows, public_id).values_list("pk", generation).first() or (None, 0)
    if pk is None or not matches(secret, kind, public_id, now):
        return rows.none()
    # Filter by the generation again, so that an address revoked meanwhile finds nothing.
    return rows.filter(pk=pk, **{generation: now})


def named(rows: Rows, public_id: str) -> Rows:
    # An address can contain anything, but PostgreSQL rejects a query for text with a NUL.
    return rows.none() if "\0" in public_id else rows.filter(public_id=public_id)


def _digest(kind: str, public_id: str, generation: int, key: str) -> bytes:
    message = f"{kind}:{public_id}:{generation}"
    return salted_hmac("kingscore.address", message, key, algorithm="sha256").digest()


def compact_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# It is generic for the type checker alone.
if TYPE_CHECKING:
    CharField = models.CharField[str, str]
else:
    CharField = models.CharField


class ChoiceField(CharField):
    """One of the values of an enumeration, which a constraint of the database knows, too."""

    def __init__(self, choices: Any, **options: Any) -> None:
        names = dict(getattr(choices, "choices", choices))
        super().__init__(choices=choices, **{"max_length": max(map(len, names)), **options})

    def contribute_to_class(self, cls: Any, name: str, private_only: bool = False) -> None:
        super().contribute_to_class(cls, name, private_only)
        model = re.sub("(?<=[a-z])(?=[A-Z])", "_", cls.__name__).lower()
        known = models.Q(**{f"{name}__in": [value for value, _label in self.choices or ()]})
        constraint = models.CheckConstraint(condition=known, name=f"{model}_{name}_known")
        cls._meta.constraints.append(constraint)

    def deconstruct(self) -> Any:
        """Return it as a plain field: in a migration the constraint stands by itself."""
        name, _path, args, options = super().deconstruct()
        return name, "django.db.models.CharField", args, options


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
