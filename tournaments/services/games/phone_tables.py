"""Carry the games of a phone to another phone, or keep them in an account."""

from collections.abc import Sequence
from datetime import datetime
from secrets import token_urlsafe

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from tournaments.models import PhoneTransfer, SavedGame, User
from tournaments.models.games import digest
from tournaments.queries.games.sheets import Held
from tournaments.services.base.refusals import Refused
from tournaments.services.games.joined_names import Joined

Carried = tuple[str, str, int]
"""A game in a transfer: its public id, the kind of address, the address's generation."""


class TransferGone(Refused, code="transfer-gone", status=404):
    sentence = _("This link has been used, or its ten minutes are over: make a new one.")


def begin_transfer(held: Sequence[Held], joined: Joined, *, at: datetime) -> str:
    """Store games and joined names of a phone for another one, and return the key of the link."""
    PhoneTransfer.objects.expired_at(at).delete()
    key = token_urlsafe(24)
    games: list[Carried] = [(row.public_id, kind, row.generation(kind)) for row, kind in held]
    PhoneTransfer.objects.create(digest=digest(key), games=games, joined=joined, created_at=at)
    return key


def count_transfer(key: str, *, at: datetime) -> int:
    """Return how many games a link carries, without using it.

    Raises:
        TransferGone: the link was used or has expired.
    """
    row = PhoneTransfer.objects.valid_at(at).filter(digest=digest(key)).first()
    if row is None:
        raise TransferGone
    return len({public_id for public_id, _, _ in row.games})


def take_transfer(key: str, *, at: datetime) -> tuple[list[Carried], Joined]:
    """Return the games of a link and the joined names, once.

    Raises:
        TransferGone: the link was used or has expired; of two phones at once one gets the games.
    """
    with transaction.atomic():
        # The lock makes the second phone wait, and then it finds nothing.
        rows = PhoneTransfer.objects.select_for_update().valid_at(at)
        row = rows.filter(digest=digest(key)).first()
        if row is None or not rows.filter(pk=row.pk).delete()[0]:
            raise TransferGone
    games = [(public_id, kind, generation) for public_id, kind, generation in row.games]
    return games, row.joined


def save_games(user: User, held: Sequence[Held]) -> int:
    """Keep games in an account to follow them; return how many are new there."""
    with transaction.atomic():
        before = set(user.saved_games.values_list("game", flat=True))
        rows = {
            row.pk: SavedGame(user=user, game=row, generation=row.follow_generation)
            for row, _ in held
        }
        SavedGame.objects.bulk_create(
            rows.values(),
            update_conflicts=True,
            unique_fields=["user", "game"],
            update_fields=["generation"],
        )
    return len(set(rows) - before)
