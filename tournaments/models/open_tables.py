"""Tables outside clubs, at which games follow one another."""

from django.db import models
from django.db.models import Q

from tournaments.models import addresses
from tournaments.models.addresses import new_public_id


class OpenTableQuerySet(models.QuerySet["OpenTable"]):
    def readable_at(self, public_id: str, secret: str) -> "OpenTableQuerySet":
        return addresses.found_at(self, OpenTable.KIND, public_id, secret)


class OpenTable(models.Model):
    """A table that belongs to nobody; its address leads to all its games, as they follow."""

    KIND = "evening"

    public_id = models.CharField(max_length=16, unique=True, default=new_public_id)
    generation = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField()

    objects = OpenTableQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(generation__gte=1), name="open_table_generation_from_one"
            ),
        ]

    def __str__(self) -> str:
        return f"open table {self.public_id}"

    def secret(self) -> str:
        """Return the secret part of the address at which this table is followed."""
        return addresses.derive(self.KIND, self.public_id, self.generation)
