"""Standings as a visitor may see them, with marks and reasons, and the league of a season."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from typing import Any

from django.db.models import Count, Q, QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext

from tournaments.engine.rules.rulesets import InvalidEntry, Points, whole
from tournaments.engine.standings.results import BYE_AVERAGE, PENALTY, TIE_BREAKS
from tournaments.engine.standings.standings import (
    RoundReasons,
    SeasonStanding,
    Standing,
    TeamStanding,
    evening_points,
    league,
    team_standings,
)
from tournaments.engine.standings.tournament_settings import TournamentSettings
from tournaments.models import Club, Event, Game, Player, Ruling, Season, Tournament, Visitor
from tournaments.models.clubs import DIRECTING, LeaguePoints
from tournaments.models.people import fold_name
from tournaments.models.tournaments import TournamentQuerySet
from tournaments.queries.sheets import Sheet, load_sheets
from tournaments.queries.state import TournamentState, corrected_tables, load_states
from tournaments.queries.steps import PLAYED
from tournaments.texts.labels import MINUS, POINTS, points_text, stage_name


def current_sheets(games: QuerySet[Game]) -> dict[int, Sheet]:
    """Return the current sheet of each table of `games`, with confirmations (3 queries).

    In a match, the current sheet is that of the last game.
    """
    sheets = load_sheets(games.order_by("pk").prefetch_related("confirmations"))
    return {s.row.table_id: s for s in sheets if s.row.table_id is not None}


Added = tuple[str, tuple[Points, ...]]
"""What a tournament adds to a league: its `points`, with the points of places if they count."""


def added_by(settings: TournamentSettings) -> Added:
    return settings.points, settings.place_points if settings.points == "places" else ()


def added_text(added: Iterable[Added]) -> str:
    return ", ".join(
        f"{POINTS[points]} ({'-'.join(map(points_text, worth))})" if worth else str(POINTS[points])
        for points, worth in sorted(added)
    )


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


def places_before(state: TournamentState, after: int) -> dict[str, int]:
    """Return the places of those who had played before round `after`."""
    rows = state.standings_before(after) if after > 1 else ()
    return {row.entrant: row.place for row in rows if row.has_played}


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


@dataclass(frozen=True, slots=True)
class LeagueReader:
    """The visitor: a director sees hidden results, a member the players' pages."""

    member: bool
    directs: bool

    @staticmethod
    def of(role: str | None) -> "LeagueReader":
        """Return the reader with a role in the club, empty or None if no member."""
        return LeagueReader(member=bool(role), directs=role in DIRECTING)


EVERYBODY = LeagueReader(member=False, directs=False)


@dataclass(frozen=True, slots=True)
class League:
    """A season's league: its evenings, the rows by place and name, and the players.

    An evening is a tournament up to its round `last`, with points by player key.
    `added` are the points that it adds, as text; `mixed` ones make no sensible sum.
    """

    evenings: Sequence[dict[str, Any]]
    rows: Sequence[SeasonStanding]
    people: Mapping[str, Player]
    finals: bool
    added: str
    mixed: bool


def seasons_of(club: Club, visitor: Visitor) -> QuerySet[Season]:
    """Return seasons, latest first, with how many of their events (`events_seen`) one may see."""
    seen = Count("events", filter=Q(events__in=Event.objects.listed_for(visitor).values("pk")))
    # Rows that are grouped lose the order of their model.
    return club.seasons.annotate(events_seen=seen).order_by("-starts_on", "-pk")


def tournaments_of(season: Season, visitor: Visitor) -> TournamentQuerySet:
    """Filter to the tournaments of a season's league that a visitor may see, in order."""
    rows = Tournament.objects.counted().seen_by(visitor).filter(event__season=season)
    return rows.select_related("event").order_by("event__held_on", "pk")


