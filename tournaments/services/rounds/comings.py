"""Somebody leaves a table of a published round, or comes late to one.

Begin at `leave` and `arrive`, which do what a director decides, and `undo_coming`, which takes
either back. `effects_of_leaving` previews the decisions.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournaments.engine.documents.entries import parse_entry
from tournaments.engine.pairing.methods import LateChange
from tournaments.engine.rules.entries import Stopped, write_points
from tournaments.engine.rules.rulesets import number_of as points_of
from tournaments.engine.standings.results import ADJUSTED, BYE, RoundResults
from tournaments.engine.standings.results import Ruling as RulingOf
from tournaments.models import (
    AuditEntry,
    Entrant,
    Game,
    Revision,
    Round,
    Ruling,
    Sitting,
    Substitute,
    Table,
    Tournament,
)
from tournaments.queries.sheets import Sheet, load_sheet, result_of
from tournaments.queries.state import DrawnTable, TournamentState, load_state
from tournaments.services.audit import Actor
from tournaments.services.base.writes import Refused
from tournaments.services.entrants.registration import (
    remove_entrant,
    return_entrant,
    withdraw_entrant,
)
from tournaments.services.entrants.substituting import (
    NotAtTable,
    Place,
    put_substitute,
    take_out_substitute,
)
from tournaments.services.games.playing import (
    correct_entry,
    record_entry,
    seat_others,
    with_entry,
    withdraw_entry,
)
from tournaments.services.games.seating import TableSeating
from tournaments.services.games.writing import WriteContext
from tournaments.services.rounds.changes import (
    change_late,
    new_key,
    preview_late,
    seat_anew,
    who_can_come,
)
from tournaments.services.rounds.proposals import add_house_players, check_room, number_of
from tournaments.services.rounds.rulings import NotInRound, RulingDecision, rule, withdraw_ruling
from tournaments.services.rounds.running import value_missed_rounds
from tournaments.services.rounds.seating import clear_tables, games_of, lay_tables, lock_published
from tournaments.services.tournaments.lifecycle import lock_tournament, note, touch

SUBSTITUTE, HOUSE, RESEAT = "substitute", "house", "reseat"
COUNTS, VOID, FORFEIT = "counts", "void", "forfeit"
STOPS = (COUNTS, VOID, FORFEIT)
"""The decisions that end the game: with its deals, without them, or with the last place."""
LEAVING = (SUBSTITUTE, HOUSE, RESEAT, *STOPS)
"""What directors decide when somebody leaves a table."""


class WayGone(Refused, code="way-gone"):
    sentence = gettext_lazy("The table has changed meanwhile: this is not possible any more.")


@dataclass(frozen=True, slots=True)
class Leaving:
    """A decision of `LEAVING`; with `for_good` they withdraw from the rounds to come.

    `name` is that of a substitute, `instead_of` the key of the player replaced, if not the first.
    """

    way: str
    for_good: bool = True
    name: str = ""
    instead_of: int | None = None


@dataclass(frozen=True)
class TakenSeat:
    """A seat at a table of a round, with the table's sheet."""

    round_: Round
    entrant: Entrant
    table: DrawnTable
    sheet: Sheet

    @property
    def begun(self) -> bool:
        return bool(self.sheet.positions)

    @property
    def ways(self) -> Sequence[str]:
        """Return the possible decisions. Those after which the others play on come first."""
        if self.sheet.game.finished:
            return ()
        # Finals have no house players.
        house = () if self.round_.stage else (HOUSE,)
        return (SUBSTITUTE, *house, *(STOPS if self.begun else (RESEAT,)))


def seat_taken(state: TournamentState, round_: Round, key: str) -> TakenSeat | None:
    """Return where an entrant sits in a published round that is not closed (2 queries)."""
    if round_.published_at is None or round_.closed_at is not None:
        return None
    for table in state.seating_of(round_).tables:
        if key in table.entrants:
            sheet = load_sheet(Game.objects.get(table=table.pk))
            return TakenSeat(round_, state.entrants[key], table, sheet)
    return None


