"""Exchange seats of a proposal or a published round, and let entrants in or out late.

Begin at `swap_seats` and `exchange_seats`, at `change_late`, and at `replace_player`.
"""

import secrets
from collections.abc import Collection, Iterable, Mapping, Sequence
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
        tournament, round_ = lock_drawn(round_pk)
        if round_.published_at is None or round_.closed_at is not None:
            raise WrongState(round_.state)
        lock_people(tournament.event.club_id)
        # Writers lock the row of the game: no table begins during this change.
        lock_tables_of(round_)
        state = load_state(tournament)
        seated_round = state.seating_of(round_)
        keys = {entrant.pk: key for key, entrant in state.entrants.items()}
        if not keys.keys() >= {*arriving, *leaving}:
            raise WrongState(tournament.state)
        moves = _Moves([keys[pk] for pk in arriving], sorted({keys[pk] for pk in leaving}))
        _refuse_who_cannot_come(state, seated_round, moves)
        if moves.arriving:
            staying = {*_here(seated_round), *moves.arriving} - {*moves.leaving}
            check_room(state, round_.number, staying)
        missing = {
            section: _house_missing(state, seated_round, moves, section)
            for section in state.sections
        }
        state = add_house_players(state, missing, by, at=at)
        for section in state.sections:
            moves = _with_house(state, seated_round, moves, section)
        _note_presence(state, round_.number, moves)
        held = _held(state, seated_round, moves.leaving)
        change = _changed(state, seated_round, moves, held)
        stood = games_of(round_)
        context = WriteContext(new_key(), 0, at, by=by)
        _apply(state, seated_round, change, held, context)
        gone = sorted({*stood} - {*games_of(round_)})
        touch(tournament)
        details = {"round": round_.number, "arriving": moves.arriving, "leaving": moves.leaving}
        note(tournament, "change-late", by, at, after=details | ({"gone": gone} if gone else {}))
    return change


def preview_late(
    state: TournamentState, round_: Round, arriving: Sequence[str] = (), leaving: Sequence[str] = ()
) -> LateChange | None:
    """Preview `change_late` by key; None if it is refused or registers house players."""
    seated_round, moves = state.seating_of(round_), _Moves([*arriving], [*leaving])
    try:
        _refuse_who_cannot_come(state, seated_round, moves)
        for section in state.sections:
            if _house_missing(state, seated_round, moves, section) > 0:
                return None
        for section in state.sections:
            moves = _with_house(state, seated_round, moves, section)
        return _changed(state, seated_round, moves, _held(state, seated_round, moves.leaving))
    except (ImpossibleChange, InvalidSeating, Refused):
        return None


def replace_player(round_pk: int, player: str, reserve: str, by: Actor, *, at: datetime) -> None:
    """Let a reserve take the chair of a player in a published round, both by key. Idempotent.

    Raises: WrongState, NotOfTeam, NotInRound, TakesPart, ImpossibleChange. Nothing is written then.
    """
    with transaction.atomic(), engine_refusals():
        tournament, round_ = lock_drawn(round_pk)
        if round_.published_at is None or round_.closed_at is not None:
            raise WrongState(round_.state)
        lock_people(tournament.event.club_id)
        lock_tables_of(round_)
        state = load_state(tournament)
        seated_round = state.seating_of(round_)
        if not {player, reserve} <= state.entrants.keys():
            raise NoSuchMember
        team = state.entrants[player].team
        if not team or reserve not in state.teams.get(team, ()):
            raise NotOfTeam(state.entrants[reserve], team)
        if reserve in seated_round.names and player not in seated_round.names:
            return
        if player not in seated_round.names or reserve in seated_round.names:
            raise NotInRound
        _refuse_who_cannot_come(state, seated_round, _Moves([reserve], [player]))
        context = WriteContext(new_key(), 0, at, by=by)
        table = next((each for each in seated_round.tables if player in each.entrants), None)
        if table is None or table.pk is None:
            sitting = Sitting.objects.filter(round=round_, entrant=state.entrants[player])
            sitting.update(entrant=state.entrants[reserve])
        elif seated_round.tables.index(table) in begun_at(seated_round):
            raise ImpossibleChange("begun", table.number - 1)
        else:
            Sitting.objects.filter(round=round_, table=table.pk).delete()
            keys = [reserve if key == player else key for key in table.entrants]
            entrants = [state.entrants[key] for key in keys]
            seat_anew(state, round_, Table.objects.get(pk=table.pk), entrants, context)
        _note_presence(state, round_.number, _Moves([reserve], []))
        touch(tournament)
        details = {"round": round_.number, "arriving": [reserve], "leaving": [player]}
        note(tournament, "change-late", by, at, after=details)


