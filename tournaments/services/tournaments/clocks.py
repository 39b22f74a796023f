"""The clock of a round: started, stopped, set on for all tables or for one; never a time of day."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from tournaments.models import Round, Table, Tournament
from tournaments.services.auditing import Actor
from tournaments.services.tournaments.drawing import lock_drawn
from tournaments.services.tournaments.leading import WrongState, note, touch

MOST_MINUTES = 120
"""So much is given at once, at most."""


class NotThatLong(Exception):
    """Nobody is given no time at all, more than two hours at once, or less than nothing is left."""


@dataclass(frozen=True, slots=True)
class Added:
    """Time that is given: `seconds`, which may be taken back; `seen` is what stood there before.

    What was `seen` makes two presses of one page give it once.
    """

    seconds: int
    seen: int

    def on(self, stands: int) -> int:
        """What stands afterwards; as it is, where it is not what was seen.

        Raises:
            NotThatLong: as its name says.
        """
        if stands != self.seen:
            return stands
        after = stands + self.seconds
        if not 0 < abs(self.seconds) <= MOST_MINUTES * 60 or after < 0:
            raise NotThatLong
        return after


def seconds_used(place: Round, at: datetime) -> int:
    """How many seconds the clock of a round has run, at `at`."""
    running = 0
    if place.clock_started_at is not None:
        running = max(0, int((at - place.clock_started_at).total_seconds()))
    return place.clock_used + running


def seconds_left(place: Round, at: datetime, extra: int = 0) -> int | None:
    """The seconds a table has left that was given `extra`, below 0 after the end; None: no clock.

    A round that is not open has its whole time before it, and one that is closed none.
    """
    if place.clock_seconds is None or place.closed_at is not None:
        return None
    return place.clock_seconds + extra - seconds_used(place, at)


def start_clock(round_pk: int, by: Actor, *, at: datetime) -> Round:
    """Let the clock of an open round run on; started twice, it runs once.

    Raises:
        WrongState: the round is not open, or keeps no time.
    """

    def start(place: Round) -> dict[str, Any] | None:
        if place.clock_seconds is None:
            raise WrongState(place.state)
        if place.clock_started_at is not None:
            return None
        place.clock_started_at = at
        return {"clock": seconds_left(place, at)}

    return _change(round_pk, "start-clock", start, by, at)


def pause_clock(round_pk: int, by: Actor, *, at: datetime) -> Round:
    """Stop the clock of an open round; stopped twice, it stands since the first time.

    Raises:
        WrongState: the round is not open.
    """

    def pause(place: Round) -> dict[str, Any] | None:
        if place.clock_started_at is None:
            return None
        place.clock_used = seconds_used(place, at)
        place.clock_started_at = None
        return {"clock": seconds_left(place, at)}

    return _change(round_pk, "pause-clock", pause, by, at)


def add_time(round_pk: int, added: Added, by: Actor, *, at: datetime) -> Round:
    """Give all tables of an open round more time, or take some back; without a clock it gets one.

    Raises:
        WrongState: the round is not open.
        NotThatLong: nothing is changed.
    """

    def add(place: Round) -> dict[str, Any] | None:
        before = place.clock_seconds or 0
        after = added.on(before)
        if after == before:
            return None
        place.clock_seconds = after
        return {"added": added.seconds}

    return _change(round_pk, "add-time", add, by, at)


def add_table_time(table_pk: int, added: Added, by: Actor, *, at: datetime) -> Table:
    """Give one table more time than the others, or take some of it back.

    Raises:
        WrongState: the round is not open.
        NotThatLong: nothing is changed.
        Table.DoesNotExist: the table was removed.
    """
    round_pk = Table.objects.values_list("round", flat=True).get(pk=table_pk)
    with transaction.atomic():
        tournament, place = _lock_open(round_pk)
        table = Table.objects.select_for_update().get(pk=table_pk)
        after = added.on(table.extra_seconds)
        if after != table.extra_seconds:
            table.extra_seconds = after
            table.save(update_fields=["extra_seconds"])
            touch(tournament)
            told = {"round": place.number, "table": table.number, "added": added.seconds}
            note(tournament, "add-table-time", by, at, after=told)
    return table


def _change(
    round_pk: int,
    action: str,
    change: Callable[[Round], dict[str, Any] | None],
    by: Actor,
    at: datetime,
) -> Round:
    """Do something to the clock of an open round; None is a change that changes nothing."""
    with transaction.atomic():
        tournament, place = _lock_open(round_pk)
        told = change(place)
        if told is not None:
            place.save(update_fields=["clock_seconds", "clock_used", "clock_started_at"])
            touch(tournament)
            note(tournament, action, by, at, after={"round": place.number} | told)
    return place


def _lock_open(round_pk: int) -> tuple[Tournament, Round]:
    tournament, place = lock_drawn(round_pk)
    if not place.is_open:
        raise WrongState(place.state)
    return tournament, place
