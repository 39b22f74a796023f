"""Sheets of games, reviews of deals, and the tables of a phone."""

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache, cached_property
from typing import Any, NamedTuple

from django.db import models
from django.db.models import F, Max, QuerySet

from tournaments.engine.documents.entries import parse_entry
from tournaments.engine.documents.games import GAME_FORMAT, digest_of_game
from tournaments.engine.documents.ruleset_records import write_ruleset
from tournaments.engine.play import games
from tournaments.engine.play.games import only_totals, play, share_of_unplayed
from tournaments.engine.play.outcomes import (
    Badge,
    Outcome,
    award,
    decide,
    write_badges,
    write_earned,
)
from tournaments.engine.rules.entries import Stake, Stopped, read_stake, write_points
from tournaments.engine.rules.rulesets import Code, InvalidEntry, Problem, Ruleset
from tournaments.engine.standings.tournament_settings import read_settings
from tournaments.engine.variants import RULESETS
from tournaments.models import Confirmation, Confirmations, DealReview, Game, Revision, User, fields
from tournaments.queries.rulesets import parsed_ruleset


class LaterEntryInvalid(Exception):
    """A change was refused because the entry at `position` (from 0) no longer fits."""

    def __init__(self, position: int, problems: Sequence[Problem]) -> None:
        self.position = position
        self.problems = tuple(problems)
        super().__init__(f"entry at position {position}: {InvalidEntry(problems)}")


@dataclass(frozen=True)
class Sheet:
    """A loaded game: its row, its revisions in order, and their fold.

    `positions[i]` is the position of the fold's entry `i`.
    """

    row: Game
    revisions: tuple[Revision, ...]
    positions: tuple[int, ...]
    game: games.Game

    @cached_property
    def outcome(self) -> Outcome:
        return decide(self.game)

    @cached_property
    def badges(self) -> tuple[Badge, ...]:
        return award(self.game)

    @cached_property
    def _versions(self) -> Mapping[int | None, list[Revision]]:
        found: dict[int | None, list[Revision]] = {}
        for write in self.revisions:
            found.setdefault(write.position, []).append(write)
        return found

    def versions(self, position: int) -> Sequence[Revision]:
        """Return every version of the entry at a position, the oldest first."""
        return tuple(self._versions.get(position, ()))

    def version(self, position: int | None) -> int:
        """Return the revision of the last write of an entry, or of the setup at None; 0 if none."""
        writes = self._versions.get(position)
        return writes[-1].revision if writes else 0

    def body(self, position: int) -> Mapping[str, Any] | None:
        """Return the current entry at a position; None if there is none or it was withdrawn."""
        versions = self._versions.get(position)
        body: Mapping[str, Any] | None = versions[-1].body if versions else None
        return body

    def after_change(self, write: Revision) -> "Sheet":
        """Return the sheet with any other revision: the whole game is folded again.

        Raises: LaterEntryInvalid: an entry does not fit those before it.
        """
        return fold_sheet(self.row, (*self.revisions, write))

    @property
    def record(self) -> dict[str, Any]:
        return record_of(self.row, self.revisions)


def record_of(row: Game, revisions: Iterable[Revision]) -> dict[str, Any]:
    head: dict[str, Any] = {
        "format": GAME_FORMAT,
        "ruleset": row.ruleset if row.document is None else write_ruleset(rules_of(row)),
        "options": row.options,
        "players": row.players,
        "first_declarer": row.first_declarer,
        # A moment just read from a file may have another offset than the database returns.
        "played_at": row.played_at.astimezone(UTC).isoformat(),
        "entries": list(current_bodies(revisions).values()),
    }
    optional = {"title": row.title, "place": row.place, "stake": row.stake}
    return head | {name: value for name, value in optional.items() if value}


def record_digest(row: Game, revisions: Sequence[Revision]) -> str:
    """Return the digest of a game's record; empty as long as nothing was written."""
    return digest_of_game(record_of(row, revisions)) if revisions else ""


def ruleset_of(row: Game) -> Ruleset:
    return rules_of(row).with_options(row.options)


def rules_of(row: Game) -> Ruleset:
    """Return the ruleset of a game without its options; house rules as at its start."""
    return RULESETS[row.ruleset] if row.document is None else parsed_ruleset(row.document)


