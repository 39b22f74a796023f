"""The reference of the API."""

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext, override
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import etag, require_safe
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.access import anybody
from tournaments.api.codes import Sentences, faults, kinds_of_problems
from tournaments.api.views import BaseAPIView

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


BEGINNINGS = {
    "docs": "api_reference",
    "openapi": "api:openapi",
    "problems": "api_problems",
    "me": "api:me",
    "clubs": "api:club-list",
    "rulesets": "api:ruleset-list",
    "games": "api:game-list",
    "changes": "api:changes",
}


class IndexSerializer(serializers.Serializer[Any]):
    """Addresses to begin with, each as a path: the first three are for people and tools."""

    def get_fields(self) -> dict[str, Any]:
        return {name: serializers.CharField() for name in BEGINNINGS}


class IndexView(BaseAPIView):
    read_permission = staticmethod(anybody)
    serializer_class = IndexSerializer

    @extend_schema("index_read")
    def get(self, request: Request) -> Response:
        """List the addresses to begin with."""
        return self.respond({name: reverse(to) for name, to in BEGINNINGS.items()})


SCHEMAS = "#/components/schemas/"
METHODS = ("get", "post", "put", "patch", "delete")
LIMITS = {
    "minimum": "from {}",
    "maximum": "to {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {}",
    "maxItems": "at most {}",
    "pattern": "{}",
    "default": "else {}",
    "examples": "as {}",
}
"""The keywords of a schema beside its type, in the order shown."""

MOST_LISTED = 12
"""Up to this many values of an enumeration are shown inline; a longer one has a page."""

CODE = re.compile(r"`([^`]+)`")


class Reference:
    """The description (OpenAPI 3.1) as the pages of the reference show it: plain dicts."""

    def __init__(self, document: Json) -> None:
        self._document = document

    @cached_property
    def topics(self) -> list[Json]:
        return [self._topic(tag) for tag in self._document["tags"]]

    def topic(self, name: str) -> Json | None:
        return next((self._topic(t) for t in self._document["tags"] if t["name"] == name), None)

    def form(self, name: str) -> Json | None:
        """A form by its name; None where there is none."""
        schema = self._document["components"]["schemas"].get(name)
        if schema is None:
            return None
        fields = self._fields(schema)
        return {
            "kind": self._kind(schema),
            "fields": fields,
            "example": "" if fields else _written(schema),
            "details": marked(schema.get("description", "")),
        }

    def _topic(self, tag: Json) -> Json:
        operations = [
            self._operation(path, method, operation)
            for path, methods in self._document["paths"].items()
            for method, operation in methods.items()
            if method in METHODS and tag["name"] in operation["tags"]
        ]
        return {
            "name": tag["name"],
            "title": tag.get("x-displayName", tag["name"]),
            "details": marked(tag.get("description", "")),
            "operations": operations,
        }

    def _operation(self, path: str, method: str, operation: Json) -> Json:
        responses = {s: self._whole(each) for s, each in operation["responses"].items()}
        answers = [
            {
                "status": status,
                "details": marked(response.get("description", "")),
                "contents": self._contents(response),
            }
            for status, response in responses.items()
            if status < "400"
        ]
        security: Any = operation.get("security", self._document["security"])
        parts = operation.get("description", "").split("\n\n")
        return {
            "id": operation["operationId"],
            "method": method.upper(),
            "path": path,
            "summary": marked(operation.get("summary", "")),
            "details": [marked(part) for part in parts if part],
            "access": [
                " + ".join(" ".join([name, *scopes]) for name, scopes in needed.items())
                or "anybody"
                for needed in security
            ],
            "parameters": [self._parameter(each) for each in operation.get("parameters", ())],
            "sent": self._contents(operation.get("requestBody", {})),
            "answers": answers,
            "refusals": [status for status in responses if "400" <= status < "600"],
        }

    def _contents(self, body: Json) -> list[Json]:
        found = []
        for media, content in body.get("content", {}).items():
            schema = content.get("schema", {})
            examples = [self._whole(e).get("value") for e in content.get("examples", {}).values()]
            found.append(
                {
                    "media": media,
                    "kind": self._kind(schema),
                    # Request schemas are shown inline; a large one has its own page.
                    "fields": self._fields(self._whole(schema)),
                    "example": _written(examples[0]) if examples else "",
                }
            )
        return found

    def _fields(self, schema: Json) -> list[Json]:
        needed = schema.get("required", ())
        return [
            {
                "name": name,
                "kind": self._kind(each),
                "details": _description_of(each),
                "needed": name in needed,
            }
            for name, each in schema.get("properties", {}).items()
        ]

    def _parameter(self, reference: Json) -> Json:
        parameter = self._whole(reference)
        schema, text = parameter["schema"], marked(parameter.get("description", ""))
        return {
            "name": parameter["name"],
            "kind": self._kind(schema),
            "details": format_html("{} {}", text, _description_of(schema)),
            "needed": parameter.get("required", False),
            "place": parameter["in"],
        }

    def _kind(self, schema: Any) -> SafeString:
        """Return a type in a few words, with links to named schemas."""
        if not isinstance(schema, dict) or not schema:
            return mark_safe("anything")
        if "$ref" in schema:
            return _link(schema["$ref"])
        for joint, name in ((" or ", "oneOf"), (" or ", "anyOf"), (" and ", "allOf")):
            if name in schema:
                return format_html_join(joint, "{}", ((self._kind(each),) for each in schema[name]))
        if "const" in schema or "enum" in schema:
            return _values(schema.get("enum", [schema.get("const")]))
        kinds = schema.get("type", "anything")
        words = [
            self._typed(kind, schema) for kind in ([kinds] if isinstance(kinds, str) else kinds)
        ]
        return format_html_join(" or ", "{}", ((word,) for word in words))

    def _typed(self, kind: str, schema: Json) -> SafeString:
        if kind == "array":
            return format_html("list of {}", self._kind(schema.get("items", {})))
        more = schema.get("additionalProperties")
        if kind == "object" and isinstance(more, Mapping) and more:
            return format_html("object of {}", self._kind(more))
        return format_html("{}", schema.get("format", kind) if kind == "string" else kind)

    def _whole(self, node: Json) -> Json:
        """Resolve a reference; return anything else unchanged."""
        while "$ref" in node:
            found: Any = self._document
            for step in node["$ref"].removeprefix("#/").split("/"):
                found = found[step]
            node = found
        return node


