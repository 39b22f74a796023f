"""Changes in the API."""

from typing import Any

from rest_framework import serializers

from tournaments.api.fields import MomentField, StrictSerializer
from tournaments.models import AuditEntry
from tournaments.queries.audit import Named
from tournaments.queries.players import account_name

MOST_CHANGES = 200


class AuditLineSerializer(serializers.Serializer[Any]):
    """A change in a club: the action, its `subject` (as `game:abcdefghjk`), and the author.

    `table` is the id of the table whose phone made it. `before` and `after` are what changed, as
    the audit stores it.
    """

    id = serializers.IntegerField()
    at = MomentField()
    kind = serializers.ChoiceField(AuditEntry.Kind.choices)
    action = serializers.CharField()
    subject = serializers.CharField()
    event = serializers.CharField(source="event.public_id", default=None, allow_null=True)
    user = serializers.IntegerField(source="user_id", allow_null=True)
    name = serializers.SerializerMethodField()
    table = serializers.CharField()
    address = serializers.CharField(allow_null=True)
    before = serializers.JSONField(allow_null=True)
    after = serializers.JSONField(allow_null=True)
    reason = serializers.CharField()

    def get_name(self, line: AuditEntry) -> str | None:
        return None if line.user is None else account_name(line.user)


class FollowingSerializer(StrictSerializer):
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
    at = MomentField()
    club = serializers.CharField(source="club.slug")
    event = serializers.CharField(
        source="event.public_id", allow_null=True, help_text="Null if it belongs to none."
    )
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
