"""What the names of players are compared, sorted and searched by."""

from collections.abc import Iterable

from django.db import IntegrityError, transaction

from tournaments.models import Player
from tournaments.models.people import fold_name, plain_name
from tournaments.services.checking.caches import Found, Looked

AT_ONCE = 5000


def look_at_folded_names(after: int | None) -> Looked:
    """Compare what players are found by with their names."""
    rows = Player.objects.filter(pk__gt=after or 0).order_by("pk")
    fields = ("pk", "club_id", "name", "name_key", "search_key")
    players = list(rows.values_list(*fields)[:AT_ONCE])
    found = [
        Found(club, f"player:{pk}")
        for pk, club, name, *keys in players
        if keys != [fold_name(name), plain_name(name)]
    ]
    last = players[-1][0] if len(players) == AT_ONCE else None
    return Looked(len(players), tuple(found), last)


def repair_folded_names(found: Iterable[Found]) -> None:
    """Fold the names again; two players who then have one name stay for the director to merge."""
    for each in found:
        for player in Player.objects.filter(pk=int(each.subject.removeprefix("player:"))):
            try:
                with transaction.atomic():
                    player.save(update_fields=["name_key", "search_key"])
            except IntegrityError:
                continue