def who_can_come(state: TournamentState, seated_round: SeatedRound) -> list[Entrant]:
    """Return the entrants who can still be seated in a published round: those without a seat."""
    here = {*_here(seated_round)}
    taken = _players_of(state, seated_round, here)
    return [
        each
        for key, each in state.entrants.items()
        if key not in here
        and each.withdrawn_at is None
        and not taken & _players_of(state, seated_round, [key])
    ]


def new_key() -> str:
    return secrets.token_urlsafe(12)


def _note_presence(state: TournamentState, number: int, moves: "_Moves") -> None:
    for name in moves.arriving:
        state.entrants[name].come_in(number)
    for name in moves.leaving:
        state.entrants[name].checked_in = 0
    moved = [state.entrants[name] for name in (*moves.arriving, *moves.leaving)]
    Entrant.objects.bulk_update(moved, ["joins_in", "checked_in"])


@dataclass(frozen=True, slots=True)
class _Moves:
    """Arriving and leaving entrants, by key."""

    arriving: list[str]
    leaving: list[str]


def _refuse_who_cannot_come(
    state: TournamentState, seated_round: SeatedRound, moves: _Moves
) -> None:
    """Refuse withdrawn entrants, and players who would sit twice in the round."""
    taken = _taken(state, seated_round, moves.leaving)
    seated = {*_here(seated_round)}
    for name in moves.arriving:
        entrant = state.entrants[name]
        if entrant.withdrawn_at is not None:
            raise WrongState(state.tournament.state)
        players = state.players_of(entrant, seated_round.row.number)
        for player in players:
            if player.pk in taken and name not in seated:
                raise TakesPart(player)
        taken |= {player.pk for player in players}


def _in_section(
    state: TournamentState, seated_round: SeatedRound, names: Iterable[str], section: str
) -> list[str]:
    here = {*_here(state.of_section(seated_round, section))}
    seated = {name for table in seated_round.tables for name in table.entrants}
    return [
        name
        for name in names
        if name in here
        or (name not in seated and state.section_of(state.entrants[name]) == section)
    ]


def _house_of(
    state: TournamentState, seated_round: SeatedRound, moves: _Moves, section: str
) -> tuple[list[str], list[str], list[str], int]:
    """Return house players of a section who must play, may leave, and can come, by key.

    The number is that of the other entrants.
    """
    away = {*moves.leaving, *_held(state, seated_round, moves.leaving)}
    names = _in_section(state, seated_round, [*_here(seated_round), *moves.arriving], section)
    here = [name for name in names if name not in away]
    house = [name for name in here if state.entrants[name].house]
    begun = {
        name for place in begun_at(seated_round) for name in seated_round.tables[place].entrants
    }
    bound = [name for name in house if name in begun or name in moves.arriving]
    loose = [name for name in house if name not in bound]
    free = [
        each.key
        for each in who_can_come(state, seated_round)
        if each.house and each.key not in moves.arriving and state.section_of(each) == section
    ]
    return bound, loose, free, len(here) - len(house)


def _house_missing(
    state: TournamentState, seated_round: SeatedRound, moves: _Moves, section: str
) -> int:
    if state.settings.odd != "house" or seated_round.row.stage:
        return 0
    bound, _loose, _free, playing = _house_of(state, seated_round, moves, section)
    size, least = state.rules.side_count, len(bound)
    wanted = state.house_wanted(playing, least, least + size - 1)
    missing = wanted - house_registered(state, section)
    out = {*seated_round.byes, *moves.arriving}
    arriving, leaving = (
        _in_section(state, seated_round, names, section)
        for names in (moves.arriving, moves.leaving)
    )
    left = sum(name not in out for name in leaving) - len(arriving)
    return missing if 0 < missing <= left else 0


def _with_house(
    state: TournamentState, seated_round: SeatedRound, moves: _Moves, section: str
) -> _Moves:
    if state.settings.odd != "house" or seated_round.row.stage:
        return moves
    bound, loose, free, playing = _house_of(state, seated_round, moves, section)
    every = [*bound, *loose, *free]
    wanted = every[: state.house_wanted(playing, len(bound), len(every))]
    return _Moves(
        moves.arriving + [name for name in free if name in wanted],
        moves.leaving + [name for name in loose if name not in wanted],
    )


def _here(seated_round: SeatedRound) -> list[str]:
    return [*(name for table in seated_round.tables for name in table.entrants), *seated_round.byes]


def _players_of(
    state: TournamentState, seated_round: SeatedRound, names: Iterable[str]
) -> set[int]:
    number = seated_round.row.number
    entrants = [state.entrants[name] for name in names]
    return {player.pk for entrant in entrants for player in state.players_of(entrant, number)}


