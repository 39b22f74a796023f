"""What a player may ask for: another name, to be shown by initials, to be removed."""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q

from tournaments.models import AuditLine, Club, Game, Player, Ruling, Seat, Write
from tournaments.models.people import fold_name
from tournaments.services.auditing import Actor, Change, note_change
from tournaments.services.documents.reporting import remake_documents
from tournaments.services.people.head_names import (
    Renaming,
    let_names_follow,
    let_past_names_follow,
)
from tournaments.services.people.players import (
    NameTaken,
    clean_name,
    find_player,
    lock_player,
    subject_of,
)
from tournaments.services.ratings.due import rate_accounts_again

KIND = AuditLine.Kind.PLAYER

NOBODY_NOW = "№"
"""Stands in remarks where the name of somebody removed stood."""

SAYS_NAMES = (
    Q(action__in=("head", "confirm"))
    | ~Q(reason="")
    | Q(before__body__type="adjustment")
    | Q(after__body__type="adjustment")
)
"""The lines about results that can hold a name."""

INITIALS = re.compile(r"(\w\. ?)+")
SPACES = r"\s+"


def rename_player(pk: int, name: str, by: Actor, *, at: datetime) -> Player:
    """Give a player another name; the sheets of all their games follow.

    Raises:
        NameTaken: another player of the club has it; nothing is written.
        NoName: it is none.
        Player.DoesNotExist: removed, or merged into another player.
    """
    name = clean_name(name)
    with transaction.atomic():
        player = lock_player(pk)
        called, before = _names_of(player), player.name
        if name == before:
            return player
        player.name = name
        try:
            with transaction.atomic():
                player.save(update_fields=["name"])
        except IntegrityError as error:
            taken = find_player(player.club, name)
            if taken is None:
                raise
            raise NameTaken(taken) from error
        let_names_follow(player.seats.all(), called)
        change = Change(KIND, "rename", subject_of(player), {"name": before}, {"name": name})
        note_change(player.club, change, by, at=at)
    return player


def set_initials(pk: int, initials: bool, by: Actor, *, at: datetime) -> Player:
    """Show a player by initials from now on, or by the whole name again; also on old sheets.

    Raises:
        Player.DoesNotExist: removed, or merged into another player.
    """
    with transaction.atomic():
        player = lock_player(pk)
        if player.initials == initials:
            return player
        called = _names_of(player)
        player.initials = initials
        player.save(update_fields=["initials"])
        # From now on it is a wish of their own, which no undone merge takes back.
        player.merges.update(initials_taken=False)
        let_names_follow(player.seats.all(), called)
        if initials:
            past = whole_names(player.club, names_ever([player]))
            let_past_names_follow(player.club, past, player.shown_name)
            remake_documents(player.club, at)
        change = Change(
            KIND, "initials", subject_of(player), {"initials": not initials}, {"initials": initials}
        )
        note_change(player.club, change, by, at=at)
    return player


def remove_player(pk: int, by: Actor, *, at: datetime) -> None:
    """Take the name of a player out of everything that is kept; the results stay.

    With it go the names of those who were merged into this player, and the tie to an account.

    Raises:
        Player.DoesNotExist: removed already, or merged into another player.
    """
    with transaction.atomic():
        player = lock_player(pk)
        everyone = with_merged(player)
        names = names_ever(everyone)
        for one in everyone:
            _forget(one, at)
        renamings = let_names_follow(Seat.objects.filter(player__in=everyone), names)
        let_past_names_follow(player.club, whole_names(player.club, names), NOBODY_NOW)
        _clean_remarks(renamings, names)
        _clean_rulings(player.club, names)
        _clean_audit(player.club, everyone, renamings, names)
        remake_documents(player.club, at)
        note_change(player.club, Change(KIND, "remove", subject_of(player)), by, at=at)


def with_merged(player: Player) -> list[Player]:
    """A player, and everyone who was merged into them, directly or through another one."""
    everyone, latest = [player], [player]
    while latest:
        latest = list(Player.objects.filter(merged_into__in=latest))
        everyone += latest
    return everyone


def names_ever(players: Sequence[Player]) -> frozenset[str]:
    """Every name that players ever had, with the initials of each."""
    subjects = [subject_of(player) for player in players]
    lines = AuditLine.objects.filter(
        club=players[0].club_id, kind=KIND, subject__in=subjects, action__in=["add", "rename"]
    )
    said = [player.name for player in players]
    for before, after in lines.values_list("before", "after"):
        said += [(state or {}).get("name", "") for state in (before, after)]
    return frozenset(form for name in said if name for form in (name, _initials(name)))


