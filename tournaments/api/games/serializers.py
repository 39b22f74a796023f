"""Games, their entries, tables and clocks as the API reads and writes them."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from tournaments.api.access import token_of
from tournaments.api.fields import (
    ClubNameSerializer,
    LineField,
    Moment,
    PointsField,
    SentPointsField,
    Strict,
    UncachedSerializer,
)
from tournaments.api.filtering import Chosen, Expanded
from tournaments.api.problems import engine_faults, listed
from tournaments.api.rulesets.views import RulesetDescriptionSerializer
from tournaments.api.schema import component
from tournaments.engine.documents.games import GAME_FORMAT, Reading, write_result
from tournaments.engine.play.games import Choice, redeals_of
from tournaments.engine.play.games import Game as GamesGame
from tournaments.engine.rules.entries import STOP_REASONS, clean_lines
from tournaments.engine.rules.rulesets import LONGEST_ID, LONGEST_NAME, LONGEST_REASON, Code
from tournaments.models import Event, Game, Match, Revision, Round, Table
from tournaments.models.events import MOST_WRONG_CODES
from tournaments.queries.rulesets import must_come_first, next_deal
from tournaments.queries.sheets import Sheet
from tournaments.queries.state import seconds_left
from tournaments.services.games.writing import KEY


class ClockSerializer(serializers.Serializer[Any]):
    """A clock: its whole time in seconds, and its end or the time left.

    While it runs, `ends_at` is the end, possibly in the past, and `seconds_left` is null, so that
    the answer does not change every second. While it is paused, `seconds_left` is the time left,
    below 0 after the end, and `ends_at` is null.
    """

    seconds = serializers.IntegerField(min_value=0)
    running = serializers.BooleanField()
    seconds_left = serializers.IntegerField(allow_null=True)
    ends_at = Moment(allow_null=True)


def clock_details(round_: Round, now: datetime, extra: int = 0) -> dict[str, Any] | None:
    """The clock of a round, or of a table of it that was given `extra`; None: no time is kept."""
    left = seconds_left(round_, now, extra) if round_.published_at is not None else None
    if left is None or round_.clock_seconds is None:
        return None
    whole, started = round_.clock_seconds + extra, round_.clock_started_at
    running = started is not None
    remaining = timedelta(seconds=whole - round_.clock_used)
    return {
        "seconds": whole,
        "running": running,
        "seconds_left": None if running else left,
        "ends_at": None if started is None else started + remaining,
    }


MOST_GAMES = 99
"""Of a match."""

MOST_ENTRIES = 200
"""Of a game that is taken over whole: each is written as if somebody had typed it."""


@extend_schema_field(component("Entry"))
class EntryField(serializers.JSONField):
    """An entry as in a record."""

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, dict):
            self.fail("invalid")
        return clean_lines(super().to_internal_value(data))


@extend_schema_field({"oneOf": [{"type": "string"}, component("RulesetRecord")]})
class RulesetField(serializers.JSONField):
    """The id of a ruleset, or house rules as a `kingscore-ruleset/1` document."""


class MatchTermsSerializer(Strict):
    """The target of a match."""

    length = serializers.ChoiceField(Match.Length.choices)
    number = serializers.IntegerField(min_value=1, max_value=MOST_GAMES)


class NewGameSerializer(Strict):
    """A new game at an open table: its head, or the whole of a `kingscore-game/1` document.

    With `match` it is the first game of one.
    """

    format = serializers.ChoiceField([GAME_FORMAT], default=GAME_FORMAT)
    ruleset = RulesetField()
    players = serializers.ListField(child=LineField(max_length=LONGEST_NAME), max_length=4)
    first_declarer = serializers.IntegerField(default=0, min_value=0, max_value=3)
    options = serializers.DictField(default=dict)
    title = LineField(default="", allow_blank=True, max_length=LONGEST_NAME)
    place = LineField(default="", allow_blank=True, max_length=LONGEST_NAME)
    played_at = serializers.CharField(
        required=False, help_text="A day or a moment in ISO 8601; now, where it is not said."
    )
    entries = serializers.ListField(child=EntryField(), default=list, max_length=MOST_ENTRIES)
    match = MatchTermsSerializer(required=False)


class GameSetupSerializer(Strict):
    """The head of a sheet; omitted fields stay unchanged."""

    players = serializers.ListField(
        child=LineField(max_length=LONGEST_NAME), max_length=4, required=False
    )
    first_declarer = serializers.IntegerField(required=False, min_value=0, max_value=3)
    options = serializers.DictField(required=False)
    title = LineField(required=False, allow_blank=True, max_length=LONGEST_NAME)
    place = LineField(required=False, allow_blank=True, max_length=LONGEST_NAME)


class StandingEntrySerializer(serializers.Serializer[Any]):
    """A current entry, with its position in the log."""

    position = serializers.IntegerField()
    entry = EntryField()


class GameOfMatchSerializer(serializers.Serializer[Any]):
    """The number of the game in its match, from 1, and the target; null outside a match."""

    game = serializers.IntegerField(source="match_number", min_value=1)
    length = serializers.ChoiceField(Match.Length.choices, source="match.length")
    number = serializers.IntegerField(source="match.number", min_value=1)

    def to_representation(self, instance: Game) -> Any:
        return None if instance.match_id is None else super().to_representation(instance)


class EventOfGameSerializer(serializers.Serializer[Event]):
    """The evening of a game; `tournament` is the slug of the tournament that it is, if any."""

    id = serializers.CharField(source="public_id")
    name = serializers.CharField()
    held_on = serializers.DateField()
    tournament = serializers.CharField(source="tournament.slug", default=None, allow_null=True)


class GameExpandedSerializer(Expanded):
    """More about what a game names."""

    club = ClubNameSerializer(source="table.round.event.club", required=False)
    event = EventOfGameSerializer(source="table.round.event", required=False)


class GameSerializer(Chosen):
    """A game at a revision, from a `Sheet`."""

    expandable = ("club", "event")

    id = serializers.CharField(source="row.public_id")
    revision = serializers.IntegerField(source="row.revision")
    ruleset = serializers.CharField(source="row.ruleset")
    options = serializers.DictField(source="row.options")
    players = serializers.ListField(child=serializers.CharField(), source="row.players")
    first_declarer = serializers.IntegerField(source="row.first_declarer")
    title = serializers.CharField(source="row.title")
    place = serializers.CharField(source="row.place")
    played_at = Moment(source="row.played_at")
    table = serializers.CharField(source="row.table.public_id", default=None, allow_null=True)
    match = GameOfMatchSerializer(source="row", allow_null=True)
    entries = serializers.SerializerMethodField()
    result = serializers.SerializerMethodField()
    expanded = GameExpandedSerializer(source="row", required=False)

    @extend_schema_field(StandingEntrySerializer(many=True))
    def get_entries(self, sheet: Sheet) -> list[dict[str, Any]]:
        return [{"position": p, "entry": sheet.body(p)} for p in sheet.positions]

    @extend_schema_field(component("ResultRecord"))
    def get_result(self, sheet: Sheet) -> dict[str, Any]:
        return write_result(Reading(sheet.game))


class GameKeysSerializer(UncachedSerializer):
    """The keys of a game: to write its sheet, to follow it, to take over the scoring."""

    write = serializers.SerializerMethodField()
    follow = serializers.SerializerMethodField()
    pen = serializers.SerializerMethodField()

    def get_write(self, row: Game) -> str:
        return token_of(row, "write")

    def get_follow(self, row: Game) -> str:
        return token_of(row, "follow")

    def get_pen(self, row: Game) -> str:
        return token_of(row, "pen")


class StartedGameSerializer(GameSerializer):
    """A game that was just started, with its keys."""

    keys = GameKeysSerializer(source="row")


class GameLineSerializer(Chosen, serializers.ModelSerializer[Game]):
    """A game in a list; `totals` and `ranks`, per side, are null until it is finished.

    `tournament` is the slug of the tournament that the evening is, if any.
    """

    id = serializers.CharField(source="public_id")
    club = serializers.CharField(
        source="table.round.event.club.slug", default=None, allow_null=True
    )
    event = serializers.CharField(
        source="table.round.event.public_id", default=None, allow_null=True
    )
    tournament = serializers.CharField(
        source="table.round.event.tournament.slug", default=None, allow_null=True
    )
    round = serializers.IntegerField(source="table.round.number", default=None, allow_null=True)
    table = serializers.CharField(source="table.public_id", default=None, allow_null=True)
    players = serializers.ListField(child=serializers.CharField())
    played_at = Moment()
    match = GameOfMatchSerializer(source="*", allow_null=True)
    finished = serializers.SerializerMethodField()
    totals = serializers.SerializerMethodField()
    ranks = serializers.SerializerMethodField()
    expanded = GameExpandedSerializer(source="*", required=False)

    expandable = ("club", "event")

    class Meta:
        model = Game
        fields = [
            *("id", "revision", "ruleset", "players", "title", "place", "played_at", "club"),
            *("event", "tournament", "round", "table", "match", "finished", "totals", "ranks"),
            "expanded",
        ]

    def get_finished(self, row: Game) -> bool:
        return row.result is not None

    @extend_schema_field(serializers.ListField(child=PointsField(), allow_null=True))
    def get_totals(self, row: Game) -> Any:
        return row.result and row.result["totals"]

    @extend_schema_field(serializers.ListField(child=serializers.IntegerField(), allow_null=True))
    def get_ranks(self, row: Game) -> Any:
        return row.result and row.result["ranks"]


class FormerGameSetupSerializer(serializers.Serializer[Any]):
    """A former head of a sheet."""

    players = serializers.ListField(child=serializers.CharField())
    first_declarer = serializers.IntegerField()
    options = serializers.DictField()
    title = serializers.CharField()
    place = serializers.CharField()


class NewEntrySerializer(Strict):
    """An entry to be written down; `author` is the name at whose seat the phone lies."""

    entry = EntryField()
    author = LineField(default="", allow_blank=True, max_length=LONGEST_NAME)


class KeyedEntrySerializer(Strict):
    """One of several entries, written once for its `key`: the `Idempotency-Key` of one alone."""

    key = serializers.RegexField(KEY.pattern, max_length=64, required=False)
    entry = EntryField()


class NewEntriesSerializer(Strict):
    """Entries to be written down, all or none; `author` is whose seat the phone lies at."""

    entries = serializers.ListField(
        child=KeyedEntrySerializer(), min_length=1, max_length=MOST_ENTRIES
    )
    author = LineField(default="", allow_blank=True, max_length=LONGEST_NAME)


class TotalsSerializer(Strict):
    """The final totals of a game on paper, one per side.

    `early` says that a King or the table ended it before its last deal, so that any sum goes.
    `reason` says why totals on the sheet are corrected.
    """

    totals = serializers.ListField(child=SentPointsField(), max_length=4)
    early = serializers.BooleanField(default=False)
    reason = LineField(default="", allow_blank=True, max_length=LONGEST_REASON)
    author = LineField(default="", allow_blank=True, max_length=LONGEST_NAME)


class CorrectionSerializer(NewEntrySerializer):
    """A new version of an entry, and why."""

    reason = LineField(default="", allow_blank=True, max_length=LONGEST_REASON)


class WithdrawalSerializer(Strict):
    """The reason for the removal of an entry."""

    reason = LineField(default="", allow_blank=True, max_length=LONGEST_REASON)
    author = LineField(default="", allow_blank=True, max_length=LONGEST_NAME)


class SealSerializer(Strict):
    """A contract that only the declarer knows."""

    contract = serializers.CharField(max_length=LONGEST_ID)
    author = LineField(default="", allow_blank=True, max_length=LONGEST_NAME)


class GameRevisionSerializer(serializers.ModelSerializer[Revision]):
    """One revision of a sheet: the action, its number, author, time and reason.

    `entry` is the entry after it, null where it was taken off; `head` what stood above the sheet
    `before` and after.
    """

    at = Moment()
    entry = serializers.SerializerMethodField()
    head = serializers.SerializerMethodField()
    before = serializers.SerializerMethodField()

    class Meta:
        model = Revision
        fields = [
            *("revision", "kind", "position", "author", "reason", "at", "entry", "head", "before"),
        ]

    @extend_schema_field({"oneOf": [component("Entry"), {"type": "null"}]})
    def get_entry(self, write: Revision) -> Any:
        return None if write.kind == Revision.Kind.HEAD else write.body

    @extend_schema_field(FormerGameSetupSerializer(allow_null=True))
    def get_head(self, write: Revision) -> Any:
        return write.body if write.kind == Revision.Kind.HEAD else None

    @extend_schema_field(FormerGameSetupSerializer(allow_null=True))
    def get_before(self, write: Revision) -> Any:
        return write.before


class EntryVersionsSerializer(serializers.Serializer[Any]):
    """A current entry, null if it was removed, with all its versions."""

    position = serializers.IntegerField()
    entry = EntryField(allow_null=True)
    versions = GameRevisionSerializer(many=True)


LONGEST_CODE = 20


@dataclass(frozen=True)
class SeenTable:
    """A table with its current game, at a moment; `inside` tells whether its code was said."""

    table: Table
    game: Game
    inside: bool
    at: datetime

    @property
    def clock(self) -> dict[str, Any] | None:
        """Its clock; None where no time is kept."""
        return clock_details(self.table.round, self.at, self.table.extra_seconds)


class TableClubSerializer(serializers.Serializer[Any]):
    """The club of a table."""

    slug = serializers.CharField()
    name = serializers.CharField()


class TableEventSerializer(serializers.Serializer[Event]):
    """The evening of a table; `tournament` is the slug of the tournament that it is, if any."""

    id = serializers.CharField(source="public_id")
    name = serializers.CharField()
    held_on = serializers.DateField()
    tournament = serializers.SerializerMethodField()

    def get_tournament(self, event: Event) -> str | None:
        tournament = getattr(event, "tournament", None)
        return tournament and tournament.slug


class TableRoundSerializer(serializers.Serializer[Any]):
    """The round of a table; at `published` one waits until it is opened."""

    number = serializers.IntegerField()
    stage = serializers.CharField()
    state = serializers.ChoiceField(["seated", "published", "open", "closed"])


class TablePlaySerializer(serializers.Serializer[SeenTable]):
    """The current game at a table, with the names on the sheet in seat order."""

    game = serializers.CharField(source="game.public_id")
    ruleset = serializers.CharField(source="game.ruleset")
    players = serializers.ListField(child=serializers.CharField(), source="game.players")
    match_number = serializers.IntegerField(source="game.match_number", allow_null=True)
    clock = ClockSerializer(allow_null=True)
    called = serializers.SerializerMethodField()

    def get_called(self, seen: SeenTable) -> bool:
        return seen.table.called_at is not None


class TableSerializer(serializers.Serializer[SeenTable]):
    """A table, its place and its current game.

    `play` is null while the code of the table has to be said first; `shut` says
    that access is closed after too many wrong ones.
    """

    id = serializers.CharField(source="table.public_id")
    number = serializers.IntegerField(source="table.number")
    club = TableClubSerializer(source="table.round.event.club")
    event = TableEventSerializer(source="table.round.event")
    round = TableRoundSerializer(source="table.round")
    asks_code = serializers.SerializerMethodField()
    shut = serializers.SerializerMethodField()
    play = serializers.SerializerMethodField()

    def get_asks_code(self, seen: SeenTable) -> bool:
        return not seen.inside

    def get_shut(self, seen: SeenTable) -> bool:
        return seen.table.wrong_codes >= MOST_WRONG_CODES

    @extend_schema_field(TablePlaySerializer(allow_null=True))
    def get_play(self, seen: SeenTable) -> dict[str, Any] | None:
        return TablePlaySerializer(seen).data if seen.inside else None


class TableCodeSerializer(Strict):
    """The code of a table, where its evening has codes."""

    code = serializers.CharField(max_length=LONGEST_CODE, required=False)


class TableOpenedSerializer(UncachedSerializer):
    """The keys of a table's current game; `write` is null once the round is closed."""

    game = serializers.CharField(source="game.public_id")
    write = serializers.SerializerMethodField()
    follow = serializers.SerializerMethodField()

    def get_write(self, seen: SeenTable) -> str | None:
        return token_of(seen.game, "write") if seen.inside else None

    def get_follow(self, seen: SeenTable) -> str:
        return token_of(seen.game, "follow")


