"""The description of the API, flat answers, and keys of writes."""

import re
from collections.abc import Mapping
from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import force_instance
from drf_spectacular.utils import OpenApiParameter

from tournaments.api.fields import StrictSerializer
from tournaments.api.filtering import ABOUT, PAGES, expand
from tournaments.api.idempotency import HEADER, REPLAYED
from tournaments.engine.documents.shapes import TEXT
from tournaments.engine.rules.entries import LARGE
from tournaments.models import Scope

Json = dict[str, Any]

SCHEMAS = "#/components/schemas/"
POINTS = "Points"

NAMES = {
    "GameRecord/entry": "Entry",
    "GameRecord/counts_of_any_sides": "UnitCounts",
    "ResultRecord/next": "NextContracts",
    "ResultRecord/row": "ResultRow",
    "ResultRecord/badge": "EarnedBadge",
    "ResultRecord/problem": "RecordProblem",
    "RulesetRecord/settings": "RulesetSettings",
    "RulesetRecord/contract": "RulesetContract",
    "RulesetRecord/pack": "RulesetPack",
    "RulesetRecord/stage": "RulesetStage",
    "RulesetRecord/option": "RulesetOption",
    "RulesetRecord/implied": "ImpliedSettings",
    "SeatingRecord/quality": "SeatingQuality",
    "SeatingRecord/reason": "SeatingReason",
}
"""Components made of definitions; the entries of games are named in `_tagged`."""

CONDITIONS = frozenset(
    {"if", "then", "else", "not", "dependentSchemas", "dependentRequired", "propertyNames", "$defs"}
)
NOISE = frozenset({"title", "readOnly", "x-spec-enum-id", "uniqueItems"})
"""Of no use to a client: requests and answers have components of their own."""

LARGEST = 2**53 - 1
"""Programs read larger numbers differently (RFC 8259, 6)."""

POINTS_SCHEMA: Json = {
    "description": "A whole number, or a fraction as `p/q` where it is not whole.",
    "oneOf": [{"type": "integer"}, {"type": "string", "pattern": "^-?[0-9]+/[0-9]+$"}],
    "examples": [-320, "-9/2"],
}

# Rust's and JavaScript's engines refuse these, or read them differently.
UNREADABLE = re.compile(r"\(\?[!=<]|\\u")


def component(name: str) -> dict[str, str]:
    return {"$ref": SCHEMAS + name}


