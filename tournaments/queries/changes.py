"""Reads: what a line of the audit names, for programs that follow the changes of clubs.

Nothing of what was written is told, only what is to be read again: whoever may see it reads it,
and for all others there is nothing at its address.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from tournaments.models import AuditLine, Event, Game, Player, Seat
from tournaments.models.audit import NAMING_ACTIONS
from tournaments.models.clubs import ClubQuerySet
from tournaments.models.play import GameQuerySet

API = "/api/v1/"

OF_ROUND = frozenset(
    ("publish-round", "take-back-round", "change-late", "put-substitute", "take-out-substitute")
)
"""What lays, changes or takes away several games of a round at once."""

OF_EVENT = frozenset(("add-event", "import-games", "import-tournament"))
"""What brings games of a whole event."""

NAMES_CHANGED = "names-changed"
"""What is told of a change of a name to those who do not belong to the club."""

Games = Mapping[tuple[int, int | None], list[str]]
"""Games by event and round; of the whole event under None."""


class Named:
    """What each of some lines names (at most 5 queries, however many they are).

    The lines come with their `club`, and their `event__tournament`. Of the games of players only
    those are named that whoever follows may see, as `seen` says.

    Whose name was changed, and in which games, is told only to those who belong to the club, as
    `own` says: to others it would tell who asked for initials or to be removed, and which lines of
    several sheets are one person.
    """

    def __init__(
        self,
        lines: Sequence[AuditLine],
        seen: GameQuerySet | None = None,
        own: ClubQuerySet | None = None,
    ) -> None:
        self._veiled = _veiled(lines, own)
        told = [line for line in lines if line.pk not in self._veiled]
        self._players = _players_in(told)
        self._laid = _laid_games(told)
        self._seated = _games_of_players(told, seen)
        self._standing = _tables_of_games(told)

    def action(self, line: AuditLine) -> str:
        """What was done."""
        return NAMES_CHANGED if line.pk in self._veiled else line.action

    def subject(self, line: AuditLine) -> str:
        """What was changed, by the name that programs know it by; empty where it is not told."""
        if line.pk in self._veiled:
            return ""
        kind, _colon, name = line.subject.partition(":")
        if kind == "player":
            return f"player:{self._players.get(name, '')}"
        return line.subject or f"club:{line.club.slug}"

    def round_of_game(self, public_id: str) -> int | None:
        """The number of the round in which a game is played that a line is about."""
        return self._standing.get(public_id)

    def resources(self, line: AuditLine) -> list[str]:
        """The addresses to read again; at one of what was removed there is nothing any more."""
        if line.pk in self._veiled:
            return [f"{API}games/?club={line.club.slug}"]
        games = chain(_games_told(line), self._games(line), self._games_of_players(line))
        return [
            *(f"{API}games/{public_id}/" for public_id in dict.fromkeys(games)),
            *self._place(line),
        ]

    def _games(self, line: AuditLine) -> list[str]:
        if line.event_id is None:
            return []
        if line.action in OF_EVENT:
            return self._laid.get((line.event_id, None), [])
        if line.action in OF_ROUND:
            return self._laid.get((line.event_id, round_of(line)), [])
        return []

    def _games_of_players(self, line: AuditLine) -> list[str]:
        return [game for name in _named_players(line) for game in self._seated.get(name, [])]

    def _place(self, line: AuditLine) -> list[str]:
        """Where it happened: the table, the round, the event, or what it is of the club."""
        club = f"{API}clubs/{line.club.slug}/"
        kind, _colon, name = self.subject(line).partition(":")
        if line.event is None:
            return _of_club(club, kind, name)
        event = event_address(line.event, line.club.slug)
        number = round_of(line)
        if kind == "table" and number is not None:
            return [f"{event}rounds/{number}/tables/{name}/", f"{event}rounds/{number}/"]
        if kind == "game":
            place = self._standing.get(name)
            return [] if place is None else [f"{event}rounds/{place}/"]
        return [event] if number is None else [f"{event}rounds/{number}/"]


def event_address(event: Event, club: str) -> str:
    """The address of an event of a club, or of the tournament that it is."""
    tournament = getattr(event, "tournament", None)
    name = f"tournaments/{tournament.slug}" if tournament else f"events/{event.public_id}"
    return f"{API}clubs/{club}/{name}/"


def round_of(line: AuditLine) -> int | None:
    """The number of the round a line says it was about."""
    for told in (line.after, line.before):
        number = told.get("round") if isinstance(told, dict) else None
        if isinstance(number, int):
            return number
    return None


def _of_club(club: str, kind: str, name: str) -> list[str]:
    places = {"player": "players", "season": "seasons", "account": "members"}
    places |= {"invitation": "invitations", "event": "events", "webhook": "webhooks"}
    return [f"{club}{places[kind]}/{name}/"] if kind in places and name else [club]


def _games_told(line: AuditLine) -> list[str]:
    """The games that a line itself names."""
    kind, _colon, name = line.subject.partition(":")
    games = [name] if kind == "game" else []
    for told in (line.before, line.after):
        if isinstance(told, dict):
            games += told.get("gone", [])
            if kind == "table":
                games += [each["game"] for each in told.get("games", [])]
    return games


def _veiled(lines: Iterable[AuditLine], own: ClubQuerySet | None) -> frozenset[int]:
    """The keys of the lines about names in clubs that are none of one's own; None: all are."""
    naming = [line for line in lines if _is_naming(line)]
    if own is None or not naming:
        return frozenset()
    clubs = {line.club_id for line in naming}
    known = set(own.filter(pk__in=clubs).values_list("pk", flat=True))
    return frozenset(line.pk for line in naming if line.club_id not in known)


