"""Documents as the API reads and writes them."""

from typing import Any

from django.conf import settings
from django.urls import reverse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from tournaments.api.fields import Moment, Strict, UncachedSerializer
from tournaments.engine.rules.entries import LARGE
from tournaments.models import Report
from tournaments.models.clubs import Paper
from tournaments.presenters.documents import file_name, reason_of, report_secret
from tournaments.reports.documents import Offered, formats_of
from tournaments.services.documents.reporting import is_kept
from tournaments.texts.documents import NAMES

LANGUAGES = [code for code, _name in settings.LANGUAGES]
STEPS = [step.name.lower() for step in Report.Step]


class OrderSerializer(Strict):
    """How a document is to be made; `language` is that of the request where it is not said."""

    format = serializers.ChoiceField(Report.Format.choices, default=Report.Format.PDF)
    language = serializers.ChoiceField(LANGUAGES, required=False)


class PaperOrderSerializer(OrderSerializer):
    """The same of what belongs to no club, which would have its paper."""

    paper = serializers.ChoiceField(Paper.choices, default=Paper.A4)


class EventOrderSerializer(OrderSerializer):
    """Which document of an event, as its list has it; `round` where it is of one."""

    document = serializers.CharField(max_length=40)
    round = serializers.IntegerField(required=False, min_value=1, max_value=LARGE)


class PlayerOrderSerializer(OrderSerializer):
    """Of which `season`, by its id, and which kind of `game` (family); of all without."""

    season = serializers.IntegerField(required=False, min_value=1, max_value=LARGE)
    game = serializers.CharField(required=False, max_length=40)


class ClubOrderSerializer(OrderSerializer):
    """Of which month, as its list has it."""

    month = serializers.RegexField(r"^[0-9]{4}-[0-9]{2}$")


class DocumentOfferSerializer(serializers.Serializer[Any]):
    """A document that can be asked for; `missing` says what it waits for, and is empty else."""

    document = serializers.CharField(source="offer.name")
    kind = serializers.ChoiceField(Report.Kind.choices, source="offer.kind")
    title = serializers.CharField()
    of_round = serializers.BooleanField(source="offer.of_round")
    formats = serializers.SerializerMethodField()
    missing = serializers.CharField()

    @extend_schema_field(
        serializers.ListField(child=serializers.ChoiceField(Report.Format.choices))
    )
    def get_formats(self, offered: Offered) -> list[str]:
        return list(formats_of(offered.offer.kind))


class DocumentSerializer(UncachedSerializer):
    """A requested document and its progress.

    `address` is where to ask again, and holds what gives access; `file` is there once it is done.
    """

    address = serializers.SerializerMethodField()
    kind = serializers.ChoiceField(Report.Kind.choices)
    title = serializers.SerializerMethodField()
    format = serializers.ChoiceField(Report.Format.choices)
    language = serializers.CharField()
    state = serializers.ChoiceField(Report.State.choices)
    step = serializers.SerializerMethodField()
    done = serializers.IntegerField(min_value=0, help_text="Of `total` things of this step.")
    total = serializers.IntegerField(min_value=0)
    error = serializers.SerializerMethodField()
    asked_at = Moment()
    expires_at = Moment()
    file = serializers.SerializerMethodField()
    file_name = serializers.SerializerMethodField()

    def get_address(self, row: Report) -> str:
        return address_of(row, "document")

    def get_title(self, row: Report) -> str:
        return str(NAMES[Report.Kind(row.kind)])

    @extend_schema_field(serializers.ChoiceField(STEPS))
    def get_step(self, row: Report) -> str:
        return Report.Step(row.step).name.lower()

    def get_error(self, row: Report) -> str:
        return reason_of(row)

    def get_file(self, row: Report) -> str | None:
        done = row.state == Report.State.DONE and is_kept(row)
        return address_of(row, "document_file") if done else None

    def get_file_name(self, row: Report) -> str:
        return file_name(row)


class DocumentsSerializer(serializers.Serializer[Any]):
    """The available documents, and those this account requested lately, the latest first."""

    offers = DocumentOfferSerializer(many=True)
    recent = DocumentSerializer(many=True)


class DocumentMonthsSerializer(serializers.Serializer[Any]):
    """The months of a club that there is a document of, the latest first, and its formats."""

    months = serializers.ListField(child=serializers.CharField())
    formats = serializers.ListField(child=serializers.ChoiceField(Report.Format.choices))


def address_of(row: Report, name: str) -> str:
    return reverse(f"api:{name}", args=[row.pk, report_secret(row.pk)])
