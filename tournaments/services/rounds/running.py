"""Run a round: open it, its clock, close it, and go on to the next one."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

from django.db import transaction
from django.db.models import F, Max, Q
from django.utils.translation import gettext_lazy as _

from tournaments.engine.rules.entries import Stopped, write_points
from tournaments.engine.standings.tournament_settings import OVERTIME
from tournaments.models import (
    AuditEntry,
    Entrant,
    Event,
    Game,
    Revision,
    Round,
    Ruling,
    Table,
    Tournament,
    Visitor,
)
from tournaments.queries.ratings import ratings_of_entrants
from tournaments.queries.sheets import Sheet, load_sheet, load_sheets, result_of
from tournaments.queries.state import (
    TournamentState,
    load_state,
    rules_of_tournament,
    seconds_left,
    seconds_used,
    settings_of,
)
from tournaments.queries.steps import LifecycleStep
from tournaments.services.audit import Actor
from tournaments.services.base.writes import Fault, Refused
from tournaments.services.entrants.registration import UnknownSection, lock_entrant
from tournaments.services.events.events import close_round as close_event_round
from tournaments.services.events.events import lock_tables_of, seal_rounds
from tournaments.services.games.playing import agreement_on, record_entry, withdraw_entry
from tournaments.services.games.tables import current_game
from tournaments.services.games.writing import WriteContext
from tournaments.services.ratings.computing import rate_round_again
from tournaments.services.rounds.proposals import number_of
from tournaments.services.rounds.seating import (
    lock_drawn,
    publish_round,
    seat_next_round,
    unseat_dependants,
)
from tournaments.services.tournaments.lifecycle import (
    Depended,
    WrongState,
    lock_tournament,
    move_tournament,
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


def open_round(round_pk: int, by: Actor, *, at: datetime) -> Round:
    """Open a published round for scoring, with its full time on the clock. Idempotent.

    Raises: WrongState: the round is not published.
    """
    with transaction.atomic():
        tournament, round_ = lock_drawn(round_pk)
        if round_.opened_at is not None:
            return round_
        if round_.published_at is None:
            sentence = _("Publish the seating first: then the round can be opened.")
            raise WrongState(round_.state, sentence)
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

    Raises: RoundNotReady, WrongState.
    """
    with transaction.atomic():
        tournament, round_ = lock_drawn(round_pk)
        if round_.closed_at is not None:
            return round_
        if round_.opened_at is None:
            raise WrongState(round_.state, _("The round is not open."))
        # Locked, so that no sheet changes between the check and the closing.
        lock_tables_of(round_)
        rows = Game.objects.filter(table__round=round_).order_by("table__number")
        rows = rows.select_related("table").prefetch_related("confirmations")
        unready = [each for sheet in load_sheets(rows) for each in _unready(sheet, round_.event)]
        if unready:
            raise RoundNotReady(faults=unready)
        round_ = close_event_round(round_pk, by, at=at)
        keep_standings(tournament, round_)
        touch(tournament)
        seal_rounds(tournament, by, at=at)
    return round_


