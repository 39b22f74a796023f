"""A round of a tournament as its directors see it: each table with its progress, problems first."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from tournaments.engine.rulesets import PerSide, Ruleset
from tournaments.models import Game, Round, Table, Tournament
from tournaments.queries.tournaments import rules_of_tournament
from tournaments.services.play.confirming import Agreement
from tournaments.telling.sheets import going_text
from tournaments.telling.watching import TROUBLES, Watched, watch_tables
from tournaments.telling.watching import Trouble as Watch
from tournaments.web.events.view import etag_of, tag_of
from tournaments.web.phone import address
from tournaments.web.scoring.clock_view import Clock, clock_of, minutes_text

MINUTE = 60
UNCONFIRMED = TROUBLES.index("unconfirmed")


@dataclass(frozen=True)
class Trouble:
    """What may be wrong at a table, in words; `rank` is that among all, the most urgent 0."""

    rank: int
    text: str


@dataclass(frozen=True)
class RunningTable:
    """A table of a round: who plays, how far they are, who wrote last, and what is wrong."""

    table: Table
    row: Game
    names: tuple[str, ...]
    totals: PerSide
    state: str
    last: str
    agreement: Agreement
    clock: Clock | None
    troubles: tuple[Trouble, ...]

    @property
    def finished(self) -> bool:
        """Whether its game is over."""
        return self.row.result is not None

    @property
    def sides(self) -> list[tuple[str, object]]:
        """The names of the sides with their points."""
        return list(zip(self.names, self.totals, strict=True))

    @property
    def mild(self) -> bool:
        """Whether nothing is wrong that cannot wait."""
        return all(trouble.rank >= UNCONFIRMED for trouble in self.troubles)

    @property
    def write(self) -> str:
        """Where its sheet is written."""
        return address(self.row, "write")

    @property
    def ready(self) -> bool:
        """Whether it keeps its round from being closed no more, as far as is known here."""
        return self.finished and self.agreement.enough


def running_tables(tournament: Tournament, place: Round, at: datetime) -> list[RunningTable]:
    """The tables of a round, those first where something is wrong (3 queries)."""
    rules = rules_of_tournament(tournament)
    return [_running(each, rules, at) for each in watch_tables(tournament, place, at)]


def etag_of_round(request: HttpRequest, tournament: Tournament, at: datetime) -> str:
    """What the page depends on: every change in the club, and the minutes that pass."""
    return tag_of([etag_of(request, tournament.event, directs=True), int(at.timestamp() // 60)])


def _running(seen: Watched, rules: Ruleset, at: datetime) -> RunningTable:
    table, stand = seen.table, seen.stand
    if stand is None:
        state = pgettext("a game", "finished")
    else:
        state = going_text(rules, stand.deals, stand.totals)
    return RunningTable(
        table=table,
        row=seen.row,
        names=tuple(rules.side_names(seen.row.players)),
        totals=seen.totals,
        state=state,
        last=_last(seen, at),
        agreement=seen.agreement,
        clock=None if stand is None else clock_of(table.round, at, table.extra_seconds),
        troubles=tuple(Trouble(each.rank, _text(each, seen.row)) for each in seen.troubles),
    )


def _text(trouble: Watch, row: Game) -> str:
    names = ", ".join(row.players[seat] for seat in trouble.seats)
    said = {
        "ago": ago_text(trouble.seconds),
        # Of a time that is over what is begun counts, of silence what is whole.
        "over": minutes_text(trouble.seconds),
        "minutes": minutes_text(trouble.seconds // MINUTE * MINUTE),
        "names": names,
    }
    return TEXTS[trouble.code](said)


TEXTS: Mapping[str, Callable[[Mapping[str, str]], str]] = {
    "called": lambda p: _("called the director %(ago)s") % p,
    "over-time": lambda p: _("over time by %(minutes)s") % {"minutes": p["over"]},
    "silent": lambda p: _("nothing written for %(minutes)s") % p,
    "unconfirmed": lambda p: _("not confirmed by %(names)s") % p,
    "new-phone": lambda p: _("another phone took the pen %(ago)s") % p,
}


def _last(seen: Watched, at: datetime) -> str:
    """When the last entry was written, and by whom where that is known."""
    if seen.last_at is None:
        return _("nothing written yet")
    said = {"ago": ago_text(int((at - seen.last_at).total_seconds())), "name": seen.last_by}
    return _("%(ago)s, by %(name)s") % said if said["name"] else said["ago"]


def ago_text(seconds: int) -> str:
    """How long ago something was, in minutes, and in hours where it was longer."""
    minutes = max(0, seconds // MINUTE)
    if not minutes:
        return _("just now")
    if minutes < 120:
        text = ngettext("%(minutes)s minute ago", "%(minutes)s minutes ago", minutes)
        return text % {"minutes": minutes}
    return _("%(hours)s hours ago") % {"hours": minutes // 60}
