"""The booklet of a tournament: seating, all sheets, and results."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournaments.engine.ratings.ratings import Rating
from tournaments.models import Game, RatingChange, Report, Round, Seat
from tournaments.presenters.standings.standings import Seen, standings_seen
from tournaments.queries.ratings.ratings import shown_points
from tournaments.queries.tournaments.state import TournamentState, load_state
from tournaments.reports.binding import Bookmark
from tournaments.reports.contents import Content, OnProgress
from tournaments.reports.page_family import page_data
from tournaments.reports.round_seats import event_of, hall_heading, names_of
from tournaments.reports.sheets_book import games_of, sheet_chapters, sheet_pages
from tournaments.reports.standings_document import (
    compose_standings,
    standings_lines,
    tournament_of,
)
from tournaments.reports.volumes import Chapter, Volume
from tournaments.texts.labels import badge_meaning, badge_name, points_text
from tournaments.texts.rounds import round_name

Data = dict[str, Any]

COVER, CONTENTS = 1, 2
"""The first pages."""


def booklet(report: Report, progress: OnProgress) -> Content:
    """Return the booklet, within what the readers of the report may see.

    Raises:
        ValueError: the report is not about a tournament.
    """
    state = load_state(tournament_of(report))
    directs = report.audience == Report.Audience.DIRECTORS
    seen = standings_seen(state, directs=directs)
    chapters = [
        *_seating(report, state),
        *_sheets(report, progress),
        _standings(report, seen),
        *_ratings(report),
        *_badges(report),
    ]
    return Volume([_front(report, seen, chapters), *chapters])


def _page(report: Report, title: str, lines: Sequence[str] = (), **words: str) -> Data:
    heading = hall_heading(report, title, lines)
    return page_data(heading, event_of(report).club, words=words)


# Cover and contents.


def _front(report: Report, seen: Seen, chapters: Sequence[Chapter]) -> Chapter:
    """Return the first pages; the contents list the bookmarks down to the rounds."""
    event = event_of(report)
    what = _("Booklet of the tournament")
    data = _page(report, event.name, [what, *_cover_lines(seen)], contents=_("Contents"))
    lines = [
        {"title": mark.title, "level": mark.level, "chapter": index, "page": mark.page}
        for index, chapter in enumerate(chapters, 1)
        for mark in chapter.bookmarks
        if mark.level <= CONTENTS
    ]
    marks = [Bookmark(event.name, COVER), Bookmark(_("Contents"), CONTENTS)]
    facts = [{"name": name, "value": str(value)} for name, value in _facts(seen)]
    # The cover already shows the name of the tournament.
    about = {"description": f"{event.name}, {what}", "event": ""}
    data |= about | {"facts": facts, "contents": lines}
    return Chapter.of("booklet_front.typ", data, marks)


def _cover_lines(seen: Seen) -> Iterator[str]:
    yield from standings_lines(seen)
    winners = [row for row in seen.rows if row.place == 1 and row.has_played]
    if seen.state.tournament.state == "finished" and winners:
        names = [seen.state.entrants[row.entrant].shown_name for row in winners]
        yield _("Winner: %(name)s") % {"name": ", ".join(names)}


def _facts(seen: Seen) -> Iterator[tuple[str, int]]:
    entrants = sum(not row.house for row in seen.state.entrants.values())
    rounds = len([each for each in seen.state.seated_rounds if each.row.published_at])
    tables = sum(len(each.tables) for each in seen.state.seated_rounds if each.row.published_at)
    yield ngettext("entrant", "entrants", entrants), entrants
    yield ngettext("round", "rounds", rounds), rounds
    yield ngettext("table", "tables", tables), tables


# Seating.


def _seating(report: Report, state: TournamentState) -> Iterator[Chapter]:
    """Yield the tables of each published round (1 query)."""
    tables = _names_at_tables(report)
    title, level = _("Seating"), 1
    for seated in state.seated_rounds:
        round_ = seated.row
        if round_.published_at is None:
            continue
        out = [name for key in seated.byes for name in names_of(state.entrants[key])]
        data = _seating_page(report, round_, tables[round_.pk], out)
        marks = [Bookmark(title, 1)] if level == 1 else []
        yield Chapter.of("booklet_table.typ", data, [*marks, Bookmark(round_name(round_), 1, 2)])
        level = 2


def _names_at_tables(report: Report) -> dict[int | None, dict[int, list[str]]]:
    """Return the names at each table of a round; in a match, those of its last game."""
    rows = Game.objects.filter(table__round__event=event_of(report)).order_by("table__number", "pk")
    found: dict[int | None, dict[int, list[str]]] = defaultdict(dict)
    for round_, table, names in rows.values_list("table__round", "table__number", "players"):
        found[round_][table or 0] = names
    return found


def _seating_page(
    report: Report, round_: Round, tables: dict[int, list[str]], out: Sequence[str]
) -> Data:
    most = max((len(names) for names in tables.values()), default=1)
    lines = [_("Seating")]
    if out:
        lines.append(f"{_('Sits out')}: {', '.join(out)}")
    data = _page(report, round_name(round_), lines, empty=_("Nobody is seated yet."))
    seats = [_("Seat %(number)s") % {"number": number} for number in range(1, most + 1)]
    return data | {
        "columns": [{"head": _("Table"), "kind": "place"}, *({"head": seat} for seat in seats)],
        "rows": [
            [str(number), *names, *[""] * (most - len(names))] for number, names in tables.items()
        ],
    }


# Sheets and results.


def _sheets(report: Report, progress: OnProgress) -> list[Chapter]:
    chapters = sheet_chapters(list(sheet_pages(report, progress)), report, level=2)
    if not chapters:
        return []
    first, *others = chapters
    marks = [Bookmark(_("All scoresheets"), 1), *first.bookmarks]
    return [Chapter(first.template, first.json, first.pages, marks), *others]


def _standings(report: Report, seen: Seen) -> Chapter:
    data = compose_standings(report, seen)
    return Chapter.of("standings.typ", data, [Bookmark(str(data["title"]), 1)])


def _ratings(report: Report) -> Iterator[Chapter]:
    """Yield the changes of the players' club ratings (1 query)."""
    changes = RatingChange.objects.filter(
        game__in=games_of(report).order_by(), rating__pool__club=event_of(report).club
    )
    in_order = changes.select_related("rating__player").order_by("rating", "number")
    rows = [
        _rating_line(list(those)) for _rating, those in groupby(in_order, key=lambda c: c.rating_id)
    ]
    if not rows:
        return
    rows.sort(key=lambda row: (-row[0], row[1]))
    data = _page(report, _("Rating changes"))
    data |= {
        "columns": [
            {"head": _("Player")},
            {"head": _("Games"), "kind": "number"},
            {"head": _("Before"), "kind": "number"},
            {"head": _("After"), "kind": "number"},
            {"head": "±", "kind": "total"},
        ],
        "rows": [[name, *cells] for _gain, name, *cells in rows],
    }
    yield Chapter.of("booklet_table.typ", data, [Bookmark(str(data["title"]), 1)])