def _taken(state: TournamentState, seated_round: SeatedRound, leaving: Collection[str]) -> set[int]:
    seats = Seat.objects.filter(game__table__round=seated_round.row)
    sitting = {*seats.values_list("player_id", flat=True)}
    staying = [name for name in _here(seated_round) if name not in leaving]
    gone = _players_of(state, seated_round, leaving)
    return sitting - gone | _players_of(state, seated_round, staying)


def _held(state: TournamentState, seated_round: SeatedRound, leaving: Collection[str]) -> list[str]:
    """Return entrants with a bye who are substitutes at a table and so cannot be seated."""
    seated = [name for t in seated_round.tables for name in t.entrants if name not in leaving]
    taken = _players_of(state, seated_round, seated)
    out = [name for name in seated_round.byes if name not in leaving]
    return [name for name in out if taken & _players_of(state, seated_round, [name])]


def _changed(
    state: TournamentState, seated_round: SeatedRound, moves: _Moves, held: Collection[str]
) -> LateChange:
    tables = [table.entrants for table in seated_round.tables]
    new: list[tuple[str, ...]] = []
    byes: list[str] = []
    changed: set[int] = set()
    for section in state.sections:
        arriving, leaving = (
            _in_section(state, seated_round, names, section)
            for names in (moves.arriving, moves.leaving)
        )
        here = state.of_section(seated_round, section)
        if section and not arriving and not leaving:
            byes += (name for name in here.byes if name not in held)
            continue
        places = [seated_round.tables.index(table) for table in here.tables]
        change = _changed_in_section(state, here, _Moves(arriving, leaving), held, places)
        for place, names in zip(places, change.tables, strict=False):
            tables[place] = names
        changed |= {places[at] for at in change.changed if at < len(places)}
        new += change.tables[len(places) :]
        byes += change.byes
    changed |= {len(tables) + at for at in range(len(new))}
    tables += new
    seated = [state.entrants[name] for names in (*tables, byes) for name in names]
    field = field_of(state, seated_round.row.number, seated)
    seating = judge(field, [table for table in tables if table], byes)
    return LateChange(tuple(tables), tuple(byes), frozenset(changed), seating)


def _changed_in_section(
    state: TournamentState,
    here: SeatedRound,
    moves: _Moves,
    held: Collection[str],
    places: Sequence[int],
) -> LateChange:
    """Return a section after its late change; `places` are those of its tables in the round."""
    tables = [table.entrants for table in here.tables]
    byes = [name for name in here.byes if name not in held]
    names = dict.fromkeys([*_here(here), *moves.arriving])
    seated = [
        state.entrants[name] for name in names if name not in moves.leaving and name not in held
    ]
    try:
        return late_change(
            field_of(state, here.row.number, seated),
            Published(tables, byes, begun_at(here)),
            arriving=moves.arriving,
            leaving=moves.leaving,
        )
    except ImpossibleChange as error:
        if error.code == "begun":
            raise ImpossibleChange("begun", places[error.table]) from error
        raise


def begun_at(seated_round: SeatedRound) -> set[int]:
    written = Revision.objects.of_entries().filter(game__table__round=seated_round.row)
    pks = set(written.values_list("game__table_id", flat=True))
    return {place for place, table in enumerate(seated_round.tables) if table.pk in pks}


def _apply(
    state: TournamentState,
    seated_round: SeatedRound,
    change: LateChange,
    held: Collection[str],
    context: WriteContext,
) -> None:
    """Apply changed tables only; a table that stays keeps its card."""
    stood = len(seated_round.tables)
    sitting = Sitting.objects.filter(round=seated_round.row)
    sitting.filter(table=None).delete()
    changed = [seated_round.tables[place] for place in sorted(change.changed) if place < stood]
    sitting.filter(table__in=[table.pk for table in changed]).delete()
    for place in sorted(change.changed):
        names = change.tables[place]
        if place >= stood:
            continue
        rows = Table.objects.filter(
            round=seated_round.row, number=seated_round.tables[place].number
        )
        if names:
            entrants = [state.entrants[n] for n in names]
            seat_anew(state, seated_round.row, rows.get(), entrants, context)
        else:
            clear_tables(state.tournament, rows)
    last = max((table.number for table in seated_round.tables), default=0)
    new = dict(enumerate(change.tables[stood:], last + 1))
    lay_tables(state, seated_round.row, new, context.at)
    Sitting.objects.bulk_create(
        Sitting(round=seated_round.row, entrant=state.entrants[name])
        for name in (*change.byes, *held)
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
