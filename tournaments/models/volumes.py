"""Volumes: what was written in a season, as a part of its own of the largest tables.

Only PostgreSQL has such parts. The key of a game says its volume: a new volume lets keys go on far
behind all others, so that a range of keys is a volume, and all that is said of a game is in one.
"""

from django.db import models
from django.db.models import F, OuterRef, Q

KEYS_OF_A_VOLUME = 10**10
"""More than anybody writes in a season; JavaScript counts exactly up to 900,000 times as many."""


class VolumeQuerySet(models.QuerySet["Volume"]):
    def archived(self, game: OuterRef) -> "VolumeQuerySet":
        """Filter to the archived volume of a game."""
        return self.filter(archived_at__isnull=False, first_key__lte=game, end_key__gt=game)


class Volume(models.Model):
    """A range of keys, of games and of lines of the audit; the last one is being written."""

    number = models.PositiveIntegerField(primary_key=True)
    first_key = models.PositiveBigIntegerField()
    end_key = models.PositiveBigIntegerField()
    begun_at = models.DateTimeField()
    # When its deals and its audit went into a file.
    archived_at = models.DateTimeField(null=True)

    objects = VolumeQuerySet.as_manager()

    class Meta:
        ordering = ["number"]
        constraints = [
            models.CheckConstraint(condition=Q(end_key__gt=F("first_key")), name="volume_has_keys"),
        ]

    def __str__(self) -> str:
        return f"volume {self.number}"
