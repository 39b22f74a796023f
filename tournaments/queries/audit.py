"""The resources that audit entries refer to, for programs that follow the changes of clubs.

The feed contains no recorded values, only addresses to read again. Whoever may see a resource can
read it; for all others its address returns nothing.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from tournaments.models import AuditEntry, Game, Player, Seat
from tournaments.models.audit import NAMING_ACTIONS
from tournaments.models.clubs import ClubQuerySet
from tournaments.models.games import GameQuerySet

API = "/api/v1/"

OF_ROUND = frozenset(
    (
        *("publish-round", "take-back-round", "change-late", "exchange-seats"),
        *("put-substitute", "take-out-substitute", "leave-table", "arrive-late", "undo-coming"),
    )
)
"""Actions that create, change or remove several games of a round at once."""

OF_EVENT = frozenset(("add-event", "import-games", "import-tournament"))
"""Actions that add games of a whole event."""

NAMES_CHANGED = "names-changed"
"""The action that non-members see instead of a change of a name."""

Games = Mapping[tuple[int, int | None], list[str]]
"""Games by event and round; None is the key for the whole event."""


class Named:
    """The resources of some audit entries (at most 5 queries, however many entries).

    The entries come with their `club` and their `event__tournament`. Players' games are included
    only if the follower may see them, as `seen` defines.

    Changes of names, and the games they affect, are shown only to members of the club, as `own`
    defines. To others they would reveal who asked for initials or for removal, and which rows on
    several sheets are the same person.
    """

    def __init__(
        self,
        lines: Sequence[AuditEntry],
        seen: GameQuerySet | None = None,
        own: ClubQuerySet | None = None,
    ) -> None:
        self._veiled = _veiled(lines, own)
        details = [line for line in lines if line.pk not in self._veiled]
        self._players: Mapping[str, str] = {}
        """The public identifier of each player that an entry is about, by key."""
        keys = {
            line.subject.removeprefix("player:") for line in details if "player:" in line.subject
        }
        if keys:
            rows = Player.objects.filter(pk__in=[int(key) for key in keys])
            self._players = {str(pk): name for pk, name in rows.values_list("pk", "public_id")}
        self._laid = _laid_games(details)
        self._seated = _games_of_players(details, seen)
        self._standing: Mapping[str, int] = {}
        """The number of the round of each game that an entry is about."""
        names = {line.subject.removeprefix("game:") for line in details if line.event_id}
        if names := {name for name in names if ":" not in name}:
            games = Game.objects.filter(public_id__in=names)
            self._standing = dict(games.values_list("public_id", "table__round__number"))

    def action(self, line: AuditEntry) -> str:
        """Return the action, without details of a changed name for non-members."""
        return NAMES_CHANGED if line.pk in self._veiled else line.action

    def subject(self, line: AuditEntry) -> str:
        """Return the public identifier of the subject; empty where it is hidden."""
        if line.pk in self._veiled:
            return ""
        kind, _colon, name = line.subject.partition(":")
        if kind == "player":
            return f"player:{self._players.get(name, '')}"
        return line.subject or f"club:{line.club.slug}"

    def round_of_game(self, public_id: str) -> int | None:
        return self._standing.get(public_id)

    def resources(self, line: AuditEntry) -> list[str]:
        """Return the addresses to read again; those of removed resources return nothing."""
        if line.pk in self._veiled:
            return [f"{API}games/?club={line.club.slug}"]
        games = chain(_games_named(line), self._games(line), self._games_of_players(line))
        return [
            *(f"{API}games/{public_id}/" for public_id in dict.fromkeys(games)),
            *self._place(line),
        ]

    def _games(self, line: AuditEntry) -> list[str]:
        if line.event_id is not None and line.action in OF_EVENT:
            return self._laid.get((line.event_id, None), [])
        if line.event_id is not None and line.action in OF_ROUND:
            return self._laid.get((line.event_id, round_of(line)), [])
        return []

    def _games_of_players(self, line: AuditEntry) -> list[str]:
        return [game for name in _named_players(line) for game in self._seated.get(name, [])]

    def _place(self, line: AuditEntry) -> list[str]:
        club = f"{API}clubs/{line.club.slug}/"
        kind, _colon, name = self.subject(line).partition(":")
        if line.event is None:
            places = {"player": "players", "season": "seasons", "account": "members"}
            places |= {"invitation": "invitations", "event": "events", "webhook": "webhooks"}
            return [f"{club}{places[kind]}/{name}/"] if kind in places and name else [club]
        tournament = getattr(line.event, "tournament", None)
        at = f"tournaments/{tournament.slug}" if tournament else f"events/{line.event.public_id}"
        event = f"{club}{at}/"
        number = round_of(line)
        if kind == "table" and number is not None:
            return [f"{event}rounds/{number}/tables/{name}/", f"{event}rounds/{number}/"]
        if kind == "game":
            number = self._standing.get(name)
            return [] if number is None else [f"{event}rounds/{number}/"]
        return [event] if number is None else [f"{event}rounds/{number}/"]


def round_of(line: AuditEntry) -> int | None:
    for details in (line.after, line.before):
        number = details.get("round") if isinstance(details, dict) else None
        if isinstance(number, int):
            return number
    return None


def _games_named(line: AuditEntry) -> list[str]:
    kind, _colon, name = line.subject.partition(":")
    games = [name] if kind == "game" else []
    for details in (line.before, line.after):
        if isinstance(details, dict):
            games += details.get("gone", [])
            if kind == "table":
                games += [game["game"] for game in details.get("games", [])]
    return games


def _veiled(lines: Iterable[AuditEntry], own: ClubQuerySet | None) -> frozenset[int]:
    """Return the keys of the entries about names in clubs outside `own`; None hides all."""
    naming = [line for line in lines if _is_naming(line)]
    if own is None or not naming:
        return frozenset()
    clubs = {line.club_id for line in naming}
    known = set(own.filter(pk__in=clubs).values_list("pk", flat=True))
    return frozenset(line.pk for line in naming if line.club_id not in known)


def _is_naming(line: AuditEntry) -> bool:
    return line.kind == AuditEntry.Kind.PLAYER and line.action in NAMING_ACTIONS


def _named_players(line: AuditEntry) -> list[str]:
    if not _is_naming(line):
        return []
    details = line.after if isinstance(line.after, dict) else {}
    subjects = [line.subject, str(details.get("other", ""))]
    return [
        subject.removeprefix("player:") for subject in subjects if subject.startswith("player:")
    ]


def _laid_games(lines: Iterable[AuditEntry]) -> Games:
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
    lines: Iterable[AuditEntry], seen: GameQuerySet | None
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
