"""Matches: start, next game, score."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from tournaments.engine.play import games as engine
from tournaments.engine.rules.entries import Adjustment
from tournaments.engine.rules.rulesets import (
    MOST_GAMES_AT_TABLE,
    Code,
    InvalidEntry,
    Points,
    Problem,
    Ruleset,
)
from tournaments.models import AuditEntry, Event, Game, Match, OpenTable, Seat, Table
from tournaments.models.games import digest
from tournaments.queries.games.sheets import Sheet, load_sheets, next_number, ruleset_of
from tournaments.services.audit import NOBODY, Actor, Change, note_change
from tournaments.services.base.refusals import Refused
from tournaments.services.games.playing import GameSetup, record_entries, start_game
from tournaments.services.games.writing import NotFinished, WriteContext, round_for_writing
from tournaments.services.people.players import lock_people


class TableFull(Refused, code="too-many-games"):
    sentence = _("A table takes at most %(most)s games: begin at a new one.")


class MatchOver(Refused, code="match-over"):
    sentence = _("The match is over.")


@dataclass(frozen=True)
class MatchSoFar:
    """A match with the sheets of its games, in order; the score is computed from them."""

    row: Match
    sheets: Sequence[Sheet]

    @cached_property
    def score(self) -> engine.Match:
        """Return games won, points carried, and the winner."""
        rules = self.rules
        assert rules.target is not None
        totals = [sheet.game.totals for sheet in self.sheets if sheet.game.finished]
        return engine.play_match(rules.side_count, totals, rules.target, self.terms)

    @property
    def terms(self) -> engine.Terms:
        """Return the length of the match; laps and slam are those of the first game."""
        laps, slam = (bool(self.rules.settings.get(name)) for name in ("laps", "slam"))
        return engine.Terms(self.row.length, self.row.number, laps, slam)

    @property
    def rules(self) -> Ruleset:
        """Return the ruleset of the match with its options: that of its first game."""
        return ruleset_of(self.sheets[0].row)

    def after(self, game: Game) -> Game | None:
        """Return the game after another one; None if it does not exist yet."""
        later = [s.row for s in self.sheets if (s.row.match_number or 0) > (game.match_number or 0)]
        return later[0] if later else None


def load_match(match: Match) -> MatchSoFar:
    """Load a match with the sheets of all its games (2 queries)."""
    return MatchSoFar(match, load_sheets(match.games.order_by("match_number")))


def start_match(
    head: GameSetup, length: str, number: int, *, at: datetime, key: str | None = None
) -> Game:
    """Open a table for the first game of a match. Idempotent for one `key`.

    Raises:
        InvalidEntry: an invalid setup, or a ruleset without a target; nothing is written.
        ValueError: unknown length, or a number below 1.
    """
    engine.Terms(length, number)
    with transaction.atomic():
        row = start_game(head, at=at, key=key and f"{key} {length} {number}")
        if ruleset_of(row).target is None:
            raise InvalidEntry([Problem(Code.UNKNOWN_OPTION, "match", {"option": "match"})])
        row = Game.objects.select_for_update().get(pk=row.pk)
        if row.match is None:
            row.match = Match.objects.create(length=length, number=number, created_at=at)
            row.match_number = 1
            row.save(update_fields=["match", "match_number"])
    return row


def start_next_game(
    game_pk: int, *, at: datetime, key: str, reason: str, by: Actor = NOBODY
) -> tuple[Game, bool]:
    """Open the next game of a match; the next seat begins.

    At a club's table the same players sit at it.

    Carried points are recorded with `reason`. Return the game, and whether it was opened with
    this `key`; if not, another phone has opened it meanwhile.

    Raises:
        MatchOver, TableFull: the match is decided, or has as many games as a table takes.
        NotFinished: the game is not finished.
        Match.DoesNotExist: the game belongs to no match, or was deleted.
        RoundClosed: the round of a club's table is closed, and `by` is no director.
    In each case nothing is written.
    """
    with transaction.atomic():
        lock_table_of(game_pk)
        # The lock makes two phones queue up; without it both would open a game.
        row = Match.objects.select_for_update().get(games=game_pk)
        match = load_match(row)
        before = next(sheet for sheet in match.sheets if sheet.row.pk == game_pk)
        after, start_key = match.after(before.row), digest(f"after {game_pk} {key}")
        if after is not None:
            return after, after.start_key == start_key
        if not before.game.finished:
            raise NotFinished
        if match.score.over:
            raise MatchOver
        round_ = round_for_writing(before.row, by)
        game = _copy_table(before.row, at, start_key)
        _write_carried(game, match, reason, at, by)
        if round_ is not None:
            note_next_game(round_.event, game, by, at=at)
    return game, True


def note_next_game(event: Event, game: Game, by: Actor, *, at: datetime) -> None:
    """Add an audit entry that a game was started at a club's table."""
    change = Change(AuditEntry.Kind.EVENT, "next-game", f"game:{game.public_id}", event=event)
    note_change(event.club, change, by, at=at)


def lock_table_of(game_pk: int) -> None:
    """Lock the table; of a club also its people, since renaming a player changes existing games.

    Closing the round waits for the previous game, which is locked with its match.
    """
    table = Table.objects.filter(games=game_pk).select_related("round__event").first()
    if table is not None:
        lock_people(table.round.event.club_id)
        # The new game refers to the table: replacing or removing one locks the table, then games.
        Table.objects.select_for_update(no_key=True).filter(pk=table.pk).first()
    OpenTable.objects.select_for_update(no_key=True).filter(games=game_pk).first()


def _copy_table(row: Game, at: datetime, start_key: str) -> Game:
    """Create the next game at the same table: rules as the match began, the next seat begins."""
    copied = (
        "ruleset",
        "document",
        "options",
        "players",
        "resting",
        "title",
        "place",
        "match",
        "table",
    )
    open_table = row.open_table_id
    number = None if open_table is None else number_of_next(open_table)
    if (row.match_number or 0) >= MOST_GAMES_AT_TABLE:
        raise TableFull({"most": MOST_GAMES_AT_TABLE})
    game = Game.objects.create(
        **{name: getattr(row, name) for name in copied},
        first_declarer=(row.first_declarer + 1) % len(row.players),
        match_number=(row.match_number or 0) + 1,
        open_table_id=open_table,
        number=number,
        played_at=at,
        start_key=start_key,
    )
    copy_seats(row, game)
    return game


def number_of_next(open_table_pk: int) -> int:
    """Return the number of the next game of a locked table.

    Raises:
        TableFull: it has as many as a table takes.
    """
    number = next_number(open_table_pk)
    if number > MOST_GAMES_AT_TABLE:
        raise TableFull({"most": MOST_GAMES_AT_TABLE})
    return number


def copy_seats(row: Game, to: Game) -> None:
    """Seat the players of a club's game in the next one at its table."""
    for seat in row.seats.all():
        Seat.objects.create(game=to, number=seat.number, player_id=seat.player_id)


def _write_carried(row: Game, match: MatchSoFar, reason: str, at: datetime, by: Actor) -> None:
    entries = [
        Adjustment(seat, points, reason) for seat, points in _carried(match, match.rules.sides)
    ]
    record_entries(row.pk, entries, WriteContext("carried-on", 0, at, by=by))
    row.refresh_from_db()


def _carried(match: MatchSoFar, sides: Sequence[int]) -> list[tuple[int, Points]]:
    """Return the first seat and the points of each side that starts with points."""
    carry = enumerate(match.score.carry)
    return [(sides.index(side), points) for side, points in carry if points]
