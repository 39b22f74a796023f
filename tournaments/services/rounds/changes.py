"""Exchange seats of a proposal or a published round, and let entrants in or out late.

Begin at `swap_seats` and `exchange_seats`, at `change_late`, and at `replace_player`.
"""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypeVar

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from tournaments.engine.pairing.judging import InvalidSeating, judge
from tournaments.engine.pairing.methods import (
    ImpossibleChange,
    LateChange,
    Published,
    Swapped,
    late_change,
    swap,
)
from tournaments.engine.standings.results import RoundResults
from tournaments.models import Entrant, Game, Revision, Round, Seat, Sitting, Table
from tournaments.queries.state import (
    DrawnTable,
    SeatedRound,
    TournamentState,
    field_of,
    load_state,
)
from tournaments.services.audit import Actor
from tournaments.services.base.writes import Refused
from tournaments.services.entrants.substituting import TakesPart
from tournaments.services.events.events import lock_tables_of, seal_rounds
from tournaments.services.games.playing import seat_others
from tournaments.services.games.seating import TableSeating, move_players
from tournaments.services.games.writing import WriteContext
from tournaments.services.people.players import lock_people
from tournaments.services.rounds.proposals import (
    NoSuchMember,
    NotOfTeam,
    add_house_players,
    check_room,
    engine_refusals,
    house_registered,
)
from tournaments.services.rounds.rulings import NotInRound
from tournaments.services.rounds.seating import (
    AcrossSections,
    SeatingDraft,
    SeatingMoved,
    clear_tables,
    field_seated,
    games_of,
    lay_tables,
    lock_drawn,
    lock_published,
    lock_seated,
    players_at,
    put_seating,
)
from tournaments.services.tournaments.lifecycle import WrongState, note, touch


class BetweenTables(Refused, code="between-tables", where="entries"):
    sentence = _("Between tables the entries stay with the chairs: they belong to the table.")


@dataclass(frozen=True, slots=True)
class Exchange:
    """Entrants by key: each takes the chair of the next one, and the last that of the first.

    Of one pair alone, the partners change seats. Entries of their tables stay with the chairs, or
    go `with_people`.
    """

    who: Sequence[str]
    with_people: bool = False
    reason: str = ""

    @property
    def turned(self) -> Mapping[str, str]:
        return dict(zip((*self.who[1:], *self.who[:1]), self.who, strict=True))

    @property
    def of_partners(self) -> bool:
        return len(self.who) == 1


def swap_of(state: TournamentState, round_: Round, one: str, other: str) -> Swapped:
    """Preview a seated round after swapping two entrants, by key, with the effects.

    Raises: InvalidSeating: one of them is not in the seating, or is not present.
    """
    seating = round_.seating or {"tables": [], "byes": []}
    field = field_seated(state, round_)
    return swap(field, judge(field, seating["tables"], seating["byes"]), one, other)


def swap_seats(  # noqa: PLR0913 - who, with whom, and as it was seen
    round_pk: int, one: str, other: str, by: Actor, *, seen: int, at: datetime
) -> Round:
    """Swap two entrants of a proposal, by key; `seen` is the tournament's revision in the preview.

    Raises: SeatingMoved, WrongState, InvalidSeating.
    """
    with transaction.atomic():
        tournament, round_ = lock_seated(round_pk)
        if tournament.revision != seen:
            raise SeatingMoved
        return _change_proposal(round_, Exchange((one, other)), by, at)


def exchanged(state: TournamentState, round_: Round, exchange: Exchange) -> TournamentState:
    """Return a tournament as after an exchange in which the entries stay with the chairs."""
    rounds = tuple(
        _turned(seated, exchange.turned) if seated.row.pk == round_.pk else seated
        for seated in state.seated_rounds
    )
    results = tuple(
        _turned(result, exchange.turned) if result.number == round_.number else result
        for result in state.results
    )
    return replace(state, seated_rounds=rounds, results=results)


