"""Serializers of games: requests that start and write one, and responses.

Begin at `GameSerializer`. Requests come before answers; tables, the form of the next entry and the
evening of an open table follow.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from tournaments.api import fields
from tournaments.api.access import token_of
from tournaments.api.filtering import (
    ExpandedSerializer,
    SlicedListSerializer,
    SparseFieldsSerializer,
)
from tournaments.api.problems import engine_faults, listed
from tournaments.api.rulesets.serializers import RulesetDescriptionSerializer
from tournaments.api.schema import component
from tournaments.engine.documents.games import GAME_FORMAT, Reading, write_result
from tournaments.engine.play.games import Game as GamesGame
from tournaments.engine.play.games import redeals_of
from tournaments.engine.rules.entries import (
    LONGEST_THING,
    STAKES,
    STOP_REASONS,
    clean_lines,
    write_points,
)
from tournaments.engine.rules.rulesets import LONGEST_ID, LONGEST_REASON, MOST_SEATS, Code
from tournaments.models import DealReview, Event, Game, Match, Revision, Round, Table
from tournaments.models.events import MOST_WRONG_CODES
from tournaments.queries.rulesets import must_come_first, next_deal
from tournaments.queries.sheets import ReviewedDeal, Sheet
from tournaments.queries.state import seconds_left
from tournaments.services.games.tables import current_game
from tournaments.services.games.writing import KEY


class ClockSerializer(serializers.Serializer[Any]):
    """A clock: its total time in seconds, and its end or the time left.

    While it runs, `ends_at` is the end, possibly in the past, and `seconds_left` is null, so that
    the answer does not change every second. While it is paused, `seconds_left` is the time left,
    below 0 after the end, and `ends_at` is null.
    """

    seconds = serializers.IntegerField(min_value=0)
    running = serializers.BooleanField()
    seconds_left = serializers.IntegerField(allow_null=True)
    ends_at = fields.MomentField(allow_null=True)


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


class NamesField(serializers.ListField):
    """Names of players, as many as a table seats."""

    child = fields.LineField()

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=MOST_SEATS, **kwargs)


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


class StakeSerializer(fields.StrictSerializer):
    """What a game is played for: an amount above 0 of a thing, or of money if `thing` is empty.

    It is owed by each side for each point below the mean (`point`), by each who is sunk to each
    who is out (`sinking`), by each side that is sunk once and shared by those that are out (`pot`),
    by the last to each other player (`last`), or to everybody ahead (`place`).
    """

    per = serializers.ChoiceField(STAKES)
    amount = fields.SentPointsField()
    thing = fields.LineField(max_length=LONGEST_THING, default="", allow_blank=True)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        return {**attrs, "amount": write_points(attrs["amount"])}


class MatchTermsSerializer(fields.StrictSerializer):
    """The target of a match."""

    length = serializers.ChoiceField(Match.Length.choices)
    number = serializers.IntegerField(min_value=1, max_value=MOST_GAMES)


class NewGameSerializer(fields.StrictSerializer):
    """A new game at an open table: its setup, or a whole `kingscore-game/1` document.

    With `match` it is the first game of a match.
    """

    format = serializers.ChoiceField([GAME_FORMAT], default=GAME_FORMAT)
    ruleset = RulesetField()
    players = NamesField()
    first_declarer = serializers.IntegerField(default=0, min_value=0, max_value=MOST_SEATS - 1)
    options = serializers.DictField(default=dict)
    title = fields.LineField(default="", allow_blank=True)
    place = fields.LineField(default="", allow_blank=True)
    played_at = serializers.CharField(
        required=False, help_text="A day or a moment in ISO 8601; without it, now."
    )
    stake = StakeSerializer(default=None, allow_null=True)
    entries = serializers.ListField(child=EntryField(), default=list, max_length=MOST_ENTRIES)
    match = MatchTermsSerializer(required=False)


class GameSetupSerializer(fields.StrictSerializer):
    """The setup of a game; omitted fields stay unchanged."""

    players = NamesField(required=False)
    first_declarer = serializers.IntegerField(required=False, min_value=0, max_value=MOST_SEATS - 1)
    options = serializers.DictField(required=False)
    title = fields.LineField(required=False, allow_blank=True)
    place = fields.LineField(required=False, allow_blank=True)
    stake = StakeSerializer(required=False, allow_null=True)


class RematchSerializer(fields.StrictSerializer):
    """The next game at an open table; omitted fields are as in the game before.

    Without `players` everybody at the table plays on. If they are more than the game seats, those
    whom `resting` names sit out, or those who have played the longest. Another `ruleset` begins
    with its default options and without a match. `match` is null for a game outside a match.
    """

    ruleset = RulesetField(required=False)
    players = NamesField(required=False)
    resting = NamesField(required=False)
    first_declarer = serializers.IntegerField(default=0, min_value=0, max_value=MOST_SEATS - 1)
    options = serializers.DictField(required=False)
    match = MatchTermsSerializer(required=False, allow_null=True)


class AdoptionSerializer(fields.StrictSerializer):
    """The round into which a game is moved, the `write` key of the game, and its players.

    `players` are names in seat order; without them the names of the sheet stay. A name that the
    club does not have becomes a new player.
    """

    key = serializers.CharField(max_length=200)
    event = serializers.CharField(max_length=16)
    round = serializers.IntegerField(min_value=1, max_value=32_767)
    players = NamesField(required=False)


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


class GameExpandedSerializer(ExpandedSerializer):
    """More about what a game names."""

    club = fields.ClubNameSerializer(source="table.round.event.club", required=False)
    event = EventOfGameSerializer(source="table.round.event", required=False)


class GameSerializer(SparseFieldsSerializer):
    """A game at a revision, with its entries and its result."""

    expandable = ("club", "event")

    id = serializers.CharField(source="row.public_id")
    revision = serializers.IntegerField(source="row.revision")
    ruleset = serializers.CharField(source="row.ruleset")
    options = serializers.DictField(source="row.options")
    players = serializers.ListField(child=serializers.CharField(), source="row.players")
    first_declarer = serializers.IntegerField(source="row.first_declarer")
    title = serializers.CharField(source="row.title")
    place = serializers.CharField(source="row.place")
    stake = StakeSerializer(source="row.stake", allow_null=True)
    played_at = fields.MomentField(source="row.played_at")
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


class KeyField(serializers.CharField):
    """The key of a kind to a game: the token that opens what its page opens."""

    def __init__(self, kind: str, source: str = "*", **kwargs: Any) -> None:
        super().__init__(source=source, **kwargs)
        self.kind = kind

    def to_representation(self, value: Any) -> str:
        return token_of(value, self.kind)


class GameKeysSerializer(fields.UncachedSerializer):
    """The keys of a game: to write its sheet, to follow it, to take over the scoring."""

    write = KeyField("write")
    follow = KeyField("follow")
    pen = KeyField("pen")


class StartedGameSerializer(GameSerializer):
    """A game that was just started, with its keys."""

    keys = GameKeysSerializer(source="row")


class LaterGameSerializer(fields.UncachedSerializer):
    """The game after another one.

    `follow` is its key, for whoever has a key of a game of the match, and for directors whose
    token may score; for others it is null.
    """

    id = serializers.CharField(source="public_id")
    follow = KeyField("follow", "followable", allow_null=True)


class MatchSerializer(serializers.Serializer[Any]):
    """A match: games won and points carried into the next game, per side.

    `winners` are the sides that have won it, empty while it goes on. `next` is the game after
    this one.
    """

    length = serializers.ChoiceField(Match.Length.choices, source="match.row.length")
    number = serializers.IntegerField(source="match.row.number")
    games = serializers.ListField(child=serializers.CharField())
    won = serializers.ListField(child=serializers.IntegerField(), source="match.score.won")
    carry = serializers.ListField(child=fields.PointsField(), source="match.score.carry")
    over = serializers.BooleanField(source="match.score.over")
    winners = serializers.ListField(child=serializers.IntegerField(), source="match.score.winners")
    next = LaterGameSerializer(allow_null=True)


class GameLineSerializer(SparseFieldsSerializer, serializers.ModelSerializer[Game]):
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
    played_at = fields.MomentField()
    match = GameOfMatchSerializer(source="*", allow_null=True)
    finished = serializers.SerializerMethodField()
    totals = serializers.ListField(
        child=fields.PointsField(), source="result.totals", allow_null=True
    )
    ranks = serializers.ListField(
        child=serializers.IntegerField(), source="result.ranks", allow_null=True
    )
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


class FormerGameSetupSerializer(serializers.Serializer[Any]):
    """A former setup of a game."""

    players = serializers.ListField(child=serializers.CharField())
    first_declarer = serializers.IntegerField()
    options = serializers.DictField()
    title = serializers.CharField()
    place = serializers.CharField()


class NewEntrySerializer(fields.StrictSerializer):
    """An entry to write. `author` is the name of the player who enters it."""

    entry = EntryField()
    author = fields.LineField(default="", allow_blank=True)


class KeyedEntrySerializer(fields.StrictSerializer):
    """One of several entries. It is written once for its `key`, as with an `Idempotency-Key`."""

    key = serializers.RegexField(KEY.pattern, max_length=64, required=False)
    entry = EntryField()


class NewEntriesSerializer(fields.StrictSerializer):
    """Entries to write, all or none. `author` is the name of the player who enters them."""

    entries = serializers.ListField(
        child=KeyedEntrySerializer(), min_length=1, max_length=MOST_ENTRIES
    )
    author = fields.LineField(default="", allow_blank=True)


class TotalsSerializer(fields.StrictSerializer):
    """The final totals of a game on paper, one per side.

    `early` says that the game ended before its last deal, so that the sum is not checked.
    `reason` says why totals on the sheet are corrected.
    """

    totals = serializers.ListField(child=fields.SentPointsField(), max_length=MOST_SEATS)
    early = serializers.BooleanField(default=False)
    reason = fields.LineField(default="", allow_blank=True, max_length=LONGEST_REASON)
    author = fields.LineField(default="", allow_blank=True)


class CorrectionSerializer(NewEntrySerializer):
    """A new version of an entry, and the reason."""

    reason = fields.LineField(default="", allow_blank=True, max_length=LONGEST_REASON)


class WithdrawalSerializer(fields.StrictSerializer):
    """The reason for the removal of an entry."""

    reason = fields.LineField(default="", allow_blank=True, max_length=LONGEST_REASON)
    author = fields.LineField(default="", allow_blank=True)


class SealSerializer(fields.StrictSerializer):
    """A contract that only the declarer knows."""

    contract = serializers.CharField(max_length=LONGEST_ID)
    author = fields.LineField(default="", allow_blank=True)


class ConfirmationSerializer(fields.StrictSerializer):
    """The seat, from 0, for which the phone of the table confirms; without it, your own."""

    seat = serializers.IntegerField(required=False, min_value=0, max_value=MOST_SEATS - 1)


class ConfirmationsSerializer(serializers.Serializer[Any]):
    """The seats that have confirmed the current result, and how many have to."""

    revision = serializers.IntegerField()
    confirmed = serializers.ListField(
        child=serializers.IntegerField(), source="agreement.confirmed"
    )
    missing = serializers.ListField(child=serializers.IntegerField(), source="agreement.missing")
    needed = serializers.IntegerField(source="agreement.needed")
    enough = serializers.BooleanField(source="agreement.enough")


class ReviewSerializer(serializers.Serializer[ReviewedDeal]):
    """A deal that players confirm, unchanged since a `revision`.

    `confirmers` are the seats that may confirm it, the next declarer first. `seat` and `at` are
    those of its last review. `other` is the deal as the player who disputes it has it.
    """

    position = serializers.IntegerField()
    revision = serializers.IntegerField()
    state = serializers.ChoiceField(("unconfirmed", *DealReview.Kind.values))
    confirmers = serializers.ListField(child=serializers.IntegerField())
    seat = serializers.IntegerField(source="last.seat", default=None, allow_null=True)
    at = fields.MomentField(source="last.at", default=None, allow_null=True)
    other = serializers.SerializerMethodField()

    @extend_schema_field({"oneOf": [component("Entry"), {"type": "null"}]})
    def get_other(self, deal: ReviewedDeal) -> Any:
        return deal.dispute and deal.dispute.body


class ReviewsSerializer(SlicedListSerializer):
    """The deals of a game that players confirm; empty if the tournament does not ask for it."""

    minutes = serializers.IntegerField(
        allow_null=True,
        help_text="How long a confirmed deal can be corrected without a director, in minutes.",
    )
    results = ReviewSerializer(many=True)


class NewReviewSerializer(fields.StrictSerializer):
    """The seat, from 0, that reviews a deal, and the `revision` of the deal that it saw."""

    seat = serializers.IntegerField(min_value=0, max_value=MOST_SEATS - 1)
    revision = serializers.IntegerField(min_value=1)


class NewDisputeSerializer(NewReviewSerializer):
    """A dispute, with the deal as it ought to be."""

    entry = EntryField()


class GameRevisionSerializer(serializers.ModelSerializer[Revision]):
    """One revision of a sheet: the action, its number, author, time and reason.

    `entry` is the entry after it, null if it was withdrawn. `head` is the setup of the game after
    it, and `before` the setup before it.
    """

    at = fields.MomentField()
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
    """A current entry, null if it was withdrawn, with all its versions."""

    position = serializers.IntegerField()
    entry = EntryField(allow_null=True)
    versions = GameRevisionSerializer(many=True)


LONGEST_CODE = 20


class TableClubSerializer(fields.ClubNameSerializer):
    """The club of a table."""


class TableEventSerializer(EventOfGameSerializer):
    """The evening of a table; `tournament` is the slug of the tournament that it is, if any."""

    tournament = serializers.CharField(source="tournament.slug", allow_null=True)


class TableRoundSerializer(serializers.Serializer[Any]):
    """The round of a table; while it is `published`, players wait until it is opened."""

    number = serializers.IntegerField()
    stage = serializers.CharField()
    state = serializers.ChoiceField(["seated", "published", "open", "closed"])


class TablePlaySerializer(serializers.Serializer[Any]):
    """The current game at a table, with the names on the sheet in seat order."""

    game = serializers.CharField(source="game.public_id")
    ruleset = serializers.CharField(source="game.ruleset")
    players = serializers.ListField(child=serializers.CharField(), source="game.players")
    match_number = serializers.IntegerField(source="game.match_number", allow_null=True)
    clock = ClockSerializer(allow_null=True)
    called = serializers.BooleanField()


class TableSerializer(serializers.Serializer[Any]):
    """A table, its place and its current game.

    `asks_code` says that the code of the table has to be entered first; `play` is null until then.
    `shut` says that too many wrong codes have closed the table.
    """

    id = serializers.CharField(source="table.public_id")
    number = serializers.IntegerField(source="table.number")
    club = TableClubSerializer(source="table.round.event.club")
    event = TableEventSerializer(source="table.round.event")
    round = TableRoundSerializer(source="table.round")
    asks_code = serializers.BooleanField()
    shut = serializers.BooleanField()
    play = TablePlaySerializer(allow_null=True)


def table_details(table: Table, now: datetime, *, asks_code: bool) -> dict[str, Any]:
    """Return a table as `TableSerializer` reads it, without its game while it asks for its code."""
    clock = clock_details(table.round, now, table.extra_seconds)
    play = {"game": current_game(table), "clock": clock, "called": table.called_at is not None}
    return {
        "table": table,
        "asks_code": asks_code,
        "shut": table.wrong_codes >= MOST_WRONG_CODES,
        "play": None if asks_code else play,
    }


class TableCodeSerializer(fields.StrictSerializer):
    """The code of a table, if its evening has codes."""

    code = serializers.CharField(max_length=LONGEST_CODE, required=False)


class TableOpenedSerializer(fields.UncachedSerializer):
    """The keys of a table's current game; `write` is null once the round is closed."""

    game = serializers.CharField(source="game.public_id")
    write = KeyField("write", "writable", allow_null=True)
    follow = KeyField("follow", "game")


