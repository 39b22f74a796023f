"""Substitutes for entrants, and entrants copied from another tournament."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from tournaments.engine.standings.results import TIE_BREAK_VERSION
from tournaments.models import Entrant, Game, Player, Round, Seat, Sitting, Substitute, Tournament
from tournaments.models.fields import new_public_id
from tournaments.queries.state import settings_of
from tournaments.services.audit import Actor
from tournaments.services.base.writes import Refused
from tournaments.services.entrants.registration import lock_entrant
from tournaments.services.events.events import lock_round, lock_season, plan_of
from tournaments.services.games.playing import seat_others
from tournaments.services.games.seating import SitsElsewhere, TableSeating
from tournaments.services.games.writing import WriteContext
from tournaments.services.people.players import find_or_add_player, lock_people
from tournaments.services.tournaments.lifecycle import (
    TournamentPlan,
    WrongState,
    create_tournament,
    lock_tournament,
    note,
    touch,
)


class TakesPart(Refused, code="takes-part"):
    sentence = _("%(name)s plays this round already.")

    def __init__(self, player: Player) -> None:
        super().__init__({"name": player.shown_name})


class NotAtTable(Refused, code="not-at-table"):
    sentence = _("%(name)s does not sit at the table any more: change it on the sheet.")

    def __init__(self, player: Player) -> None:
        super().__init__({"name": player.shown_name})


@dataclass(frozen=True, slots=True)
class Place:
    """A player's place in a round: the entrant, and the key of the player."""

    entrant_pk: int
    round_number: int
    instead_of: int


def put_substitute(place: Place, name: str, by: Actor, *, at: datetime) -> Substitute:
    """Let a named person play a round in a player's place; an unknown name is added.

    Once the round is published, the substitute takes the seat until the round is closed.

    Raises: TakesPart, SitsElsewhere, NoName, NotAtTable, WrongState, Player.DoesNotExist. Nothing
    is written then.
    """
    with transaction.atomic():
        entrant, seated = _lock(place)
        instead_of = _player_of(entrant, place)
        player = find_or_add_player(entrant.tournament.event.club, name, by, at=at)
        row = _row(place)
        if row is not None and row.player_id == player.pk:
            return row
        entrants = entrant.tournament.entrants
        own = entrants.filter(Q(player=player) | Q(partner=player)).first()
        others = Substitute.objects.filter(
            entrant__tournament=entrant.tournament, round_number=place.round_number, player=player
        )
        if own == entrant or others.exists():
            raise TakesPart(player)
        if seated is not None and seated.published_at is not None:
            _refuse_who_sits(seated, player)
        elif own is not None and own.is_playing and own.joins_in <= place.round_number:
            raise TakesPart(player)
        sat = instead_of if row is None else row.player
        row = row or Substitute(
            entrant=entrant, round_number=place.round_number, instead_of=instead_of
        )
        row.player = player
        row.save()
        _change_seats(entrant, seated, (sat, player), by, at)
        _note("put-substitute", row, by, at)
    return row


def take_out_substitute(place: Place, by: Actor, *, at: datetime) -> None:
    """Remove a substitute and give the place back to the player. Idempotent.

    Raises: WrongState, NotAtTable, SitsElsewhere, Player.DoesNotExist.
    """
    with transaction.atomic():
        entrant, seated = _lock(place)
        row = _row(place)
        if row is None:
            return
        back = _player_of(entrant, place)
        if seated is not None:
            _refuse_who_sits(seated, back)
        _change_seats(entrant, seated, (row.player, back), by, at)
        row.entrant = entrant
        _note("take-out-substitute", row, by, at)
        row.delete()


def _lock(place: Place) -> tuple[Entrant, Round | None]:
    """Lock the entrant, the round (if it is seated) and the people of the club."""
    entrant = lock_entrant(place.entrant_pk)
    event = entrant.tournament.event
    found = event.rounds.filter(number=place.round_number).values_list("pk", flat=True).first()
    seated = None if found is None else lock_round(found)
    if seated is not None and seated.closed_at is not None:
        raise WrongState(seated.state, _("This round is closed."))
    lock_people(event.club_id)
    # Read again: two players may have been merged before the lock was taken.
    entrant.refresh_from_db(fields=["player", "partner"])
    return entrant, seated


def _player_of(entrant: Entrant, place: Place) -> Player:
    for player in entrant.players:
        if player.pk == place.instead_of:
            return player
    raise Player.DoesNotExist


