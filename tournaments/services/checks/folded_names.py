"""The folded names by which players are compared, sorted and searched."""

from collections.abc import Iterable, Iterator

from django.db import IntegrityError, transaction

from tournaments.models import Player
from tournaments.models.people import fold_name, plain_name
from tournaments.services.checks.caches import Mismatch, ScanResult, batches_of

AT_ONCE = 1000


def look_at_folded_names() -> Iterator[ScanResult]:
    """Compare folded names of players with their names."""
    fields = ("pk", "club_id", "name", "name_key", "search_key")
    for players in batches_of(Player.objects.all(), AT_ONCE):
        found = tuple(
            Mismatch(club, f"player:{pk}")
            for pk, club, name, *keys in Player.objects.filter(pk__in=players).values_list(*fields)
            if keys != [fold_name(name), plain_name(name)]
        )
        yield ScanResult(len(players), found)


def repair_folded_names(found: Iterable[Mismatch]) -> None:
    """Fold the names again; two players with one name are left for the director to merge."""
    for each in found:
        for player in Player.objects.filter(pk=int(each.subject.removeprefix("player:"))):
            try:
                with transaction.atomic():
                    player.save(update_fields=["name_key", "search_key"])
            except IntegrityError:
                continue
