"""What pages of standings and leagues show, as HTML and sentences; the views are in `views.py`.

`standings_fragment` and `league_html` return cached fragments, `why_page` explains a place.
Templates would take ten times as long for 400 rows and escape each figure five times: the tables
are joined here, and only names and texts are escaped.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from hashlib import sha256
from typing import Any

from django.core.cache import caches
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext_lazy, ngettext, pgettext
from django.utils.translation import gettext as _

from tournaments.engine.rules.rulesets import Points
from tournaments.engine.standings.standings import Decision, Reason, RoundReasons, Standing
from tournaments.models import Season, Tournament
from tournaments.queries.player_pages import named_player
from tournaments.queries.standings import (
    LEGEND,
    TEAM_TIES,
    League,
    LeagueReader,
    Mark,
    Reached,
    Seen,
    last_closed,
    league_of,
    marks_of,
    places_before,
    round_label,
    stages_reached,
    standings_seen,
    tie_break_name,
    why_placed,
)
from tournaments.queries.state import TournamentState, tables_of
from tournaments.queries.steps import Version, current_round
from tournaments.services.events.events import dates_of
from tournaments.texts.labels import points_text, section_name, stage_name
from tournaments.web.tournaments.views import TournamentPage

Query = dict[str, Any]
"""The requested standings, as `standings_seen` takes them.