def stake_of(row: Game) -> Stake | None:
    """Return what a game is played for; in games of earlier versions that is an option."""
    return read_stake(row.stake, ruleset_of(row).settings)


def result_of(sheet: Sheet) -> dict[str, Any] | None:
    """Return the result of a finished game as JSON; None while it goes on.

    Totals and ranks are per side. The others are lists of sides; `kings` has one for each King
    made. `contracts` and `badges` have the form of `engine.play.outcomes`: by seat, and by side.
    `by_totals` marks a game entered from paper: without a deal, and yet rated. `unplayed` is what
    each side of a stopped game lacks: `share_of_unplayed`. `stopped` says that a player left.
    """
    if not sheet.game.finished:
        return None
    by_totals = {"by_totals": True} if only_totals(sheet.game, rated=True) else {}
    share = share_of_unplayed(sheet.game)
    unplayed = {"unplayed": write_points(share)} if share else {}
    # Results that were stored before name no other reason.
    last = sheet.game.entries[sheet.game.ending.entry] if sheet.game.ending else None
    has_left = isinstance(last, Stopped) and last.reason == "left"
    return (
        by_totals
        | unplayed
        | ({"stopped": "left"} if has_left else {})
        | {
            "totals": [write_points(points) for points in sheet.game.totals],
            "ranks": list(sheet.outcome.ranks),
            "out": list(sheet.outcome.out),
            "sunk": list(sheet.outcome.sunk),
            "kings": sorted(badge.seat for badge in sheet.badges if badge.badge == "king"),
            "contracts": write_earned(sheet.game),
            "badges": write_badges(sheet.badges, sheet.game.ruleset.side_count),
        }
    )


def put_computed(sheet: Sheet) -> None:
    """Put what is computed from a sheet into its row: result and digest; it is not saved."""
    sheet.row.result = result_of(sheet)
    sheet.row.digest = record_digest(sheet.row, sheet.revisions)


@dataclass(slots=True)
class PhoneSeat:
    """The phone that has somebody's seat, and the one that asks for it since a time.

    `pen` is since when this seat asks to write the score (0: it does not), `given` whether the
    writing phone agrees, and `backs` the name of another seat whose request this one supports.
    `was` are the names that whoever sits here had before in this game.
    """

    name: str
    phone: str = ""
    asks: str = ""
    since: float = 0
    pen: float = 0
    given: bool = False
    backs: str = ""
    was: list[str] = field(default_factory=list)

    @property
    def state(self) -> str:
        return "asked" if self.asks else "taken" if self.phone else ""

    @property
    def request(self) -> str:
        """Return since when the seat asks to write, by which one request differs from the next."""
        return "given" if self.given else str(self.pen or "")


def phone_seats(row: Game) -> list[PhoneSeat]:
    """Return the phones at the seats of a game; whoever changes the seat keeps the phone."""
    stored = {phone["name"]: PhoneSeat(**phone) for phone in row.phones}
    return [stored.get(name) or PhoneSeat(name) for name in row.players]


def load_sheet(row: Game) -> Sheet:
    """Load a game with its revisions up to the revision of `row` (1 query)."""
    # Revisions added after `row` was read do not belong to it, and may need another setup.
    writes = tuple(Revision.objects.raw(_revisions_until(), [row.pk, row.revision]))
    for write in writes:
        write.game = row
    return fold_sheet(row, writes)


@cache
def _revisions_until() -> str:
    """Return the query for a game's revisions, compiled once: that takes as long as to run it."""
    rows = Revision.objects.filter(game=1, revision__lte=1).order_by("revision")
    statement, _params = rows.query.sql_with_params()
    return statement


def load_sheets(rows: Iterable[Game]) -> list[Sheet]:
    """Load several games with their revisions (1 query, and that of the rows)."""
    games = list(rows)
    in_order = models.Prefetch("revisions", Revision.objects.order_by("revision"))
    models.prefetch_related_objects(games, in_order)
    return [
        fold_sheet(row, tuple(w for w in row.revisions.all() if w.revision <= row.revision))
        for row in games
    ]


