"""The players of a club: added, found by the name somebody typed, shown as they wish."""

import unicodedata
from collections.abc import Sequence
from datetime import datetime

from django.db import IntegrityError, transaction

from tournaments.models import AuditLine, Club, Player
from tournaments.models.people import fold_name, plain_name
from tournaments.services.auditing import Actor, Change, note_change, note_changes

LONGEST_PLAYER_NAME = 80

MOST_ADDED = 200
"""So many players are added at once at most."""


class NameTaken(Exception):
    """Another player of the club has this name, up to case and dots; `player` is who."""

    def __init__(self, player: Player) -> None:
        self.player = player
        super().__init__(f"{player.name!r} is taken")


class NoName(Exception):
    """A text that is no name: without a letter, or too long."""


class NamesRefused(Exception):
    """Why lines of a list were refused, by their number from 0: NameTaken or NoName each."""

    def __init__(self, problems: dict[int, Exception]) -> None:
        self.problems = problems
        super().__init__(f"{len(problems)} names refused")


def clean_name(text: str) -> str:
    """A name as it is stored: with single spaces, and nothing in it that cannot be seen.

    Raises:
        NoName: nothing is left, or more than a name can have.
    """
    # Also what is left of signs that direct the writing, with which one name looks like another.
    kinds = {"Cc": " ", "Cf": ""}
    shown = "".join(kinds.get(unicodedata.category(c), c) for c in text)
    shown = unicodedata.normalize("NFC", " ".join(shown.split()))
    if not any(map(str.isalnum, plain_name(shown))) or len(shown) > LONGEST_PLAYER_NAME:
        raise NoName
    # Some signs of Unicode stand for a whole sentence.
    if len(fold_name(shown)) > 2 * LONGEST_PLAYER_NAME:
        raise NoName
    return shown


def add_player(club: Club, name: str, by: Actor, *, at: datetime) -> Player:
    """Add a player of a club.

    Raises:
        NameTaken: there is one with that name; nothing is written.
        NoName: it is none.
    """
    name = clean_name(name)
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


def add_players(club: Club, names: Sequence[str], by: Actor, *, at: datetime) -> list[Player]:
    """Add several players, all or none.

    Raises:
        NamesRefused: with every problem; nothing is written.
    """
    added: list[Player] = []
    problems: dict[int, Exception] = {}
    with transaction.atomic():
        for number, name in enumerate(names):
            try:
                added.append(add_player(club, name, by, at=at))
            except (NameTaken, NoName) as problem:
                problems[number] = problem
        if problems:
            # Rolls back those that could be added.
            raise NamesRefused(problems)
    return added


def find_player(club: Club, name: str) -> Player | None:
    """The player of a club with a name, up to case and dots; of a merged one, who was kept."""
    player = Player.objects.filter(club=club).called(name).select_related("merged_into").first()
    while player is not None and player.merged_into is not None:
        player = player.merged_into
    return player


def find_or_add_player(club: Club, name: str, by: Actor, *, at: datetime) -> Player:
    """The player with a name, added where there is none.

    Raises:
        NoName: it is none.
    """
    found = find_player(club, name)
    if found is not None:
        return found
    try:
        return add_player(club, name, by, at=at)
    except NameTaken as taken:
        return taken.player


def add_all(club: Club, names: Sequence[str], by: Actor, *, at: datetime) -> list[Player]:
    """Add players by different names that nobody had when they were looked up, in a few queries.

    Whoever was added meanwhile is found.

    Raises:
        NoName: a name is none.
    """
    cleaned = [clean_name(name) for name in names]
    rows = [
        Player(
            club=club,
            name=name,
            name_key=fold_name(name),
            search_key=plain_name(name),
            created_at=at,
        )
        for name in cleaned
    ]
    try:
        with transaction.atomic():
            Player.objects.bulk_create(rows)
            kind = AuditLine.Kind.PLAYER
            added = (Change(kind, "add", subject_of(p), after={"name": p.name}) for p in rows)
            note_changes(club, added, by, at=at)
    except IntegrityError:
        return [find_or_add_player(club, name, by, at=at) for name in cleaned]
    return rows


def lock_people(club_pk: int) -> Club:
    """Lock the people of a club: who changes some of them waits for who is at it.

    One lock for all, since a merge, a removal and a claim each touch several rows. Whoever puts
    players to seats by their names takes it before reading the names, so that nobody who is
    removed meanwhile is written down again.
    """
    # Not in the way of lines of the audit, which point to the club.
    return Club.objects.select_for_update(no_key=True).get(pk=club_pk)


def lock_player(pk: int) -> Player:
    """The player as it is now, with the people of the club locked.

    Raises:
        Player.DoesNotExist: it was removed, or merged into another one.
    """
    club = lock_people(Player.objects.values_list("club_id", flat=True).get(pk=pk))
    player = Player.objects.present().get(pk=pk)
    player.club = club
    return player


def names_at_table(players: Sequence[Player]) -> list[str]:
    """How players are called on a sheet, in seat order: as they wish, and no two alike."""
    names: list[str] = []
    for seat, player in enumerate(players):
        # Whoever was removed keeps a seat without a name, in no language.
        name = player.shown_name or f"№ {seat + 1}"
        while name in names:
            name = f"{name} ({seat + 1})"
        names.append(name)
    return names


def subject_of(player: Player) -> str:
    """What the audit calls a player."""
    return f"player:{player.pk}"
