"""The feed of changes, in which nobody who follows misses one."""

from typing import Any

from django.shortcuts import get_object_or_404
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.changes.serializers import FeedSerializer, FollowingSerializer
from tournaments.api.problems import Answer, Refused
from tournaments.api.views import Resource
from tournaments.models import AuditLine, ChangeFeed, Club, Event, Game
from tournaments.models.audit import AuditLineQuerySet
from tournaments.queries.changes import Named
from tournaments.visitors import seen_club

MOST_LOOKED_AT = 20_000
"""So far one answer looks ahead, for whoever may see little of what there is."""


class Changes(Resource):
    """`/changes/`."""

    # Of a feed that begins again: what came before is kept no longer.
    refusals = ("410",)

    @extend_schema(parameters=[FollowingSerializer], responses=FeedSerializer)
    def get(self, request: Request) -> Response:
        """What has changed after a number, in order: in full where you direct, else what is public.

        Ask again with the `last` of the answer; nothing comes later under a number before it.
        """
        following = FollowingSerializer(data=request.query_params.dict())
        following.is_valid(raise_exception=True)
        said = following.validated_data
        left = ChangeFeed.number_new_lines()
        # Read before the lines: what is numbered meanwhile stands after it.
        last = ChangeFeed.last_number()
        if said["after"] > last:
            title = _("The feed does not reach so far: begin again at 0.")
            raise Refused(Answer(410, "feed-begins-again", title, more={"last": last}))
        lines, reached = _read(self._followed(said), said, last)
        feed = {"results": lines, "last": reached, "more": left or reached < last}
        context = {
            **self.get_serializer_context(),
            "named": Named(
                lines, Game.objects.seen_by(request.user), Club.objects.of_member(request.user)
            ),
        }
        return Response(FeedSerializer(feed, context=context).data)

    def _followed(self, said: dict[str, Any]) -> AuditLineQuerySet:
        lines = AuditLine.objects.followed_by(self.request.user)
        if said["club"]:
            lines = lines.filter(club=seen_club(self.visitor, said["club"]))
        if said["event"]:
            seen = Event.objects.seen_by(self.request.user)
            lines = lines.filter(event=get_object_or_404(seen, public_id=said["event"]))
        return lines


def _read(lines: AuditLineQuerySet, said: dict[str, Any], last: int) -> tuple[list[AuditLine], int]:
    """The lines after a number as far as one answer goes, and how far that is."""
    if said["after"] == last:
        return [], last
    until = min(last, said["after"] + MOST_LOOKED_AT)
    rows = lines.filter(number__gt=said["after"], number__lte=until)
    found = list(rows.select_related("club", "event__tournament")[: said["limit"]])
    return found, (found[-1].number or 0) if len(found) == said["limit"] else until
