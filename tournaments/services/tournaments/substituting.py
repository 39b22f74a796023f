"""Substitutes: somebody plays one round in another's place, and the result is the entrant's.

Locks are taken in one order: the tournament, the round, the people of the club, the game.
"""

import secrets
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Q

from tournaments.models import Entrant, Game, Player, Round, Seat, Sitting, Substitute
from tournaments.services.auditing import Actor
from tournaments.services.clubs.events import lock_round
from tournaments.services.people.players import find_or_add_player, lock_people
from tournaments.services.play.playing import seat_others
from tournaments.services.play.seating import Seating, SitsElsewhere
from tournaments.services.play.writing import Pen
from tournaments.services.tournaments.entering import lock_entrant
from tournaments.services.tournaments.leading import WrongState, note, touch


class TakesPart(Exception):
    """`player` plays the round for themselves, or stands in for somebody else in it."""

    def __init__(self, player: Player) -> None:
        self.player = player
        super().__init__(f"{player} plays this round already")


class NotAtTable(Exception):
    """`player` does not sit at the table any more, and nobody can take their seat there."""

    def __init__(self, player: Player) -> None:
        self.player = player
        super().__init__(f"{player} does not sit at the table")


@dataclass(frozen=True, slots=True)
class Place:
    """Which place is taken: that of a player (its key) of an entrant, in a round."""

    entrant_pk: int
    round_number: int
    instead_of: int


def put_substitute(place: Place, name: str, by: Actor, *, at: datetime) -> Substitute:
    """Let somebody, by name, play a round in the place of a player; a name nobody has is added.

    Once the round is published the substitute sits down at the table, until the round is closed.

    Raises:
        TakesPart, SitsElsewhere: they play this round already, or sit in it.
        NoName: the name is none.
        NotAtTable: another has been seated in the place meanwhile, on the sheet.
        WrongState: the round is closed.
        Player.DoesNotExist: the entrant has no such player.
    In each case nothing is written.
    """
    with transaction.atomic():
        entrant, drawn = _lock(place)
        instead_of = _player_of(entrant, place)
        player = find_or_add_player(entrant.tournament.event.club, name, by, at=at)
        row = _row(place)
        if row is not None and row.player_id == player.pk:
            return row
        _refuse_who_plays(entrant, drawn, place, player)
        sat = instead_of if row is None else row.player
        row = row or Substitute(
            entrant=entrant, round_number=place.round_number, instead_of=instead_of
        )
        row.player = player
        row.save()
        _change_seats(entrant, drawn, (sat, player), by, at)
        _note("put-substitute", row, by, at)
    return row


def take_out_substitute(place: Place, by: Actor, *, at: datetime) -> None:
    """Let a player have their own place in a round back; twice is once.

    Raises:
        WrongState: the round is closed.
        NotAtTable: the substitute has been replaced meanwhile, on the sheet.
        SitsElsewhere: the player has taken a place at another table meanwhile.
        Player.DoesNotExist: the entrant has no such player.
    """
    with transaction.atomic():
        entrant, drawn = _lock(place)
        row = _row(place)
        if row is None:
            return
        back = _player_of(entrant, place)
        if drawn is not None:
            _refuse_who_sits(drawn, back)
        _change_seats(entrant, drawn, (row.player, back), by, at)
        row.entrant = entrant
        _note("take-out-substitute", row, by, at)
        row.delete()


def _lock(place: Place) -> tuple[Entrant, Round | None]:
    """The entrant, and the round where it is drawn, with the people of the club, all locked."""
    entrant = lock_entrant(place.entrant_pk)
    event = entrant.tournament.event
    found = event.rounds.filter(number=place.round_number).values_list("pk", flat=True).first()
    drawn = None if found is None else lock_round(found)
    if drawn is not None and drawn.closed_at is not None:
        raise WrongState(drawn.state)
    lock_people(event.club_id)
    # Read again: two players may have been merged before their lock was taken.
    entrant.refresh_from_db(fields=["player", "partner"])
    return entrant, drawn


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


def _refuse_who_plays(entrant: Entrant, drawn: Round | None, place: Place, player: Player) -> None:
    """Refuse somebody who is at a table of the round, or will be by all that is known."""
    entrants = entrant.tournament.entrants
    own = entrants.filter(Q(player=player) | Q(partner=player)).first()
    others = Substitute.objects.filter(
        entrant__tournament=entrant.tournament, round_number=place.round_number, player=player
    )
    if own == entrant or others.exists():
        raise TakesPart(player)
    if drawn is not None and drawn.published_at is not None:
        _refuse_who_sits(drawn, player)
    elif own is not None and own.withdrawn_at is None and own.joins_in <= place.round_number:
        raise TakesPart(player)


def _refuse_who_sits(drawn: Round, player: Player) -> None:
    seats = Seat.objects.filter(game__table__round=drawn, player=player)
    seat = seats.select_related("game__table").first()
    if seat is not None and seat.game.table is not None:
        raise SitsElsewhere(player, seat.game.table.number)


def _change_seats(
    entrant: Entrant, drawn: Round | None, turn: tuple[Player, Player], by: Actor, at: datetime
) -> None:
    """Seat another at the entrant's table of a round: who sat there, and who does now."""
    sitting = Sitting.objects.filter(round=drawn, entrant=entrant).first()
    if drawn is None or sitting is None or sitting.table_id is None:
        return
    game = Game.objects.select_for_update().get(table=sitting.table_id)
    seats = game.seats.select_related("player").order_by("number")
    sat, player = turn
    if all(seat.player_id != sat.pk for seat in seats):
        raise NotAtTable(sat)
    seating = Seating(tuple(player if s.player_id == sat.pk else s.player for s in seats))
    if game.writes.exists():
        pen = Pen(secrets.token_urlsafe(12), game.revision, at, by=by)
        seat_others(game, seating, pen)
        return
    # Nothing has been written: there is no history to keep, and the round can be taken back.
    seating.sit_down(game)
    game.players = seating.names
    game.save(update_fields=["players"])


def _note(action: str, row: Substitute, by: Actor, at: datetime) -> None:
    tournament = row.entrant.tournament
    touch(tournament)
    # By their keys, so that no name is left when one of them is removed.
    told = {
        "entrants": [row.entrant.key],
        "round": row.round_number,
        "other": f"player:{row.player_id}",
    }
    note(tournament, action, by, at, after=told)
