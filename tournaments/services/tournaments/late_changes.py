"""Somebody comes or leaves when a round is published: as few tables change as can be."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from tournaments.engine.pairing.late import LateChange, Published, late_change
from tournaments.models import Entrant, Round, Seat, Sitting, Table, Write
from tournaments.queries.tournaments import Course, Drawn, field_of, load_course
from tournaments.services.auditing import Actor
from tournaments.services.clubs.events import lock_tables_of
from tournaments.services.people.players import lock_people, names_at_table
from tournaments.services.tournaments.drawing import (
    clear_tables,
    games_of,
    lay_tables,
    lock_drawn,
    players_at,
)
from tournaments.services.tournaments.leading import WrongState, note, touch
from tournaments.services.tournaments.substituting import TakesPart


def change_late(
    round_pk: int,
    by: Actor,
    *,
    at: datetime,
    arriving: Sequence[int] = (),
    leaving: Sequence[int] = (),
) -> LateChange:
    """Seat who comes to a published round, and do without who leaves; both are keys of entrants.

    Tables that have begun stay as they are. House players come and leave as they are needed.

    Raises:
        WrongState: the round is not published, or closed; or somebody arrives who has withdrawn.
        TakesPart: somebody who plays for one who arrives plays in the round already.
        ImpossibleChange: somebody leaves a table that has begun, or no table could be filled.
        InvalidSeating: somebody arrives who is seated, or leaves who is not.
    In each case nothing is written.
    """
    with transaction.atomic():
        tournament, place = lock_drawn(round_pk)
        if place.published_at is None or place.closed_at is not None:
            raise WrongState(place.state)
        lock_people(tournament.event.club_id)
        # Whoever writes holds the row of the game: no table begins while this one is at it.
        lock_tables_of(place)
        course = load_course(tournament)
        drawn = next(each for each in course.drawn if each.row.pk == place.pk)
        moves = _moves(course, drawn, arriving, leaving)
        coming = [course.entrants[name].pk for name in moves.arriving]
        late = Entrant.objects.filter(pk__in=coming, joins_in__gt=place.number)
        late.update(joins_in=place.number)
        held = _held(course, drawn, moves.leaving)
        change = _changed(course, drawn, moves, held)
        stood = games_of(place)
        _apply(course, drawn, change, held, at)
        gone = sorted({*stood} - {*games_of(place)})
        touch(tournament)
        told = {"round": place.number, "arriving": moves.arriving, "leaving": moves.leaving}
        note(tournament, "change-late", by, at, after=told | ({"gone": gone} if gone else {}))
    return change


def who_can_come(course: Course, drawn: Drawn) -> list[Entrant]:
    """Who can still be seated in a published round: those who play nowhere in it."""
    here = {*_here(drawn)}
    taken = _players_of(course, drawn, here)
    return [
        each
        for key, each in course.entrants.items()
        if key not in here
        and each.withdrawn_at is None
        and not taken & _players_of(course, drawn, [key])
    ]


@dataclass(frozen=True, slots=True)
class _Moves:
    """Who comes and who leaves, by key."""

    arriving: list[str]
    leaving: list[str]


def _moves(course: Course, drawn: Drawn, arriving: Sequence[int], leaving: Sequence[int]) -> _Moves:
    """Who is to come and to leave, with the house players this takes or sets free."""
    keys = {entrant.pk: key for key, entrant in course.entrants.items()}
    if not keys.keys() >= {*arriving, *leaving}:
        raise WrongState(course.tournament.state)
    asked = _Moves([keys[pk] for pk in arriving], sorted({keys[pk] for pk in leaving}))
    _refuse_who_cannot_come(course, drawn, asked)
    return _with_house(course, drawn, asked)


def _refuse_who_cannot_come(course: Course, drawn: Drawn, moves: _Moves) -> None:
    """Refuse who has withdrawn, and who would sit in the round twice."""
    taken = _taken(course, drawn, moves.leaving)
    seated = {*_here(drawn)}
    for name in moves.arriving:
        entrant = course.entrants[name]
        if entrant.withdrawn_at is not None:
            raise WrongState(course.tournament.state)
        players = course.players_of(entrant, drawn.row.number)
        for player in players:
            if player.pk in taken and name not in seated:
                raise TakesPart(player)
        taken |= {player.pk for player in players}


def _with_house(course: Course, drawn: Drawn, moves: _Moves) -> _Moves:
    """The same with as many house players as a new seating would have."""
    if course.settings.odd != "house" or drawn.row.stage:
        return moves
    away = {*moves.leaving, *_held(course, drawn, moves.leaving)}
    here = [name for name in [*_here(drawn), *moves.arriving] if name not in away]
    house = [name for name in here if course.entrants[name].house]
    begun = {name for place in _begun(drawn) for name in drawn.tables[place].entrants}
    bound = [name for name in house if name in begun or name in moves.arriving]
    loose = [name for name in house if name not in bound]
    free = [
        each.key
        for each in who_can_come(course, drawn)
        if each.house and each.key not in moves.arriving
    ]
    playing = len(here) - len(house)
    wanted = course.house_wanted(playing, len(bound), len(house) + len(free))
    kept = [*bound, *loose, *free][:wanted]
    return _Moves(
        moves.arriving + [name for name in free if name in kept],
        moves.leaving + [name for name in loose if name not in kept],
    )


def _here(drawn: Drawn) -> list[str]:
    return [*(name for table in drawn.tables for name in table.entrants), *drawn.byes]


def _players_of(course: Course, drawn: Drawn, names: Iterable[str]) -> set[int]:
    """Who plays for entrants in a round, by their keys."""
    number = drawn.row.number
    entrants = [course.entrants[name] for name in names]
    return {player.pk for each in entrants for player in course.players_of(each, number)}


def _taken(course: Course, drawn: Drawn, leaving: Collection[str]) -> set[int]:
    """Who plays in the round, sits out or sits at one of its tables, when some have left."""
    seats = Seat.objects.filter(game__table__round=drawn.row)
    sitting = {*seats.values_list("player_id", flat=True)}
    staying = [name for name in _here(drawn) if name not in leaving]
    gone = _players_of(course, drawn, leaving)
    return sitting - gone | _players_of(course, drawn, staying)


def _held(course: Course, drawn: Drawn, leaving: Collection[str]) -> list[str]:
    """Who sits out and stands in for somebody at a table: there is no seat for them."""
    seated = [name for t in drawn.tables for name in t.entrants if name not in leaving]
    taken = _players_of(course, drawn, seated)
    out = [name for name in drawn.byes if name not in leaving]
    return [name for name in out if taken & _players_of(course, drawn, [name])]


def _changed(course: Course, drawn: Drawn, moves: _Moves, held: Collection[str]) -> LateChange:
    tables = [table.entrants for table in drawn.tables]
    byes = [name for name in drawn.byes if name not in held]
    names = dict.fromkeys([*_here(drawn), *moves.arriving])
    seated = [
        course.entrants[name] for name in names if name not in moves.leaving and name not in held
    ]
    return late_change(
        field_of(course, drawn.row.number, seated),
        Published(tables, byes, _begun(drawn)),
        arriving=moves.arriving,
        leaving=moves.leaving,
    )


def _begun(drawn: Drawn) -> set[int]:
    """The places of tables at which something was written."""
    written = Write.objects.filter(game__table__round=drawn.row)
    pks = set(written.values_list("game__table_id", flat=True))
    return {place for place, table in enumerate(drawn.tables) if table.pk in pks}


def _apply(
    course: Course, drawn: Drawn, change: LateChange, held: Collection[str], at: datetime
) -> None:
    """Put the tables that are not what they were; the card of one that stays stays good."""
    stood = len(drawn.tables)
    sitting = Sitting.objects.filter(round=drawn.row)
    sitting.filter(table=None).delete()
    changed = [drawn.tables[place] for place in sorted(change.changed) if place < stood]
    sitting.filter(table__in=[table.pk for table in changed]).delete()
    for place in sorted(change.changed):
        names = change.tables[place]
        if place >= stood:
            continue
        rows = Table.objects.filter(round=drawn.row, number=drawn.tables[place].number)
        if names:
            _seat_anew(course, drawn.row, rows.get(), [course.entrants[n] for n in names])
        else:
            clear_tables(rows)
    last = max((table.number for table in drawn.tables), default=0)
    new = dict(enumerate(change.tables[stood:], last + 1))
    lay_tables(course, drawn.row, new, at)
    Sitting.objects.bulk_create(
        Sitting(round=drawn.row, entrant=course.entrants[name]) for name in (*change.byes, *held)
    )


def _seat_anew(course: Course, place: Round, table: Table, entrants: Sequence[Entrant]) -> None:
    """Put other entrants at a table that has not begun."""
    Sitting.objects.bulk_create(
        Sitting(round=place, table=table, side=side, entrant=entrant)
        for side, entrant in enumerate(entrants)
    )
    game = table.games.get()
    players = players_at(course, place.number, entrants)
    game.seats.all().delete()
    Seat.objects.bulk_create(
        Seat(game=game, number=number, player=player) for number, player in enumerate(players)
    )
    game.players = names_at_table(players)
    game.save(update_fields=["players"])
