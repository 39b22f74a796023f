"""Who of a club sits where: names that were typed, and the rows that say who they are.

Whoever seats people holds the lock of the round, so that nobody sits at two of its tables, then
that of the club's people, for one who is being merged or renamed; those of games come last.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from tournaments.models import Club, Game, Player, Round, Seat, Table, Tournament
from tournaments.services.auditing import Actor
from tournaments.services.clubs.events import lock_round
from tournaments.services.people.players import (
    find_or_add_player,
    find_player,
    lock_people,
    names_at_table,
)

Who = Player | str
"""A player, or the name that somebody typed."""


class SitsTwice(Exception):
    """`player` would sit twice at one table."""

    def __init__(self, player: Player) -> None:
        self.player = player
        super().__init__(f"{player} sits twice")


class SitsElsewhere(Exception):
    """`player` sits at another table of the round already, with the number `table`."""

    def __init__(self, player: Player, table: int) -> None:
        self.player, self.table = player, table
        super().__init__(f"{player} sits at table {table}")


class SeatsDrawn(Exception):
    """A tournament's seats and rules are not for its tables to change."""


class NotOfClub(Exception):
    """The club has no player called `name`, and the phone of a table adds none."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"no player called {name!r}")


@dataclass(frozen=True)
class Seating:
    """The players of one table in seat order, their club's people locked."""

    players: tuple[Player, ...]

    @property
    def names(self) -> list[str]:
        """How they are called on the sheet."""
        return names_at_table(self.players)

    def sit_down(self, row: Game) -> bool:
        """Make the seats of a game those of the players; whether that changed anything."""
        stood = {seat.number: seat for seat in row.seats.all()}
        new = dict(enumerate(self.players))
        if {n: seat.player_id for n, seat in stood.items()} == {n: p.pk for n, p in new.items()}:
            return False
        # A row goes with its player, under its key: undoing a merge finds it by that.
        keys = {seat.player_id: seat.pk for seat in stood.values()}
        row.seats.all().delete()
        seats = [Seat(pk=keys.get(p.pk), game=row, number=n, player=p) for n, p in new.items()]
        for seat in seats:
            seat.save(force_insert=True)
        return True


def seat_players(
    place: Round, who: Sequence[Who], by: Actor, *, at: datetime, table: Table | None = None
) -> Seating:
    """Find the players of a table in a locked round; names that nobody has are added.

    Raises:
        SitsTwice, SitsElsewhere: one of them sits elsewhere (than at `table`), or twice.
        NoName: a name is none.
    """
    club = lock_people(place.event.club_id)
    players = [
        Player.objects.select_related("merged_into").get(pk=each.pk)
        if isinstance(each, Player)
        else find_or_add_player(club, each, by, at=at)
        for each in who
    ]
    # Whoever was merged meanwhile has been kept as another one.
    return _alone(place, [player.merged_into or player for player in players], table)


def reseat(row: Game, names: Sequence[str], by: Actor, *, at: datetime) -> Seating:
    """Find the players that a new head of a club's game names, and lock them and the round.

    From the phone of a table players of the club may be named; a director adds others.

    Raises:
        NotOfClub: nobody of the club has a name.
        NoName, SitsTwice, SitsElsewhere: as in `seat_players`.
    """
    table = Table.objects.get(games=row.pk)
    place = lock_round(table.round_id)
    club = lock_people(place.event.club_id)
    may_add = Club.objects.directed_by(by.user).filter(pk=club.pk).exists()
    # Read under the lock: a name on the sheet is whoever sits there, also where it is initials.
    row = Game.objects.get(pk=row.pk)
    seated = {seat.number: seat.player for seat in row.seats.select_related("player")}
    on_sheet = {name: seated[n] for n, name in enumerate(row.players) if n in seated}
    players = []
    for name in (name.strip() for name in names):
        player = on_sheet.get(name) or find_player(club, name)
        if player is None and not may_add:
            raise NotOfClub(name)
        players.append(player or find_or_add_player(club, name, by, at=at))
    return _alone(place, players, table)


def is_drawn(table_pk: int) -> bool:
    """Whether a table is one of a tournament, whose players and rules its sheets do not change."""
    return Tournament.objects.filter(event__rounds__tables=table_pk).exists()


def _alone(place: Round, players: Sequence[Player], table: Table | None) -> Seating:
    """Those who sit down, once it is sure that each sits at one place only."""
    for number, player in enumerate(players):
        if player in players[:number]:
            raise SitsTwice(player)
    taken = Seat.objects.filter(game__table__round=place, player__in=players)
    if table is not None:
        taken = taken.exclude(game__table=table)
    seat = taken.select_related("player", "game__table").order_by("pk").first()
    if seat is not None and seat.game.table is not None:
        raise SitsElsewhere(seat.player, seat.game.table.number)
    return Seating(tuple(players))
