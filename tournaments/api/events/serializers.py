"""Seasons, evenings, rounds and tables as the API reads and writes them."""

from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers

from tournaments.api import fields
from tournaments.api.access import token_of
from tournaments.api.games.serializers import MatchTermsSerializer
from tournaments.engine.documents.shapes import EVENT_FIELDS
from tournaments.engine.rules.rulesets import LONGEST_ID, MOST_SEATS
from tournaments.models import Event, Round, Season, Table
from tournaments.models.clubs import LeaguePoints
from tournaments.models.events import MOST_WRONG_CODES
from tournaments.queries.sheets import Sheet
from tournaments.services.games.playing import agreement_on

MOST_EVENINGS = 366


class SeasonDatesSerializer(fields.StrictSerializer):
    """A season's name, its first day, and its last day, which is part of it.

    The best `league_best` tournaments of an entrant count in the league, or all if it is null.
    `league_points` is what the league adds up: the points of its tournaments as their settings name
    them, `evening` for places of the evening, or nothing for those of the tournaments in it.
    """

    name = fields.LineField()
    starts_on = serializers.DateField()
    ends_on = serializers.DateField()
    league_best = serializers.IntegerField(
        min_value=1, max_value=MOST_EVENINGS, allow_null=True, default=None
    )
    league_points = serializers.ChoiceField(LeaguePoints.choices, default="", allow_blank=True)


class SeasonSerializer(fields.RowSerializer):
    """A season of a club; `events` counts its evenings and tournaments that the reader may see."""

    league_points = serializers.ChoiceField(LeaguePoints.choices, allow_blank=True)
    events = serializers.IntegerField(source="events_seen")

    class Meta:
        model = Season
        fields = ("id", "name", "starts_on", "ends_on", "league_best", "league_points", "events")


class EventPlanSerializer(fields.DeclaredFieldsSerializer, fields.StrictSerializer):
    """An evening as a director plans it; ruleset and options are the defaults of its tables.

    A new evening belongs to the season of its day, and takes codes and confirmations from its club,
    where they are left out. To belong to no season, send null.
    """

    described = EVENT_FIELDS
    name = fields.declared_field(EVENT_FIELDS["name"])
    held_on = fields.declared_field(EVENT_FIELDS["held_on"])
    season = serializers.IntegerField(required=False, allow_null=True, min_value=1)
    ruleset = serializers.CharField(max_length=LONGEST_ID)
    options = serializers.DictField(required=False)


class EventSerializer(fields.DeclaredFieldsSerializer, serializers.ModelSerializer[Event]):
    """An evening of a club, or that of a tournament, which has its slug then."""

    described = EVENT_FIELDS
    id = serializers.CharField(source="public_id")
    season = serializers.IntegerField(source="season_id", allow_null=True)
    options = serializers.DictField()
    tournament = serializers.SerializerMethodField()
    created_at = fields.MomentField()

    class Meta:
        model = Event
        fields = [
            *("id", "name", "held_on", "season", "ruleset", "options"),
            *("published", "table_codes", "confirmations", "tournament", "created_at"),
        ]

    def get_tournament(self, event: Event) -> str | None:
        tournament = getattr(event, "tournament", None)
        return tournament and tournament.slug


class EveningRoundSerializer(serializers.ModelSerializer[Round]):
    """A round of an evening; its tables are written by their phones while it is open."""

    state = serializers.ChoiceField(["open", "closed"])
    opened_at = fields.MomentField()
    closed_at = fields.MomentField(allow_null=True)
    tables = serializers.IntegerField(source="table_count")

    class Meta:
        model = Round
        fields = ["number", "state", "opened_at", "closed_at", "tables"]


class SeatedPlayerSerializer(serializers.Serializer[Any]):
    """A person at a table, by the name on the sheet; `player` is an id, for directors."""

    name = serializers.CharField()
    player = serializers.CharField(allow_null=True)


class EveningGameSerializer(serializers.Serializer[Any]):
    """The current game of a table; totals are per side, `confirmed` are seats."""

    id = serializers.CharField(source="row.public_id")
    ruleset = serializers.CharField(source="row.ruleset")
    options = serializers.DictField(source="row.options")
    players = SeatedPlayerSerializer(many=True)
    revision = serializers.IntegerField(source="row.revision")
    finished = serializers.BooleanField(source="game.finished")
    totals = serializers.ListField(child=fields.PointsField(), source="game.totals")
    match_number = serializers.IntegerField(source="row.match_number", allow_null=True)
    confirmed = serializers.ListField(
        child=serializers.IntegerField(), source="agreement.confirmed"
    )
    confirmations_needed = serializers.IntegerField(source="agreement.needed")


class TableKeysSerializer(fields.UncachedSerializer):
    """Access to a table: its key (on its card), its code, and the keys of its game."""

    table = serializers.CharField()
    code = serializers.CharField()
    write = serializers.CharField()
    follow = serializers.CharField()


class EveningTableSerializer(serializers.Serializer[Any]):
    """A table of a round with its current game; `keys` are for directors whose token may score.

    `shut` says that access is closed after too many wrong codes.
    """

    id = serializers.CharField(source="table.public_id")
    number = serializers.IntegerField(source="table.number")
    round = serializers.IntegerField(source="table.round.number")
    shut = serializers.BooleanField()
    game = EveningGameSerializer(source="*")
    keys = TableKeysSerializer(allow_null=True)


def table_details(
    table: Table, sheet: Sheet, event: Event, *, directs: bool, opens: bool
) -> dict[str, Any]:
    """Return a table with the sheet of its current game as `EveningTableSerializer` reads it.

    Directors read the ids of players; the keys are for those of them whose tokens may score.
    """
    row = sheet.row
    seats = {seat.number: seat.player for seat in row.seats.all()}
    return {
        "table": table,
        "row": row,
        "game": sheet.game,
        "agreement": agreement_on(sheet, event.confirmations, row.confirmations.all()),
        "shut": table.wrong_codes >= MOST_WRONG_CODES,
        "players": [
            {"name": name, "player": seats[n].public_id if directs and n in seats else None}
            for n, name in enumerate(row.players)
        ],
        "keys": {
            "table": token_of(table, "table"),
            "code": table.code,
            "write": token_of(row, "write"),
            "follow": token_of(row, "follow"),
        }
        if directs and opens
        else None,
    }


class SitterSerializer(fields.StrictSerializer):
    """A player at a seat: by id, or by name; a new name is added to the club."""

    default_error_messages = {"player_or_name": _("Give either a player or a name.")}

    player = serializers.CharField(max_length=16, required=False)
    name = fields.LineField(required=False)

    def validate(self, attrs: dict[str, str]) -> dict[str, str]:
        """Return one of both; a ValidationError if it is none, or two."""
        if len(attrs) != 1:
            self.fail("player_or_name")
        return attrs


class NewTableSerializer(fields.StrictSerializer):
    """A new table: names in seat order, and the game, by default that of the evening.

    With `match` its game is the first one of a match.
    """

    players = serializers.ListField(child=SitterSerializer(), max_length=MOST_SEATS)
    ruleset = serializers.CharField(max_length=LONGEST_ID, required=False)
    options = serializers.DictField(required=False)
    first_declarer = serializers.IntegerField(default=0, min_value=0, max_value=MOST_SEATS - 1)
    title = fields.LineField(default="", allow_blank=True)
    place = fields.LineField(default="", allow_blank=True)
    match = MatchTermsSerializer(required=False)