def fold_sheet(row: Game, writes: tuple[Revision, ...]) -> Sheet:
    """Return the sheet that results from `writes`.

    Raises: LaterEntryInvalid: an entry does not fit those before it.
    """
    bodies = current_bodies(writes)
    unsaved = {write.position for write in writes if write._state.adding}  # noqa: SLF001
    ruleset = ruleset_of(row)
    game = fold_bodies(ruleset, row.first_declarer, bodies.items(), unsaved)
    if stake := read_stake(row.stake, ruleset.settings):
        game = game._replace(stake=stake)
    return Sheet(row, writes, tuple(bodies), game)


def fold_bodies(
    ruleset: Ruleset,
    first_declarer: int,
    bodies: Iterable[tuple[int, Mapping[str, Any]]],
    unsaved: Container[int | None] = (),
) -> games.Game:
    """Return the game after the entries `(position, body)`.

    An entry that is stored already, at none of the positions `unsaved`, may have counts that
    earlier versions took although no cards give them.

    Raises: LaterEntryInvalid: the first entry that does not fit those before it.
    """
    game = games.Game(ruleset, first_declarer)
    for position, body in bodies:
        accepted = () if position in unsaved else (Code.INCONSISTENT_COUNTS, Code.COUNT_TOO_LARGE)
        try:
            game = play(game, parse_entry(body), accepted)
        except InvalidEntry as error:
            raise LaterEntryInvalid(position, error.problems) from error
    return game


def current_bodies(writes: Iterable[Revision]) -> dict[int, Mapping[str, Any]]:
    """Return the current entries by position, in ascending order."""
    latest = {write.position: write.body for write in writes if write.position is not None}
    return {position: body for position, body in sorted(latest.items()) if body is not None}


Kind = DealReview.Kind


@dataclass(frozen=True, slots=True)
class ReviewedDeal:
    """A played deal as it stands since a `revision`, and what was said of it.

    `entry` is its index in the game; `confirmers` are the seats that may confirm it.
    """

    position: int
    revision: int
    entry: int
    confirmers: tuple[int, ...]
    reviews: Mapping[str, DealReview]

    @property
    def last(self) -> DealReview | None:
        order = (Kind.SETTLED, Kind.DISPUTED, Kind.CONFIRMED)
        return next((self.reviews[kind] for kind in order if kind in self.reviews), None)

    @property
    def state(self) -> str:
        """Return the kind of its last review; `unconfirmed` without one."""
        return "unconfirmed" if self.last is None else self.last.kind

    @property
    def dispute(self) -> DealReview | None:
        """Return its dispute until a director settles it."""
        return self.reviews[Kind.DISPUTED] if self.state == Kind.DISPUTED else None


@dataclass(frozen=True, slots=True)
class ReviewedDeals:
    """The played deals of a sheet, by position; `minutes` is the time to correct confirmed ones."""

    minutes: int
    deals: Mapping[int, ReviewedDeal]

    def is_fixed(self, position: int, at: datetime) -> bool:
        """Return whether only a director may still change the deal at a position."""
        deal = self.deals.get(position)
        if deal is None or deal.state == "unconfirmed":
            return False
        if deal.state != Kind.CONFIRMED:
            return True
        return at >= deal.reviews[Kind.CONFIRMED].at + timedelta(minutes=self.minutes)


def load_reviews(sheet: Sheet) -> ReviewedDeals | None:
    """Load the reviews of a sheet; None if nobody confirms its deals (up to 2 queries)."""
    document = sheet.row.tournament_settings
    settings = None if document is None else read_settings(document)
    if settings is None or not settings.confirm_deals:
        return None
    by_revision: dict[int, dict[str, DealReview]] = {}
    for review in sheet.row.deal_reviews.all():
        by_revision.setdefault(review.revision, {})[review.kind] = review
    players: list[str] = sheet.row.players
    sides, first = sheet.game.ruleset.sides, sheet.game.declarer
    accounts: dict[int | None, int] = dict(sheet.row.seats.values_list("player__account", "number"))
    last = {write.position: write for write in sheet.revisions}
    deals = {}
    for played in sheet.game.deals:
        position = sheet.positions[played.entry]
        write = last[position]
        writer = None if write.user_id is None else accounts.get(write.user_id)
        if write.author in players:
            writer = players.index(write.author)
        # The opponents of the declarer who did not write the deal confirm it, the next declarer
        # first. Of two players, the declarer confirms what the opponent wrote.
        others = [seat for seat in range(len(sides)) if seat != writer]
        opponents = [seat for seat in others if sides[seat] != sides[played.declarer]]
        seats = tuple(sorted(opponents or others, key=lambda seat: (seat != first, seat)))
        reviews = by_revision.get(write.revision, {})
        deals[position] = ReviewedDeal(position, write.revision, played.entry, seats, reviews)
    return ReviewedDeals(settings.correct_minutes, deals)