def league_of(season: Season, rows: Sequence[Tournament], reader: LeagueReader) -> League:
    """Return the league of a season's tournaments as the visitor may see it (5 queries)."""
    courses = load_states([row for row in rows if row.state in PLAYED])
    people: dict[str, Player] = {}
    by_places = season.league_points == LeaguePoints.EVENING
    evenings = [_evening(state, people, reader, by_places=by_places) for state in courses]
    evenings = [each for each in evenings if each["last"]]
    standings = league([each["points"] for each in evenings], season.league_best)
    # Equal places are sorted by name.
    in_order = sorted(standings, key=lambda row: (row.place, fold_name(people[row.player].name)))
    counted = {added_by(each.settings) for each in courses}
    of_evening = _("places of the evening (1 for coming, and 1 for each behind)")
    return League(
        *(evenings, in_order, people),
        finals=any(state.stages for state in courses) and not by_places,
        added=of_evening if by_places else added_text(counted),
        mixed=len(counted) > 1 and not by_places,
    )


def public_league(club: Club, today: date) -> tuple[Season, League] | None:
    """Return the latest season that has begun, with its league as everybody sees it.

    Up to 7 queries; None without anybody in it.
    """
    season = club.seasons.filter(starts_on__lte=today).select_related("club").first()
    if season is None:
        return None
    found = league_of(season, list(tournaments_of(season, None)), EVERYBODY)
    return (season, found) if found.rows else None


def _evening(
    state: TournamentState, people: dict[str, Player], reader: LeagueReader, *, by_places: bool
) -> dict[str, Any]:
    """Return the points of an evening up to its last closed round; add its players to `people`.

    Points of finals are left out: only some entrants play them, and they may start from zero. The
    places are those after the finals.
    """
    closed = sum(each.row.closed_at is not None for each in state.seated_rounds)
    last = min(closed, last_counted(state, directs=reader.directs))
    made: dict[str, Points] = {}
    if by_places and last:
        made = evening_points(state.standings_before(last + 1))
    elif last:
        last = min(last, state.settings.rounds)
        made = state.points_after(last)
    points: dict[str, Points] = {}
    for key, worth in made.items():
        for player in state.entrants[key].players:
            people[str(player.pk)] = player
            points[str(player.pk)] = whole(points.get(str(player.pk), 0) + worth)
    over = state.tournament.state == Tournament.State.FINISHED
    return {"tournament": state.tournament, "last": last, "points": points, "over": over}


LEGEND: Mapping[str, str | Promise] = {
    "bye": gettext_lazy("Sat out: the points of a bye count."),
    "bye-average": gettext_lazy(
        "Sat out: the average of the rounds played counts, and changes with each of them."
    ),
    "penalty": gettext_lazy("A director’s ruling, taken from the sum."),
    "ruling": gettext_lazy("A director’s ruling on this round."),
    "corrected": gettext_lazy("A sheet was changed after its round was closed."),
    "late": gettext_lazy("Joined later: missed rounds count nothing."),
    "withdrawn": gettext_lazy("No longer plays; the results stay."),
}
"""The kinds of marks in order, with their explanation."""


Mark = dict[str, str]
"""A mark beside a name: its `kind`, a key of `LEGEND`, and its `text`."""


def marks_of(seen: Seen) -> tuple[dict[str, list[Mark]], dict[str, list[int]]]:
    """Return the marks of the standings by entrant, and the rounds that each sat out (1 query)."""
    state, corrected = seen.state, corrected_tables(seen.state.tournament)
    byes: dict[str, list[int]] = defaultdict(list)
    changed: dict[str, list[int]] = defaultdict(list)
    ruled: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    keys = {entrant.pk: key for key, entrant in state.entrants.items()}
    for each in state.seated_rounds:
        number = each.row.number
        counts = number == seen.only if seen.only else number <= seen.after
        if each.row.published_at is None or not counts:
            continue
        for key in each.byes:
            byes[key].append(each.row.number)
        for table in each.tables:
            for key in table.entrants if table.pk in corrected else ():
                changed[key].append(each.row.number)
        for ruling in each.row.rulings.all():
            ruled[keys[ruling.entrant_id]][ruling.kind].append(each.row.number)
    marks = {
        row.entrant: list(
            _marks(state, row, byes[row.entrant], ruled[row.entrant], changed[row.entrant])
        )
        for row in seen.rows
    }
    return marks, byes


