"""Somebody comes or leaves when a round is published: as few tables change as can be."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from tournaments.engine.pairing.late import LateChange, Published, late_change
from tournaments.models import Entrant, Round, Seat, Sitting, Table, Write
from tournaments.services.auditing import Actor
from tournaments.services.drawing import clear_tables, lay_tables, lock_drawn, players_at
from tournaments.services.events import lock_tables_of
from tournaments.services.people import lock_people, names_at_table
from tournaments.services.tournaments import WrongState, note, touch
from tournaments.tournament_queries import Course, Drawn, field_of, load_course


def change_late(
    round_pk: int,
    by: Actor,
    *,
    at: datetime,
    arriving: Sequence[int] = (),
    leaving: Sequence[int] = (),
) -> LateChange:
    """Seat who comes to a published round, and do without who leaves; both are keys of entrants.

    Tables that have begun stay as they are.

    Raises:
        WrongState: the round is not published, or closed.
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
        coming = Entrant.objects.filter(pk__in=arriving, joins_in__gt=place.number)
        coming.update(joins_in=place.number)
        course = load_course(tournament)
        drawn = next(each for each in course.drawn if each.row.pk == place.pk)
        change = _changed(course, drawn, arriving, leaving)
        _apply(course, drawn, change, at)
        touch(tournament)
        keys = {e.pk: e.key for e in course.entrants.values()}
        told = {
            "round": place.number,
            "arriving": [keys[pk] for pk in arriving],
            "leaving": [keys[pk] for pk in leaving],
        }
        note(tournament, "change-late", by, at, after=told)
    return change


def _changed(
    course: Course, drawn: Drawn, arriving: Sequence[int], leaving: Sequence[int]
) -> LateChange:
    keys = {entrant.pk: entrant.key for entrant in course.entrants.values()}
    gone = {keys[pk] for pk in leaving}
    tables = [table.entrants for table in drawn.tables]
    here = [*(name for table in tables for name in table), *drawn.byes]
    names = dict.fromkeys([*here, *(keys[pk] for pk in arriving)])
    field = field_of(
        course,
        drawn.row.number,
        [course.entrants[name] for name in names if name not in gone],
    )
    return late_change(
        field,
        Published(tables, drawn.byes, _begun(drawn)),
        arriving=[keys[pk] for pk in arriving],
        leaving=sorted(gone),
    )


def _begun(drawn: Drawn) -> set[int]:
    """The places of tables at which something was written."""
    written = Write.objects.filter(game__table__round=drawn.row)
    pks = set(written.values_list("game__table_id", flat=True))
    return {place for place, table in enumerate(drawn.tables) if table.pk in pks}


def _apply(course: Course, drawn: Drawn, change: LateChange, at: datetime) -> None:
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
        Sitting(round=drawn.row, entrant=course.entrants[name]) for name in change.byes
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