def exchange_seats(
    round_pk: int, exchange: Exchange, by: Actor, *, seen: int, at: datetime
) -> Round:
    """Let entrants take each other's chairs in a round, whether played or not.

    Cards and addresses of the tables stay valid. `seen` is the tournament's revision in the
    preview.

    Raises: SeatingMoved, NotInRound, BetweenTables, AcrossSections, LaterEntryInvalid, WrongState,
    InvalidSeating. Nothing is written then.
    """
    with transaction.atomic():
        tournament, round_ = lock_drawn(round_pk)
        if tournament.revision != seen:
            raise SeatingMoved
        if round_.published_at is None:
            return _change_proposal(round_, exchange, by, at)
        # Merging two players locks seats, then games; here seats are changed last.
        lock_people(tournament.event.club_id)
        lock_tables_of(round_)
        state = load_state(tournament)
        seated = state.seating_of(round_)
        here = {key for table in seated.tables for key in table.entrants} | {*seated.byes}
        if not here.issuperset(exchange.who) or len({*exchange.who}) < len(exchange.who):
            raise NotInRound
        chairs = {key: table.entrants for table in seated.tables for key in table.entrants}
        if len({state.section_at(chairs.get(key, (key,))) for key in exchange.who}) > 1:
            raise AcrossSections
        after = _turned(seated, exchange.turned).tables
        changed = [(a, b) for a, b in zip(seated.tables, after, strict=True) if a != b]
        if exchange.of_partners:
            changed = [(each, each) for each in seated.tables if exchange.who[0] in each.entrants]
            if not changed or state.entrants[exchange.who[0]].partner_id is None:
                raise NotInRound
        if exchange.with_people and len(changed) != 1:
            raise BetweenTables
        _seat_entrants(state, seated, exchange)
        context = WriteContext(secrets.token_urlsafe(12), 0, at, by=by)
        _seat_players(state, changed, exchange, round_.number, context)
        touch(tournament)
        details: dict[str, Any] = {"round": round_.number, "entrants": list(exchange.who)}
        if exchange.with_people:
            details["with_people"] = True
        note(tournament, "exchange-seats", by, at, after=details, reason=exchange.reason)
        if round_.closed_at is not None:
            seal_rounds(tournament, by, at=at)
    return round_


def _change_proposal(round_: Round, exchange: Exchange, by: Actor, at: datetime) -> Round:
    turned = exchange.turned
    seating = round_.seating or {"tables": [], "byes": [], "locked": []}
    tables = [[turned.get(name, name) for name in table] for table in seating["tables"]]
    byes = [turned.get(name, name) for name in seating["byes"]]
    draft = SeatingDraft(tables, byes, seating.get("locked", []))
    return put_seating(round_.pk, draft, by, at=at)


Seated = TypeVar("Seated", SeatedRound, RoundResults)


def _turned(seated: Seated, turned: Mapping[str, str]) -> Seated:
    tables: tuple[Any, ...] = tuple(
        replace(table, entrants=tuple(turned.get(key, key) for key in table.entrants))
        for table in seated.tables
    )
    return replace(seated, tables=tables, byes=tuple(turned.get(key, key) for key in seated.byes))


def _seat_entrants(state: TournamentState, seated: SeatedRound, exchange: Exchange) -> None:
    moved = [state.entrants[key].pk for key in exchange.who]
    stood = {row.entrant_id: row for row in seated.row.sittings.filter(entrant__in=moved)}
    seated.row.sittings.filter(entrant__in=moved).delete()
    Sitting.objects.bulk_create(
        Sitting(
            round=seated.row,
            entrant=state.entrants[key],
            table_id=(chair := stood[state.entrants[of].pk]).table_id,
            side=chair.side,
        )
        for of, key in exchange.turned.items()
    )


Changed = Sequence[tuple[DrawnTable, DrawnTable]]
"""The tables that change: as they were, and as they are to be."""


def _seat_players(
    state: TournamentState, changed: Changed, exchange: Exchange, number: int, context: WriteContext
) -> None:
    tables = [table.pk for table, _new in changed]
    games = {row.table_id: row for row in Game.objects.filter(table__in=tables)}
    rows = Seat.objects.filter(game__in=games.values())
    # A row goes with its player: undoing a merge finds it by its key.
    keys = dict(rows.values_list("player_id", "pk"))
    sitting = {(each.game_id, each.number): each.player for each in rows.select_related("player")}
    rows.delete()
    for table, new in changed:
        row = games[table.pk]
        players = players_at(state, number, [state.entrants[key] for key in new.entrants])
        to: Sequence[int] = ()
        if exchange.of_partners:
            side = new.entrants.index(exchange.who[0])
            one, other = (seat for seat, of in enumerate(state.rules.sides) if of == side)
            to = [
                {one: other, other: one}.get(seat, seat) for seat in range(len(state.rules.sides))
            ]
            players = [sitting[row.pk, seat] for seat in to]
        elif exchange.with_people:
            sides = state.rules.sides
            chairs = [
                [seat for seat, of in enumerate(sides) if of == side]
                for side in range(len(table.entrants))
            ]
            moves = {
                old: new_seat
                for key, own in zip(table.entrants, chairs, strict=True)
                for old, new_seat in zip(own, chairs[new.entrants.index(key)], strict=True)
            }
            to = [moves[seat] for seat in range(len(sides))]
        seating = TableSeating(tuple(players), keys)
        at_table = replace(context, revision=row.revision)
        if exchange.with_people and row.revision:
            move_players(row, seating, to, exchange.reason, at_table)
        else:
            seat_others(row, seating, at_table)


