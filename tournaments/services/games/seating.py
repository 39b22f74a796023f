"""Who sits at a table: players, names that were joined, and phones."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from functools import partial
from secrets import token_urlsafe
from typing import Any

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from tournaments.engine.documents.entries import move_seats
from tournaments.models import (
    Club,
    Game,
    PhoneTransfer,
    Player,
    Revision,
    Round,
    SavedGame,
    Seat,
    Table,
    Tournament,
    User,
)
from tournaments.models.games import digest
from tournaments.models.people import fold_name
from tournaments.queries.evenings import Joined, person_called, players_of
from tournaments.queries.sheets import (
    Held,
    PhoneSeat,
    Sheet,
    fold_sheet,
    load_sheet,
    phone_seats,
    rules_of,
)
from tournaments.services.audit import Actor
from tournaments.services.base.writes import Fault, Refused
from tournaments.services.events.events import lock_round
from tournaments.services.games.writing import Write, WriteContext, store
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
            raise NotOfClub({"name": name}, {"name": name})
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
    if row.stake:
        stays["stake"] = row.stake
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

    def change(now: Sheet, revision: Revision) -> Sheet:
        _put(now.row, moved)
        seating.sit_down(now.row)
        return Sheet(now.row, (*now.revisions, revision), after.positions, after.game)

    return store(
        row.pk,
        context,
        [
            Write(f"{context.key}-{number:03}", partial(change, revision=revision))
            for number, revision in enumerate(writes)
        ],
    )


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
            raise SitsTwice({"name": player.shown_name}, {"player": player.public_id})
    taken = Seat.objects.filter(game__table__round=round_, player__in=players)
    if table is not None:
        taken = taken.exclude(game__table=table)
    seat = taken.select_related("player", "game__table").order_by("pk").first()
    if seat is not None and seat.game.table is not None:
        raise SitsElsewhere(seat.player, seat.game.table.number)
    return TableSeating(tuple(players))


MOST_JOINED = 16
"""As many as a cookie holds."""


class NamesNotJoined(Refused, code="names-not-joined", status=422):
    sentence = _("These two have played in one game, so they are two people.")


def join_names(joined: Joined, name: str, into: str, games: Iterable[Game]) -> dict[str, str]:
    """Return `joined` with one name more that stands for another.

    Raises: NamesNotJoined: both have played in one of the games, or there is no room for another.
    """
    one, other = (person_called(each, joined) for each in (name, into))
    keys = {fold_name(one), fold_name(other)}
    if len(keys) == 1:
        return dict(joined)
    if len(joined) >= MOST_JOINED:
        full = _("No more names can be joined: separate some first.")
        raise NamesNotJoined(sentence=full)
    if any(keys <= {*map(fold_name, players_of(row, joined))} for row in games):
        raise NamesNotJoined
    return {**joined, fold_name(one): other}


def separate_name(joined: Joined, name: str) -> dict[str, str]:
    """Return `joined` without a name that was joined to another."""
    return {key: into for key, into in joined.items() if key != fold_name(name)}


def save_joined(user: User, joined: Joined) -> None:
    """Keep joined names in an account, in place of those kept before."""
    User.objects.filter(pk=user.pk).update(joined_names=joined)
    user.joined_names = dict(joined)


PATIENCE = timedelta(minutes=1)
"""Time to answer a phone that asks for a seat."""


def take_seat(game_pk: int, seat: int, phone: str, *, at: datetime) -> bool:
    """Give a phone a seat that is free, or was asked for in vain; return whether it has it now."""

    def take(seats: list[PhoneSeat]) -> bool:
        there = seats[seat]
        waited = there.asks == phone and at.timestamp() - there.since >= PATIENCE.total_seconds()
        if there.phone in ("", phone) or waited:
            _leave(seats, phone)
            there.phone, there.asks = phone, "" if there.asks == phone else there.asks
        return there.phone == phone

    return _change(game_pk, take)


def ask_for_seat(game_pk: int, seat: int, phone: str, *, at: datetime) -> bool:
    """Ask the phone that has a seat for it, unless another already does."""

    def ask(seats: list[PhoneSeat]) -> bool:
        there = seats[seat]
        if there.phone and there.phone != phone and not there.asks:
            there.asks, there.since = phone, at.timestamp()
        return there.asks == phone

    return _change(game_pk, ask)


def answer_for_seat(game_pk: int, seat: int, phone: str, *, gives: bool) -> bool:
    """Answer as the phone that has a seat; return whether it was asked for it."""

    def answer(seats: list[PhoneSeat]) -> bool:
        there = seats[seat]
        if there.phone != phone or not there.asks:
            return False
        if gives:
            _leave(seats, there.asks)
            there.phone = there.asks
        there.asks = ""
        return True

    return _change(game_pk, answer)


def leave_seat(game_pk: int, phone: str) -> bool:
    def leave(seats: list[PhoneSeat]) -> bool:
        _leave(seats, phone)
        return True

    return _change(game_pk, leave)


def _leave(seats: list[PhoneSeat], phone: str) -> None:
    for there in seats:
        if there.phone == phone:
            # Whoever asks for it finds it free.
            there.phone = ""
            _put_down(there)


def _put_down(there: PhoneSeat) -> None:
    there.pen, there.given, there.backs = 0, False, ""


def ask_for_pen(game_pk: int, seat: int, phone: str, *, at: datetime) -> bool:
    """Ask to write the score as the phone of a seat; return whether it asks now."""

    def ask(seats: list[PhoneSeat]) -> bool:
        there = seats[seat]
        if there.phone == phone:
            there.pen = there.pen or at.timestamp()
        return there.phone == phone

    return _change(game_pk, ask)


def back_request(game_pk: int, seat: int, name: str, phone: str) -> bool:
    """Agree as the phone of a seat that the one with a name writes; return whether that asks."""

    def back(seats: list[PhoneSeat]) -> bool:
        there = seats[seat]
        asks = any(each.pen and each.name == name for each in seats)
        if there.phone == phone and asks:
            there.backs = name
        return there.phone == phone and asks

    return _change(game_pk, back)


def answer_for_pen(game_pk: int, seat: int, *, gives: bool) -> bool:
    """Answer a seat as the writing phone; return whether it asked."""

    def answer(seats: list[PhoneSeat]) -> bool:
        there = seats[seat]
        asked = bool(there.pen)
        if asked and gives:
            there.given = True
        elif asked:
            _put_down(there)
        return asked

    return _change(game_pk, answer)


def _change(game_pk: int, change: Callable[[list[PhoneSeat]], bool]) -> bool:
    with transaction.atomic():
        row = Game.objects.select_for_update(no_key=True).get(pk=game_pk)
        seats = phone_seats(row)
        done = change(seats)
        phones: list[dict[str, Any]] = [asdict(seat) for seat in seats]
        if phones != row.phones:
            row.phones = phones
            row.save(update_fields=["phones"])
    return done


Carried = tuple[str, str, int]
"""A game in a transfer: its public id, the kind of address, the address's generation."""


