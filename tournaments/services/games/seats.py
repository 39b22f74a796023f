"""Seating of club players: typed names, and the rows of their players.

Seating locks the round, so that nobody sits at two of its tables, then the people of the club,
since players may be merged or renamed; games are locked last.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.utils.translation import gettext_lazy as _

from tournaments.engine.documents.entries import move_seats
from tournaments.models import Club, Game, Player, Revision, Round, Seat, Table, Tournament
from tournaments.queries.games.sheets import Sheet, fold_sheet, load_sheet
from tournaments.services.audit import Actor
from tournaments.services.base.refusals import Fault, Refused
from tournaments.services.events.events import lock_round
from tournaments.services.games.writing import WriteContext, store_writes
from tournaments.services.people.players import (
    NoName,
    find_or_add_player,
    find_player,
    lock_people,
    names_at_table,
)

Who = Player | str
"""A player, or a typed name."""


class SitsTwice(Fault, code="sits-twice", where="players"):
    sentence = _("%(name)s sits here twice.")

    def __init__(self, player: Player) -> None:
        super().__init__({"name": player.shown_name}, {"player": player.public_id})


class SitsElsewhere(Fault, code="sits-elsewhere", where="players"):
    sentence = _("%(name)s already sits at table %(table)s of this round.")

    def __init__(self, player: Player, table: int) -> None:
        params = {"name": player.shown_name, "table": table}
        super().__init__(params, {"player": player.public_id, "table": table})


class SeatsDrawn(Refused, code="seats-drawn"):
    sentence = _(
        "In a tournament what is played stays, and directors change who sits here under"
        " “Wrong chairs”."
    )


class NotOfClub(Fault, code="not-of-club", where="players"):
    sentence = _("The club has no player called %(name)s. A director can add a new player.")

    def __init__(self, name: str) -> None:
        super().__init__({"name": name}, {"name": name})


@dataclass(frozen=True)
class TableSeating:
    """The players of one table in seat order, with their club's people locked.

    `keys` are the rows of players who come from another table, by player.
    """

    players: tuple[Player, ...]
    keys: Mapping[int, int] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        return names_at_table(self.players)

    def sit_down(self, row: Game) -> bool:
        """Set the seats of a game to these players; return whether anything changed."""
        stood = {seat.number: seat for seat in row.seats.all()}
        new = dict(enumerate(self.players))
        if {n: seat.player_id for n, seat in stood.items()} == {n: p.pk for n, p in new.items()}:
            return False
        # Rows keep their key and move with the player: undoing a merge finds them by it.
        keys = {**self.keys, **{seat.player_id: seat.pk for seat in stood.values()}}
        row.seats.all().delete()
        seats = [Seat(pk=keys.get(p.pk), game=row, number=n, player=p) for n, p in new.items()]
        for seat in seats:
            seat.save(force_insert=True)
        return True


def seat_players(
    round_: Round, who: Sequence[Who], by: Actor, *, at: datetime, table: Table | None = None
) -> TableSeating:
    """Find the players of a table in a locked round; unknown names are added.

    Raises:
        SitsTwice, SitsElsewhere: a player is named twice, or sits at another table than `table`.
        NoName: a name is not valid.
    """
    club = lock_people(round_.event.club_id)
    players = [
        Player.objects.select_related("merged_into").get(pk=each.pk)
        if isinstance(each, Player)
        else _found(club, each, by, at)
        for each in who
    ]
    # A player merged meanwhile is replaced by the kept one.
    return _alone(round_, [player.merged_into or player for player in players], table)


def reseat(row: Game, names: Sequence[str], by: Actor, *, at: datetime) -> TableSeating:
    """Find the players in a new setup of a club's game; lock them and the round.

    The phone of a table may name players of the club; a director may add others.

    Raises:
        NotOfClub: no player of the club has that name.
        NoName, SitsTwice, SitsElsewhere: as in `seat_players`.
    """
    table = Table.objects.get(games=row.pk)
    round_ = lock_round(table.round_id)
    club = lock_people(round_.event.club_id)
    may_add = Club.objects.directed_by(by.user).filter(pk=club.pk).exists()
    # Read under the lock: a name on the sheet is the player seated there, even as initials.
    row = Game.objects.get(pk=row.pk)
    seated = {seat.number: seat.player for seat in row.seats.select_related("player")}
    on_sheet = {name: seated[n] for n, name in enumerate(row.players) if n in seated}
    players = []
    for name in (name.strip() for name in names):
        player = on_sheet.get(name) or find_player(club, name)
        if player is None and not may_add:
            raise NotOfClub(name)
        players.append(player or _found(club, name, by, at))
    return _alone(round_, players, table)


def move_players(
    row: Game, seating: TableSeating, to: Sequence[int], reason: str, context: WriteContext
) -> Sheet:
    """Move the players of a tournament's table from each seat to the seat `to[seat]`.

    Their entries go with them: each is a revision, and so are the names. The game must be locked.

    Raises:
        LaterEntryInvalid: an entry does not fit in the new order of seats.
        RoundClosed, StaleRevision, BadKey: as in `record_entry`.
    """
    sheet = load_sheet(row)
    moved = {"players": seating.names, "first_declarer": to[row.first_declarer]}
    stays = {name: getattr(row, name) for name in ("options", "title", "place")}
    before = {name: getattr(row, name) for name in moved}
    writes = [Revision(kind=Revision.Kind.HEAD, before=stays | before, body=stays | moved)]
    for position in sheet.positions:
        stood = sheet.body(position) or {}
        body = move_seats(stood, to, sheet.game.ruleset.sides)
        if body != stood:
            version = {"position": position, "body": body, "reason": reason}
            writes.append(Revision(kind=Revision.Kind.CORRECTION, **version))
    _put(row, moved)
    after = fold_sheet(row, (*sheet.revisions, *writes))

    def store(write: Revision) -> Callable[[Sheet], Sheet]:
        def change(now: Sheet) -> Sheet:
            _put(now.row, moved)
            seating.sit_down(now.row)
            return Sheet(now.row, (*now.revisions, write), after.positions, after.game)

        return change

    return store_writes(row.pk, context, [store(write) for write in writes])


def _put(row: Game, values: Mapping[str, Any]) -> None:
    for name, value in values.items():
        setattr(row, name, value)


def _found(club: Club, name: str, by: Actor, at: datetime) -> Player:
    try:
        return find_or_add_player(club, name, by, at=at)
    except NoName as error:
        raise NoName(where="players") from error


def is_drawn(table_pk: int) -> bool:
    """Return whether a table is a tournament's; its sheets cannot change players or rules."""
    return Tournament.objects.filter(event__rounds__tables=table_pk).exists()


def _alone(round_: Round, players: Sequence[Player], table: Table | None) -> TableSeating:
    """Return the seating after checking that each player has only one seat."""
    for number, player in enumerate(players):
        if player in players[:number]:
            raise SitsTwice(player)
    taken = Seat.objects.filter(game__table__round=round_, player__in=players)
    if table is not None:
        taken = taken.exclude(game__table=table)
    seat = taken.select_related("player", "game__table").order_by("pk").first()
    if seat is not None and seat.game.table is not None:
        raise SitsElsewhere(seat.player, seat.game.table.number)
    return TableSeating(tuple(players))
