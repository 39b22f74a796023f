"""Rename players, show them by initials, and remove their names from all that is stored."""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import JSONField, Q
from django.db.models.functions import Cast

from tournaments.engine.documents.shapes import FREE_TEXTS
from tournaments.engine.rules.entries import REMARKS
from tournaments.models import (
    AuditEntry,
    Club,
    Event,
    Game,
    Player,
    Revision,
    Ruling,
    Seat,
    Subscription,
)
from tournaments.models.people import fold_name
from tournaments.services.audit import Actor, Change, note_change
from tournaments.services.documents.reporting import remake_documents
from tournaments.services.people.players import (
    NameTaken,
    clean_name,
    find_player,
    let_names_follow,
    let_past_names_follow,
    lock_player,
    subject_of,
)
from tournaments.services.ratings.computing import rate_accounts_again

KIND = AuditEntry.Kind.PLAYER

NOBODY_NOW = "№"
"""Replaces the name of a removed player in remarks."""

SAYS_NAMES = (
    Q(action__in=("head", "confirm"))
    | ~Q(reason="")
    | Q(before__body__type="adjustment")
    | Q(after__body__type="adjustment")
)
"""Audit entries about results that can contain a name; so can all with a remark."""

for _name in REMARKS:
    SAYS_NAMES |= Q(before__body__has_key=_name) | Q(after__body__has_key=_name)

INITIALS = re.compile(r"(\w\. ?)+")
SPACES = r"\s+"


