"""The strip on top of a tournament's pages, in words."""

import json
import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import Error
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from tournaments.models import AuditEntry, Round, Tournament
from tournaments.presenters.rounds.overview import Strip, load_strip, strip_step
from tournaments.queries.tournaments.steps import HowFar, how_far
from tournaments.services.rounds.undo import last_act
from tournaments.texts.labels import round_name
from tournaments.web.base.htmx import tag_of
from tournaments.web.events.view import etag_of
from tournaments.web.games.clock_view import Clock, clock_of
from tournaments.web.tournaments.steps import Button, act_text, button_of, line_ups_button
from tournaments.web.tournaments.texts import ROUND_STATES, state_name

State = Tournament.State

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class StripShown:
    """The strip: its first part stands out; `clock` is the running one of the open round.

    `rounds` are all rounds of the tournament; `tables` is the last one with tables. `act` is the
    audit entry of the act that can be undone, and `act_text` says it. Without a `button` the strip
    has failed, and says so.
    """

    far: HowFar
    headers: str
    parts: tuple[str, ...] = ()
    clock: Clock | None = None
    button: Button | None = None
    urgent: bool = False
    act: AuditEntry | None = None
    act_text: str = ""

    @property
    def rounds(self) -> list[Round]:
        return list(self.far.rounds)

    @property
    def tables(self) -> Round | None:
        """Return the round whose tables to look at: the last published one, or else the seated."""
        laid = [each for each in self.far.rounds if each.published_at is not None]
        going = (each for each in laid if each.closed_at is None)
        return next(going, laid[-1] if laid else self.far.round_)


def strip_of(
    request: HttpRequest, row: Tournament, rounds: Sequence[Round], moved: Callable[[], int]
) -> StripShown:
    """Return the strip of a tournament for its directors (up to 8 queries).

    `rounds` are all in order; a correction changes the places of `moved` entrants. A strip that
    fails is logged and says so: the page around it is shown all the same.
    """
    now, far = timezone.now(), how_far(row, rounds)
    headers = json.dumps({"If-None-Match": strip_etag(request, row, now)})
    try:
        return _strip(request, row, load_strip(row, far, moved(), now), headers, now)
    except Error:
        # A database that is away has its own answer.
        raise
    except Exception:
        logger.exception("The strip of tournament %s failed", row.pk)
        return StripShown(far, headers)


def _strip(
    request: HttpRequest, row: Tournament, strip: Strip, headers: str, now: datetime
) -> StripShown:
    round_ = strip.round_
    clock = clock_of(round_, now) if round_ is not None and round_.is_open else None
    shown = clock if clock is not None and not _not_started(strip) else None
    act = last_act(row, now)
    return StripShown(
        far=strip.far,
        headers=headers,
        parts=tuple(filter(None, _parts(strip, row))),
        clock=shown,
        button=_button(request, strip, row),
        urgent=strip.urgent,
        act=act,
        act_text="" if act is None else act_text(act, row),
    )


def _button(request: HttpRequest, strip: Strip, row: Tournament) -> Button:
    """Return the button of the next step; before a round is seated, the line-ups come first."""
    step = strip_step(strip)
    if step.code in ("start-and-seat", "seat-round") and strip.settings.line_up:
        named = line_ups_button(step, row)
        if named.url != request.GET.get("at", request.path):
            return named
    return button_of(step, row)


def strip_etag(request: HttpRequest, row: Tournament, at: datetime) -> str:
    """Return the ETag of the strip, from every change in the club and the current minute."""
    return tag_of(["strip", etag_of(request, row.event, directs=True), int(at.timestamp() // 60)])


def _parts(strip: Strip, row: Tournament) -> Iterator[str]:
    round_, far = strip.round_, strip.far
    if round_ is None or row.state != State.RUNNING:
        state = state_name(row.state)
        yield state[:1].upper() + state[1:]
        number = far.playing
        yield ngettext("%(number)s entrant", "%(number)s entrants", number) % {"number": number}
        if row.event.starts_at and row.state != State.FINISHED:
            yield _("starts at %(time)s") % {"time": row.event.starts_at}
    else:
        yield _round_of(round_, strip.settings.rounds)
        yield from _round_parts(strip, round_)
    if far.here is not None:
        yield _("here: %(here)s") % {"here": far.here}
    if strip.moved and not (round_ is not None and round_.is_open):
        text = ngettext(
            "a correction moves %(number)s entrant",
            "a correction moves %(number)s entrants",
            strip.moved,
        )
        yield text % {"number": strip.moved}


def _round_of(round_: Round, rounds: int) -> str:
    if round_.stage:
        return round_name(round_)
    return _("Round %(number)s of %(rounds)s") % {"number": round_.number, "rounds": rounds}


def _round_parts(strip: Strip, round_: Round) -> Iterator[str]:
    progress = strip.far.progress
    if progress is None or round_.closed_at is not None:
        yield str(ROUND_STATES[round_.state])
        return
    said = {"finished": progress.finished, "tables": progress.tables}
    if round_.is_open:
        text = ngettext(
            "%(finished)s of %(tables)s table done",
            "%(finished)s of %(tables)s tables done",
            progress.tables,
        )
    else:
        text = ngettext("%(tables)s table seated", "%(tables)s tables seated", progress.tables)
    yield text % said
    if _not_started(strip):
        yield pgettext("of a round", "clock not started")


def _not_started(strip: Strip) -> bool:
    return strip.clock_stands and strip.round_ is not None and not strip.round_.clock_used