def reopen_round(round_pk: int, by: Actor, *, at: datetime) -> Round:
    """Reopen the last published round for scoring. Idempotent.

    Proposals seated by its results are deleted.

    Raises: Depended: a later round is seated by its results; directors can still correct.
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
    closed = [round_.pk for round_ in rounds if round_.closed_at is not None]
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


_places: dict[int, tuple[object, int]] = {}
"""The number of entrants whom corrections moved, by tournament, with the version compared."""


def standings_moved(tournament: Tournament, rounds: Iterable[Round]) -> int:
    """Return how many entrants have another place than stored (2 queries, 9 after a change)."""
    last = last_correction(rounds)
    if last == (0, 0):
        return 0
    # The revision also counts rulings, withdrawn rulings, and acknowledgements by directors.
    found_by = (tournament.slug, tournament.revision, last)
    known = _places.get(tournament.pk)
    if known is None or known[0] != found_by:
        moved = changes_since_closing(load_state(tournament))
        known = (found_by, len({each.entrant for each in moved}))
        _places[tournament.pk] = known
    return known[1]


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
        # House players help to rank the others.
        ranked = {*only, *played}
        competitors = tuple(each for each in competitors if each.house or each.id in ranked)
    standings = state.standings_before(number + 1, competitors)
    return {
        standing.entrant: [standing.place, write_points(standing.points)] for standing in standings
    }


def _moved(state: TournamentState, number: int, stored: Kept) -> list[Moved]:
    now = _standings_after(state, number, stored)
    return [
        Moved(number, key, (stored[key][0], stored[key][1]), (round_, points))
        for key, (round_, points) in now.items()
        if key in stored and [round_, points] != stored[key]
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


MOST_MINUTES = 120
"""Maximum number of minutes added at once."""


class NotThatLong(Refused, code="not-that-long", status=422):
    sentence = _("Choose between 1 second and 2 hours; the clock cannot go below zero.")


@dataclass(frozen=True, slots=True)
class Added:
    """An amount of time to add: `seconds`, may be negative; `seen` is the value shown before.

    `seen` prevents a double click from adding the time twice.
    """

    seconds: int
    seen: int

    def on(self, stands: int) -> int:
        """Return the new value; unchanged if `stands` is not the value seen.

        Raises: NotThatLong: the new value is out of range.
        """
        if stands != self.seen:
            return stands
        after = stands + self.seconds
        if not 0 < abs(self.seconds) <= MOST_MINUTES * 60 or after < 0:
            raise NotThatLong
        return after


def start_clock(round_pk: int, by: Actor, *, at: datetime) -> Round:
    """Start or resume the clock of an open round. Idempotent.

    Raises: WrongState: the round is not open, or has no clock.
    """
    with _changing_clock(round_pk, "start-clock", by, at) as (round_, details):
        if round_.clock_seconds is None:
            raise WrongState(round_.state)
        if round_.clock_started_at is None:
            round_.clock_started_at = at
            details["clock"] = seconds_left(round_, at)
    return round_


def pause_clock(round_pk: int, by: Actor, *, at: datetime) -> Round:
    """Pause the clock of an open round. Idempotent.

    Raises: WrongState: the round is not open.
    """
    with _changing_clock(round_pk, "pause-clock", by, at) as (round_, details):
        if round_.clock_started_at is not None:
            round_.clock_used = seconds_used(round_, at)
            round_.clock_started_at = None
            details["clock"] = seconds_left(round_, at)
    return round_


def add_time(round_pk: int, added: Added, by: Actor, *, at: datetime) -> Round:
    """Add time for all tables of an open round, or take some back; create a clock if needed.

    Raises: WrongState, NotThatLong.
    """
    with _changing_clock(round_pk, "add-time", by, at) as (round_, details):
        before = round_.clock_seconds or 0
        after = added.on(before)
        if after != before:
            round_.clock_seconds = after
            details["added"] = added.seconds
    return round_


def add_table_time(table_pk: int, added: Added, by: Actor, *, at: datetime) -> Table:
    """Add time for one table only, or take some of it back.

    Raises: WrongState, NotThatLong, Table.DoesNotExist.
    """
    round_pk = Table.objects.values_list("round", flat=True).get(pk=table_pk)
    with transaction.atomic():
        tournament, round_ = _lock_open(round_pk)
        table = Table.objects.select_for_update().get(pk=table_pk)
        after = added.on(table.extra_seconds)
        if after != table.extra_seconds:
            table.extra_seconds = after
            table.save(update_fields=["extra_seconds"])
            touch(tournament)
            details = {"round": round_.number, "table": table.number, "added": added.seconds}
            note(tournament, "add-table-time", by, at, after=details)
    return table


@contextmanager
def _changing_clock(
    round_pk: int, action: str, by: Actor, at: datetime
) -> Iterator[tuple[Round, dict[str, Any]]]:
    """Lock an open round to change its clock; without details of the change, nothing is stored."""
    details: dict[str, Any] = {}
    with transaction.atomic():
        tournament, round_ = _lock_open(round_pk)
        yield round_, details
        if details:
            round_.save(update_fields=["clock_seconds", "clock_used", "clock_started_at"])
            touch(tournament)
            note(tournament, action, by, at, after={"round": round_.number} | details)


def _lock_open(round_pk: int) -> tuple[Tournament, Round]:
    tournament, round_ = lock_drawn(round_pk)
    if not round_.is_open:
        raise WrongState(round_.state, _("The clock goes while the round is open."))
    return tournament, round_


AS_IT_STANDS, LAST_DEAL_VOID = OVERTIME


def finish_for_time(table_pk: int, reason: str, by: Actor, *, at: datetime) -> Sheet:
    """End the game of a table whose time is over. Idempotent.

    The open deal is withdrawn, and the last complete one too if the settings say so; then the game
    is stopped. Withdrawn deals stay in the history, with the `reason`.

    Raises: WrongState, LaterEntryInvalid, RoundClosed, Table.DoesNotExist. Nothing is written then.
    """
    tables = Table.objects.select_related("round__event__tournament")
    with transaction.atomic():
        table = tables.get(pk=table_pk)
        round_: Round = table.round
        if round_.opened_at is None:
            raise WrongState(round_.state, _("The round has not begun."))
        # Locked from here on, so that the decision applies to the current sheet.
        row = Game.objects.select_for_update().get(pk=current_game(table).pk)
        sheet = load_sheet(row)
        game = sheet.game
        if game.finished:
            return sheet
        positions = [sheet.positions[-1]] if game.open_deal is not None else []
        if settings_of(round_.event.tournament).overtime == LAST_DEAL_VOID and game.deals:
            positions.append(sheet.positions[game.deals[-1].entry])
        for position in positions:
            if sheet.game.finished:
                return sheet
            sheet = withdraw_entry(row.pk, position, reason, _context(sheet, by, at))
        if sheet.game.finished:
            return sheet
        return record_entry(row.pk, Stopped("time"), _context(sheet, by, at))


def _context(sheet: Sheet, by: Actor, at: datetime) -> WriteContext:
    """Return the context of an automatic write for a director; its key contains the revision."""
    revision = sheet.row.revision
    return WriteContext(key=f"overtime-{revision:06}", revision=revision, at=at, by=by)


State = Tournament.State


MOVES: Mapping[str, str] = {
    "open-registration": State.REGISTRATION,
    "start": State.RUNNING,
    "start-and-seat": State.RUNNING,
    "finish": State.FINISHED,
}

SEATS = frozenset({"start-and-seat", "seat-round", "seat-finals"})

OF_ROUNDS: Mapping[str, tuple[Callable[..., Round], ...]] = {
    "publish-seating": (publish_round,),
    "open-round": (open_round,),
    "start-clock": (open_round, start_clock),
    "close-round": (close_round,),
}

STEPS = frozenset({*MOVES, *SEATS, *OF_ROUNDS})
"""The steps that need no choice; the others lead to a page."""


def take_step(
    tournament_pk: int, step: LifecycleStep, by: Actor, *, seen: int, at: datetime
) -> None:
    """Take the step that a director saw at revision `seen` of the tournament.

    Raises: WrongState, Refused. Nothing is written then.
    """
    with transaction.atomic():
        tournament = lock_tournament(tournament_pk)
        if tournament.revision != seen:
            sentence = _("Something has changed meanwhile: this is how it stands now.")
            raise WrongState(tournament.state, sentence)
        if step.code in MOVES:
            move_tournament(tournament_pk, MOVES[step.code], by, at=at)
        if step.code in SEATS:
            seat_next_round(tournament_pk, by, at=at)
        for lead in OF_ROUNDS.get(step.code, ()):
            for round_ in tournament.event.rounds.filter(number=step.round or 0):
                lead(round_.pk, by, at=at)


def value_missed_rounds(entrant_pk: int, missed: str, by: Actor, *, at: datetime) -> Entrant:
    """Set what the rounds are worth that an entrant has missed, one of `Missed`. Idempotent.

    That is no correction of the rounds played.

    Raises: WrongState: the tournament is finished.
    """
    with transaction.atomic():
        entrant = lock_entrant(entrant_pk)
        tournament = entrant.tournament
        if entrant.missed == missed:
            return entrant
        if tournament.state == Tournament.State.FINISHED:
            raise WrongState(tournament.state)
        corrected = {each.round for each in changes_since_closing(load_state(tournament))}
        before, entrant.missed = entrant.missed, missed
        entrant.save(update_fields=["missed"])
        keep_standings_of(load_state(tournament), but=corrected)
        touch(tournament)
        details = {"entrants": [entrant.key], "missed": missed}
        note(tournament, "change-entrant", by, at, before={"missed": before}, after=details)
        seal_rounds(tournament, by, at=at)
    return entrant


class TooFewForSections(Refused, code="too-few-for-sections"):
    sentence = _("Too few take part to fill a table in each section.")


def move_entrants(
    tournament_pk: int, numbers: Collection[int], section: str, by: Actor, *, at: datetime
) -> list[Entrant]:
    """Move entrants to a section, and return those who were not there. Idempotent.

    They keep their points. Published seatings stay, so that they play there from the next round.

    Raises: UnknownSection, WrongState, Depended.
    """
    with transaction.atomic():
        tournament = lock_tournament(tournament_pk)
        if not section or section not in settings_of(tournament).section_names:
            raise UnknownSection(section)
        rows = tournament.entrants.filter(number__in=numbers)
        return _put(tournament, dict.fromkeys(rows, section), by, at)


def divide_by_rating(
    tournament_pk: int, visitor: Visitor, by: Actor, *, at: datetime
) -> list[Entrant]:
    """Divide all who play by the ratings that a visitor may see, the best into the first section.

    Those without a rating come last, in order of numbers. Return those who move.

    Raises: UnknownSection, TooFewForSections, WrongState, Depended.
    """
    with transaction.atomic():
        tournament = lock_tournament(tournament_pk)
        names = settings_of(tournament).section_names
        if not names:
            raise UnknownSection("")
        entrants = tournament.entrants.playing().competing()
        rows = list(entrants.select_related("player", "partner"))
        sizes = sizes_of(tournament, len(rows))
        if 0 in sizes:
            raise TooFewForSections
        rated = ratings_of_entrants(tournament, rows, visitor, at)
        rows.sort(key=lambda row: -rated[row.key].points if row.key in rated else float("inf"))
        letters = [name for name, size in zip(names, sizes, strict=True) for _each in range(size)]
        return _put(tournament, dict(zip(rows, letters, strict=True)), by, at)


def sizes_of(tournament: Tournament, count: int) -> Sequence[int]:
    """Return the sizes of sections of so many entrants: of whole tables, the rest in the last."""
    size, sections = rules_of_tournament(tournament).side_count, settings_of(tournament).sections
    tables, left = divmod(count, size)
    each, more = divmod(tables, sections)
    if not each:
        return [0] * sections
    sizes = [(each + (at < more)) * size for at in range(sections)]
    return [*sizes[:-1], sizes[-1] + left]


def put_back(tournament: Tournament, entry: AuditEntry, by: Actor, at: datetime) -> None:
    """Undo a move, or a division, from its audit entry."""
    stood: dict[str, str] = (entry.before or {})["sections"]
    rows = tournament.entrants.filter(number__in=map(number_of, stood))
    _put(tournament, {row: stood[row.key] for row in rows}, by, at)


def _put(
    tournament: Tournament, sections: Mapping[Entrant, str], by: Actor, at: datetime
) -> list[Entrant]:
    """Move entrants of a locked tournament; a move is no correction of the rounds played."""
    if tournament.state == Tournament.State.FINISHED:
        raise WrongState(tournament.state)
    if tournament.event.rounds.exclude(stage="").exists():
        raise Depended(sentence=_("A final is seated: nobody changes sections any more."))
    moved = [row for row, section in sections.items() if row.section != section]
    if not moved:
        return []
    corrected = {each.round for each in changes_since_closing(load_state(tournament))}
    before = {row.key: row.section for row in moved}
    for row in moved:
        row.section = sections[row]
    Entrant.objects.bulk_update(moved, ["section"])
    keep_standings_of(load_state(tournament), but=corrected)
    touch(tournament)
    after: dict[str, Any] = {"entrants": [row.key for row in moved]}
    to = {row.section for row in moved}
    if len(to) == 1:
        after["section"] = to.pop()
    note(tournament, "move-section", by, at, before={"sections": before}, after=after)
    seal_rounds(tournament, by, at=at)
    return moved
