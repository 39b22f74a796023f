"""Papers for the hall: seating lists, badges, cards of tables, certificates."""

from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from itertools import groupby
from typing import Any
from urllib.parse import urljoin, urlsplit

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language, gettext_lazy, ngettext, pgettext
from django.utils.translation import gettext as _

from tournaments.engine.documents.games import letters_of
from tournaments.engine.rules.rulesets import Ruleset
from tournaments.engine.standings.standings import Standing
from tournaments.models import Entrant, Event, Game, Report, Round, Table, Tournament
from tournaments.models.people import name_order
from tournaments.origin import qr_code
from tournaments.photos.layout import can_be_photographed
from tournaments.queries.evenings import beginning_of
from tournaments.queries.sheets import rules_of, ruleset_of
from tournaments.queries.state import DrawnTable, TournamentState, digest_after, load_state
from tournaments.reports.pages import (
    TABLES,
    Content,
    Data,
    Heading,
    OnProgress,
    document,
    page_data,
)
from tournaments.reports.sheets import compose_photo_sheets, written_date
from tournaments.reports.spreadsheets import Cell, Column, DataTable, TableBook, book_content
from tournaments.reports.spreadsheets import Kind as Holds
from tournaments.texts import labels
from tournaments.texts.labels import points_text, round_name, section_name

Seats = tuple[dict[int, list[str]], list[str]]
"""The names at each table, in the order of play, and the names of those who are out."""


def event_of(report: Report) -> Event:
    """Return the event of a report.

    Raises: ValueError: the report has no event.
    """
    if report.event is None:
        raise ValueError(f"{report} is of no event")
    return report.event


def check_for_directors(report: Report) -> None:
    """Check that the report is for directors.

    Raises: ValueError: it has another audience.
    """
    if report.audience != Report.Audience.DIRECTORS:
        raise ValueError(f"{report.kind} is for directors only")


def round_of(report: Report) -> Round:
    """Return the round of a report, if its readers may see it (1 query).

    Raises: ValueError: there is none, or it is not published.
    """
    number = report.parameters.get("round")
    rounds = Round.objects.select_related("event__club", "event__tournament")
    round_ = rounds.filter(event=event_of(report), number=number).first()
    if round_ is None:
        raise ValueError(f"round {number} is gone")
    if is_proposed(round_) and report.audience != Report.Audience.DIRECTORS:
        raise ValueError(f"round {number} is not published")
    return round_


def is_proposed(round_: Round) -> bool:
    return hasattr(round_.event, "tournament") and round_.published_at is None


def hall_heading(report: Report, title: str, lines: Iterable[str] = ()) -> Heading:
    event = event_of(report)
    host = urlsplit(str(report.parameters.get("host", ""))).netloc
    return Heading(
        title=title,
        lines=[line for line in (*lines, event.venue) if line],
        event=event.name,
        date=written_date(event.held_on.isoformat()),
        description=f"{event.name}, {title}",
        origin=" · ".join(part for part in ("Kingscore", host) if part),
    )


def hour_of(round_: Round) -> str:
    """Return when a round starts, as planned or published; empty if its day was another one."""
    if round_.number == 1 and round_.event.starts_at:
        return round_.event.starts_at
    return hour_on_the_day(round_, round_.opened_at or round_.published_at)


def hour_on_the_day(round_: Round, moment: datetime | None) -> str:
    """Return the hour of a moment on the day of a round or the night after it, else nothing."""
    local = None if moment is None else timezone.localtime(moment)
    if local is None or not 0 <= (local.date() - round_.event.held_on).days <= 1:
        return ""
    return f"{local:%H:%M}"


def seats_of(round_: Round) -> Seats:
    """Return the seating of a round (1 query, 2 in a tournament; 5 if it is only proposed)."""
    if is_proposed(round_):
        state = load_state(round_.event.tournament)
        seated = next(drawn for drawn in state.seated_rounds if drawn.row.pk == round_.pk)
        out = [state.entrants[key] for key in seated.byes]
        tables = {table.number: _proposed_names(state, round_, table) for table in seated.tables}
    else:
        out = []
        if hasattr(round_.event, "tournament"):
            rows = Entrant.objects.filter(sittings__round=round_, sittings__table=None)
            out = list(rows.select_related("player", "partner").order_by("number"))
        tables = {table.number: game.players for table, game in tables_of(round_)}
    return tables, [name for row in out for name in names_of(row)]


