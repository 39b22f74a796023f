"""Past games imported as real tables of closed rounds: look up existing ones, write new ones.

Writing needs the locks of `lock_evenings`, in the order of all services: seasons, events, rounds,
people of the club.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any, Protocol

from tournaments.engine.documents.entries import write_entry
from tournaments.engine.rules.entries import Entry
from tournaments.engine.rules.rulesets import LONGEST_NAME
from tournaments.engine.variants import RULESETS
from tournaments.models import (
    AuditEntry,
    Club,
    Event,
    Game,
    Player,
    Revision,
    Round,
    Season,
    Seat,
    Table,
)
from tournaments.models.people import fold_name
from tournaments.queries.games.sheets import fold_sheet, put_computed
from tournaments.queries.rulesets import find_ruleset_of_club
from tournaments.services.audit import Actor, Change, note_change
from tournaments.services.events.events import EventPlan, start_event, subject_of
from tournaments.services.events.seasons import season_on
from tournaments.services.imports.names import Who
from tournaments.services.imports.problems import PlanChanged
from tournaments.services.people.players import add_all, lock_people, names_at_table
from tournaments.services.ratings.due import rate_event_again

Json = Mapping[str, Any]
EveningKey = tuple[date, str]
"""The day of an evening and its folded name."""


@dataclass(frozen=True)
class PastGame:
    """A game to import: place, time, players and sheet.

    `typed` are the names in the file and `who` the players they mean, both in seat order.
    """

    day: date
    evening: str
    round: int
    table: int
    who: tuple[Who, ...]
    typed: tuple[str, ...]
    ruleset: str
    entries: tuple[Entry, ...]
    played_at: datetime
    document: Json | None = None
    options: Json = field(default_factory=dict)
    first_declarer: int = 0
    title: str = ""
    place: str = ""

    @property
    def key(self) -> EveningKey:
        return self.day, fold_name(self.evening)


class GamesPlan(Protocol):
    """The preview of an import."""

    @property
    def mark(self) -> str:
        """A digest that distinguishes it from other plans for the same files."""

    @property
    def fits(self) -> bool:
        """Return whether it has no problems."""

    def past_games(self) -> list[PastGame]:
        """Return the games that do not exist yet."""


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of an import: its evenings, and the number of games and of new players."""

    events: tuple[Event, ...] = ()
    games: int = 0
    players: int = 0


def evenings_on(club: Club, days: Iterable[date]) -> dict[EveningKey, Event]:
    """Return the club evenings on some days, no tournaments; of equals the oldest (1 query)."""
    rows = Event.objects.filter(club=club, held_on__in=set(days), tournament=None)
    return {(row.held_on, fold_name(row.name)): row for row in rows.order_by("-pk")}


def lock_evenings(club_pk: int, days: Iterable[date]) -> Club:
    """Lock everything an import reads or writes, so that nobody changes evenings of these days."""
    list(Season.objects.select_for_update().filter(club=club_pk).order_by("pk").values_list("pk"))
    events = Event.objects.select_for_update(of=("self",)).filter(club=club_pk, held_on__in=days)
    rows = list(events.order_by("pk").values_list("pk", flat=True))
    rounds = Round.objects.select_for_update(of=("self",)).filter(event__in=rows)
    list(rounds.order_by("pk").values_list("pk"))
    return lock_people(club_pk)


def games_as_seen(plan: GamesPlan, seen: str) -> list[PastGame]:
    """Return the games of a plan to write; `seen` is the mark of the plan shown in the preview.

    Raises:
        PlanChanged: the plan differs now, or has problems.
    """
    if plan.mark != seen or not plan.fits:
        raise PlanChanged(plan)
    return plan.past_games()


def import_games(
    club: Club, games: Sequence[PastGame], change: Change, by: Actor, *, at: datetime
) -> Imported:
    """Write games, if there are any, and add the audit entry."""
    if not games:
        return Imported()
    done = write_games(club, games, by, at=at)
    params = {"games_imported": done.games, "new_players": done.players}
    note_change(club, replace(change, after=params), by, at=at)
    return done


def write_games(club: Club, games: Sequence[PastGame], by: Actor, *, at: datetime) -> Imported:
    """Write checked games; missing evenings, rounds and players are created."""
    players, added = _players(club, games, by, at)
    events, made = _events(club, games, at)
    places = _rounds(games, events)
    laid = [(game, places[*game.key, game.round]) for game in games]
    tables = Table.objects.bulk_create(
        Table(round=round_, number=game.table) for game, round_ in laid
    )
    rows = Game.objects.bulk_create(
        _row(game, table, [_player(players, who) for who in game.who])
        for game, table in zip(games, tables, strict=True)
    )
    _seat(rows, games, players)
    _write_sheets(rows, games, at)
    for event in dict.fromkeys(events.values()):
        # Followers of an existing event are notified too.
        action, after = ("add-event", _details(event)) if event in made else ("import-games", None)
        change = Change(AuditEntry.Kind.EVENT, action, subject_of(event), after=after, event=event)
        note_change(club, change, by, at=at)
    for event in events.values():
        rate_event_again(event)
    return Imported(tuple(dict.fromkeys(events.values())), len(rows), added)