@dataclass(frozen=True, slots=True)
class Effect:
    """What a decision leads to: the tournament `after` it, or the seating if that changes."""

    way: str
    after: TournamentState
    seating: LateChange | None = None


def effects_of_leaving(state: TournamentState, round_: Round, seat: TakenSeat) -> list[Effect]:
    """Preview the decisions about somebody who leaves a table; nothing is written."""
    effects = []
    for way in seat.ways:
        if way in STOPS:
            effects.append(Effect(way, _stopped(state, round_, seat, way)))
        elif way != RESEAT:
            effects.append(Effect(way, state))
        elif (seating := preview_late(state, round_, leaving=[seat.entrant.key])) is not None:
            effects.append(Effect(way, state, seating))
    return effects


def _stopped(state: TournamentState, round_: Round, seat: TakenSeat, way: str) -> TournamentState:
    """Return a tournament as if the game of a table had been stopped."""
    ended = result_of(with_entry(seat.sheet, Stopped("left"))) or {}
    of_table = {name: tuple(ended[name]) for name in ("ranks", "out", "kings")}
    of_table["totals"] = tuple(points_of(points) or 0 for points in ended["totals"])
    unplayed = points_of(ended.get("unplayed", 0)) or 0
    rulings = tuple(
        RulingOf(key, decision.kind, points_of(decision.points) or 0)
        for key, decision in _rulings(seat.table, seat.entrant.key, way, ended, "").items()
    )

    def with_it(result: RoundResults) -> RoundResults:
        tables = tuple(
            replace(table, finished=True, unplayed=unplayed, **of_table)
            if table.entrants == seat.table.entrants
            else table
            for table in result.tables
        )
        return replace(result, tables=tables, rulings=(*result.rulings, *rulings))

    results = tuple(
        with_it(result) if result.number == round_.number else result for result in state.results
    )
    return replace(state, results=results)


def _rulings(
    table: DrawnTable, gone: str, way: str, result: Mapping[str, Any], reason: str
) -> dict[str, RulingDecision]:
    """Return the rulings that a decision takes, by the key of the entrant."""
    if way == FORFEIT:
        # Never more than they had.
        least = write_points(min(points_of(points) or 0 for points in result["totals"]))
        return {gone: RulingDecision(FORFEIT, least, reason)}
    if way == VOID:
        nothing, bye = RulingDecision(ADJUSTED, 0, reason), RulingDecision(BYE, 0, reason)
        return {key: nothing if key == gone else bye for key in table.entrants}
    return {}


def leave(  # noqa: PLR0913 - who leaves which round, and what follows
    round_pk: int, entrant_pk: int, decision: Leaving, by: Actor, *, at: datetime, reason: str
) -> None:
    """Do what a director decides about somebody who leaves a table. Idempotent.

    `reason` is that of the rulings.

    Raises: WayGone, NotInRound, WrongState, Refused. Nothing is written then.
    """
    with transaction.atomic():
        _tournament, round_, state = lock_published(round_pk)
        entrant = _entrant_of(state, entrant_pk)
        details: dict[str, Any] = {
            "round": round_.number,
            "entrants": [entrant.key],
            "way": decision.way,
        }
        # Somebody else may be the substitute, or of the partner.
        if decision.way != SUBSTITUTE and _is_last("leave-table", state.tournament, details):
            return
        seat = seat_taken(state, round_, entrant.key)
        if seat is None:
            raise NotInRound
        if decision.way not in seat.ways:
            raise WayGone
        details["table"] = seat.table.number
        if decision.way == SUBSTITUTE:
            player = decision.instead_of or entrant.player_id
            rows = entrant.substitutes.filter(round_number=round_.number, instead_of=player)
            before = rows.first()
            row = put_substitute(Place(entrant.pk, round_.number, player), decision.name, by, at=at)
            if before is not None:
                if before.player_id == row.player_id and not (
                    decision.for_good and entrant.withdrawn_at is None
                ):
                    return
                details["replaced"] = True
            details["substitute"] = row.pk
        elif decision.way == HOUSE:
            house, added = _free_house_player(state, round_, entrant, by, at)
            details |= {"house_player": house.key} | ({"registered": [house.key]} if added else {})
            _take_chair(round_, seat.table, (entrant, house), by, at)
        elif decision.way == RESEAT:
            change_late(round_.pk, by, at=at, leaving=[entrant.pk])
        else:
            context = WriteContext(
                f"left-{seat.sheet.row.revision:06}", seat.sheet.row.revision, at, by=by
            )
            result = record_entry(seat.sheet.row.pk, Stopped("left"), context).row.result or {}
            decided = _rulings(seat.table, entrant.key, decision.way, result, reason)
            for key, ruling in decided.items():
                if not state.entrants[key].house:
                    rule(round_.pk, state.entrants[key].pk, ruling, by, at=at)
        if decision.for_good and entrant.withdrawn_at is None:
            withdraw_entrant(entrant.pk, by, at=at)
            details["withdrawn"] = True
        _note("leave-table", state, round_, details, by, at=at)


