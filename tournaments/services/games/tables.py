"""Tables of clubs and open tables, matches, games taken over, and results."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any

from django.db import transaction
from django.db.models import Max, Q
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from tournaments.engine.play import games as engine
from tournaments.engine.rules.entries import Adjustment, Deal, Entry
from tournaments.engine.rules.rulesets import (
    MOST_GAMES_AT_TABLE,
    Code,
    InvalidEntry,
    Problem,
    Ruleset,
)
from tournaments.models import (
    AuditEntry,
    Club,
    Event,
    Game,
    KeptSums,
    Match,
    OpenTable,
    Player,
    Revision,
    Round,
    Seat,
    Table,
)
from tournaments.models.events import MOST_WRONG_CODES
from tournaments.models.games import digest
from tournaments.queries.rulesets import find_ruleset_of_club, house_document
from tournaments.queries.sheets import (
    LaterEntryInvalid,
    Sheet,
    last_game_after,
    load_sheet,
    load_sheets,
    next_number,
    result_of,
    ruleset_of,
)
from tournaments.services.audit import NOBODY, Actor, Change, note_change
from tournaments.services.base.writes import Refused
from tournaments.services.events.events import EventPlan, create_event, lock_round
from tournaments.services.games.playing import (
    GameSetup,
    check_head,
    delete_locked,
    is_agreed,
    record_entries,
    start_game,
    start_key_of,
)
from tournaments.services.games.seating import TableSeating, Who, seat_players
from tournaments.services.games.writing import (
    NoMoreTables,
    NotFinished,
    WriteContext,
    round_for_writing,
)
from tournaments.services.people.players import let_typed_names_follow, lock_people
from tournaments.services.ratings.computing import rate_round_again


class TableFull(Refused, code="too-many-games"):
    sentence = _("A table takes at most %(most)s games: begin at a new one.")


class MatchOver(Refused, code="match-over"):
    sentence = _("The match is over.")


@dataclass(frozen=True)
class MatchSoFar:
    """A match with the sheets of its games, in order; the score is computed from them."""

    row: Match
    sheets: Sequence[Sheet]

    @cached_property
    def score(self) -> engine.Match:
        """Return games won, points carried, and the winner."""
        rules = self.rules
        assert rules.target is not None
        totals = [sheet.game.totals for sheet in self.sheets if sheet.game.finished]
        return engine.play_match(rules.side_count, totals, rules.target, self.terms)

    @property
    def terms(self) -> engine.Terms:
        """Return the length of the match; laps and slam are those of the first game."""
        laps, slam = (bool(self.rules.settings.get(name)) for name in ("laps", "slam"))
        return engine.Terms(self.row.length, self.row.number, laps, slam)

    @property
    def rules(self) -> Ruleset:
        """Return the ruleset of the match with its options: that of its first game."""
        return ruleset_of(self.sheets[0].row)

    def after(self, game: Game) -> Game | None:
        """Return the game after another one; None if it does not exist yet."""
        later = [s.row for s in self.sheets if (s.row.match_number or 0) > (game.match_number or 0)]
        return later[0] if later else None


def load_match(match: Match) -> MatchSoFar:
    """Load a match with the sheets of all its games (2 queries)."""
    return MatchSoFar(match, load_sheets(match.games.order_by("match_number")))


def start_match(
    head: GameSetup, length: str, number: int, *, at: datetime, key: str | None = None
) -> Game:
    """Open a table for the first game of a match. Idempotent for one `key`.

    Raises:
        InvalidEntry: an invalid setup, or a ruleset without a target; nothing is written.
        ValueError: unknown length, or a number below 1.
    """
    engine.Terms(length, number)
    with transaction.atomic():
        row = start_game(head, at=at, key=key and _key_of_match(key, length, number))
        if ruleset_of(row).target is None:
            raise InvalidEntry([Problem(Code.UNKNOWN_OPTION, "match", {"option": "match"})])
        row = Game.objects.select_for_update().get(pk=row.pk)
        if row.match is None:
            row.match = Match.objects.create(length=length, number=number, created_at=at)
            row.match_number = 1
            row.save(update_fields=["match", "match_number"])
    return row


def start_next_game(
    game_pk: int, *, at: datetime, key: str, reason: str, by: Actor = NOBODY
) -> tuple[Game, bool]:
    """Open the next game of a match; the next seat begins.

    At a club's table the same players sit at it.

    Carried points are recorded with `reason`. Return the game, and whether it was opened with
    this `key`; if not, another phone has opened it meanwhile.

    Raises:
        MatchOver, TableFull: the match is decided, or has as many games as a table takes.
        NotFinished: the game is not finished.
        Match.DoesNotExist: the game belongs to no match, or was deleted.
        RoundClosed: the round of a club's table is closed, and `by` is no director.
    """
    with transaction.atomic():
        lock_table_of(game_pk)
        # The lock makes two phones queue up; without it both would open a game.
        row = Match.objects.select_for_update().get(games=game_pk)
        match = load_match(row)
        before = next(sheet for sheet in match.sheets if sheet.row.pk == game_pk)
        after, start_key = match.after(before.row), digest(f"after {game_pk} {key}")
        if after is not None:
            return after, after.start_key == start_key
        if not before.game.finished:
            raise NotFinished
        if match.score.over:
            raise MatchOver
        round_ = round_for_writing(before.row, by)
        game = _copy_table(before.row, at, start_key)
        carried = [
            Adjustment(match.rules.sides.index(side), points, reason)
            for side, points in enumerate(match.score.carry)
            if points
        ]
        record_entries(game.pk, carried, WriteContext("carried-on", 0, at, by=by))
        game.refresh_from_db()
        if round_ is not None:
            note_next_game(round_.event, game, by, at=at)
    return game, True


def note_next_game(event: Event, game: Game, by: Actor, *, at: datetime) -> None:
    """Add an audit entry that a game was started at a club's table."""
    change = Change(AuditEntry.Kind.EVENT, "next-game", f"game:{game.public_id}", event=event)
    note_change(event.club, change, by, at=at)


