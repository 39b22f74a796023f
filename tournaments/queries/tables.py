"""The tables of a round, for directors and on the wall, its line-ups, rulings and figures."""

from collections import OrderedDict, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from itertools import groupby
from typing import Any, TypeVar

from django.db.models import (
    Case,
    Count,
    Exists,
    F,
    FilteredRelation,
    Model,
    OuterRef,
    Q,
    Value,
    When,
)
from django.db.models.base import ModelState
from django.db.models.functions import Coalesce
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from tournaments.engine.play.games import PlayedDeal, times_of
from tournaments.engine.rules.rulesets import PerSide, Points, Ruleset, number_of
from tournaments.engine.standings.results import PENALTY, Ruling
from tournaments.engine.standings.tournament_settings import read_settings
from tournaments.models import (
    Confirmation,
    DealReview,
    Entrant,
    Game,
    Revision,
    Round,
    Seat,
    Sitting,
    Table,
    Tournament,
)
from tournaments.queries.sheets import Agreement, agreement_of, fold_sheet
from tournaments.queries.standings import last_closed, stages_reached
from tournaments.queries.state import TournamentState, seconds_left
from tournaments.texts.labels import contract_symbol, contract_title


def measure_text(value: Points) -> str:
    """Return a measured value of a seating, with one decimal unless it is whole."""
    if value == int(value):
        return str(int(value))
    return number_format(Decimal(value.numerator) / value.denominator, 1, use_l10n=True)


OfGame = TypeVar("OfGame", Confirmation, DealReview)
AnyRow = TypeVar("AnyRow", bound=Model)

SILENT = timedelta(minutes=10)
"""A table without an entry for this long may have a problem."""

NEW_PHONE = timedelta(minutes=10)

TROUBLES = ("called", "disputed", "left", "over-time", "silent", "unconfirmed", "new-phone")
"""Possible problems at a table, the most urgent first."""


@dataclass(frozen=True, slots=True)
class SmallRow:
    """A row of a sheet in small: its points per side, and the deal (None: an adjustment).

    `number` says which deal of its contract it is.
    """

    ruleset: Ruleset
    points: PerSide
    played: PlayedDeal | None = None
    number: int = 0

    @property
    def symbol(self) -> str:
        if self.played is None:
            return "±"
        trump = self.played.deal.details.get("trump")
        return contract_symbol(self.ruleset, self.played.contract.id, trump, self.number)

    @property
    def name(self) -> str:
        if self.played is None:
            return _("Adjustment")
        return contract_title(self.ruleset, self.played.contract.id)


MOST_KNOWN = 2000
_known_progress: OrderedDict[tuple[str, int], dict[str, Any]] = OrderedDict()
"""Cached progress of sheets, by game and revision; an entry never becomes stale.

Folding the sheets of 250 tables takes half a second, and directors poll every few seconds.
"""


@dataclass(frozen=True, slots=True)
class Trouble:
    """A possible problem at a table, by a code of `TROUBLES`.

    `seconds` is its duration, or the time since it began; `seats` are those that have not
    confirmed, that dispute a deal, or whose players have withdrawn.
    """

    code: str
    seconds: int = 0
    seats: tuple[int, ...] = ()

    @property
    def rank(self) -> int:
        return TROUBLES.index(self.code)


@dataclass(frozen=True, slots=True)
class Watched:
    """A table of a round: its game's progress, last author and time, and its problems.

    `progress` is None once the game is over; `left` is the time left on its clock, in seconds.
    """

    table: Table
    row: Game
    progress: dict[str, Any] | None
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
    """Return the tables of a round, those with problems first (3 queries, and 2 more at most)."""
    setting = tournament.event.confirmations
    games = _games(round_)
    confirmations = _by_game(Confirmation.objects.filter(game__table__round=round_))
    disputes: Mapping[int, list[DealReview]] = {}
    if read_settings(tournament.settings).confirm_deals:
        open_ones = DealReview.objects.open_disputes()
        disputes = _by_game(open_ones.filter(game__table__round=round_))
    left_seats = _left_seats(round_) if round_.closed_at is None else {}
    progresses = progress_of(game for game in games if game.result is None)
    watched = []
    for game in games:
        table = game.table
        assert table is not None
        progress = progresses.get(game.pk)
        agreement = agreement_of(game, setting, confirmations.get(game.pk, ()))
        is_laid = round_.published_at is not None
        left = seconds_left(round_, at, table.extra_seconds) if is_laid else None
        watched.append(
            Watched(
                table=table,
                row=game,
                progress=progress,
                totals=totals_of(game) if progress is None else progress["totals"],
                agreement=agreement,
                left=left,
                last_at=getattr(game, "last_at", None),
                last_by=getattr(game, "last_by", None) or "",
                troubles=tuple(
                    _troubles(
                        game,
                        agreement,
                        disputes.get(game.pk, ()),
                        left_seats.get(game.pk, ()),
                        left=left,
                        at=at,
                    )
                ),
            )
        )
    return sorted(watched, key=lambda row: row.urgency)