def arriving_seats(
    state: TournamentState, round_: Round, entrant: Entrant
) -> list[tuple[TakenSeat, Entrant]]:
    """Return the chairs of house players that a late entrant can take, with who has them."""
    house = [key for key, each in state.entrants.items() if each.house]
    seats = [seat for key in house if (seat := seat_taken(state, round_, key)) is not None]
    section = state.section_of(entrant)
    return [
        (seat, seat.entrant)
        for seat in seats
        if not seat.sheet.game.finished and state.section_at(seat.table.entrants) == section
    ]


def can_arrive(state: TournamentState, round_: Round, entrant: Entrant) -> bool:
    """Return whether an entrant can come late to a round: nobody comes to a final."""
    if round_.stage:
        return False
    seated_round = state.seating_of(round_)
    return entrant.key in {each.key for each in who_can_come(state, seated_round)}


@dataclass(frozen=True, slots=True)
class Arriving:
    """A decision about a late entrant: to play where there is room, in a chair, or not at all.

    `instead_of` is the key of the house player who has the chair; with neither they sit out.
    `missed` is what missed rounds are worth, one of `Entrant.Missed`; None leaves that as it is.
    """

    plays: bool = False
    instead_of: str = ""
    missed: str | None = None


def arrive(round_pk: int, entrant_pk: int, decision: Arriving, by: Actor, *, at: datetime) -> None:
    """Do what a director decides about somebody who comes late to a round. Idempotent.

    Raises: WayGone, WrongState, LineUpFull, Refused. Nothing is written then.
    """
    with transaction.atomic():
        _tournament, round_, state = lock_published(round_pk)
        entrant = _entrant_of(state, entrant_pk)
        details: dict[str, Any] = {
            "round": round_.number,
            "entrants": [entrant.key],
            "plays": decision.plays,
            "instead_of": decision.instead_of,
        }
        if _is_last("arrive-late", state.tournament, details):
            return
        if not can_arrive(state, round_, entrant):
            raise WayGone
        check_room(state, round_.number, {*state.seating_of(round_).names, entrant.key})
        if decision.missed is not None and decision.missed != entrant.missed:
            details["missed_before"] = entrant.missed
            value_missed_rounds(entrant.pk, decision.missed, by, at=at)
        if decision.instead_of:
            chairs = {house.key: seat for seat, house in arriving_seats(state, round_, entrant)}
            seat = chairs.get(decision.instead_of)
            if seat is None:
                raise WayGone
            details["house_player"] = seat.entrant.key
            _take_chair(round_, seat.table, (seat.entrant, entrant), by, at)
        elif decision.plays:
            seating = preview_late(state, round_, arriving=[entrant.key])
            if seating is not None and entrant.key in seating.byes:
                raise WayGone
            change_late(round_.pk, by, at=at, arriving=[entrant.pk])
        else:
            Sitting.objects.create(round=round_, entrant=entrant)
            _count_as_here(entrant, round_)
        _note("arrive-late", state, round_, details, by, at=at)


def _entrant_of(state: TournamentState, pk: int) -> Entrant:
    entrant = next((each for each in state.entrants.values() if each.pk == pk), None)
    if entrant is None:
        # Whoever waits does not take part.
        raise NotInRound
    return entrant


