"""Rounds of a tournament: seated, changed by hand, published, and taken back.

Locks are taken in one order: the tournament, the round, the people of the club, tables, games.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from tournaments.engine.pairing.field import Field
from tournaments.engine.pairing.judging import judge
from tournaments.models import Entrant, Game, Player, Round, Seat, Sitting, Table, Tournament, Write
from tournaments.queries.tournaments import Course, field_of, load_course
from tournaments.services.auditing import Actor
from tournaments.services.clubs.events import lock_round, lock_tables_of
from tournaments.services.nudges import wake_webhooks
from tournaments.services.people.players import lock_people, names_at_table
from tournaments.services.tournaments.leading import (
    Depended,
    WrongState,
    lock_tournament,
    note,
    touch,
)
from tournaments.services.tournaments.proposals import (
    NoRoundLeft,
    check_results,
    document_of,
    draw,
    draw_rest,
    kept_tables,
    needs_results,
    presence_at,
    stage_of,
)

State = Tournament.State


class SeatingOutdated(Exception):
    """The seating names entrants who have left, by their keys in `keys`."""

    def __init__(self, keys: Sequence[str]) -> None:
        self.keys = tuple(keys)
        super().__init__(", ".join(keys))


class RuledAbout(Depended):
    """A ruling about somebody's round is in force."""


class NotWhoIsHere(Exception):
    """Somebody is here who has no seat in the seating, or has one and is not here."""


def seat_next_round(tournament_pk: int, by: Actor, *, at: datetime) -> Round:
    """Seat the next round, to be looked at; where one is seated already, it is that one.

    A schedule for the whole evening seats all rounds that are left.

    Raises:
        WrongState: the tournament does not run.
        NoRoundLeft, RoundsLeft, NotEnough: as their names say.
        NoRoundRobin: the field is none that everybody can meet everybody in.
    In each case nothing is written.
    """
    with transaction.atomic():
        tournament = lock_tournament(tournament_pk)
        if tournament.state != State.RUNNING:
            raise WrongState(tournament.state)
        seated = tournament.event.rounds.filter(published_at=None).order_by("number").first()
        if seated is not None:
            return seated
        course = load_course(tournament)
        number = len(course.drawn) + 1
        if number > course.settings.rounds + len(course.stages):
            raise NoRoundLeft
        check_results(course, number)
        places = [
            Round.objects.create(
                event=tournament.event,
                number=number + further,
                stage=stage_of(course, number),
                seating=document_of(seating),
            )
            for further, seating in enumerate(draw(course, number))
        ]
        touch(tournament)
        numbers = [place.number for place in places]
        note(tournament, "seat-round", by, at, after={"round": numbers[0], "rounds": numbers})
    return places[0]


def unseat_round(round_pk: int, by: Actor, *, at: datetime) -> None:
    """Throw a seating away that is not published, and those of later rounds; twice is once.

    Raises:
        WrongState: it was published.
    """
    with transaction.atomic():
        found = Round.objects.filter(pk=round_pk).values_list("event__tournament", flat=True)
        if not found:
            return
        tournament = lock_tournament(found[0])
        place = Round.objects.filter(pk=round_pk).first()
        if place is None:
            return
        if place.published_at is not None:
            raise WrongState(place.state)
        note(tournament, "unseat-round", by, at, before={"round": place.number})
        tournament.event.rounds.filter(number__gte=place.number).delete()
        touch(tournament)


@dataclass(frozen=True, slots=True)
class Draft:
    """A seating as a director has changed it: keys of entrants; `locked` are tables, from 0."""

    tables: Sequence[Sequence[str]]
    byes: Sequence[str] = ()
    locked: Sequence[int] = ()


def put_seating(round_pk: int, draft: Draft, by: Actor, *, at: datetime) -> Round:
    """Store a seating that a director has changed.

    Raises:
        WrongState: the round was published.
        InvalidSeating: somebody sits nowhere or twice, or a table is not full.
    """
    with transaction.atomic():
        tournament, place = lock_seated(round_pk)
        field = field_seated(load_course(tournament), place)
        judged = judge(field, draft.tables, draft.byes)
        before, place.seating = place.seating, document_of(judged, draft.locked)
        if before != place.seating:
            place.save(update_fields=["seating"])
            touch(tournament)
            note(tournament, "change-seating", by, at, after={"round": place.number})
    return place


def field_seated(course: Course, place: Round) -> Field:
    """The field of a seated round, of whoever was seated: also who has left since."""
    seating = place.seating or {"tables": [], "byes": []}
    named = [name for names in [*seating["tables"], seating["byes"]] for name in names]
    return field_of(course, place.number, [course.entrants[name] for name in named])