ENTRY_TYPES = ("deal", "void", "redeal", "passed", "adjustment", "stopped", "totals")


class ContractProblemSerializer(serializers.Serializer[Any]):
    """Something that forbids a contract; its code is the engine's."""

    code = serializers.ChoiceField([str(code) for code in Code])
    where = serializers.CharField()
    message = serializers.CharField()
    params = serializers.DictField()


class ContractLeftSerializer(serializers.Serializer[Choice]):
    """A contract at the next deal.

    `left` is how often it is left in the game, null without a limit; `first` the contract that
    has to be played before it; `problems` are why it cannot be named now.
    """

    id = serializers.CharField(source="contract.id")
    left = serializers.IntegerField(allow_null=True)
    first = serializers.SerializerMethodField()
    legal = serializers.SerializerMethodField()
    problems = serializers.SerializerMethodField()

    def get_first(self, choice: Choice) -> str | None:
        return must_come_first(choice)

    def get_legal(self, choice: Choice) -> bool:
        return not choice.problems

    @extend_schema_field(ContractProblemSerializer(many=True))
    def get_problems(self, choice: Choice) -> list[dict[str, Any]]:
        return list(map(listed, engine_faults(choice.problems)))


class NextDealSerializer(serializers.Serializer[Any]):
    """The player on turn, and the contracts left to declare.

    `left` and `declared` have an object for each seat: how many contracts of each kind it still
    declares, and how often it has declared each contract. `must` is the kind that the declarer
    has no choice but to name; `stage` are the contracts of this part of the game.
    """

    deal = serializers.IntegerField()
    turns = serializers.IntegerField()
    declarer = serializers.IntegerField()
    must = serializers.CharField(allow_null=True)
    stage = serializers.ListField(child=serializers.CharField())
    left = serializers.ListField(child=serializers.DictField(child=serializers.IntegerField()))
    declared = serializers.ListField(child=serializers.DictField(child=serializers.IntegerField()))

    def to_representation(self, instance: Sheet) -> Any:
        return super().to_representation(next_deal(instance.game))