def _is_naming(line: AuditLine) -> bool:
    return line.kind == AuditLine.Kind.PLAYER and line.action in NAMING_ACTIONS


def _named_players(line: AuditLine) -> list[str]:
    """The keys of the players whose names on sheets a line has changed."""
    if not _is_naming(line):
        return []
    told = line.after if isinstance(line.after, dict) else {}
    subjects = [line.subject, str(told.get("other", ""))]
    return [each.removeprefix("player:") for each in subjects if each.startswith("player:")]


def _players_in(lines: Iterable[AuditLine]) -> dict[str, str]:
    keys = {line.subject.removeprefix("player:") for line in lines if "player:" in line.subject}
    if not keys:
        return {}
    rows = Player.objects.filter(pk__in=[int(key) for key in keys])
    return {str(pk): public_id for pk, public_id in rows.values_list("pk", "public_id")}


def _laid_games(lines: Iterable[AuditLine]) -> Games:
    laid = [line for line in lines if line.event_id and line.action in OF_ROUND | OF_EVENT]
    found: dict[tuple[int, int | None], list[str]] = defaultdict(list)
    if not laid:
        return found
    rows = Game.objects.filter(table__round__event__in={line.event_id for line in laid})
    names = rows.order_by("pk").values_list(
        "table__round__event", "table__round__number", "public_id"
    )
    for event, number, public_id in names:
        found[event, number].append(public_id)
        found[event, None].append(public_id)
    return found


def _games_of_players(
    lines: Iterable[AuditLine], seen: GameQuerySet | None
) -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    keys = {key for line in lines for key in _named_players(line)}
    if keys:
        seats = Seat.objects.filter(player__in=[int(key) for key in keys]).order_by("game")
        if seen is not None:
            seats = seats.filter(game__in=seen.values("pk"))
        for player, game in seats.values_list("player", "game__public_id"):
            found[str(player)].append(game)
    return found


def _tables_of_games(lines: Iterable[AuditLine]) -> Mapping[str, int]:
    """The round in which each game is played that the lines are about."""
    names = {line.subject.removeprefix("game:") for line in lines if line.event_id}
    names = {name for name in names if ":" not in name}
    if not names:
        return {}
    rows = Game.objects.filter(public_id__in=names)
    return dict(rows.values_list("public_id", "table__round__number"))
