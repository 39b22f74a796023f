"""A tournament as it is read for its seating and its standings.

Begin at `load_state`. `TournamentState` answers for its standings, for who is here in a round, and
for the line-ups of teams; `field_of` is what a seating takes. The clock stands at the end.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property
from itertools import combinations
from typing import Any

from django.db.models import F, Max, Prefetch, Q

from tournaments.engine.pairing.field import Entrant as Seated
from tournaments.engine.pairing.field import PairingField, PlayedRound, Weights, weights_for
from tournaments.engine.rules.rulesets import Points, Ruleset, number_of
from tournaments.engine.standings.results import (
    Competitor,
    RoundResults,
    Ruling,
    TableResult,
    tally_rounds,
)
from tournaments.engine.standings.standings import (
    FinalStage,
    Standing,
    Why,
    next_stage,
    rank_entrants,
    rank_with_finals,
    stages,
    why_place,
)
from tournaments.engine.standings.tournament_settings import (
    TournamentSettings,
    read_stored_settings,
)
from tournaments.engine.variants import RULESETS
from tournaments.models import (
    Entrant,
    Game,
    Player,
    Revision,
    Round,
    Sitting,
    Substitute,
    Tournament,
)
from tournaments.models import Ruling as RulingRow
from tournaments.models.people import fold_name
from tournaments.queries.rulesets import parsed_ruleset

Sat = tuple[int, int | None, str]
"""Number and key of a table (None: out), and the key of the entrant there."""


def settings_of(tournament: Tournament) -> TournamentSettings:
    """Return the settings, which were checked when they were stored."""
    return read_stored_settings(tournament.settings)


def registration_closes(tournament: Tournament) -> datetime | None:
    """Return when registration by link closes before the start; None if it closes with it."""
    hours, begins = settings_of(tournament).registration_closes_hours, tournament.event.begins
    return None if hours is None or begins is None else begins - timedelta(hours=hours)


def can_register(tournament: Tournament, at: datetime) -> bool:
    """Return whether people may register themselves; directors add them at any time."""
    closes = registration_closes(tournament)
    return tournament.state == Tournament.State.REGISTRATION and (closes is None or at < closes)


def rules_of_tournament(tournament: Tournament) -> Ruleset:
    """Return the ruleset with its options; for house rules, the tournament's own copy."""
    event = tournament.event
    document = tournament.document
    rules = RULESETS[event.ruleset] if document is None else parsed_ruleset(document)
    return rules.with_options(event.options)


@dataclass(frozen=True, slots=True)
class DrawnTable:
    """A table of a round: entrant keys in order of sides; `pk` once the table is created."""

    pk: int | None
    number: int
    entrants: tuple[str, ...]


@dataclass(frozen=True)
class SeatedRound:
    """A round that is at least seated: its tables by number, and the entrants who are out."""

    row: Round
    tables: tuple[DrawnTable, ...]
    byes: tuple[str, ...]

    @cached_property
    def names(self) -> frozenset[str]:
        return frozenset(name for table in self.tables for name in table.entrants) | {*self.byes}

    @property
    def seats(self) -> PlayedRound:
        return PlayedRound(tuple(table.entrants for table in self.tables), self.byes)


