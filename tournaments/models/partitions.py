"""Partitions: what was written in a season, as a part of its own of the largest tables.

Only PostgreSQL has such parts. A new partition lets keys go on far behind all others. So each holds
a range of keys, the key of a game names its partition, and all that is said of a game is in it.
"""

from django.db import models
from django.db.models import F, OuterRef, Q

KEYS_OF_A_PARTITION = 10**10
"""More than anybody writes in a season; JavaScript counts exactly up to 900,000 times as many."""


class PartitionQuerySet(models.QuerySet["Partition"]):
    def archived(self, game: OuterRef) -> "PartitionQuerySet":
        """Filter to the archived partition of a game."""
        return self.filter(archived_at__isnull=False, first_key__lte=game, end_key__gt=game)


class Partition(models.Model):
    """A range of keys, of games and of lines of the audit; the last one is being written."""

    number = models.PositiveIntegerField(primary_key=True)
    first_key = models.PositiveBigIntegerField()
    end_key = models.PositiveBigIntegerField()
    begun_at = models.DateTimeField()
    # When its deals and its audit went into a file.
    archived_at = models.DateTimeField(null=True)

    objects = PartitionQuerySet.as_manager()

    class Meta:
        ordering = ["number"]
        constraints = [
            models.CheckConstraint(
                condition=Q(end_key__gt=F("first_key")), name="partition_has_keys"
            ),
        ]

    def __str__(self) -> str:
        return f"partition {self.number}"
