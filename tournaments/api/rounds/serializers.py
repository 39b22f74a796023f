"""Rounds, their seating and their rulings as the API reads and writes them."""

from collections.abc import Sequence
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from tournaments.api.entrants.serializers import RatingSerializer
from tournaments.api.fields import Moment, PointsField, Strict
from tournaments.api.tables.clocks import ClockSerializer, clock_told
from tournaments.api.tournaments.refusals import number_of
from tournaments.api.tournaments.serializers import ProgressSerializer, RoundLineSerializer
from tournaments.engine.pairing.judging import Seating
from tournaments.engine.pairing.quality import Reason
from tournaments.engine.pairing_schema import REASONS
from tournaments.models import Entrant, Round, Ruling
from tournaments.models.tournaments import LONGEST_RULING
from tournaments.queries.tournaments import Course, Drawn
from tournaments.services.tournaments.clocks import MOST_MINUTES
from tournaments.services.tournaments.proposals import Presence

MOST_TABLES = 500
MOST_SECONDS = MOST_MINUTES * 60
FIGURES = (
    "repeat_meetings",
    "repeat_bound",
    "score_spread",
    "seat_imbalance",
    "avoided_met",
    "same_club",
    "fixed_parted",
)
"""What is counted of a seating."""

NUMBERS = {"type": "array", "items": {"type": "integer"}}


class RoundSerializer(RoundLineSerializer):
    """A round, how far its tables are, and its clock; both null where there is nothing to tell."""

    progress = serializers.SerializerMethodField()
    clock = serializers.SerializerMethodField()

    @extend_schema_field(ProgressSerializer(allow_null=True))
    def get_progress(self, place: Round) -> Any:
        progress = self.context["progress"]
        return None if progress is None else ProgressSerializer(progress).data

    @extend_schema_field(ClockSerializer(allow_null=True))
    def get_clock(self, place: Round) -> Any:
        told = clock_told(place, self.context["now"])
        return None if told is None else ClockSerializer(told).data


class SeatReasonSerializer(serializers.Serializer[Any]):
    """Why somebody sits there, by a code; its `params` are whole numbers, seats from 0."""

    code = serializers.ChoiceField(choices=list(REASONS))
    params = serializers.SerializerMethodField()

    @extend_schema_field({"type": "object", "additionalProperties": {"type": "integer"}})
    def get_params(self, reason: Reason) -> dict[str, int]:
        return dict(reason.params)


class ChairSerializer(serializers.Serializer[Any]):
    """An entrant at a table or out, with who plays; `why` is told of proposals."""

    entrant = serializers.IntegerField()
    names = serializers.ListField(child=serializers.CharField())
    why = SeatReasonSerializer(many=True)


class SeatedTableSerializer(serializers.Serializer[Any]):
    """A table with its entrants in order of sides."""

    number = serializers.IntegerField()
    locked = serializers.BooleanField()
    entrants = ChairSerializer(many=True)


class QualitySerializer(serializers.Serializer[Any]):
    """How good a seating is; the lower a figure, the better."""

    repeat_meetings = serializers.IntegerField()
    repeat_bound = serializers.IntegerField()
    score_spread = PointsField()
    seat_imbalance = serializers.IntegerField()
    avoided_met = serializers.IntegerField()
    same_club = serializers.IntegerField()
    fixed_parted = serializers.IntegerField()


class PresenceSerializer(serializers.Serializer[Any]):
    """Who is here without a seat in a proposal, who has one but is not here, and who has left."""

    unseated = serializers.SerializerMethodField()
    absent = serializers.SerializerMethodField()
    gone = serializers.SerializerMethodField()

    @extend_schema_field(NUMBERS)
    def get_unseated(self, presence: Presence) -> list[int]:
        return _numbers(presence.unseated)

    @extend_schema_field(NUMBERS)
    def get_absent(self, presence: Presence) -> list[int]:
        return _numbers(presence.absent)

    @extend_schema_field(NUMBERS)
    def get_gone(self, presence: Presence) -> list[int]:
        return [number_of(key) for key in presence.gone]


class SeatingSerializer(serializers.Serializer[Any]):
    """The seating of a round, from what was drawn.

    Of a proposal it is told how good it is and why, and for directors of the next one who is
    here against it; `revision` is that of the tournament.
    """

    round = serializers.IntegerField(source="row.number")
    state = serializers.CharField(source="row.state")
    revision = serializers.SerializerMethodField()
    tables = serializers.SerializerMethodField()
    byes = serializers.SerializerMethodField()
    quality = serializers.SerializerMethodField()
    presence = serializers.SerializerMethodField()

    @property
    def course(self) -> Course:
        """The tournament."""
        course: Course = self.context["course"]
        return course

    def get_revision(self, drawn: Drawn) -> int:
        return self.course.tournament.revision

    @extend_schema_field(SeatedTableSerializer(many=True))
    def get_tables(self, drawn: Drawn) -> Any:
        locked = (drawn.row.seating or {}).get("locked", [])
        told = [
            {
                "number": table.number,
                "locked": drawn.row.published_at is None and at in locked,
                "entrants": self._chairs(drawn, table.entrants),
            }
            for at, table in enumerate(drawn.tables)
        ]
        return SeatedTableSerializer(told, many=True).data

    @extend_schema_field(ChairSerializer(many=True))
    def get_byes(self, drawn: Drawn) -> Any:
        return ChairSerializer(self._chairs(drawn, drawn.byes), many=True).data

    @extend_schema_field(QualitySerializer(allow_null=True))
    def get_quality(self, drawn: Drawn) -> Any:
        judged: Seating | None = self.context["judged"]
        return None if judged is None else QualitySerializer(judged.quality).data

    @extend_schema_field(PresenceSerializer(allow_null=True))
    def get_presence(self, drawn: Drawn) -> Any:
        presence = self.context["presence"]
        return None if presence is None else PresenceSerializer(presence).data

    def _chairs(self, drawn: Drawn, keys: Sequence[str]) -> list[dict[str, Any]]:
        judged: Seating | None = self.context["judged"]
        return [
            {
                "entrant": number_of(key),
                "names": names_in(self.course, key, drawn.row.number),
                "why": judged.why[key] if judged is not None else (),
            }
            for key in keys
        ]


