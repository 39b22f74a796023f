"""Sums over games that are kept because a page is too slow without: each row can be deleted."""

from django.db import models

from tournaments.models.people import Player
from tournaments.models.written_json import WrittenJSONField


class KeptSums(models.Model):
    """The sums of a player's games of one `part`: a kind of game, a season and a year.

    They hold for one `version` of these games. Nothing keeps them up to date: a page that finds
    another version reads the games and stores their sums.
    """

    # The constraint begins with this field, so it needs no index.
    player = models.ForeignKey(
        Player, on_delete=models.CASCADE, related_name="kept_sums", db_index=False
    )
    part = models.CharField(max_length=80)
    version = models.CharField(max_length=80)
    sums = WrittenJSONField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["player", "part"], name="kept_sums_once"),
        ]
        verbose_name_plural = "kept sums"

    def __str__(self) -> str:
        return f"{self.part} of {self.player_id}"