def _row(place: Place) -> Substitute | None:
    rows = Substitute.objects.select_related("player").filter(
        entrant=place.entrant_pk, round_number=place.round_number, instead_of=place.instead_of
    )
    return rows.first()


def _refuse_who_sits(seated: Round, player: Player) -> None:
    seats = Seat.objects.filter(game__table__round=seated, player=player)
    seat = seats.select_related("game__table").first()
    if seat is not None and seat.game.table is not None:
        raise SitsElsewhere(player, seat.game.table.number)


def _change_seats(
    entrant: Entrant, seated: Round | None, turn: tuple[Player, Player], by: Actor, at: datetime
) -> None:
    sitting = Sitting.objects.filter(round=seated, entrant=entrant).first()
    if seated is None or sitting is None or sitting.table_id is None:
        return
    game = Game.objects.select_for_update().get(table=sitting.table_id)
    seats = game.seats.select_related("player").order_by("number")
    sat, player = turn
    if all(seat.player_id != sat.pk for seat in seats):
        raise NotAtTable(sat)
    seating = TableSeating(tuple(player if s.player_id == sat.pk else s.player for s in seats))
    seat_others(game, seating, WriteContext(secrets.token_urlsafe(12), game.revision, at, by=by))


def _note(action: str, row: Substitute, by: Actor, at: datetime) -> None:
    tournament = row.entrant.tournament
    touch(tournament)
    # By key, so that no name is left when a player is removed.
    details = {
        "entrants": [row.entrant.key],
        "round": row.round_number,
        "other": f"player:{row.player_id}",
    }
    note(tournament, action, by, at, after=details)


WEEK = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class CopyPlan:
    """The wishes for a copy: its name, day and seed, and what comes along.

    With `links`, the links to register and to check in lead to the copy from now on.
    """

    name: str
    held_on: date
    seed: int = 0
    entrants: bool = True
    links: bool = False


def month_later(day: date) -> date:
    """Return the same weekday of the next month, four or five weeks later."""
    later = day + 4 * WEEK
    return later if later.month != day.month else later + WEEK


def copy_tournament(
    tournament_pk: int,
    plan: CopyPlan,
    by: Actor,
    *,
    at: datetime,
    key: str | None = None,
) -> Tournament:
    """Create a draft with the settings of a tournament. Idempotent for one `key` and plan.

    Entrants who have withdrawn or whose names were removed do not come along. It belongs to the
    season of the first one if its day does.

    Raises: InvalidEntry: the game is no longer among those of the club; nothing is written.
    """
    event = (
        Tournament.objects.select_related("event__club", "event__season")
        .get(pk=tournament_pk)
        .event
    )
    season = event.season
    if season is not None and not season.starts_on <= plan.held_on <= season.ends_on:
        season = None
    new = replace(plan_of(event), name=plan.name, held_on=plan.held_on, season=season)
    with transaction.atomic():
        lock_season(new)
        before = lock_tournament(tournament_pk)
        settings = replace(settings_of(before), tie_break_version=TIE_BREAK_VERSION)
        whole = TournamentPlan(new, settings, plan.seed)
        copy = create_tournament(event.club, whole, by, at=at, key=key)
        if copy.entrants.exists() or copy.revision:
            # Sent twice.
            return copy
        if plan.entrants:
            rows = before.entrants.playing().select_related("player", "partner").order_by("number")
            staying = [row for row in rows if all(p.removed_at is None for p in row.players)]
            _enter(copy, staying, by, at)
        if plan.links:
            copy.public_id, copy.link_generation = before.public_id, before.link_generation
            before.public_id, before.link_generation = new_public_id(), 1
            before.save(update_fields=["public_id", "link_generation"])
        touch(before)
        touch(copy)
    return copy


def _enter(copy: Tournament, rows: Sequence[Entrant], by: Actor, at: datetime) -> None:
    same = ("player", "partner", "team", "represents", "house", "section", "preferred_table")
    entrants = [
        Entrant(
            tournament=copy,
            number=number,
            registered_at=at,
            **{name: getattr(row, name) for name in same},
        )
        for number, row in enumerate(rows, 1)
    ]
    Entrant.objects.bulk_create(entrants)
    note(copy, "add-entrants", by, at, after={"entrants": [entrant.key for entrant in entrants]})