ENTRY_TYPES = ("deal", "void", "redeal", "passed", "adjustment", "stopped", "totals")


class ContractProblemSerializer(serializers.Serializer[Any]):
    """A reason against a contract; its code is the engine's."""

    code = serializers.ChoiceField([str(code) for code in Code])
    where = serializers.CharField()
    message = serializers.CharField()
    params = serializers.DictField()


class ContractLeftSerializer(serializers.Serializer[Any]):
    """A contract at the next deal.

    `left` is how often it can still be played in the game, null without a limit. `first` is the
    contract that has to be played before it. `problems` are the reasons against naming it now.
    """

    id = serializers.CharField()
    left = serializers.IntegerField(allow_null=True)
    first = serializers.CharField(allow_null=True)
    legal = serializers.BooleanField()
    problems = ContractProblemSerializer(many=True)


class NextDealSerializer(serializers.Serializer[Any]):
    """The player on turn, and the contracts left to declare.

    `left` and `declared` have an object for each seat: how many contracts of each kind it still
    declares, and how often it has declared each contract. `must` is the only kind that the
    declarer can still name. `stage` has the contracts of this part of the game.
    """

    deal = serializers.IntegerField()
    turns = serializers.IntegerField()
    declarer = serializers.IntegerField()
    must = serializers.CharField(allow_null=True)
    stage = serializers.ListField(child=serializers.CharField())
    left = serializers.ListField(child=serializers.DictField(child=serializers.IntegerField()))
    declared = serializers.ListField(child=serializers.DictField(child=serializers.IntegerField()))