Without `after` or `only`, they are those after the last closed round, or the current ones before.
"""

Played = Sequence[tuple[Tournament, Version]]

ReasonText = Callable[[Mapping[str, str], Mapping[str, Points]], str]

MOVED = "tournaments/tournaments/_moved.html"
KEPT_SECONDS = 24 * 60 * 60


def standings_fragment(
    shared: TournamentPage, query: Query
) -> tuple[SafeString, dict[str, Any] | None]:
    """Return the standings as a fragment, and the round that pages link to.

    Cached by this process until a change (5 queries or none).
    """
    content = repr((shared.version, query, get_language()))
    key = f"standings-{sha256(content.encode()).hexdigest()}"
    cached: tuple[SafeString, dict[str, Any] | None] | None = caches["pages"].get(key)
    if cached is None:
        state = shared.state
        seen = (
            seated.row
            for seated in state.seated_rounds
            if query["directs"] or seated.row.published_at
        )
        round_ = current_round(seen)
        link: dict[str, Any] | None = None
        if round_ is not None:
            link = {"number": round_.number, "published_at": round_.published_at}
        cached = _render(state, query), link
        caches["pages"].set(key, cached, KEPT_SECONDS)
    return cached


def _render(state: TournamentState, query: Query) -> SafeString:
    closed = last_closed(state, directs=query["directs"])
    seen = standings_seen(state, **(query | {"after": query["after"] or closed}))
    (marks, byes), default = marks_of(seen), closed or seen.last
    # An example of each kind of marks that occurs.
    examples = {mark["kind"]: mark for those in marks.values() for mark in those}
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
        "table": standings_table(seen, marks, byes, pinned) if seen.rows else "",
        "notes": seen.tie_break_notes,
        "legend": [
            (mark_html(examples[kind]), str(text))
            for kind, text in LEGEND.items()
            if kind in examples
        ],
        "teams": seen.teams,
        "team_rounds": seen.team_rounds,
        "team_ties": TEAM_TIES,
    }
    return render_to_string("tournaments/standings/_standings.html", page)


def standings_table(
    seen: Seen, marks: Mapping[str, list[Mark]], byes: Mapping[str, list[int]], pinned: int
) -> SafeString:
    """Return the rows as HTML, with a column for each of their rounds.

    Names lead to the sum after the same round: the one to show by default, or the `pinned` one.
    """
    state, rounds, tie_breaks = seen.state, seen.rounds, seen.tie_breaks
    labels = [round_label(state, number) for number in rounds]
    head = "".join(_head(labels, [title for _n, title in tie_breaks]))
    text = cache(points_text)
    moved = cache(lambda change: render_to_string(MOVED, {"moved": change}).strip())
    places = {} if seen.only else places_before(state, seen.after)
    reached = stages_reached(state, seen.until)
    sheets: defaultdict[str, dict[int, int]] = defaultdict(dict)
    for (number, entrant), at in tables_of(state).items():
        sheets[entrant][number] = at

    def played(row: Standing) -> str:
        points = zip(rounds, row.by_round, strict=False)
        return _rounds(points, sheets[row.entrant], byes.get(row.entrant, ()), text)

    def line(row: Standing, at: int) -> str:
        change = places[row.entrant] - row.place if row.entrant in places else None
        move = f' <span class="moved small">{moved(change)}</span>' if places else ""
        return (
            f'<tr id="{row.entrant}" role="row">'
            f'<td role="cell" class="num rank">{row.place}{"=" if row.shared else ""}{move}</td>'
            f"{_name(state, row.entrant, query, reached.get(row.entrant), marks[row.entrant])}"
            f"{played(row)}"
            f'<td role="cell" class="num points">{text(row.points)}</td>'
            f"{_cells('tie', [row.tie_breaks[n] for n, _title in tie_breaks], text)}</tr>"
            f"{cut if at == last_through else ''}"
        )

    last_through = cut_of(seen)
    query = f"?after={pinned}" if pinned else ""
    columns = 3 + len(rounds) + len(tie_breaks)
    cut_text = (
        _("The first %(number)s go to the finals")
        if len(state.stages) > 1
        else _("The first %(number)s go to the final")
    )
    cut = (
        f'<tr role="row" class="cut"><td role="cell" colspan="{columns}">'
        f"{escape(cut_text % {'number': last_through})}</td></tr>"
    )
    body = "".join(
        _section(section, columns) + "".join(map(line, rows, range(1, len(rows) + 1)))
        for section, rows in seen.sections
    )
    # Roles, as the style of a phone makes lines of the rows.
    table = (
        f'<table role="table" class="standings of-rounds"><thead role="rowgroup">{head}</thead>'
        f'<tbody role="rowgroup">{body}</tbody></table>'
    )
    return SafeString(table)


def cut_of(seen: Seen) -> int:
    """Return how many of each section would play the finals now; 0 once they are seated."""
    settings = seen.state.settings
    return 0 if seen.only or seen.after >= settings.rounds else settings.finals


def _section(section: str, columns: int) -> str:
    """Return the line above the rows of a section; nothing without sections."""
    if not section:
        return ""
    text = escape(section_name(section))
    return (
        f'<tr role="row" class="section"><th role="rowheader" scope="rowgroup" colspan="{columns}">'
        f"{text}</th></tr>"
    )


def _head(rounds: Iterable[str], tie_breaks: Iterable[str]) -> Iterator[str]:
    yield '<tr role="row">'
    yield f'<th role="columnheader" class="num">{escape(pgettext("in standings", "Place"))}</th>'
    yield f'<th role="columnheader">{escape(_("Name"))}</th>'
    for label in rounds:
        yield f'<th role="columnheader" class="num round">{escape(label)}</th>'
    yield f'<th role="columnheader" class="num">{escape(_("Points"))}</th>'
    for title in tie_breaks:
        yield f'<th role="columnheader" class="num tie">{escape(title)}</th>'
    yield "</tr>"


def _name(
    state: TournamentState,
    key: str,
    query: str,
    reached: Reached | None,
    marks: Iterable[dict[str, Any]],
) -> str:
    entrant = state.entrants[key]
    more = " · ".join(filter(None, (entrant.team, entrant.represents)))
    name = f'<a href="{entrant.number}/{query}">{escape(entrant.shown_name)}</a>'
    soft = f' <span class="soft small">{escape(more)}</span>' if more else ""
    marked = "".join(f" {mark_html(mark)}" for mark in marks)
    return f'<th role="rowheader" scope="row">{name}{_stage(reached)}{soft}{marked}</th>'


def mark_html(mark: dict[str, Any]) -> SafeString:
    return format_html('<span class="mark {}">{}</span>', mark["kind"], mark["text"])


def _stage(reached: Reached | None) -> str:
    if reached is None:
        return ""
    stage = stage_name(reached.stage)
    if not reached.through:
        return f' <span class="stage">{escape(stage)}</span>'
    text = escape(_("through to: %(stage)s") % {"stage": stage})
    return f' <span class="stage through" title="{text}">→ {escape(stage)}</span>'


def _rounds(
    points: Iterable[tuple[int, Points | None]],
    sheets: Mapping[int, int],
    byes: Collection[int],
    text: Callable[[Points], str],
) -> str:
    """Return the points of each round, which lead to the sheet; those of a bye are in italics."""
    cells = []
    for number, value in points:
        cell = "–" if value is None else text(value)
        if number in byes:
            cell = f"<i>{cell}</i>"
        elif table := sheets.get(number):
            cell = f'<a href="../rounds/{number}/tables/{table}/sheet/">{cell}</a>'
        cells.append(f'<td role="cell" class="num round">{cell}</td>')
    return "".join(cells)


def _cells(kind: str, values: Iterable[Points | None], text: Callable[[Points], str]) -> str:
    return "".join(
        f'<td role="cell" class="num {kind}">{"–" if value is None else text(value)}</td>'
        for value in values
    )


def league_html(season: Season, played: Played, reader: LeagueReader) -> SafeString:
    """Return the league as a fragment, cached by this process until a change (5 queries or none).

    `played` are the tournaments of the season visible to the reader, the first one first.
    """
    versions = [version for _row, version in played]
    named = season.club.shows_names
    content = repr((season.pk, dates_of(season), versions, reader, named, get_language()))
    key = f"league-{sha256(content.encode()).hexdigest()}"
    cached: SafeString | None = caches["pages"].get(key)
    if cached is None:
        found = league_of(season, ([row for row, _version in played]), reader)
        page = {
            "club": season.club,
            "season": season,
            "evenings": found.evenings,
            "finals": found.finals,
            "added": found.added,
            "mixed": found.mixed,
            "directs": reader.directs,
            "table": _league_table(season, found, reader) if found.rows else "",
        }
        cached = render_to_string("tournaments/standings/_league.html", page)
        caches["pages"].set(key, cached, KEPT_SECONDS)
    return cached


def _league_table(season: Season, found: League, reader: LeagueReader) -> SafeString:
    text = cache(points_text)
    head = [
        f'<tr><th scope="col" class="num">{escape(pgettext("in standings", "Place"))}</th>',
        f'<th scope="col">{escape(_("Name"))}</th>',
        f'<th scope="col" class="num">{escape(_("Points"))}</th>',
    ]
    for evening in found.evenings:
        event = evening["tournament"].event
        at = reverse("standings", args=[season.club.slug, evening["tournament"].slug])
        day = escape(date_format(event.held_on, "MONTH_DAY_FORMAT"))
        head.append(
            f'<th scope="col" class="num round"><a href="{at}" title="{escape(event.name)}">'
            f"{day}</a></th>"
        )
    body = []
    for row in found.rows:
        player = found.people[row.player]
        if player.removed_at is not None:
            name = f'<span class="soft">{escape(_("removed player"))}</span>'
        else:
            named = named_player(season.club, player, member=reader.member)
            name = escape(named.name)
            name = f'<a href="{named.url}">{name}</a>' if named.url else name
        body.append(
            f'<tr><td class="num rank">{row.place}{"=" if row.shared else ""}</td>'
            f'<th scope="row">{name}</th>'
            f'<td class="num points">{text(row.points)}</td>'
        )
        for number, points in enumerate(row.by_evening):
            if points is None:
                body.append('<td class="num round">–</td>')
            elif number in row.counted:
                body.append(f'<td class="num round">{text(points)}</td>')
            else:
                # Does not count.
                body.append(f'<td class="num round left-out"><s>{text(points)}</s></td>')
        body.append("</tr>")
    return SafeString(
        f'<table class="standings league"><thead>{"".join(head)}</tr></thead>'
        f"<tbody>{''.join(body)}</tbody></table>"
    )


TITLES: Mapping[str, str | Promise] = {
    "all": "",
    "before-finals": gettext_lazy("Before the finals"),
    "finals": gettext_lazy("The finals, from zero"),
}


def why_page(state: TournamentState, key: str, after: int) -> dict[str, Any]:
    """Explain the place of an entrant after round `after`.

    In the finals, a sentence about the stages replaces those about neighbours.

    Raises: KeyError: no entrant with a place has this key.
    """
    found, tables = why_placed(state, key, after), tables_of(state)
    decisions: list[dict[str, Any]] = [{"text": _stages_text(state)}] if found["stage"] else []
    for each in found["decisions"]:
        decision, points = each["decision"], {}
        if decision.tie_break == "opponents":
            rows = state.standings_before(min(after, state.settings.rounds) + 1)
            points = {row.entrant: row.points + row.penalties for row in rows}
        name = state.entrants[decision.other].shown_name
        decisions.append(
            {
                "text": decision_text(decision, name, ahead=each["ahead"]),
                "names": (state.entrants[key].shown_name, name),
                "what": tie_break_name(decision.tie_break) if decision.rounds else "",
                "sums": (decision.own, decision.theirs),
                "rounds": [
                    (
                        round_label(state, number),
                        [
                            (value, _others_of(state, number, who, points))
                            for who, value in ((key, own), (decision.other, theirs))
                        ],
                    )
                    for number, own, theirs in decision.rounds
                ],
            }
        )
    parts = [
        {
            "title": str(TITLES[part["code"]]),
            "lines": [
                {
                    "round": state.seated_rounds[each.number - 1].row,
                    "points": each.points,
                    "reasons": list(_reasons(state, key, each)),
                    "table": tables.get((each.number, key)),
                }
                for each in part["rounds"]
            ],
            "penalties": part["penalties"],
            "points": part["points"],
        }
        for part in found["parts"]
    ]
    stage = stage_name(found["stage"]) if found["stage"] else ""
    return {"standing": found["standing"], "parts": parts, "decisions": decisions, "stage": stage}


def _others_of(state: TournamentState, number: int, key: str, points: Mapping[str, Points]) -> str:
    """Name the opponents of an entrant in a round, each with their `points`, if any."""
    played = next(each for each in state.results if each.number == number)
    names = [
        f"{state.entrants[other].shown_name} {points_text(points[other])}"
        if other in points
        else state.entrants[other].shown_name
        for table in played.tables
        if key in table.entrants
        for other in table.entrants
        if other != key
    ]
    return ", ".join(names)


def _reasons(state: TournamentState, key: str, of: RoundReasons) -> Iterator[str]:
    """Yield the reasons of a round; each ruling with what the director gave as its reason."""
    entrant = state.entrants[key].pk
    rulings = state.seated_rounds[of.number - 1].row.rulings.all()
    given: dict[str, list[str]] = defaultdict(list)
    for ruling in rulings:
        if ruling.entrant_id == entrant:
            given[ruling.kind].append(ruling.reason)
    for reason in of.reasons:
        remarks = given[reason.code]
        text = reason_text(reason)
        yield f"{text} ({remarks.pop(0)})" if remarks else text


def _stages_text(state: TournamentState) -> str:
    if state.rules.side_count == 2:
        return _(
            "Those who came further in the finals are placed before the others; "
            "within a stage the last game decides, then the standings before the finals."
        )
    if state.settings.carry:
        return _(
            "Those who came further in the finals are placed before the others; within a "
            "stage all points decide, then the last table, then the standings before the finals."
        )
    return _(
        "Those who came further in the finals are placed before the others; within a stage "
        "the points of the finals decide, then the last table, then the standings before them."
    )


def reason_text(reason: Reason) -> str:
    params = {name: points_text(value) for name, value in reason.params.items()}
    return REASONS[reason.code](params, reason.params)


REASONS: Mapping[str, ReasonText] = {
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
    "unplayed": lambda p, _n: (
        _("The game was stopped: between equals it counts %(points)s more for each at the table")
        % p
    ),
    "bye-average": lambda p, n: (
        ngettext(
            "Sat out: the average of %(rounds)s round played, %(points)s",
            "Sat out: the average of %(rounds)s rounds played, %(points)s",
            int(n["rounds"]),
        )
        % p
    ),
    "bye-fixed": lambda p, _n: _("Sat out: %(points)s") % p,
    "missed": lambda p, _n: _("Came later: %(points)s") % p,
    "excused": lambda _p, _n: _("The game does not count, as the director has ruled"),
    "forfeit": lambda p, _n: _("Forfeit, as the director has ruled: %(points)s") % p,
    "absent": lambda p, _n: _("Absent, as the director has ruled: %(points)s") % p,
    "adjusted": lambda p, _n: _("Adjusted by the director to %(points)s") % p,
    "penalty": lambda p, _n: _("Penalty: −%(points)s") % p,
}


def decision_text(decision: Decision, name: str, *, ahead: bool) -> str:
    """Return the deciding tie-break against a neighbour called `name`, who is `ahead` or behind."""
    params = {
        "name": name,
        "own": "–" if decision.own is None else points_text(decision.own),
        "theirs": "–" if decision.theirs is None else points_text(decision.theirs),
    }
    if decision.code == "shared":
        return _("The place is shared with %(name)s: nothing decides between them.") % params
    if decision.code == "played":
        return _("Those who have not played come after those who have: %(name)s.") % params
    params["what"] = (
        _("Points") if decision.code == "points" else tie_break_name(decision.tie_break)
    )
    if ahead:
        return _("Behind %(name)s. %(what)s: %(own)s against %(theirs)s.") % params
    return _("Before %(name)s. %(what)s: %(own)s against %(theirs)s.") % params