def names_in(course: Course, key: str, number: int) -> list[str]:
    """Who plays for an entrant in a round, as they wish to be called."""
    entrant = course.entrants.get(key)
    if entrant is None:
        return []
    players = course.players_of(entrant, number)
    return [player.shown_name or f"№ {entrant.number}" for player in players]


def _numbers(entrants: Sequence[Entrant]) -> list[int]:
    return [each.number for each in entrants]


def _entrants(**more: Any) -> serializers.ListField:
    number = serializers.IntegerField(min_value=1, max_value=32767)
    return serializers.ListField(child=number, **more)


class NewSeatingSerializer(Strict):
    """Who sits where, by numbers of entrants in order of sides, and who sits out.

    `locked` are the numbers of the tables that a new seating keeps.
    """

    tables = serializers.ListField(child=_entrants(max_length=4), max_length=MOST_TABLES)
    byes = _entrants(default=list)
    locked = _entrants(default=list)


class SwapSerializer(Strict):
    """Who change places, and the revision of the seating as it was seen."""

    one = serializers.IntegerField(min_value=1, max_value=32767)
    other = serializers.IntegerField(min_value=1, max_value=32767)
    revision = serializers.IntegerField(min_value=0)


class SwapAskedSerializer(Strict):
    """Who would change places."""

    one = serializers.IntegerField(min_value=1, max_value=32767)
    other = serializers.IntegerField(min_value=1, max_value=32767)


class FigureSerializer(serializers.Serializer[Any]):
    """A figure that a swap changes."""

    name = serializers.ChoiceField(choices=FIGURES)
    before = PointsField()
    after = PointsField()


class SwapToldSerializer(serializers.Serializer[Any]):
    """What it would change if two entrants changed places; nothing where the list is empty."""

    one = serializers.IntegerField()
    other = serializers.IntegerField()
    changes = FigureSerializer(many=True)
    quality = QualitySerializer()


class AgainSerializer(Strict):
    """The numbers of the tables that stay as they are."""

    locked = _entrants(default=list)


class PublishSerializer(Strict):
    """Whether it is published although it is not of those who are here."""

    all_the_same = serializers.BooleanField(default=False)


class LateSerializer(Strict):
    """Who comes to a published round, and who leaves it, by numbers of entrants."""

    arriving = _entrants(default=list)
    leaving = _entrants(default=list)


class LateToldSerializer(serializers.Serializer[Any]):
    """Who can still come to a published round, and who can leave it."""

    arriving = serializers.ListField(child=serializers.IntegerField())
    leaving = serializers.ListField(child=serializers.IntegerField())


class LateSeatingSerializer(SeatingSerializer):
    """The seating after a late change, and the tables that changed, by their numbers.

    A table that was given up is among them, but no longer in the seating.
    """

    changed = serializers.SerializerMethodField()

    @extend_schema_field(NUMBERS)
    def get_changed(self, drawn: Drawn) -> list[int]:
        return list(self.context["changed"])


class OutlookSerializer(serializers.Serializer[Any]):
    """What the ratings expect of an entrant: their rank at the table on average.

    `rating` is null of house players, and `new` says that somebody has not been rated yet.
    """

    entrant = serializers.IntegerField()
    rating = RatingSerializer(allow_null=True)
    new = serializers.BooleanField()
    expected = serializers.FloatField()


class OutlooksSerializer(serializers.Serializer[Any]):
    """What is expected of everybody seated, where the ratings may be seen."""

    results = OutlookSerializer(many=True)


class AddTimeSerializer(Strict):
    """Seconds that are given, or with a minus taken back.

    Where `seen` says what stood there before and something else does, nothing changes: asked
    twice, time is given once.
    """

    seconds = serializers.IntegerField(min_value=-MOST_SECONDS, max_value=MOST_SECONDS)
    seen = serializers.IntegerField(min_value=0, required=False)


class RulingSerializer(serializers.Serializer[Any]):
    """A ruling about an entrant's round; one that was withdrawn counts no more."""

    id = serializers.IntegerField(source="pk")
    round = serializers.IntegerField(source="round.number")
    entrant = serializers.IntegerField(source="entrant.number")
    name = serializers.CharField(source="entrant.shown_name")
    kind = serializers.ChoiceField(choices=Ruling.Kind.choices)
    points = PointsField()
    reason = serializers.CharField()
    at = Moment()
    withdrawn_at = Moment(allow_null=True)


@extend_schema_field(
    {"oneOf": [{"type": "integer"}, {"type": "string", "pattern": "^-?[0-9]+/[0-9]+$"}]}
)
class SaidPointsField(serializers.JSONField):
    """Points as they are sent: a whole number, or `p/q`; the service says whether they can be."""


class NewRulingSerializer(Strict):
    """What is decided about whom; a penalty takes `points` from the sum, the others are worth them.

    A forfeit counts as the last place, and of who was absent nobody was met.
    """

    entrant = serializers.IntegerField(min_value=1, max_value=32767)
    kind = serializers.ChoiceField(choices=Ruling.Kind.choices)
    points = SaidPointsField()
    reason = serializers.CharField(max_length=LONGEST_RULING)
