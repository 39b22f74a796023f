"""Change and remove players, and give them what is stored about them."""

import json
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack
from datetime import datetime
from tempfile import SpooledTemporaryFile
from typing import IO, Any

from django.db import IntegrityError, transaction
from django.db.models import JSONField, Prefetch, Q
from django.db.models.functions import Cast

from tournaments.engine.documents.shapes import FREE_TEXTS
from tournaments.engine.ratings.ratings import Rating
from tournaments.engine.rules.entries import REMARKS
from tournaments.models import (
    AuditEntry,
    Club,
    Entrant,
    Event,
    Game,
    Player,
    PlayerRating,
    Revision,
    Ruling,
    Seat,
    Subscription,
    Substitute,
    Tournament,
)
from tournaments.models.people import fold_name
from tournaments.queries.sheets import load_sheets
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

    This also removes the names of players merged into this one, and the link to an account.

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
    everyone, latest = [player], [player]
    while latest:
        latest = list(Player.objects.filter(merged_into__in=latest))
        everyone += latest
    return everyone


def names_ever(players: Sequence[Player]) -> frozenset[str]:
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
    Game.objects.bulk_update(games, ["title", "place"], batch_size=100)
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


FORMAT = "kingscore-player/1"

AT_ONCE = 200
"""Games in memory at a time; each batch takes a fixed number of queries."""


IN_MEMORY = 1 << 20
"""A longer document, in bytes, is buffered on disk until it is sent."""


def export_player(pk: int, by: Actor, *, at: datetime) -> IO[bytes]:
    """Return player, account, games, tournaments and audit entries as a file.

    It contains about others only the data of the sheets, and not who made a change. Everything is
    read before the first byte is sent, so the audit entry means that the document was complete.

    Raises: Player.DoesNotExist: removed, or merged into another player.
    """
    with ExitStack() as unless_made, transaction.atomic():
        document = unless_made.enter_context(SpooledTemporaryFile(max_size=IN_MEMORY))
        player = lock_player(pk)
        change = Change(AuditEntry.Kind.PLAYER, "export", subject_of(player))
        note_change(player.club, change, by, at=at)
        document.writelines(piece.encode() for piece in _pieces(player, at))
        unless_made.pop_all()
    document.seek(0)
    return document


def _pieces(player: Player, at: datetime) -> Iterator[str]:
    people, account = with_merged(player), player.account
    head = {
        "format": FORMAT,
        "exported_at": at.isoformat(),
        "player": {
            "name": player.name,
            "initials": player.initials,
            "created_at": player.created_at.isoformat(),
            "merged": [
                {"name": one.name, "created_at": one.created_at.isoformat()} for one in people[1:]
            ],
        },
        "club": {"name": player.club.name, "slug": player.club.slug},
        "account": account and {"name": account.first_name, "email": account.email},
    }
    yield json.dumps(head, ensure_ascii=False)[:-1]
    yield from _list("games", _games(player))
    yield from _list("tournaments", _tournaments(player))
    yield from _list("ratings", _ratings(player))
    yield from _list("notifications", _notifications(player))
    yield from _list("changes", _changes(player, people))
    yield "\n}\n"


def _list(name: str, values: Iterable[dict[str, Any]]) -> Iterator[str]:
    yield f',\n"{name}": ['
    between = "\n"
    for value in values:
        yield between + json.dumps(value, ensure_ascii=False)
        between = ",\n"
    yield "]"


def _games(player: Player) -> Iterator[dict[str, Any]]:
    seats = list(player.seats.order_by("game__played_at", "game_id"))
    for first in range(0, len(seats), AT_ONCE):
        batch = seats[first : first + AT_ONCE]
        rows = Game.objects.filter(pk__in=[seat.game_id for seat in batch])
        found = {row.pk: row for row in rows.select_related("table__round__event")}
        records = {sheet.row.pk: sheet.record for sheet in load_sheets(found.values())}
        for seat in batch:
            row = found[seat.game_id]
            game: dict[str, Any] = {"seat": seat.number, "record": records[row.pk]}
            if row.table is not None:
                round_ = row.table.round
                game["event"] = {
                    "name": round_.event.name,
                    "held_on": round_.event.held_on.isoformat(),
                    "round": round_.number,
                    "table": row.table.number,
                }
            yield game


