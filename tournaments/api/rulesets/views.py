"""Addresses of the rules: the games, the form of entries, the schemas of records."""

from typing import Any

from django.http import Http404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.idempotency import idempotent
from tournaments.api.paging import PAGES
from tournaments.api.problems import placed, read_at
from tournaments.api.renderers import PlainJSONRenderer
from tournaments.api.rulesets.description import RulesetDescriptionSerializer
from tournaments.api.rulesets.serializers import (
    NewDescriptionSerializer,
    RulesetsSerializer,
    SchemasSerializer,
)
from tournaments.api.schema import component
from tournaments.api.views import Resource
from tournaments.engine.documents.games import parse_json
from tournaments.engine.documents.ruleset_records import read_ruleset, write_ruleset
from tournaments.engine.documents.verify import SCHEMAS
from tournaments.engine.rules.entries import wrong_type
from tournaments.engine.rules.rulesets import InvalidEntry, Ruleset
from tournaments.queries.rulesets import find_ruleset, offered_rulesets

OPTIONS = OpenApiParameter(
    "options",
    {
        "type": "string",
        "contentMediaType": "application/json",
        "examples": ['{"king": "declared"}'],
    },
    description="The options a table has chosen, as a JSON object; the others are as they are.",
)


class Rulesets(Resource):
    @extend_schema("rulesets_list", parameters=PAGES, responses=RulesetsSerializer)
    def get(self, request: Request) -> Response:
        """Every ruleset that whoever asks may play: of the program, the server, and their clubs."""
        rules = [rules for _id, rules in offered_rulesets(request.user)]
        return self.shown(RulesetsSerializer, {"results": rules})


class OneRuleset(Resource):
    @extend_schema(parameters=[OPTIONS], responses=RulesetDescriptionSerializer)
    def get(self, request: Request, ruleset: str) -> Response:
        """All that a form for its entries needs, with the options of a table.

        From it a program can tell most of what cannot be written; the server decides.
        """
        rules = _found(request, ruleset).with_options(_options_of(request))
        return self.shown(RulesetDescriptionSerializer, rules)


class RulesetRecord(Resource):
    @extend_schema(responses={200: component("RulesetRecord")})
    def get(self, request: Request, ruleset: str) -> Response:
        """The ruleset as a portable document, from which house rules can be made."""
        return Response(write_ruleset(_found(request, ruleset)))


class Describe(Resource):
    scope = None

    @extend_schema(request=NewDescriptionSerializer, responses=RulesetDescriptionSerializer)
    @idempotent
    def post(self, request: Request) -> Response:
        """Check rules that are stored nowhere, and describe them; nothing is kept."""
        said = self.said(NewDescriptionSerializer, also=read_at("ruleset", read_ruleset))
        with placed("ruleset"):
            rules = read_ruleset(said["ruleset"])
        return self.shown(RulesetDescriptionSerializer, rules.with_options(said["options"]))


class SchemaRenderer(PlainJSONRenderer):
    """A JSON Schema, by its own media type."""

    media_type = "application/schema+json"


class Schemas(Resource):
    @extend_schema("schemas_list", parameters=PAGES, responses=SchemasSerializer)
    def get(self, _request: Request) -> Response:
        """The JSON Schemas of the portable records."""
        schemas = ((file, schema()) for file, schema in SCHEMAS.items())
        lines = [{"file": file, "id": s["$id"], "title": s["title"]} for file, s in schemas]
        return self.shown(SchemasSerializer, {"results": lines})


class OneSchema(Resource):
    renderer_classes = (SchemaRenderer, PlainJSONRenderer)

    @extend_schema(
        parameters=[OpenApiParameter("file", str, OpenApiParameter.PATH, enum=list(SCHEMAS))],
        responses={
            (200, "application/schema+json"): {"type": "object", "additionalProperties": True}
        },
    )
    def get(self, _request: Request, file: str) -> Response:
        """The JSON Schema of a portable record."""
        if file not in SCHEMAS:
            raise Http404
        return Response(SCHEMAS[file]())


def _found(request: Request, ruleset: str) -> Ruleset:
    """A ruleset that whoever asks may play; 404 where there is none."""
    rules = find_ruleset(ruleset, request.user)
    if rules is None:
        raise Http404
    return rules


def _options_of(request: Request) -> dict[str, Any]:
    """The options that were asked for.

    Raises:
        InvalidEntry: they are no JSON object.
    """
    with placed("options"):
        options = parse_json(request.query_params.get("options", "{}"))
        if not isinstance(options, dict):
            raise InvalidEntry([wrong_type("", "object")])
    return options
