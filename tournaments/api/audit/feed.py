"""The feed of changes, in which nobody who follows misses one."""

from typing import Any

from django.shortcuts import get_object_or_404
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import remove_query_param, replace_query_param

from tournaments.api.audit.serializers import (
    MOST_CHANGES,
    ChangeFeedSerializer,
    FollowingSerializer,
)
from tournaments.api.filtering import CursorPages
from tournaments.api.views import Resource
from tournaments.models import AuditEntry, ChangeFeed, Club, Event, Game
from tournaments.models.audit import AuditEntryQuerySet
from tournaments.permissions import seen_club
from tournaments.queries.audit import Named
from tournaments.services.base.writes import Refused

MOST_LOOKED_AT = 20_000
"""So far one answer looks ahead, for whoever may see little of what there is."""

AT_ONCE = 2_000
"""How many numbers are searched in one query: most followers find enough in the first."""


class FeedBeginsAgain(Refused, code="feed-begins-again", status=410):
    sentence = _("Unknown position in the feed: begin again at 0.")


class Changes(Resource):
    # For a feed that begins again: earlier entries are deleted.
    refusals = ("410",)

    @extend_schema(parameters=[FollowingSerializer], responses=ChangeFeedSerializer)
    def get(self, request: Request) -> Response:
        """The changes after a number, in order: all where you direct, else the public ones.

        Ask again with the `last` of the answer; nothing comes later under a number before it.
        """
        following = FollowingSerializer(data=request.query_params.dict())
        following.is_valid(raise_exception=True)
        said = following.validated_data
        said["after"] = _after(said)
        left = ChangeFeed.number_new_lines()
        # Read before the lines: entries numbered meanwhile come after it.
        last = ChangeFeed.last_number()
        if said["after"] > last:
            raise FeedBeginsAgain(data={"last": last})
        lines, reached = _read(self._followed(said), said, last)
        more = left or reached < last
        feed = {"results": lines, "last": reached, "more": more, "previous": None}
        feed["next"] = self._link(reached) if more else None
        context = {
            **self.get_serializer_context(),
            "named": Named(
                lines, Game.objects.seen_by(request.user), Club.objects.of_member(request.user)
            ),
        }
        return Response(ChangeFeedSerializer(feed, context=context).data)

    def _link(self, after: int) -> str:
        url = remove_query_param(self.request.build_absolute_uri(), "after")
        return replace_query_param(url, "cursor", after)

    def _followed(self, said: dict[str, Any]) -> AuditEntryQuerySet:
        lines: AuditEntryQuerySet = AuditEntry.objects.followed_by(self.request.user)
        if said["club"]:
            lines = lines.filter(club=seen_club(self.visitor, said["club"]))
        if said["event"]:
            seen = Event.objects.seen_by(self.request.user)
            lines = lines.filter(event=get_object_or_404(seen, public_id=said["event"]))
        return lines


def _after(said: dict[str, Any]) -> int:
    cursor = said.get("cursor", "")
    if cursor and not (cursor.isascii() and cursor.isdecimal() and len(cursor) < 19):
        raise NotFound(CursorPages.invalid_cursor_message)
    return int(cursor or said["after"])


def _read(
    lines: AuditEntryQuerySet, said: dict[str, Any], last: int
) -> tuple[list[AuditEntry], int]:
    """Return the entries after a number, up to the size of one answer, and the last number."""
    found: list[AuditEntry] = []
    most = min(said.get("page_size", said["limit"]), MOST_CHANGES)
    end = min(last, said["after"] + MOST_LOOKED_AT)
    lines = lines.select_related("club", "event__tournament")
    for after in range(said["after"], end, AT_ONCE):
        rows = lines.numbered(after, min(after + AT_ONCE, end))
        found += rows[: most - len(found)]
        if len(found) == most:
            return found, found[-1].number or 0
    return found, end