def _rating_line(changes: Sequence[RatingChange]) -> tuple[int, str, str, str, str, str]:
    """Return the sort key (rating gain, 0 for a first rating), the name, and the cells after it."""
    first, last = changes[0], changes[-1]
    after = shown_points(Rating(last.mean, last.variance))
    before = shown_points(Rating(first.mean_before, first.variance_before))
    gained = 0 if first.number == 1 else after - before
    sign = "+" if gained > 0 else ""
    new = first.number == 1
    return (
        gained,
        first.rating.player.shown_name or "–",
        str(len(changes)),
        "–" if new else str(before),
        str(after),
        _("new") if new else f"{sign}{points_text(gained)}",
    )


def _badges(report: Report) -> Iterator[Chapter]:
    """Yield the badges and who earned them, the rarest badge first (2 queries)."""
    earned = _earned(report)
    if not earned:
        return
    data = _page(report, _("Badges"))
    data |= {
        "badges": [
            {
                "name": badge_name(badge),
                "meaning": badge_meaning(badge),
                "who": [f"{name} ×{n}" if n > 1 else name for name, n in who.most_common()],
            }
            for badge, who in sorted(earned.items(), key=lambda item: (item[1].total(), item[0]))
        ]
    }
    yield Chapter.of("booklet_badges.typ", data, [Bookmark(str(data["title"]), 1)])


def _earned(report: Report) -> dict[str, Counter[str]]:
    games = games_of(report).filter(result__isnull=False)
    results = dict(games.values_list("pk", "result"))
    sides = load_state(tournament_of(report)).rules.sides
    names: dict[tuple[int, int], list[str]] = defaultdict(list)
    for seat in Seat.objects.filter(game__in=games.order_by()).select_related("player"):
        names[seat.game_id, sides[seat.number]].append(seat.player.shown_name or "–")
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for game, result in results.items():
        for badge, counts in (result or {}).get("badges", {}).items():
            for side, number in enumerate(counts):
                for name in names[game, side] if number else ():
                    found[badge][name] += number
    return found