@dataclass(frozen=True)
class TournamentState:
    """A tournament so far: entrants by key, rounds, and results of the published rounds."""

    tournament: Tournament
    entrants: dict[str, Entrant]
    seated_rounds: tuple[SeatedRound, ...]
    results: tuple[RoundResults, ...]

    @cached_property
    def stand_ins(self) -> Mapping[tuple[int, int, int], Player]:
        """Return the substitutes by entrant, round and player (1 query)."""
        rows = Substitute.objects.filter(entrant__tournament=self.tournament)
        return {
            (row.entrant_id, row.round_number, row.instead_of_id): row.player
            for row in rows.select_related("player")
        }

    @cached_property
    def settings(self) -> TournamentSettings:
        return settings_of(self.tournament)

    @cached_property
    def rules(self) -> Ruleset:
        return rules_of_tournament(self.tournament)

    @cached_property
    def competitors(self) -> tuple[Competitor, ...]:
        """Return the entrants in the form that the standings take."""
        return tuple(
            Competitor(
                id=key,
                number=row.number,
                house=row.house,
                team=row.team,
                withdrawn=row.withdrawn_at is not None,
                section=self.section_of(row),
                missed=row.missed,
            )
            for key, row in self.entrants.items()
        )

    @property
    def sections(self) -> Sequence[str]:
        """Return the names of the sections in order; a single empty one if there are none."""
        return self.settings.section_names or ("",)

    def section_of(self, entrant: Entrant) -> str:
        """Return the section an entrant plays in; empty if there are none."""
        return self.settings.section_of(entrant.section)

    def section_at(self, keys: Iterable[str]) -> str:
        """Return the section of a table: that of most there, as some may have moved since."""
        here = (self.entrants[key] for key in keys if key in self.entrants)
        counted = Counter(map(self.section_of, here)).most_common(1)
        return counted[0][0] if counted else self.sections[-1]

    def seating_of(self, round_: Round) -> SeatedRound:
        return next(seated for seated in self.seated_rounds if seated.row.pk == round_.pk)

    def of_section(self, seated: SeatedRound, section: str) -> SeatedRound:
        tables = (table for table in seated.tables if self.section_at(table.entrants) == section)
        byes = (key for key in seated.byes if self.section_at([key]) == section)
        return replace(seated, tables=tuple(tables), byes=tuple(byes))

    @property
    def stages(self) -> tuple[str, ...]:
        return stages(self.settings.finals, self.rules.side_count)

    def standings_before(
        self, number: int, competitors: Sequence[Competitor] | None = None
    ) -> tuple[Standing, ...]:
        """Return the standings after the rounds before round `number`.

        With `competitors`, as if only they took part.
        """
        if competitors is not None:
            return self._rank(competitors, number)
        if number not in self._standings:
            self._standings[number] = self._rank(self.competitors, number)
        return self._standings[number]

    @cached_property
    def _standings(self) -> dict[int, tuple[Standing, ...]]:
        """What was ranked already: a page shows the same standings at several places."""
        return {}

    def _rank(self, competitors: Sequence[Competitor], number: int) -> tuple[Standing, ...]:
        rounds, finals = self._results_before(number)
        return rank_with_finals(competitors, rounds, finals, self.settings, self.tournament.seed)

    def stages_played(self, number: int) -> bool:
        """Return whether finals are among the rounds up to round `number`."""
        return number > self.settings.rounds

    def standings_of(self, number: int) -> tuple[Standing, ...]:
        played = [round_ for round_ in self.results if round_.number == number]
        return rank_entrants(self.competitors, played, self.settings, self.tournament.seed)

    def points_after(self, number: int) -> dict[str, Points]:
        """Return the points, less penalties, of all who have played by round `number`."""
        played = [round_ for round_ in self.results if round_.number <= number]
        tallies = tally_rounds(self.competitors, played, self.settings)
        return {key: tally.points for key, tally in tallies.items() if tally.has_played}

    def why(self, key: str, number: int) -> Why:
        """Return the reasons for an entrant's place by points, after round `number`.

        Raises: KeyError: there is no such entrant with a place.
        """
        played = [round_ for round_ in self.results if round_.number <= number]
        seed = self.tournament.seed
        return why_place(key, self.competitors, played, self.settings, seed)

    def next_final(self, number: int, *, all_there: bool = False) -> FinalStage | None:
        """Return the stage that round `number` plays, after the last round before the finals.

        With `all_there`, as if nobody had withdrawn.

        Raises: InvalidEntry: too few are left to play on.
        """
        rounds, finals = self._results_before(number)
        seed, size = self.tournament.seed, self.rules.side_count
        those = self.competitors
        if all_there:
            those = tuple(replace(competitor, withdrawn=False) for competitor in those)
        at_cut = rank_with_finals(those, rounds, (), self.settings, seed)
        return next_stage(at_cut, those, finals, self.settings, size)

    def _results_before(
        self, number: int
    ) -> tuple[tuple[RoundResults, ...], tuple[RoundResults, ...]]:
        played = [round_ for round_ in self.results if round_.number < number]
        last = self.settings.rounds
        rounds = tuple(round_ for round_ in played if round_.number <= last)
        return rounds, tuple(round_ for round_ in played if round_.number > last)

    def players_of(self, entrant: Entrant, number: int) -> list[Player]:
        return [
            self.stand_ins.get((entrant.pk, number, player.pk), player)
            for player in entrant.players
        ]

    def present(self, number: int, section: str | None = None) -> list[Entrant]:
        """Return the entrants who can be seated in a round, with house players to minimise byes.

        They are those of a `section`, or of all of them.
        """
        if section is None:
            return [entrant for name in self.sections for entrant in self.present(number, name)]
        here = [entrant for entrant in self.here(number) if self.section_of(entrant) == section]
        playing = [entrant for entrant in here if not entrant.house]
        house = (
            [entrant for entrant in here if entrant.house] if self.settings.odd == "house" else []
        )
        return playing + house[: self.house_wanted(len(playing), 0, len(house))]

    def house_wanted(self, playing: int, least: int, most: int) -> int:
        """Return how many house players, who fill tables for the club, make the tables full."""
        size = self.rules.side_count
        return min(range(least, most + 1), key=lambda k: ((playing + k) % size, k))

    def here(self, number: int) -> list[Entrant]:
        """Return the entrants who are here for a round, with all house players."""
        return [entrant for entrant in self.entrants.values() if not self.absence(entrant, number)]

    def absence(self, entrant: Entrant, number: int) -> str:
        """Return the reason why an entrant is not here for a round; empty if they are."""
        checked_from = {"none": 0, "once": 1, "round": number}[self.settings.check_in]
        if entrant.withdrawn_at is not None:
            return "withdrawn"
        if entrant.joins_in > number:
            return "joins-later"
        if entrant.house:
            return ""
        team = self.line_ups(number).get(entrant.team, ()) if self.has_line_ups(number) else None
        if team is not None and entrant.key not in team:
            return "reserve" if entrant.team else "no-team"
        if entrant.checked_in < checked_from:
            return "not-checked-in"
        return "left" if team is None and self._was_taken_out(entrant, number) else ""

    @cached_property
    def teams(self) -> Mapping[str, tuple[str, ...]]:
        """Return the members of each team by key, in order of numbers; house players have none."""
        members = [row for row in self.entrants.values() if row.team and not row.house]
        return {
            team: tuple(row.key for row in members if row.team == team)
            for team in sorted({row.team for row in members}, key=fold_name)
        }

    def has_line_ups(self, number: int) -> bool:
        """Return whether only the line-ups of the teams play in a round."""
        return self.settings.line_up > 0 and number <= self.settings.rounds

    def line_ups(self, number: int) -> Mapping[str, tuple[str, ...]]:
        """Return who of each team plays in a round, by key, in order of numbers.

        They are those who sit in a published round, or whom the team has named; else those of the
        round before, filled up in order of numbers.
        """
        if number not in self._line_ups:
            before = self.line_ups(number - 1) if number > 1 else {}
            self._line_ups[number] = {
                team: self._line_up(team, number, before.get(team, ())) for team in self.teams
            }
        return self._line_ups[number]

    @cached_property
    def _line_ups(self) -> dict[int, dict[str, tuple[str, ...]]]:
        return {}

    def _line_up(self, team: str, number: int, before: Sequence[str]) -> tuple[str, ...]:
        members = self.teams[team]
        sit = next((r.names for r in self.seated_rounds if r.row.number == number), None)
        if sit is not None and self.seated_rounds[number - 1].row.published_at:
            return tuple(key for key in members if key in sit)
        named = self.tournament.line_ups.get(str(number), {}).get(team)
        if named is None:
            rows = [self.entrants[key] for key in members]
            free = [r.key for r in rows if r.withdrawn_at is None and r.joins_in <= number]
            named = sorted(free, key=lambda key: key not in before)[: self.settings.line_up]
        return tuple(key for key in members if key in named)[: self.settings.line_up]

    def _was_taken_out(self, entrant: Entrant, number: int) -> bool:
        """Return whether a director took them out of the last round, and nothing brought them back.

        Publishing, coming late and checking in all raise `checked_in`; taking out resets it.
        """
        if entrant.checked_in:
            return False
        proposed = next(
            (seated.row for seated in self.seated_rounds if seated.row.number == number), None
        )
        if proposed is not None and entrant.key in (proposed.seating or {}).get("left", ()):
            # Taken out of this round before it was taken back.
            return True
        before = [seated for seated in self.seated_rounds if seated.row.number < number]
        last = next((seated for seated in reversed(before) if seated.row.published_at), None)
        if last is None or entrant.joins_in > last.row.number:
            return False
        return entrant.key not in last.names


