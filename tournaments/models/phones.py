"""Lists of games that belong to a phone: on their way to another, or kept by an account."""

from datetime import datetime, timedelta

from django.db import models

from tournaments.models.games import Game
from tournaments.models.people import User

LASTS = timedelta(minutes=10)
"""How long the link to another phone is valid."""


class PhoneTransferQuerySet(models.QuerySet["PhoneTransfer"]):
    def valid_at(self, at: datetime) -> "PhoneTransferQuerySet":
        return self.filter(created_at__gt=at - LASTS)

    def expired_at(self, at: datetime) -> "PhoneTransferQuerySet":
        return self.filter(created_at__lte=at - LASTS)


class PhoneTransfer(models.Model):
    """The games of a phone under a link that is used once: whoever takes them deletes the row.

    `games` lists public id, kind of address and its generation, as the cookie of a phone does, so
    that no address is stored, and one revoked meanwhile gives no access. `joined` has the names
    that stand for others.
    """

    digest = models.CharField(max_length=64, unique=True, editable=False)
    games = models.JSONField()
    joined = models.JSONField(default=dict)
    created_at = models.DateTimeField()

    objects = PhoneTransferQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{len(self.games)} games on their way to another phone"


class SavedGame(models.Model):
    """A game that an account keeps, to follow it on any phone where it is signed in."""

    user = models.ForeignKey(
        User, on_delete=models.CASCADE, related_name="saved_games", db_index=False
    )
    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="saved_by")
    # An address that was revoked later gives no access.
    generation = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "game"], name="saved_game_once"),
        ]

    def __str__(self) -> str:
        return f"game {self.game_id} of account {self.user_id}"
