"""A table as its phone sees it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from tournaments.api.access import token_of
from tournaments.api.fields import Strict, UncachedSerializer
from tournaments.api.games.clocks import ClockSerializer, clock_details
from tournaments.models import Event, Game, Table
from tournaments.models.events import MOST_WRONG_CODES

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