class EntryFormSerializer(serializers.Serializer[Any]):
    """The form of the next entry: the rules, and the entries possible after this revision.

    `types` are the types of entries that can come next; `redeals` and `stops` are the reasons that
    these have. `open_deal` is a deal that has begun and is not counted; the next entry ends it.
    """

    revision = serializers.IntegerField()
    finished = serializers.BooleanField()
    types = serializers.ListField(child=serializers.ChoiceField(ENTRY_TYPES))
    next = NextDealSerializer()
    contracts = ContractLeftSerializer(many=True)
    open_deal = EntryField(allow_null=True)
    redeals = serializers.ListField(child=serializers.CharField())
    stops = serializers.ListField(child=serializers.ChoiceField(STOP_REASONS))
    rules = RulesetDescriptionSerializer()


def form_details(sheet: Sheet) -> dict[str, Any]:
    """Return what can come next on a sheet, as `EntryFormSerializer` reads it."""
    game, finished = sheet.game, sheet.game.finished
    contracts = [
        {
            "id": choice.contract.id,
            "left": choice.left,
            "first": must_come_first(choice),
            "legal": not choice.problems,
            "problems": [listed(each) for each in engine_faults(choice.problems)],
        }
        for choice in (() if finished else game.choices)
    ]
    return {
        "revision": sheet.row.revision,
        "finished": finished,
        "types": list(_types(game)),
        "next": next_deal(game),
        "contracts": contracts,
        "open_deal": None if game.open_deal is None else sheet.body(sheet.positions[-1]),
        "redeals": [] if finished else list(redeals_of(game)),
        "stops": [] if finished else list(STOP_REASONS),
        "rules": game.ruleset,
    }


