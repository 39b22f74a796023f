"""The clock of a round as pages show it: by the seconds that are left, for no clock is alike."""

from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from tournaments.models import Round
from tournaments.services.tournaments.clocks import seconds_left

MINUTE = 60
MINUTES = 60


@dataclass(frozen=True)
class Clock:
    """What is left, in seconds, below 0 after the end; a page with scripts counts on from there."""

    left: int
    running: bool

    @property
    def text(self) -> str:
        """The minutes that were left when the page was made."""
        return minutes_text(self.left)

    @property
    def over(self) -> bool:
        """Whether the time is over."""
        return self.left < 0


def clock_of(place: Round, at: datetime, extra: int = 0) -> Clock | None:
    """The clock of a round, or of one of its tables; None where no time is kept."""
    left = seconds_left(place, at, extra) if place.published_at is not None else None
    return None if left is None else Clock(left, place.clock_started_at is not None)


def minutes_text(seconds: int) -> str:
    """A time in whole minutes, from two hours on with its hours.

    What is begun counts, so that 0 is the end.
    """
    minutes = -(-abs(seconds) // MINUTE)
    sign = "−" if seconds < 0 and minutes else ""
    if minutes < 2 * MINUTES:
        return _("%(minutes)s min") % {"minutes": f"{sign}{minutes}"}
    hours, minutes = divmod(minutes, MINUTES)
    return _("%(hours)s h %(minutes)s min") % {"hours": f"{sign}{hours}", "minutes": minutes}