def next_number(open_table_pk: int) -> int:
    """Return the number of the next game of a table, whose row the caller has locked."""
    games = Game.objects.filter(open_table=open_table_pk)
    return int(games.aggregate(last=Max("number"))["last"] or 0) + 1


def games_until(row: Game) -> list[Game]:
    """Return the games at the open table of a game up to it, in order (1 query)."""
    if row.open_table_id is None:
        return [row]
    games = Game.objects.filter(open_table=row.open_table_id, number__lte=row.number)
    return list(games.select_related("match").order_by("number"))


def last_game_after(row: Game) -> Game | None:
    """Return the last game that followed one at its table (1 query); at a club's, of its match."""
    if row.open_table_id is not None:
        later = Game.objects.filter(open_table=row.open_table_id, number__gt=row.number)
        return later.order_by("number").last()
    if row.match_id is None:
        return None
    later = Game.objects.filter(match=row.match_id, match_number__gt=row.match_number)
    return later.order_by("match_number").last()


MOST_ADDRESSES = 300
"""The number of addresses that a phone may ask for at once."""

ADDRESS = re.compile(r"/(follow|play)/([0-9a-z]{1,16})/([0-9A-Za-z_-]{1,64})/")
KINDS = {"follow": "follow", "play": "write"}


class Held(NamedTuple):
    """A game of a phone, and the kind of its address there: `follow` or `write`."""

    row: Game
    kind: str


def held_games(paths: Iterable[str]) -> list[Held]:
    """Return the games at these paths, the latest first (1 query); without those not valid."""
    wanted: dict[tuple[str, str], str] = {}
    for path in list(paths)[:MOST_ADDRESSES]:
        if found := ADDRESS.fullmatch(path):
            wanted[found[2], KINDS[found[1]]] = found[3]
    rows = _games().in_bulk({public_id for public_id, _ in wanted}, field_name="public_id")
    held = [
        Held(row, kind)
        for (public_id, kind), secret in wanted.items()
        if (row := rows.get(public_id))
        and fields.matches(secret, kind, public_id, row.generation(kind))
    ]
    return sorted(held, key=lambda held: (held.row.played_at, held.row.pk), reverse=True)


def saved_games(user: User) -> QuerySet[Game]:
    """Return the games that an account keeps, the latest first (1 query)."""
    mine = {"saved_by__user": user, "saved_by__generation": F("follow_generation")}
    return _games().filter(**mine).order_by("-played_at", "-pk")[:MOST_ADDRESSES]


def _games() -> QuerySet[Game]:
    return Game.objects.select_related("open_table")


@dataclass(frozen=True, slots=True)
class Agreement:
    """The state of confirmation: the seats that have confirmed, and the number required."""

    confirmed: tuple[int, ...]
    needed: int
    seats: int

    @property
    def enough(self) -> bool:
        return len(self.confirmed) >= self.needed

    @property
    def missing(self) -> tuple[int, ...]:
        return tuple(seat for seat in range(self.seats) if seat not in self.confirmed)


def agreement_of(row: Game, setting: str, confirmations: Iterable[Confirmation]) -> Agreement:
    """Return the confirmations of a game known to be finished, without reading its sheet."""
    seats = len(row.players)
    needed = {Confirmations.NONE: 0, Confirmations.TWO: 2}.get(Confirmations(setting), seats)
    now = (given.seat for given in confirmations if given.revision == row.revision)
    return Agreement(tuple(sorted(now)), min(needed, seats), seats)