class Flat:
    """Makes components of schemas; `schemas` may refer to any place within each other."""

    def __init__(self, schemas: Mapping[str, Json]) -> None:
        self._raw = schemas
        self.components: Json = {POINTS: POINTS_SCHEMA}
        for name, schema in schemas.items():
            self.components[name] = self.schema(schema, name)

    def schema(self, node: Any, name: str) -> Any:
        """Return a schema without conditions; `name` is that of its place."""
        if not isinstance(node, dict):
            return node
        if "$ref" in node:
            return _described(self._referred(node["$ref"]), node)
        if _is_points(node):
            return _described(component(POINTS), node)
        if "allOf" in node and (found := self._all_of(node, name)) is not None:
            return found
        if "oneOf" in node or node.get("type") == ["string", "object"]:
            return self._one_of(node, name)
        return self._plain(node, name)

    def content(self, node: Any, name: str) -> Any:
        """Return part of an operation with each schema in it flat."""
        if isinstance(node, list):
            return [self.content(each, name) for each in node]
        if not isinstance(node, dict):
            return node
        return {
            key: self.schema(value, name)
            if key == "schema" and isinstance(value, dict)
            else self.content(value, name)
            for key, value in node.items()
        }

    def _referred(self, to: str) -> Json:
        first, *way = to.removeprefix(SCHEMAS).split("/")
        if not way:
            return component(first)
        found = self._at(to)
        key = f"{first}/{way[-1]}"
        name = NAMES.get(key, way[-1].capitalize() + "Entry" if first == "GameRecord" else key)
        flat: Json = {} if name in self.components else self.schema(found, name)
        is_object = not flat or "properties" in flat or "discriminator" in flat
        if way[0] != "$defs" or len(way) > 2 or not is_object:
            return flat or self.schema(found, name)
        self.components.setdefault(name, flat)
        return component(name)

    def _at(self, to: str) -> Any:
        """Return what a reference names."""
        found: Any = self._raw
        for step in to.removeprefix(SCHEMAS).split("/"):
            found = found[step]
        return found

    def _all_of(self, node: Json, name: str) -> Any:
        parts = node["allOf"]
        if not all("if" in part for part in parts):
            return _described(self.schema(parts[0], name), node)
        # Field and value of each condition; no value if it is one on several fields.
        tags: list[tuple[str, Any]] = []
        for part in parts:
            (field, shape), *more = part["if"].get("properties", {"": {}}).items()
            tags.append((field, None if more else shape.get("const")))
        if len({field for field, _value in tags}) > 1 or not tags[0][1]:
            return None
        variants = [self._referred(part["then"]["$ref"]) for part in parts]
        return _described(_choice(tags[0][0], [value for _field, value in tags], variants), node)

    def _one_of(self, node: Json, name: str) -> Any:
        parts = node.get("oneOf") or [{"type": "string"}, node["else"]]
        others = [part for part in parts if part != {"type": "null"}]
        if len(others) < len(parts):
            return _described(_or_null(self.schema(others[0], name)), node)
        if node.get("type") == "array":
            lists = [part["items"] for part in others]
            least, most = (min(e["minItems"] for e in lists), max(e["maxItems"] for e in lists))
            items = {**lists[0], "minItems": least, "maxItems": most}
            return self._plain({**node, "oneOf": None, "items": items}, name)
        if all(part.get("type") == "string" for part in others) and len(others) > 1:
            return _described(_text(others), node)
        whole: list[Json] = [self._at(e["$ref"]) if "$ref" in e else e for e in others]
        if not all("properties" in part for part in whole):
            flat: list[Json] = []
            for part in others:
                choice = self.schema(part, name)
                # A choice within a choice is more than some generators understand.
                flat += POINTS_SCHEMA["oneOf"] if choice == component(POINTS) else [choice]
            return _described({"oneOf": flat}, node)
        if field := _common_tag(whole):
            values = [part["properties"][field]["const"] for part in whole]
            names = [name + "".join(map(str.capitalize, value.split("-"))) for value in values]
            for each, part in zip(names, whole, strict=True):
                self.components[each] = self._plain(part, each)
            return _described(_choice(field, values, list(map(component, names))), node)
        return _described(self._plain(_merged(whole), name), node)

    def _plain(self, node: Json, name: str) -> Json:
        left_out = CONDITIONS | NOISE | {"oneOf", "allOf", "additionalProperties"}
        flat = {key: value for key, value in node.items() if key not in left_out}
        if "properties" in node:
            flat.setdefault("type", "object")
            flat["properties"] = {
                key: self.schema(value, name + key.capitalize())
                for key, value in node["properties"].items()
                if value is not False
            }
            required = [key for key in flat.pop("required", ()) if key in flat["properties"]]
            flat |= {"required": required} if required else {}
        more = node.get("additionalProperties")
        if more is False and name.endswith("Request"):
            flat["additionalProperties"] = False
        elif more:
            flat["additionalProperties"] = more is True or self.schema(more, name)
        elif "object" in flat.get("type", ()) and "properties" not in node:
            flat["additionalProperties"] = True
        if "prefixItems" in flat:
            flat["items"] = flat.pop("prefixItems")[-1]
        if "items" in flat:
            flat["items"] = self.schema(flat["items"], name)
        elif flat.get("type") == "array":
            flat["items"] = {"type": "object", "additionalProperties": True}
        return _readable(_typed(flat))


def _described(flat: Json, node: Json) -> Json:
    return {**flat, "description": node["description"]} if "description" in node else flat


def _is_points(node: Json) -> bool:
    if node.get("type") == ["integer", "string"]:
        return True
    kinds = [part.get("type") for part in node.get("oneOf", ())]
    return kinds == ["integer", "string"]