def tables_of(round_: Round) -> list[tuple[Table, Game]]:
    """Return the tables of a round with their current games, the last ones of matches."""
    games = Game.objects.filter(table__round=round_).select_related("table").order_by("pk")
    current = {game.table_id: game for game in games}
    found = [(table, game) for game in current.values() if (table := game.table) is not None]
    return sorted(found, key=lambda pair: pair[0].number)


def names_of(entrant: Entrant) -> list[str]:
    """Return the shown names of an entrant's players; removed ones by number."""
    return [player.shown_name or f"№ {entrant.number}" for player in entrant.players]


def _proposed_names(state: TournamentState, round_: Round, table: DrawnTable) -> list[str]:
    """Return the names at the seats of a table; pairs sit as in the game."""
    sides = [state.entrants[key] for key in table.entrants]
    waiting = [
        [
            player.shown_name or f"№ {entrant.number}"
            for player in state.players_of(entrant, round_.number)
        ]
        for entrant in sides
    ]
    return [waiting[side].pop(0) for side in state.rules.sides]


@document(Report.Kind.SEATING_BY_TABLE, note=gettext_lazy("In large print, for the wall."))
@document(Report.Kind.SEATING_BY_TABLE, *TABLES)
def seating_by_table(report: Report, progress: OnProgress) -> Data | Content:
    """Return the players of each table, in large print or as a spreadsheet."""
    round_, (tables, byes) = _read(report, progress)
    byes.sort(key=name_order)
    if report.format != Report.Format.PDF:
        most = max(map(len, tables.values()), default=1)
        seats = [_("Seat %(number)s") % {"number": number} for number in range(1, most + 1)]
        columns = [
            Column(_("Table"), "table", Holds.INTEGER, strong=True),
            *(Column(seat, "seats", many=True) for seat in seats),
        ]
        rows: list[list[Cell]] = [
            [number, *names, *[None] * (most - len(names))] for number, names in tables.items()
        ]
        rows += [[_bye(), name, *[None] * (most - 1)] for name in byes]
        table = DataTable(_("Seating by table"), "tables", columns, rows, fixed=1)
        return _spreadsheet(report, round_, table)
    listed = [{"number": str(number), "names": names} for number, names in tables.items()]
    return papers([_page(report, round_) | {"tables": listed, "byes": byes}])


@document(Report.Kind.SEATING_BY_NAME, note=gettext_lazy("In large print, to find oneself."))
@document(Report.Kind.SEATING_BY_NAME, *TABLES)
def seating_by_name(report: Report, progress: OnProgress) -> Data | Content:
    """Return the place of each player, in large print or as a spreadsheet."""
    round_, (tables, byes) = _read(report, progress)
    # Everybody with table and seat from 1; both are 0 for a bye.
    people = [
        (name, number, seat)
        for number, names in tables.items()
        for seat, name in enumerate(names, 1)
    ]
    people += [(name, 0, 0) for name in byes]
    people.sort(key=lambda row: (name_order(row[0]), row[1:]))
    if report.format != Report.Format.PDF:
        columns = [
            Column(_("Player"), "player"),
            Column(_("Table"), "table", Holds.INTEGER, strong=True),
            Column(_("Seat"), "seat", Holds.INTEGER),
        ]
        cells: list[list[Cell]] = [
            [name, table or _bye(), seat or None] for name, table, seat in people
        ]
        table = DataTable(_("Seating by name"), "players", columns, cells, fixed=1)
        return _spreadsheet(report, round_, table)
    rows: list[Data] = []
    initial = ""
    for name, number, seat in reversed(people):
        # Draw a stronger rule below the last name with each initial.
        last, initial = initial, name[:1].casefold()
        place = [str(number), str(seat)] if number else [_bye(), ""]
        rows.append({"cells": [name, *place], "rule": bool(rows) and last != initial})
    return papers([_page(report, round_) | {"people": rows[::-1]}])


def papers(parts: list[Data]) -> Data:
    """Return the data of papers of a round as parts of one document, titled like the first."""
    whole = {key: parts[0][key] for key in ("title", "words", *SHARED)}
    parts = [{key: part[key] for key in part if key not in SHARED} for part in parts]
    return whole | {"template": "round_papers.typ", "parts": parts}


SHARED = ("language", "description", "paper", "club", "event", "date", "origin")
"""The data of a page that are the same on all papers of a round."""


