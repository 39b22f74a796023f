"""The description of the API (OpenAPI 3.1), put together from its views."""

import json
from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter

from tournaments.api.idempotency import HEADER
from tournaments.api.problems import MEDIA_TYPE
from tournaments.engine.record_schemas import SCHEMAS

RECORDS = {
    "kingscore-game-1.json": "GameRecord",
    "kingscore-pairing-1.json": "PairingRecord",
    "kingscore-result-1.json": "ResultRecord",
    "kingscore-ruleset-1.json": "RulesetRecord",
    "kingscore-seating-1.json": "SeatingRecord",
    "kingscore-tournament-1.json": "TournamentRecord",
}
"""The portable records as components: fields refer to them by these names."""

PROBLEM: dict[str, Any] = {
    "type": "object",
    "required": ["type", "title", "status", "code", "instance", "problems"],
    "properties": {
        "type": {"type": "string", "format": "uri-reference"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "code": {"type": "string"},
        "instance": {"type": "string"},
        "problems": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["code", "where", "message", "params"],
                "properties": {
                    "code": {"type": "string"},
                    "where": {"type": "string"},
                    "message": {"type": "string"},
                    "params": {"type": "object"},
                },
            },
        },
    },
}

READING = ("400", "401", "403", "404", "405", "406", "429")
WRITING = (*READING, "409", "412", "413", "415", "422")


def component(name: str) -> dict[str, str]:
    """A reference to a component, as one of `RECORDS`."""
    return {"$ref": f"#/components/schemas/{name}"}


class BearerScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """How a token is sent."""

    target_class = "tournaments.api.access.BearerAuthentication"
    name = "bearer"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, str]:
        """A personal token, or an address as a key."""
        return {"type": "http", "scheme": "bearer"}


class Described(AutoSchema):
    """What is alike for every address: tags, headers, and the form of problems."""

    def get_tags(self) -> list[str]:
        """The topic: that which its module is named after."""
        module = type(self.view).__module__.removeprefix("tournaments.api.")
        return [module.partition(".")[0]]

    def get_override_parameters(self) -> list[Any]:
        """The headers that every address knows."""
        parameters = super().get_override_parameters()
        where: Any = OpenApiParameter.HEADER
        if self.method == "POST":
            text = "8 to 64 letters, digits, `-` or `_`: sent twice, it is done once."
            parameters.append(
                OpenApiParameter(
                    HEADER,
                    {"type": "string", "pattern": "^[0-9A-Za-z_-]{8,64}$"},
                    where,
                    description=text,
                )
            )
        if self.method in {"PUT", "PATCH", "DELETE"}:
            parameters.append(OpenApiParameter("If-Match", str, where))
        if self.method == "GET":
            parameters.append(OpenApiParameter("If-None-Match", str, where))
        return parameters

    def _get_response_bodies(self, direction: Any = "response") -> dict[str, Any]:
        bodies: dict[str, Any] = super()._get_response_bodies(direction)
        content = {MEDIA_TYPE: {"schema": component("Problem")}}
        for status in READING if self.method == "GET" else WRITING:
            bodies.setdefault(status, {"description": "", "content": content})
        if self.method == "GET":
            bodies.setdefault("304", {"description": "Nothing has changed."})
        return bodies


def complete(result: dict[str, Any], **_more: Any) -> dict[str, Any]:
    """Add the components that are written by hand: problems, and the schemas of the records."""
    schemas = result["components"].setdefault("schemas", {})
    schemas["Problem"] = PROBLEM
    for file, name in RECORDS.items():
        schemas[name] = _within(name, SCHEMAS[file]())
    result["components"]["schemas"] = dict(sorted(schemas.items()))
    return result


def _within(name: str, schema: Any) -> Any:
    """The schema of a record as a part of this document."""
    text = json.dumps({k: v for k, v in schema.items() if k not in {"$id", "$schema"}})
    text = text.replace('"#/$defs/', f'"#/components/schemas/{name}/$defs/')
    for file, other in RECORDS.items():
        urn = f"urn:kingscore:{file.split('-')[1]}:1"
        text = text.replace(f'"{urn}"', f'"#/components/schemas/{other}"')
        text = text.replace(f'"{urn}#/', f'"#/components/schemas/{other}/')
    return json.loads(text)
