"""Addresses of rulesets and house rules, and how they are described."""

from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.extensions import OpenApiSerializerExtension
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.access import anybody
from tournaments.api.fields import PlainJSONRenderer
from tournaments.api.problems import placed, read_at
from tournaments.api.rulesets.serializers import (
    HouseDocumentSerializer,
    HouseRulesLineSerializer,
    HouseRulesSerializer,
    NewDescriptionSerializer,
    RulesetsSerializer,
    SchemasSerializer,
)
from tournaments.api.schema import component
from tournaments.api.views import APIViewSet, BaseAPIView, ModelViewSet, check_etag
from tournaments.engine.documents.games import parse_json
from tournaments.engine.documents.ruleset_records import read_ruleset, write_ruleset
from tournaments.engine.documents.verify import SCHEMAS
from tournaments.engine.rules.entries import NO_TRUMP, SUITS, wrong_type
from tournaments.engine.rules.fields import NAMES
from tournaments.engine.rules.rulesets import OPTION_KINDS, UNITS, InvalidEntry, Ruleset
from tournaments.models import Club, HouseRuleset
from tournaments.permissions import check_staff, directed_club
from tournaments.queries.rulesets import describe, find_ruleset, offered_rulesets
from tournaments.services.rulesets import change_rules, create_rules, remove_rules
from tournaments.texts import labels

Json = dict[str, Any]


def with_names(described: Json, rules: Ruleset) -> Json:
    """A description with names for all that a form shows; house rules keep their own.

    Browsers are sent the description without them: their pages have the names already.
    """
    contracts = zip(described["contracts"], rules.contracts, strict=True)
    return described | {
        "name": labels.name_of(rules),
        "options": [
            option
            | {
                "name": labels.option_name(setting),
                "about": labels.option_help(setting),
                "value_names": [labels.option_value_name(setting, v) for v in option["values"]],
            }
            for option in described["options"]
            for setting in [option["setting"]]
        ],
        "units": {
            unit: {"name": labels.unit_name(unit)} | unit_fields
            for unit, unit_fields in described["units"].items()
        },
        "contracts": [
            fields
            | {
                "name": labels.contract_title(contract),
                "short": labels.contract_short(contract.id, contract.name),
                "symbol": labels.contract_symbol(contract.id, name=contract.name),
            }
            for fields, contract in contracts
        ],
        "suits": {
            suit: {"name": labels.suit_name(suit), "symbol": labels.suit_symbol(suit)}
            for suit in (*SUITS, NO_TRUMP)
        },
    }


RECORD = component("RulesetRecord")["$ref"]
ID: Json = {"$ref": f"{RECORD}/$defs/id"}
POINTS: Json = {"$ref": f"{RECORD}/$defs/points"}
COUNT: Json = {"type": "integer", "minimum": 0}
SWITCH: Json = {"type": "boolean"}
TEXT: Json = {"type": "string"}
NAME: Json = {"description": "In the language of the request.", **TEXT}
UNIT: Json = {"enum": list(UNITS)}


def _object(**properties: Json) -> Json:
    return {
        "type": "object",
        "required": list(properties),
        "additionalProperties": False,
        "properties": properties,
    }


def _list(items: Json) -> Json:
    return {"type": "array", "items": items}


def _map(values: Json) -> Json:
    return {"type": "object", "additionalProperties": values}


def _or_null(schema: Json) -> Json:
    return {"oneOf": [schema, {"type": "null"}]}


def _about(description: str, schema: Json) -> Json:
    return {"description": description, **schema}


def _record(place: str) -> Json:
    return {"$ref": f"{RECORD}/{place}"}