SHOWN = (
    "id", "public_id", "ruleset", "document", "options", "players", "first_declarer", "revision",
    "stake", "write_generation", "follow_generation", "taken_at", "result", "table_id",
    "last_at", "last_by",
)  # fmt: skip
SHOWN_OF_TABLE = ("id", "round_id", "public_id", "number", "called_at", "extra_seconds")
"""Columns that a table's line, key or folded sheet asks for; the others are read when asked for."""


def _games(round_: Round) -> Sequence[Game]:
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


def progress_of(games: Iterable[Game]) -> dict[int, dict[str, Any]]:
    """Return the progress of unfinished games (1 query), without folding cached sheets again."""
    rows = list(games)
    # Read each entry only once: another thread may be clearing the cache.
    found = {row.pk: _known_progress.get((row.public_id, row.revision)) for row in rows}
    writes: dict[int, list[Revision]] = defaultdict(list)
    missing = [row for row in rows if found[row.pk] is None]
    for write in Revision.objects.filter(game__in=missing).order_by("revision"):
        writes[write.game_id].append(write)
    for row in missing:
        seen = (write for write in writes[row.pk] if write.revision <= row.revision)
        game = fold_sheet(row, tuple(seen)).game
        played = {deal.entry: (deal, time) for deal, time in times_of(game)}
        small = tuple(
            SmallRow(game.ruleset, line.points, *played.get(line.entry, ())) for line in game.rows
        )
        progress = {"deals": len(game.deals), "totals": game.totals, "rows": small}
        found[row.pk] = _known_progress[row.public_id, row.revision] = progress
    while len(_known_progress) > MOST_KNOWN:
        _known_progress.popitem(last=False)
    return {pk: progress for pk, progress in found.items() if progress is not None}


def furthest_behind(round_: Round) -> tuple[int, int] | None:
    """Return the number of the table that has written least, and its deal (up to 2 queries)."""
    written = Count("revisions", filter=Q(revisions__kind=Revision.Kind.ENTRY))
    taken_off = Count("revisions", filter=Q(revisions__kind=Revision.Kind.WITHDRAWAL))
    games = Game.objects.filter(table__round=round_, result__isnull=True)
    rows = games.select_related("table").alias(entries=written - taken_off)
    game = rows.order_by("entries", "table__number").first()
    if game is None or game.table is None:
        return None
    return game.table.number, progress_of([game])[game.pk]["deals"] + 1


def totals_of(row: Game) -> PerSide:
    return tuple(number_of(points) or 0 for points in (row.result or {})["totals"])


def _left_seats(round_: Round) -> dict[int, list[int]]:
    """Return the seats of those who have withdrawn in games that go on, by game (1 query)."""
    gone = Sitting.objects.filter(
        Q(entrant__player=OuterRef("player")) | Q(entrant__partner=OuterRef("player")),
        table=OuterRef("game__table"),
        entrant__withdrawn_at__isnull=False,
    )
    rows = Seat.objects.filter(Exists(gone), game__table__round=round_, game__result__isnull=True)
    found: dict[int, list[int]] = defaultdict(list)
    for game, number in rows.order_by("number").values_list("game", "number"):
        found[game].append(number)
    return found


