"""Shared parts of the API description: problems, records, headers, topics."""

import json
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Any

from tournaments.api.codes import faults, kinds_of_problems
from tournaments.api.idempotency import REPEATED
from tournaments.api.problems import MEDIA_TYPE
from tournaments.api.schema import component
from tournaments.engine.documents.record_schemas import SCHEMAS

Json = dict[str, Any]

RECORDS = {
    "kingscore-game-1.json": "GameRecord",
    "kingscore-pairing-1.json": "PairingRecord",
    "kingscore-result-1.json": "ResultRecord",
    "kingscore-ruleset-1.json": "RulesetRecord",
    "kingscore-seating-1.json": "SeatingRecord",
    "kingscore-tournament-1.json": "TournamentRecord",
    "kingscore-verification-1.json": "VerificationRecord",
}
"""The portable records as components: fields refer to them by these names."""

EXAMPLES = Path(__file__).parent / "examples.json"

ABOUT = """\
Everything the pages of Kingscore can do, for programs. The promises of a version, safe
retries, and the form of problems are described at `/api/`.

Reading what is published needs no token. For the rest there are two kinds, both sent as
`Authorization: Bearer …`: personal tokens, and the addresses of sheets and tables as keys.
"""

TOPICS = {
    "reference": "Where to begin.",
    "games": "Games at a table: started, written, corrected, read as sheet, record and result.",
    "tables": "For the phone at a table: open its sheet, confirm, hand over the scoring.",
    "rules": "The games there are, house rules, and the form that an entry has in each.",
    "records": "Portable documents: scored and seated without being stored; JSON Schemas.",
    "clubs": "Clubs, their people and roles, invitations and settings.",
    "people": "The players of a club.",
    "reading": "A club in numbers.",
    "events": "Seasons, evenings, rounds and their tables.",
    "tournaments": "Tournaments: settings, state, the next step.",
    "entrants": "Who takes part in a tournament.",
    "rounds": "The rounds of a tournament: seating, running, rulings.",
    "standings": "Ranks of entrants, and the reasons.",
    "ratings": "Ratings and leaderboards.",
    "documents": "Scoresheets, booklets and tables as files: asked for, then fetched.",
    "importing": "Import of a club's earlier data.",
    "changes": "All that happens in a club, in order and without gaps.",
    "webhooks": "Calls about published and closed rounds, entered results, and finished events.",
    "me": "The account that a token belongs to, and its tokens.",
}
"""The topics of operations: the packages of the API."""

STATUSES = {
    "400": "The body is not valid JSON.",
    "401": "Missing or invalid token.",
    "403": "The token may not do this: it lacks a scope.",
    "404": "Not found, or you have no access.",
    "405": "This address does not know the method.",
    "406": "Only JSON is spoken here.",
    "410": "It was here, and is kept no longer.",
    "409": "Not possible in the current state.",
    "411": "The length of what was sent was not said by `Content-Length`.",
    "412": "It has changed since it was read; `ETag` is what it has now.",
    "413": "More was sent than anything here needs.",
    "414": "The address is too long for the web server.",
    "415": "The `Content-Type` is not `application/json`.",
    "422": "The request is invalid; `problems` lists every reason.",
    "428": "`If-Match` must say what is meant.",
    "429": "Too many requests; `Retry-After` says how long to wait.",
}

BEFORE_US = "414"
"""The web server's own answers, without a problem's body."""

STRING = {"type": "string"}

HEADERS: Json = {
    "ETag": {"description": "What `If-None-Match` and `If-Match` are compared with."},
    "Location": {"description": "The address of what was made."},
    "Retry-After": {"description": "Seconds to wait."},
    "WWW-Authenticate": {"description": "The kind of token that is wanted."},
    REPEATED: {"description": "`true` where the answer is the one kept for this key."},
}

REFUSAL_HEADERS = {"401": "WWW-Authenticate", "412": "ETag", "429": "Retry-After"}