def _read(report: Report, progress: OnProgress) -> tuple[Round, Seats]:
    round_ = round_of(report)
    tables, byes = seats_of(round_)
    progress(Report.Step.READING, len(tables), len(tables))
    return round_, (tables, byes)


def _page(report: Report, round_: Round) -> Data:
    heading = hall_heading(report, _("Seating"), _lines(round_))
    details = {
        "table": _("Table"),
        "seat": _("Seat"),
        "name": _("Player"),
        "out": _("Sits out"),
        "empty": _("Nobody is seated yet."),
    }
    return page_data(heading, event_of(report).club, words=details)


def _lines(round_: Round) -> list[str]:
    proposed = [_("A proposal: it is not published yet.")] if is_proposed(round_) else []
    return [" · ".join(filter(None, [round_name(round_), hour_of(round_)])), *proposed]


def _bye() -> str:
    return pgettext("sits out", "bye")


def _spreadsheet(report: Report, round_: Round, table: DataTable) -> Content:
    lines = [event_of(report).name, *_lines(round_)]
    return book_content(TableBook(_("Seating"), lines, [table], ""), report)


ACROSS, DOWN = 2, 5
"""Badges on a sheet; unused ones on the last sheet stay blank, to fill in by hand."""


@document(Report.Kind.NAME_BADGES, note=gettext_lazy("To cut out and pin on."))
def compose_name_badges(report: Report, progress: OnProgress) -> dict[str, Any]:
    """Return the data of a badge for every player, in the order of the names (1 query)."""
    check_for_directors(report)
    event = event_of(report)
    rows = Entrant.objects.filter(tournament__event=event).playing()
    at = reverse("entrants", args=[event.club.slug, event.tournament.slug])
    badges = []
    for row in rows.select_related("player", "partner"):
        team = " · ".join(dict.fromkeys(filter(None, (row.team, row.represents))))
        qr = qr_code(urljoin(report.parameters["host"], f"{at}?q={row.number}"))
        badge = {"team": team, "number": f"№ {row.number}", "qr": qr}
        badges += [{"name": name, **badge} for name in names_of(row)]
    progress(Report.Step.READING, len(badges), len(badges))
    badges.sort(key=lambda badge: (name_order(badge["name"]), badge["number"]))
    blank = -len(badges) % (ACROSS * DOWN) if badges else ACROSS * DOWN
    heading = hall_heading(report, _("Name badges"))
    return page_data(heading, event.club, words={"code": _("QR code of the name badge")}) | {
        "across": ACROSS,
        "down": DOWN,
        "badges": badges,
        "blank": blank,
    }


@document(Report.Kind.TABLE_CARDS, note=gettext_lazy("With QR codes, to lay on the tables."))
def compose_table_cards(report: Report, progress: OnProgress) -> Data:
    """Return the data of the cards of a round, to cut out and lay on its tables (2 queries).

    The access links appear on the cards alone: they are derived here and stored nowhere.
    """
    check_for_directors(report)
    event, round_ = event_of(report), round_of(report)
    tables = [] if is_proposed(round_) else tables_of(round_)
    progress(Report.Step.READING, 0, len(tables))
    cards = []
    for done, (table, game) in enumerate(tables, 1):
        cards.append(_card(report, table, game))
        progress(Report.Step.READING, done, len(tables))
    use = [_("Scan this with one phone: it opens the sheet of this table.")]
    if event.table_codes:
        use.append(_("The director says the four digits."))
    words = {"table": _("Table"), "use": " ".join(use), "empty": _("No table is set up yet.")}
    heading = hall_heading(report, _("Table cards"), [round_name(round_)])
    page = page_data(heading, event.club, words=words)
    return papers([page | {"round": round_name(round_), "cards": cards}])


def _card(report: Report, table: Table, game: Game) -> Data:
    rules = rules_of(game)
    url = urljoin(
        report.parameters["host"], reverse("table_link", args=[table.public_id, table.secret])
    )
    return {
        "number": str(table.number),
        "game": labels.name_of(rules),
        "seats": game.players,
        "begins": game.first_declarer,
        "says": str(beginning_of(rules).says),
        "clockwise": rules.clockwise,
        "url": url,
        "qr": qr_code(url),
        "caption": _("QR code of table %(number)s") % {"number": table.number},
    }


