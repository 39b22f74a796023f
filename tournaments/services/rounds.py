"""The course of a tournament's round: opened, closed when all is as it should be, taken back."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from tournaments.engine.entry_records import write_points
from tournaments.engine.standings import rank_entrants
from tournaments.models import Event, Game, Round, Tournament
from tournaments.queries import Sheet, load_sheets, result_of
from tournaments.services.auditing import Actor
from tournaments.services.confirming import agreement_on
from tournaments.services.drawing import lock_drawn
from tournaments.services.events import close_round as close_event_round
from tournaments.services.tournaments import Depended, WrongState, note, touch
from tournaments.tournament_queries import load_course, settings_of


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
        games = Game.objects.select_for_update().filter(table__round=place).order_by("pk")
        list(games.values_list("pk"))
        unready = unready_tables(place)
        if unready:
            raise RoundNotReady(unready)
        place = close_event_round(round_pk, by, at=at)
        keep_standings(tournament, place)
        touch(tournament)
    return place


def reopen_round(round_pk: int, by: Actor, *, at: datetime) -> Round:
    """Let the phones of the last published round write once more; twice is once.

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
        place.closed_at, place.standings = None, None
        place.save(update_fields=["closed_at", "standings"])
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
    course = load_course(tournament)
    results = course.results_before(place.number + 1)
    standings = rank_entrants(course.competitors, results, course.settings, tournament.seed)
    place.standings = {each.entrant: [each.place, write_points(each.points)] for each in standings}
    place.save(update_fields=["standings"])


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
