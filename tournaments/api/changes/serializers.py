"""Changes as the API tells them."""

from typing import Any

from rest_framework import serializers

from tournaments.api.fields import Moment, Strict
from tournaments.models import AuditLine
from tournaments.queries.changes import Named

MOST_CHANGES = 200


class FollowingSerializer(Strict):
    """From where on somebody follows, and what."""

    after = serializers.IntegerField(
        default=0, min_value=0, max_value=2**62, help_text="The `last` of the answer before."
    )
    club = serializers.SlugField(default="", help_text="Only what belongs to this club.")
    event = serializers.SlugField(
        default="", help_text="Only what belongs to this event, by its public id."
    )
    limit = serializers.IntegerField(default=100, min_value=1, max_value=MOST_CHANGES)


class ChangeSerializer(serializers.Serializer[Any]):
    """One change: what was done to what, and what is to be read again; never its content."""

    number = serializers.IntegerField(help_text="Its place in the feed; it never changes.")
    at = Moment()
    club = serializers.CharField(source="club.slug")
    event = serializers.SerializerMethodField(help_text="Null where it belongs to none.")
    kind = serializers.ChoiceField(choices=AuditLine.Kind.choices)
    action = serializers.SerializerMethodField(
        help_text="What was done, as `correction`; more may be added."
    )
    subject = serializers.SerializerMethodField(
        help_text="What it was done to, as `game:…`; empty in `names-changed`, which says to those"
        " who do not belong to a club that somebody is called otherwise on its sheets."
    )
    resources = serializers.SerializerMethodField(
        help_text="Addresses to read again; what was removed is not found at its own any more. One"
        " of a list, as of `names-changed`, stands for all games in it."
    )

    def get_event(self, line: AuditLine) -> str | None:
        return None if line.event is None else line.event.public_id

    def get_action(self, line: AuditLine) -> str:
        named: Named = self.context["named"]
        return named.action(line)

    def get_subject(self, line: AuditLine) -> str:
        named: Named = self.context["named"]
        return named.subject(line)

    def get_resources(self, line: AuditLine) -> list[str]:
        named: Named = self.context["named"]
        return named.resources(line)


class FeedSerializer(serializers.Serializer[Any]):
    """Some of the changes, and from where to go on."""

    results = ChangeSerializer(many=True)
    last = serializers.IntegerField(help_text="What to say as `after` next time.")
    more = serializers.BooleanField(help_text="Whether there is more to be asked for at once.")
