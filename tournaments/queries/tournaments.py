"""Reads of tournaments: what the seating and the standings of one depend on."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db.models import Prefetch

from tournaments.engine.finals import Stage, next_stage, rank_with_finals, stages
from tournaments.engine.pairing.field import Entrant as Seated
from tournaments.engine.pairing.field import Field, PlayedRound
from tournaments.engine.round_results import Competitor, RoundResults, Ruling, TableResult
from tournaments.engine.rulesets import Points, Ruleset, number_of
from tournaments.engine.standing_reasons import Why, why_place
from tournaments.engine.standings import Standing, rank_entrants
from tournaments.engine.tallies import tally_rounds
from tournaments.engine.tournament_settings import TournamentSettings, read_settings
from tournaments.engine.variants import RULESETS
from tournaments.models import (
    Entrant,
    Game,
    Player,
    Round,
    Sitting,
    Substitute,
    Tournament,
)
from tournaments.models import Ruling as RulingRow
from tournaments.queries.rulesets import parsed_ruleset

Sat = tuple[int, int | None, str]
"""Number and key of a table (None: out), and the key of who sat there."""


def settings_of(tournament: Tournament) -> TournamentSettings:
    """Its settings, as they were checked when they were stored."""
    return read_settings(tournament.settings)


def rules_of_tournament(tournament: Tournament) -> Ruleset:
    """The ruleset it plays with its options: its own copy, where it plays house rules."""
    event = tournament.event
    document = tournament.document
    rules = RULESETS[event.ruleset] if document is None else parsed_ruleset(document)
    return rules.with_options(event.options)


@dataclass(frozen=True, slots=True)
class DrawnTable:
    """A table of a round: the keys of its entrants in order of sides; `pk` once it is laid."""

    pk: int | None
    number: int
    entrants: tuple[str, ...]


@dataclass(frozen=True)
class Drawn:
    """A round that is seated, or further: its tables in order of their numbers, and who is out."""

    row: Round
    tables: tuple[DrawnTable, ...]
    byes: tuple[str, ...]

    @property
    def seats(self) -> PlayedRound:
        """Who sat where, as the seating of later rounds looks at it."""
        return PlayedRound(tuple(table.entrants for table in self.tables), self.byes)


@dataclass(frozen=True)
class Course:
    """A tournament so far: entrants by key, its rounds, and what the published ones came to."""

    tournament: Tournament
    entrants: dict[str, Entrant]
    drawn: tuple[Drawn, ...]
    results: tuple[RoundResults, ...]

    @cached_property
    def stand_ins(self) -> Mapping[tuple[int, int, int], Player]:
        """Who plays in the place of others, by entrant, round and player (1 query)."""
        rows = Substitute.objects.filter(entrant__tournament=self.tournament)
        return {
            (row.entrant_id, row.round_number, row.instead_of_id): row.player
            for row in rows.select_related("player")
        }

    @cached_property
    def settings(self) -> TournamentSettings:
        """The settings as they stand."""
        return settings_of(self.tournament)

    @cached_property
    def rules(self) -> Ruleset:
        """The ruleset with its options."""
        return rules_of_tournament(self.tournament)

    @cached_property
    def competitors(self) -> tuple[Competitor, ...]:
        """The entrants as the standings have them."""
        return tuple(
            Competitor(
                id=key,
                number=row.number,
                house=row.house,
                team=row.team,
                withdrawn=row.withdrawn_at is not None,
            )
            for key, row in self.entrants.items()
        )

    @property
    def stages(self) -> tuple[str, ...]:
        """The finals that are played after the last round, in order."""
        return stages(self.settings.finals, self.rules.side_count)

    def standings_before(
        self, number: int, competitors: Sequence[Competitor] | None = None
    ) -> tuple[Standing, ...]:
        """The standings that the rounds before round `number` came to.

        With `competitors`, as if only they took part.
        """
        rounds, finals = self._results_before(number)
        those = self.competitors if competitors is None else competitors
        return rank_with_finals(those, rounds, finals, self.settings, self.tournament.seed)

    def stages_played(self, number: int) -> bool:
        """Whether finals are among the rounds up to round `number`."""
        return number > self.settings.rounds

    def standings_of(self, number: int) -> tuple[Standing, ...]:
        """The standings of round `number` alone."""
        played = [each for each in self.results if each.number == number]
        return rank_entrants(self.competitors, played, self.settings, self.tournament.seed)

    def points_after(self, number: int) -> dict[str, Points]:
        """The points of everybody who has played by round `number`, penalties taken off."""
        played = [each for each in self.results if each.number <= number]
        tallies = tally_rounds(self.competitors, played, self.settings)
        return {key: tally.points for key, tally in tallies.items() if tally.has_played}

    def why(self, key: str, number: int) -> Why:
        """Why an entrant stands where they stand by points, after round `number`.

        Raises:
            KeyError: there is no such entrant with a place.
        """
        played = [each for each in self.results if each.number <= number]
        seed = self.tournament.seed
        return why_place(key, self.competitors, played, self.settings, seed)

    def next_final(self, number: int) -> Stage | None:
        """Who plays in round `number`, after the last one before the finals.

        Raises:
            InvalidEntry: too few are left to play on.
        """
        rounds, finals = self._results_before(number)
        seed, size = self.tournament.seed, self.rules.side_count
        at_cut = rank_with_finals(self.competitors, rounds, (), self.settings, seed)
        return next_stage(at_cut, self.competitors, finals, self.settings, size)

    def _results_before(
        self, number: int
    ) -> tuple[tuple[RoundResults, ...], tuple[RoundResults, ...]]:
        """Rounds before round `number`, and those of them that are finals."""
        played = [each for each in self.results if each.number < number]
        last = self.settings.rounds
        rounds = tuple(each for each in played if each.number <= last)
        return rounds, tuple(each for each in played if each.number > last)

    def players_of(self, entrant: Entrant, number: int) -> list[Player]:
        """Who plays for an entrant in a round."""
        return [
            self.stand_ins.get((entrant.pk, number, player.pk), player)
            for player in entrant.players
        ]

    def present(self, number: int) -> list[Entrant]:
        """Who can be seated in a round; with as many house players as keep fewest from playing."""
        here = [each for each in self.entrants.values() if self._is_here(each, number)]
        playing = [each for each in here if not each.house]
        house = [each for each in here if each.house] if self.settings.odd == "house" else []
        return playing + house[: self.house_wanted(len(playing), 0, len(house))]

    def house_wanted(self, playing: int, least: int, most: int) -> int:
        """How many house players keep fewest of so many from playing."""
        size = self.rules.side_count
        return min(range(least, most + 1), key=lambda k: ((playing + k) % size, k))

    def _is_here(self, entrant: Entrant, number: int) -> bool:
        if entrant.withdrawn_at is not None or entrant.joins_in > number:
            return False
        asked = {"none": 0, "once": 1, "round": number}[self.settings.check_in]
        return entrant.house or entrant.checked_in >= asked


def field_of(course: Course, number: int, seated: Iterable[Entrant] | None = None) -> Field:
    """The field that round `number` is seated from: who is there, with what they have so far.

    `seated` are those who are to be seated, where that is said already.
    """
    settings = course.settings
    points = {row.entrant: row.points for row in course.standings_before(number)}
    present = course.present(number) if seated is None else seated
    return Field(
        entrants=tuple(
            Seated(each.key, points.get(each.key, 0), each.represents) for each in present
        ),
        rounds=tuple(each.seats for each in course.drawn if each.row.number < number),
        rounds_left=max(1, settings.rounds - number + 1),
        table_size=course.rules.side_count,
        separate_clubs=settings.separate_clubs,
        seed=course.tournament.seed,
    )


def load_course(tournament: Tournament) -> Course:
    """A tournament with all that was drawn, played and decided (5 queries, however large)."""
    return load_courses([tournament])[0]


def load_courses(tournaments: Sequence[Tournament]) -> list[Course]:
    """Several tournaments, each as `load_course` has it (5 queries, however many and large)."""
    events = [row.event_id for row in tournaments]
    rows = Entrant.objects.filter(tournament__in=tournaments).select_related("player", "partner")
    entrants: dict[int, list[Entrant]] = defaultdict(list)
    for entrant in rows:
        entrants[entrant.tournament_id].append(entrant)
    keys = {each.pk: each.key for those in entrants.values() for each in those}
    rulings = Prefetch("rulings", RulingRow.objects.filter(withdrawn_at=None))
    sittings = _sittings(events, keys)
    rounds: dict[int, list[Drawn]] = defaultdict(list)
    places = Round.objects.filter(event__in=events).order_by("number")
    for place in places.prefetch_related(rulings):
        rounds[place.event_id].append(_drawn(place, sittings[place.pk]))
    games = Game.objects.filter(table__round__event__in=events, result__isnull=False)
    played: dict[int | None, Any] = dict(games.values_list("table_id", "result"))
    return [
        Course(
            row,
            {each.key: each for each in entrants[row.pk]},
            drawn := tuple(rounds[row.event_id]),
            tuple(_result(each, played, keys) for each in drawn if each.row.published_at),
        )
        for row in tournaments
    ]


def _sittings(events: Sequence[int], keys: Mapping[int, str]) -> Mapping[int, list[Sat]]:
    """Who sits where by round, in order of tables and sides; those who are out come first."""
    rows = Sitting.objects.filter(round__event__in=events).order_by("side")
    fields = ("round_id", "table_id", "table__number", "entrant_id")
    sat: dict[int, list[Sat]] = defaultdict(list)
    # Plain tuples: a row as an object costs five times as much, and there are thousands.
    for place, table, number, entrant in rows.values_list(*fields):
        sat[place].append((number or 0, table, keys[entrant]))
    return sat


def _drawn(place: Round, sittings: Sequence[Sat]) -> Drawn:
    if place.published_at is None:
        return _seated(place)
    tables: dict[tuple[int, int], list[str]] = defaultdict(list)
    byes = []
    for number, table, key in sittings:
        if table is None:
            byes.append(key)
        else:
            tables[number, table].append(key)
    laid = tuple(
        DrawnTable(table, number, tuple(names)) for (number, table), names in sorted(tables.items())
    )
    return Drawn(place, laid, tuple(sorted(byes, key=lambda key: int(key[1:]))))


def _seated(place: Round) -> Drawn:
    """A round as its seating has it."""
    seating = place.seating or {"tables": [], "byes": []}
    tables = tuple(
        DrawnTable(None, number, tuple(names)) for number, names in enumerate(seating["tables"], 1)
    )
    return Drawn(place, tables, tuple(seating["byes"]))


def _result(
    drawn: Drawn, played: Mapping[int | None, Mapping[str, Any]], keys: Mapping[int, str]
) -> RoundResults:
    tables = tuple(_table_result(table, played.get(table.pk)) for table in drawn.tables)
    rulings = tuple(
        Ruling(keys[row.entrant_id], row.kind, number_of(row.points) or 0)
        for row in drawn.row.rulings.all()
    )
    return RoundResults(drawn.row.number, tables, drawn.byes, rulings)


def _table_result(table: DrawnTable, result: Mapping[str, Any] | None) -> TableResult:
    if result is None:
        nothing = (0,) * len(table.entrants)
        return TableResult(table.entrants, nothing, nothing, finished=False)
    return TableResult(
        entrants=table.entrants,
        totals=tuple(number_of(points) or 0 for points in result["totals"]),
        ranks=tuple(result["ranks"]),
        out=tuple(result["out"]),
        kings=tuple(result["kings"]),
        finished=True,
    )
