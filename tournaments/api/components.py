"""Shared parts of the API description: problems, records, headers, topics."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from http import HTTPStatus
from itertools import chain
from pathlib import Path
from typing import Any

from tournaments.api.access import LEFT, POLICY
from tournaments.api.codes import faults, kinds_of_problems
from tournaments.api.idempotency import REPLAYED
from tournaments.api.problems import MEDIA_TYPE
from tournaments.api.schema import Flat, component, tidy_parameter
from tournaments.engine.documents.verify import SCHEMAS
from tournaments.engine.rules.fields import KING_FIELDS, fields_anywhere
from tournaments.engine.variants import RULESETS

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

LICENSE = {"name": "BSD-3-Clause", "identifier": "BSD-3-Clause"}

PATH_NAMES = (
    ("{public_id}/merges/{id}", "{player}/merges/{id}"),
    ("/clubs/{slug}", "/clubs/{club}"),
    ("{public_id}", "{id}"),
)
"""Parameters of addresses whose field in the JSON has another name."""

PATH_EXAMPLES = {
    "club": "moda",
    "code": "2-24by-euh8",
    "delivery": "m4x7kq2rtn",
    "event": "d6k2wfm8rc",
    "file": "kingscore-game-1.json",
    "id": "h8r2mfn5ca",
    "other": "p2kcg5tuv5",
    "player": "w3ntq8rk5d",
    "ruleset": "turkish-king",
    "secret": "q7hd2vtx9kmn4c8rb5wz3fjy6p",
    "slug": "bizim-king",
    "table": "f2t68w9hg2",
    "tournament": "moda-acik-2026-11-20",
}
"""Of parameters of paths that are text; whole numbers have 1."""

PLACEHOLDER = re.compile(r"{(\w+)}")

SHARED_FROM = 3
"""A parameter of so many operations is written once."""

EXAMPLES = Path(__file__).parent / "examples"
"""A file for each topic, with examples of operations (`request` or a status) and of schemas."""

ABOUT = """\
Everything that the pages of Kingscore can do, for programs. `/api/` describes the promises of a
version, safe retries, and the form of problems.

Every answer has the limits of requests in its headers `RateLimit` and `RateLimit-Policy`.