def _players(
    club: Club, games: Sequence[PastGame], by: Actor, at: datetime
) -> tuple[dict[str, Player], int]:
    """Add new players; return them by folded name, and their number."""
    names = {fold_name(who): who for game in games for who in game.who if isinstance(who, str)}
    added = add_all(club, list(names.values()), by, at=at) if names else []
    return dict(zip(names, added, strict=True)), len(added)


def _player(new: Mapping[str, Player], who: Who) -> Player:
    return new[fold_name(who)] if isinstance(who, str) else who


def _events(
    club: Club, games: Sequence[PastGame], at: datetime
) -> tuple[dict[EveningKey, Event], list[Event]]:
    """Return the evenings of games, and the newly created ones among them."""
    events = evenings_on(club, (game.day for game in games))
    made = []
    for game in games:
        if game.key in events:
            continue
        events[game.key], _new = start_event(club, _plan(club, game), None, at)
        made.append(events[game.key])
    return {game.key: events[game.key] for game in games}, made


def _plan(club: Club, game: PastGame) -> EventPlan:
    """Return the plan of a game's evening; its ruleset becomes the default of tables."""
    known = find_ruleset_of_club(game.ruleset, club) is not None
    ruleset, options = (game.ruleset, game.options) if known else (next(iter(RULESETS)), {})
    return EventPlan(game.evening, game.day, ruleset, options, season_on(club, game.day))


def _rounds(
    games: Sequence[PastGame], events: Mapping[EveningKey, Event]
) -> dict[tuple[date, str, int], Round]:
    """Return the rounds of games; new ones are closed, in order."""
    stood = {
        (round_.event_id, round_.number): round_
        for round_ in Round.objects.filter(event__in=events.values())
    }
    moments: dict[tuple[date, str, int], list[datetime]] = defaultdict(list)
    for game in games:
        moments[*game.key, game.round].append(game.played_at)
    rounds: dict[tuple[date, str, int], Round] = {}
    last: dict[int, datetime] = {}
    for (day, evening, number), played in sorted(moments.items()):
        event = events[day, evening]
        round_ = stood.get((event.pk, number))
        if round_ is None:
            over = max(*played, last.get(event.pk, played[0]))
            last[event.pk] = over
            round_ = Round.objects.create(
                event=event, number=number, opened_at=min(played), closed_at=over
            )
        rounds[day, evening, number] = round_
    return rounds


def _row(game: PastGame, table: Table, players: Sequence[Player]) -> Game:
    return Game(
        table=table,
        ruleset=game.ruleset,
        document=game.document,
        options=game.options,
        players=names_at_table(players),
        first_declarer=game.first_declarer,
        title=game.title or game.evening,
        place=game.place,
        played_at=game.played_at,
        revision=len(game.entries),
    )


def _seat(rows: Sequence[Game], games: Sequence[PastGame], new: Mapping[str, Player]) -> None:
    Seat.objects.bulk_create(
        Seat(game=row, number=number, player=_player(new, who))
        for row, game in zip(rows, games, strict=True)
        for number, who in enumerate(game.who)
    )


def _write_sheets(rows: Sequence[Game], games: Sequence[PastGame], at: datetime) -> None:
    """Write the entries of sheets, and store each game's result."""
    writes = []
    for row, game in zip(rows, games, strict=True):
        called = dict(zip(game.typed, row.players, strict=True))
        own = [_write(row, number, entry, called, at) for number, entry in enumerate(game.entries)]
        put_computed(fold_sheet(row, tuple(own)))
        writes += own
    Revision.objects.bulk_create(writes, batch_size=1000)
    Game.objects.bulk_update(rows, ["result", "digest"], batch_size=100)


def _write(
    row: Game, number: int, entry: Entry, called: Mapping[str, str], at: datetime
) -> Revision:
    """Return an entry of the file as a revision; its author gets the name shown on the sheet."""
    author = entry.author or ""
    return Revision(
        game=row,
        revision=number + 1,
        key=f"import-{number:06}",
        kind=Revision.Kind.ENTRY,
        position=number,
        body=write_entry(replace(entry, author=None)),
        author=called.get(author, author)[:LONGEST_NAME],
        at=at,
    )


def _details(event: Event) -> dict[str, Any]:
    return {"name": event.name, "held_on": str(event.held_on), "ruleset": event.ruleset}
