"""The tables of a round for directors: their progress and possible problems."""

from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeVar

from django.db.models import Case, F, FilteredRelation, Model, Q, Value, When
from django.db.models.base import ModelState
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _

from tournaments.engine.play.games import PlayedDeal
from tournaments.engine.rules.rulesets import PerSide, number_of
from tournaments.engine.standings.tournament_settings import read_settings
from tournaments.models import Confirmation, DealReview, Game, Revision, Round, Table, Tournament
from tournaments.queries.games.sheets import Archived, fold_sheet
from tournaments.services.games.confirming import Agreement, agreement_of
from tournaments.services.rounds.clocks import seconds_left
from tournaments.texts.labels import contract_symbol, contract_title

OfGame = TypeVar("OfGame", Confirmation, DealReview)
AnyRow = TypeVar("AnyRow", bound=Model)

SILENT = timedelta(minutes=10)
"""A table without an entry for this long may have a problem."""

NEW_PHONE = timedelta(minutes=10)

TROUBLES = ("called", "disputed", "over-time", "silent", "unconfirmed", "new-phone")
"""Possible problems at a table, the most urgent first."""


@dataclass(frozen=True, slots=True)
class SmallRow:
    """A row of a sheet in small: its points per side, and the deal (None: an adjustment)."""

    points: PerSide
    played: PlayedDeal | None

    @property
    def symbol(self) -> str:
        if self.played is None:
            return "±"
        contract, trump = self.played.contract, self.played.deal.details.get("trump")
        return contract_symbol(contract.id, trump, contract.name)

    @property
    def name(self) -> str:
        return contract_title(self.played.contract) if self.played else _("Adjustment")


@dataclass(frozen=True, slots=True)
class TableProgress:
    """The progress of an unfinished game: whole deals, points per side, and its rows."""

    deals: int
    totals: PerSide
    rows: tuple[SmallRow, ...]


MOST_KNOWN = 2000
_known_progress: OrderedDict[tuple[str, int], TableProgress] = OrderedDict()
"""Cached progress of sheets, by game and revision; an entry never becomes stale.

Folding the sheets of 250 tables takes half a second, and directors poll every few seconds.
"""


@dataclass(frozen=True, slots=True)
class Trouble:
    """A possible problem at a table, by a code of `TROUBLES`.

    `seconds` is its duration, or the time since it began; `seats` are those that have not
    confirmed, or that dispute a deal.
    """

    code: str
    seconds: int = 0
    seats: tuple[int, ...] = ()

    @property
    def rank(self) -> int:
        """Return the urgency; 0 is the most urgent."""
        return TROUBLES.index(self.code)


@dataclass(frozen=True, slots=True)
class Watched:
    """A table of a round: its game's progress, last author and time, and its problems.

    `progress` is None once the game is over; `left` is the time left on its clock, in seconds.
    """

    table: Table
    row: Game
    progress: TableProgress | None
    totals: PerSide
    agreement: Agreement
    left: int | None
    last_at: datetime | None
    last_by: str
    troubles: tuple[Trouble, ...]

    @property
    def urgency(self) -> tuple[int, int]:
        """Return the sort key that puts the tables that need help first."""
        first = min((trouble.rank for trouble in self.troubles), default=len(TROUBLES))
        return first, self.table.number


def watch_tables(tournament: Tournament, round_: Round, at: datetime) -> list[Watched]:
    """Return the tables of a round, those with problems first (3 queries, or 4)."""
    setting = tournament.event.confirmations
    games = _games(round_)
    said = _by_game(Confirmation.objects.filter(game__table__round=round_))
    disputes: Mapping[int, list[DealReview]] = {}
    if read_settings(tournament.settings).confirm_deals:
        open_ones = DealReview.objects.open_disputes()
        disputes = _by_game(open_ones.filter(game__table__round=round_))
    progresses = _progress_of(game for game in games if game.result is None)
    tables = [
        _watched(
            game,
            progresses.get(game.pk),
            agreement_of(game, setting, said.get(game.pk, ())),
            disputes.get(game.pk, ()),
            at,
        )
        for game in games
    ]
    return sorted(tables, key=lambda each: each.urgency)


SHOWN = (
    "id", "public_id", "ruleset", "document", "options", "players", "first_declarer", "revision",
    "write_generation", "follow_generation", "taken_at", "result", "table_id",
    "last_at", "last_by",
)  # fmt: skip
SHOWN_OF_TABLE = ("id", "round_id", "public_id", "number", "called_at", "extra_seconds")
"""Columns that a table's line, key or folded sheet asks for; the others are read when asked for."""


