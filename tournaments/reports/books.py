"""Books of many sheets, in volumes, and the booklet of a tournament."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, islice
from pathlib import Path
from typing import Any, cast
from urllib.parse import urljoin
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from django.urls import reverse
from django.utils.translation import get_language, gettext_lazy, ngettext, pgettext
from django.utils.translation import gettext as _

from tournaments.engine.documents.games import read_game
from tournaments.engine.play.games import Game as GamesGame
from tournaments.engine.play.games import PlayedDeal
from tournaments.engine.ratings.ratings import Rating
from tournaments.engine.rules.entries import Adjustment, Deal, Entry, Stopped
from tournaments.engine.rules.rulesets import Points
from tournaments.models import Game, RatingChange, Report, Seat, Table
from tournaments.models.games import GameQuerySet
from tournaments.models.people import name_order
from tournaments.queries.ratings import displayed_points
from tournaments.queries.scoresheets import deal_line, ending_of, numbers_of, remark
from tournaments.queries.sheets import Sheet, load_sheets
from tournaments.queries.standings import Seen, standings_seen
from tournaments.queries.state import TournamentState, load_state
from tournaments.reports.hall import (
    compose_table_cards,
    event_of,
    hall_heading,
    hour_of,
    is_proposed,
    names_of,
    papers,
    round_of,
    seating_by_name,
    seating_by_table,
)
from tournaments.reports.pages import (
    TABLES,
    Content,
    Data,
    OnProgress,
    PdfPages,
    document,
    page_data,
)
from tournaments.reports.sheets import compose_scoresheet, head_of_contracts, written_date
from tournaments.reports.spreadsheets import (
    Across,
    Cell,
    Column,
    DataTable,
    Kind,
    TableBook,
    book_content,
)
from tournaments.reports.standings import compose_standings, standings_lines, tournament_of
from tournaments.texts import labels
from tournaments.texts.labels import badge_meaning, badge_name, points_text, round_name

AT_MOST = 100
"""Sheets of one PDF: typst takes 3 MB of memory for each."""

READ_AT_ONCE = 100
"""Games read at once; all of them would take a lot of memory."""


class Volumes:
    """PDFs by their names, set one after the other; several are bound as a zip."""

    def __init__(self, volumes: Mapping[str, PdfPages]) -> None:
        self.volumes = volumes

    def pieces(self) -> Iterator[bytes]:
        for volume in self.volumes.values():
            yield from volume.pieces()

    def write(self, path: Path, progress: OnProgress) -> None:
        if len(self.volumes) == 1:
            (only,) = self.volumes.values()
            only.write(path, progress)
            return
        part = path.with_name("volume.pdf")
        with ZipFile(path, "w") as archive:
            for done, (name, volume) in enumerate(self.volumes.items()):
                volume.write(part, lambda step, now=done: progress(step, now, len(self.volumes)))
                # Without the time, so that the same volumes are the same bytes.
                archive.writestr(ZipInfo(f"{name}.pdf"), part.read_bytes(), ZIP_DEFLATED)
                part.unlink()


@document(Report.Kind.SHEETS, note=gettext_lazy("Every table, one page each, with bookmarks."))
def sheets_pages(report: Report, progress: OnProgress) -> Content:
    """Return the sheets as PDF."""
    volumes = list(sheet_volumes(report, progress))
    if not volumes:
        raise ValueError("there are no sheets")
    return Volumes(_named(volumes))


def _named(volumes: Sequence[PdfPages]) -> dict[str, PdfPages]:
    return {f"{_('All scoresheets')} {n}": volume for n, volume in enumerate(volumes, 1)}


@document(Report.Kind.SHEETS, Report.Format.JSON)
def sheets_records(report: Report, progress: OnProgress) -> Content:
    """Return the games as `kingscore-game/1` documents, in one list."""
    records = (
        json.dumps(sheet.record, ensure_ascii=False) for sheet in sheets_of(report, progress)
    )
    return JsonRecords([record.encode() for record in records])


class JsonRecords:
    """Documents, each already JSON, as one list."""

    def __init__(self, records: Sequence[bytes]) -> None:
        self.records = records

    def pieces(self) -> Iterator[bytes]:
        yield from self.records

    def write(self, path: Path, progress: OnProgress) -> None:
        progress(Report.Step.SETTING)
        path.write_bytes(b"[\n" + b",\n".join(self.records) + b"\n]\n")


def sheets_of(report: Report, progress: OnProgress) -> Iterator[Sheet]:
    """Yield the sheets of a report, by rounds and tables (4 queries for each hundred)."""
    keys = list(games_of(report).values_list("pk", flat=True))
    progress(Report.Step.READING, 0, len(keys))
    for done in range(0, len(keys), READ_AT_ONCE):
        rows = _in_order(Game.objects.filter(pk__in=keys[done : done + READ_AT_ONCE]))
        for index, sheet in enumerate(load_sheets(rows.select_related("table__round")), done + 1):
            yield sheet
            progress(Report.Step.READING, index, len(keys))


def games_of(report: Report) -> GameQuerySet:
    """Filter to the games of the event or its round that the readers may see."""
    event = event_of(report)
    games = _in_order(Game.objects.filter(table__round__event=event))
    if "round" in report.parameters:
        games = games.filter(table__round=round_of(report))
    if report.audience == Report.Audience.DIRECTORS or not hasattr(event, "tournament"):
        return games
    games = games.filter(table__round__published_at__isnull=False)
    return games.results_visible_to(None)


def _in_order(games: GameQuerySet) -> GameQuerySet:
    return games.order_by("table__round__number", "table__number", "pk")


def sheet_volumes(report: Report, progress: OnProgress, level: int = 1) -> Iterator[PdfPages]:
    """Yield the sheets in volumes, with bookmarks for rounds (from `level` on) and tables."""
    event, whole = event_of(report), _("All scoresheets")
    host = str(report.parameters.get("host", ""))
    what = round_name(round_of(report)) if "round" in report.parameters else whole
    data = {
        "language": get_language(),
        "title": f"{event.name}: {what}",
        "description": f"{event.name}, {whole}",
        "paper": event.club.paper,
    }
    sheets = sheets_of(report, progress)
    while batch := list(islice(sheets, AT_MOST)):
        last, pages = "", []
        for sheet in batch:
            row, (in_round, at_table) = sheet.row, titles_of(sheet.row)
            address = reverse("follow", args=[row.public_id, row.secret("follow")])
            page = compose_scoresheet(
                sheet.record,
                urljoin(host, address) if host else "",
                f"{in_round} · {at_table}",
                sheet.game,
            )
            bookmark = f"{at_table}: {', '.join(row.players)}"
            above = [] if in_round == last else [(level, in_round)]
            pages.append({**page, "level": level + 1, "bookmark": bookmark, "above": above})
            last = in_round
        yield PdfPages.of("sheets.typ", {**data, "sheets": pages})


def titles_of(game: Game) -> tuple[str, str]:
    """Return the names of the round and of the table of a game of an event."""
    table: Any = game.table
    title = _("Table %(number)s") % {"number": table.number}
    again = f" ({game.match_number})" if (game.match_number or 1) > 1 else ""
    return round_name(table.round), title + again


@document(
    Report.Kind.ROUND_PAPERS,
    note=gettext_lazy("Seating by table and by name, the standings before it, and table cards."),
)
def round_papers(report: Report, progress: OnProgress) -> Data:
    """Return what a director prints for a round, in one document.

    The standings are those that everybody may see: they hang on the wall. With `sheets` there is a
    sheet for each table, to be written on.
    """
    cards, round_ = compose_table_cards(report, progress), round_of(report)
    book, by_name = seating_by_table(report, progress), seating_by_name(report, progress)
    assert isinstance(book, dict)
    assert isinstance(by_name, dict)
    book["parts"] += by_name["parts"]
    if round_.number > 1 and hasattr(round_.event, "tournament"):
        seen = standings_seen(
            load_state(round_.event.tournament), directs=False, after=round_.number - 1
        )
        book["parts"] += papers([compose_standings(report, seen)])["parts"]
    if not is_proposed(round_):
        book["parts"] += cards["parts"]
    if report.parameters.get("sheets"):
        book["parts"] += [json.loads(part.json) for part in sheet_volumes(report, progress)]
    return book | {"title": f"{event_of(report).name}: {round_name(round_)}"}


@document(
    Report.Kind.BOOKLET,
    note=gettext_lazy("Cover, seating, all sheets, standings, ratings and badges."),
)
def booklet(report: Report, progress: OnProgress) -> Content:
    """Return the booklet, within what the readers of the report may see."""
    state = load_state(tournament_of(report))
    directs = report.audience == Report.Audience.DIRECTORS
    seen = standings_seen(state, directs=directs)
    chapters = list(_seating(report, state))
    volumes = list(sheet_volumes(report, progress, level=2))
    if len(volumes) == 1:
        sheets = json.loads(volumes[0].json)
        sheets["sheets"][0]["above"].insert(0, (1, _("All scoresheets")))
        chapters.append(sheets)
    standings = compose_standings(report, seen)
    chapters += [
        # The club is that of the booklet.
        {**standings, "club": None},
        *_ratings(report),
        *_badges(report),
    ]
    book = PdfPages.of("booklet.typ", {**_front(report, seen), "chapters": chapters})
    # Sheets that fill several volumes stay beside the booklet.
    beside = _named(volumes) if len(volumes) > 1 else {}
    return Volumes({_("Booklet of the tournament"): book} | beside)


def _front(report: Report, seen: Seen) -> Data:
    event = event_of(report)
    subtitle = _("Booklet of the tournament")
    lines = [subtitle, *standings_lines(seen)]
    winners = [row for row in seen.rows if row.place == 1 and row.has_played]
    if seen.state.tournament.state == "finished" and winners:
        names = [seen.state.entrants[row.entrant].shown_name for row in winners]
        lines.append(_("Winner: %(name)s") % {"name": ", ".join(names)})
    heading = hall_heading(report, event.name, [*lines, event.starts_at])
    return {
        **page_data(heading, event.club, words={"contents": _("Contents")}),
        "description": f"{event.name}, {subtitle}",
        "facts": [{"name": name, "value": str(value)} for name, value in _facts(seen)],
    }


def _chapter(report: Report, title: str, lines: Sequence[str] = (), **data: Any) -> Data:
    heading = hall_heading(report, title, lines)
    return {"title": title, "lines": heading.lines, "words": {}, **data}


def _facts(seen: Seen) -> Iterator[tuple[str, int]]:
    entrants = sum(not row.house for row in seen.state.entrants.values())
    published = [seated for seated in seen.state.seated_rounds if seated.row.published_at]
    tables = sum(len(seated.tables) for seated in published)
    yield ngettext("entrant", "entrants", entrants), entrants
    yield ngettext("round", "rounds", len(published)), len(published)
    yield ngettext("table", "tables", tables), tables


# Seating.


def _seating(report: Report, state: TournamentState) -> Iterator[Data]:
    rows = Game.objects.filter(table__round__event=event_of(report)).order_by("table__number", "pk")
    tables: dict[int | None, dict[int, list[str]]] = defaultdict(dict)
    # In a match, the names of the last game count.
    for key, table, names in rows.values_list("table__round", "table__number", "players"):
        tables[key][table or 0] = names
    above = [(1, _("Seating"))]
    for seated in state.seated_rounds:
        round_ = seated.row
        if round_.published_at is None:
            continue
        here = tables[round_.pk]
        most = max(map(len, here.values()), default=1)
        out = [name for key in seated.byes for name in names_of(state.entrants[key])]
        seating = " · ".join(filter(None, [_("Seating"), hour_of(round_)]))
        lines = [seating, *([f"{_('Sits out')}: {', '.join(out)}"] if out else [])]
        seats = [_("Seat %(number)s") % {"number": number} for number in range(1, most + 1)]
        yield _chapter(
            report,
            round_name(round_),
            lines,
            words={"empty": _("Nobody is seated yet.")},
            columns=[{"head": _("Table"), "kind": "place"}, *({"head": seat} for seat in seats)],
            rows=[[str(n), *names, *[""] * (most - len(names))] for n, names in here.items()],
            above=above,
            level=2,
        )
        above = []


# Sheets and results.


def _ratings(report: Report) -> Iterator[Data]:
    changes = RatingChange.objects.filter(
        game__in=games_of(report).order_by(), rating__pool__club=event_of(report).club
    )
    in_order = changes.select_related("rating__player").order_by("rating", "number")
    rows = [
        _rating_line(list(those)) for _rating, those in groupby(in_order, key=lambda c: c.rating_id)
    ]
    if not rows:
        return
    rows.sort(key=lambda row: (-row[0], name_order(row[1])))
    columns = [
        {"head": _("Player")},
        {"head": _("Games"), "kind": "number"},
        {"head": _("Before"), "kind": "number"},
        {"head": _("After"), "kind": "number"},
        {"head": "±", "kind": "total"},
    ]
    table = [[name, *cells] for _gain, name, *cells in rows]
    yield _chapter(report, _("Rating changes"), columns=columns, rows=table)


def _rating_line(changes: Sequence[RatingChange]) -> tuple[int, str, str, str, str, str]:
    """Return the sort key (rating gain, 0 for a first rating), the name, and the cells after it."""
    first, last = changes[0], changes[-1]
    after = displayed_points(Rating(last.mean, last.variance))
    before = displayed_points(Rating(first.mean_before, first.variance_before))
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


def _badges(report: Report) -> Iterator[Data]:
    """Yield the badges and who earned them, the rarest badge first (2 queries)."""
    games = games_of(report).filter(result__isnull=False)
    results = dict(games.values_list("pk", "result"))
    sides = load_state(tournament_of(report)).rules.sides
    names: dict[tuple[int, int], list[str]] = defaultdict(list)
    for seat in Seat.objects.filter(game__in=games.order_by()).select_related("player"):
        names[seat.game_id, sides[seat.number]].append(seat.player.shown_name or "–")
    earned: dict[str, Counter[str]] = defaultdict(Counter)
    for game, result in results.items():
        for badge, counts in (result or {}).get("badges", {}).items():
            for side, number in enumerate(counts):
                for name in names[game, side] if number else ():
                    earned[badge][name] += number
    if not earned:
        return
    badges = [
        {
            "name": badge_name(badge),
            "meaning": badge_meaning(badge),
            "who": [f"{name} ×{n}" if n > 1 else name for name, n in earners.most_common()],
        }
        for badge, earners in sorted(earned.items(), key=lambda item: (item[1].total(), item[0]))
    ]
    yield _chapter(report, _("Badges"), badges=badges)


BEFORE = 3
"""The columns before the points: number, contract, declarer."""


@document(Report.Kind.SCORESHEET, *TABLES)
def scoresheet_table(report: Report, _progress: OnProgress) -> Content:
    """Return the scoresheet of a game as a table."""
    return book_content(scoresheet_book(report.parameters["record"]), report)


def scoresheet_book(record: Mapping[str, Any]) -> TableBook:
    """Return the table of a valid `kingscore-game/1` record.

    Raises: ValueError: the record contains an invalid entry.
    """
    reading = read_game(record, stored=True)
    if reading.game is None or reading.problems:
        raise ValueError(f"no valid game: {reading.problems}")
    name = labels.name_of(reading.game.ruleset)
    lines = [
        reading.place,
        written_date(reading.played_at),
        ending_of(reading.game, reading.players),
    ]
    return TableBook(
        title=reading.title or name,
        lines=[line for line in lines if line],
        tables=[game_table(reading.game, reading.players, _("Scoresheet"))],
        format="kingscore-scoresheet/1",
    )


def game_table(game: GamesGame, players: Sequence[str], title: str) -> DataTable:
    """Return a row for each entry, then the totals and their check."""
    sides = game.ruleset.side_names(players)
    last = BEFORE + len(sides) - 1
    points = range(BEFORE, last + 1)
    columns = [
        Column(_("No."), "number", Kind.INTEGER),
        Column(head_of_contracts(game.ruleset) or _("Deal"), "contract"),
        Column(_("Declarer"), "declarer"),
        *(Column(name, "points", Kind.POINTS, many=True) for name in sides),
        Column(_("Sum"), "sum", Kind.POINTS),
        Column(_("Must be"), "expected", Kind.POINTS),
        Column(_("Note"), "note"),
        *(Column(_("Taken: %(name)s") % {"name": name}, "taken", many=True) for name in sides),
    ]
    return DataTable(
        title,
        "entries",
        columns,
        list(_rows(game, players, last)),
        sums=(*points, last + 1, last + 2),
        sums_head=_("Total"),
        expected={last + 1: game.expected_sum},
        expected_head=_("Check"),
        fixed=BEFORE,
        landscape=len(sides) > 2,
    )


def _rows(game: GamesGame, players: Sequence[str], last: int) -> Iterator[list[Cell]]:
    numbers, moved = numbers_of(game), {row.entry: row for row in game.rows}
    deals = {played.entry: played for played in game.deals}
    expected: Points = 0
    for index, entry in enumerate(game.entries):
        row = moved.get(index)
        played, nothing = deals.get(index), [None] * game.ruleset.side_count
        details = _details_of(game, players, entry, played)
        taken = deal_line(game, played, players).taken if played else nothing
        yield [
            numbers.get(index),
            *details[:-1],
            *(row.points if row else nothing),
            Across(sum(row.points), BEFORE, last) if row else None,
            None if row is None else row.expected_sum - expected,
            details[-1],
            *(int(text) if text and text.isdecimal() else text for text in taken),
        ]
        expected = expected if row is None else row.expected_sum


def _details_of(
    game: GamesGame, players: Sequence[str], entry: Entry, played: PlayedDeal | None
) -> tuple[str, str, str]:
    if played is not None:
        details = deal_line(game, played, players)
        seat, ruleset = details.seat, game.ruleset
        side = "" if seat is None else ruleset.side_names(players)[ruleset.sides[seat]]
        name = ""
        if played.contract.named:
            name = labels.contract_title(game.ruleset, played.contract.id)
        contract = f"{name} {labels.suit_of(played.deal.details.get('trump'))}".strip()
        # Of several units, the numbers of each side stand in their order.
        units = [labels.unit_name(unit) for unit in played.contract.values]
        order = ["·".join(units)] if len(units) > 1 and played.deal.counts else []
        return contract, details.declarer or side, " · ".join([*details.marks, *order])
    if isinstance(entry, Adjustment):
        return "", "", _("Adjustment: %(reason)s") % {"reason": remark(entry, players)}
    if isinstance(entry, Deal):
        if entry.contract is None:
            return _("sealed"), "", ""
        return labels.contract_title(game.ruleset, entry.contract), "", ""
    if isinstance(entry, Stopped):
        return "", "", ending_of(game, players)
    return "", "", remark(entry, players)


# All sheets of an event.


@document(Report.Kind.SHEETS, *TABLES)
def sheets_tables(report: Report, progress: OnProgress) -> Content:
    """Return the results of all games of an event or a round, and a sheet for each game."""
    sheets = list(sheets_of(report, progress))
    if not sheets:
        raise ValueError("there are no sheets")
    heading = hall_heading(report, _("All scoresheets"))
    tables = [_results_table(sheets)]
    if report.format == Report.Format.XLSX:
        tables += [
            game_table(sheet.game, sheet.row.players, " · ".join(titles_of(sheet.row)))
            for sheet in sheets
        ]
    book = TableBook(
        title=f"{heading.event} · {heading.title}",
        lines=[heading.date],
        tables=tables,
        format="kingscore-results/1",
    )
    return book_content(book, report)


def _results_table(sheets: Sequence[Sheet]) -> DataTable:
    columns = [
        Column(_("Round"), "round"),
        Column(_("Table"), "table", Kind.INTEGER),
        Column(pgettext("of a match", "Game"), "game", Kind.INTEGER),
        Column(_("Name"), "name"),
        Column(_("Points"), "points", Kind.POINTS, strong=True),
        Column(pgettext("rank", "Place"), "place", Kind.INTEGER),
        Column(_("Finished"), "finished"),
    ]
    rows: list[list[Cell]] = []
    for sheet in sheets:
        game, table = sheet.game, cast("Table", sheet.row.table)
        names = game.ruleset.side_names(sheet.row.players)
        for name, points, rank in zip(names, game.totals, sheet.outcome.ranks, strict=True):
            place = rank if game.finished else None
            position: list[Cell] = [round_name(table.round), table.number, sheet.row.match_number]
            rows.append([*position, name, points, place, game.finished])
    return DataTable(_("Results"), "results", columns, rows, fixed=4)
