"""Digests of what is stored, and games that a file brings again."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q, QuerySet

from tournaments.engine.documents.entries import parse_entry, write_entry
from tournaments.models import Event, Game, Player, Round, Tournament, User
from tournaments.queries.sheets import current_bodies


@dataclass(frozen=True, slots=True)
class StoredCode:
    """What a code is of: a `game`, `round` or `tournament`, and its event if it may be seen."""

    kind: str
    event: Event | None


def digest_of_round(tournament: Tournament, number: int) -> str:
    """Return the digest of a round; empty if it is not closed (1 query)."""
    rounds = Round.objects.filter(event=tournament.event_id, number=number)
    return rounds.values_list("digest", flat=True).first() or ""


def find_code(digits: str, visitor: User | AnonymousUser | None) -> StoredCode | None:
    """Return what is stored with a digest that begins with these digits (at most 4 queries).

    Neither the round nor the table is told: the results of a last round may be hidden.
    """
    # "g" follows all hexadecimal digits. A range uses the index on every database.
    within = {"digest__gte": digits, "digest__lt": f"{digits}g"}
    rows: tuple[tuple[str, QuerySet[Any]], ...] = (
        ("game", Game.objects.filter(**within).values_list("table__round__event", flat=True)),
        ("round", Round.objects.filter(**within).values_list("event", flat=True)),
        ("tournament", Tournament.objects.filter(**within).values_list("event", flat=True)),
    )
    for kind, events in rows:
        for event in events[:1]:
            seen = Event.objects.seen_by(visitor).select_related("club", "tournament")
            return StoredCode(kind, seen.filter(pk=event).first())
    return None


Json = Mapping[str, Any]
Person = tuple[str, int]
Sheet = tuple[str, list[Any]]
"""The ruleset of a game and its entries, whoever wrote them."""


@dataclass(frozen=True, slots=True)
class KnownGame:
    """A game that is stored, with its players in seat order."""

    players: tuple[int | None, ...]
    people: frozenset[Person]
    sheet: Sheet


class KnownGames:
    """The stored games that began at some moments with some of these players (4 queries).

    A person is a player of a club, or an account with its players of all clubs.
    """

    def __init__(self, players: Collection[Player], moments: Iterable[datetime]) -> None:
        accounts = {player.account_id for player in players if player.account_id is not None}
        theirs = Q(seats__player__in=[player.pk for player in players])
        theirs |= Q(seats__player__account__in=accounts)
        rows = Game.objects.filter(theirs, played_at__in=set(moments)).distinct()
        self._by_moment: dict[datetime, list[KnownGame]] = defaultdict(list)
        for row in rows.prefetch_related("seats__player", "revisions"):
            seats = sorted(row.seats.all(), key=lambda seat: seat.number)
            writes = sorted(row.revisions.all(), key=lambda write: write.revision)
            self._by_moment[row.played_at].append(
                KnownGame(
                    tuple(seat.player_id for seat in seats),
                    frozenset(person_of(seat.player) for seat in seats),
                    (row.ruleset, _without_authors(current_bodies(writes).values())),
                )
            )

    def find(
        self, moment: datetime, players: Sequence[Player | None], sheet: Sheet
    ) -> KnownGame | None:
        keys = tuple(player and player.pk for player in players)
        people = {person_of(player) for player in players if player is not None}
        for game in self._by_moment[moment]:
            if game.players == keys or (game.sheet == sheet and game.people & people):
                return game
        return None


def person_of(player: Player) -> Person:
    """Return who a player is: an account has players in several clubs."""
    if player.account_id is None:
        return "player", player.pk
    return "account", player.account_id


def sheet_of(record: Json) -> Sheet:
    """Return the sheet of a `kingscore-game/1` record."""
    rules = record["ruleset"]
    ruleset = str(rules["id"] if isinstance(rules, Mapping) else rules)
    return ruleset, _without_authors(record["entries"])


def _without_authors(bodies: Iterable[Json]) -> list[Any]:
    """Return entries as stored in the log, without authors."""
    entries = (write_entry(replace(parse_entry(body), author=None)) for body in bodies)
    # As it was meant before rulesets said it; a record that we wrote always has it.
    return [{"to": "none", **e} if e["type"] == "adjustment" else e for e in entries]
