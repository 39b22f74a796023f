"""The players of a club: add, find by typed name, show by the wished name."""

from collections.abc import Sequence
from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext_lazy as _

from tournaments.engine.rules.entries import clean_line
from tournaments.engine.rules.rulesets import LONGEST_NAME
from tournaments.models import AuditEntry, Club, Player
from tournaments.models.people import fold_name, plain_name
from tournaments.services.audit import Actor, Change, note_change, note_changes
from tournaments.services.base.refusals import Fault, Invalid, Refused

MOST_ADDED = 200
"""Maximum number of players added at once."""


class NameTaken(Refused, code="name-taken", in_lists=True):
    sentence = _("There is already a player called %(name)s.")

    def __init__(self, player: Player) -> None:
        self.player = player
        super().__init__({"name": player.name}, {"player": player.public_id})


class NoName(Fault, code="no-name", where="name"):
    sentence = _("A name has letters, and 80 of them at most.")


class NameTwice(Fault, code="name-twice"):
    sentence = _("It is the same name as on an earlier line.")


class NamesRefused(Invalid):
    """Problems of the lines of a list, by line number from 0."""

    def __init__(self, problems: dict[int, Refused]) -> None:
        self.problems = problems
        for number, problem in problems.items():
            problem.where = f"names.{number}"
        super().__init__(faults=list(problems.values()))


def clean_name(text: str, where: str = "") -> str:
    """Return a name as stored, as by `clean_line`.

    Raises:
        NoName: the name is empty or too long.
    """
    shown = clean_line(text)
    if not any(map(str.isalnum, plain_name(shown))) or len(shown) > LONGEST_NAME:
        raise NoName(where=where)
    # Some characters of Unicode stand for a whole sentence.
    if len(fold_name(shown)) > 2 * LONGEST_NAME:
        raise NoName(where=where)
    return shown


def add_player(club: Club, name: str, by: Actor, *, at: datetime) -> Player:
    """Add a player to a club.

    Raises:
        NameTaken: a player has that name; nothing is written.
        NoName: the name is not valid.
    """
    name = clean_name(name)
    try:
        with transaction.atomic():
            player = Player.objects.create(club=club, name=name, created_at=at)
            change = Change(AuditEntry.Kind.PLAYER, "add", subject_of(player), after={"name": name})
            note_change(club, change, by, at=at)
    except IntegrityError as error:
        # The constraint decides, so that two people who type a name at once get one player.
        taken = find_player(club, name)
        if taken is None:
            raise
        raise NameTaken(taken) from error
    return player


def add_players(club: Club, names: Sequence[str], by: Actor, *, at: datetime) -> list[Player]:
    """Add several players, all or none.

    Raises:
        NamesRefused: contains every problem; nothing is written.
    """
    added: list[Player] = []
    problems: dict[int, Refused] = {}
    with transaction.atomic():
        for number, name in enumerate(names):
            try:
                added.append(add_player(club, name, by, at=at))
            except NameTaken as taken:
                earlier = [" ".join(each.split()) for each in names[:number]]
                problems[number] = NameTwice() if taken.player.name in earlier else taken
            except NoName as problem:
                problems[number] = problem
        if problems:
            # Roll back the players already added.
            raise NamesRefused(problems)
    return added


def find_player(club: Club, name: str) -> Player | None:
    """Return a club's player by name, up to case and dots; for a merged one, the kept player."""
    player = Player.objects.filter(club=club).called(name).select_related("merged_into").first()
    while player is not None and player.merged_into is not None:
        player = player.merged_into
    return player


def find_or_add_player(club: Club, name: str, by: Actor, *, at: datetime) -> Player:
    """Return the player with a name, added if there is none.

    Raises:
        NoName: the name is not valid.
    """
    found = find_player(club, name)
    if found is not None:
        return found
    try:
        return add_player(club, name, by, at=at)
    except NameTaken as taken:
        return taken.player


def add_all(club: Club, names: Sequence[str], by: Actor, *, at: datetime) -> list[Player]:
    """Add players by distinct names that were unknown when looked up, in a few queries.

    Players added meanwhile are found.

    Raises:
        NoName: a name is not valid.
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
            kind = AuditEntry.Kind.PLAYER
            added = (Change(kind, "add", subject_of(p), after={"name": p.name}) for p in rows)
            note_changes(club, added, by, at=at)
    except IntegrityError:
        return [find_or_add_player(club, name, by, at=at) for name in cleaned]
    return rows


def lock_people(club_pk: int) -> Club:
    """Lock the people of a club; other changes to them wait.

    One lock for all, since a merge, a removal and a claim each change several rows. To seat players
    by name, take it before reading the names, so that a player removed meanwhile is not written
    again.
    """
    # `no_key`, so that audit entries, which refer to the club, do not wait.
    return Club.objects.select_for_update(no_key=True).get(pk=club_pk)


def lock_player(pk: int) -> Player:
    """Return the current player, with the people of the club locked.

    Raises:
        Player.DoesNotExist: it was removed, or merged into another one.
    """
    club = lock_people(Player.objects.values_list("club_id", flat=True).get(pk=pk))
    player = Player.objects.present().get(pk=pk)
    player.club = club
    return player


def names_at_table(players: Sequence[Player]) -> list[str]:
    """Return the names on a sheet in seat order: as the players wish, no two alike."""
    names: list[str] = []
    for seat, player in enumerate(players):
        # A removed player keeps a seat without a name, in any language.
        name = player.shown_name or f"№ {seat + 1}"
        while name in names:
            name = f"{name} ({seat + 1})"
        names.append(name)
    return names


def subject_of(player: Player) -> str:
    """Return the player's subject in the audit."""
    return f"player:{player.pk}"