class EntryFormSerializer(serializers.Serializer[Sheet]):
    """The form of the next entry: the rules, and the entries possible after this revision.

    `types` are the types of entries that can come next, `redeals` and `stops` their reasons.
    `open_deal` is a deal that is begun and not counted: the next entry ends it.
    """

    revision = serializers.IntegerField(source="row.revision")
    finished = serializers.BooleanField(source="game.finished")
    types = serializers.SerializerMethodField()
    next = NextDealSerializer(source="*")
    contracts = serializers.SerializerMethodField()
    open_deal = serializers.SerializerMethodField()
    redeals = serializers.SerializerMethodField()
    stops = serializers.SerializerMethodField()
    rules = RulesetDescriptionSerializer(source="game.ruleset")

    @extend_schema_field(serializers.ListField(child=serializers.ChoiceField(ENTRY_TYPES)))
    def get_types(self, sheet: Sheet) -> list[str]:
        return list(_types(sheet.game))

    @extend_schema_field(ContractLeftSerializer(many=True))
    def get_contracts(self, sheet: Sheet) -> Any:
        choices = () if sheet.game.finished else sheet.game.choices
        return [ContractLeftSerializer(choice).data for choice in choices]

    @extend_schema_field(EntryField(allow_null=True))
    def get_open_deal(self, sheet: Sheet) -> Any:
        return None if sheet.game.open_deal is None else sheet.body(sheet.positions[-1])

    def get_redeals(self, sheet: Sheet) -> list[str]:
        return [] if sheet.game.finished else list(redeals_of(sheet.game))

    @extend_schema_field(serializers.ListField(child=serializers.ChoiceField(STOP_REASONS)))
    def get_stops(self, sheet: Sheet) -> list[str]:
        return [] if sheet.game.finished else list(STOP_REASONS)


def _types(game: GamesGame) -> Iterator[str]:
    """The types of entries that can come next."""
    if not game.finished:
        yield "deal"
        if game.ruleset.voids:
            yield "void"
        if game.open_deal is None and redeals_of(game):
            yield "redeal"
        if game.open_deal is None and game.ruleset.passes:
            yield "passed"
        yield "stopped"
    if game.open_deal is None:
        yield "adjustment"
        if not game.finished:
            yield "totals"