OPTION = _object(
    setting=_record("$defs/option/properties/setting"),
    kind={"enum": list(OPTION_KINDS)},
    values=_list({"type": ["string", "integer", "boolean"]}),
    name=NAME,
    about=_about("The effect of the option.", TEXT),
    value_names=_about("The names of the values.", _list(TEXT)),
)
DESCRIBED_UNIT = _object(
    name=NAME,
    total=_about("How many there are in a deal; null: not fixed.", _or_null(COUNT)),
    most=_about("How many one side can have.", COUNT),
    cards=_about("Whether they are cards, of which a trick holds four.", SWITCH),
)
CONTRACT = _object(
    id=ID,
    name=NAME,
    short=_about("Its name in a narrow column.", TEXT),
    symbol=_about("A few glyphs for it.", TEXT),
    kind=ID,
    named=_about("Whether a deal says it.", SWITCH),
    declared=_about("Whether a deal says who declared.", SWITCH),
    scoring=_record("$defs/contract/properties/scoring"),
    values=_about("Points for each unit taken.", _map(POINTS)),
    prizes=_list(POINTS),
    sum=_about("The sum of a deal, if it is fixed.", _or_null(POINTS)),
    quota=_about("How often in a game.", _or_null(COUNT)),
    quota_each=_about("How often by one side.", _or_null(COUNT)),
    trumps=_about("One of them is named with it.", _list({"enum": [*SUITS, NO_TRUMP]})),
    fields=_about("The further fields of its deals.", _list({"enum": list(NAMES)})),
    may_end_early=SWITCH,
    replay_one_each=SWITCH,
    cappotto=SWITCH,
)
CHECKS = _object(
    within=_about(
        "For each unit, the units that it is part of: nobody has more of it than of these.",
        _map(_list(UNIT)),
    ),
    cards_in_a_trick=COUNT,
    honours_among_hearts=COUNT,
    shared_cards=_about(
        "The units in which each card that has several is counted.", _list(_list(UNIT))
    ),
)


class RulesetDescriptionSerializer(serializers.BaseSerializer[Ruleset]):
    """A ruleset with its options: the possible entries and their points.

    Names are in the language that was asked for, those of house rules as they were given.
    """

    def to_representation(self, instance: Ruleset) -> dict[str, Any]:
        return with_names(describe(instance), instance)


class DescribedRuleset(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]
    """Its schema, which is written by hand: nothing but these fields, all of them."""

    target_class = RulesetDescriptionSerializer

    def map_serializer(self, auto_schema: Any, direction: Any) -> Json:
        """The schema of the component."""
        suit, trumps = _object(name=NAME, symbol=TEXT), [*SUITS, NO_TRUMP]
        described = _object(
            format={"const": "kingscore-description/1"},
            id=ID,
            family=ID,
            name=NAME,
            seats={"type": "integer", "minimum": 2, "maximum": 4},
            sides=_about("The side of each seat.", _list(COUNT)),
            clockwise=SWITCH,
            settings=_record("$defs/settings"),
            options=_about("The choices of a table.", _list(OPTION)),
            deals=_about("Null: it ends at the target.", _or_null(COUNT)),
            target=_about("Points at which it ends.", _or_null(COUNT)),
            in_a_row=_about("Deals until the declarer changes.", COUNT),
            declares=_record("properties/declares"),
            passes=SWITCH,
            quotas=_about("How many contracts of each kind one side declares.", _map(COUNT)),
            stages=_list(_object(deals=COUNT, contracts=_list(ID))),
            all_units=_about(
                "Units that may be written down instead of the contract's.",
                _record("properties/all_units"),
            ),
            steps=_record("properties/steps"),
            redeals=_record("properties/redeals"),
            voids=_record("properties/voids"),
            units=_map(DESCRIBED_UNIT),
            contracts=_list(CONTRACT),
            suits=_about("The names of the trumps.", _object(**dict.fromkeys(trumps, suit))),
            checks=CHECKS,
        )
        about = "The rules of a game as they are played with the requested options."
        return _about(about, described)


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
    serializer_class = RulesetDescriptionSerializer
    serializer_classes = {"list": RulesetsSerializer, "record": component("RulesetRecord")}
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
    serializer_class = RulesetDescriptionSerializer
    request_serializer_class = NewDescriptionSerializer

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
    serializer_class = SchemasSerializer

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
    serializer_class = HouseRulesSerializer
    serializer_classes = {"list": HouseRulesLineSerializer}
    request_serializer_class = HouseDocumentSerializer
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
