"""The tables of a round as directors watch them: how far each is, and what may be wrong there."""

from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Case, OuterRef, Subquery, Value, When
from django.db.models.functions import Coalesce

from tournaments.engine.rulesets import PerSide, number_of
from tournaments.models import Game, Round, Table, Tournament, Write
from tournaments.queries.sheets import fold_sheet
from tournaments.services.play.confirming import Agreement, agreement_of
from tournaments.services.tournaments.clocks import seconds_left

SILENT = timedelta(minutes=10)
"""A table that writes nothing for so long is looked after."""

NEW_PHONE = timedelta(minutes=10)

TROUBLES = ("called", "over-time", "silent", "unconfirmed", "new-phone")
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


@dataclass(frozen=True, slots=True)
class Trouble:
    """What may be wrong at a table, by a code of `TROUBLES`.

    `seconds` is for how long, or since when; `seats` are those that have not confirmed.
    """

    code: str
    seconds: int = 0
    seats: tuple[int, ...] = ()

    @property
    def rank(self) -> int:
        """How urgent it is; 0 is the most."""
        return TROUBLES.index(self.code)


@dataclass(frozen=True, slots=True)
class Watched:
    """A table of a round: how far its game is, who wrote last and when, and what is wrong.

    `stand` is None once the game is over, `left` are the seconds of its clock.
    """

    table: Table
    row: Game
    stand: Stand | None
    totals: PerSide
    agreement: Agreement
    left: int | None
    last_at: datetime | None
    last_by: str
    troubles: tuple[Trouble, ...]

    @property
    def urgency(self) -> tuple[int, int]:
        """Where it stands among the tables, those first that need somebody."""
        first = min((trouble.rank for trouble in self.troubles), default=len(TROUBLES))
        return first, self.table.number


def watch_tables(tournament: Tournament, place: Round, at: datetime) -> list[Watched]:
    """The tables of a round, those first where something is wrong (3 queries)."""
    setting = tournament.event.confirmations
    games = _games(place)
    stands = _stands_of(game for game in games if game.result is None)
    tables = [
        _watched(game, stands.get(game.pk), agreement_of(game, setting, said), at)
        for game in games
        for said in [game.confirmations.all()]
    ]
    return sorted(tables, key=lambda each: each.urgency)


def _games(place: Round) -> Sequence[Game]:
    """The game of each table, with who wrote last and when."""
    last = Write.objects.filter(game=OuterRef("pk")).order_by("-revision")
    # Which phone it was would tell a director nothing.
    by = Case(When(author="", then=Coalesce("user__first_name", Value(""))), default="author")
    rows = Game.objects.filter(table__round=place).order_by("table__number", "pk")
    rows = (
        rows.select_related("table")
        .prefetch_related("confirmations")
        .annotate(
            last_at=Subquery(last.values("at")[:1]), last_by=Subquery(last.values_list(by)[:1])
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


def _watched(row: Game, stand: Stand | None, agreement: Agreement, at: datetime) -> Watched:
    table = row.table
    assert table is not None
    is_laid = table.round.published_at is not None
    left = seconds_left(table.round, at, table.extra_seconds) if is_laid else None
    return Watched(
        table=table,
        row=row,
        stand=stand,
        totals=_result(row) if stand is None else stand.totals,
        agreement=agreement,
        left=left,
        last_at=getattr(row, "last_at", None),
        last_by=getattr(row, "last_by", None) or "",
        troubles=tuple(_troubles(table, row, agreement, left, at)),
    )


def _result(row: Game) -> PerSide:
    return tuple(number_of(points) or 0 for points in (row.result or {})["totals"])


def _troubles(
    table: Table, row: Game, agreement: Agreement, left: int | None, at: datetime
) -> Iterator[Trouble]:
    """What may be wrong; in a round that is not open only what keeps it from closing."""
    going, is_open = row.result is None, table.round.is_open
    if table.called_at is not None:
        yield Trouble("called", _seconds(table.called_at, at))
    if going and is_open and left is not None and left < 0:
        yield Trouble("over-time", -left)
    since: datetime | None = getattr(row, "last_at", None) or table.round.opened_at
    if going and is_open and since is not None and at - since >= SILENT:
        yield Trouble("silent", _seconds(since, at))
    if not going and not agreement.enough:
        yield Trouble("unconfirmed", seats=agreement.missing)
    if row.taken_at is not None and is_open and at - row.taken_at < NEW_PHONE:
        yield Trouble("new-phone", _seconds(row.taken_at, at))


def _seconds(since: datetime, at: datetime) -> int:
    return max(0, int((at - since).total_seconds()))
