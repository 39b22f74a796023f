"""The life of a tournament's round: open, close when all is complete, reopen."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

from django.db import transaction
from django.db.models import F, Max, Q
from django.utils.translation import gettext_lazy as _

from tournaments.engine.rules.entries import write_points
from tournaments.engine.standings.round_results import Competitor
from tournaments.models import Event, Game, Revision, Round, Ruling, Tournament
from tournaments.queries.games.sheets import Sheet, load_sheets, result_of
from tournaments.queries.tournaments.state import TournamentState, load_state, settings_of
from tournaments.services.audit import Actor
from tournaments.services.base.refusals import Fault, Refused
from tournaments.services.events.events import close_round as close_event_round
from tournaments.services.events.events import lock_tables_of
from tournaments.services.events.sealing import seal_rounds
from tournaments.services.games.confirming import agreement_on
from tournaments.services.ratings.due import rate_round_again
from tournaments.services.rounds.seating import lock_drawn, unseat_dependants
from tournaments.services.tournaments.lifecycle import (
    Depended,
    WrongState,
    lock_tournament,
    note,
    touch,
)

Kept = dict[str, list[Any]]
"""Standings as stored with a closed round: place and points by the key of the entrant."""


class Unready(Fault):
    """A table that prevents its round from closing; `number` is the table's."""

    def __init__(self, number: int) -> None:
        super().__init__({"table": number}, {"table": number})


class Unfinished(Unready, code="unfinished"):
    sentence = _("Table %(table)s is still played.")


class Unconfirmed(Unready, code="unconfirmed"):
    sentence = _("Table %(table)s is not confirmed.")


class WrongSum(Unready, code="wrong-sum"):
    sentence = _("Table %(table)s: the sum is wrong.")


class RoundNotReady(Refused, code="round-not-ready"):
    sentence = _("Tables keep the round from being closed.")

    def __init__(self, tables: Sequence[Unready]) -> None:
        super().__init__(faults=tables)


def open_round(round_pk: int, by: Actor, *, at: datetime) -> Round:
    """Open a published round for scoring, with its full time on the clock. Idempotent.

    Raises:
        WrongState: the round is not published.
    """
    with transaction.atomic():
        tournament, round_ = lock_drawn(round_pk)
        if round_.opened_at is not None:
            return round_
        if round_.published_at is None:
            said = _("Publish the seating first: then the round can be opened.")
            raise WrongState(round_.state, said)
        round_.opened_at = at
        minutes = settings_of(tournament).minutes
        round_.clock_seconds = None if minutes is None else minutes * 60
        round_.save(update_fields=["opened_at", "clock_seconds"])
        touch(tournament)
        note(tournament, "open-round", by, at, after={"round": round_.number})
    return round_


def close_round(round_pk: int, by: Actor, *, at: datetime) -> Round:
    """Close a round if all tables are finished, confirmed and their totals add up. Idempotent.

    The current standings are stored, so that later corrections can be shown as differences.

    Raises:
        RoundNotReady: contains every table that is not ready.
        WrongState: the round is not open.
    """
    with transaction.atomic():
        tournament, round_ = lock_drawn(round_pk)
        if round_.closed_at is not None:
            return round_
        if round_.opened_at is None:
            raise WrongState(round_.state, _("The round is not open."))
        # Locked, so that no sheet changes between the check and the closing.
        lock_tables_of(round_)
        unready = unready_tables(round_)
        if unready:
            raise RoundNotReady(unready)
        round_ = close_event_round(round_pk, by, at=at)
        keep_standings(tournament, round_)
        touch(tournament)
        seal_rounds(tournament, by, at=at)
    return round_


def reopen_round(round_pk: int, by: Actor, *, at: datetime) -> Round:
    """Reopen the last published round for scoring. Idempotent.

    Proposals seated by its results are deleted.

    Raises:
        Depended: a later round is seated by its results; directors can still correct.
    """
    with transaction.atomic():
        tournament, round_ = lock_drawn(round_pk)
        if round_.closed_at is None:
            return round_
        if not can_reopen(tournament, round_):
            raise Depended(
                sentence=_(
                    "A later round was seated by this one. You can still correct every sheet here."
                )
            )
        rate_round_again(round_)
        round_.closed_at, round_.standings = None, None
        round_.save(update_fields=["closed_at", "standings"])
        unseat_dependants(tournament, round_, by, at=at)
        touch(tournament)
        note(tournament, "reopen-round", by, at, after={"round": round_.number})
        seal_rounds(tournament, by, at=at)
    return round_


def can_reopen(tournament: Tournament, round_: Round) -> bool:
    """Return whether a closed round can be opened again (1 query)."""
    later = tournament.event.rounds.filter(number__gt=round_.number, published_at__isnull=False)
    return tournament.state == Tournament.State.RUNNING and not later.exists()


def unready_tables(round_: Round) -> list[Unready]:
    """Return what prevents a round from closing, by table (3 queries)."""
    rows = Game.objects.filter(table__round=round_).order_by("table__number")
    rows = rows.select_related("table").prefetch_related("confirmations")
    return [each for sheet in load_sheets(rows) for each in _unready(sheet, round_.event)]