def digest_after(state: TournamentState, number: int) -> str:
    """Return the digest of the standings after a round: that of the tournament once it is over.

    It is empty as long as the round is not closed.
    """
    rounds = {seated.row.number: seated.row.digest for seated in state.seated_rounds}
    whole = state.tournament.digest if number == max(rounds, default=0) else ""
    return whole or rounds.get(number, "")


def tables_of(state: TournamentState) -> dict[tuple[int, str], int]:
    """Return the number of each entrant's table, by number of the published round and key."""
    return {
        (seated.row.number, key): table.number
        for seated in state.seated_rounds
        if seated.row.published_at
        for table in seated.tables
        for key in table.entrants
    }


def weights_of(settings: TournamentSettings) -> Weights:
    """Return what a seating weighs; where finals follow, the leaders meet there."""
    return weights_for(
        settings.objective, leaders_last=settings.leaders_last and not settings.finals
    )


def field_of(
    state: TournamentState, number: int, seated: Iterable[Entrant] | None = None
) -> PairingField:
    """Return the field that round `number` is seated from: entrants with results so far.

    `seated` are the entrants to seat, if that is decided already. Where teams have line-ups,
    players of one team are not to meet.
    """
    settings = state.settings
    points = {row.entrant: row.points for row in state.standings_before(number)}
    present = list(state.present(number) if seated is None else seated)
    mates: dict[str, list[str]] = defaultdict(list)
    for entrant in present if state.has_line_ups(number) else ():
        if entrant.team and not entrant.house:
            mates[entrant.team].append(entrant.key)
    # The first of each team, then the second of each: in this order, tables are of several teams.
    board = {key: at for keys in mates.values() for at, key in enumerate(keys)}
    present.sort(key=lambda entrant: board.get(entrant.key, len(board) if board else 0))
    keys = {entrant.key for entrant in present}
    before = (drawn.seats for drawn in state.seated_rounds if drawn.row.number < number)
    return PairingField(
        entrants=tuple(
            Seated(
                entrant.key,
                points.get(entrant.key, 0),
                entrant.represents,
                entrant.preferred_table or 0,
            )
            for entrant in present
        ),
        rounds=tuple(played.among(keys) for played in before),
        rounds_left=max(1, settings.rounds - number + 1),
        avoid=tuple(pair for keys in mates.values() for pair in combinations(keys, 2)),
        table_size=state.rules.side_count,
        separate_clubs=settings.separate_clubs,
        score_before_seats=settings.score_before_seats,
        weights=weights_of(settings),
        seed=state.tournament.seed,
    )


