"""Games as the API reads and writes them."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from tournaments.api.access import token_of
from tournaments.api.choosing import Chosen, Expanded
from tournaments.api.fields import (
    ClubNameSerializer,
    LineField,
    Moment,
    PointsField,
    SentPointsField,
    Strict,
    UncachedSerializer,
)
from tournaments.api.schema import component
from tournaments.engine.documents.games import GAME_FORMAT, Reading, write_result
from tournaments.engine.rules.entries import clean_lines
from tournaments.engine.rules.rulesets import LONGEST_ID, LONGEST_NAME, LONGEST_REASON
from tournaments.models import Event, Game, Match, Revision
from tournaments.queries.games.sheets import Sheet
from tournaments.services.games.writing import KEY

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