Published data needs no token, and scripts of other sites can read it, too (CORS). For the rest
there are three kinds of tokens, all sent as `Authorization: Bearer …`: personal tokens, tokens of
applications that an account connects by OAuth, and the addresses of sheets and tables as keys.
"""

TOPICS = {
    "reference": "Where to begin.",
    "games": "Games at a table: start, write and correct them; read sheet, record and result.",
    "tables": "For the phone at a table: open its sheet, confirm, hand over the scoring.",
    "rules": "Rulesets and house rules, and the form of an entry in each.",
    "records": "Portable documents: score, seat and verify them without storing; JSON Schemas.",
    "clubs": "Clubs, their people and roles, invitations and settings.",
    "people": "The players of a club.",
    "reading": "A club in numbers.",
    "events": "Seasons, evenings, rounds and their tables.",
    "tournaments": "Tournaments: settings, state, the next step.",
    "entrants": "The entrants of a tournament.",
    "rounds": "The rounds of a tournament: seating, running, rulings.",
    "standings": "Ranks of entrants, and the reasons.",
    "ratings": "Ratings and leaderboards.",
    "documents": "Scoresheets, booklets and tables as files: request them, then download.",
    "exports": "All games, ratings and entrants of a club, line by line.",
    "importing": "Import a club's earlier data.",
    "changes": "All that happens in a club, in order and without gaps.",
    "webhooks": "Calls to your server about rounds, results and events.",
    "me": "The account that a token belongs to, and its tokens.",
}
"""The topics of operations: the packages of the API."""

STATUSES = {
    "401": "Missing or invalid token.",
    "403": "The token may not do this: it lacks a scope.",
    "404": "Not found, or you have no access.",
    "409": "Not possible in the current state.",
    "410": "It was here, and is no longer stored.",
    "412": "It has changed since it was read; `ETag` is what it has now.",
    "422": "The request is invalid; `problems` lists every reason.",
    "428": "`If-Match` is required.",
}
OTHER_STATUSES = {
    "400": "the body is not valid JSON, or not that of its `Content-Digest` (RFC 9530, `sha-256`)",
    "405": "this address does not have the method",
    "406": "the answer is JSON only",
    "411": "`Content-Length` is missing",
    "413": "the request is too large",
    "414": "the address is too long; a web server in front may say so in its own words",
    "415": "the `Content-Type` is not `application/json`",
    "429": "too many requests, and `Retry-After` says how long to wait",
    "503": "the database is busy or unavailable, and nothing was done",
}
"""The refusals that every operation can answer."""

STRING = {"type": "string"}

HEADERS: Json = {
    "ETag": {"description": "The entity tag, for `If-None-Match` and `If-Match`."},
    "Location": {"description": "The address of the new object."},
    "Retry-After": {"description": "Seconds to wait."},
    LEFT: {
        "description": 'What is left of the limit, as `"read";r=1150;t=42`: `r` requests in the'
        " next `t` seconds."
    },
    POLICY: {
        "description": 'The limit, as `"read";q=1200;w=60`: `q` requests in `w` seconds. It holds'
        " for the token, table or address that asks."
    },
    "WWW-Authenticate": {"description": "The kind of token that is required."},
    REPLAYED: {
        "description": "`true` if this answer was stored for an earlier request with this key."
    },
}

REFUSAL_HEADERS = {"401": ["WWW-Authenticate"], "412": ["ETag"]}


def problem_schemas() -> dict[str, Json]:
    """The body of every answer that is a problem, with the lists of codes."""
    problem = {
        "type": STRING | {"format": "uri"},
        "title": STRING,
        "status": {"type": "integer", "minimum": 400, "maximum": 599},
        "code": component("ProblemCode"),
        "instance": STRING | {"description": "The path of the request."},
        "problems": {"type": "array", "items": component("Fault")},
    }
    more = {
        "revision": {"type": "integer", "description": "The current revision of the sheet."},
        "position": {
            "type": "integer",
            "description": "The position of the entry that would not fit.",
        },
        "scope": STRING | {"description": "The scope that a token needs for this."},
    }
    where = "Its path in the request, as `players.2`; empty for the whole."
    fault = {
        "code": component("FaultCode"),
        "where": STRING | {"description": where},
        "message": STRING | {"description": "A sentence in the reader's language."},
        "params": {"type": "object", "description": "The numbers and names in the sentence."},
    }
    kinds, codes = list(kinds_of_problems()), list(faults())
    return {
        "Problem": _object(problem, more, "A problem (RFC 9457)."),
        "Fault": _object(fault, {}, "One fault of a request."),
        "ProblemCode": STRING | {"description": "The kind of a problem.", "enum": kinds},
        "FaultCode": STRING | {"description": "The fault at one place.", "enum": codes},
    }


def _object(required: Json, more: Json, description: str) -> Json:
    return {
        "type": "object",
        "description": description,
        "required": list(required),
        "properties": {**required, **more},
    }


def complete(result: Json, **_more: Any) -> Json:
    """Add all that no view says by itself."""
    parts = result["components"]
    schemas = parts.setdefault("schemas", {}) | problem_schemas()
    for file, name in RECORDS.items():
        schemas[name] = _record_schema(name, SCHEMAS[file]()) | {"description": _about(file)}
    entry = component("GameRecord/$defs/entry")
    schemas["GameRecord"]["properties"]["entries"] = {"type": "array", "items": entry}
    for schema in schemas.values():
        for field in schema.get("properties", {}).values():
            # Any value may be null already; a second null would make `oneOf` fail.
            if {} in field.get("oneOf", []):
                del field["oneOf"]
    flat = Flat(schemas)
    result["paths"] = {
        renamed(path): {
            method: _operation(flat.content(operation, operation["operationId"]), path)
            for method, operation in methods.items()
        }
        for path, methods in result["paths"].items()
    }
    flat.components["DealEntry"]["description"] = about_deals()
    # One component of the settings that each form of a tournament has.
    settings = flat.components["Tournament"]["properties"]["settings"]
    flat.components["TournamentSettings"] = settings
    for schema in flat.components.values():
        if schema.get("properties", {}).get("settings") == settings:
            schema["properties"]["settings"] = component("TournamentSettings")
    operations = [each for methods in result["paths"].values() for each in methods.values()]
    parts["schemas"] = dict(sorted(flat.components.items()))
    parts["headers"] = {name: head | {"schema": STRING} for name, head in HEADERS.items()}
    parts["responses"] = {status: _refusal(status) for status in STATUSES}
    others = "; ".join(f"{status}: {text}" for status, text in OTHER_STATUSES.items())
    parts["responses"]["Problem"] = _problem(f"Another problem. {others}.", "Retry-After")
    parts["parameters"] = _share_parameters(operations)
    result["info"] |= {"description": ABOUT, "license": LICENSE}
    result["servers"] = [{"url": "/", "description": "The server that this comes from."}]
    used = {tag for operation in operations for tag in operation["tags"]}
    result["tags"] = [
        {"name": name, "x-displayName": name.capitalize(), "description": text}
        for name, text in TOPICS.items()
        if name in used
    ]
    parts["examples"] = _show_examples(operations)
    # Say once, for the whole document, what most operations need.
    needs = Counter(json.dumps(each["security"]) for each in operations)
    result["security"] = json.loads(needs.most_common(1)[0][0])
    for operation in operations:
        if operation["security"] == result["security"]:
            del operation["security"]
    return result


def about_deals() -> str:
    """Return which fields deals have in each family of games, which no field of a deal names."""
    found: dict[str, set[str]] = {}
    for ruleset in RULESETS.values():
        names = found.setdefault(ruleset.family, set())
        # Also those that only some options add.
        names |= fields_anywhere(ruleset).union(
            ruleset.fields, *(c.fields for c in ruleset.contracts)
        )
        names.update(KING_FIELDS["declared"] if "king" in ruleset.settings else ())
    families = (f"`{family}`: {', '.join(sorted(names))}" for family, names in found.items())
    first = "A deal. Most games have `contract`, `declarer` and `counts`; other fields are of some:"
    return f"{first} {'; '.join(families)}. `games/{{id}}/form/` has those of one game."


def _about(file: str) -> str:
    stem = file.removesuffix("-1.json")
    return f"A `{stem}/1` document; `/api/v1/schemas/{file}` is its JSON Schema in every detail."


def renamed(path: str) -> str:
    """Return a path with the names that its parameters have in the JSON."""
    for before, now in PATH_NAMES:
        path = path.replace(before, now)
    return path


def _operation(operation: Json, path: str) -> Json:
    """Name the parameters of a path as it does."""
    names = dict(zip(PLACEHOLDER.findall(path), PLACEHOLDER.findall(renamed(path)), strict=True))
    for parameter in operation["parameters"]:
        if parameter["in"] == "path":
            parameter["name"] = names[parameter["name"]]
            is_number = parameter["schema"]["type"] == "integer"
            parameter["example"] = 1 if is_number else PATH_EXAMPLES[parameter["name"]]
    in_path = [each for each in operation["parameters"] if each["in"] == "path"]
    others = [tidy_parameter(each) for each in operation["parameters"] if each["in"] != "path"]
    in_path.sort(key=lambda each: list(names.values()).index(each["name"]))
    return {**operation, "parameters": in_path + others}


def _share_parameters(operations: list[Json]) -> Json:
    """Make components of parameters that several operations have; return them."""
    counted = Counter(
        json.dumps(each, sort_keys=True) for each in chain(*(o["parameters"] for o in operations))
    )
    shared: Json = {}
    texts: dict[str, str] = {}
    for text, number in counted.most_common():
        parameter = json.loads(text)
        if number >= SHARED_FROM and parameter["name"] not in shared:
            shared[parameter["name"]] = parameter
            texts[text] = parameter["name"]
    for operation in operations:
        operation["parameters"] = [
            {"$ref": f"#/components/parameters/{texts[text]}"} if text in texts else each
            for each in operation["parameters"]
            for text in [json.dumps(each, sort_keys=True)]
        ]
    return dict(sorted(shared.items()))


def _refusal(status: str) -> Json:
    text = f"{HTTPStatus(int(status)).phrase}: {STATUSES[status]}"
    return _problem(text, *REFUSAL_HEADERS.get(status, ()))


def _problem(description: str, *headers: str) -> Json:
    names = (*headers, LEFT, POLICY)
    return {
        "description": description,
        "content": {MEDIA_TYPE: {"schema": component("Problem")}},
        "headers": {name: {"$ref": f"#/components/headers/{name}"} for name in names},
    }


def read_examples() -> dict[str, Json]:
    """Return all examples: of `operations`, by id and place, and of `schemas`."""
    found: dict[str, Json] = {"operations": {}, "schemas": {}}
    for file in sorted(EXAMPLES.glob("*.json")):
        for kind, values in json.loads(file.read_text(encoding="utf-8")).items():
            found[kind] |= values
    return found


def _show_examples(operations: list[Json]) -> Json:
    """Put real requests and answers beside the operations they are of; return the shared ones."""
    found, used = read_examples(), {}
    ids = {operation["operationId"] for operation in operations}
    for operation in operations:
        name = operation["operationId"]
        # What the server has as well as each club is asked for alike.
        key = name if name in found["operations"] else f"clubs_{name}"
        is_shared = f"clubs_{name}" in ids or name.removeprefix("clubs_") in ids - {name}
        for place, content in _contents(operation):
            value = found["operations"].get(key, {}).get(place)
            if value is not None and not is_shared:
                content["examples"] = {name: {"value": value}}
                continue
            schema, example = content["schema"].get("$ref", "").rpartition("/")[2], key
            if value is None:
                example, value = schema, found["schemas"].get(schema)
            if value is not None:
                used[example] = {"value": value}
                content["examples"] = {example: {"$ref": f"#/components/examples/{example}"}}
    return dict(sorted(used.items()))


def _contents(operation: Json) -> Iterator[tuple[str, Json]]:
    """Yield each content in JSON with its place: `request`, or a status."""
    bodies = {"request": operation.get("requestBody", {}), **operation["responses"]}
    for place, body in bodies.items():
        if "application/json" in body.get("content", {}):
            yield place, body["content"]["application/json"]


def _record_schema(name: str, schema: Any) -> Any:
    """The schema of a record as a part of this document."""
    text = json.dumps({k: v for k, v in schema.items() if k not in {"$id", "$schema"}})
    text = text.replace('"#/$defs/', f'"#/components/schemas/{name}/$defs/')
    for file, other in RECORDS.items():
        urn = f"urn:kingscore:{file.split('-')[1]}:1"
        text = text.replace(f'"{urn}"', f'"#/components/schemas/{other}"')
        text = text.replace(f'"{urn}#/', f'"#/components/schemas/{other}/')
    return json.loads(text)