def _troubles(  # noqa: PLR0913 - all that can be wrong
    row: Game,
    agreement: Agreement,
    disputes: Sequence[DealReview],
    gone: Sequence[int],
    *,
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
        seats = tuple(sorted({review.seat for review in disputes if review.seat is not None}))
        yield Trouble("disputed", _seconds(disputes[0].at, at), seats)
    if gone and table.round.closed_at is None:
        yield Trouble("left", seats=tuple(gone))
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


@dataclass(frozen=True, slots=True)
class TeamLineUp:
    """A team in a round; `size` players are to play. It may be `named`, or as in the last round."""

    team: str
    size: int
    named: bool
    members: tuple[dict[str, Any], ...]

    @property
    def players(self) -> tuple[Entrant, ...]:
        return tuple(member["entrant"] for member in self.members if member["plays"])

    @property
    def reserves(self) -> tuple[Entrant, ...]:
        return tuple(member["entrant"] for member in self.members if not member["plays"])

    @property
    def absent(self) -> list[dict[str, Any]]:
        return [member for member in self.members if member["plays"] and member["absence"]]

    @property
    def here(self) -> int:
        return len(self.players) - len(self.absent)

    @property
    def missing(self) -> int:
        return self.size - self.here


def line_ups_of(state: TournamentState, number: int) -> list[TeamLineUp]:
    if not state.has_line_ups(number):
        return []
    seated = [r for r in state.seated_rounds if r.row.number == number and r.row.published_at]
    tables = {key: t.number for drawn in seated for t in drawn.tables for key in t.entrants}

    def member(key: str, players: tuple[str, ...]) -> dict[str, Any]:
        entrant = state.entrants[key]
        reason = "" if seated and key in players else state.absence(entrant, number)
        absence = "" if reason == "reserve" else reason
        return {
            "entrant": entrant,
            "plays": key in players,
            "absence": absence,
            "table": tables.get(key),
        }

    named = state.tournament.line_ups.get(str(number), {})
    return [
        TeamLineUp(
            team,
            state.settings.line_up,
            bool(seated) or team in named,
            tuple(member(key, players) for key in state.teams[team]),
        )
        for team, players in state.line_ups(number).items()
    ]


def short_teams(state: TournamentState, number: int) -> list[TeamLineUp]:
    return [team for team in line_ups_of(state, number) if team.missing > 0]


def filling_of(state: TournamentState, number: int) -> dict[str, Any]:
    """Return how the tables of a round that is not seated yet will be filled."""
    playing = sum(not entrant.house for entrant in state.here(number))
    size = state.rules.side_count
    house = state.house_wanted(playing, 0, size - 1) if state.settings.odd == "house" else 0
    tables, byes = divmod(playing + house, size)
    return {"players": playing, "tables": tables, "byes": byes, "house": house}


def ruling_effect(state: TournamentState, number: int, ruling: Ruling) -> dict[str, Any]:
    """Return the effect of a ruling on a published round, on the sum to which the round belongs."""
    last, cut = len(state.results), state.settings.rounds
    if not state.settings.carry and number <= cut:
        last = min(last, cut)
    results = list(state.results)
    at = next(at for at, result in enumerate(results) if result.number == number)
    # A ruling replaces others unless it is a penalty.
    others = [
        other
        for other in results[at].rulings
        if other.entrant != ruling.entrant or PENALTY in (ruling.kind, other.kind)
    ]
    results[at] = replace(results[at], rulings=(*others, ruling))
    ruled = replace(state, results=tuple(results))
    rows = {row.entrant: row for row in state.standings_before(last + 1)}
    after = {row.entrant: row for row in ruled.standings_before(last + 1)}[ruling.entrant].points
    before = rows[ruling.entrant].points
    sums = [abs(Fraction(row.points)) for row in rows.values()]
    # Before anybody has points, the most that a game is worth; 0 if its points have no limit.
    of_game: dict[str, tuple[Points, ...]]
    of_game = {"places": state.settings.place_points[:1], "out": (1,)}
    worth = of_game.get(state.settings.points, ())
    most = max(sums, default=Fraction(0)) or Fraction(worth[0] if worth else 0)
    return {"before": before, "after": after, "large": 0 < most < abs(Fraction(after) - before)}


MOST_PLACES = 24


def displayed_round(state: TournamentState) -> Round | None:
    """Return the published round that is not over, or else the last published one."""
    published = [drawn.row for drawn in state.seated_rounds if drawn.row.published_at is not None]
    going = (round_ for round_ in published if round_.closed_at is None)
    return next(going, published[-1] if published else None)


def seated(
    state: TournamentState, round_: Round, going: Collection[int] | None = None
) -> list[dict[str, Any]]:
    """Return the tables of a round; those not in `going` are finished, unless it is None."""
    found = state.seating_of(round_)
    tables = []
    for table in found.tables:
        sides = [_names(state, key, round_.number) for key in table.entrants]
        waiting = [list(names) for names in sides]
        players = enumerate((waiting[side].pop(0) for side in state.rules.sides), 1)
        finished = going is not None and table.number not in going
        section = state.section_at(table.entrants)
        tables.append(
            {
                "number": table.number,
                "names": _joined(sides),
                "players": tuple(players),
                "finished": finished,
                "section": section,
            }
        )
    if found.byes:
        out = [_names(state, key, round_.number) for key in found.byes]
        players_out = tuple((None, name) for names in out for name in names)
        tables.append(
            {
                "number": None,
                "names": _joined(out),
                "players": players_out,
                "finished": False,
                "section": "",
            }
        )
    return tables


def top_places(state: TournamentState) -> list[dict[str, Any]]:
    """Return the leaders of each section after the last closed public round."""
    after = last_closed(state, directs=False)
    if not after:
        return []
    sections = groupby(state.standings_before(after + 1), lambda row: row.section)
    stages = stages_reached(state, after)
    return [
        {
            "rank": row.place,
            "name": state.entrants[row.entrant].shown_name,
            "points": row.points,
            "stage": at.stage if (at := stages.get(row.entrant)) else "",
            "through": at is not None and at.through,
            "section": row.section,
            "of": len(rows),
        }
        for rows in (list(rows) for _section, rows in sections)
        for row in rows[:MOST_PLACES]
    ]


def still_playing(round_: Round) -> list[int]:
    """Return the numbers of the tables whose games go on (1 query)."""
    going = Game.objects.filter(table__round=round_, result__isnull=True)
    return list(going.order_by("table__number").values_list("table__number", flat=True))


def _names(state: TournamentState, key: str, number: int) -> list[str]:
    entrant = state.entrants[key]
    players = state.players_of(entrant, number)
    return [player.shown_name or f"№ {entrant.number}" for player in players]


def _joined(sides: Iterable[list[str]]) -> tuple[str, ...]:
    return tuple(" + ".join(names) for names in sides)
