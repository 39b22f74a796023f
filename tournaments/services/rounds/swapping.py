"""Let entrants of a seated round change chairs, after the director has seen the effect."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypeVar

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from tournaments.engine.pairing.judging import judge
from tournaments.engine.pairing.methods import Swapped, swap
from tournaments.engine.standings.round_results import RoundResults
from tournaments.models import Game, Round, Seat, Sitting
from tournaments.queries.tournaments.state import (
    DrawnTable,
    SeatedRound,
    TournamentState,
    load_state,
)
from tournaments.services.audit import Actor
from tournaments.services.base.refusals import Refused
from tournaments.services.events.events import lock_tables_of
from tournaments.services.events.sealing import seal_rounds
from tournaments.services.games.playing import seat_others
from tournaments.services.games.seats import TableSeating, move_players
from tournaments.services.games.writing import WriteContext
from tournaments.services.people.players import lock_people
from tournaments.services.rounds.rulings import NotInRound
from tournaments.services.rounds.seating import (
    AcrossSections,
    SeatingDraft,
    field_seated,
    lock_drawn,
    lock_seated,
    players_at,
    put_seating,
)
from tournaments.services.tournaments.lifecycle import note, touch


class SeatingMoved(Refused, code="seating-moved"):
    sentence = _("The seating has changed meanwhile: look at it once more.")


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
        """Return for each chair, by the entrant who has it, the one who takes it."""
        return dict(zip((*self.who[1:], *self.who[:1]), self.who, strict=True))

    @property
    def of_partners(self) -> bool:
        return len(self.who) == 1


def swap_of(state: TournamentState, round_: Round, one: str, other: str) -> Swapped:
    """Preview a seated round after swapping two entrants, by key, with the effects.

    Raises:
        InvalidSeating: one of them is not in the seating, or is not present.
    """
    seating = round_.seating or {"tables": [], "byes": []}
    field = field_seated(state, round_)
    return swap(field, judge(field, seating["tables"], seating["byes"]), one, other)


def swap_seats(  # noqa: PLR0913 - who, with whom, and as it was seen
    round_pk: int, one: str, other: str, by: Actor, *, seen: int, at: datetime
) -> Round:
    """Swap two entrants of a proposal, by key; `seen` is the tournament's revision in the preview.

    Raises:
        SeatingMoved: it has changed meanwhile; repeated, a swap would undo itself.
        WrongState, InvalidSeating: as in `put_seating`.
    """
    with transaction.atomic():
        tournament, round_ = lock_seated(round_pk)
        if tournament.revision != seen:
            raise SeatingMoved
        return _change_proposal(round_, Exchange((one, other)), by, at)


def exchanged(state: TournamentState, round_: Round, exchange: Exchange) -> TournamentState:
    """Return a tournament as after an exchange in which the entries stay with the chairs."""
    rounds = tuple(
        _turned(each, exchange.turned) if each.row.pk == round_.pk else each
        for each in state.seated_rounds
    )
    results = tuple(
        _turned(each, exchange.turned) if each.number == round_.number else each
        for each in state.results
    )
    return replace(state, seated_rounds=rounds, results=results)


def exchange_seats(
    round_pk: int, exchange: Exchange, by: Actor, *, seen: int, at: datetime
) -> Round:
    """Let entrants take each other's chairs in a round, whether played or not.

    Cards and addresses of the tables stay valid. `seen` is the tournament's revision in the
    preview.

    Raises:
        SeatingMoved: the tournament has changed meanwhile.
        NotInRound: one of them has no seat and no bye in the round, or is named twice; or the one
            named is no pair with seats.
        BetweenTables: entries cannot go with people to another table.
        AcrossSections: the chairs are at tables of several sections.
        LaterEntryInvalid: the entries do not fit the new order of seats.
        WrongState, InvalidSeating: as in `put_seating`, of a proposal.
    In each case nothing is written.
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
        seated = next(each for each in state.seated_rounds if each.row.pk == round_.pk)
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
    """Return the seats of a round, or its results, with other entrants in them."""
    tables: tuple[Any, ...] = tuple(
        replace(table, entrants=tuple(turned.get(key, key) for key in table.entrants))
        for table in seated.tables
    )
    return replace(seated, tables=tables, byes=tuple(turned.get(key, key) for key in seated.byes))


def _seat_entrants(state: TournamentState, seated: SeatedRound, exchange: Exchange) -> None:
    """Move the sittings of a published round."""
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
    """Seat the players of changed tables, whose games stay."""
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
            to = _partners_to(new.entrants.index(exchange.who[0]), state.rules.sides)
            players = [sitting[row.pk, seat] for seat in to]
        elif exchange.with_people:
            to = _seats_to(table.entrants, new.entrants, state.rules.sides)
        seating = TableSeating(tuple(players), keys)
        at_table = replace(context, revision=row.revision)
        if exchange.with_people and row.revision:
            move_players(row, seating, to, exchange.reason, at_table)
        else:
            seat_others(row, seating, at_table)


def _partners_to(side: int, sides: Sequence[int]) -> list[int]:
    """Return for each seat the seat to which its player moves, if the two of a side change."""
    one, other = (seat for seat, of in enumerate(sides) if of == side)
    return [{one: other, other: one}.get(seat, seat) for seat in range(len(sides))]


def _seats_to(before: Sequence[str], after: Sequence[str], sides: Sequence[int]) -> list[int]:
    """Return for each seat the seat to which its player moves, at one table."""
    seats = [[seat for seat, of in enumerate(sides) if of == side] for side in range(len(before))]
    moves = zip(before, seats, strict=True)
    to = {
        old: new
        for key, stood in moves
        for old, new in zip(stood, seats[after.index(key)], strict=True)
    }
    return [to[seat] for seat in range(len(sides))]
