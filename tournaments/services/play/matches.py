"""Matches: beginning one, its next game, and how it stands."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from django.db import transaction

from tournaments.engine import matches as engine
from tournaments.engine.entry_records import write_points
from tournaments.engine.problems import Code, InvalidEntry, Problem
from tournaments.engine.rulesets import Points, Ruleset
from tournaments.models import AuditLine, Game, Match, Seat, Table
from tournaments.models.play import digest
from tournaments.queries.rulesets import ruleset_of
from tournaments.queries.sheets import Sheet, load_sheets
from tournaments.services.auditing import NOBODY, Actor, Change, note_change
from tournaments.services.people.players import lock_people
from tournaments.services.play.playing import Head, record_entries, start_game
from tournaments.services.play.writing import Pen, place_for_writing


class MatchOver(Exception):
    """No further game of the match is played."""


class GameGoesOn(Exception):
    """The last game of the match is not finished."""


@dataclass(frozen=True)
class MatchSoFar:
    """A match with the sheets of its games, in order; the score is computed from them."""

    row: Match
    sheets: Sequence[Sheet]

    @cached_property
    def score(self) -> engine.Match:
        """Games won, what is carried, and who has won."""
        rules = self.rules
        assert rules.target is not None
        totals = [sheet.game.totals for sheet in self.sheets if sheet.game.finished]
        return engine.play_match(rules.side_count, totals, rules.target, self.terms)

    @property
    def terms(self) -> engine.Terms:
        """What is played to; laps and slam as the first game has them."""
        laps, slam = (bool(self.rules.settings.get(name)) for name in ("laps", "slam"))
        return engine.Terms(self.row.length, self.row.number, laps, slam)

    @property
    def rules(self) -> Ruleset:
        """The ruleset of the match, with its options: that of its first game."""
        return ruleset_of(self.sheets[0].row)

    def after(self, game: Game) -> Game | None:
        """The game that was played after another one; None where there is none yet."""
        later = [s.row for s in self.sheets if (s.row.match_number or 0) > (game.match_number or 0)]
        return later[0] if later else None


def load_match(match: Match) -> MatchSoFar:
    """A match with the sheets of all its games (2 queries)."""
    return MatchSoFar(match, load_sheets(match.games.order_by("match_number")))


def start_match(
    head: Head, length: str, number: int, *, at: datetime, key: str | None = None
) -> Game:
    """Open a table for the first game of a match; twice with one `key`, it is opened once.

    Raises:
        InvalidEntry: a head that cannot be, or a game that has no target; nothing is written.
        ValueError: there is no such length, or the number is below 1.
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


def start_rematch(
    game_pk: int, head: Head, terms: tuple[str, int] | None, *, at: datetime, key: str
) -> tuple[Game, bool]:
    """Open the rematch of a game at an open table: a game, or a match with these `terms`.

    A game has one rematch. Gives it, and whether it was opened with this `key`: with another one
    it is the game that someone has opened meanwhile.

    Raises:
        InvalidEntry: a head that cannot be; nothing is written.
        Game.DoesNotExist: the game was deleted.
    """
    with transaction.atomic():
        # The lock makes two phones queue up; without it both would open a game.
        before = Game.objects.select_for_update().get(pk=game_pk)
        start_key = digest(f"rematch of {game_pk} {key}")
        opened = Game.objects.filter(rematch_of=before).first()
        if opened is not None:
            return opened, opened.start_key == start_key
        game = start_match(head, *terms, at=at) if terms else start_game(head, at=at)
        game.rematch_of, game.start_key = before, start_key
        game.save(update_fields=["rematch_of", "start_key"])
    return game, True


def start_next_game(
    game_pk: int, *, at: datetime, key: str, reason: str, by: Actor = NOBODY
) -> tuple[Game, bool]:
    """Open the game after another one of its match; the next seat begins it.

    At a club's table the same players sit at it.

    What is carried is written down, with `reason` beside it. Gives the game, and whether it was
    opened with this `key`: with another one it is the game that someone has opened meanwhile.

    Raises:
        MatchOver: the match needs no further game.
        GameGoesOn: the game is not finished.
        Match.DoesNotExist: the game is of no match, or was deleted.
        RoundClosed: the round of a club's table is closed, and it is no director who asks.
    In each case nothing is written.
    """
    with transaction.atomic():
        _lock_table_of(game_pk)
        # The lock makes two phones queue up; without it both would open a game.
        row = Match.objects.select_for_update().get(games=game_pk)
        match = load_match(row)
        before = next(sheet for sheet in match.sheets if sheet.row.pk == game_pk)
        after, start_key = match.after(before.row), digest(f"after {game_pk} {key}")
        if after is not None:
            return after, after.start_key == start_key
        if not before.game.finished:
            raise GameGoesOn
        if match.score.over:
            raise MatchOver
        place = place_for_writing(before.row, by)
        game = _copy_table(before.row, at, start_key)
        _write_carried(game, match, reason, at, by)
        if place is not None:
            event = place.event
            subject = f"game:{game.public_id}"
            change = Change(AuditLine.Kind.EVENT, "next-game", subject, event=event)
            note_change(event.club, change, by, at=at)
    return game, True


def _lock_table_of(game_pk: int) -> None:
    """Hold a club's table and its people: whoever renames one of them changes the games there are.

    Whoever closes the round waits for the game before this one, which is locked with its match.
    """
    table = Table.objects.filter(games=game_pk).select_related("round__event").first()
    if table is not None:
        lock_people(table.round.event.club_id)
        # The new game refers to it: whoever replaces or removes it locks it first, and games then.
        Table.objects.select_for_update(no_key=True).filter(pk=table.pk).first()


def _copy_table(row: Game, at: datetime, start_key: str) -> Game:
    """The same table for one game more: rules as it began with them, the next seat begins."""
    copied = ("ruleset", "document", "options", "players", "title", "place", "match", "table")
    game = Game.objects.create(
        **{name: getattr(row, name) for name in copied},
        first_declarer=(row.first_declarer + 1) % len(row.players),
        match_number=(row.match_number or 0) + 1,
        played_at=at,
        start_key=start_key,
    )
    for seat in row.seats.all():
        Seat.objects.create(game=game, number=seat.number, player_id=seat.player_id)
    return game


def _write_carried(row: Game, match: MatchSoFar, reason: str, at: datetime, by: Actor) -> None:
    bodies = [
        {"type": "adjustment", "seat": seat, "points": write_points(points), "reason": reason}
        for seat, points in _carried(match, match.rules.sides)
    ]
    record_entries(row.pk, bodies, Pen("carried-on", 0, at, by=by))
    row.refresh_from_db()


def _carried(match: MatchSoFar, sides: Sequence[int]) -> list[tuple[int, Points]]:
    """For each side that starts with points its first seat, and how many."""
    carry = enumerate(match.score.carry)
    return [(sides.index(side), points) for side, points in carry if points]