def _types(game: GamesGame) -> Iterator[str]:
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


class PlayedGameSerializer(serializers.Serializer[Sheet]):
    """A game of an evening. Totals and ranks are per side; `follow` is the key to follow it."""

    number = serializers.IntegerField(source="row.number")
    id = serializers.CharField(source="row.public_id")
    follow = KeyField("follow", "row")
    ruleset = serializers.CharField(source="row.ruleset")
    players = serializers.ListField(child=serializers.CharField(), source="row.players")
    resting = serializers.ListField(child=serializers.CharField(), source="row.resting")
    played_at = fields.MomentField(source="row.played_at")
    finished = serializers.BooleanField(source="game.finished")
    totals = serializers.ListField(child=fields.PointsField(), source="game.totals")
    ranks = serializers.ListField(child=serializers.IntegerField(), source="outcome.ranks")


class PlayerTallySerializer(serializers.Serializer[Any]):
    """A player's finished games. `places` has how often the player was first, second, and so on.

    `kings` counts the games that the player ended by a King.
    """

    name = serializers.CharField()
    games = serializers.IntegerField()
    won = serializers.IntegerField()
    sunk = serializers.IntegerField()
    kings = serializers.IntegerField()
    points = fields.PointsField()
    average = fields.PointsField()
    places = serializers.ListField(child=serializers.IntegerField())


class PaymentSerializer(serializers.Serializer[Any]):
    """What one player pays to another: an amount of a thing, or of money if `thing` is empty."""

    payer = serializers.CharField()
    payee = serializers.CharField()
    amount = fields.PointsField()
    thing = serializers.CharField(allow_blank=True)


class EveningSerializer(serializers.Serializer[Any]):
    """The evening of an open table.

    The tally is in the order of games won, then points. `payments` settle all games with a stake,
    and are null if no game has one.
    """

    id = serializers.CharField(source="table.public_id")
    created_at = fields.MomentField(source="table.created_at")
    games = PlayedGameSerializer(many=True, source="sheets")
    tally = PlayerTallySerializer(many=True)
    payments = PaymentSerializer(many=True, allow_null=True)