@engine_refusals()
def change_late(
    round_pk: int,
    by: Actor,
    *,
    at: datetime,
    arriving: Sequence[int] = (),
    leaving: Sequence[int] = (),
) -> LateChange:
    """Seat late arrivals in a published round and remove departures; both are keys of entrants.

    Tables that have begun stay as they are. House players are added and removed as needed.

    Raises: WrongState, TakesPart, ImpossibleChange, InvalidSeating, LineUpFull. Nothing is written
    then.
    """
    with transaction.atomic():
        tournament, round_, state = lock_published(round_pk)
        seated = state.seating_of(round_)
        keys = {entrant.pk: key for key, entrant in state.entrants.items()}
        if not keys.keys() >= {*arriving, *leaving}:
            raise WrongState(tournament.state)
        gone, come = sorted({keys[pk] for pk in leaving}), [keys[pk] for pk in arriving]
        moves = _Moves(state, seated, come, gone)
        moves.check()
        if moves.arriving:
            check_room(state, round_.number, {*moves.here, *moves.arriving} - {*moves.leaving})
        missing = {section: moves.house_missing(section) for section in state.sections}
        moves = replace(moves, state=add_house_players(state, missing, by, at=at)).with_house()
        moves.note_presence()
        change = moves.change()
        stood = games_of(round_)
        _apply(moves, change, WriteContext(new_key(), 0, at, by=by))
        deleted = sorted({*stood} - {*games_of(round_)})
        touch(tournament)
        details = {"round": round_.number, "arriving": moves.arriving, "leaving": moves.leaving}
        details |= {"gone": deleted} if deleted else {}
        note(tournament, "change-late", by, at, after=details)
    return change


def preview_late(
    state: TournamentState, round_: Round, arriving: Sequence[str] = (), leaving: Sequence[str] = ()
) -> LateChange | None:
    """Preview `change_late` by key; None if it is refused or registers house players."""
    moves = _Moves(state, state.seating_of(round_), [*arriving], [*leaving])
    try:
        moves.check()
        if any(moves.house_missing(section) > 0 for section in state.sections):
            return None
        return moves.with_house().change()
    except (ImpossibleChange, InvalidSeating, Refused):
        return None


def replace_player(round_pk: int, player: str, reserve: str, by: Actor, *, at: datetime) -> None:
    """Let a reserve take the chair of a player in a published round, both by key. Idempotent.

    Raises: WrongState, NotOfTeam, NotInRound, TakesPart, ImpossibleChange. Nothing is written then.
    """
    with transaction.atomic(), engine_refusals():
        tournament, round_, state = lock_published(round_pk)
        seated = state.seating_of(round_)
        if not {player, reserve} <= state.entrants.keys():
            raise NoSuchMember
        team = state.entrants[player].team
        if not team or reserve not in state.teams.get(team, ()):
            raise NotOfTeam(state.entrants[reserve], team)
        if reserve in seated.names and player not in seated.names:
            return
        if player not in seated.names or reserve in seated.names:
            raise NotInRound
        _Moves(state, seated, [reserve], [player]).check()
        context = WriteContext(new_key(), 0, at, by=by)
        table = next((each for each in seated.tables if player in each.entrants), None)
        if table is None or table.pk is None:
            sitting = Sitting.objects.filter(round=round_, entrant=state.entrants[player])
            sitting.update(entrant=state.entrants[reserve])
        elif seated.tables.index(table) in begun_at(seated):
            raise ImpossibleChange("begun", table.number - 1)
        else:
            Sitting.objects.filter(round=round_, table=table.pk).delete()
            keys = [reserve if key == player else key for key in table.entrants]
            entrants = [state.entrants[key] for key in keys]
            seat_anew(state, round_, Table.objects.get(pk=table.pk), entrants, context)
        _Moves(state, seated, [reserve]).note_presence()
        touch(tournament)
        details = {"round": round_.number, "arriving": [reserve], "leaving": [player]}
        note(tournament, "change-late", by, at, after=details)