def _common_tag(objects: list[Json]) -> str:
    """Return the field by whose value objects can be told apart."""
    for field in objects[0]["properties"]:
        values = [each["properties"].get(field, {}).get("const") for each in objects]
        if all(isinstance(value, str) for value in values) and len(set(values)) == len(values):
            return str(field)
    return ""


def _choice(field: str, values: list[str], variants: list[Json]) -> Json:
    mapping = {value: each["$ref"] for value, each in zip(values, variants, strict=True)}
    return {"oneOf": variants, "discriminator": {"propertyName": field, "mapping": mapping}}


def _merged(objects: list[Json]) -> Json:
    """Return one object with the fields of all; required are those that each requires."""
    properties: Json = {}
    for each in objects:
        properties |= each["properties"]
    needed = [
        name for name in properties if all(name in each.get("required", ()) for each in objects)
    ]
    return {"type": "object", "required": needed, "properties": properties}


def _text(texts: list[Json]) -> Json:
    """Return a text that may also be empty, of which a serializer makes a choice of two."""
    shape, *_ = texts
    pattern = re.sub(r"^\^\((.*)\)\$$", r"^(\1)?$", shape.get("pattern", ""))
    return {**shape, **({"pattern": pattern} if pattern.endswith(")?$") else {})}


def _or_null(flat: Json) -> Json:
    if "type" not in flat:
        # Not `oneOf`: to validators that know discriminators, null matches a choice of objects.
        return {"anyOf": [flat, {"type": "null"}]} if flat else {}
    kinds = flat["type"] if isinstance(flat["type"], list) else [flat["type"]]
    found = {**flat, "type": [*kinds, "null"]}
    if "enum" in found:
        found["enum"] = [*found["enum"], None]
    return found


KINDS = {str: "string", int: "integer", bool: "boolean", type(None): "null"}


def _typed(flat: Json) -> Json:
    """Add the type of constants; whole numbers in a row become a range."""
    values = flat.get("enum", [flat["const"]] if "const" in flat else [])
    if not values:
        # Most generators know no type of which null is the only value.
        return {**flat, "type": ["integer", "null"]} if flat.get("type") == "null" else flat
    kinds = list(dict.fromkeys(KINDS[type(value)] for value in values))
    numbers = [value for value in values if type(value) is int]
    if numbers == list(range(numbers[0], numbers[-1] + 1)) if numbers else False:
        flat = {k: v for k, v in flat.items() if k not in {"enum", "const"}}
        flat |= {"minimum": numbers[0], "maximum": numbers[-1]}
    return {"type": kinds[0] if len(kinds) == 1 else kinds, **flat}


def _readable(flat: Json) -> Json:
    """Leave out patterns that not every engine reads, and numbers that are no limits."""
    if UNREADABLE.search(str(flat.get("pattern", ""))):
        about = {"pattern", "description"} if flat["pattern"] == TEXT["pattern"] else {"pattern"}
        flat = {key: value for key, value in flat.items() if key not in about}
    if flat.get("maximum", 0) > LARGEST:
        flat = {key: value for key, value in flat.items() if key not in {"maximum", "format"}}
    # A default that may not be sent back is none.
    default = flat.get("default")
    if default is None or (default == "" and flat.get("minLength")):
        return {key: value for key, value in flat.items() if key != "default"}
    return flat


def tidy_parameter(parameter: Json) -> Json:
    """Return a parameter without an empty default, which is refused, or a length of choices."""
    schema = {k: v for k, v in parameter["schema"].items() if (k, v) != ("default", "")}
    if "enum" in schema:
        schema.pop("minLength", None)
    return {**parameter, "schema": schema}


# Filters, the order and options are read as strictly as bodies. `default` stands for the others.
READING = ("401", "403", "404", "422", "default")
WRITING = (*READING, "409")
CHANGING = (*WRITING, "412")

ACTIONS = {"PUT": "replace", "PATCH": "change", "DELETE": "remove"}
"""The verbs of operations other than reading and POST."""

