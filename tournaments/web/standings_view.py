"""The standings as their page shows them: which rounds count for whom, columns, rows, reasons."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from django.core.cache import caches
from django.db.models import Count, OuterRef, Subquery, Sum
from django.db.models.functions import Coalesce
from django.template.loader import render_to_string
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from tournaments.engine.rulesets import Points
from tournaments.engine.season_sums import team_standings
from tournaments.engine.standing_reasons import Decision, Reason
from tournaments.engine.standings import Standing
from tournaments.models import AuditLine, Game, Tournament
from tournaments.tournament_queries import Course, load_course, settings_of
from tournaments.web.seating_view import figure
from tournaments.web.tournament_words import TIE_BREAKS

KEPT_SECONDS = 24 * 60 * 60


@dataclass(frozen=True, slots=True)
class Asked:
    """Which standings: those after round `after` (None: as they are now), of round `only` alone.

    `directs` is whether a director asks, to whom nothing is hidden.
    """

    directs: bool
    after: int | None = None
    only: int | None = None


def version_of(tournament: Tournament) -> tuple[Any, ...]:
    """What the standings depend on, told without reading them (1 query).

    A sheet that is finished, or corrected afterwards, changes number or sum of revisions; names
    change with a line in the audit; everything else raises the revision of the tournament.
    """
    games = Game.objects.filter(table__round__event=OuterRef("event"), result__isnull=False)
    told = games.order_by().values("table__round__event")
    names = AuditLine.objects.filter(club=OuterRef("event__club"), kind=AuditLine.Kind.PLAYER)
    row = Tournament.objects.filter(pk=tournament.pk).values_list(
        "revision",
        Coalesce(Subquery(told.annotate(n=Count("pk")).values("n")), 0),
        Coalesce(Subquery(told.annotate(n=Sum("revision")).values("n")), 0),
        Coalesce(Subquery(names.order_by("-pk").values("pk")[:1]), 0),
    )
    return (tournament.pk, *row.get())


def standings_html(tournament: Tournament, asked: Asked, version: tuple[Any, ...]) -> SafeString:
    """The standings as a fragment, kept by this process until something changes."""
    said = repr((version, asked, get_language()))
    key = f"standings-{sha256(said.encode()).hexdigest()}"
    kept = caches["pages"].get(key)
    if kept is None:
        kept = _render(load_course(tournament), asked)
        caches["pages"].set(key, kept, KEPT_SECONDS)
    return SafeString(kept)


def last_counted(course: Course, *, directs: bool) -> int:
    """The last round that counts for a visitor, or one before what is hidden from them."""
    rounds = [each.row for each in course.drawn if each.row.published_at]
    last = rounds[-1].number if rounds else 0
    if directs or not hides(course):
        return last
    return min(last, course.settings.rounds + len(course.stages) - 1)


def hides(course: Course) -> bool:
    """Whether the standings are hidden: the last round of all is published and not over."""
    number = course.settings.rounds + len(course.stages)
    over = course.tournament.state == Tournament.State.FINISHED
    return (
        settings_of(course.tournament).hide_last
        and not over
        and any(each.row.number == number and each.row.published_at for each in course.drawn)
    )


def _render(course: Course, asked: Asked) -> str:
    last = last_counted(course, directs=asked.directs)
    after = min(asked.after or last, last)
    only = asked.only if asked.only and asked.only <= last else None
    rows = course.standings_of(only) if only else course.standings_before(after + 1)
    rounds = [n for n in (each.row.number for each in course.drawn) if n <= after]
    page = {
        "tournament": course.tournament,
        "event": course.tournament.event,
        "club": course.tournament.event.club,
        "only": only,
        "after": after,
        "rounds": range(1, last + 1),
        "hidden": hides(course) and not asked.directs,
        "table": _table(course, rows, [] if only else rounds) if rows else "",
        "teams": [] if only else team_standings(rows, course.competitors),
    }
    return render_to_string("tournaments/_standings.html", page)


def _table(course: Course, rows: Sequence[Standing], rounds: Sequence[int]) -> SafeString:
    """Put together by hand: a template takes five times as long for 400 rows."""
    asked = [
        (n, str(TIE_BREAKS[name]))
        for n, name in enumerate(course.settings.tie_breaks)
        if any(row.tie_breaks[n] is not None for row in rows)
    ]
    head = format_html(
        '<tr><th scope="col" class="num">{}</th><th scope="col">{}</th>{}'
        '<th scope="col" class="num">{}</th>{}</tr>',
        _("Place"),
        _("Name"),
        format_html_join("", '<th scope="col" class="num round">{}</th>', ((n,) for n in rounds)),
        _("Points"),
        format_html_join("", '<th scope="col" class="num tie">{}</th>', ((t,) for _n, t in asked)),
    )
    body = format_html_join("", "{}", ((_row(course, row, rounds, asked),) for row in rows))
    return format_html(
        '<table class="standings"><thead>{}</thead><tbody>{}</tbody></table>', head, body
    )


def _row(
    course: Course, row: Standing, rounds: Sequence[int], asked: Sequence[tuple[int, str]]
) -> SafeString:
    entrant = course.entrants[row.entrant]
    more = " · ".join(filter(None, (entrant.team, entrant.represents)))
    return format_html(
        '<tr id="{}"><td class="num place">{}</td><th scope="row"><a href="{}/">{}</a>{}</th>{}'
        '<td class="num points">{}</td>{}</tr>',
        row.entrant,
        f"{row.place}{'=' if row.shared else ''}",
        entrant.number,
        entrant.shown_name,
        format_html(' <span class="soft small">{}</span>', more) if more else "",
        _cells("round", row.by_round[: len(rounds)]),
        figure(row.points),
        _cells("tie", [row.tie_breaks[n] for n, _title in asked]),
    )


def _cells(kind: str, values: Sequence[Points | None]) -> SafeString:
    texts = (("–" if value is None else figure(value)) for value in values)
    return format_html_join("", '<td class="num {}">{}</td>', ((kind, text) for text in texts))


def reason_text(reason: Reason) -> str:
    """What stands behind the points of a round, in words."""
    params = {name: figure(value) for name, value in reason.params.items()}
    return REASONS[reason.code](params, reason.params)


Words = Callable[[Mapping[str, str], Mapping[str, Points]], str]

REASONS: Mapping[str, Words] = {
    "total": lambda p, _n: _("Points of the game: %(points)s") % p,
    "place": lambda p, _n: _("Place %(place)s of %(of)s: %(points)s") % p,
    "shared-place": lambda p, _n: (
        _("Places %(place)s to %(last)s of %(of)s, shared by %(sharing)s: %(points)s each") % p
    ),
    "out": lambda p, _n: _("Out: %(points)s") % p,
    "sunk": lambda p, _n: _("Sunk: %(points)s") % p,
    "best": lambda p, _n: _("Best of the table: %(points)s") % p,
    "shared-best": lambda p, _n: _("Best of the table, shared by %(sharing)s: %(points)s each") % p,
    "not-best": lambda p, _n: _("Not the best of the table: %(points)s") % p,
    "difference": lambda p, _n: _("%(own)s against %(others)s of the others: %(points)s") % p,
    "bye-average": lambda p, n: (
        ngettext(
            "Sat out: the average of %(rounds)s round played, %(points)s",
            "Sat out: the average of %(rounds)s rounds played, %(points)s",
            int(n["rounds"]),
        )
        % p
    ),
    "bye-fixed": lambda p, _n: _("Sat out: %(points)s") % p,
    "forfeit": lambda p, _n: _("Forfeit, as the director has ruled: %(points)s") % p,
    "absent": lambda p, _n: _("Absent, as the director has ruled: %(points)s") % p,
    "adjusted": lambda p, _n: _("Adjusted by the director to %(points)s") % p,
    "penalty": lambda p, _n: _("Penalty: −%(points)s") % p,
}


def decision_text(decision: Decision, name: str, *, ahead: bool) -> str:
    """What decided against a neighbour called `name`, who is `ahead` or behind."""
    said = {
        "name": name,
        "own": "–" if decision.own is None else figure(decision.own),
        "theirs": "–" if decision.theirs is None else figure(decision.theirs),
    }
    if decision.code == "shared":
        return _("The place is shared with %(name)s: nothing decides between them.") % said
    if decision.code == "played":
        return _("Who has not played stands behind who has: %(name)s.") % said
    said["what"] = _("Points") if decision.code == "points" else str(TIE_BREAKS[decision.tie_break])
    if ahead:
        return _("Behind %(name)s. %(what)s: %(own)s against %(theirs)s.") % said
    return _("Before %(name)s. %(what)s: %(own)s against %(theirs)s.") % said