def problem_schemas() -> dict[str, Json]:
    """The body of every answer that is a problem, with the lists of codes."""
    text = {"type": "string"}
    problem = {
        "type": {"type": "string", "format": "uri-reference"},
        "title": text,
        "status": {"type": "integer", "minimum": 400, "maximum": 599},
        "code": component("ProblemCode"),
        "instance": {"type": "string", "description": "The path that was asked for."},
        "problems": {"type": "array", "items": component("Fault")},
    }
    more = {
        "revision": {"type": "integer", "description": "The current revision of the sheet."},
        "position": {"type": "integer", "description": "That of the entry that would not fit."},
    }
    where = "Its path in what was sent, as `players.2`; empty for the whole."
    fault = {
        "code": component("FaultCode"),
        "where": {"type": "string", "description": where},
        "message": {"type": "string", "description": "A sentence in the reader's language."},
        "params": {"type": "object", "description": "The numbers and names in the sentence."},
    }
    return {
        "Problem": _object(problem, more, "A problem (RFC 9457)."),
        "Fault": _object(fault, {}, "One thing that is wrong in what was sent."),
        "ProblemCode": _enumeration(kinds_of_problems(), "The kind of a problem."),
        "FaultCode": _enumeration(faults(), "The fault at one place."),
    }


def _object(required: Json, more: Json, description: str) -> Json:
    return {
        "type": "object",
        "description": description,
        "required": list(required),
        "properties": {**required, **more},
    }


def _enumeration(sentences: dict[str, str], description: str) -> Json:
    return {
        "type": "string",
        "description": description,
        "enum": list(sentences),
        # Read by the page that explains each of them.
        "x-sentences": sentences,
    }


def complete(result: Json, **_more: Any) -> Json:
    """Add all that no view says by itself."""
    parts = result["components"]
    schemas = parts.setdefault("schemas", {}) | problem_schemas()
    for file, name in RECORDS.items():
        schemas[name] = _within(name, SCHEMAS[file]())
    schemas["Entry"] = component("GameRecord/$defs/entry") | {
        "description": "One line of a sheet, as in a record; each game has its own forms."
    }
    parts["schemas"] = dict(sorted(schemas.items()))
    parts["headers"] = {name: head | {"schema": STRING} for name, head in HEADERS.items()}
    parts["responses"] = {f"Problem{status}": _refusal(status) for status in STATUSES}
    for schema in schemas.values():
        _let_any_be_null(schema)
    result["info"]["description"] = ABOUT
    used = {tag for operation in _operations(result) for tag in operation["tags"]}
    result["tags"] = [
        {"name": name, "x-displayName": name.capitalize(), "description": text}
        for name, text in TOPICS.items()
        if name in used
    ]
    _show_examples(result)
    return result


def _refusal(status: str) -> Json:
    refusal: Json = {"description": f"{HTTPStatus(int(status)).phrase}: {STATUSES[status]}"}
    if status != BEFORE_US:
        refusal["content"] = {MEDIA_TYPE: {"schema": component("Problem")}}
    if name := REFUSAL_HEADERS.get(status):
        refusal["headers"] = {name: {"$ref": f"#/components/headers/{name}"}}
    return refusal


def _operations(result: Json) -> Iterator[Json]:
    for path in result["paths"].values():
        yield from path.values()


def _show_examples(result: Json) -> None:
    """Put what was really asked and answered beside the operations it belongs to."""
    examples: Json = json.loads(EXAMPLES.read_text(encoding="utf-8"))
    for operation in _operations(result):
        for place, value in examples.get(operation["operationId"], {}).items():
            body = operation["requestBody"] if place == "request" else operation["responses"][place]
            for content in body["content"].values():
                content["examples"] = {operation["operationId"]: {"value": value}}


def _let_any_be_null(schema: Json) -> None:
    """A schema of any value already includes null; a second null branch would make `oneOf` fail."""
    for field in schema.get("properties", {}).values():
        if {} in field.get("oneOf", []):
            del field["oneOf"]


def _within(name: str, schema: Any) -> Any:
    """The schema of a record as a part of this document."""
    text = json.dumps({k: v for k, v in schema.items() if k not in {"$id", "$schema"}})
    text = text.replace('"#/$defs/', f'"#/components/schemas/{name}/$defs/')
    for file, other in RECORDS.items():
        urn = f"urn:kingscore:{file.split('-')[1]}:1"
        text = text.replace(f'"{urn}"', f'"#/components/schemas/{other}"')
        text = text.replace(f'"{urn}#/', f'"#/components/schemas/{other}/')
    return json.loads(text)
