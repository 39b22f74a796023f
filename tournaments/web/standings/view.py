"""The page of the standings, cached until a relevant round changes."""

from dataclasses import asdict, dataclass
from datetime import datetime
from hashlib import sha256

from django.core.cache import caches
from django.db.models import F, OuterRef, Subquery, Sum
from django.db.models.functions import Coalesce
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from tournaments.models import AuditEntry, Game, Tournament
from tournaments.models.tournaments import TournamentQuerySet
from tournaments.presenters.standings.marks import marks_of
from tournaments.presenters.standings.standings import TEAM_TIES, round_label, standings_seen
from tournaments.queries.tournaments.state import TournamentState, load_state
from tournaments.queries.tournaments.steps import current_round
from tournaments.web.standings.standings_table import mark_shown, standings_table

KEPT_SECONDS = 24 * 60 * 60
ONE_GAME = 1_000_000

Version = tuple[int, ...]
"""The version of standings."""


@dataclass(frozen=True, slots=True)
class StandingsQuery:
    """The requested standings: after round `after` (None: current), or of round `only` alone.

    `directs` is true for directors, who also see hidden rounds; `section` is empty for all.
    """

    directs: bool
    after: int | None = None
    only: int | None = None
    section: str = ""


@dataclass(frozen=True, slots=True)
class RoundSeen:
    """The round that pages link to."""

    number: int
    published_at: datetime | None


@dataclass(frozen=True, slots=True)
class StandingsFragment:
    """The standings as a fragment, and the round that pages link to."""

    html: SafeString
    round: RoundSeen | None


def version_of(tournament: Tournament) -> Version:
    """Return the version of the standings without reading them (1 query)."""
    ((_row, version),) = with_versions(Tournament.objects.filter(pk=tournament.pk))
    return version


def with_versions(rows: TournamentQuerySet) -> list[tuple[Tournament, Version]]:
    """Return each tournament with the version of its standings (1 query).

    Finishing or correcting a sheet changes a sum over all finished sheets: of their keys, each
    weighted by its revision, so that two sheets cannot cancel out. Changed names have an audit
    entry; every other change raises the revision of the tournament.
    """
    games = Game.objects.filter(table__round__event=OuterRef("event"), result__isnull=False)
    by_event = games.order_by().values("table__round__event")
    names = AuditEntry.objects.filter(club=OuterRef("event__club"), kind=AuditEntry.Kind.PLAYER)
    found = rows.annotate(
        written=Coalesce(
            Subquery(by_event.annotate(n=Sum(F("pk") * (F("revision") + ONE_GAME))).values("n")), 0
        ),
        named=Coalesce(Subquery(names.order_by("-pk").values("pk")[:1]), 0),
    )
    details = ("pk", "revision", "written", "named")
    return [(row, tuple(getattr(row, name) for name in details)) for row in found]


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
        place = current_round(seen)
        leads_to = None if place is None else RoundSeen(place.number, place.published_at)
        kept = StandingsFragment(_render(state, asked), leads_to)
        caches["pages"].set(key, kept, KEPT_SECONDS)
    return kept


def _render(state: TournamentState, asked: StandingsQuery) -> SafeString:
    seen = standings_seen(state, **asdict(asked))
    marks = marks_of(seen)
    page = {
        "tournament": state.tournament,
        "event": state.tournament.event,
        "club": state.tournament.event.club,
        "sections": state.settings.section_names,
        "section": seen.section,
        "only": seen.only,
        "pinned": seen.after if seen.after < seen.last else 0,
        "after": seen.after,
        "rounds": [(n, round_label(state, n)) for n in range(1, seen.last + 1)],
        "hidden": seen.hidden,
        "table": standings_table(seen, marks) if seen.rows else "",
        "legend": [(mark_shown(mark), text) for mark, text in marks.legend],
        "teams": seen.teams,
        "team_rounds": seen.team_rounds,
        "team_ties": TEAM_TIES,
    }
    return render_to_string("tournaments/standings/_standings.html", page)