def load_state(tournament: Tournament) -> TournamentState:
    """Load a tournament with seatings, results and rulings (5 queries, however large)."""
    return load_states([tournament])[0]


def load_states(tournaments: Sequence[Tournament]) -> list[TournamentState]:
    """Load several tournaments as `load_state` does (5 queries, however many and large)."""
    events = [row.event_id for row in tournaments]
    rows = Entrant.objects.filter(tournament__in=tournaments, waiting=False)
    rows = rows.select_related("player", "partner")
    entrants: dict[int, list[Entrant]] = defaultdict(list)
    for entrant in rows:
        entrants[entrant.tournament_id].append(entrant)
    keys = {entrant.pk: entrant.key for those in entrants.values() for entrant in those}
    rulings = Prefetch("rulings", RulingRow.objects.filter(withdrawn_at=None))
    # By round, ordered by table and side, those who are out first. Plain tuples: model instances
    # cost five times as much, and there are thousands of rows.
    sittings: dict[int, list[Sat]] = defaultdict(list)
    sat = Sitting.objects.filter(round__event__in=events).order_by("side")
    for round_pk, table, number, entrant_pk in sat.values_list(
        "round_id", "table_id", "table__number", "entrant_id"
    ):
        sittings[round_pk].append((number or 0, table, keys[entrant_pk]))
    rounds: dict[int, list[SeatedRound]] = defaultdict(list)
    rows_of_rounds = Round.objects.filter(event__in=events).with_hiding().order_by("number")
    for round_ in rows_of_rounds.prefetch_related(rulings):
        rounds[round_.event_id].append(_drawn(round_, sittings[round_.pk]))
    games = Game.objects.filter(table__round__event__in=events, result__isnull=False)
    played: dict[int | None, Any] = dict(games.values_list("table_id", "result"))
    return [
        TournamentState(
            row,
            {entrant.key: entrant for entrant in entrants[row.pk]},
            seated := tuple(rounds[row.event_id]),
            tuple(_result(drawn, played, keys) for drawn in seated if drawn.row.published_at),
        )
        for row in tournaments
    ]


