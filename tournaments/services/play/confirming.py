"""Players confirm the final result of their game, as it stood when they looked at it."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from tournaments.models import AuditLine, Confirmation, Confirmations, Game, Player, Table
from tournaments.queries.sheets import Sheet, load_sheet
from tournaments.services.auditing import Actor, Change, note_change
from tournaments.services.play.writing import StaleRevision


class NotFinished(Exception):
    """The game goes on: there is no result to confirm."""


class NotSeated(Exception):
    """Nobody sits at this seat of a club's table, or not the one who confirms."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Who has confirmed a result as it stands, and how many have to; seats from 0."""

    confirmed: tuple[int, ...]
    needed: int
    seats: int

    @property
    def enough(self) -> bool:
        """Whether nobody has to be reminded."""
        return len(self.confirmed) >= self.needed

    @property
    def missing(self) -> tuple[int, ...]:
        """The seats that have not confirmed."""
        return tuple(seat for seat in range(self.seats) if seat not in self.confirmed)


def agreement_on(sheet: Sheet, setting: str, said: Iterable[Confirmation]) -> Agreement:
    """How far a finished sheet is confirmed; what was said of earlier revisions is void."""
    return agreement_of(sheet.row, setting, said)


def agreement_of(row: Game, setting: str, said: Iterable[Confirmation]) -> Agreement:
    """How far a game that is known to be finished is confirmed, without its sheet."""
    seats = len(row.players)
    needed = {Confirmations.NONE: 0, Confirmations.TWO: 2}.get(Confirmations(setting), seats)
    now = (each.seat for each in said if each.revision == row.revision)
    return Agreement(tuple(sorted(now)), min(needed, seats), seats)


def confirm_result(game_pk: int, seat: int, revision: int, by: Actor, *, at: datetime) -> Sheet:
    """Confirm a result for a seat, on the phone of the table; said twice, it is said once.

    Raises:
        NotFinished: the game goes on.
        NotSeated: it is no club's game, or it has no such seat.
        StaleRevision: the sheet is not as it was seen; it comes with the exception.
        Game.DoesNotExist: the game was removed.
    In each case nothing is written.
    """
    with transaction.atomic():
        row = Game.objects.select_for_update().get(pk=game_pk)
        return _confirm(row, seat, revision, by, at)


def confirm_own_result(game_pk: int, revision: int, by: Actor, *, at: datetime) -> Sheet:
    """Confirm a result as the account of one of its players, from wherever.

    Raises:
        NotSeated: the account has no player at the table.
        NotFinished, StaleRevision, Game.DoesNotExist: as in `confirm_result`.
    """
    with transaction.atomic():
        row = Game.objects.select_for_update().get(pk=game_pk)
        seat = own_seat(row, by)
        if seat is None:
            raise NotSeated
        return _confirm(row, seat, revision, by, at)


def own_seat(row: Game, by: Actor) -> int | None:
    """The seat of whoever is signed in; None where they do not sit at the table."""
    if by.user is None:
        return None
    seats = row.seats.filter(player__account=by.user)
    return seats.values_list("number", flat=True).first()


def _confirm(row: Game, seat: int, revision: int, by: Actor, at: datetime) -> Sheet:
    """Confirm for a seat of a locked game, so that no write comes in between."""
    sheet = load_sheet(row)
    player = Player.objects.filter(seats__game=row, seats__number=seat).first()
    if player is None or row.table_id is None:
        raise NotSeated
    if row.revision != revision:
        raise StaleRevision(sheet)
    if not sheet.game.finished:
        raise NotFinished
    # On a phone that many hold only the account of the player says who it was.
    user = by.user if by.user is not None and player.account_id == by.user.pk else None
    said = {"game": row, "revision": revision, "seat": seat}
    _said, new = Confirmation.objects.get_or_create(**said, defaults={"user": user, "at": at})
    if new:
        table = Table.objects.select_related("round__event__club").get(pk=row.table_id)
        after = {"seat": seat, "player": row.players[seat], "revision": revision}
        subject = f"game:{row.public_id}"
        event = table.round.event
        change = Change(AuditLine.Kind.RESULT, "confirm", subject, after=after, event=event)
        note_change(event.club, change, by, at=at)
    return sheet
