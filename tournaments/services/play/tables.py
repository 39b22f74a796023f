"""Tables of a round: laid, taken away, entered from their card, and given a new address."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils.crypto import constant_time_compare

from tournaments.models import AuditLine, Club, Game, Round, Table
from tournaments.models.events import MOST_WRONG_CODES
from tournaments.models.play import digest
from tournaments.queries.rulesets import find_ruleset_of_club, house_document
from tournaments.queries.sheets import load_sheets
from tournaments.services.auditing import Actor, Change, note_change
from tournaments.services.clubs.events import lock_round
from tournaments.services.people.players import lock_people
from tournaments.services.play.matches import start_match
from tournaments.services.play.playing import Head, check_head, delete_locked, start_game
from tournaments.services.play.seating import Seating, Who, seat_players
from tournaments.services.play.writing import RoundClosed
from tournaments.services.ratings.due import rate_round_again


class WrongCode(Exception):
    """Not the code of the table; so many tries are `left`."""

    def __init__(self, left: int) -> None:
        self.left = left
        super().__init__(f"{left} tries left")


class DoorShut(Exception):
    """Too many wrong codes: the door stays shut until a director replaces the address."""


@dataclass(frozen=True, slots=True)
class Laying:
    """What is played at a new table: the head of its sheet, whose players are named by `who`.

    `terms` are length and number of a match, where the games make one; the `key` makes a form
    sent twice lay one table.
    """

    head: Head
    who: Sequence[Who]
    terms: tuple[str, int] | None = None
    key: str | None = None


def add_table(round_pk: int, laying: Laying, by: Actor, *, at: datetime) -> Table:
    """Lay a table in an open round, with its game started; names nobody has are added.

    Raises:
        InvalidEntry: a head that cannot be.
        NoName: a name is none.
        SitsTwice, SitsElsewhere: a player sits only once in a round.
        RoundClosed: the round is over.
    In each case nothing is written.
    """
    with transaction.atomic():
        place = lock_round(round_pk)
        if not place.is_open:
            raise RoundClosed
        laid = _laid_with(place, laying.key)
        if laid is not None:
            return laid
        head = _checked(laying, place.event.club)
        seating = seat_players(place, laying.who, by, at=at)
        head = replace(head, players=seating.names, title=head.title or place.event.name)
        terms = laying.terms
        game = start_match(head, *terms, at=at) if terms else start_game(head, at=at)
        game.start_key = laying.key and _start_key(place, laying.key)
        return lay(place, [game], [seating], Act("add-table", by, at))


@dataclass(frozen=True, slots=True)
class Act:
    """By which act a table comes to be: its word in the audit, who, and when."""

    action: str
    by: Actor
    at: datetime


def lay(place: Round, games: Sequence[Game], seatings: Sequence[Seating], act: Act) -> Table:
    """Put games that belong to no table yet on a new one of a locked round; who sits at each."""
    number = (place.tables.aggregate(last=Max("number"))["last"] or 0) + 1
    table = Table.objects.create(round=place, number=number)
    for game, seating in zip(games, seatings, strict=True):
        game.table = table
        game.save(update_fields=["table", "start_key"])
        seating.sit_down(game)
    change = _change(act.action, table, after=_told(table, games))
    note_change(place.event.club, change, act.by, at=act.at)
    return table


def remove_table(table_pk: int, by: Actor, *, at: datetime) -> None:
    """Take a table away with its games; removed twice, it is no error.

    What was written is kept in the audit, as records of the games.
    """
    with transaction.atomic():
        found = Table.objects.filter(pk=table_pk).first()
        if found is None:
            return
        place = lock_round(found.round_id)
        # Whoever merges or removes a player changes seats and then games; here seats go last.
        lock_people(place.event.club_id)
        table = Table.objects.select_for_update().filter(pk=table_pk).first()
        if table is None:
            return
        games = _locked_games(table)
        sheets = load_sheets(Game.objects.filter(table=table).order_by("pk"))
        records = [sheet.record for sheet in sheets if sheet.positions]
        before = _told(table, games) | ({"records": records} if records else {})
        note_change(place.event.club, _change("remove-table", table, before=before), by, at=at)
        rate_round_again(place)
        for game in games:
            delete_locked(game)
        table.delete()


def replace_address(table_pk: int, by: Actor, *, at: datetime) -> Table:
    """Make the card of a table, its code and the address of the phone that writes worthless.

    For a phone that was lost: nothing it has kept writes the sheets of the table any more.

    Raises:
        Table.DoesNotExist: the table was removed.
    """
    with transaction.atomic():
        rows = Table.objects.select_for_update(of=("self",))
        table = rows.select_related("round__event__club").get(pk=table_pk)
        table.generation += 1
        table.wrong_codes = 0
        table.save(update_fields=["generation", "wrong_codes"])
        for game in _locked_games(table):
            game.write_generation += 1
            # Whoever knows one of these keys is shown where the game is written now.
            game.taken_with, game.start_key = "", None
            game.save(update_fields=["write_generation", "taken_with", "start_key"])
        note_change(table.round.event.club, _change("replace-address", table), by, at=at)
    return table


def enter_table(table_pk: int, generation: int, code: str, by: Actor, *, at: datetime) -> None:
    """Come in at the door of a table with its code.

    Raises:
        WrongCode: with how many tries are left.
        DoorShut: there were too many wrong ones, and the right one helps no more.
        Table.DoesNotExist: the address has been replaced meanwhile.
    """
    with transaction.atomic():
        # The lock makes guesses queue up; without it many at once would count as one.
        rows = Table.objects.select_for_update(of=("self",)).filter(generation=generation)
        table = rows.select_related("round__event__club").get(pk=table_pk)
        if table.wrong_codes >= MOST_WRONG_CODES:
            raise DoorShut
        # The right code gives no tries back, or each phone that comes in would help who guesses.
        right = constant_time_compare(code, table.code)
        table.wrong_codes += not right
        table.save(update_fields=["wrong_codes"])
        left = MOST_WRONG_CODES - table.wrong_codes
        if not left:
            note_change(table.round.event.club, _change("shut-door", table), by, at=at)
    # Not raised within the transaction, which would take back what it counted.
    if not right:
        raise WrongCode(left) if left else DoorShut


def current_game(table: Table) -> Game:
    """The game that is played at a table: of a match the last one."""
    return table.games.order_by("-pk")[:1].get()


def subject_of(table: Table) -> str:
    """What the audit calls a table."""
    return f"table:{table.public_id}"


def _checked(laying: Laying, club: Club) -> Head:
    """The head with the rules it is played by as they stand, which may be those of the club."""
    head = laying.head
    rules = find_ruleset_of_club(head.ruleset, club)
    typed = [each if isinstance(each, str) else each.name for each in laying.who]
    check_head(replace(head, players=typed), rules)
    return replace(head, document=house_document(rules))


def _start_key(place: Round, key: str) -> str:
    return digest(f"table {place.pk} {key}")


def _laid_with(place: Round, key: str | None) -> Table | None:
    """The table that this form has laid before, as after a button tapped twice."""
    if key is None:
        return None
    return Table.objects.filter(round=place, games__start_key=_start_key(place, key)).first()


def _locked_games(table: Table) -> list[Game]:
    return list(Game.objects.select_for_update().filter(table=table).order_by("pk"))


def _change(action: str, table: Table, before: Any = None, after: Any = None) -> Change:
    event = table.round.event
    return Change(AuditLine.Kind.EVENT, action, subject_of(table), before, after, event=event)


def _told(table: Table, games: Sequence[Game]) -> dict[str, Any]:
    return {
        "round": table.round.number,
        "table": table.number,
        "games": [
            {"game": game.public_id, "ruleset": game.ruleset, "players": game.players}
            for game in games
        ],
    }