def who_can_come(state: TournamentState, seated: SeatedRound) -> list[Entrant]:
    """Return the entrants who can still be seated in a published round: those without a seat."""
    moves = _Moves(state, seated)
    taken = moves.players_of(moves.here)
    return [
        each
        for key, each in state.entrants.items()
        if key not in seated.names
        and each.withdrawn_at is None
        and not taken & moves.players_of([key])
    ]


def new_key() -> str:
    return secrets.token_urlsafe(12)


@dataclass(frozen=True, slots=True)
class _Moves:
    """Who comes late to a published round, and who leaves it, by key."""

    state: TournamentState
    seated: SeatedRound
    arriving: Sequence[str] = ()
    leaving: Sequence[str] = ()

    @property
    def here(self) -> list[str]:
        at_tables = (name for table in self.seated.tables for name in table.entrants)
        return [*at_tables, *self.seated.byes]

    @property
    def held(self) -> list[str]:
        """Entrants with a bye who are substitutes at a table and so cannot be seated."""
        at_tables = [name for table in self.seated.tables for name in table.entrants]
        taken = self.players_of(name for name in at_tables if name not in self.leaving)
        out = [name for name in self.seated.byes if name not in self.leaving]
        return [name for name in out if taken & self.players_of([name])]

    def players_of(self, names: Iterable[str]) -> set[int]:
        state, number = self.state, self.seated.row.number
        entrants = [state.entrants[name] for name in names]
        return {player.pk for entrant in entrants for player in state.players_of(entrant, number)}

    def check(self) -> None:
        """Refuse withdrawn entrants, and players who would sit twice in the round."""
        seats = Seat.objects.filter(game__table__round=self.seated.row)
        sitting = {*seats.values_list("player_id", flat=True)}
        taken = sitting - self.players_of(self.leaving)
        taken |= self.players_of(name for name in self.here if name not in self.leaving)
        for name in self.arriving:
            entrant = self.state.entrants[name]
            if entrant.withdrawn_at is not None:
                raise WrongState(self.state.tournament.state)
            players = self.state.players_of(entrant, self.seated.row.number)
            for player in players:
                if player.pk in taken and name not in self.seated.names:
                    raise TakesPart(player)
            taken |= {player.pk for player in players}

    def note_presence(self) -> None:
        moved = [self.state.entrants[name] for name in (*self.arriving, *self.leaving)]
        for name in self.arriving:
            self.state.entrants[name].come_in(self.seated.row.number)
        for name in self.leaving:
            self.state.entrants[name].checked_in = 0
        Entrant.objects.bulk_update(moved, ["joins_in", "checked_in"])

    def in_section(self, names: Iterable[str], section: str) -> list[str]:
        here = self.state.of_section(self.seated, section).names
        seated = {name for table in self.seated.tables for name in table.entrants}
        entrants, section_of = self.state.entrants, self.state.section_of
        return [
            name
            for name in names
            if name in here or (name not in seated and section_of(entrants[name]) == section)
        ]

    @property
    def has_house(self) -> bool:
        return self.state.settings.odd == "house" and not self.seated.row.stage

    def house_of(self, section: str) -> tuple[list[str], list[str], list[str], int]:
        """Return house players of a section who must play, may leave, and can come, by key.

        The number is that of the other entrants.
        """
        state, seated = self.state, self.seated
        away = {*self.leaving, *self.held}
        names = self.in_section([*self.here, *self.arriving], section)
        here = [name for name in names if name not in away]
        house = [name for name in here if state.entrants[name].house]
        begun = {name for place in begun_at(seated) for name in seated.tables[place].entrants}
        bound = [name for name in house if name in begun or name in self.arriving]
        loose = [name for name in house if name not in bound]
        free = [
            each.key
            for each in who_can_come(state, seated)
            if each.house and each.key not in self.arriving and state.section_of(each) == section
        ]
        return bound, loose, free, len(here) - len(house)

    def house_missing(self, section: str) -> int:
        if not self.has_house:
            return 0
        bound, _loose, _free, playing = self.house_of(section)
        least = len(bound)
        wanted = self.state.house_wanted(playing, least, least + self.state.rules.side_count - 1)
        missing = wanted - house_registered(self.state, section)
        out = {*self.seated.byes, *self.arriving}
        left = sum(name not in out for name in self.in_section(self.leaving, section))
        left -= len(self.in_section(self.arriving, section))
        return missing if 0 < missing <= left else 0

    def with_house(self) -> "_Moves":
        """Return the moves with those of house players that follow from them."""
        moves = self
        for section in self.state.sections if self.has_house else ():
            bound, loose, free, playing = moves.house_of(section)
            every = [*bound, *loose, *free]
            wanted = every[: self.state.house_wanted(playing, len(bound), len(every))]
            moves = replace(
                moves,
                arriving=[*moves.arriving, *(name for name in free if name in wanted)],
                leaving=[*moves.leaving, *(name for name in loose if name not in wanted)],
            )
        return moves

    def change(self) -> LateChange:
        """Return the round after the moves.

        Raises: ImpossibleChange, InvalidSeating.
        """
        state, held = self.state, self.held
        tables = [table.entrants for table in self.seated.tables]
        new: list[tuple[str, ...]] = []
        byes: list[str] = []
        changed: set[int] = set()
        for section in state.sections:
            arriving = self.in_section(self.arriving, section)
            leaving = self.in_section(self.leaving, section)
            here = state.of_section(self.seated, section)
            out = [name for name in here.byes if name not in held]
            if section and not arriving and not leaving:
                byes += out
                continue
            places = [self.seated.tables.index(table) for table in here.tables]
            stood = [table.entrants for table in here.tables]
            names = dict.fromkeys(
                [*(name for table in stood for name in table), *here.byes, *arriving]
            )
            seated = [
                state.entrants[name] for name in names if name not in leaving and name not in held
            ]
            try:
                change = late_change(
                    field_of(state, here.row.number, seated),
                    Published(stood, out, begun_at(here)),
                    arriving=arriving,
                    leaving=leaving,
                )
            except ImpossibleChange as error:
                if error.code == "begun":
                    raise ImpossibleChange("begun", places[error.table]) from error
                raise
            for place, who in zip(places, change.tables, strict=False):
                tables[place] = who
            changed |= {places[at] for at in change.changed if at < len(places)}
            new += change.tables[len(places) :]
            byes += change.byes
        changed |= {len(tables) + at for at in range(len(new))}
        tables += new
        everybody = [state.entrants[name] for names in (*tables, byes) for name in names]
        field = field_of(state, self.seated.row.number, everybody)
        seating = judge(field, [table for table in tables if table], byes)
        return LateChange(tuple(tables), tuple(byes), frozenset(changed), seating)