def _marks(
    state: TournamentState,
    row: Standing,
    byes: Sequence[int],
    ruled: Mapping[str, Sequence[int]],
    changed: Sequence[int],
) -> Iterator[Mark]:
    entrant = state.entrants[row.entrant]
    if byes:
        kind = "bye-average" if state.settings.bye == BYE_AVERAGE else "bye"
        yield {"kind": kind, "text": _in_rounds(state, pgettext("sits out", "bye"), byes)}
    for ruling, rounds in ruled.items():
        if ruling != PENALTY:
            yield {
                "kind": "ruling",
                "text": _in_rounds(state, str(Ruling.Kind(ruling).label), rounds),
            }
    if row.penalties:
        points = f"{MINUS}{points_text(row.penalties)}"
        yield {"kind": "penalty", "text": _("penalty %(points)s") % {"points": points}}
    if changed:
        yield {"kind": "corrected", "text": _in_rounds(state, _("corrected"), changed)}
    if entrant.joins_in > 1:
        yield {
            "kind": "late",
            "text": _("joined in round %(number)s") % {"number": entrant.joins_in},
        }
    if entrant.withdrawn_at is not None:
        yield {"kind": "withdrawn", "text": _("withdrawn")}


def _in_rounds(state: TournamentState, mark: str, rounds: Sequence[int]) -> str:
    labels = ", ".join(round_label(state, number) for number in rounds)
    said = {"mark": mark, "rounds": labels}
    text = ngettext("%(mark)s: round %(rounds)s", "%(mark)s: rounds %(rounds)s", len(rounds))
    return text % said


SUMS = ("all", "before-finals", "finals")
"""The groups of rounds that are summed: all, or each part if finals start from zero."""


def why_placed(state: TournamentState, key: str, after: int) -> dict[str, Any]:
    """Return the reasons for an entrant's place after round `after`.

    The `parts` are rounds that are added up together, by a code of `SUMS`, less the penalties; the
    `decisions` decided against a neighbour, who is `ahead` or behind. Within the finals the stages
    decide; `stage` is the one reached. Entrants outside the finals keep their place at the cut.

    Raises: KeyError: there is no such entrant with a place.
    """
    standing = {row.entrant: row for row in state.standings_before(after + 1)}[key]
    reached = stages_reached(state, after).get(key)
    in_finals = reached is not None and state.stages_played(after)
    last = after if in_finals else min(after, state.settings.rounds)
    why = state.why(key, last)
    cut = state.settings.rounds
    finals = [each for each in why.rounds if each.number > cut]
    parts: list[tuple[str, Sequence[RoundReasons], Points]]
    parts = [("all", why.rounds, standing.points)]
    if finals and not state.settings.carry:
        at_cut = {row.entrant: row for row in state.standings_before(cut + 1)}[key]
        before = [each for each in why.rounds if each.number <= cut]
        parts = [("before-finals", before, at_cut.points), ("finals", finals, standing.points)]
    decisions = [
        {"decision": decision, "ahead": ahead}
        for decision, ahead in ((why.ahead, True), (why.behind, False))
        if decision is not None and not in_finals
    ]
    return {
        "standing": standing,
        "parts": [
            {"code": code, "rounds": rounds, "points": points, "penalties": _penalties(rounds)}
            for code, rounds, points in parts
        ],
        "decisions": decisions,
        "stage": reached.stage if reached is not None and in_finals else "",
    }


def _penalties(rounds: Iterable[RoundReasons]) -> Points:
    reasons = (reason for each in rounds for reason in each.reasons)
    return whole(sum(reason.params["points"] for reason in reasons if reason.code == "penalty"))
