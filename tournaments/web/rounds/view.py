"""A round for its directors: each table with its progress, problems first."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache, partial

from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from tournaments.engine.rules.rulesets import PerSide, Ruleset
from tournaments.models import Game, Round, Table, Tournament
from tournaments.presenters.games.sheets import going_text
from tournaments.presenters.rounds.tables import (
    TROUBLES,
    SmallRow,
    Trouble,
    Watched,
    watch_tables,
)
from tournaments.queries.tournaments.state import rules_of_tournament
from tournaments.services.games.confirming import Agreement
from tournaments.web.base.htmx import tag_of
from tournaments.web.base.phone import address
from tournaments.web.events.view import etag_of
from tournaments.web.games.clock_view import Clock, clock_of, minutes_text

MINUTE = 60
DISPUTED = TROUBLES.index("disputed")
OVER_TIME = TROUBLES.index("over-time")


@dataclass(frozen=True)
class ShownTrouble:
    """A possible problem of a table, as text; `rank` is its urgency among all, 0 the highest."""

    rank: int
    text: str


@dataclass(frozen=True)
class RunningTable:
    """A table of a round: players, progress, last scorer, and problems."""

    table: Table
    row: Game
    names: tuple[str, ...]
    totals: PerSide
    state: str
    last: str
    agreement: Agreement
    clock: Clock | None
    small: tuple[SmallRow, ...]
    troubles: tuple[ShownTrouble, ...]

    @property
    def finished(self) -> bool:
        return self.row.result is not None

    @property
    def sides(self) -> list[tuple[str, object]]:
        return list(zip(self.names, self.totals, strict=True))

    @property
    def lead(self) -> list[bool]:
        """Return which sides lead: none before the first row, nor if all have the same points."""
        best = max(self.totals)
        level = not self.small or min(self.totals) == best
        return [not level and total == best for total in self.totals]

    @property
    def columns(self) -> list[tuple[str, object, bool]]:
        return list(zip(self.names, self.totals, self.lead, strict=True))

    @property
    def problems(self) -> list[ShownTrouble]:
        """Return what needs a director; that the time is over is said once for all tables."""
        return [trouble for trouble in self.troubles if trouble.rank != OVER_TIME]

    @property
    def mild(self) -> bool:
        """Whether the table neither calls nor disputes a deal."""
        return all(trouble.rank >= OVER_TIME for trouble in self.troubles)

    @property
    def to_confirm(self) -> bool:
        return self.finished and not self.agreement.enough

    @property
    def has_own_clock(self) -> bool:
        return bool(self.table.extra_seconds and self.clock)

    @property
    def is_plain(self) -> bool:
        """Return whether its line for directors has neither a form nor a clock."""
        return not (self.to_confirm or self.table.called_at or self.has_own_clock)

    @property
    def shown(self) -> tuple[object, ...]:
        """Return all that a plain line shows for directors."""
        place = (self.row.public_id, self.row.generation("write"), self.table.number)
        progress = (self.names, self.totals, self.state, self.last, self.finished)
        return place, progress, tuple(self.problems), self.mild

    @property
    def disputed(self) -> bool:
        return any(trouble.rank == DISPUTED for trouble in self.troubles)

    @property
    def write(self) -> str:
        return address(self.row, "write")


def running_tables(tournament: Tournament, round_: Round, at: datetime) -> list[RunningTable]:
    """Return the tables of a round, those with problems first (3 queries)."""
    rules = rules_of_tournament(tournament)
    # Most tables were written at in the same few minutes, and are at the same few deals.
    written, going = cache(_written_text), cache(partial(going_text, rules))
    return [
        _running(each, rules, at, written, going) for each in watch_tables(tournament, round_, at)
    ]


def etag_of_round(request: HttpRequest, tournament: Tournament, at: datetime) -> str:
    """Return the ETag of the page, from every change in the club and the current minute."""
    return tag_of([etag_of(request, tournament.event, directs=True), int(at.timestamp() // 60)])


def _running(
    seen: Watched,
    rules: Ruleset,
    at: datetime,
    written: Callable[[int, str], str],
    going: Callable[[int, PerSide], str],
) -> RunningTable:
    table, progress = seen.table, seen.progress
    if progress is None:
        state = pgettext("a game", "finished")
    else:
        state = going(progress.deals, progress.totals if rules.length is None else ())
    return RunningTable(
        table=table,
        row=seen.row,
        names=tuple(rules.side_names(seen.row.players)),
        totals=seen.totals,
        state=state,
        last=_last(seen, at, written),
        agreement=seen.agreement,
        clock=None if progress is None else clock_of(table.round, at, table.extra_seconds),
        small=() if progress is None else progress.rows,
        troubles=tuple(ShownTrouble(each.rank, _text(each, seen.row)) for each in seen.troubles),
    )


def _text(trouble: Trouble, row: Game) -> str:
    return TEXTS[trouble.code](trouble, ", ".join(row.players[seat] for seat in trouble.seats))


# Overdue minutes are rounded up, minutes of silence down.
TEXTS: Mapping[str, Callable[[Trouble, str], str]] = {
    "called": lambda t, _names: _("called the director %(ago)s") % {"ago": ago_text(t.seconds)},
    "disputed": lambda _t, names: _("a deal is disputed by %(names)s") % {"names": names},
    "over-time": lambda t, _names: (
        _("over time by %(minutes)s") % {"minutes": minutes_text(t.seconds)}
    ),
    "silent": lambda t, _names: (
        _("nothing written for %(minutes)s")
        % {"minutes": minutes_text(t.seconds // MINUTE * MINUTE)}
    ),
    "unconfirmed": lambda _t, names: _("not confirmed by %(names)s") % {"names": names},
    "new-phone": lambda t, _names: (
        _("another phone took over the scoring %(ago)s") % {"ago": ago_text(t.seconds)}
    ),
}


def _last(seen: Watched, at: datetime, written: Callable[[int, str], str]) -> str:
    """Return when the last entry was written, and by whom if that is known."""
    if seen.last_at is None:
        return _("nothing written yet")
    return written(int((at - seen.last_at).total_seconds()) // MINUTE, seen.last_by)


def _written_text(minutes: int, name: str) -> str:
    said = {"ago": ago_text(minutes * MINUTE), "name": name}
    return _("%(ago)s, by %(name)s") % said if name else said["ago"]


def ago_text(seconds: int) -> str:
    """Return an age in minutes, or in hours if it is longer."""
    minutes = max(0, seconds // MINUTE)
    if not minutes:
        return _("just now")
    if minutes < 120:
        text = ngettext("%(minutes)s minute ago", "%(minutes)s minutes ago", minutes)
        return text % {"minutes": minutes}
    return _("%(hours)s hours ago") % {"hours": minutes // 60}
