"""Rounds, their seating and their rulings as the API reads and writes them."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from tournaments.api.entrants.serializers import RatingOfEntrantSerializer
from tournaments.api.fields import LineField, MomentField, PointsField, StrictSerializer
from tournaments.api.filtering import SlicedListSerializer
from tournaments.api.games.serializers import ClockSerializer, GameKeysSerializer, clock_details
from tournaments.api.tournaments.serializers import ProgressSerializer, RoundLineSerializer
from tournaments.engine.documents.pairings import REASONS
from tournaments.engine.pairing.judging import InvalidSeating, Seating, judge
from tournaments.engine.pairing.neighbours import Apart
from tournaments.engine.rules.entries import SMALL
from tournaments.engine.rules.rulesets import LONGEST_REASON
from tournaments.engine.standings.tournament_settings import LARGEST_LINE_UP
from tournaments.models import Entrant, Round, Ruling
from tournaments.queries.state import SeatedRound, TournamentState
from tournaments.queries.steps import progress_of
from tournaments.queries.tables import TROUBLES
from tournaments.services.rounds.proposals import (
    alternatives_of,
    number_of,
    outdated_at,
    presence_at,
)
from tournaments.services.rounds.running import MOST_MINUTES
from tournaments.services.rounds.seating import apart_in, field_seated, sections_seated
from tournaments.texts.labels import ABSENCES

MOST_TABLES = 500
MOST_EXCHANGED = 16
MOST_SECONDS = MOST_MINUTES * 60
NUMBERS = {"type": "array", "items": {"type": "integer"}}


class RoundSerializer(RoundLineSerializer):
    """A round, the progress of its tables, and its clock; both may be null."""

    progress = ProgressSerializer(allow_null=True)
    clock = ClockSerializer(allow_null=True)

    def to_representation(self, instance: Round) -> dict[str, Any]:
        row: Any = instance
        row.progress = progress_of(row) if row.published_at is not None else None
        row.clock = clock_details(row, timezone.now())
        return super().to_representation(row)


class SeatReasonSerializer(serializers.Serializer[Any]):
    """Why somebody sits there, by a code; its `params` are whole numbers, seats from 0."""

    code = serializers.ChoiceField(choices=list(REASONS))
    params = serializers.DictField(child=serializers.IntegerField(), read_only=True)


class ApartSerializer(serializers.Serializer[Any]):
    """A neighbour in the standings, by number, who sits elsewhere, and why.

    `round` is the last one in which they met, 0 if none. The others are the cost of the best
    exchange of two that brings both together: further repeats and pairs of one club, and how much
    further scores are apart at the two tables.
    """

    entrant = serializers.SerializerMethodField()
    code = serializers.ChoiceField(
        choices=["sits-out", "locked", "avoided", "met", "same-club", "seat", "others"]
    )
    round = serializers.IntegerField()
    repeats = serializers.IntegerField()
    same_club = serializers.IntegerField()
    spread = PointsField()

    def get_entrant(self, apart: Apart) -> int:
        return number_of(apart.other)


class SeatedEntrantSerializer(serializers.Serializer[Any]):
    """An entrant at a table or out, with their players.

    Proposals also say `why`, and those by scores which neighbours sit `apart`.
    """

    entrant = serializers.IntegerField()
    names = serializers.ListField(child=serializers.CharField())
    why = SeatReasonSerializer(many=True)
    apart = ApartSerializer(many=True)


class SeatedTableSerializer(serializers.Serializer[Any]):
    """A table with its entrants in order of sides."""

    number = serializers.IntegerField()
    locked = serializers.BooleanField()
    entrants = SeatedEntrantSerializer(many=True)


class SeatingFiguresSerializer(serializers.Serializer[Any]):
    """How good a seating is; the lower a figure, the better."""

    repeat_meetings = serializers.IntegerField()
    repeat_bound = serializers.IntegerField()
    score_spread = PointsField()
    seat_imbalance = serializers.IntegerField()
    avoided_met = serializers.IntegerField()
    same_club = serializers.IntegerField()
    fixed_parted = serializers.IntegerField()


class OfferedSeatingSerializer(serializers.Serializer[Any]):
    """A possible seating of a round, to be taken by its number and seed.

    `is_nearest`: none has nearer scores. `as_by_lot`: one drawn by lot is hardly wider.
    """

    number = serializers.IntegerField()
    seed = serializers.IntegerField()
    repeat_meetings = serializers.IntegerField()
    score_spread = PointsField()
    is_nearest = serializers.BooleanField()
    as_by_lot = serializers.BooleanField()
    taken = serializers.BooleanField()


class AlternativesSerializer(serializers.Serializer[Any]):
    """The seatings that a proposal was taken from, and the spreads that they are measured by.

    The first is the tournament's own, unless it is `moved`: that would be as by lot.
    """

    spread_by_lot = PointsField()
    spread_nearest = PointsField()
    moved = serializers.BooleanField()
    offered = OfferedSeatingSerializer(many=True)


class TakeAlternativeSerializer(StrictSerializer):
    """The number and the seed of an alternative."""

    number = serializers.IntegerField(min_value=1, max_value=SMALL)
    seed = serializers.IntegerField()


class FewestRepeatsSerializer(serializers.Serializer[Any]):
    """What a proposal would be with the fewest possible repeats, if it has more."""

    repeat_meetings = serializers.IntegerField()
    score_spread = PointsField()


@extend_schema_field(NUMBERS)
class EntrantNumbersField(serializers.Field[Sequence[Entrant | str], Any, list[int], Any]):
    """The numbers of entrants, given as rows or by their keys."""

    def __init__(self) -> None:
        super().__init__(read_only=True)

    def to_representation(self, value: Sequence[Entrant | str]) -> list[int]:
        return [number_of(each) if isinstance(each, str) else each.number for each in value]


class NotSeatedSerializer(serializers.Serializer[Any]):
    """An entrant without a seat in a proposal, and why; `here` came after it was drawn."""

    entrant = serializers.IntegerField()
    reason = serializers.ChoiceField(choices=list(ABSENCES))


class PresenceSerializer(serializers.Serializer[Any]):
    """Differences of a proposal from check-in: here but not seated, seated but not here, left.

    `not_seated` are all without a seat, house players apart; seating again can take them in.
    """

    unseated = EntrantNumbersField()
    absent = EntrantNumbersField()
    gone = EntrantNumbersField()
    not_seated = NotSeatedSerializer(many=True)


class OutdatedSerializer(serializers.Serializer[Any]):
    """The changes since a proposal was drawn; `digest` identifies the state of now.

    `elsewhere` are entrants who would sit with others, or out, if it were drawn now. A final can
    only be seated again; another round is published with the digest as `accept_outdated`.
    """

    digest = serializers.CharField()
    is_final = serializers.BooleanField()
    elsewhere = EntrantNumbersField()


class SeatingSerializer(serializers.Serializer[Any]):
    """The seating of a round, as it was drawn.

    A proposal has its quality and the reasons. Directors also see how the next proposal differs
    from who is here, and what has changed since it was drawn. `revision` is that of the tournament.
    """

    round = serializers.IntegerField(source="row.number")
    state = serializers.CharField(source="row.state")
    revision = serializers.IntegerField()
    tables = SeatedTableSerializer(many=True)
    byes = SeatedEntrantSerializer(many=True)
    quality = SeatingFiguresSerializer(allow_null=True)
    fewest_repeats = FewestRepeatsSerializer(allow_null=True)
    alternatives = AlternativesSerializer(allow_null=True)
    presence = PresenceSerializer(allow_null=True)
    outdated = OutdatedSerializer(allow_null=True)


def seating_details(
    state: TournamentState, seated: SeatedRound, *, directs: bool
) -> dict[str, Any]:
    """Return the seating of a round as `SeatingSerializer` writes it."""
    round_, drawn = seated.row, seated.row.seating or {"tables": [], "byes": []}
    judged: Seating | None = None
    apart: dict[str, tuple[Apart, ...]] = {}
    if round_.published_at is None:
        # Somebody of a proposal may be gone since.
        with suppress(InvalidSeating, KeyError):
            judged = judge(field_seated(state, round_), drawn["tables"], drawn["byes"])
            apart = apart_in(state, round_, sections_seated(state, seated))
    proposed = next((each for each in state.seated_rounds if each.row.published_at is None), None)
    presence = presence_at(state, seated) if directs and proposed is seated else None

    def names_of(key: str) -> list[str]:
        if (entrant := state.entrants.get(key)) is None:
            return []
        players = state.players_of(entrant, round_.number)
        return [player.shown_name or f"№ {entrant.number}" for player in players]

    def chairs(keys: Sequence[str]) -> list[dict[str, Any]]:
        why = judged.why if judged is not None else {}
        return [
            {
                "entrant": number_of(key),
                "names": names_of(key),
                "why": why.get(key, ()),
                "apart": apart.get(key, ()),
            }
            for key in keys
        ]

    locked = drawn.get("locked", []) if round_.published_at is None else ()
    found = None if judged is None else alternatives_of(state, round_)
    return {
        "row": round_,
        "revision": state.tournament.revision,
        "tables": [
            {"number": table.number, "locked": at in locked, "entrants": chairs(table.entrants)}
            for at, table in enumerate(seated.tables)
        ],
        "byes": chairs(seated.byes),
        "quality": None if judged is None else judged.quality,
        "fewest_repeats": found and found["fewest_repeats"],
        "alternatives": found if found and found["offered"] else None,
        "presence": None
        if presence is None
        else {
            **{name: getattr(presence, name) for name in ("unseated", "absent", "gone")},
            "not_seated": [
                {"entrant": entrant.number, "reason": why} for entrant, why in presence.not_seated
            ],
        },
        "outdated": outdated_at(state, seated) if directs else None,
    }


def _entrants(**more: Any) -> serializers.ListField:
    number = serializers.IntegerField(min_value=1, max_value=SMALL)
    return serializers.ListField(child=number, **more)


class NewSeatingSerializer(StrictSerializer):
    """Seats by numbers of entrants in order of sides, and byes.

    `locked` are the numbers of the tables that a new seating keeps.
    """

    tables = serializers.ListField(child=_entrants(max_length=4), max_length=MOST_TABLES)
    byes = _entrants(default=list)
    locked = _entrants(default=list)


class SwappedSerializer(StrictSerializer):
    """The two entrants to swap."""

    one = serializers.IntegerField(min_value=1, max_value=SMALL)
    other = serializers.IntegerField(min_value=1, max_value=SMALL)


class SwapSerializer(SwappedSerializer):
    """The two entrants to swap, and the revision of the seating as it was read."""

    revision = serializers.IntegerField(min_value=0)


class ExchangeSerializer(StrictSerializer):
    """Seats to exchange: each player takes the chair of the next one, the last that of the first.

    Of one pair alone, the partners change seats. What is written at their tables stays with the
    chairs, or goes with the people, which is possible only within one table. `revision` is that of
    the seating as it was seen.
    """

    entrants = _entrants(min_length=1, max_length=MOST_EXCHANGED)
    entries = serializers.ChoiceField(choices=["chairs", "people"], default="chairs")
    revision = serializers.IntegerField(min_value=0)


class ChangedFigureSerializer(serializers.Serializer[Any]):
    """A figure that a swap changes."""

    name = serializers.ChoiceField(choices=list(SeatingFiguresSerializer().fields))
    before = PointsField()
    after = PointsField()


class SwapPreviewSerializer(serializers.Serializer[Any]):
    """The effects of swapping two entrants; an empty list means none."""

    one = serializers.IntegerField()
    other = serializers.IntegerField()
    changes = ChangedFigureSerializer(many=True)
    quality = SeatingFiguresSerializer()


class SeatAgainSerializer(StrictSerializer):
    """The numbers of the tables that stay as they are, and of entrants to take in."""

    locked = _entrants(default=list)
    take_in = _entrants(default=list)


class PublishSerializer(StrictSerializer):
    """Whether to publish a seating that does not match who is here.

    `accept_outdated` is the `digest` of the seating's `outdated`: once more has changed, it is
    refused.
    """

    all_the_same = serializers.BooleanField(default=False)
    accept_outdated = serializers.CharField(max_length=64, allow_blank=True, default="")


class TakeBackSerializer(StrictSerializer):
    """How many entries on the sheets of a round are deleted with them."""

    entries = serializers.IntegerField(min_value=0, max_value=SMALL, default=0)


class LateSerializer(StrictSerializer):
    """Entrants to add to a published round and to remove from it, by number."""

    arriving = _entrants(default=list)
    leaving = _entrants(default=list)


class LatePreviewSerializer(serializers.Serializer[Any]):
    """Entrants that can be added to a published round, and that can be removed."""

    arriving = serializers.ListField(child=serializers.IntegerField())
    leaving = serializers.ListField(child=serializers.IntegerField())


class LateSeatingSerializer(SeatingSerializer):
    """The seating after a late change, and the tables that changed, by their numbers.

    A table that was given up is among them, but no longer in the seating.
    """

    changed = serializers.ListField(child=serializers.IntegerField())


class ExpectedResultSerializer(serializers.Serializer[Any]):
    """The expected result of an entrant: their average rank at the table.

    `rating` is null for house players; `new` says that the entrant has not been rated yet.
    """

    entrant = serializers.IntegerField()
    rating = RatingOfEntrantSerializer(allow_null=True)
    new = serializers.BooleanField()
    expected = serializers.FloatField()


class ExpectedResultsSerializer(SlicedListSerializer):
    """The expected results of all seated entrants, if the ratings are visible."""

    results = ExpectedResultSerializer(many=True)


class AddTimeSerializer(StrictSerializer):
    """Seconds to add; negative ones are taken back.

    If `seen` is not the time that there is, nothing changes: a request that is sent twice adds time
    once.
    """

    seconds = serializers.IntegerField(min_value=-MOST_SECONDS, max_value=MOST_SECONDS)
    seen = serializers.IntegerField(min_value=0, required=False)


class RulingSerializer(serializers.Serializer[Any]):
    """A ruling about an entrant's round; a withdrawn one no longer counts."""

    id = serializers.IntegerField(source="pk")
    round = serializers.IntegerField(source="round.number")
    entrant = serializers.IntegerField(source="entrant.number")
    name = serializers.CharField(source="entrant.shown_name")
    kind = serializers.ChoiceField(choices=Ruling.Kind.choices)
    points = PointsField()
    reason = serializers.CharField()
    at = MomentField()
    withdrawn_at = MomentField(allow_null=True)


