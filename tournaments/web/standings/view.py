"""The standings as their page shows them: which rounds count for whom, kept until one changes."""

from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from django.core.cache import caches
from django.db.models import F, OuterRef, Subquery, Sum
from django.db.models.functions import Coalesce
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from tournaments.engine.season_sums import team_standings
from tournaments.models import AuditLine, Game, Tournament
from tournaments.models.tournaments import TournamentQuerySet
from tournaments.queries.steps import current_round
from tournaments.queries.tournaments import Course, load_course
from tournaments.telling.standings import round_label, standings_seen
from tournaments.web.standings.standings_table import standings_table

KEPT_SECONDS = 24 * 60 * 60
ONE_GAME = 1_000_000

Version = tuple[int, ...]
"""What standings depend on."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Which standings: those after round `after` (None: as they are now), of round `only` alone.

    `directs` is whether a director asks, to whom nothing is hidden.
    """

    directs: bool
    after: int | None = None
    only: int | None = None


@dataclass(frozen=True, slots=True)
class RoundSeen:
    """The round to which the way through the pages leads."""

    number: int
    published_at: datetime | None


@dataclass(frozen=True, slots=True)
class Shown:
    """The standings as a fragment, and the round to which the pages lead."""

    html: SafeString
    round: RoundSeen | None


def version_of(tournament: Tournament) -> Version:
    """What the standings depend on, told without reading them (1 query)."""
    ((_row, version),) = with_versions(Tournament.objects.filter(pk=tournament.pk))
    return version


def with_versions(rows: TournamentQuerySet) -> list[tuple[Tournament, Version]]:
    """Each tournament with what its standings depend on (1 query).

    A sheet that is finished, or corrected afterwards, changes the sum over all that are: of their
    keys, each weighed with its revision, so that no sheet stands for another one; names change
    with a line in the audit; everything else raises the revision of the tournament.
    """
    games = Game.objects.filter(table__round__event=OuterRef("event"), result__isnull=False)
    by_event = games.order_by().values("table__round__event")
    names = AuditLine.objects.filter(club=OuterRef("event__club"), kind=AuditLine.Kind.PLAYER)
    found = rows.annotate(
        written=Coalesce(
            Subquery(by_event.annotate(n=Sum(F("pk") * (F("revision") + ONE_GAME))).values("n")), 0
        ),
        named=Coalesce(Subquery(names.order_by("-pk").values("pk")[:1]), 0),
    )
    told = ("pk", "revision", "written", "named")
    return [(row, tuple(getattr(row, name) for name in told)) for row in found]


def standings_shown(tournament: Tournament, asked: Asked, version: Version) -> Shown:
    """The standings, kept by this process until something changes (5 queries, kept none)."""
    said = repr((version, asked, get_language()))
    key = f"standings-{sha256(said.encode()).hexdigest()}"
    kept: Shown | None = caches["pages"].get(key)
    if kept is None:
        course = load_course(tournament)
        seen = (each.row for each in course.drawn if asked.directs or each.row.published_at)
        place = current_round(seen)
        leads_to = None if place is None else RoundSeen(place.number, place.published_at)
        kept = Shown(_render(course, asked), leads_to)
        caches["pages"].set(key, kept, KEPT_SECONDS)
    return kept


def _render(course: Course, asked: Asked) -> SafeString:
    seen = standings_seen(course, directs=asked.directs, after=asked.after, only=asked.only)
    page = {
        "tournament": course.tournament,
        "event": course.tournament.event,
        "club": course.tournament.event.club,
        "only": seen.only,
        "after": seen.after,
        "rounds": [(n, round_label(course, n)) for n in range(1, seen.last + 1)],
        "hidden": seen.hidden,
        "table": standings_table(seen) if seen.rows else "",
        "teams": [] if seen.only else team_standings(seen.rows, course.competitors),
    }
    return render_to_string("tournaments/_standings.html", page)