@document(
    Report.Kind.PHOTO_SHEETS,
    note=gettext_lazy("One for each table, to be written with a pen and read from a photograph."),
)
def photo_sheets(report: Report, progress: OnProgress) -> Data:
    """Return the sheets of the tables of a round whose games can be read (2 queries).

    Raises: ValueError: there is none.
    """
    event, round_ = event_of(report), round_of(report)
    tables = [] if is_proposed(round_) else tables_of(round_)
    parts = []
    for rules, pairs in groupby(tables, lambda pair: ruleset_of(pair[1])):
        if can_be_photographed(rules):
            games = [_photo_sheet(event, round_, *pair, rules) for pair in pairs]
            parts.append(compose_photo_sheets(rules, report.paper, games))
    if not parts:
        raise ValueError(_("No table of this round plays a game whose sheet can be read."))
    progress(Report.Step.READING, len(tables), len(tables))
    title = f"{event.name}, {_('Sheets to photograph')}"
    return {"language": get_language(), "title": title, "description": title, "parts": parts} | {
        "template": "photo_sheet.typ"
    }


def _photo_sheet(event: Event, round_: Round, table: Table, game: Game, rules: Ruleset) -> Data:
    at = _("Table %(number)s") % {"number": table.number}
    return {
        "address": game.public_id,
        "where": " · ".join((event.name, round_name(round_), at)),
        "date": written_date(event.held_on.isoformat()),
        "names": rules.side_names(game.players),
        "first": game.first_declarer,
    }


LAST_PLACE = 3

ENTRANT = "entrant"
"""The parameter that names one entrant, by key."""


@document(Report.Kind.CERTIFICATES, note=gettext_lazy("For the first three, to sign."))
def compose_certificates(report: Report, progress: OnProgress) -> dict[str, Any]:
    """Return the data of the certificates, the winner’s first (5 queries).

    There is one for each player of the first three places, or of the named entrant.
    """
    if ENTRANT not in report.parameters:
        check_for_directors(report)
    tournament: Tournament | None = getattr(event_of(report), "tournament", None)
    if tournament is None:
        raise ValueError("an evening has no places")
    state = load_state(tournament)
    closed = last_closed(state)
    rows = state.standings_before(closed + 1) if closed else ()
    heading = hall_heading(report, _("Certificates"), [tournament.event.name])
    played = [row for row in rows if row.has_played]
    counts = Counter(row.section for row in played)
    one = report.parameters.get(ENTRANT)
    day = [heading.date]
    if closed and state.tournament.state != Tournament.State.FINISHED:
        last = next(seated.row for seated in state.seated_rounds if seated.row.number == closed)
        day.append(_("after: %(round)s") % {"round": round_name(last)})
    if closed and (digest := digest_after(state, closed)):
        day.append(_("Code: %(code)s") % {"code": letters_of(digest)})
    items = []
    for row in played:
        if not (row.entrant == one if one else row.place <= LAST_PLACE):
            continue
        entrant = state.entrants[row.entrant]
        names = names_of(entrant)
        for name in names:
            about = [_points(row, counts[row.section])]
            about += [_("with %(name)s") % {"name": other} for other in names if other != name]
            if entrant.team:
                about.append(_("for %(team)s") % {"team": entrant.team})
            items.append(
                {
                    "kind": _("CERTIFICATE"),
                    "name": name,
                    "place": place_text(row),
                    "lines": [heading.event, " · ".join(day), " · ".join(about)],
                    "signatures": [_("For the club"), _("Director")],
                }
            )
    progress(Report.Step.READING, len(items), len(items))
    empty = {"empty": _("No round is closed yet.")}
    return page_data(heading, tournament.event.club, words=empty) | {"items": items}


def last_closed(state: TournamentState) -> int:
    """Return the last round up to which all rounds are closed; 0 before the first."""
    number = 0
    for seated in state.seated_rounds:
        if seated.row.closed_at is None:
            break
        number = seated.row.number
    return number


def place_text(row: Standing) -> str:
    names = {1: _("First place"), 2: _("Second place"), 3: _("Third place")}
    place = names.get(row.place) or _("Place %(place)s") % {"place": row.place}
    place = _("%(place)s, shared") % {"place": place} if row.shared else place
    return f"{section_name(row.section)}: {place}" if row.section else place


def _points(row: Standing, count: int) -> str:
    details = {"points": points_text(row.points), "number": count}
    return (
        ngettext(
            "%(points)s points, %(number)s entrant",
            "%(points)s points, %(number)s entrants",
            count,
        )
        % details
    )