def seat_again(round_pk: int, locked: Sequence[int], by: Actor, *, at: datetime) -> Round:
    """Seat everybody once more who is there now, but for the tables in `locked`, from 0.

    With no table locked, a schedule for the whole evening is drawn anew from this round on. A
    final is for those who have reached it by now, whatever is locked.

    Raises:
        WrongState: the round was published.
        InvalidSeating: somebody at a locked table is not there any more.
        NoRoundLeft, RoundsLeft, NotEnough, NoRoundRobin: as in `seat_next_round`.
    """
    with transaction.atomic():
        tournament, place = lock_seated(round_pk)
        course = load_course(tournament)
        kept = {} if place.stage else kept_tables(place, locked)
        # The lot of the next try is another one, but can be drawn again as well.
        seed = tournament.seed + tournament.revision
        check_results(course, place.number)
        if kept:
            drawn = draw_rest(course, place.number, kept, seed)
            stays = [at for at, table in enumerate(drawn.tables) if list(table) in kept.values()]
            documents = [document_of(drawn, stays)]
        else:
            documents = [document_of(each) for each in draw(course, place.number, seed)]
        numbers = _put_seatings(course, place, documents)
        touch(tournament)
        told = {"round": place.number, "rounds": numbers}
        note(tournament, "seat-again", by, at, after=told)
        place.refresh_from_db(fields=["seating", "stage"])
    return place


def _put_seatings(course: Course, first: Round, documents: Sequence[dict[str, Any]]) -> list[int]:
    """Store the seatings of a round and of those after it, none of which is published."""
    numbers = list(range(first.number, first.number + len(documents)))
    for number, document in zip(numbers, documents, strict=True):
        seated = {"seating": document, "stage": stage_of(course, number)}
        Round.objects.update_or_create(event_id=first.event_id, number=number, defaults=seated)
    return numbers


def unseat_dependants(tournament: Tournament, place: Round, by: Actor, *, at: datetime) -> None:
    """Throw proposals away that rest on the results of a round; the tournament is locked."""
    course = load_course(tournament)
    for each in course.drawn:
        row = each.row
        depends = row.number > place.number and needs_results(course, row.number)
        if depends and row.published_at is None:
            note(tournament, "unseat-round", by, at, before={"round": row.number})
            row.delete()


def lock_seated(round_pk: int) -> tuple[Tournament, Round]:
    """A round that is seated and not published, with its tournament, both locked.

    Raises:
        WrongState: it was published.
    """
    tournament, place = lock_drawn(round_pk)
    if place.published_at is not None:
        raise WrongState(place.state)
    return tournament, place


def lock_drawn(round_pk: int) -> tuple[Tournament, Round]:
    """A round of a tournament, with its tournament, both locked.

    Raises:
        Round.DoesNotExist: it was thrown away.
    """
    tournament_pk = Round.objects.values_list("event__tournament", flat=True).get(pk=round_pk)
    tournament = lock_tournament(tournament_pk)
    place = lock_round(round_pk)
    place.event = tournament.event
    return tournament, place


def publish_round(round_pk: int, by: Actor, *, at: datetime, all_the_same: bool = False) -> Round:
    """Lay the tables of a seated round, each with its game, to be seen by all; twice is once.

    `all_the_same` publishes it also where it is not of those who are here.

    Raises:
        SeatingOutdated: it names somebody who has withdrawn or was struck off the list.
        NotWhoIsHere: as its name says.
        RoundsLeft: a round before it, whose results seat it, was opened again.
        WrongState: an earlier round is not published yet.
    """
    with transaction.atomic():
        tournament, place = lock_drawn(round_pk)
        if place.published_at is not None:
            return place
        earlier = tournament.event.rounds.filter(number__lt=place.number, published_at=None)
        if earlier.exists():
            raise WrongState(State.RUNNING)
        lock_people(tournament.event.club_id)
        course = load_course(tournament)
        check_results(course, place.number)
        _check_presence(course, place, all_the_same=all_the_same)
        _lay_seating(course, place, place.seating or {}, at)
        place.published_at = at
        place.save(update_fields=["published_at"])
        touch(tournament)
        wake_webhooks()
        note(tournament, "publish-round", by, at, after={"round": place.number})
    return place