def begun_at(seated_round: SeatedRound) -> set[int]:
    written = Revision.objects.of_entries().filter(game__table__round=seated_round.row)
    pks = set(written.values_list("game__table_id", flat=True))
    return {place for place, table in enumerate(seated_round.tables) if table.pk in pks}


def _apply(moves: _Moves, change: LateChange, context: WriteContext) -> None:
    """Apply changed tables only; a table that stays keeps its card."""
    state, seated, held = moves.state, moves.seated, moves.held
    stood = len(seated.tables)
    sitting = Sitting.objects.filter(round=seated.row)
    sitting.filter(table=None).delete()
    places = [place for place in sorted(change.changed) if place < stood]
    sitting.filter(table__in=[seated.tables[place].pk for place in places]).delete()
    for place in places:
        rows = Table.objects.filter(round=seated.row, number=seated.tables[place].number)
        if names := change.tables[place]:
            entrants = [state.entrants[name] for name in names]
            seat_anew(state, seated.row, rows.get(), entrants, context)
        else:
            clear_tables(state.tournament, rows)
    last = max((table.number for table in seated.tables), default=0)
    lay_tables(state, seated.row, dict(enumerate(change.tables[stood:], last + 1)), context.at)
    Sitting.objects.bulk_create(
        Sitting(round=seated.row, entrant=state.entrants[name]) for name in (*change.byes, *held)
    )


def seat_anew(
    state: TournamentState,
    round_: Round,
    table: Table,
    entrants: Sequence[Entrant],
    context: WriteContext,
) -> None:
    Sitting.objects.bulk_create(
        Sitting(round=round_, table=table, side=side, entrant=entrant)
        for side, entrant in enumerate(entrants)
    )
    game = table.games.get()
    players = players_at(state, round_.number, entrants)
    seat_others(game, TableSeating(tuple(players)), replace(context, revision=game.revision))
