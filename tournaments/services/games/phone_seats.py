"""Which phone has which seat of a game: said by the phones themselves, and asked for.

It gives no access: the seat is marked, and the history names who wrote. So a phone that does not
answer loses its seat after a minute to the one that asks.
"""

from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from tournaments.models import Game
from tournaments.queries.games.sheets import PhoneSeat, phone_seats

PATIENCE = timedelta(minutes=1)
"""Time to answer a phone that asks for a seat."""


def take_seat(game_pk: int, seat: int, phone: str, *, at: datetime) -> bool:
    """Give a phone a seat that is free, or was asked for in vain; return whether it has it now."""

    def take(seats: list[PhoneSeat]) -> bool:
        there = seats[seat]
        waited = there.asks == phone and at.timestamp() - there.since >= PATIENCE.total_seconds()
        if there.phone in ("", phone) or waited:
            _leave(seats, phone)
            there.phone, there.asks = phone, "" if there.asks == phone else there.asks
        return there.phone == phone

    return _change(game_pk, take)


def ask_for_seat(game_pk: int, seat: int, phone: str, *, at: datetime) -> bool:
    """Ask the phone that has a seat for it, unless another already does."""

    def ask(seats: list[PhoneSeat]) -> bool:
        there = seats[seat]
        if there.phone and there.phone != phone and not there.asks:
            there.asks, there.since = phone, at.timestamp()
        return there.asks == phone

    return _change(game_pk, ask)


def answer_for_seat(game_pk: int, seat: int, phone: str, *, gives: bool) -> bool:
    """Answer as the phone that has a seat; return whether it was asked for it."""

    def answer(seats: list[PhoneSeat]) -> bool:
        there = seats[seat]
        if there.phone != phone or not there.asks:
            return False
        if gives:
            _leave(seats, there.asks)
            there.phone = there.asks
        there.asks = ""
        return True

    return _change(game_pk, answer)


def leave_seat(game_pk: int, phone: str) -> bool:
    """Free the seat of a phone, if it has one."""

    def leave(seats: list[PhoneSeat]) -> bool:
        _leave(seats, phone)
        return True

    return _change(game_pk, leave)


def _leave(seats: list[PhoneSeat], phone: str) -> None:
    for there in seats:
        if there.phone == phone:
            # Whoever asks for it finds it free.
            there.phone = ""


def _change(game_pk: int, change: Callable[[list[PhoneSeat]], bool]) -> bool:
    """Change the seats of a game, one phone after the other."""
    with transaction.atomic():
        row = Game.objects.select_for_update(no_key=True).get(pk=game_pk)
        seats = phone_seats(row)
        done = change(seats)
        phones: list[dict[str, Any]] = [asdict(each) for each in seats]
        if phones != row.phones:
            row.phones = phones
            row.save(update_fields=["phones"])
    return done
