"""The clock of a round as remaining seconds, since the clocks of devices differ."""

from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from tournaments.models import Round
from tournaments.services.rounds.running import seconds_left

MINUTE = 60
MINUTES = 60


@dataclass(frozen=True)
class Clock:
    """The seconds left, below 0 after the end; pages with scripts count down from there."""

    left: int
    running: bool

    @property
    def text(self) -> str:
        return minutes_text(self.left)

    @property
    def over(self) -> bool:
        return self.left < 0


def clock_of(round_: Round, at: datetime, extra: int = 0) -> Clock | None:
    """Return the clock of a round, or of one of its tables; None if it has none."""
    left = seconds_left(round_, at, extra) if round_.published_at is not None else None
    return None if left is None else Clock(left, round_.clock_started_at is not None)


def minutes_text(seconds: int) -> str:
    """Return a time in whole minutes, from two hours on with hours.

    Rounded up, so that 0 is the end.
    """
    minutes = -(-abs(seconds) // MINUTE)
    sign = "−" if seconds < 0 and minutes else ""
    if minutes < 2 * MINUTES:
        return _("%(minutes)s min") % {"minutes": f"{sign}{minutes}"}
    hours, minutes = divmod(minutes, MINUTES)
    return _("%(hours)s h %(minutes)s min") % {"hours": f"{sign}{hours}", "minutes": minutes}
