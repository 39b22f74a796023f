"""The document of all that is stored about a player: `export_player` writes it, part by part."""

import json
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from datetime import datetime
from tempfile import SpooledTemporaryFile
from typing import IO, Any

from django.db import transaction
from django.db.models import Prefetch, Q

from tournaments.engine.ratings.ratings import Rating
from tournaments.models import (
    AuditEntry,
    Entrant,
    Game,
    Player,
    PlayerRating,
    Ruling,
    Subscription,
    Substitute,
    Tournament,
)
from tournaments.queries.sheets import load_sheets
from tournaments.services.audit import Actor, Change, note_change
from tournaments.services.people.changes import with_merged
from tournaments.services.people.players import lock_player, subject_of

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
    # Closes the file if something fails before it is complete.
    with ExitStack() as cleanup, transaction.atomic():
        document = cleanup.enter_context(SpooledTemporaryFile(max_size=IN_MEMORY))
        player = lock_player(pk)
        change = Change(AuditEntry.Kind.PLAYER, "export", subject_of(player))
        note_change(player.club, change, by, at=at)
        document.writelines(piece.encode() for piece in _pieces(player, at))
        cleanup.pop_all()
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
            "preferred_table": entrant.preferred_table,
            "missed": entrant.missed,
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
