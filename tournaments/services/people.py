"""The players of a club: added, found by the name somebody typed, shown as they wish."""

from collections.abc import Sequence
from datetime import datetime

from django.db import IntegrityError, transaction

from tournaments.models import AuditLine, Club, Player
from tournaments.services.auditing import Actor, Change, note_change


class NameTaken(Exception):
    """Another player of the club has this name, up to case and dots; `player` is who."""

    def __init__(self, player: Player) -> None:
        self.player = player
        super().__init__(f"{player.name!r} is taken")


def add_player(club: Club, name: str, by: Actor, *, at: datetime) -> Player:
    """Add a player of a club.

    Raises:
        NameTaken: there is one with that name; nothing is written.
    """
    name = " ".join(name.split())
    try:
        with transaction.atomic():
            player = Player.objects.create(club=club, name=name, created_at=at)
            change = Change(AuditLine.Kind.PLAYER, "add", subject_of(player), after={"name": name})
            note_change(club, change, by, at=at)
    except IntegrityError as error:
        # The constraint decides, so that two who type a name at once get one player.
        taken = find_player(club, name)
        if taken is None:
            raise
        raise NameTaken(taken) from error
    return player


def find_player(club: Club, name: str) -> Player | None:
    """The player of a club with a name, up to case and dots; of a merged one, who was kept."""
    player = Player.objects.filter(club=club).called(name).select_related("merged_into").first()
    while player is not None and player.merged_into is not None:
        player = player.merged_into
    return player


def find_or_add_player(club: Club, name: str, by: Actor, *, at: datetime) -> Player:
    """The player with a name, added where there is none."""
    found = find_player(club, name)
    if found is not None:
        return found
    try:
        return add_player(club, name, by, at=at)
    except NameTaken as taken:
        return taken.player


def names_at_table(players: Sequence[Player]) -> list[str]:
    """How players are called on a sheet, in seat order: as they wish, and no two alike."""
    names: list[str] = []
    for seat, player in enumerate(players):
        # Whoever was removed keeps a seat without a name, in no language.
        name = player.shown_name or f"№ {seat + 1}"
        names.append(name if name not in names else f"{name} ({seat + 1})")
    return names


def subject_of(player: Player) -> str:
    """What the audit calls a player."""
    return f"player:{player.pk}"