VERBS = frozenset(
    {"accept", "add", "add-time", "adopt", "again", "answer", "call", "cancel", "check-in"}
    | {"claim", "close", "confirm", "copy", "describe", "dispute", "divide", "enter", "exchange"}
    | {"finish", "join", "late", "leave", "let-in", "merge", "move", "new", "open", "pair"}
    | {"pause", "publish", "rematch", "release", "reopen", "replay", "start", "replace", "restore"}
    | {"return", "reveal", "score", "seal", "seat", "settle", "swap", "take", "take-back", "test"}
    | {"undo", "unlink", "verify", "withdraw"}
)
"""Last words of addresses that say by themselves what a POST does."""

KEY_TOPICS = frozenset({"games", "tables", "entrants"})
"""Topics of which the address of a page, used as a key, opens something."""


class BearerScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """How a token is sent: both kinds alike."""

    target_class = "tournaments.api.access.BearerAuthentication"
    name = ["token", "key", "oauth"]

    def get_security_requirement(self, auto_schema: AutoSchema) -> list[dict[str, list[str]]]:
        """Return the security of an operation: a token's scope, and a table's key."""
        view: Any = auto_schema.view
        scope = view.scope_for(auto_schema.method)
        scopes = [scope.value] if scope else []
        allowed: list[dict[str, list[str]]] = [{"token": scopes}, {"oauth": scopes}]
        if auto_schema.get_tags()[0] in KEY_TOPICS:
            allowed.append({"key": []})
        # Published data and open tables need none.
        return [*allowed, {}] if scope in {None, Scope.READ} else allowed

    def get_security_definition(self, auto_schema: AutoSchema) -> Any:
        """A personal token, and the address of a sheet or a table's card as a key."""
        token = "A personal token, made on the account page; its scopes are read, score, direct and manage."  # noqa: E501, S105
        key = "The address of a sheet or of a table's card: `kind.id.secret`. It opens what the page opens."  # noqa: E501
        bearer = {"type": "http", "scheme": "bearer"}
        flow = {
            "authorizationUrl": "/oauth/authorize/",
            "tokenUrl": "/oauth/token/",
            "refreshUrl": "/oauth/token/",
            "scopes": {scope.value: scope.value.capitalize() for scope in Scope},
        }
        oauth = "An application's token, by OAuth 2.1 with PKCE: `/.well-known/oauth-authorization-server` has the addresses."  # noqa: E501
        return [
            {**bearer, "description": token},
            {**bearer, "description": key},
            {"type": "oauth2", "description": oauth, "flows": {"authorizationCode": flow}},
        ]


TAGS = {
    "accounts": "people",
    "audit": "changes",
    "games.tables": "tables",
    "imports": "importing",
    "people.members": "clubs",
    "rulesets": "rules",
    "statistics": "reading",
}
"""Tags that differ from the topic; generated clients are named after them."""


