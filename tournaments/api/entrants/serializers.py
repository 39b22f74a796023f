"""Entrants as the API reads and writes them."""

from typing import Any

from drf_spectacular.utils import extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from tournaments.api.fields import LineField, MomentField, StrictSerializer
from tournaments.engine.rules.entries import SMALL
from tournaments.engine.standings.tournament_settings import SECTIONS
from tournaments.models import Entrant, Player
from tournaments.queries.overview import STATES, EntrantLine
from tournaments.services.entrants.registration import MOST_ENTRANTS


class PlayerNameSerializer(serializers.Serializer[Any]):
    """A player by name; members of the club get the id, others null.

    The name is empty of whoever was removed.
    """

    id = serializers.SerializerMethodField()
    name = serializers.SerializerMethodField()

    @extend_schema_field({"type": ["string", "null"]})
    def get_id(self, player: Player) -> str | None:
        return player.public_id if self.context.get("member") else None

    def get_name(self, player: Player) -> str:
        whole = self.context.get("directs") and player.name
        return str(whole or player.shown_name)


class RatingOfEntrantSerializer(serializers.Serializer[Any]):
    """A rating: in 19 of 20 cases the strength is within `within` of `points`."""

    points = serializers.IntegerField()
    within = serializers.IntegerField()
    provisional = serializers.BooleanField()


class EntrantSerializer(serializers.Serializer[Any]):
    """An entrant; directors read whole names.

    `state` says whether they are here for the next round; it is empty without check-in.
    `checked_in` is the last round they checked in for or were put into, 0 for none and once they
    were taken out. `rating` is null if there is none, or the reader may not see it. `section` is
    empty if the tournament has no sections. `missed` says what the rounds are worth that somebody
    who came late has missed; empty: as the settings say.
    """

    number = serializers.IntegerField(source="entrant.number")
    name = serializers.CharField()
    players = PlayerNameSerializer(many=True, source="entrant.players")
    team = serializers.CharField(source="entrant.team")
    represents = serializers.CharField(source="entrant.represents")
    preferred_table = serializers.SerializerMethodField()
    house = serializers.BooleanField(source="entrant.house")
    waiting = serializers.BooleanField(source="entrant.waiting")
    paid = serializers.SerializerMethodField()
    joins_in = serializers.IntegerField(source="entrant.joins_in")
    registered_at = MomentField(source="entrant.registered_at")
    withdrawn_at = MomentField(source="entrant.withdrawn_at", allow_null=True)
    checked_in = serializers.IntegerField(source="entrant.checked_in")
    state = serializers.ChoiceField(choices=STATES, allow_blank=True)
    rating = RatingOfEntrantSerializer(allow_null=True)
    section = serializers.CharField()
    missed = serializers.ChoiceField(source="entrant.missed", choices=Entrant.Missed.choices)

    def get_preferred_table(self, line: EntrantLine) -> int | None:
        """The number of the table that they wish to sit at; null for all but directors."""
        return line.entrant.preferred_table if self.context["view"].directs else None

    def get_paid(self, line: EntrantLine) -> bool | None:
        """Whether they have paid the fee; null for all but directors."""
        return line.entrant.paid if self.context["view"].directs else None


class SubstituteSerializer(serializers.Serializer[Any]):
    """A substitute for one round, and the entrant replaced."""

    round = serializers.IntegerField(source="round_number")
    instead_of = PlayerNameSerializer()
    player = PlayerNameSerializer()


class SeatLeftSerializer(serializers.Serializer[Any]):
    """A table at which somebody sits who has withdrawn, and which has not begun."""

    round = serializers.IntegerField(source="round.number")
    table = serializers.IntegerField(source="table.number")


@extend_schema_serializer(component_name="OneEntrant")
class EntrantDetailSerializer(EntrantSerializer):
    """An entrant with who plays in their place, and where they still sit after withdrawing."""

    substitutes = SubstituteSerializer(many=True, source="entrant.visible_substitutes")
    seats_left = SeatLeftSerializer(many=True, source="entrant.visible_seats_left")


def _label() -> serializers.CharField:
    return LineField(default="", allow_blank=True)


class OwnEntrySerializer(StrictSerializer):
    """A registration: a name, two for a pair, and their team or club."""

    name = LineField()
    partner = _label()
    team = _label()
    represents = _label()


class NewEntrantSerializer(OwnEntrySerializer):
    """A new entrant; a house player fills up tables, and its results do not count.

    Without a `section` they play in the last one, if there are any.
    """

    house = serializers.BooleanField(default=False)
    section = serializers.ChoiceField(choices=list(SECTIONS), default="", allow_blank=True)


class NewEntrantsSerializer(StrictSerializer):
    """New entrants; all are added, or none."""

    entrants = serializers.ListField(
        child=NewEntrantSerializer(), min_length=1, max_length=MOST_ENTRANTS
    )


class EntrantsSerializer(serializers.Serializer[Any]):
    """Entrants in order of their numbers."""

    results = EntrantSerializer(many=True)


class ChangedEntrantSerializer(StrictSerializer):
    """The changes to an entrant."""

    team = LineField(allow_blank=True)
    represents = LineField(allow_blank=True)
    preferred_table = serializers.IntegerField(
        min_value=1, max_value=MOST_ENTRANTS // 2, allow_null=True
    )
    house = serializers.BooleanField()
    paid = serializers.BooleanField()
    section = serializers.ChoiceField(choices=list(SECTIONS))
    missed = serializers.ChoiceField(choices=Entrant.Missed.choices)


class CheckInSerializer(StrictSerializer):
    """Whether an entrant is here, for a round or else the next one that can be seated."""

    here = serializers.BooleanField(default=True)
    round = serializers.IntegerField(min_value=1, max_value=99, required=False)


class NewSubstituteSerializer(StrictSerializer):
    """The name of the substitute; a new name is added to the players of the club."""

    name = LineField()


class LinkedEntrantSerializer(serializers.Serializer[Any]):
    """An entrant as whoever has a link of a tournament sees them."""

    number = serializers.IntegerField(source="entrant.number")
    name = serializers.CharField()
    state = serializers.ChoiceField(choices=STATES, allow_blank=True)


class RegistrationLinkSerializer(serializers.Serializer[Any]):
    """The tournament of a link, whether it is open, and its round."""

    club = serializers.CharField(source="row.event.club.name")
    tournament = serializers.CharField(source="row.event.name")
    pairs = serializers.BooleanField()
    open = serializers.BooleanField()
    round = serializers.IntegerField()


class CheckInLinkSerializer(RegistrationLinkSerializer):
    """The tournament of a link, with everybody who can check in, in order of their names."""

    entrants = LinkedEntrantSerializer(many=True)


class OwnCheckInSerializer(StrictSerializer):
    """The number of the entrant who is here."""

    entrant = serializers.IntegerField(min_value=1, max_value=SMALL)