def _is_last(action: str, tournament: Tournament, details: Mapping[str, Any]) -> bool:
    """Return whether this was the last that directors did, as when a phone sends twice."""
    acts = AuditEntry.objects.filter(event=tournament.event_id, kind=AuditEntry.Kind.EVENT)
    last = acts.order_by("-pk").first()
    return last is not None and last.action == action and details.items() <= last.after.items()


def _free_house_player(
    state: TournamentState, round_: Round, entrant: Entrant, by: Actor, at: datetime
) -> tuple[Entrant, bool]:
    """Return a house player without a seat, and whether they were registered for it."""
    section = state.section_of(entrant)
    for each in who_can_come(state, state.seating_of(round_)):
        if each.house and state.section_of(each) == section:
            return each, False
    known = {*state.entrants}
    state = add_house_players(state, {section: 1}, by, at=at)
    return next(each for key, each in state.entrants.items() if key not in known), True


def _take_chair(
    round_: Round, table: DrawnTable, turn: tuple[Entrant, Entrant], by: Actor, at: datetime
) -> None:
    """Replace an entrant by another at a table. Recorded entries stay with the chair."""
    old, new = turn
    Sitting.objects.filter(round=round_, entrant=new).delete()
    Sitting.objects.filter(round=round_, entrant=old).update(entrant=new)
    game = Game.objects.select_for_update().get(table=table.pk)
    seats = [seat.player for seat in game.seats.select_related("player").order_by("number")]
    state = load_state(lock_tournament(old.tournament_id))
    out, come = (state.players_of(each, round_.number) for each in turn)
    players = {one.pk: other for one, other in zip(out, come, strict=True)}
    sitting = {player.pk for player in seats}
    for player in out:
        if player.pk not in sitting:
            raise NotAtTable(player)
    seating = TableSeating(tuple(players.get(player.pk, player) for player in seats))
    seat_others(game, seating, WriteContext(new_key(), game.revision, at, by=by))
    _count_as_here(new, round_)


def _count_as_here(entrant: Entrant, round_: Round) -> None:
    # The given one stays as it was: the audit compares.
    row = Entrant.objects.get(pk=entrant.pk)
    row.come_in(round_.number)
    row.save(update_fields=["joins_in", "checked_in"])


def _note(  # noqa: PLR0913 - what was done, where, and by whom
    action: str,
    before: TournamentState,
    round_: Round,
    details: dict[str, Any],
    by: Actor,
    *,
    at: datetime,
) -> None:
    """Add the audit entry, with what undoing it brings back."""
    # The services above have saved it as other objects.
    tournament = lock_tournament(before.tournament.pk)
    after = load_state(tournament)
    sat, sits = (state.seating_of(round_) for state in (before, after))
    tables = [{table.number: table.entrants for table in each.tables} for each in (sat, sits)]
    old, new = tables
    back: dict[str, Any] = {
        "chairs": {
            str(number): list(old.get(number, ()))
            for number in sorted({*old, *new})
            if old.get(number) != new.get(number)
        },
        "here": {
            key: [each.joins_in, each.checked_in]
            for key, each in before.entrants.items()
            if key in after.entrants
            and (each.joins_in, each.checked_in)
            != (after.entrants[key].joins_in, after.entrants[key].checked_in)
        },
    }
    if sat.byes != sits.byes:
        back["byes"] = list(sat.byes)
    touch(tournament)
    note(tournament, action, by, at, before=back, after=details)


def is_as_decided(tournament: Tournament, entry: AuditEntry) -> bool:
    """Return whether no sheet that the act of an audit entry concerns was written since."""
    details = {**(entry.before or {}), **(entry.after or {})}
    numbers = {*map(int, details["chairs"]), *filter(None, [details.get("table")])}
    written = Revision.objects.filter(
        at__gt=entry.at,
        game__table__round__event=tournament.event_id,
        game__table__round__number=details["round"],
        game__table__number__in=numbers,
    )
    return not details.get("replaced") and not written.exists()


