"""Names of a club's players, with links for those who may follow them."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _

from tournaments.models import Club, Player


@dataclass(frozen=True, slots=True)
class NamedPlayer:
    """A player's name, with a link for those who may follow it; removed players have none."""

    name: str
    url: str = ""


def named_player(club: Club, player: Player, *, member: bool) -> NamedPlayer:
    """Return a player by name, with a link for those who may see the page."""
    if player.removed_at is not None:
        return NamedPlayer(_("removed player"))
    seen = member or has_page(club, player)
    url = reverse("player", args=[club.slug, player.public_id]) if seen else ""
    return NamedPlayer(player.shown_name, url)


def has_page(club: Club, player: Player) -> bool:
    """Return whether everybody may see the page of a player of the club."""
    return club.shows_names and not player.initials and player.removed_at is None


def named_players(club: Club, keys: Iterable[int], *, member: bool) -> dict[int, NamedPlayer]:
    """Return players of a club by key (1 query)."""
    rows = Player.objects.in_bulk(list(keys))
    return {pk: named_player(club, player, member=member) for pk, player in rows.items()}