def _games(round_: Round) -> Sequence[Game]:
    """Return the game of each table, with the author and time of its last revision."""
    last = FilteredRelation("revisions", condition=Q(revisions__revision=F("revision")))
    # A director has no use for the number of the phone.
    account = Coalesce("last__user__first_name", Value(""))
    by = Case(When(last__author="", then=account), default="last__author")
    rows = Game.objects.filter(table__round=round_).order_by("table__number", "pk")
    rows = rows.annotate(last=last).annotate(last_at=F("last__at"), last_by=by)
    of_table = [f"table__{name}" for name in SHOWN_OF_TABLE]
    games = []
    for row in rows.values_list(*SHOWN, *of_table):
        table = _made(Table, SHOWN_OF_TABLE, row[len(SHOWN) :], round=round_)
        games.append(_made(Game, SHOWN, row[: len(SHOWN)], table=table))
    return games


def _made(
    model: type[AnyRow], names: Sequence[str], values: Sequence[object], **related: Model
) -> AnyRow:
    """Return a stored row with these columns alone: Django makes one in five times as long."""
    row, state = model.__new__(model), ModelState()
    state.adding, state.fields_cache = False, related
    row.__dict__ |= {"_state": state, **dict(zip(names, values, strict=True))}
    return row


def _by_game(rows: Iterable[OfGame]) -> dict[int, list[OfGame]]:
    """Return rows by their game: prefetched for each of 250 games they take longer."""
    found: dict[int, list[OfGame]] = defaultdict(list)
    for row in rows:
        found[row.game_id].append(row)
    return found


def _progress_of(games: Iterable[Game]) -> dict[int, TableProgress]:
    """Return the progress of unfinished games (1 query), without folding cached sheets again."""
    rows = list(games)
    # Read each entry only once: another thread may be clearing the cache.
    found = {row.pk: _known_progress.get((row.public_id, row.revision)) for row in rows}
    writes: dict[int, list[Revision]] = defaultdict(list)
    missing = [row for row in rows if found[row.pk] is None]
    for write in Revision.objects.filter(game__in=missing).order_by("revision"):
        writes[write.game_id].append(write)
    for row in missing:
        if row.revision and not writes[row.pk]:
            raise Archived
        seen = (write for write in writes[row.pk] if write.revision <= row.revision)
        game = fold_sheet(row, tuple(seen)).game
        played = {deal.entry: deal for deal in game.deals}
        small = tuple(SmallRow(each.points, played.get(each.entry)) for each in game.rows)
        progress = TableProgress(len(game.deals), game.totals, small)
        found[row.pk] = _known_progress[row.public_id, row.revision] = progress
    while len(_known_progress) > MOST_KNOWN:
        _known_progress.popitem(last=False)
    return {pk: progress for pk, progress in found.items() if progress is not None}


def _watched(
    row: Game,
    progress: TableProgress | None,
    agreement: Agreement,
    disputes: Sequence[DealReview],
    at: datetime,
) -> Watched:
    table = row.table
    assert table is not None
    is_laid = table.round.published_at is not None
    left = seconds_left(table.round, at, table.extra_seconds) if is_laid else None
    return Watched(
        table=table,
        row=row,
        progress=progress,
        totals=_result(row) if progress is None else progress.totals,
        agreement=agreement,
        left=left,
        last_at=getattr(row, "last_at", None),
        last_by=getattr(row, "last_by", None) or "",
        troubles=tuple(_troubles(row, agreement, disputes, left, at)),
    )


def _result(row: Game) -> PerSide:
    return tuple(number_of(points) or 0 for points in (row.result or {})["totals"])


def _troubles(
    row: Game,
    agreement: Agreement,
    disputes: Sequence[DealReview],
    left: int | None,
    at: datetime,
) -> Iterator[Trouble]:
    """Yield possible problems; in a round that is not open, only those that block closing it."""
    table = row.table
    assert table is not None
    going, is_open = row.result is None, table.round.is_open
    if table.called_at is not None:
        yield Trouble("called", _seconds(table.called_at, at))
    if disputes:
        seats = tuple(sorted({each.seat for each in disputes if each.seat is not None}))
        yield Trouble("disputed", _seconds(disputes[0].at, at), seats)
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