def undo_coming(tournament: Tournament, entry: AuditEntry, by: Actor, at: datetime) -> None:
    """Undo what was decided about somebody who left or came; the tournament must be locked."""
    details = {**(entry.before or {}), **(entry.after or {})}
    pk = tournament.event.rounds.get(number=details["round"]).pk
    _tournament, round_, state = lock_published(pk)
    entrant, stood = state.entrants[details["entrants"][0]], games_of(round_)
    if details.get("way") in STOPS:
        game = Game.objects.get(table__round=round_, table__number=details["table"])
        _play_on(load_sheet(game), by, at)
        for ruling in Ruling.objects.filter(round=round_, at=entry.at, withdrawn_at=None):
            withdraw_ruling(ruling.pk, by, at=at)
        for ruling in Ruling.objects.filter(round=round_, withdrawn_at=entry.at):
            decided = RulingDecision(ruling.kind, ruling.points, ruling.reason)
            rule(round_.pk, ruling.entrant_id, decided, by, at=at)
    if "substitute" in details:
        row = Substitute.objects.get(pk=details["substitute"])
        place = Place(row.entrant_id, row.round_number, row.instead_of_id)
        take_out_substitute(place, by, at=at)
    _seat_back(round_, details, by, at)
    if details.get("withdrawn"):
        return_entrant(entrant.pk, by, at=at, as_before=True)
    if "missed_before" in details:
        value_missed_rounds(entrant.pk, details["missed_before"], by, at=at)
    rows = list(tournament.entrants.filter(number__in=map(number_of, details["here"])))
    for each in rows:
        each.joins_in, each.checked_in = details["here"][each.key]
    Entrant.objects.bulk_update(rows, ["joins_in", "checked_in"])
    for key in details.get("registered", ()):
        remove_entrant(tournament.entrants.get(number=number_of(key)).pk, by, at=at)
    tournament = lock_tournament(tournament.pk)
    touch(tournament)
    known = {name: details[name] for name in ("round", "entrants")}
    gone = sorted({*stood} - {*games_of(round_)})
    note(tournament, "undo-coming", by, at, after=known | ({"gone": gone} if gone else {}))


def _play_on(sheet: Sheet, by: Actor, at: datetime) -> None:
    """Take back the entry that ended a game, and open the deal again that it closed."""
    position = sheet.positions[-1]
    versions = sheet.versions(position)
    context = WriteContext(f"go-on-{sheet.row.revision:06}", sheet.row.revision, at, by=by)
    if versions[-1].kind == Revision.Kind.COMPLETION:
        entry = parse_entry(versions[-2].body or {})
        correct_entry(sheet.row.pk, position, entry, _("the game goes on"), context)
    else:
        withdraw_entry(sheet.row.pk, position, _("the game goes on"), context)


def _seat_back(round_: Round, details: Mapping[str, Any], by: Actor, at: datetime) -> None:
    """Seat a round's changed tables, and who sat out, as they did before."""
    state = load_state(lock_tournament(round_.event.tournament.pk))
    seats = {int(number): keys for number, keys in details["chairs"].items()}
    tables = {table.number: table for table in state.seating_of(round_).tables}
    if "house_player" in details and len(seats) == 1:
        ((number, keys),) = seats.items()
        turn = [
            (state.entrants[one], state.entrants[other])
            for one, other in zip(tables[number].entrants, keys, strict=True)
            if one != other
        ]
        _take_chair(round_, tables[number], turn[0], by, at)
        seats = {}
    context = WriteContext(new_key(), 0, at, by=by)
    changed = Table.objects.filter(round=round_, number__in=seats)
    Sitting.objects.filter(table__in=changed).delete()
    if "byes" in details:
        Sitting.objects.filter(round=round_, table=None).delete()
    clear_tables(state.tournament, changed.filter(number__in=[n for n in seats if not seats[n]]))
    for table in changed.filter(number__in=tables):
        seated = [state.entrants[key] for key in seats[table.number]]
        seat_anew(state, round_, table, seated, replace(context, key=new_key()))
    missing = {number: keys for number, keys in seats.items() if keys and number not in tables}
    lay_tables(state, round_, missing, at)
    Sitting.objects.bulk_create(
        Sitting(round=round_, entrant=state.entrants[key]) for key in details.get("byes", ())
    )
