"""The reference of the API."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
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

    docs = serializers.CharField()
    openapi = serializers.CharField()
    problems = serializers.CharField()
    me = serializers.CharField()
    clubs = serializers.CharField()
    rulesets = serializers.CharField()
    games = serializers.CharField()
    changes = serializers.CharField()


class IndexView(BaseAPIView):
    read_permission = staticmethod(anybody)
    serializer_class = IndexSerializer

    @extend_schema("index_read")
    def get(self, request: Request) -> Response:
        """The first page of the reference."""
        return self.respond({name: reverse(to) for name, to in BEGINNINGS.items()})


OperationsJson = Mapping[str, Any]

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


@dataclass(frozen=True)
class ReferenceField:
    """A field or parameter: its name, type and description."""

    name: str
    kind: SafeString
    details: SafeString
    needed: bool = False
    place: str = ""


@dataclass(frozen=True)
class ReferenceContent:
    """A request or answer: its type, schema, and an example if there is one."""

    media: str
    kind: SafeString
    fields: Sequence[ReferenceField] = ()
    example: str = ""


@dataclass(frozen=True)
class ReferenceAnswer:
    """An answer by its status; one that is a problem has no content here."""

    status: str
    details: SafeString
    contents: Sequence[ReferenceContent] = ()


@dataclass(frozen=True)
class Operation:
    """One method at one address."""

    id: str
    method: str
    path: str
    summary: SafeString
    details: Sequence[SafeString]
    access: Sequence[str]
    parameters: Sequence[ReferenceField]
    sent: Sequence[ReferenceContent]
    answers: Sequence[ReferenceAnswer]
    refusals: Sequence[str]


@dataclass(frozen=True)
class Topic:
    """Operations that belong together."""

    name: str
    title: str
    details: SafeString
    operations: Sequence[Operation]


class Reference:
    """A description (OpenAPI 3.1) to show; `address` gives the address of a schema."""

    def __init__(self, document: OperationsJson, address: Any) -> None:
        self._document = document
        self._address = address

    def topics(self) -> list[Topic]:
        return [self._topic(tag) for tag in self._document["tags"]]

    def topic(self, name: str) -> Topic | None:
        tags = [tag for tag in self._document["tags"] if tag["name"] == name]
        return self._topic(tags[0]) if tags else None

    def form(self, name: str) -> ReferenceContent | None:
        """A form by its name; None where there is none."""
        schema = self._document["components"]["schemas"].get(name)
        if schema is None:
            return None
        fields = self._fields(schema)
        return ReferenceContent("", self._kind(schema), fields, "" if fields else _written(schema))

    def _topic(self, tag: OperationsJson) -> Topic:
        found = [
            self._operation(path, method, said)
            for path, methods in self._document["paths"].items()
            for method, said in methods.items()
            if method in METHODS and tag["name"] in said["tags"]
        ]
        title = tag.get("x-displayName", tag["name"])
        return Topic(tag["name"], title, marked(tag.get("description", "")), found)

    def _operation(self, path: str, method: str, said: OperationsJson) -> Operation:
        answers = said["responses"]
        good = [status for status in answers if status < "400"]
        return Operation(
            said["operationId"],
            method.upper(),
            path,
            marked(said.get("summary", "")),
            [marked(part) for part in said.get("description", "").split("\n\n") if part],
            [_access(each) for each in said.get("security", self._document["security"])],
            [self._parameter(self._whole(each)) for each in said.get("parameters", ())],
            self._contents(said.get("requestBody", {})),
            [self._answer(status, self._whole(answers[status])) for status in good],
            [status for status in answers if "400" <= status < "600"],
        )

    def _answer(self, status: str, said: OperationsJson) -> ReferenceAnswer:
        return ReferenceAnswer(status, marked(said.get("description", "")), self._contents(said))

    def _contents(self, said: OperationsJson) -> list[ReferenceContent]:
        return [self._content(media, each) for media, each in said.get("content", {}).items()]

    def _content(self, media: str, said: OperationsJson) -> ReferenceContent:
        schema = said.get("schema", {})
        named = schema.get("$ref", "")
        # Request schemas are shown inline; a large one has its own page.
        fields = self._fields(self._whole(schema)) if named else self._fields(schema)
        examples = [self._whole(each).get("value") for each in said.get("examples", {}).values()]
        return ReferenceContent(
            media, self._kind(schema), fields, _written(examples[0]) if examples else ""
        )

    def _fields(self, schema: OperationsJson) -> list[ReferenceField]:
        needed = schema.get("required", ())
        return [
            ReferenceField(name, self._kind(each), self._description_of(each), name in needed)
            for name, each in schema.get("properties", {}).items()
        ]

    def _parameter(self, said: OperationsJson) -> ReferenceField:
        schema = said["schema"]
        details = format_html(
            "{} {}", marked(said.get("description", "")), self._description_of(schema)
        )
        return ReferenceField(
            said["name"], self._kind(schema), details, said.get("required", False), said["in"]
        )

    def _description_of(self, schema: OperationsJson) -> SafeString:
        limits = [_limit(name, schema[name]) for name in LIMITS if name in schema]
        parts = [
            marked(schema.get("description", "")),
            *(format_html("{}", each) for each in limits),
        ]
        return format_html_join(" · ", "{}", ((part,) for part in parts if part))

    def _kind(self, schema: Any) -> SafeString:
        """Return a type in a few words, with links to named schemas."""
        if not isinstance(schema, Mapping) or not schema:
            return mark_safe("anything")
        if "$ref" in schema:
            return self._link(schema["$ref"])
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

    def _typed(self, kind: str, schema: OperationsJson) -> SafeString:
        if kind == "array":
            return format_html("list of {}", self._kind(schema.get("items", {})))
        more = schema.get("additionalProperties")
        if kind == "object" and isinstance(more, Mapping) and more:
            return format_html("object of {}", self._kind(more))
        return format_html("{}", schema.get("format", kind) if kind == "string" else kind)

    def _link(self, reference: str) -> SafeString:
        name = reference.removeprefix(SCHEMAS)
        if "/" in name:
            return format_html("{}", name.rpartition("/")[2])
        return format_html('<a class="link" href="{}">{}</a>', self._address(name), name)

    def _whole(self, said: OperationsJson) -> OperationsJson:
        """Resolve a reference; return anything else unchanged."""
        found: Any = said
        while "$ref" in found:
            found = self._document
            for step in said["$ref"].removeprefix("#/").split("/"):
                found = found[step]
            said = found
        return found  # type: ignore[no-any-return]


def marked(text: str) -> SafeString:
    parts: Iterable[str] = CODE.split(text)
    return format_html_join("", "{}", ((part,) for part in _with_code(parts)))


def _with_code(parts: Iterable[str]) -> Iterator[str]:
    for number, part in enumerate(parts):
        yield format_html("<code>{}</code>", part) if number % 2 else part


def _values(values: Sequence[Any]) -> SafeString:
    listed = values[:MOST_LISTED]
    details = format_html_join(" ", "<code>{}</code>", ((_short(each),) for each in listed))
    return format_html("{} …", details) if len(values) > MOST_LISTED else details


def _limit(name: str, value: Any) -> str:
    details = LIMITS[name].format("empty" if value == "" else _short(value))
    return details.replace(" 1 characters", " 1 character")


def _short(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _written(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def _access(said: Mapping[str, Sequence[str]]) -> str:
    """The permission, as one line of an operation's security."""
    if not said:
        return "anybody"
    return " + ".join(" ".join([name, *scopes]) for name, scopes in said.items())


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


def described() -> Reference:
    return Reference(document(), lambda name: reverse("api_form", args=[name]))


@cache
def _topics() -> list[Topic]:
    """Return what all addresses do, which is the same for everybody as long as the process runs."""
    return described().topics()


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
    return render(request, "tournaments/reference/reference.html", {"topics": _topics()})


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
    text = document()["components"]["schemas"][name].get("description", "")
    page = {"name": name, "form": found, "details": marked(text)}
    return render(request, "tournaments/reference/form.html", page)


@require_safe
def problems(request: HttpRequest) -> HttpResponse:
    with override(None):
        kinds, found = kinds_of_problems(), faults()
    page = {"kinds": _explained(kinds), "faults": _explained(found)}
    return render(request, "tournaments/reference/problems.html", page)


def _explained(sentences: Sentences) -> list[tuple[str, str]]:
    return [(code, _open(gettext(said)) if said else "") for code, said in sentences.items()]


def _open(sentence: str) -> str:
    """A sentence without what it says of one problem only."""
    return PARAMETER.sub("…", sentence)