def _tournaments(player: Player) -> Iterator[dict[str, Any]]:
    mine = Entrant.objects.filter(Q(player=player) | Q(partner=player)).order_by(
        "tournament__event__held_on", "pk"
    )
    rows = mine.select_related("tournament__event").prefetch_related(
        Prefetch("rulings", Ruling.objects.select_related("round").order_by("pk"))
    )
    for entrant in rows:
        moments = {"registered_at": entrant.registered_at, "withdrawn_at": entrant.withdrawn_at}
        yield {
            **_day(entrant.tournament),
            "entrant": entrant.key,
            "team": entrant.team,
            "represents": entrant.represents,
            **{name: at.isoformat() for name, at in moments.items() if at is not None},
            "rulings": [
                {
                    "round": ruling.round.number,
                    "kind": ruling.kind,
                    "points": ruling.points,
                    "reason": ruling.reason,
                    "at": ruling.at.isoformat(),
                }
                for ruling in entrant.rulings.all()
            ],
        }
    places = Substitute.objects.filter(player=player).order_by("pk")
    for place in places.select_related("entrant__tournament__event"):
        yield {
            **_day(place.entrant.tournament),
            "entrant": place.entrant.key,
            "substitute_in_round": place.round_number,
        }


def _day(tournament: Tournament) -> dict[str, str]:
    event = tournament.event
    held_on = event.held_on.isoformat()
    return {"slug": tournament.slug, "name": event.name, "held_on": held_on}


def _ratings(player: Player) -> Iterator[dict[str, Any]]:
    people = [f"p{player.pk}", *([f"a{player.account_id}"] if player.account_id else [])]
    of_club = Q(pool__club=player.club) | Q(pool__club=None)
    rows = PlayerRating.objects.filter(of_club, person__in=people).order_by("pk")
    for row in rows.select_related("pool"):
        mine = row.changes.filter(game__seats__player=player).order_by("number")
        yield {
            "family": row.pool.family,
            "among": "club" if row.pool.club_id else "server",
            "games": row.games,
            "last_at": row.last_at.isoformat(),
            **_details(row.rating),
            "changes": [
                {
                    "at": each.at.isoformat(),
                    "before": _details(each.before),
                    "after": _details(each.after),
                }
                for each in mine.iterator(AT_ONCE)
            ],
        }


def _details(rating: Rating) -> dict[str, float]:
    return {"rating": rating.mean, "deviation": rating.deviation}


def _notifications(player: Player) -> Iterator[dict[str, Any]]:
    about = Q(entrant__player=player) | Q(entrant__partner=player)
    if player.account_id is not None:
        about |= Q(user=player.account_id)
    rows = Subscription.objects.filter(about).order_by("pk").distinct()
    for row in rows.select_related("entrant__tournament__event"):
        yield {
            "by": "push" if row.phone else "e-mail",
            "endpoint": row.endpoint,
            "language": row.language,
            "since": row.created_at.isoformat(),
            "tournament": _day(row.entrant.tournament) if row.entrant else None,
        }


def _changes(player: Player, people: Iterable[Player]) -> Iterator[dict[str, Any]]:
    subjects = [subject_of(one) for one in people]
    lines = AuditEntry.objects.filter(club=player.club).about(subjects).order_by("pk")
    for line in lines:
        details = {"before": line.before, "after": line.after, "reason": line.reason}
        yield {
            "at": line.at.isoformat(),
            "action": line.action,
            **{name: value for name, value in details.items() if value},
        }
