"""The standings as a visitor may see them: the rounds that count, and the stages reached."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournaments.engine.rules.rulesets import InvalidEntry
from tournaments.engine.standings.season_sums import TeamStanding, team_standings
from tournaments.engine.standings.standings import Standing
from tournaments.engine.standings.tie_breaks import TIE_BREAKS
from tournaments.queries.tournaments.state import TournamentState
from tournaments.texts.labels import stage_name

TEAM_TIES = gettext_lazy(
    "Each round counts what the line-up made; penalties come off the sum. Between equal teams: more"
    " rounds won, then the better best round."
)


TIE_BREAK_NOTES: Mapping[str, str | Promise] = {
    "total-points": gettext_lazy(
        "Points of the games: a game that was stopped is raised or lowered for its whole table, to"
        " the sum of a whole game."
    ),
    "opponents": gettext_lazy("Buchholz: the average of the points of all whom one has met."),
}


def tie_break_name(name: str) -> str:
    """Return the name of a tie-break; an unknown one keeps its stored name."""
    return _(TIE_BREAKS[name].label) if name in TIE_BREAKS else name


@dataclass(frozen=True, slots=True)
class Seen:
    """The standings that a visitor may see.

    They are those after round `after`, or those of round `only` alone. `last` is the latest round
    that counts for them, and `hidden` is set if a later round is kept back. `rounds` are the
    numbers of those with a column. `section` is set if they are those of a section alone.
    """

    state: TournamentState
    rows: tuple[Standing, ...]
    last: int
    after: int
    only: int | None
    hidden: bool
    section: str = ""

    @property
    def sections(self) -> list[tuple[str, list[Standing]]]:
        """Return the rows of each section; a single one without a name if there are none."""
        return [(name, list(rows)) for name, rows in groupby(self.rows, lambda row: row.section)]

    @property
    def until(self) -> int:
        """Return the last round with a column of its own and a stage reached.

        A round alone has neither.
        """
        return 0 if self.only else self.after

    @property
    def rounds(self) -> list[int]:
        seated = (each.row.number for each in self.state.seated_rounds)
        return [number for number in seated if number <= self.until]

    @property
    def teams(self) -> tuple[TeamStanding, ...]:
        """Return the standings of the teams; those of line-ups end before the finals.

        A round or a section alone has none.
        """
        if self.only or self.section:
            return ()
        if not self.state.settings.line_up:
            return team_standings(self.rows, self.state.competitors)
        last = min(self.after, self.state.settings.rounds)
        rows = self.state.standings_before(last + 1)
        return team_standings(rows, self.state.competitors, by_rounds=True)

    @property
    def team_rounds(self) -> list[int]:
        """Return the rounds with a column in the standings of the teams: those of line-ups."""
        settings = self.state.settings
        return [n for n in self.rounds if n <= settings.rounds] if settings.line_up else []

    @property
    def tie_breaks(self) -> list[tuple[int, str]]:
        """Return index and name of each tie-break that has a value for anybody."""
        return [
            (at, tie_break_name(name))
            for at, name in enumerate(self.state.settings.tie_breaks)
            if any(row.tie_breaks[at] is not None for row in self.rows)
        ]

    @property
    def tie_break_notes(self) -> list[str]:
        """Return how tie-breaks count what their names do not say."""
        settings = self.state.settings
        if settings.tie_break_version == 1:
            return []
        stopped = any(
            table.unplayed
            for played in self.state.results
            if played.number <= self.last
            for table in played.tables
        )
        names = [settings.tie_breaks[at] for at, _title in self.tie_breaks]
        matter = {"total-points": stopped, "opponents": True}
        return [str(TIE_BREAK_NOTES[name]) for name in names if matter.get(name)]


def standings_seen(
    state: TournamentState,
    *,
    directs: bool,
    after: int | None = None,
    only: int | None = None,
    section: str = "",
) -> Seen:
    """Return the standings for a director of the tournament, or for anybody else.

    Of a `section` that the tournament does not have there are no rows.
    """
    last = last_counted(state, directs=directs)
    after = min(after or last, last)
    only = only if only and only <= last else None
    rows = state.standings_of(only) if only else state.standings_before(after + 1)
    if section:
        rows = tuple(row for row in rows if row.section == section)
    hidden = hides(state) and not directs
    return Seen(state, rows, last, after, only, hidden, section)


def last_counted(state: TournamentState, *, directs: bool) -> int:
    """Return the last round that counts for a visitor, before any hidden one."""
    rounds = [each.row for each in state.seated_rounds if each.row.published_at]
    last = rounds[-1].number if rounds else 0
    hidden = () if directs else (row.number for row in rounds if row.hides_results)
    return min([last, *(number - 1 for number in hidden)])


def last_closed(state: TournamentState, *, directs: bool) -> int:
    """Return the last closed round that counts for a visitor; 0 before there is one."""
    counted = last_counted(state, directs=directs)
    closed = (each.row.number for each in state.seated_rounds if each.row.closed_at is not None)
    return max((number for number in closed if number <= counted), default=0)


def hides(state: TournamentState) -> bool:
    """Return whether the standings are hidden, because a last round is on."""
    return any(each.row.hides_results for each in state.seated_rounds)


def round_label(state: TournamentState, number: int) -> str:
    """Return the label of a round: its number, or its stage of the finals."""
    stages = state.stages
    stage = number - state.settings.rounds - 1
    return stage_name(stages[stage]) if 0 <= stage < len(stages) else str(number)


@dataclass(frozen=True, slots=True)
class Reached:
    """The stage that an entrant plays in, or is `through` to."""

    stage: str
    through: bool


def stages_reached(state: TournamentState, after: int) -> dict[str, Reached]:
    """Return the stage reached after round `after`, by key of the entrants in the finals."""
    reached = {
        key: Reached(seated.row.stage, through=False)
        for seated in state.seated_rounds
        if seated.row.stage and seated.row.number <= after
        for table in seated.tables
        for key in table.entrants
    }
    return reached | _through(state, after)


def _through(state: TournamentState, after: int) -> dict[str, Reached]:
    """Return who plays on after a finished round, by the published next round or a preview."""
    if not state.stages or not state.settings.rounds <= after <= len(state.seated_rounds):
        return {}
    if after == 0 or state.seated_rounds[after - 1].row.closed_at is None:
        return {}
    if after < len(state.seated_rounds) and state.seated_rounds[after].row.published_at is not None:
        row, tables = state.seated_rounds[after].row, state.seated_rounds[after].tables
        return {key: Reached(row.stage, through=True) for each in tables for key in each.entrants}
    try:
        stage = state.next_final(after + 1)
    except (InvalidEntry, ValueError):
        # Too few are left, or a ruling opened a table again; the director will notice.
        return {}
    if stage is None:
        return {}
    return {key: Reached(stage.name, through=True) for each in stage.tables for key in each}