def keep_standings(tournament: Tournament, round_: Round) -> None:
    """Store place and points of every entrant after a round."""
    round_.standings = _standings_after(load_state(tournament), round_.number)
    round_.save(update_fields=["standings"])


def keep_standings_of(state: TournamentState, but: Collection[int] = ()) -> None:
    """Store place and points of every entrant after each closed round, but for some of them."""
    for seated in state.seated_rounds:
        if seated.row.closed_at is not None and seated.row.number not in but:
            seated.row.standings = _standings_after(state, seated.row.number)
            seated.row.save(update_fields=["standings"])


@dataclass(frozen=True, slots=True)
class Moved:
    """Place and points of an entrant after a closed round, as stored and as of now."""

    round: int
    entrant: str
    before: tuple[int, int | str]
    after: tuple[int, int | str]


def changes_since_closing(state: TournamentState) -> list[Moved]:
    """Return changes by corrections in the standings of closed rounds, by round and new place.

    Later entrants are left out, since their entry is no correction.
    """
    return [
        moved
        for seated in state.seated_rounds
        if seated.row.closed_at is not None and seated.row.standings
        for moved in _moved(state, seated.row.number, seated.row.standings)
    ]


def last_correction(rounds: Iterable[Round]) -> tuple[int, int]:
    """Return the last revision and ruling of a round after it was closed (2 queries, or none).

    Both are keys, 0 if there is none. The standings need not have changed.
    """
    closed = [each.pk for each in rounds if each.closed_at is not None]
    if not closed:
        return 0, 0
    written = Revision.objects.filter(
        game__table__round__in=closed, at__gt=F("game__table__round__closed_at")
    )
    ruled = Ruling.objects.filter(round__in=closed).filter(
        Q(at__gt=F("round__closed_at")) | Q(withdrawn_at__gt=F("round__closed_at"))
    )
    last = (rows.aggregate(last=Max("pk"))["last"] for rows in (written, ruled))
    write, ruling = (pk or 0 for pk in last)
    return write, ruling


def fingerprint(changes: Sequence[Moved]) -> str:
    """Return a digest that identifies a list of changes."""
    return sha256(repr(changes).encode()).hexdigest()[:32]


def accept_changes(tournament_pk: int, seen: str, by: Actor, *, at: datetime) -> bool:
    """Store the current standings of closed rounds, after a director has reviewed the changes.

    `seen` is the `fingerprint` of the reviewed changes; if there are others now, nothing is stored
    and the result is False. If nothing is left to store, it is True.
    """
    with transaction.atomic():
        tournament = lock_tournament(tournament_pk)
        state = load_state(tournament)
        changes = changes_since_closing(state)
        if not changes:
            return True
        if fingerprint(changes) != seen:
            return False
        numbers = sorted({moved.round for moved in changes})
        others = {seated.row.number for seated in state.seated_rounds}.difference(numbers)
        keep_standings_of(state, but=others)
        touch(tournament)
        note(tournament, "accept-changes", by, at, after={"round": numbers})
        seal_rounds(tournament, by, at=at)
    return True


def _standings_after(state: TournamentState, number: int, only: Kept | None = None) -> Kept:
    """Return standings after round `number`; with `only`, as if nobody else took part."""
    competitors = state.competitors
    if only is not None:
        # Whoever has played counts for the others, whatever an imported document says.
        played = {
            name
            for result in state.results
            if result.number <= number
            for name in (
                *(name for table in result.tables for name in table.entrants),
                *result.byes,
                *(ruling.entrant for ruling in result.rulings),
            )
        }
        competitors = tuple(each for each in competitors if _is_in(each, {*only, *played}))
    standings = state.standings_before(number + 1, competitors)
    return {each.entrant: [each.place, write_points(each.points)] for each in standings}


def _is_in(competitor: Competitor, kept: Collection[str]) -> bool:
    """Return whether a competitor was in the standings; house players help to rank the others."""
    return competitor.house or competitor.id in kept


def _moved(state: TournamentState, number: int, kept: Kept) -> list[Moved]:
    now = _standings_after(state, number, kept)
    return [
        Moved(number, key, (kept[key][0], kept[key][1]), (round_, points))
        for key, (round_, points) in now.items()
        if key in kept and [round_, points] != kept[key]
    ]


def _unready(sheet: Sheet, event: Event) -> list[Unready]:
    table = sheet.row.table
    assert table is not None
    if not sheet.game.finished:
        return [Unfinished(table.number)]
    agreement = agreement_on(sheet, event.confirmations, sheet.row.confirmations.all())
    found: list[Unready] = [] if agreement.enough else [Unconfirmed(table.number)]
    wrong = sum(sheet.game.totals) != sheet.game.expected_sum
    if wrong or sheet.row.result != result_of(sheet):
        found.append(WrongSum(table.number))
    return found
