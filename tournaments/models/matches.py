"""Matches: several games between the same sides."""

from django.db import models
from django.db.models import Q


class Match(models.Model):
    """What several games are played to; who leads is always computed from the games.

    Laps and slam are options of the games' ruleset, those of the first game counting.
    """

    class Length(models.TextChoices):
        """When a match is over, by the names of the engine."""

        BEST_OF = "best-of"
        FIRST_TO = "first-to"

    length = models.CharField(max_length=10, choices=Length)
    number = models.PositiveSmallIntegerField()
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(length__in=["best-of", "first-to"]), name="match_length_known"
            ),
            models.CheckConstraint(condition=Q(number__gte=1), name="match_of_one_game_or_more"),
        ]
        verbose_name_plural = "matches"

    def __str__(self) -> str:
        return f"{self.length} {self.number}"