class DescribedSchema(AutoSchema):
    """Shared by every address: names, tags, headers, and the form of problems."""

    view: Any

    def get_tags(self) -> list[str]:
        """The topic of its module, under the name that clients know."""
        if self.view.tag:
            return [self.view.tag]
        module = type(self.view).__module__.removeprefix("tournaments.api.")
        topic = module.partition(".")[0]
        return [TAGS.get(module) or TAGS.get(topic, topic)]

    def get_operation_id(self) -> str:
        """Return path and action: `clubs_list`, `games_entries_add`, `rounds_close`."""
        words = [part.replace("-", "_") for part in self._tokenize_path()]
        is_list = self.view.is_computed_list and self.view.action_name == "list"
        if self.method == "GET":
            words.append("list" if is_list or self._is_list_view() else "read")
        elif self.method != "POST":
            words.append(ACTIONS[self.method])
        elif [part for part in self.path.split("/") if part and "{" not in part][-1] not in VERBS:
            words.append("add")
        return "_".join(words)

    def get_request_serializer(self) -> Any:
        found = self.view.get_request_serializer_class()
        return {"application/json": found} if isinstance(found, dict) else found

    def get_response_serializers(self) -> Any:
        if self.method == "DELETE":
            return {204: None}
        statuses = (self.view.get_success_status(), self.view.also_success_status)
        return {status: self.view.get_serializer_class() for status in statuses if status}

    def _map_basic_serializer(self, serializer: Any, direction: Any) -> Json:
        schema: Json = super()._map_basic_serializer(serializer, direction)  # type: ignore[no-untyped-call]
        written = force_instance(serializer) if direction == "request" else None  # type: ignore[no-untyped-call]
        strict = isinstance(written, StrictSerializer)
        return {**schema, "additionalProperties": False} if strict else schema

    def _is_list_view(self, serializer: Any = None) -> bool:
        return not self.view.is_computed_list and super()._is_list_view(serializer)

    def get_summary(self) -> str | None:
        return super().get_summary() or self._texts()[0]

    def get_description(self) -> str:  # type: ignore[override]
        chooses = self.method == "GET" and getattr(self.view, "chosen", None)
        instead = self.view.deprecated.get(self.view.action_name)
        ends = f"Deprecated: `/api/v2/` will not have it. {instead}" if instead else ""
        return "\n\n".join(filter(None, (self._texts()[1], ABOUT if chooses else "", ends)))

    def is_deprecated(self) -> bool:
        return self.view.action_name in self.view.deprecated

    def _texts(self) -> tuple[str, str]:
        own = self.view.descriptions.get(self.view.action_name)
        first, _blank, rest = (own or super().get_description()).partition("\n\n")
        return first.replace("\n", " "), rest

    def get_override_parameters(self) -> list[Any]:
        """Add the parameters of lists, and the headers that every address knows."""
        parameters, view = super().get_override_parameters(), self.view
        if self.method == "GET":
            if view.chosen is not None and view.chosen.expandable:
                parameters.append(expand(view.chosen))
            if view.is_computed_list:
                parameters += PAGES
        if self.method == "POST":
            text = (
                "8 to 64 letters, digits, `-` or `_`. What is sent twice with one key is done once."
            )
            pattern = {"type": "string", "pattern": "^[0-9A-Za-z_-]{8,64}$"}
            parameters.append(_header(HEADER, text, pattern))
        if self.method in ACTIONS or self.method in view.if_match:
            text = "Only if the object still has one of these entity tags; else the answer is 412."
            required = view.if_match.get(self.method, False)
            parameters.append(_header("If-Match", text, required=required))
        if self.method == "GET":
            text = "The answer is 304, without content, while the object still has this entity tag."
            parameters.append(_header("If-None-Match", text))
        return parameters

    def _resolve_path_parameters(self, variables: Any) -> list[Json]:
        parameters: list[Json] = super()._resolve_path_parameters(variables)  # type: ignore[no-untyped-call]
        for parameter in parameters:
            if parameter["schema"].get("type") == "integer":
                parameter["schema"] |= {"minimum": 0, "maximum": LARGE}
        return parameters

    def _get_response_bodies(self, direction: Any = "response") -> Json:
        bodies: Json = super()._get_response_bodies(direction)
        kinds = {"GET": READING, "POST": WRITING}.get(self.method, CHANGING)
        refusals = [*kinds, *self.view.get_refusals()]
        if self.method in self.view.if_match:
            refusals += ["412", "428"] if self.view.if_match[self.method] else ["412"]
        for status in refusals:
            name = "Problem" if status == "default" else status
            bodies.setdefault(status, {"$ref": f"#/components/responses/{name}"})
        if self.method == "GET":
            bodies.setdefault("304", {"description": "Unchanged."})
        return dict(sorted(bodies.items()))

    def _get_response_headers_for_code(self, status_code: str, direction: Any = "response") -> Json:
        headers: Json = super()._get_response_headers_for_code(status_code, direction)
        names = ["ETag"] if status_code in {"200", "201"} else []
        names += ["Location"] if status_code in {"201", "202"} else []
        names += [REPLAYED] if self.method == "POST" and status_code < "300" else []
        for name in names:
            headers.setdefault(name, {"$ref": f"#/components/headers/{name}"})
        return headers


def _header(name: str, text: str, kind: Any = str, *, required: bool = False) -> OpenApiParameter:
    place: Any = OpenApiParameter.HEADER
    return OpenApiParameter(name, kind, place, required=required, description=text)