def corrected_tables(tournament: Tournament) -> set[int]:
    """Return the tables whose sheets were changed after their round was closed (1 query)."""
    closed = F("game__table__round__closed_at")
    rows = Revision.objects.filter(game__table__round__event=tournament.event_id, at__gt=closed)
    return set(rows.values_list("game__table", flat=True))


def _drawn(round_: Round, sittings: Sequence[Sat]) -> SeatedRound:
    if round_.published_at is None:
        seating = round_.seating or {"tables": [], "byes": []}
        proposed = enumerate(seating["tables"], 1)
        drawn = tuple(DrawnTable(None, number, tuple(names)) for number, names in proposed)
        return SeatedRound(round_, drawn, tuple(seating["byes"]))
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
    return SeatedRound(round_, laid, tuple(sorted(byes, key=lambda key: int(key[1:]))))


def _result(
    seated_round: SeatedRound,
    played: Mapping[int | None, Mapping[str, Any]],
    keys: Mapping[int, str],
) -> RoundResults:
    tables = tuple(_table_result(table, played.get(table.pk)) for table in seated_round.tables)
    rulings = tuple(
        Ruling(keys[row.entrant_id], row.kind, number_of(row.points) or 0)
        for row in seated_round.row.rulings.all()
    )
    return RoundResults(seated_round.row.number, tables, seated_round.byes, rulings)


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
        unplayed=number_of(result.get("unplayed", 0)) or 0,
    )


def seconds_used(round_: Round, at: datetime) -> int:
    """Return for how many seconds the clock of a round has run at `at`."""
    running = 0
    if round_.clock_started_at is not None:
        running = max(0, int((at - round_.clock_started_at).total_seconds()))
    return round_.clock_used + running


def seconds_left(round_: Round, at: datetime, extra: int = 0) -> int | None:
    """Return the seconds left for a table with `extra`, negative after the end; None: no clock.

    A round not yet open has its whole time left, a closed one none.
    """
    if round_.clock_seconds is None or round_.closed_at is not None:
        return None
    return round_.clock_seconds + extra - seconds_used(round_, at)


def next_round(tournament: Tournament) -> int:
    """Return the number of the next round that can still be seated."""
    last = tournament.event.rounds.aggregate(last=Max("number", filter=_SEATED))["last"]
    return (last or 0) + 1


_SEATED = Q(published_at__isnull=False)
