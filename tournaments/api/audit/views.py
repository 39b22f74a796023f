"""The audit of a club, and the feed of changes, in which nobody who follows misses one."""

from typing import Any

from django.shortcuts import get_object_or_404
from django.utils.translation import gettext_lazy as _
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import remove_query_param, replace_query_param

from tournaments.api.access import anybody
from tournaments.api.audit.serializers import (
    MOST_CHANGES,
    AuditLineSerializer,
    ChangeFeedSerializer,
    FollowingSerializer,
)
from tournaments.api.fields import LARGEST_KEY, MOMENTS
from tournaments.api.filtering import KeysetPagination
from tournaments.api.views import APIViewSet, BaseAPIView, ClubMixin, ListMixin
from tournaments.models import AuditEntry, ChangeFeed, Club, Event, Game
from tournaments.models.audit import AuditEntryQuerySet
from tournaments.permissions import directed_club, seen_club
from tournaments.queries.audit import Named
from tournaments.services.base.writes import Refused

MOST_LOOKED_AT = 20_000
"""So far one answer looks ahead, for whoever may see little of what there is."""

AT_ONCE = 2_000
"""How many numbers are searched in one query: most followers find enough in the first."""


class FeedBeginsAgain(Refused, code="feed-begins-again", status=410):
    sentence = _("Unknown position in the feed: begin again at 0.")


class AuditFilter(filters.FilterSet):  # type: ignore[misc]
    kind = filters.ChoiceFilter(choices=AuditEntry.Kind.choices)
    action = filters.CharFilter(max_length=AuditEntry.action.field.max_length)
    subject = filters.CharFilter(
        max_length=AuditEntry.subject.field.max_length,
        method="about_subject",
        label="The subject of the entries.",
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


class AuditViewSet(ClubMixin, ListMixin, APIViewSet):
    descriptions = {
        "list": "List the audit of a club, newest first, for its directors.",
    }
    tag = "clubs"
    read_permission = staticmethod(directed_club)
    queryset = AuditEntry.objects.all()
    filterset_class = AuditFilter
    ordering_fields = ("id",)
    ordering = ("-id",)
    serializer_class = AuditLineSerializer

    def get_queryset(self) -> AuditEntryQuerySet:
        rows: AuditEntryQuerySet = AuditEntry.objects.filter(club=self.club)
        return rows.select_related("user", "event")


class ChangesView(BaseAPIView):
    read_permission = staticmethod(anybody)
    # For a feed that begins again: earlier entries are deleted.
    refusals = ("410",)
    serializer_class = ChangeFeedSerializer

    @extend_schema(parameters=[FollowingSerializer])
    def get(self, request: Request) -> Response:
        """List the changes after a number, in order: all in clubs you direct, else public ones.

        Continue with the `last` of the response. Nothing is added later under a smaller number.
        """
        data = self.get_query(FollowingSerializer)
        data["after"] = _after(data)
        left = ChangeFeed.number_new_lines()
        # Read before the lines: entries numbered meanwhile come after it.
        last = ChangeFeed.last_number()
        if data["after"] > last:
            raise FeedBeginsAgain(data={"last": last})
        lines, reached = _read(self._followed(data), data, last)
        more = left or reached < last
        feed = {"results": lines, "last": reached, "more": more, "previous": None}
        feed["next"] = self._link(reached) if more else None
        games, clubs = Game.objects.seen_by(request.user), Club.objects.of_member(request.user)
        self.serializer_context = {"named": Named(lines, games, clubs)}
        return self.respond(feed)

    def _link(self, after: int) -> str:
        url = remove_query_param(self.request.build_absolute_uri(), "after")
        return replace_query_param(url, "cursor", after)

    def _followed(self, data: dict[str, Any]) -> AuditEntryQuerySet:
        lines: AuditEntryQuerySet = AuditEntry.objects.followed_by(self.request.user)
        if data["club"]:
            lines = lines.filter(club=seen_club(self.http_request, data["club"]))
        if data["event"]:
            visible = Event.objects.seen_by(self.request.user)
            lines = lines.filter(event=get_object_or_404(visible, public_id=data["event"]))
        return lines


def _after(data: dict[str, Any]) -> int:
    cursor = data.get("cursor", "")
    if cursor and not (cursor.isascii() and cursor.isdecimal() and len(cursor) < 19):
        raise NotFound(KeysetPagination.invalid_cursor_message)
    return int(cursor or data["after"])


def _read(
    lines: AuditEntryQuerySet, data: dict[str, Any], last: int
) -> tuple[list[AuditEntry], int]:
    """Return the entries after a number, up to the size of one answer, and the last number."""
    found: list[AuditEntry] = []
    most = min(data.get("page_size", data["limit"]), MOST_CHANGES)
    end = min(last, data["after"] + MOST_LOOKED_AT)
    lines = lines.select_related("club", "event__tournament")
    for after in range(data["after"], end, AT_ONCE):
        rows = lines.numbered(after, min(after + AT_ONCE, end))
        found += rows[: most - len(found)]
        if len(found) == most:
            return found, found[-1].number or 0
    return found, end