class TransferGone(Refused, code="transfer-gone", status=404):
    sentence = _("This link has been used, or its ten minutes are over: create a new one.")


def begin_transfer(held: Sequence[Held], joined: Joined, *, at: datetime) -> str:
    """Store games and joined names of a phone for another one, and return the key of the link."""
    PhoneTransfer.objects.expired_at(at).delete()
    key = token_urlsafe(24)
    games: list[Carried] = [(row.public_id, kind, row.generation(kind)) for row, kind in held]
    PhoneTransfer.objects.create(digest=digest(key), games=games, joined=joined, created_at=at)
    return key


def count_transfer(key: str, *, at: datetime) -> int:
    """Return how many games a link carries, without using it.

    Raises: TransferGone: the link was used or has expired.
    """
    row = PhoneTransfer.objects.valid_at(at).filter(digest=digest(key)).first()
    if row is None:
        raise TransferGone
    return len({public_id for public_id, _, _ in row.games})


def take_transfer(key: str, *, at: datetime) -> tuple[list[Carried], Joined]:
    """Return the games of a link and the joined names, once.

    Raises:
        TransferGone: the link was used or has expired; of two phones at once one gets the games.
    """
    with transaction.atomic():
        # The lock makes the second phone wait, and then it finds nothing.
        rows = PhoneTransfer.objects.select_for_update().valid_at(at)
        row = rows.filter(digest=digest(key)).first()
        if row is None or not rows.filter(pk=row.pk).delete()[0]:
            raise TransferGone
    games = [(public_id, kind, generation) for public_id, kind, generation in row.games]
    return games, row.joined


def save_games(user: User, held: Sequence[Held]) -> int:
    """Keep games in an account to follow them; return how many are new there."""
    with transaction.atomic():
        before = set(user.saved_games.values_list("game", flat=True))
        rows = {
            row.pk: SavedGame(user=user, game=row, generation=row.follow_generation)
            for row, _ in held
        }
        SavedGame.objects.bulk_create(
            rows.values(),
            update_conflicts=True,
            unique_fields=["user", "game"],
            update_fields=["generation"],
        )
    return len(set(rows) - before)


def who_rests(games: Sequence[Game], people: Sequence[str], seats: int) -> tuple[str, ...]:
    """Return those of `people` who sit out the game after `games`, which are in order.

    Whoever has played the most games since sitting out or coming; of several the last of the last
    game.
    """
    places = _places(games[-1])
    played = {name: _played_in_a_row(games, name) for name in people}

    def turn(name: str) -> tuple[int, int]:
        return (-played[name], -places.get(name, 0))

    resting = sorted(people, key=turn)[: max(len(people) - seats, 0)]
    return tuple(name for name in people if name in resting)


def seated(before: Sequence[str], people: Sequence[str], seats: int) -> list[str]:
    """Return `people` in the seats they had `before`; whoever comes takes a seat that is free."""
    comers = [name for name in people if name not in before[:seats]]
    staying = [name if name in people else None for name in before[:seats]]
    staying += [None] * (seats - len(staying))
    return [name or (comers.pop(0) if comers else "") for name in staying]


def _played_in_a_row(games: Sequence[Game], name: str) -> int:
    number = 0
    for game in reversed(games):
        if name not in game.players:
            break
        number += 1
    return number


def _places(game: Game) -> Mapping[str, int]:
    if game.result is None:
        return {}
    ranks, sides = game.result["ranks"], rules_of(game).with_options(game.options).sides
    return {name: ranks[sides[seat]] for seat, name in enumerate(game.players)}
