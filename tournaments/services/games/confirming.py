"""Players confirm the final result of their game, at the revision they saw."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from tournaments.models import Confirmation, Confirmations, Event, Game, Player, Table
from tournaments.queries.games.sheets import Sheet, load_sheet
from tournaments.services.audit import Actor
from tournaments.services.base.refusals import Refused
from tournaments.services.games.writing import NotFinished, StaleRevision


class NotSeated(Refused, code="not-seated", status=404):
    sentence = _("Nobody sits at this seat.")


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
        """Return the seats that have not confirmed, from 0."""
        return tuple(seat for seat in range(self.seats) if seat not in self.confirmed)


def agreement_on(sheet: Sheet, setting: str, said: Iterable[Confirmation]) -> Agreement:
    """Return the confirmations of a finished sheet; those of earlier revisions do not count."""
    return agreement_of(sheet.row, setting, said)


def is_agreed(row: Game, event: Event) -> bool:
    """Return whether a finished result has all confirmations that its event requires (1 query)."""
    return agreement_of(row, event.confirmations, row.confirmations.all()).enough


def agreement_of(row: Game, setting: str, said: Iterable[Confirmation]) -> Agreement:
    """Return the confirmations of a game known to be finished, without reading its sheet."""
    seats = len(row.players)
    needed = {Confirmations.NONE: 0, Confirmations.TWO: 2}.get(Confirmations(setting), seats)
    now = (each.seat for each in said if each.revision == row.revision)
    return Agreement(tuple(sorted(now)), min(needed, seats), seats)


def confirm_result(game_pk: int, seat: int, revision: int, by: Actor, *, at: datetime) -> Sheet:
    """Confirm a result for a seat, on the phone of the table. Idempotent.

    Raises:
        NotFinished: the game is not finished.
        NotSeated: the game belongs to no club, or has no such seat.
        StaleRevision: the sheet has changed since; the exception contains it.
        Game.DoesNotExist: the game was removed.
    In each case nothing is written.
    """
    with transaction.atomic():
        row = Game.objects.select_for_update().get(pk=game_pk)
        return _confirm(row, seat, revision, by, at)


def confirm_all(game_pk: int, revision: int, by: Actor, *, at: datetime) -> None:
    """Confirm a result for every seat, on a director's word. Idempotent.

    Raises:
        NotFinished, NotSeated, StaleRevision, Game.DoesNotExist: as in `confirm_result`.
    """
    with transaction.atomic():
        row = Game.objects.select_for_update().get(pk=game_pk)
        for seat in range(len(row.players)):
            _confirm(row, seat, revision, by, at)


def confirm_own_result(game_pk: int, revision: int, by: Actor, *, at: datetime) -> Sheet:
    """Confirm a result as the account of one of its players, from any device.

    Raises:
        NotSeated: no player of the account sits at the table.
        NotFinished, StaleRevision, Game.DoesNotExist: as in `confirm_result`.
    """
    with transaction.atomic():
        row = Game.objects.select_for_update().get(pk=game_pk)
        seat = own_seat(row, by)
        if seat is None:
            raise NotSeated
        return _confirm(row, seat, revision, by, at)


def own_seat(row: Game, by: Actor) -> int | None:
    """Return the seat of the account's player; None if they do not sit at the table."""
    if by.user is None:
        return None
    seats = row.seats.filter(player__account=by.user)
    return seats.values_list("number", flat=True).first()


def _confirm(row: Game, seat: int, revision: int, by: Actor, at: datetime) -> Sheet:
    """Confirm for a seat of a locked game, so that no revision comes in between."""
    sheet = load_sheet(row)
    player = Player.objects.filter(seats__game=row, seats__number=seat).first()
    if player is None or row.table_id is None:
        raise NotSeated
    if row.revision != revision:
        raise StaleRevision(sheet)
    if not sheet.game.finished:
        raise NotFinished
    clubs = Table.objects.filter(pk=row.table_id).values_list("round__event__club", flat=True)
    Confirmation.objects.get_or_create(
        game=row,
        revision=revision,
        seat=seat,
        defaults={
            "player": row.players[seat],
            "user": by.user,
            # Many hold the table's phone; only the player's account proves who confirmed.
            "own": by.user is not None and player.account_id == by.user.pk,
            "at": at,
            "club_id": clubs.get(),
            "by_phone": bool(by.table),
            "address": by.address or None,
        },
    )
    return sheet
