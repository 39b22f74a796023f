"""Tables of a round: add, remove, enter by code, replace the access link."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from tournaments.models import AuditEntry, Club, Game, Round, Table
from tournaments.models.events import MOST_WRONG_CODES
from tournaments.models.games import digest
from tournaments.queries.games.sheets import load_sheets
from tournaments.queries.rulesets import find_ruleset_of_club, house_document
from tournaments.services.audit import Actor, Change, note_change
from tournaments.services.base.refusals import Refused
from tournaments.services.events.events import lock_round
from tournaments.services.games.matches import start_match
from tournaments.services.games.playing import GameSetup, check_head, delete_locked, start_game
from tournaments.services.games.seats import TableSeating, Who, seat_players
from tournaments.services.games.writing import NoMoreTables
from tournaments.services.people.players import lock_people
from tournaments.services.ratings.due import rate_round_again


class WrongCode(Refused, code="wrong-code", status=422):
    """Not the code of the table; `left` tries remain."""

    sentence = _("That is not the code of this table.")

    def __init__(self, left: int) -> None:
        tries = ngettext("%(left)s try is left.", "%(left)s tries are left.", left)
        sentence = f"{self.sentence} {tries % {'left': left}}"
        super().__init__(data={"left": left}, sentence=sentence)


class AccessLinkClosed(Refused, code="door-shut", status=403):
    sentence = _("Too many wrong codes: access is closed. The director gives the table a new card.")


@dataclass(frozen=True, slots=True)
class Laying:
    """A new table: the setup of its sheet, whose players are named by `who`.

    `terms` are length and number of games of a match, if it is one; `key` makes a repeated form add
    one table.
    """

    head: GameSetup
    who: Sequence[Who]
    terms: tuple[str, int] | None = None
    key: str | None = None


def add_table(round_pk: int, laying: Laying, by: Actor, *, at: datetime) -> Table:
    """Add a table to an open round and start its game; unknown names become players.

    Raises:
        InvalidEntry: an invalid setup.
        NoName: a name is not valid.
        SitsTwice, SitsElsewhere: a player may sit only once in a round.
        NoMoreTables: the round is closed.
    In each case nothing is written.
    """
    with transaction.atomic():
        round_ = lock_round(round_pk)
        if not round_.is_open:
            raise NoMoreTables
        laid = _laid_with(round_, laying.key)
        if laid is not None:
            return laid
        head = _checked(laying, round_.event.club)
        seating = seat_players(round_, laying.who, by, at=at)
        head = replace(head, players=seating.names, title=head.title or round_.event.name)
        terms = laying.terms
        game = start_match(head, *terms, at=at) if terms else start_game(head, at=at)
        game.start_key = laying.key and _start_key(round_, laying.key)
        return lay(round_, [game], [seating], Act("add-table", by, at))


@dataclass(frozen=True, slots=True)
class Act:
    """The audit data of a new table: action, actor and time."""

    action: str
    by: Actor
    at: datetime


def lay(round_: Round, games: Sequence[Game], seatings: Sequence[TableSeating], act: Act) -> Table:
    """Put games without a table on a new one of a locked round, with a seating for each."""
    number = (round_.tables.aggregate(last=Max("number"))["last"] or 0) + 1
    table = Table.objects.create(round=round_, number=number)
    for game, seating in zip(games, seatings, strict=True):
        game.table = table
        game.save(update_fields=["table", "start_key"])
        seating.sit_down(game)
    change = _change(act.action, table, after=_details(table, games))
    note_change(round_.event.club, change, act.by, at=act.at)
    return table


def remove_table(table_pk: int, by: Actor, *, at: datetime) -> None:
    """Remove a table with its games. Idempotent.

    The audit keeps the records of the games.
    """
    with transaction.atomic():
        found = Table.objects.filter(pk=table_pk).first()
        if found is None:
            return
        round_ = lock_round(found.round_id)
        # Merging or removing a player locks seats, then games; here seats are deleted last.
        lock_people(round_.event.club_id)
        table = Table.objects.select_for_update().filter(pk=table_pk).first()
        if table is None:
            return
        games = _locked_games(table)
        sheets = load_sheets(Game.objects.filter(table=table).order_by("pk"))
        records = [sheet.record for sheet in sheets if sheet.positions]
        before = _details(table, games) | ({"records": records} if records else {})
        note_change(round_.event.club, _change("remove-table", table, before=before), by, at=at)
        rate_round_again(round_)
        for game in games:
            delete_locked(game)
        table.delete()


def replace_address(table_pk: int, by: Actor, *, at: datetime) -> Table:
    """Revoke the card of a table: its code, and the link of the scoring phone.

    For a lost phone: no link it has kept can write the table's sheets any more.

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
            # A known start key shows where the game is written now.
            game.taken_with, game.start_key = "", None
            game.save(update_fields=["write_generation", "taken_with", "start_key"])
        note_change(table.round.event.club, _change("replace-address", table), by, at=at)
    return table


def enter_table(table_pk: int, generation: int, code: str, by: Actor, *, at: datetime) -> None:
    """Enter a table by its code.

    Raises:
        WrongCode: contains the number of tries left.
        AccessLinkClosed: after too many wrong codes even the right one is refused.
        Table.DoesNotExist: the access link was replaced meanwhile.
    """
    with transaction.atomic():
        # The lock makes guesses queue up; without it, many at once would count as one.
        rows = Table.objects.select_for_update(of=("self",)).filter(generation=generation)
        table = rows.select_related("round__event__club").get(pk=table_pk)
        if table.wrong_codes >= MOST_WRONG_CODES:
            raise AccessLinkClosed
        # The right code does not restore tries, or each phone that enters would help a guesser.
        right = constant_time_compare(code, table.code)
        table.wrong_codes += not right
        table.save(update_fields=["wrong_codes"])
        left = MOST_WRONG_CODES - table.wrong_codes
        if not left:
            note_change(table.round.event.club, _change("shut-door", table), by, at=at)
    # Raised outside the transaction, whose rollback would undo the count.
    if not right:
        raise WrongCode(left) if left else AccessLinkClosed


def current_game(table: Table) -> Game:
    """Return the current game of a table; in a match, the last one."""
    return table.games.order_by("-pk")[:1].get()


def subject_of(table: Table) -> str:
    """Return the table's subject in the audit."""
    return f"table:{table.public_id}"


def _checked(laying: Laying, club: Club) -> GameSetup:
    """Return the setup with its current rules, which may be house rules of the club."""
    head = laying.head
    rules = find_ruleset_of_club(head.ruleset, club)
    typed = [each if isinstance(each, str) else each.name for each in laying.who]
    check_head(replace(head, players=typed), rules)
    return replace(head, document=house_document(rules))


def _start_key(round_: Round, key: str) -> str:
    return digest(f"table {round_.pk} {key}")


def _laid_with(round_: Round, key: str | None) -> Table | None:
    """Return the table this form has added before, as after a double tap."""
    if key is None:
        return None
    return Table.objects.filter(round=round_, games__start_key=_start_key(round_, key)).first()


def _locked_games(table: Table) -> list[Game]:
    return list(Game.objects.select_for_update().filter(table=table).order_by("pk"))


def _change(action: str, table: Table, before: Any = None, after: Any = None) -> Change:
    event = table.round.event
    return Change(AuditEntry.Kind.EVENT, action, subject_of(table), before, after, event=event)


def _details(table: Table, games: Sequence[Game]) -> dict[str, Any]:
    return {
        "round": table.round.number,
        "table": table.number,
        "games": [
            {"game": game.public_id, "ruleset": game.ruleset, "players": game.players}
            for game in games
        ],
    }