@extend_schema_field(
    {"oneOf": [{"type": "integer"}, {"type": "string", "pattern": "^-?[0-9]+/[0-9]+$"}]}
)
class RawPointsField(serializers.JSONField):
    """Points as they are sent: a whole number, or `p/q`; the service says whether they can be."""


class NewRulingSerializer(StrictSerializer):
    """A ruling on an entrant; a penalty subtracts `points`, the others are worth them.

    A forfeit counts as the last place. Nobody counts as having met an entrant who was absent.
    """

    entrant = serializers.IntegerField(min_value=1, max_value=SMALL)
    kind = serializers.ChoiceField(choices=Ruling.Kind.choices)
    points = RawPointsField()
    reason = LineField(max_length=LONGEST_REASON)


class RoundsSerializer(SlicedListSerializer):
    """The rounds of a tournament in order; proposals are for directors."""

    results = RoundLineSerializer(many=True)


class TableTroubleSerializer(serializers.Serializer[Any]):
    """A possible problem at a table: its seconds, and the seats that did not confirm or dispute."""

    code = serializers.ChoiceField(choices=TROUBLES)
    seconds = serializers.IntegerField()
    seats = serializers.ListField(child=serializers.IntegerField())


class WatchedTableSerializer(serializers.Serializer[Any]):
    """A table of a round; `players` are in order of seats, from 0.

    `deals` and `totals` (per side) are those of its game so far; `deals` is null once it is
    `finished`, `clock` without a time limit. Only directors see calls, troubles, and who wrote
    last; those whose token may score also get the `keys` of its game. In a round whose results are
    hidden, others see neither `deals` nor `totals`.
    """

    number = serializers.IntegerField(source="table.number")
    id = serializers.CharField(source="table.public_id")
    game = serializers.CharField(source="row.public_id")
    entrants = serializers.ListField(child=serializers.IntegerField())
    players = serializers.ListField(child=serializers.CharField(), source="row.players")
    revision = serializers.IntegerField(source="row.revision")
    finished = serializers.BooleanField()
    deals = serializers.IntegerField(allow_null=True)
    totals = serializers.ListField(child=PointsField())
    confirmed = serializers.ListField(
        child=serializers.IntegerField(), source="agreement.confirmed"
    )
    confirmations_needed = serializers.IntegerField(source="agreement.needed")
    last_at = MomentField(allow_null=True)
    last_by = serializers.CharField()
    clock = ClockSerializer(allow_null=True)
    extra_seconds = serializers.IntegerField(source="table.extra_seconds")
    called_at = MomentField(allow_null=True)
    troubles = TableTroubleSerializer(many=True)
    keys = GameKeysSerializer(allow_null=True)