def lock_table_of(game_pk: int) -> None:
    """Lock the table; of a club also its people, since renaming a player changes existing games.

    Closing the round waits for the previous game, which is locked with its match.
    """
    table = Table.objects.filter(games=game_pk).select_related("round__event").first()
    if table is not None:
        lock_people(table.round.event.club_id)
        # The new game refers to the table: replacing or removing one locks the table, then games.
        Table.objects.select_for_update(no_key=True).filter(pk=table.pk).first()
    # Twice: while this waited, two evenings may have been joined, and the game be at another table.
    for _again in range(2):
        OpenTable.objects.select_for_update(no_key=True).filter(games=game_pk).first()


def _copy_table(row: Game, at: datetime, start_key: str) -> Game:
    """Create the next game at the same table: rules as the match began, the next seat begins."""
    copied = (
        "ruleset",
        "document",
        "options",
        "players",
        "resting",
        "title",
        "place",
        "stake",
        "match",
        "table",
    )
    open_table = row.open_table_id
    number = None if open_table is None else number_of_next(open_table)
    if (row.match_number or 0) >= MOST_GAMES_AT_TABLE:
        raise TableFull({"most": MOST_GAMES_AT_TABLE})
    game = Game.objects.create(
        **{name: getattr(row, name) for name in copied},
        first_declarer=(row.first_declarer + 1) % len(row.players),
        match_number=(row.match_number or 0) + 1,
        open_table_id=open_table,
        number=number,
        played_at=at,
        start_key=start_key,
    )
    copy_seats(row, game)
    return game


def number_of_next(open_table_pk: int) -> int:
    """Return the number of the next game of a locked table.

    Raises: TableFull: it has as many as a table takes.
    """
    number = next_number(open_table_pk)
    if number > MOST_GAMES_AT_TABLE:
        raise TableFull({"most": MOST_GAMES_AT_TABLE})
    return number