def take_back_round(round_pk: int, by: Actor, *, at: datetime) -> Round:
    """Make a published round a seated one again: its tables go, and their cards with them.

    The proposal is the seating as it stood, after late changes. Rulings that were withdrawn go.

    Raises:
        Depended: a table has begun, or a later round is published.
        RuledAbout: somebody was ruled about, and the ruling is in force.
    """
    with transaction.atomic():
        tournament, place = lock_drawn(round_pk)
        if place.published_at is None:
            return place
        # Whoever merges two players changes seats and then games; here seats go last.
        lock_people(tournament.event.club_id)
        # Whoever writes holds the row of the game: with all of them locked nobody begins.
        lock_tables_of(place)
        later = tournament.event.rounds.filter(number__gt=place.number, published_at__isnull=False)
        begun = Write.objects.filter(game__table__round=place)
        if begun.exists() or later.exists():
            raise Depended
        if place.rulings.filter(withdrawn_at=None).exists():
            raise RuledAbout
        place.seating = _seating_as_it_stands(tournament, place)
        place.rulings.all().delete()
        gone = games_of(place)
        clear_tables(place.tables.all())
        place.sittings.all().delete()
        place.published_at = place.opened_at = place.closed_at = None
        place.clock_seconds, place.clock_used, place.clock_started_at = None, 0, None
        place.save()
        touch(tournament)
        note(tournament, "take-back-round", by, at, before={"round": place.number, "gone": gone})
    return place


def games_of(place: Round) -> list[str]:
    """The games at the tables of a round, as they are named in addresses."""
    games = Game.objects.filter(table__round=place).order_by("pk")
    return list(games.values_list("public_id", flat=True))


def _seating_as_it_stands(tournament: Tournament, place: Round) -> dict[str, Any]:
    """Who sits where in a published round; a table stays locked unless it was changed."""
    drawn = next(each for each in load_course(tournament).drawn if each.row.pk == place.pk)
    before = place.seating or {}
    tables = [list(table.entrants) for table in drawn.tables]
    kept = kept_tables(place, before.get("locked", []))
    locked = [at for at, table in enumerate(tables) if kept.get(at) == table]
    return {"tables": tables, "byes": list(drawn.byes), "locked": locked}


def _check_presence(course: Course, place: Round, *, all_the_same: bool) -> None:
    drawn = next(each for each in course.drawn if each.row.pk == place.pk)
    presence = presence_at(course, drawn)
    if presence.gone:
        raise SeatingOutdated(presence.gone)
    if presence and not all_the_same:
        raise NotWhoIsHere


def _lay_seating(course: Course, place: Round, seating: Mapping[str, Any], at: datetime) -> None:
    """Lay the tables of a seating, from number 1; the people of the club are locked."""
    lay_tables(course, place, dict(enumerate(seating["tables"], 1)), at)
    out = [Sitting(round=place, entrant=course.entrants[key]) for key in seating["byes"]]
    Sitting.objects.bulk_create(out)


def lay_tables(
    course: Course, place: Round, tables: Mapping[int, Sequence[str]], at: datetime
) -> None:
    """Lay tables by number for entrants by key, in order of sides; each with its game."""
    rows = Table.objects.bulk_create(Table(round=place, number=number) for number in tables)
    sitting = {
        row.pk: [course.entrants[key] for key in keys]
        for row, keys in zip(rows, tables.values(), strict=True)
    }
    Sitting.objects.bulk_create(
        Sitting(round=place, table_id=pk, side=side, entrant=entrant)
        for pk, entrants in sitting.items()
        for side, entrant in enumerate(entrants)
    )
    players = {pk: players_at(course, place.number, entrants) for pk, entrants in sitting.items()}
    games = Game.objects.bulk_create(_game(course, pk, players[pk], at) for pk in sitting)
    Seat.objects.bulk_create(
        Seat(game=game, number=number, player=player)
        for game in games
        for number, player in enumerate(players[game.table_id or 0])
    )


def clear_tables(tables: Any) -> None:
    """Take away tables at which nothing was written, with their games."""
    pks = list(tables.values_list("pk", flat=True))
    Sitting.objects.filter(table__in=pks).delete()
    Game.objects.filter(table__in=pks).delete()
    Table.objects.filter(pk__in=pks).delete()


def players_at(course: Course, number: int, entrants: Sequence[Entrant]) -> list[Player]:
    """Who sits at each seat of a table in round `number`, with those who stand in."""
    waiting = [list(course.players_of(entrant, number)) for entrant in entrants]
    return [waiting[side].pop(0) for side in course.rules.sides]


def _game(course: Course, table_pk: int, players: Sequence[Player], at: datetime) -> Game:
    event = course.tournament.event
    return Game(
        table_id=table_pk,
        ruleset=event.ruleset,
        document=course.tournament.document,
        options=event.options,
        players=names_at_table(players),
        title=event.name,
        played_at=at,
    )