class WatchedTablesSerializer(SlicedListSerializer):
    """The tables of a round."""

    results = WatchedTableSerializer(many=True)


class SettlingSerializer(StrictSerializer):
    """The version of a disputed deal that counts; `revision` is that of the deal as written."""

    position = serializers.IntegerField(min_value=0)
    revision = serializers.IntegerField(min_value=1)
    counts = serializers.ChoiceField(("written", "disputed"))


class RankAndPointsSerializer(serializers.Serializer[Any]):
    """A rank and its points."""

    rank = serializers.IntegerField(min_value=1)
    points = PointsField()


class ChangedPlaceSerializer(serializers.Serializer[Any]):
    """An entrant whose place after a closed round has changed since it was closed."""

    round = serializers.IntegerField()
    entrant = serializers.IntegerField()
    before = RankAndPointsSerializer()
    after = RankAndPointsSerializer()


class CorrectionsSerializer(SlicedListSerializer):
    """The changes by corrections since rounds were closed; `seen` identifies this list."""

    seen = serializers.CharField()
    results = ChangedPlaceSerializer(many=True)


class CorrectionsSeenSerializer(StrictSerializer):
    """The list of corrections that was seen."""

    seen = serializers.CharField(max_length=64)


class WallTableSerializer(serializers.Serializer[Any]):
    """A table and its players; those who sit out have no number."""

    number = serializers.IntegerField(allow_null=True)
    names = serializers.ListField(child=serializers.CharField())
    section = serializers.CharField()


