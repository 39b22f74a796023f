"""The clock of a round or of one of its tables, in every answer that tells it."""

from datetime import datetime, timedelta
from typing import Any

from rest_framework import serializers

from tournaments.api.fields import Moment
from tournaments.models import Round
from tournaments.services.rounds.running import seconds_left


class ClockSerializer(serializers.Serializer[Any]):
    """A clock: its whole time in seconds, and its end or the time left.

    While it runs, `ends_at` is the end, possibly in the past, and `seconds_left` is null, so that
    the answer does not change every second. While it is paused, `seconds_left` is the time left,
    below 0 after the end, and `ends_at` is null.
    """

    seconds = serializers.IntegerField(min_value=0)
    running = serializers.BooleanField()
    seconds_left = serializers.IntegerField(allow_null=True)
    ends_at = Moment(allow_null=True)


def clock_details(round_: Round, now: datetime, extra: int = 0) -> dict[str, Any] | None:
    """The clock of a round, or of a table of it that was given `extra`; None: no time is kept."""
    left = seconds_left(round_, now, extra) if round_.published_at is not None else None
    if left is None or round_.clock_seconds is None:
        return None
    whole, started = round_.clock_seconds + extra, round_.clock_started_at
    running = started is not None
    remaining = timedelta(seconds=whole - round_.clock_used)
    return {
        "seconds": whole,
        "running": running,
        "seconds_left": None if running else left,
        "ends_at": None if started is None else started + remaining,
    }
