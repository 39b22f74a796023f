"""A round of a tournament as its directors see it: each table with its progress, problems first."""

from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import OuterRef, Subquery
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from tournaments.engine.rulesets import PerSide, Ruleset, number_of
from tournaments.models import Game, Round, Table, Tournament, Write
from tournaments.queries import fold_sheet
from tournaments.services.play.confirming import Agreement, agreement_of
from tournaments.telling import going_text
from tournaments.tournament_queries import rules_of_tournament
from tournaments.web.events.view import etag_of, tag_of
from tournaments.web.phone import address
from tournaments.web.scoring.clock_view import Clock, clock_of, minutes_text

SILENT = timedelta(minutes=10)
"""A table that writes nothing for so long is looked after."""

NEW_PHONE = timedelta(minutes=10)
MINUTE = timedelta(minutes=1)

CALLED, LATE, QUIET, UNCONFIRMED, REPLACED = range(5)
"""What may be wrong at a table, the most urgent first."""


@dataclass(frozen=True, slots=True)
class Stand:
    """How far a game is that goes on: whole deals, and points per side."""

    deals: int
    totals: PerSide


MOST_STANDS = 2000
_stands: OrderedDict[tuple[str, int], Stand] = OrderedDict()
"""What sheets were folded to, by game and revision: which never comes to mean another sheet.

Folding the sheets of 250 tables takes half a second, and directors look every few seconds.
"""


@dataclass(frozen=True)
class Trouble:
    """What may be wrong at a table, in words; `rank` is one of those above."""

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
    rules, setting = rules_of_tournament(tournament), tournament.event.confirmations
    games = _games(place)
    stands = _stands_of(game for game in games if game.result is None)
    tables = [
        _running(game, stands.get(game.pk), rules, agreement_of(game, setting, said), at)
        for game in games
        for said in [game.confirmations.all()]
    ]
    return sorted(tables, key=_urgency)


def etag_of_round(request: HttpRequest, tournament: Tournament, at: datetime) -> str:
    """What the page depends on: every change in the club, and the minutes that pass."""
    return tag_of([etag_of(request, tournament.event, directs=True), int(at.timestamp() // 60)])


def _games(place: Round) -> Sequence[Game]:
    """The game of each table, with who wrote last and when."""
    last = Write.objects.filter(game=OuterRef("pk")).order_by("-revision")
    rows = Game.objects.filter(table__round=place).order_by("table__number", "pk")
    rows = (
        rows.select_related("table")
        .prefetch_related("confirmations")
        .annotate(
            last_at=Subquery(last.values("at")[:1]), last_by=Subquery(last.values("author")[:1])
        )
    )
    games = list(rows)
    for game in games:
        # Already at hand: one query less for each table.
        assert game.table is not None
        game.table.round = place
    return games


def _stands_of(games: Iterable[Game]) -> dict[int, Stand]:
    """How far games are that go on (1 query); sheets that were folded before are not again."""
    rows = list(games)
    # Asked for once each: another thread may be clearing them out.
    found = {row.pk: _stands.get((row.public_id, row.revision)) for row in rows}
    writes: dict[int, list[Write]] = defaultdict(list)
    missing = [row for row in rows if found[row.pk] is None]
    for write in Write.objects.filter(game__in=missing).order_by("revision"):
        writes[write.game_id].append(write)
    for row in missing:
        seen = (write for write in writes[row.pk] if write.revision <= row.revision)
        game = fold_sheet(row, tuple(seen)).game
        stand = Stand(len(game.deals), game.totals)
        found[row.pk] = _stands[row.public_id, row.revision] = stand
    while len(_stands) > MOST_STANDS:
        _stands.popitem(last=False)
    return {pk: stand for pk, stand in found.items() if stand is not None}


def _running(
    row: Game, stand: Stand | None, rules: Ruleset, agreement: Agreement, at: datetime
) -> RunningTable:
    table = row.table
    assert table is not None
    clock = clock_of(table.round, at, table.extra_seconds)
    totals: PerSide
    if stand is not None:
        state, totals = going_text(rules, stand.deals, stand.totals), stand.totals
    else:
        state = pgettext("a game", "finished")
        totals = tuple(number_of(points) or 0 for points in (row.result or {})["totals"])
    return RunningTable(
        table=table,
        row=row,
        names=tuple(rules.side_names(row.players)),
        totals=totals,
        state=state,
        last=_last(row, at),
        agreement=agreement,
        clock=clock if stand is not None else None,
        troubles=tuple(_troubles(table, row, agreement, clock, at)),
    )


def _troubles(
    table: Table, row: Game, agreement: Agreement, clock: Clock | None, at: datetime
) -> Iterable[Trouble]:
    """What may be wrong; in a round that is not open only what keeps it from closing."""
    going, is_open = row.result is None, table.round.is_open
    if table.called_at is not None:
        ago = ago_text(table.called_at, at)
        yield Trouble(CALLED, _("called the director %(ago)s") % {"ago": ago})
    if going and is_open and clock is not None and clock.over:
        over = minutes_text(-clock.left)
        yield Trouble(LATE, _("over time by %(minutes)s") % {"minutes": over})
    since = _written(row) or table.round.opened_at
    if going and is_open and since is not None and at - since >= SILENT:
        quiet = minutes_text((at - since) // MINUTE * 60)
        yield Trouble(QUIET, _("nothing written for %(minutes)s") % {"minutes": quiet})
    if not going and not agreement.enough:
        names = ", ".join(row.players[seat] for seat in agreement.missing)
        yield Trouble(UNCONFIRMED, _("not confirmed by %(names)s") % {"names": names})
    if row.taken_at is not None and is_open and at - row.taken_at < NEW_PHONE:
        ago = ago_text(row.taken_at, at)
        yield Trouble(REPLACED, _("another phone took the pen %(ago)s") % {"ago": ago})


def _urgency(each: RunningTable) -> tuple[int, int]:
    first = min((trouble.rank for trouble in each.troubles), default=REPLACED + 1)
    return first, each.table.number


def _last(row: Game, at: datetime) -> str:
    """When the last entry was written, and at whose seat the phone was."""
    written = _written(row)
    if written is None:
        return _("nothing written yet")
    said = {"ago": ago_text(written, at), "name": getattr(row, "last_by", "")}
    return _("%(ago)s, by %(name)s") % said if said["name"] else said["ago"]


def _written(row: Game) -> datetime | None:
    written: datetime | None = getattr(row, "last_at", None)
    return written


def ago_text(then: datetime, at: datetime) -> str:
    """How long ago something was, in minutes, and in hours where it was longer."""
    minutes = max(0, (at - then) // MINUTE)
    if not minutes:
        return _("just now")
    if minutes < 120:
        text = ngettext("%(minutes)s minute ago", "%(minutes)s minutes ago", minutes)
        return text % {"minutes": minutes}
    return _("%(hours)s hours ago") % {"hours": minutes // 60}
