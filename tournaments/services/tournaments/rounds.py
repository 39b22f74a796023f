"""The course of a tournament's round: opened, closed when all is as it should be, taken back."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

from django.db import transaction
from django.db.models import F, Max, Q

from tournaments.engine.entry_records import write_points
from tournaments.engine.round_results import Competitor
from tournaments.models import Event, Game, Round, Ruling, Tournament, Write
from tournaments.queries.sheets import Sheet, load_sheets, result_of
from tournaments.queries.tournaments import Course, load_course, settings_of
from tournaments.services.auditing import Actor
from tournaments.services.clubs.events import close_round as close_event_round
from tournaments.services.clubs.events import lock_tables_of
from tournaments.services.play.confirming import agreement_on
from tournaments.services.ratings.due import rate_round_again
from tournaments.services.tournaments.drawing import lock_drawn, unseat_dependants
from tournaments.services.tournaments.leading import (
    Depended,
    WrongState,
    lock_tournament,
    note,
    touch,
)

Kept = dict[str, list[Any]]
"""Standings as a closed round keeps them: place and points by the key of the entrant."""


@dataclass(frozen=True, slots=True)
class Unready:
    """Why a table keeps its round from being closed.

    `why` is `unfinished`, `unconfirmed` or `wrong-sum`; `number` is that of the table.
    """

    number: int
    why: str


class RoundNotReady(Exception):
    """The round is not closed yet; `tables` say why."""

    def __init__(self, tables: Sequence[Unready]) -> None:
        self.tables = tuple(tables)
        super().__init__(", ".join(f"table {each.number}: {each.why}" for each in tables))


def open_round(round_pk: int, by: Actor, *, at: datetime) -> Round:
    """Let the tables of a published round be written, with its clock at the start; twice is once.

    Raises:
        WrongState: it is not published.
    """
    with transaction.atomic():
        tournament, place = lock_drawn(round_pk)
        if place.opened_at is not None:
            return place
        if place.published_at is None:
            raise WrongState(place.state)
        place.opened_at = at
        minutes = settings_of(tournament).minutes
        place.clock_seconds = None if minutes is None else minutes * 60
        place.save(update_fields=["opened_at", "clock_seconds"])
        touch(tournament)
        note(tournament, "open-round", by, at, after={"round": place.number})
    return place


def close_round(round_pk: int, by: Actor, *, at: datetime) -> Round:
    """Close a round whose tables are all finished, confirmed and summed right; twice is once.

    The standings as they are now are kept, so that it can be told what a correction changes.

    Raises:
        RoundNotReady: with every table that is not.
        WrongState: it is not open.
    """
    with transaction.atomic():
        tournament, place = lock_drawn(round_pk)
        if place.closed_at is not None:
            return place
        if place.opened_at is None:
            raise WrongState(place.state)
        # Locked, so that no sheet changes between being looked at and being closed.
        lock_tables_of(place)
        unready = unready_tables(place)
        if unready:
            raise RoundNotReady(unready)
        place = close_event_round(round_pk, by, at=at)
        keep_standings(tournament, place)
        touch(tournament)
    return place


def reopen_round(round_pk: int, by: Actor, *, at: datetime) -> Round:
    """Let the phones of the last published round write once more; twice is once.

    Proposals that were seated by what it came to are thrown away.

    Raises:
        Depended: a later round is seated by what this one came to; directors can still correct.
    """
    with transaction.atomic():
        tournament, place = lock_drawn(round_pk)
        if place.closed_at is None:
            return place
        later = tournament.event.rounds.filter(number__gt=place.number, published_at__isnull=False)
        if later.exists() or tournament.state != Tournament.State.RUNNING:
            raise Depended
        rate_round_again(place)
        place.closed_at, place.standings = None, None
        place.save(update_fields=["closed_at", "standings"])
        unseat_dependants(tournament, place, by, at=at)
        touch(tournament)
        note(tournament, "reopen-round", by, at, after={"round": place.number})
    return place


def unready_tables(place: Round) -> list[Unready]:
    """What keeps a round from being closed, by table (3 queries)."""
    rows = Game.objects.filter(table__round=place).order_by("table__number")
    rows = rows.select_related("table").prefetch_related("confirmations")
    return [each for sheet in load_sheets(rows) for each in _unready(sheet, place.event)]


def keep_standings(tournament: Tournament, place: Round) -> None:
    """Keep place and points of every entrant after a round, as they are now."""
    place.standings = _standings_after(load_course(tournament), place.number)
    place.save(update_fields=["standings"])


@dataclass(frozen=True, slots=True)
class Moved:
    """Place and points of an entrant after a closed round, as they were kept and as they are."""

    round: int
    entrant: str
    before: tuple[int, int | str]
    after: tuple[int, int | str]


def changes_since_closing(course: Course) -> list[Moved]:
    """What corrections have changed in the standings of closed rounds, by round and new place.

    Whoever entered later is left out: that they stand in the list is no correction.
    """
    return [
        moved
        for drawn in course.drawn
        if drawn.row.closed_at is not None and drawn.row.standings
        for moved in _moved(course, drawn.row.number, drawn.row.standings)
    ]


def last_correction(tournament: Tournament) -> tuple[int, int]:
    """The last write, and the last ruling, about a round after it was closed (2 queries).

    They are told by their keys, 0 where there is none. The standings need not have changed.
    """
    closed = Round.objects.filter(event=tournament.event_id, closed_at__isnull=False)
    written = Write.objects.filter(
        game__table__round__in=closed, at__gt=F("game__table__round__closed_at")
    )
    ruled = Ruling.objects.filter(round__in=closed).filter(
        Q(at__gt=F("round__closed_at")) | Q(withdrawn_at__gt=F("round__closed_at"))
    )
    last = (rows.aggregate(last=Max("pk"))["last"] for rows in (written, ruled))
    write, ruling = (pk or 0 for pk in last)
    return write, ruling


def fingerprint(changes: Sequence[Moved]) -> str:
    """What says of a list of changes that it is the one that was looked at."""
    return sha256(repr(changes).encode()).hexdigest()[:32]


def accept_changes(tournament_pk: int, seen: str, by: Actor, *, at: datetime) -> bool:
    """Keep the standings of closed rounds as they are now, after they were looked at.

    `seen` is the `fingerprint` of what was; when more has changed since, nothing is kept and the
    answer is False. With nothing left to keep it is True.
    """
    with transaction.atomic():
        tournament = lock_tournament(tournament_pk)
        course = load_course(tournament)
        changes = changes_since_closing(course)
        if not changes:
            return True
        if fingerprint(changes) != seen:
            return False
        numbers = sorted({moved.round for moved in changes})
        for drawn in course.drawn:
            if drawn.row.number in numbers:
                drawn.row.standings = _standings_after(course, drawn.row.number)
                drawn.row.save(update_fields=["standings"])
        touch(tournament)
        note(tournament, "accept-changes", by, at, after={"round": numbers})
    return True


def _standings_after(course: Course, number: int, only: Kept | None = None) -> Kept:
    """Place and points after round `number`; with `only`, as if nobody else were there."""
    competitors = [each for each in course.competitors if only is None or _is_in(each, only)]
    standings = course.standings_before(number + 1, competitors)
    return {each.entrant: [each.place, write_points(each.points)] for each in standings}


def _is_in(competitor: Competitor, kept: Kept) -> bool:
    """Whether somebody stood in standings; those who have played are needed to rank the others."""
    return competitor.house or competitor.id in kept


def _moved(course: Course, number: int, kept: Kept) -> list[Moved]:
    now = _standings_after(course, number, kept)
    return [
        Moved(number, key, (kept[key][0], kept[key][1]), (place, points))
        for key, (place, points) in now.items()
        if [place, points] != kept[key]
    ]


def _unready(sheet: Sheet, event: Event) -> list[Unready]:
    table = sheet.row.table
    assert table is not None
    if not sheet.game.finished:
        return [Unready(table.number, "unfinished")]
    agreement = agreement_on(sheet, event.confirmations, sheet.row.confirmations.all())
    found = [] if agreement.enough else [Unready(table.number, "unconfirmed")]
    wrong = sum(sheet.game.totals) != sheet.game.expected_sum
    if wrong or sheet.row.result != result_of(sheet):
        found.append(Unready(table.number, "wrong-sum"))
    return found