class WallPlaceSerializer(serializers.Serializer[Any]):
    """A leader; `stage` is that of the finals, empty if they play none.

    Who is `through` plays it next. The leaders of each `section` come together.
    """

    rank = serializers.IntegerField(min_value=1)
    name = serializers.CharField()
    points = PointsField()
    stage = serializers.CharField()
    through = serializers.BooleanField()
    section = serializers.CharField()


class WallDisplaySerializer(serializers.Serializer[Any]):
    """The wall display: the published round in play, or the last one.

    `tables` is empty once it is over; `standings` are those after the last closed round that all
    may see; `going` are the tables of an open round that still play.
    """

    name = serializers.CharField()
    round = RoundLineSerializer(allow_null=True)
    clock = ClockSerializer(allow_null=True)
    tables = WallTableSerializer(many=True)
    standings = WallPlaceSerializer(many=True)
    going = serializers.ListField(child=serializers.IntegerField())


class AbsentPlayerSerializer(serializers.Serializer[Any]):
    """A player of a line-up who is not here for the round, and why."""

    entrant = serializers.IntegerField(source="entrant.number")
    reason = serializers.ChoiceField(choices=list(ABSENCES), source="absence")


class TeamLineUpSerializer(serializers.Serializer[Any]):
    """Who of a team plays in a round.

    It is `named` for this round, or as in the round before. `missing` seats stay empty; `absent`
    are players of the line-up who are not here.
    """

    team = serializers.CharField()
    named = serializers.BooleanField()
    players = EntrantNumbersField()
    reserves = EntrantNumbersField()
    missing = serializers.IntegerField()
    absent = AbsentPlayerSerializer(many=True)


class LineUpsSerializer(serializers.Serializer[Any]):
    """The line-ups of a round, with `size` players of each team; none if everybody plays."""

    round = serializers.IntegerField()
    size = serializers.IntegerField()
    teams = TeamLineUpSerializer(many=True)


class NamedLineUpSerializer(StrictSerializer):
    """Who of a team is to play; the others are reserves."""

    team = LineField()
    players = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=SMALL), max_length=LARGEST_LINE_UP
    )


class NamedLineUpsSerializer(StrictSerializer):
    """The line-ups to change; other teams keep theirs."""

    teams = NamedLineUpSerializer(many=True)


class ReplaceSerializer(StrictSerializer):
    """A player of a published round, and the reserve of the same team who takes the chair."""

    player = serializers.IntegerField(min_value=1, max_value=SMALL)
    reserve = serializers.IntegerField(min_value=1, max_value=SMALL)
