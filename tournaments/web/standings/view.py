"""The page of the standings, cached until a relevant round changes."""

from dataclasses import asdict, dataclass, replace
from datetime import datetime
from hashlib import sha256

from django.core.cache import caches
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from tournaments.models import Tournament
from tournaments.presenters.standings.standings import (
    TEAM_TIES,
    last_closed,
    marks_of,
    round_label,
    standings_seen,
)
from tournaments.queries.tournaments.state import TournamentState, load_state
from tournaments.queries.tournaments.steps import Version, current_round
from tournaments.web.standings.standings_table import cut_of, mark_shown, standings_table

KEPT_SECONDS = 24 * 60 * 60


@dataclass(frozen=True, slots=True)
class StandingsQuery:
    """The requested standings: after round `after`, or of round `only` alone.

    Without either, they are those after the last closed round, or the current ones before it.

    `directs` is true for directors, who also see hidden rounds; `section` is empty for all.
    """

    directs: bool
    after: int | None = None
    only: int | None = None
    section: str = ""


@dataclass(frozen=True, slots=True)
class RoundLink:
    """The round that pages link to."""

    number: int
    published_at: datetime | None


@dataclass(frozen=True, slots=True)
class StandingsFragment:
    """The standings as a fragment, and the round that pages link to."""

    html: SafeString
    round: RoundLink | None


def standings_shown(
    tournament: Tournament, asked: StandingsQuery, version: Version
) -> StandingsFragment:
    """Return the standings, cached by this process until a change (5 queries or none)."""
    said = repr((version, asked, get_language()))
    key = f"standings-{sha256(said.encode()).hexdigest()}"
    kept: StandingsFragment | None = caches["pages"].get(key)
    if kept is None:
        state = load_state(tournament)
        seen = (each.row for each in state.seated_rounds if asked.directs or each.row.published_at)
        round_ = current_round(seen)
        leads_to = None if round_ is None else RoundLink(round_.number, round_.published_at)
        kept = StandingsFragment(_render(state, asked), leads_to)
        caches["pages"].set(key, kept, KEPT_SECONDS)
    return kept


def _render(state: TournamentState, asked: StandingsQuery) -> SafeString:
    closed = last_closed(state, directs=asked.directs)
    said = replace(asked, after=asked.after or closed)
    seen = standings_seen(state, **asdict(said))
    marks, default = marks_of(seen), closed or seen.last
    pinned = 0 if seen.after == default else seen.after
    page = {
        "tournament": state.tournament,
        "event": state.tournament.event,
        "club": state.tournament.event.club,
        "sections": state.settings.section_names,
        "section": seen.section,
        "only": seen.only,
        "pinned": pinned,
        "after": seen.after,
        "default": default,
        "live": seen.last if seen.last > closed else 0,
        "rounds": [(n, round_label(state, n)) for n in range(1, seen.last + 1)],
        "hidden": seen.hidden,
        "table": standings_table(seen, marks, pinned) if seen.rows else "",
        "cut": cut_of(seen),
        "notes": seen.tie_break_notes,
        "legend": [(mark_shown(mark), text) for mark, text in marks.legend],
        "teams": seen.teams,
        "team_rounds": seen.team_rounds,
        "team_ties": TEAM_TIES,
    }
    return render_to_string("tournaments/standings/_standings.html", page)