def _link(reference: str) -> SafeString:
    name = reference.removeprefix(SCHEMAS)
    if "/" in name:
        return format_html("{}", name.rpartition("/")[2])
    address = reverse("api_form", args=[name])
    return format_html('<a class="link" href="{}">{}</a>', address, name)


def _description_of(schema: Json) -> SafeString:
    limits = [
        words.format(_short(schema[name]) or "empty").replace(" 1 characters", " 1 character")
        for name, words in LIMITS.items()
        if name in schema
    ]
    parts = [marked(schema.get("description", "")), *limits]
    return format_html_join(" · ", "{}", ((part,) for part in parts if part))


def marked(text: str) -> SafeString:
    parts = enumerate(CODE.split(text))
    marked_parts = (format_html("<code>{}</code>" if n % 2 else "{}", part) for n, part in parts)
    return format_html_join("", "{}", ((part,) for part in marked_parts))


def _values(values: Sequence[Any]) -> SafeString:
    listed = values[:MOST_LISTED]
    details = format_html_join(" ", "<code>{}</code>", ((_short(each),) for each in listed))
    return format_html("{} …", details) if len(values) > MOST_LISTED else details


def _short(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _written(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


PROGRAMS = Path(__file__).parent / "programs"
SHOWN = {
    "results_bot.py": (
        _("A bot that posts results to a chat"),
        "SITE={site} CLUB=moda CHAT=https://… python3 results_bot.py",
    ),
    "standings_sheet.py": (
        _("A spreadsheet that reads standings"),
        "SITE={site} CLUB=moda TOURNAMENT=king-cup python3 standings_sheet.py",
    ),
    "table_board.html": (
        _("A board that follows a table"),
        "table_board.html?site={site}&game=t4hbkag3nu",
    ),
}
"""Programs with what they are, and how they are started."""

PARAMETER = re.compile(r"%\(\w+\)s|\{\w+(?::\w+)?\}")
"""The parameters in a sentence about a problem."""


@cache
def described() -> Reference:
    return Reference(document())


@require_safe
@etag(lambda _request: content()[1])
def openapi(_request: HttpRequest) -> HttpResponse:
    answer = HttpResponse(content()[0], content_type="application/json")
    answer["Cache-Control"] = "no-cache"
    answer["Access-Control-Allow-Origin"] = "*"
    return answer


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """What can be built on the site: a token, the reference, and programs to begin with."""
    site = request.build_absolute_uri("/").rstrip("/")
    programs = [
        {
            "name": name,
            "title": title,
            "use": use.format(site=site),
            "text": (PROGRAMS / name).read_text(encoding="utf-8"),
        }
        for name, (title, use) in SHOWN.items()
    ]
    return render(request, "tournaments/reference/index.html", {"programs": programs, "site": site})


@require_safe
def reference(request: HttpRequest) -> HttpResponse:
    return render(request, "tournaments/reference/reference.html", {"topics": described().topics})


@require_safe
def topic(request: HttpRequest, name: str) -> HttpResponse:
    """The addresses of a topic, with requests and answers."""
    found = described().topic(name)
    if found is None:
        raise Http404
    return render(request, "tournaments/reference/topic.html", {"topic": found})


@require_safe
def form(request: HttpRequest, name: str) -> HttpResponse:
    """A form that is sent or comes back, field by field."""
    found = described().form(name)
    if found is None:
        raise Http404
    page = {"name": name, "form": found, "details": found["details"]}
    return render(request, "tournaments/reference/form.html", page)


@require_safe
def problems(request: HttpRequest) -> HttpResponse:
    with override(None):
        kinds, found = kinds_of_problems(), faults()
    page = {"kinds": _explained(kinds), "faults": _explained(found)}
    return render(request, "tournaments/reference/problems.html", page)


def _explained(sentences: Sentences) -> list[tuple[str, str]]:
    """Return each code with its sentence, without what this says of one problem only."""
    return [
        (code, PARAMETER.sub("…", gettext(sentence)) if sentence else "")
        for code, sentence in sentences.items()
    ]