def rename_player(pk: int, name: str, by: Actor, *, at: datetime) -> Player:
    """Rename a player, also on the sheets of all their games.

    Raises:
        NameTaken: another player of the club has the name; nothing is written.
        NoName: the name is not valid.
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
    """Show a player by initials or by the whole name from now on, also on old sheets.

    Raises: Player.DoesNotExist: removed, or merged into another player.
    """
    with transaction.atomic():
        player = lock_player(pk)
        if player.initials == initials:
            return player
        called = _names_of(player)
        player.initials = initials
        player.save(update_fields=["initials"])
        # From now on it is the player's own wish, which undoing a merge keeps.
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
    """Remove a player's name from all stored data; the results stay.

    This also removes the names of players merged into this one, and the link to an account. Names
    are searched in free texts: a new one of entries belongs in `REMARKS`, one of events is declared
    `free`, and any other column needs a line in `_clean_sheets` or `_clean_club`.

    Raises: Player.DoesNotExist: removed already, or merged into another player.
    """
    with transaction.atomic():
        player = lock_player(pk)
        everyone = with_merged(player)
        names = names_ever(everyone)
        for one in everyone:
            if one.account_id is not None:
                rate_accounts_again([one.pk])
            mine = Q(entrant__player=one) | Q(entrant__partner=one)
            Subscription.objects.filter(mine).delete()
            one.name, one.account, one.initials, one.removed_at = "", None, False, at
            # Cards with the link become invalid.
            one.claim_generation += 1
            one.save()
        games = let_names_follow(Seat.objects.filter(player__in=everyone), names)
        let_past_names_follow(player.club, whole_names(player.club, names), NOBODY_NOW)
        _clean_sheets(games, names)
        _clean_club(player.club, names)
        subjects = [subject_of(one) for one in everyone]
        subjects += [f"game:{game.public_id}" for game in games]
        lines, without = AuditEntry.objects.filter(club=player.club), without_names(names)
        for first in range(0, len(subjects), 400):
            lines.about(subjects[first : first + 400]).take_out_name(without)
        remake_documents(player.club, at)
        note_change(player.club, Change(KIND, "remove", subject_of(player)), by, at=at)


def with_merged(player: Player) -> list[Player]:
    """Return a player and all players merged into this one, also by way of others."""
    everyone, latest = [player], [player]
    while latest:
        latest = list(Player.objects.filter(merged_into__in=latest))
        everyone += latest
    return everyone


def names_ever(players: Sequence[Player]) -> frozenset[str]:
    """Return every name that players of one club have had, by the audit, and its initials."""
    subjects = [subject_of(player) for player in players]
    lines = AuditEntry.objects.filter(
        club=players[0].club_id, kind=KIND, subject__in=subjects, action__in=["add", "rename"]
    )
    found = [player.name for player in players]
    for before, after in lines.values_list("before", "after"):
        found += [(state or {}).get("name", "") for state in (before, after)]
    return frozenset(form for name in found if name for form in (name, _initials(name)))


def whole_names(club: Club, names: Collection[str]) -> set[str]:
    """Return those of `names` that are unique: no initials, and of no current player."""
    whole = {name for name in names if name and not INITIALS.fullmatch(name)}
    taken = Player.objects.present().filter(club=club, name__in=whole, initials=False)
    return whole - set(taken.values_list("name", flat=True))


def _names_of(player: Player) -> frozenset[str]:
    return frozenset({player.name, player.shown_name, _initials(player.name)})


def _initials(name: str) -> str:
    return Player(name=name, initials=True).shown_name


def _clean_sheets(games: Sequence[Game], names: Collection[str]) -> None:
    """Remove the names from remarks on sheets: titles, reasons, notes."""
    without = without_names(names)
    for game in games:
        game.title, game.place = without(game.title), without(game.place)
        # Phones are kept under the names of those at the table: they are asked again.
        game.phones = []
    Game.objects.bulk_update(games, ["title", "place", "phones"], batch_size=100)
    remarked = Q(kind=Revision.Kind.HEAD) | Q(entry__type="adjustment") | ~Q(reason="")
    for name in REMARKS:
        remarked |= Q(entry__has_key=name)
    revisions = Revision.objects.annotate(entry=Cast("body", JSONField()))
    for first in range(0, len(games), 400):
        writes = list(revisions.filter(remarked, game__in=games[first : first + 400]))
        for write in writes:
            write.reason = without(write.reason)
            for body in (write.before or {}, write.body or {}):
                for field in ("title", "place", "reason", *REMARKS):
                    if field in body and (field != "reason" or body.get("type") == "adjustment"):
                        body[field] = without(body[field])
        Revision.objects.bulk_update(writes, ["reason", "before", "body"], batch_size=100)


def _clean_club(club: Club, names: Iterable[str]) -> None:
    """Remove the names from texts about others, too, where initials may be another player's."""
    without = without_names(name for name in names if not INITIALS.fullmatch(name))
    changed = []
    for ruling in Ruling.objects.filter(entrant__tournament__event__club=club):
        if (reason := without(ruling.reason)) != ruling.reason:
            ruling.reason = reason
            changed.append(ruling)
    Ruling.objects.bulk_update(changed, ["reason"], batch_size=100)
    events = Event.objects.filter(club=club)
    for name in FREE_TEXTS:
        for pk, text in events.exclude(**{name: ""}).values_list("pk", name):
            if (cleaned := without(text)) != text:
                events.filter(pk=pk).update(**{name: cleaned})
    # Entries about seating, and about tables that were left or removed.
    lines = AuditEntry.objects.filter(club=club)
    lines.filter(kind__in=(AuditEntry.Kind.EVENT, AuditEntry.Kind.ROLE)).take_out_name(without)
    lines.filter(SAYS_NAMES, kind=AuditEntry.Kind.RESULT).take_out_name(without)


def without_names(names: Iterable[str]) -> Callable[[Any], Any]:
    """Return a function that removes names, however written, from a text or all texts in JSON.

    Initials are removed only if they are the whole text: in a sentence they may be anybody's.
    """
    # The longest first, so that no surname remains.
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
    """Return a pattern for a name as a word, in any case, with or without the dots of its i."""
    words = (
        "".join("[iıİI]\u0307?" if c in "iıİI" else re.escape(c) for c in word)
        for word in name.split()
    )
    return rf"(?<!\w){SPACES.join(words)}(?!\w)"