def whole_names(club: Club, names: Collection[str]) -> set[str]:
    """Those of `names` that are nobody else's: no initials, and of no player there is now."""
    whole = {name for name in names if name and not INITIALS.fullmatch(name)}
    taken = Player.objects.present().filter(club=club, name__in=whole, initials=False)
    return whole - set(taken.values_list("name", flat=True))


def _names_of(player: Player) -> frozenset[str]:
    """How a player may be called on sheets until now."""
    return frozenset({player.name, player.shown_name, _initials(player.name)})


def _initials(name: str) -> str:
    return Player(name=name, initials=True).shown_name


def _forget(player: Player, at: datetime) -> None:
    if player.account_id is not None:
        rate_accounts_again([player.pk])
    player.name, player.account, player.initials = "", None, False
    player.removed_at = at
    # Cards with the link are worthless from now on.
    player.claim_generation += 1
    player.save()


def _clean_remarks(renamings: Iterable[Renaming], names: Collection[str]) -> None:
    """Take the names out of what was remarked on sheets: titles, reasons, beside points."""
    without = without_names(names)
    games = [renaming.game for renaming in renamings]
    for game in games:
        game.title, game.place = without(game.title), without(game.place)
    Game.objects.bulk_update(games, ["title", "place"], batch_size=100)
    remarked = Q(kind=Write.Kind.HEAD) | Q(body__type="adjustment") | ~Q(reason="")
    for first in range(0, len(games), 400):
        writes = list(Write.objects.filter(remarked, game__in=games[first : first + 400]))
        for write in writes:
            write.reason = without(write.reason)
            for said in (write.before or {}, write.body or {}):
                _clean_words(said, without)
        Write.objects.bulk_update(writes, ["reason", "before", "body"], batch_size=100)


def _clean_rulings(club: Club, names: Iterable[str]) -> None:
    """Take whole names out of the reasons of rulings, which may be about anybody."""
    without = without_names(name for name in names if not INITIALS.fullmatch(name))
    rulings = list(Ruling.objects.filter(entrant__tournament__event__club=club))
    cleaned = [(ruling, without(ruling.reason)) for ruling in rulings]
    changed = [(ruling, reason) for ruling, reason in cleaned if reason != ruling.reason]
    for ruling, reason in changed:
        ruling.reason = reason
    Ruling.objects.bulk_update((ruling for ruling, _ in changed), ["reason"], batch_size=100)


def _clean_words(said: dict[str, Any], without: Callable[[Any], Any]) -> None:
    """Take names out of what was typed freely in a head or an adjustment."""
    for field in ("title", "place", "reason"):
        if field in said and (field != "reason" or said.get("type") == "adjustment"):
            said[field] = without(said[field])


def _clean_audit(
    club: Club, players: Iterable[Player], renamings: Iterable[Renaming], names: Collection[str]
) -> None:
    """Take the names out of the lines about these players, their games and the club's events."""
    subjects = [subject_of(player) for player in players]
    subjects += [f"game:{renaming.game.public_id}" for renaming in renamings]
    lines, without = AuditLine.objects.filter(club=club), without_names(names)
    for first in range(0, len(subjects), 400):
        lines.filter(subject__in=subjects[first : first + 400]).take_out_name(without)
    # Who was seated where, and what was said of tables they left or that were taken away; there
    # initials may be another player's.
    whole = without_names(name for name in names if not INITIALS.fullmatch(name))
    lines.filter(kind__in=(AuditLine.Kind.EVENT, AuditLine.Kind.ROLE)).take_out_name(whole)
    lines.filter(SAYS_NAMES, kind=AuditLine.Kind.RESULT).take_out_name(whole)


def without_names(names: Iterable[str]) -> Callable[[Any], Any]:
    """What takes names, however written, out of a text and out of every text in JSON.

    Initials go only where they are all there is: within a sentence they may be anybody's.
    """
    # The longest first, so that no surname is left over.
    names = sorted(names, key=len, reverse=True)
    keys = {fold_name(name) for name in names}
    words = [_anyhow_written(name) for name in names if not INITIALS.fullmatch(name)]
    in_text = re.compile("|".join(words) or r"(?!)", re.IGNORECASE)

    def without(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: without(part) for key, part in value.items()}
        if isinstance(value, list):
            return [without(part) for part in value]
        if not isinstance(value, str):
            return value
        if fold_name(re.sub(r" \(\d\)$", "", value)) in keys:
            return NOBODY_NOW
        composed = unicodedata.normalize("NFC", value)
        return in_text.sub(NOBODY_NOW, composed) if in_text.search(composed) else value

    return without


def _anyhow_written(name: str) -> str:
    """A pattern for a name as a word, in capitals or not, with or without the dots of its i."""
    words = (
        "".join("[iıİI]\u0307?" if c in "iıİI" else re.escape(c) for c in word)
        for word in name.split()
    )
    return rf"(?<!\w){SPACES.join(words)}(?!\w)"
