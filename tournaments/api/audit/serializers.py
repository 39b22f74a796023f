"""Changes in the API."""

from typing import Any

from rest_framework import serializers

from tournaments.api.fields import Moment, Strict
from tournaments.models import AuditEntry
from tournaments.queries.audit import Named

MOST_CHANGES = 200


class FollowingSerializer(Strict):
    """From where on somebody follows, and what."""

    after = serializers.IntegerField(
        default=0, min_value=0, max_value=2**62, help_text="The `last` of the previous response."
    )
    club = serializers.SlugField(default="", help_text="Only what belongs to this club.")
    event = serializers.SlugField(
        default="", help_text="Only what belongs to this event, by its public id."
    )
    limit = serializers.IntegerField(
        default=100, min_value=1, help_text="The former name of `page_size`."
    )
    cursor = serializers.CharField(required=False, help_text="As in `next`, in place of `after`.")
    page_size = serializers.IntegerField(
        required=False, min_value=1, help_text=f"Changes in a response, at most {MOST_CHANGES}."
    )


class ChangeSerializer(serializers.Serializer[Any]):
    """A change: action, subject, and addresses to read again, but never its content."""

    number = serializers.IntegerField(help_text="Its place in the feed; it never changes.")
    at = Moment()
    club = serializers.CharField(source="club.slug")
    event = serializers.SerializerMethodField(help_text="Null if it belongs to none.")
    kind = serializers.ChoiceField(choices=AuditEntry.Kind.choices)
    action = serializers.SerializerMethodField(
        help_text="The action, such as `correction`; more may be added."
    )
    subject = serializers.SerializerMethodField(
        help_text="The subject, such as `game:…`; empty in `names-changed`, which tells those"
        " outside the club that a name on its sheets has changed."
    )
    resources = serializers.SerializerMethodField(
        help_text="Addresses to read again; a removed object is no longer found at its own."
        " That of a list, as of `names-changed`, stands for all games in it."
    )

    def get_event(self, line: AuditEntry) -> str | None:
        return None if line.event is None else line.event.public_id

    def get_action(self, line: AuditEntry) -> str:
        named: Named = self.context["named"]
        return named.action(line)

    def get_subject(self, line: AuditEntry) -> str:
        named: Named = self.context["named"]
        return named.subject(line)

    def get_resources(self, line: AuditEntry) -> list[str]:
        named: Named = self.context["named"]
        return named.resources(line)


class ChangeFeedSerializer(serializers.Serializer[Any]):
    """A part of the changes, and where to continue."""

    next = serializers.URLField(allow_null=True, help_text="The rest, if there is `more` now.")
    previous = serializers.URLField(allow_null=True, help_text="Always null.")
    results = ChangeSerializer(many=True)
    last = serializers.IntegerField(help_text="The value of `after` for the next request.")
    more = serializers.BooleanField(help_text="Whether there are more changes now.")
