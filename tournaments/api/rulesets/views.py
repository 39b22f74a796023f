"""Rulesets in the API, the JSON Schemas of records, and the house rules of clubs.

Begin at `RulesetViewSet` for rules to play by, at `HouseRulesViewSet` for those of a club.
"""

from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.access import anybody
from tournaments.api.fields import PlainJSONRenderer
from tournaments.api.problems import placed, read_at
from tournaments.api.rulesets import serializers
from tournaments.api.schema import component
from tournaments.api.views import APIViewSet, BaseAPIView, ModelViewSet, check_etag
from tournaments.engine.documents.games import parse_json
from tournaments.engine.documents.ruleset_records import read_ruleset, write_ruleset
from tournaments.engine.documents.verify import SCHEMAS
from tournaments.engine.rules.entries import wrong_type
from tournaments.engine.rules.rulesets import InvalidEntry, Ruleset
from tournaments.models import Club, HouseRuleset
from tournaments.permissions import check_staff, directed_club
from tournaments.queries.rulesets import find_ruleset, offered_rulesets
from tournaments.services.rulesets import change_rules, create_rules, remove_rules

Json = dict[str, Any]


OPTIONS = OpenApiParameter(
    "options",
    {
        "type": "string",
        "contentMediaType": "application/json",
        "examples": ['{"king": "declared"}'],
    },
    description="The options of a table, as a JSON object. Options left out have their default.",
)


def ruleset_to_play(request: Request, ruleset: str) -> Ruleset:
    """The ruleset with this id, for whoever may play by it; 404 for all others."""
    rules = find_ruleset(ruleset, request.user)
    if rules is None:
        raise Http404
    return rules


class RulesetViewSet(APIViewSet):
    read_permission = staticmethod(ruleset_to_play)
    action_permissions = {"list": anybody}
    lookup_field = "ruleset"
    lookup_value_converter = "slug"
    serializer_class = serializers.RulesetDescriptionSerializer
    serializer_classes = {
        "list": serializers.RulesetsSerializer,
        "record": component("RulesetRecord"),
    }
    rules: Ruleset

    def resolve_parents(self) -> None:
        self.rules = self.get_permission()(self.request, self.kwargs.get("ruleset", ""))

    @extend_schema("rulesets_list")
    def list(self, request: Request) -> Response:
        """List the rulesets that you may play: of the program, the server, and your clubs."""
        rules = [rules for _id, rules in offered_rulesets(request.user)]
        return self.respond({"results": rules})

    @extend_schema(parameters=[OPTIONS])
    def retrieve(self, request: Request, ruleset: str) -> Response:
        """Describe a ruleset with the options of a table: all that a form for entries needs.

        A program can check most of an entry by it. The server has the last word.
        """
        with placed("options"):
            options = parse_json(request.query_params.get("options", "{}"))
            if not isinstance(options, dict):
                raise InvalidEntry([wrong_type("", "object")])
        return self.respond(self.rules.with_options(options))

    @action(detail=True, url_path="ruleset", url_name="record")
    def record(self, request: Request, ruleset: str) -> Response:
        """Read a ruleset as a portable document. House rules can be made from it."""
        return Response(write_ruleset(self.rules))


class DescribeView(BaseAPIView):
    scope = None
    permission = staticmethod(anybody)
    serializer_class = serializers.RulesetDescriptionSerializer
    request_serializer_class = serializers.NewDescriptionSerializer

    def post(self, request: Request) -> Response:
        """Check and describe rules without storing them."""
        data = self.get_validated(also=read_at("ruleset", read_ruleset))
        with placed("ruleset"):
            rules = read_ruleset(data["ruleset"])
        return self.respond(rules.with_options(data["options"]))


class SchemaRenderer(PlainJSONRenderer):
    media_type = "application/schema+json"


class SchemasView(BaseAPIView):
    read_permission = staticmethod(anybody)
    serializer_class = serializers.SchemasSerializer

    @extend_schema("schemas_list")
    def get(self, _request: Request) -> Response:
        """List the JSON Schemas of the portable records."""
        schemas = ((file, schema()) for file, schema in SCHEMAS.items())
        lines = [{"file": file, "id": s["$id"], "title": s["title"]} for file, s in schemas]
        return self.respond({"results": lines})


class SchemaView(BaseAPIView):
    read_permission = staticmethod(anybody)
    renderer_classes = (SchemaRenderer, PlainJSONRenderer)

    @extend_schema(
        parameters=[OpenApiParameter("file", str, OpenApiParameter.PATH, enum=list(SCHEMAS))],
        responses={
            (200, "application/schema+json"): {"type": "object", "additionalProperties": True}
        },
    )
    def get(self, _request: Request, file: str) -> Response:
        """Read the JSON Schema of a portable record."""
        if file not in SCHEMAS:
            raise Http404
        return Response(SCHEMAS[file]())


class HouseRulesViewSet(ModelViewSet):
    """House rules of a club, for its directors; those of the server for its staff.

    Their tag is the revision, so that a form can name it without having read them again.
    """

    descriptions = {
        "list": "List the house rules of the server (for staff) or of a club (for directors).",
        "create": "Create house rules. Their id is made of their name.\n\n"
        "To copy a ruleset, send what `/rulesets/{id}/ruleset/` answers, with another name.",
        "retrieve": "Read house rules with their document.",
        "partial_update": "Replace the document of house rules. Games begun before keep theirs.\n\n"
        "With `If-Match`, only if nobody has changed them since that revision.",
        "destroy": "Delete house rules. Games that are played by them go on.",
    }
    queryset = HouseRuleset.objects.none()
    lookup_field = "slug"
    lookup_value_converter = "slug"
    filterset_fields = ("name",)
    ordering_fields = ("slug", "name", "changed_at")
    ordering = ("slug",)
    serializer_class = serializers.HouseRulesSerializer
    serializer_classes = {"list": serializers.HouseRulesLineSerializer}
    request_serializer_class = serializers.HouseDocumentSerializer
    club: Club | None = None

    def get_permission(self) -> Any:
        return directed_club if "club" in self.kwargs else check_staff

    def resolve_parents(self) -> None:
        names = [self.kwargs["club"]] if "club" in self.kwargs else []
        self.club = self.get_permission()(self.http_request, *names)

    def get_queryset(self) -> QuerySet[HouseRuleset]:
        return HouseRuleset.objects.filter(club=self.club)

    def lock(self) -> None:
        rows = self.get_queryset().select_for_update(of=("self",))
        get_object_or_404(rows, slug=self.kwargs["slug"])

    def check_precondition(self, instance: HouseRuleset) -> None:
        check_etag(self.request, f'"{instance.revision}"')

    def respond(self, instance: Any = None, **more: Any) -> Response:
        return super().respond(instance, **more, ETag=f'"{instance.revision}"')

    def retrieve(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return self.respond(self.get_object())

    def get_validated(self, *args: Any, **kwargs: Any) -> Any:
        kwargs["also"] = read_at("document", read_ruleset)
        return super().get_validated(*args, **kwargs)

    def perform_create(self, data: Json) -> HouseRuleset:
        with placed("document"):
            at = timezone.now()
            return create_rules(data["document"], self.actor, at=at, club=self.club)

    def partial_update(self, request: Request, **kwargs: Any) -> Response:
        with transaction.atomic():
            row, data, at = self.get_locked(), self.get_validated(), timezone.now()
            with placed("document"):
                row = change_rules(row.pk, data["document"], row.revision, self.actor, at=at)
        return self.respond(row)

    def perform_destroy(self, row: HouseRuleset) -> None:
        remove_rules(row.pk, self.actor, at=timezone.now())
