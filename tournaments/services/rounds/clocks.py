"""The clock of a round: start, pause, add time for all tables or one. It shows no time of day."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from tournaments.models import Round, Table, Tournament
from tournaments.services.audit import Actor
from tournaments.services.base.refusals import Refused
from tournaments.services.rounds.seating import lock_drawn
from tournaments.services.tournaments.lifecycle import WrongState, note, touch

MOST_MINUTES = 120
"""Maximum number of minutes added at once."""


class NotThatLong(Refused, code="not-that-long", status=422):
    sentence = _("Choose between 1 second and 2 hours; the clock cannot go below zero.")


@dataclass(frozen=True, slots=True)
class Added:
    """An amount of time to add: `seconds`, may be negative; `seen` is the value shown before.

    `seen` prevents a double click from adding the time twice.
    """

    seconds: int
    seen: int

    def on(self, stands: int) -> int:
        """Return the new value; unchanged if `stands` is not the value seen.

        Raises:
            NotThatLong: the new value is out of range.
        """
        if stands != self.seen:
            return stands
        after = stands + self.seconds
        if not 0 < abs(self.seconds) <= MOST_MINUTES * 60 or after < 0:
            raise NotThatLong
        return after


def seconds_used(round_: Round, at: datetime) -> int:
    """Return for how many seconds the clock of a round has run at `at`."""
    running = 0
    if round_.clock_started_at is not None:
        running = max(0, int((at - round_.clock_started_at).total_seconds()))
    return round_.clock_used + running


def seconds_left(round_: Round, at: datetime, extra: int = 0) -> int | None:
    """Return the seconds left for a table with `extra`, negative after the end; None: no clock.

    A round not yet open has its whole time left, a closed one none.
    """
    if round_.clock_seconds is None or round_.closed_at is not None:
        return None
    return round_.clock_seconds + extra - seconds_used(round_, at)


def start_clock(round_pk: int, by: Actor, *, at: datetime) -> Round:
    """Start or resume the clock of an open round. Idempotent.

    Raises:
        WrongState: the round is not open, or has no clock.
    """

    def start(round_: Round) -> dict[str, Any] | None:
        if round_.clock_seconds is None:
            raise WrongState(round_.state)
        if round_.clock_started_at is not None:
            return None
        round_.clock_started_at = at
        return {"clock": seconds_left(round_, at)}

    return _change(round_pk, "start-clock", start, by, at)


def pause_clock(round_pk: int, by: Actor, *, at: datetime) -> Round:
    """Pause the clock of an open round. Idempotent.

    Raises:
        WrongState: the round is not open.
    """

    def pause(round_: Round) -> dict[str, Any] | None:
        if round_.clock_started_at is None:
            return None
        round_.clock_used = seconds_used(round_, at)
        round_.clock_started_at = None
        return {"clock": seconds_left(round_, at)}

    return _change(round_pk, "pause-clock", pause, by, at)


def add_time(round_pk: int, added: Added, by: Actor, *, at: datetime) -> Round:
    """Add time for all tables of an open round, or take some back; create a clock if needed.

    Raises:
        WrongState: the round is not open.
        NotThatLong: the new value is out of range; nothing is changed.
    """

    def add(round_: Round) -> dict[str, Any] | None:
        before = round_.clock_seconds or 0
        after = added.on(before)
        if after == before:
            return None
        round_.clock_seconds = after
        return {"added": added.seconds}

    return _change(round_pk, "add-time", add, by, at)


def add_table_time(table_pk: int, added: Added, by: Actor, *, at: datetime) -> Table:
    """Add time for one table only, or take some of it back.

    Raises:
        WrongState: the round is not open.
        NotThatLong: the new value is out of range; nothing is changed.
        Table.DoesNotExist: the table was removed.
    """
    round_pk = Table.objects.values_list("round", flat=True).get(pk=table_pk)
    with transaction.atomic():
        tournament, round_ = _lock_open(round_pk)
        table = Table.objects.select_for_update().get(pk=table_pk)
        after = added.on(table.extra_seconds)
        if after != table.extra_seconds:
            table.extra_seconds = after
            table.save(update_fields=["extra_seconds"])
            touch(tournament)
            details = {"round": round_.number, "table": table.number, "added": added.seconds}
            note(tournament, "add-table-time", by, at, after=details)
    return table


def _change(
    round_pk: int,
    action: str,
    change: Callable[[Round], dict[str, Any] | None],
    by: Actor,
    at: datetime,
) -> Round:
    """Change the clock of an open round; a change that returns None does nothing."""
    with transaction.atomic():
        tournament, round_ = _lock_open(round_pk)
        details = change(round_)
        if details is not None:
            round_.save(update_fields=["clock_seconds", "clock_used", "clock_started_at"])
            touch(tournament)
            note(tournament, action, by, at, after={"round": round_.number} | details)
    return round_


def _lock_open(round_pk: int) -> tuple[Tournament, Round]:
    tournament, round_ = lock_drawn(round_pk)
    if not round_.is_open:
        raise WrongState(round_.state, _("The clock goes while the round is open."))
    return tournament, round_