def copy_seats(row: Game, to: Game) -> None:
    """Seat the players of a club's game in the next one at its table."""
    for seat in row.seats.all():
        Seat.objects.create(game=to, number=seat.number, player_id=seat.player_id)


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
    """
    with transaction.atomic():
        round_ = lock_round(round_pk)
        if not round_.is_open:
            raise NoMoreTables
        start_key = laying.key and digest(f"table {round_.pk} {laying.key}")
        again = Table.objects.filter(round=round_, games__start_key=start_key)
        laid = again.first() if start_key else None
        if laid is not None:
            return laid
        head = _checked(laying, round_.event.club)
        seating = seat_players(round_, laying.who, by, at=at)
        head = replace(head, players=seating.names, title=head.title or round_.event.name)
        terms = laying.terms
        game = start_match(head, *terms, at=at) if terms else start_game(head, at=at)
        game.start_key = start_key
        return lay(round_, [game], [seating], Act("add-table", by, at))


def seat_round(round_pk: int, drawn: Sequence[Player], by: Actor, *, at: datetime) -> None:
    """Add the tables of an open round without any, for its players in the order `drawn`.

    Those left over sit out. Idempotent: a round that has tables stays as it is.

    Raises: NoMoreTables, SitsTwice: as in `add_table`; nothing is written.
    """
    with transaction.atomic():
        round_ = lock_round(round_pk)
        event = round_.event
        rules = find_ruleset_of_club(event.ruleset, event.club)
        if rules is None or round_.tables.exists():
            return
        for first in range(0, len(drawn) - rules.seats + 1, rules.seats):
            who = drawn[first : first + rules.seats]
            head = GameSetup(event.ruleset, [each.name for each in who], options=event.options)
            add_table(round_pk, Laying(head, who), by, at=at)


def start_evening(
    club: Club, plan: EventPlan, drawn: Sequence[Player], by: Actor, *, at: datetime
) -> Event:
    """Create an evening and seat its first round; one that has tables that day is it already.

    Raises: as in `create_event` and `seat_round`; nothing is written.
    """
    with transaction.atomic():
        # Two directors press at once: the second one finds the evening of the first.
        lock_people(club.pk)
        tables = Table.objects.filter(round__event__club=club, round__event__tournament=None)
        laid = tables.filter(round__event__held_on=plan.held_on).order_by("-pk").first()
        if laid is not None:
            return laid.round.event
        event = create_event(club, plan, by, at=at)
        seat_round(event.rounds.get().pk, drawn, by, at=at)
    return event


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
    return table.games.order_by("-pk")[:1].get()


def subject_of(table: Table) -> str:
    return f"table:{table.public_id}"


def _checked(laying: Laying, club: Club) -> GameSetup:
    head = laying.head
    rules = find_ruleset_of_club(head.ruleset, club)
    typed = [each if isinstance(each, str) else each.name for each in laying.who]
    check_head(replace(head, players=typed), rules)
    return replace(head, document=house_document(rules))


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


class NotOpen(Refused, code="not-open-table"):
    sentence = _("The table belongs to a club already.")


def adopt_game(
    game_pk: int, round_pk: int, who: Sequence[Who], by: Actor, *, at: datetime
) -> Table:
    """Make an open game, with all games of its match, a table of an open round.

    `who` names the players in seat order; unknown names are added. Its phone keeps its access link
    and goes on scoring.

    Raises:
        NoMoreTables: the round is closed.
        SitsTwice, SitsElsewhere, NoName: a player cannot sit there.
        NotOpen: the game already belongs to a club.
        Game.DoesNotExist: it was deleted.
    """
    with transaction.atomic():
        round_ = lock_round(round_pk)
        if not round_.is_open:
            raise NoMoreTables
        seating = seat_players(round_, who, by, at=at)
        games = _locked(game_pk)
        if any(game.table_id is not None for game in games):
            raise NotOpen
        chosen = next(game for game in games if game.pk == game_pk)
        by_name = dict(zip(chosen.players, seating.players, strict=True))
        seatings = [
            TableSeating(tuple(by_name[name] for name in game.players))
            if {*game.players} == by_name.keys()
            else seating
            for game in games
        ]
        for game, at_game in zip(games, seatings, strict=True):
            typed, game.players = game.players, at_game.names
            game.title = game.title or round_.event.name
            # Whoever sat out is no player of the club by that.
            game.resting = []
            phones = zip(game.phones, game.players, strict=False)
            game.phones = [{**phone, "name": name, "was": []} for phone, name in phones]
            game.save(update_fields=["players", "title", "resting", "phones"])
            # A player shown by initials may have been typed in full.
            let_typed_names_follow(game, typed)
        return lay(round_, games, seatings, Act("adopt", by, at))


def _locked(game_pk: int) -> list[Game]:
    """Lock the match and return its games in order; for a single game, that game."""
    match = Match.objects.select_for_update().filter(games=game_pk).first()
    mine = {"match": match} if match else {"pk": game_pk}
    games = list(Game.objects.select_for_update().filter(**mine).order_by("pk"))
    if not games:
        raise Game.DoesNotExist
    return games


Terms = tuple[str, int]
"""Length and number of games of a match."""


@dataclass(frozen=True, slots=True)
class NextGame:
    """The next game at a table, of a match if it has `terms`, and who sits it out."""

    head: GameSetup
    terms: Terms | None = None
    resting: Sequence[str] = ()


def start_table(
    head: GameSetup, terms: Terms | None = None, *, at: datetime, key: str | None = None
) -> Game:
    """Open a table with its first game, of a match if it has `terms`. Idempotent for one `key`.

    Raises: InvalidEntry: an invalid setup; nothing is written.
    """
    with transaction.atomic():
        game = _start(head, terms, at=at, key=key)
        if game.open_table_id is None:
            game.open_table, game.number = OpenTable.objects.create(created_at=at), 1
            game.save(update_fields=["open_table", "number"])
    return game


def start_rematch(
    game_pk: int, following: NextGame, *, at: datetime, key: str, by: Actor = NOBODY
) -> tuple[Game, bool]:
    """Go on with another game at the table of a game; at a club's, with the same players.

    Return it, and whether it was started with this `key`; if not, another phone has gone on
    meanwhile, and this is the last game of the table.

    Raises:
        InvalidEntry: an invalid setup.
        NotFinished: a club's game is not finished, or its result not confirmed.
        TableFull: the table has as many games as one takes.
        RoundClosed: the round of a club's table is closed, and `by` is no director.
        Game.DoesNotExist: the game was deleted.
    """
    with transaction.atomic():
        # The lock makes two phones queue up; without it both would start a game.
        lock_table_of(game_pk)
        before = Game.objects.get(pk=game_pk)
        start_key = _key_of_rematch(game_pk, key)
        started = last_game_after(before)
        if started is not None:
            return started, started.start_key == start_key
        round_ = round_for_writing(before, by)
        if round_ is not None and not (
            load_sheet(before).game.finished and is_agreed(before, round_.event)
        ):
            raise NotFinished
        head = following.head
        if round_ is not None:
            # Read under the lock: a player may have been renamed meanwhile.
            head = replace(head, players=before.players)
        game = _start(head, following.terms, at=at)
        game.open_table = before.open_table or _table_of_evening(before)
        game.number, game.table = number_of_next(game.open_table.pk), before.table
        game.start_key, game.resting = start_key, list(following.resting)
        game.save(update_fields=["open_table", "number", "table", "start_key", "resting"])
        if round_ is not None:
            copy_seats(before, game)
            note_next_game(round_.event, game, by, at=at)
    return game, True


def join_evenings(one_pk: int, other_pk: int) -> OpenTable:
    """Join two evenings at open tables into the one that began first, and return it.

    The games are numbered in the order in which they were last written to, so that one that is
    still played leads, and not one that was left. Idempotent.

    Raises:
        TableFull: together they have more games than a table takes; nothing is written.
        OpenTable.DoesNotExist: one of the tables is gone, or a club has taken in a game of it.
    """
    with transaction.atomic():
        found = OpenTable.objects.select_for_update(no_key=True).order_by("pk")
        tables = {table.pk: table for table in found.filter(pk__in=(one_pk, other_pk))}
        if len(tables) != 2:
            raise OpenTable.DoesNotExist
        of_both = Game.objects.select_for_update().filter(open_table__in=tables).order_by("pk")
        written = Revision.objects.filter(game__in=of_both).values_list("game").annotate(Max("at"))
        last = dict(written)
        games = sorted(of_both, key=lambda game: (last.get(game.pk, game.played_at), game.pk))
        if not games or any(game.table_id is not None for game in games):
            raise OpenTable.DoesNotExist
        if len(games) > MOST_GAMES_AT_TABLE:
            raise TableFull({"most": MOST_GAMES_AT_TABLE})
        begun = min(games, key=lambda game: (game.played_at, game.pk))
        assert begun.open_table_id is not None
        first = tables.pop(begun.open_table_id)
        # No two games of a table may have one number, not even for a moment.
        rows = Game.objects.filter(pk__in=[game.pk for game in games])
        rows.update(open_table=None, number=None)
        for number, game in enumerate(games, 1):
            game.open_table, game.number = first, number
        Game.objects.bulk_update(games, ["open_table", "number"])
        for other in tables.values():
            OpenTable.objects.filter(Q(pk=other.pk) | Q(joined_to=other)).update(joined_to=first)
    return first


def _key_of_match(key: str, length: str, number: int) -> str:
    return f"{key} {length} {number}"


def _key_of_rematch(game_pk: int, key: str) -> str:
    return digest(f"rematch of {game_pk} {key}")


def is_begun_with(row: Game, head: GameSetup, terms: tuple[str, int] | None, key: str) -> bool:
    """Return whether a key began this game, as a new table or as the next of its evening."""
    keys = [start_key_of(head, _key_of_match(key, *terms) if terms else key)]
    before = Game.objects.filter(open_table=row.open_table_id, number=(row.number or 1) - 1)
    keys += [_key_of_rematch(pk, key) for pk in before.values_list("pk", flat=True)]
    return row.start_key in keys


def _table_of_evening(row: Game) -> OpenTable:
    table = OpenTable.objects.create(created_at=row.played_at)
    beside = {"pk": row.pk} if row.table_id is None else {"table": row.table_id}
    for number, game in enumerate(Game.objects.filter(**beside).order_by("pk"), 1):
        game.open_table, game.number = table, number
        game.save(update_fields=["open_table", "number"])
    return table


def _start(head: GameSetup, terms: Terms | None, *, at: datetime, key: str | None = None) -> Game:
    return start_match(head, *terms, at=at, key=key) if terms else start_game(head, at=at, key=key)


AT_ONCE = 200


def rebuild_results() -> int:
    """Recompute the result of every game; return the number of changed results.

    Rounds rated with a wrong result are rated again. A game whose entries are inconsistent keeps
    its result, since none can be computed.
    """
    differing = [row.pk for row, _result in differing_results()]
    return sum(map(rebuild_result, differing))


def differing_results() -> Iterator[tuple[Game, Any]]:
    """Yield games with a wrong stored result, each with the computed one."""
    last = 0
    games = Game.objects.order_by("pk")
    while rows := games.filter(pk__gt=last)[:AT_ONCE]:
        keys = [row.pk for row in rows]
        for row, result in results_of(keys):
            if row.result != result:
                yield row, result
        last = keys[-1]


UNFIT = object()
"""The stored result of a game whose entries are inconsistent."""


def results_of(keys: list[int]) -> list[tuple[Game, Any]]:
    """Return games with the results of their revisions; `UNFIT` if entries are inconsistent."""
    rows = Game.objects.filter(pk__in=keys).order_by("pk")
    try:
        return [(sheet.row, result_of(sheet)) for sheet in load_sheets(rows)]
    except LaterEntryInvalid:
        return [(row, _result_of(row)) for row in rows.all()]


def _result_of(row: Game) -> Any:
    try:
        return result_of(load_sheet(row))
    except LaterEntryInvalid:
        return UNFIT


@transaction.atomic
def rebuild_result(pk: int) -> bool:
    """Recompute the result of a game; return whether it changed."""
    # Writers lock the game and leave its result right.
    row = Game.objects.select_for_update().get(pk=pk)
    result = _result_of(row)
    if result is UNFIT or result == row.result:
        return False
    row.result = result
    row.save(update_fields=["result"])
    # Their version counts revisions, and this is none.
    KeptSums.objects.filter(player__seats__game=row).delete()
    for place in Round.objects.filter(tables__games=row).select_related("event"):
        rate_round_again(place)
    return True


RULESET = "turkish-king"

DEALS: Sequence[tuple[str, str, tuple[int, ...], str]] = (
    ("heart-king", "heart_king", (0, 0, 1, 0), ""),
    ("no-queens", "queens", (1, 0, 2, 1), ""),
    ("no-men", "men", (2, 1, 3, 2), ""),
    ("trump", "tricks", (2, 3, 1, 7), "spades"),
    ("no-tricks", "tricks", (2, 5, 3, 3), ""),
    ("trump", "tricks", (1, 8, 4, 0), "hearts"),
    ("no-hearts", "hearts", (0, 6, 4, 3), ""),
    ("last-two", "last_two", (1, 0, 0, 1), ""),
    ("trump", "tricks", (7, 2, 2, 2), "diamonds"),
    ("no-queens", "queens", (0, 3, 0, 1), ""),
)
"""The first ten deals of the whole game in `docs/rules.md` §1.1: contract, unit, counts, trump."""


OF_SAMPLE = "of-sample"
"""What the keys of the entries of a sample game begin with."""


def is_sample(sheet: Sheet) -> bool:
    return any(write.key.startswith(OF_SAMPLE) for write in sheet.revisions[:1])


def start_sample(players: Sequence[str], title: str, *, at: datetime, key: str) -> Game:
    """Open a table of four with ten recorded deals. Idempotent for one `key`."""
    with transaction.atomic():
        row = start_table(GameSetup(RULESET, players, title=title), at=at, key=key)
        if not row.revision:
            record_entries(row.pk, sample_entries(), WriteContext(OF_SAMPLE, 0, at))
    return row


def sample_entries() -> Iterator[Entry]:
    for contract, unit, counts, trump in DEALS:
        details = {"trump": trump} if trump else {}
        yield Deal(contract, counts={unit: counts}, details=details)
