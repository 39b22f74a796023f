"""Late arrivals and departures in a published round, with as few changed tables as possible."""

import secrets
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.db import transaction

from tournaments.engine.pairing.judging import judge
from tournaments.engine.pairing.methods import ImpossibleChange, LateChange, Published, late_change
from tournaments.models import Entrant, Revision, Round, Seat, Sitting, Table
from tournaments.queries.tournaments.state import (
    SeatedRound,
    TournamentState,
    field_of,
    load_state,
)
from tournaments.services.audit import Actor
from tournaments.services.entrants.substituting import TakesPart
from tournaments.services.events.events import lock_tables_of
from tournaments.services.games.playing import seat_others
from tournaments.services.games.seats import TableSeating
from tournaments.services.games.writing import WriteContext
from tournaments.services.people.players import lock_people
from tournaments.services.rounds.house import add_house_players, house_registered
from tournaments.services.rounds.line_ups import NoSuchMember, NotOfTeam, check_room
from tournaments.services.rounds.pairing import engine_refusals
from tournaments.services.rounds.rulings import NotInRound
from tournaments.services.rounds.seating import (
    clear_tables,
    games_of,
    lay_tables,
    lock_drawn,
    players_at,
)
from tournaments.services.tournaments.lifecycle import WrongState, note, touch


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

    Raises:
        WrongState: the round is not published, or is closed; or an arriving entrant has withdrawn.
        TakesPart: the player of an arriving entrant plays in the round already.
        ImpossibleChange: an entrant would leave a table that has begun, or no table can be filled.
        InvalidSeating: an arriving entrant is seated already, or a leaving one is not seated.
        LineUpFull: the team of an arriving entrant has no place left.
    In each case nothing is written.
    """
    with transaction.atomic():
        tournament, round_ = lock_drawn(round_pk)
        if round_.published_at is None or round_.closed_at is not None:
            raise WrongState(round_.state)
        lock_people(tournament.event.club_id)
        # Writers lock the row of the game: no table begins during this change.
        lock_tables_of(round_)
        state = load_state(tournament)
        seated_round = next(each for each in state.seated_rounds if each.row.pk == round_.pk)
        moves = _moves(state, seated_round, arriving, leaving)
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
        context = WriteContext(_key(), 0, at, by=by)
        _apply(state, seated_round, change, held, context)
        gone = sorted({*stood} - {*games_of(round_)})
        touch(tournament)
        details = {"round": round_.number, "arriving": moves.arriving, "leaving": moves.leaving}
        note(tournament, "change-late", by, at, after=details | ({"gone": gone} if gone else {}))
    return change


@dataclass(frozen=True, slots=True)
class Replacement:
    """A reserve who takes the place of a player of the same team, both by key."""

    player: str
    reserve: str


def replace_player(round_pk: int, replacement: Replacement, by: Actor, *, at: datetime) -> None:
    """Let a reserve take the chair of a player in a published round. Idempotent.

    Raises:
        WrongState: the round is not published, or is closed; or the reserve has withdrawn.
        NotOfTeam: they are not of one team.
        NotInRound: the player has no seat in the round.
        TakesPart: the reserve plays in the round already.
        ImpossibleChange: the table has begun.
    In each case nothing is written.
    """
    player, reserve = replacement.player, replacement.reserve
    with transaction.atomic(), engine_refusals():
        tournament, round_ = lock_drawn(round_pk)
        if round_.published_at is None or round_.closed_at is not None:
            raise WrongState(round_.state)
        lock_people(tournament.event.club_id)
        lock_tables_of(round_)
        state = load_state(tournament)
        seated_round = next(each for each in state.seated_rounds if each.row.pk == round_.pk)
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
        _take_chair(state, seated_round, replacement, WriteContext(_key(), 0, at, by=by))
        _note_presence(state, round_.number, _Moves([reserve], []))
        touch(tournament)
        details = {"round": round_.number, "arriving": [reserve], "leaving": [player]}
        note(tournament, "change-late", by, at, after=details)


def _take_chair(
    state: TournamentState,
    seated_round: SeatedRound,
    replacement: Replacement,
    context: WriteContext,
) -> None:
    sitting = Sitting.objects.filter(round=seated_round.row)
    for at, table in enumerate(seated_round.tables):
        if table.pk is not None and replacement.player in table.entrants:
            if at in _begun(seated_round):
                raise ImpossibleChange("begun", table.number - 1)
            names = [
                replacement.reserve if name == replacement.player else name
                for name in table.entrants
            ]
            sitting.filter(table=table.pk).delete()
            row = Table.objects.get(pk=table.pk)
            entrants = [state.entrants[name] for name in names]
            _seat_anew(state, seated_round.row, row, entrants, context)
            return
    sitting.filter(entrant=state.entrants[replacement.player]).update(
        entrant=state.entrants[replacement.reserve]
    )


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


def _key() -> str:
    return secrets.token_urlsafe(12)


def _note_presence(state: TournamentState, number: int, moves: "_Moves") -> None:
    """Count arrivals as here from round `number` on, and departures as gone."""
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


def _moves(
    state: TournamentState,
    seated_round: SeatedRound,
    arriving: Sequence[int],
    leaving: Sequence[int],
) -> _Moves:
    """Return arrivals and departures by key.

    Raises:
        WrongState, TakesPart: as in `change_late`.
    """
    keys = {entrant.pk: key for key, entrant in state.entrants.items()}
    if not keys.keys() >= {*arriving, *leaving}:
        raise WrongState(state.tournament.state)
    asked = _Moves([keys[pk] for pk in arriving], sorted({keys[pk] for pk in leaving}))
    _refuse_who_cannot_come(state, seated_round, asked)
    return asked


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
    """Filter to the entrants who sit at a table of a section, or else belong to it."""
    here = {*_here(state.of_section(seated_round, section))}
    seated = {name for table in seated_round.tables for name in table.entrants}
    return [
        name
        for name in names
        if name in here
        or (name not in seated and state.section_of(state.entrants[name]) == section)
    ]


@dataclass(frozen=True, slots=True)
class _House:
    """House players of a section by key: who must play the round, may leave it, and can come.

    `playing` is the number of the other entrants.
    """

    bound: list[str]
    loose: list[str]
    free: list[str]
    playing: int


def _house_of(
    state: TournamentState, seated_round: SeatedRound, moves: _Moves, section: str
) -> _House:
    away = {*moves.leaving, *_held(state, seated_round, moves.leaving)}
    names = _in_section(state, seated_round, [*_here(seated_round), *moves.arriving], section)
    here = [name for name in names if name not in away]
    house = [name for name in here if state.entrants[name].house]
    begun = {name for place in _begun(seated_round) for name in seated_round.tables[place].entrants}
    bound = [name for name in house if name in begun or name in moves.arriving]
    loose = [name for name in house if name not in bound]
    free = [
        each.key
        for each in who_can_come(state, seated_round)
        if each.house and each.key not in moves.arriving and state.section_of(each) == section
    ]
    return _House(bound, loose, free, len(here) - len(house))


def _house_missing(
    state: TournamentState, seated_round: SeatedRound, moves: _Moves, section: str
) -> int:
    """Return how many more house players would fill the seats that those who leave have left."""
    if state.settings.odd != "house" or seated_round.row.stage:
        return 0
    house = _house_of(state, seated_round, moves, section)
    size, bound = state.rules.side_count, len(house.bound)
    wanted = state.house_wanted(house.playing, bound, bound + size - 1)
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
    """Return the moves with as many house players as a new seating would have."""
    if state.settings.odd != "house" or seated_round.row.stage:
        return moves
    house = _house_of(state, seated_round, moves, section)
    every = [*house.bound, *house.loose, *house.free]
    kept = every[: state.house_wanted(house.playing, len(house.bound), len(every))]
    return _Moves(
        moves.arriving + [name for name in house.free if name in kept],
        moves.leaving + [name for name in house.loose if name not in kept],
    )


def _here(seated_round: SeatedRound) -> list[str]:
    return [*(name for table in seated_round.tables for name in table.entrants), *seated_round.byes]


def _players_of(
    state: TournamentState, seated_round: SeatedRound, names: Iterable[str]
) -> set[int]:
    """Return the keys of the players who play for entrants in a round."""
    number = seated_round.row.number
    entrants = [state.entrants[name] for name in names]
    return {player.pk for each in entrants for player in state.players_of(each, number)}


def _taken(state: TournamentState, seated_round: SeatedRound, leaving: Collection[str]) -> set[int]:
    """Return the players who have a seat or a bye in the round after some have left."""
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
    """Return the round after a late change, made in each section by itself."""
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
            Published(tables, byes, _begun(here)),
            arriving=moves.arriving,
            leaving=moves.leaving,
        )
    except ImpossibleChange as error:
        if error.code == "begun":
            raise ImpossibleChange("begun", places[error.table]) from error
        raise


def _begun(seated_round: SeatedRound) -> set[int]:
    """Return the places of tables that have entries."""
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
            _seat_anew(state, seated_round.row, rows.get(), entrants, context)
        else:
            clear_tables(state.tournament, rows)
    last = max((table.number for table in seated_round.tables), default=0)
    new = dict(enumerate(change.tables[stood:], last + 1))
    lay_tables(state, seated_round.row, new, context.at)
    Sitting.objects.bulk_create(
        Sitting(round=seated_round.row, entrant=state.entrants[name])
        for name in (*change.byes, *held)
    )


def _seat_anew(
    state: TournamentState,
    round_: Round,
    table: Table,
    entrants: Sequence[Entrant],
    context: WriteContext,
) -> None:
    """Seat other entrants at a table that has not begun."""
    Sitting.objects.bulk_create(
        Sitting(round=round_, table=table, side=side, entrant=entrant)
        for side, entrant in enumerate(entrants)
    )
    game = table.games.get()
    players = players_at(state, round_.number, entrants)
    seat_others(game, TableSeating(tuple(players)), replace(context, revision=game.revision))
