"""The address of the audit of a club."""

from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.clubs.serializers import AuditLineSerializer
from tournaments.api.fields import LARGEST_KEY, MOMENTS
from tournaments.api.views import Resource
from tournaments.models import AuditEntry
from tournaments.models.audit import AuditEntryQuerySet
from tournaments.permissions import directed_club


class AuditFilter(filters.FilterSet):  # type: ignore[misc]
    """Which lines."""

    kind = filters.ChoiceFilter(choices=AuditEntry.Kind.choices)
    action = filters.CharFilter(max_length=20)
    subject = filters.CharFilter(
        max_length=40, method="about_subject", label="The subject of the entries."
    )
    user = filters.NumberFilter(
        field_name="user_id",
        min_value=1,
        max_value=LARGEST_KEY,
        label="The account that made the change.",
    )
    at_from = filters.IsoDateTimeFilter(
        field_name="at", lookup_expr="gte", validators=MOMENTS, label="At this moment or later."
    )
    at_until = filters.IsoDateTimeFilter(
        field_name="at",
        lookup_expr="lt",
        validators=MOMENTS,
        label="Before this moment, not at it.",
    )

    def about_subject(
        self, lines: AuditEntryQuerySet, _name: str, value: str
    ) -> AuditEntryQuerySet:
        return lines.about([value])


class Audit(Resource):
    queryset = AuditEntry.objects.all()
    filterset_class = AuditFilter
    ordering_fields = ("id",)
    ordering = ("-id",)

    @extend_schema(responses=AuditLineSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """The audit of a club, newest first, for its directors."""
        club = directed_club(self.visitor, slug)
        lines = AuditEntry.objects.filter(club=club).select_related("user", "event")
        return self.pages_of(AuditLineSerializer, lines)
