"""The description of the API (OpenAPI 3.1), built from the views when it is first needed."""

import json
from functools import cache
from hashlib import sha256
from typing import Any

from django.utils.translation import override
from drf_spectacular.generators import SchemaGenerator

Json = dict[str, Any]


@cache
def content() -> tuple[bytes, str]:
    """Return the description as it is served, with its entity tag."""
    with override(None):
        built = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
        text = json.dumps(built, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    return text, f'"{sha256(text).hexdigest()[:32]}"'


@cache
def document() -> Json:
    parsed: Json = json.loads(content()[0])
    return parsed
