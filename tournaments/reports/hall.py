"""Papers for the hall: seating lists, badges, cards of tables, certificates."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin, urlsplit

from django.urls import reverse
from django.utils.translation import get_language, ngettext, pgettext
from django.utils.translation import gettext as _

from tournaments.engine.documents.games import letters_of
from tournaments.engine.standings.standings import Standing
from tournaments.models import Entrant, Event, Game, Report, Round, Table, Tournament
from tournaments.queries.evenings import beginning_of
from tournaments.queries.sheets import rules_of
from tournaments.queries.state import (
    DrawnTable,
    TournamentState,
    digest_after,
    load_state,
)
from tournaments.reports.pages import (
    Content,
    Heading,
    OnProgress,
    PdfPages,
    TypstPart,
    drawn_code,
    name_order,
    page_data,
)
from tournaments.reports.sheets import written_date
from tournaments.reports.spreadsheets import Cell, Column, DataTable, TableBook, book_content
from tournaments.reports.spreadsheets import Kind as Holds
from tournaments.texts import labels
from tournaments.texts.labels import points_text, round_name, section_name


@dataclass(frozen=True, slots=True)
class SeatedTable:
    """A table with the names at its seats, in the order of play.

    `row` and `game` are None while the seating is only proposed.
    """

    number: int
    names: tuple[str, ...]
    row: Table | None = None
    game: Game | None = None


@dataclass(frozen=True, slots=True)
class RoundSeats:
    """The tables of a round by number, and the names of the entrants who are out."""

    round_: Round
    tables: tuple[SeatedTable, ...]
    byes: tuple[str, ...] = ()

    @property
    def is_proposed(self) -> bool:
        return _tournament_of(self.round_.event) is not None and self.round_.published_at is None


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
    proposed = _tournament_of(round_.event) is not None and round_.published_at is None
    if proposed and report.audience != Report.Audience.DIRECTORS:
        raise ValueError(f"round {number} is not published")
    return round_


def hall_heading(report: Report, title: str, lines: Iterable[str] = ()) -> Heading:
    event = event_of(report)
    host = urlsplit(str(report.parameters.get("host", ""))).netloc
    return Heading(
        title=title,
        lines=[line for line in (*lines, *event.details) if line],
        event=event.name,
        date=written_date(event.held_on.isoformat()),
        description=f"{event.name}, {title}",
        origin=" · ".join(part for part in ("Kingscore", host) if part),
    )


def seats_of(round_: Round) -> RoundSeats:
    """Return the seating of a round (2 queries, 3 in a tournament; 5 if it is only proposed)."""
    tournament = _tournament_of(round_.event)
    if tournament is not None and round_.published_at is None:
        return _proposed(load_state(tournament), round_)
    # The last game of a match is the current one.
    games = {
        game.table_id: game for game in Game.objects.filter(table__round=round_).order_by("pk")
    }
    tables = tuple(
        SeatedTable(row.number, tuple(games[row.pk].players), row, games[row.pk])
        for row in Table.objects.filter(round=round_).order_by("number")
    )
    return RoundSeats(round_, tables, _byes(round_) if tournament else ())


def _tournament_of(event: Event) -> Tournament | None:
    tournament: Tournament | None = getattr(event, "tournament", None)
    return tournament


def _byes(round_: Round) -> tuple[str, ...]:
    rows = Entrant.objects.filter(sittings__round=round_, sittings__table=None)
    rows = rows.select_related("player", "partner").order_by("number")
    return tuple(name for row in rows for name in names_of(row))


def names_of(entrant: Entrant) -> list[str]:
    """Return the shown names of an entrant's players; removed ones by number."""
    return [player.shown_name or f"№ {entrant.number}" for player in entrant.players]


def _proposed(state: TournamentState, round_: Round) -> RoundSeats:
    seated = next(each for each in state.seated_rounds if each.row.pk == round_.pk)
    tables = tuple(
        SeatedTable(table.number, _proposed_names(state, round_, table)) for table in seated.tables
    )
    out = [state.entrants[key] for key in seated.byes]
    return RoundSeats(round_, tables, tuple(name for row in out for name in names_of(row)))


def _proposed_names(state: TournamentState, round_: Round, table: DrawnTable) -> tuple[str, ...]:
    """Return the names at the seats of a table; pairs sit as in the game."""
    sides = [state.entrants[key] for key in table.entrants]
    waiting = [
        [
            player.shown_name or f"№ {entrant.number}"
            for player in state.players_of(entrant, round_.number)
        ]
        for entrant in sides
    ]
    return tuple(waiting[side].pop(0) for side in state.rules.sides)


Data = dict[str, Any]


def seating_by_table(report: Report, progress: OnProgress) -> Content:
    """Return the players of each table, in large print or as a spreadsheet."""
    seats = _read(report, progress)
    if report.format != Report.Format.PDF:
        return book_content(_book(report, seats, _table_of_tables(seats)), report)
    return PdfPages([TypstPart.of("seating_by_table.typ", _page(report, seats) | _by_table(seats))])


def seating_by_name(report: Report, progress: OnProgress) -> Content:
    """Return the place of each player, in large print or as a spreadsheet."""
    seats = _read(report, progress)
    if report.format != Report.Format.PDF:
        return book_content(_book(report, seats, _table_of_names(seats)), report)
    return PdfPages([TypstPart.of("seating_by_name.typ", _page(report, seats) | _by_name(seats))])


def _read(report: Report, progress: OnProgress) -> RoundSeats:
    seats = seats_of(round_of(report))
    progress(Report.Step.READING, len(seats.tables), len(seats.tables))
    return seats


def _page(report: Report, seats: RoundSeats) -> Data:
    """Return the page frame of both lists."""
    heading = hall_heading(report, _("Seating"), _lines(seats))
    details = {
        "table": _("Table"),
        "seat": _("Seat"),
        "name": _("Player"),
        "out": _("Sits out"),
        "empty": _("Nobody is seated yet."),
    }
    return page_data(heading, event_of(report).club, words=details)


def _lines(seats: RoundSeats) -> list[str]:
    proposed = _("A proposal: it is not published yet.") if seats.is_proposed else ""
    return [line for line in (round_name(seats.round_), proposed) if line]


def _by_table(seats: RoundSeats) -> Data:
    tables = [{"number": str(each.number), "names": list(each.names)} for each in seats.tables]
    return {"tables": tables, "byes": _sorted(list(seats.byes))}


def _by_name(seats: RoundSeats) -> Data:
    rows: list[Data] = []
    initial = ""
    for name, table, seat in reversed(sorted_seats(seats)):
        # Draw a stronger rule below the last name with each initial.
        last, initial = initial, name[:1].casefold()
        where = [str(table), str(seat)] if table else [_bye(), ""]
        rows.append({"cells": [name, *where], "rule": bool(rows) and last != initial})
    return {"rows": rows[::-1]}


def sorted_seats(seats: RoundSeats) -> list[tuple[str, int, int]]:
    """Return everybody by name, with table and seat from 1; both are 0 for a bye."""
    seated = [
        (name, table.number, seat)
        for table in seats.tables
        for seat, name in enumerate(table.names, 1)
    ]
    language = get_language() or "en"
    everybody = [*seated, *((name, 0, 0) for name in seats.byes)]
    return sorted(everybody, key=lambda row: (name_order(row[0], language), row[1:]))


def _sorted(names: list[str]) -> list[str]:
    language = get_language() or "en"
    return sorted(names, key=lambda name: name_order(name, language))


def _bye() -> str:
    return pgettext("sits out", "bye")


# Spreadsheets.


def _book(report: Report, seats: RoundSeats, table: DataTable) -> TableBook:
    title = _("Seating")
    return TableBook(title, [event_of(report).name, *_lines(seats)], [table], "")


def _table_of_tables(seats: RoundSeats) -> DataTable:
    most = max((len(each.names) for each in seats.tables), default=1)
    numbers = range(1, most + 1)
    columns = [
        Column(_("Table"), "table", Holds.INTEGER, strong=True),
        *(
            Column(_("Seat %(number)s") % {"number": number}, "seats", many=True)
            for number in numbers
        ),
    ]
    rows: list[list[Cell]] = [
        [each.number, *each.names, *[None] * (most - len(each.names))] for each in seats.tables
    ]
    rows += [[_bye(), name, *[None] * (most - 1)] for name in _sorted(list(seats.byes))]
    return DataTable(_("Seating by table"), "tables", columns, rows, fixed=1)


def _table_of_names(seats: RoundSeats) -> DataTable:
    columns = [
        Column(_("Player"), "player"),
        Column(_("Table"), "table", Holds.INTEGER, strong=True),
        Column(_("Seat"), "seat", Holds.INTEGER),
    ]
    rows: list[list[Cell]] = [
        [name, table or _bye(), seat or None] for name, table, seat in sorted_seats(seats)
    ]
    return DataTable(_("Seating by name"), "players", columns, rows, fixed=1)


ACROSS, DOWN = 2, 5
"""Badges on a sheet; unused ones on the last sheet stay blank, to fill in by hand."""


def name_badges(report: Report, progress: OnProgress) -> Content:
    """Return a badge for every player.

    Raises: ValueError: the audience is not directors.
    """
    check_for_directors(report)
    return PdfPages([TypstPart.of("name_badges.typ", compose_name_badges(report, progress))])


def compose_name_badges(report: Report, progress: OnProgress) -> dict[str, Any]:
    """Return the data of the badges, in the order of the names (1 query)."""
    event = event_of(report)
    rows = Entrant.objects.filter(tournament__event=event).playing()
    badges = [
        badge for row in rows.select_related("player", "partner") for badge in _badges_of(row)
    ]
    progress(Report.Step.READING, len(badges), len(badges))
    language = get_language() or "en"
    badges.sort(key=lambda badge: (name_order(badge["name"], language), badge["number"]))
    blank = -len(badges) % (ACROSS * DOWN) if badges else ACROSS * DOWN
    heading = hall_heading(report, _("Name badges"))
    return page_data(heading, event.club) | {
        "across": ACROSS,
        "down": DOWN,
        "badges": badges,
        "blank": blank,
    }


def _badges_of(entrant: Entrant) -> list[dict[str, str]]:
    from_where = dict.fromkeys(part for part in (entrant.team, entrant.represents) if part)
    return [
        {"name": name, "team": " · ".join(from_where), "number": f"№ {entrant.number}"}
        for name in names_of(entrant)
    ]


def table_cards(report: Report, progress: OnProgress) -> Content:
    """Return the cards of a round, to cut out and lay on its tables.

    The access links appear on the cards alone: they are derived here and stored nowhere.

    Raises: ValueError: the audience is not directors.
    """
    check_for_directors(report)
    return PdfPages([TypstPart.of("table_cards.typ", compose_table_cards(report, progress))])


def compose_table_cards(report: Report, progress: OnProgress) -> Data:
    """Return the data of the cards (4 queries, however many tables)."""
    event, round_ = event_of(report), round_of(report)
    tables = seats_of(round_).tables
    progress(Report.Step.READING, 0, len(tables))
    cards = []
    for done, table in enumerate(tables, 1):
        if table.row is not None and table.game is not None:
            cards.append(_card(report, table, table.row, table.game))
        progress(Report.Step.READING, done, len(tables))
    heading = hall_heading(report, _("Table cards"), [round_name(round_)])
    return page_data(heading, event.club, words=_words(event)) | {
        "round": round_name(round_),
        "cards": cards,
    }


def _card(report: Report, table: SeatedTable, row: Table, game: Game) -> Data:
    rules = rules_of(game)
    url = urljoin(
        report.parameters["host"], reverse("table_link", args=[row.public_id, row.secret])
    )
    return {
        "number": str(table.number),
        "game": labels.name_of(rules),
        "seats": list(table.names),
        "begins": game.first_declarer,
        "says": str(beginning_of(rules).says),
        "clockwise": rules.clockwise,
        "url": url,
        "qr": drawn_code(url),
        "caption": _("QR code of table %(number)s") % {"number": table.number},
    }


def _words(event: Event) -> dict[str, str]:
    use = [_("Scan this with one phone: it opens the sheet of this table.")]
    if event.table_codes:
        use.append(_("The director says the four digits."))
    return {
        "table": _("Table"),
        "use": " ".join(use),
        "empty": _("No table is laid yet."),
    }


LAST_PLACE = 3

ENTRANT = "entrant"
"""The parameter that names one entrant, by key."""


def certificates(report: Report, progress: OnProgress) -> Content:
    """Return a certificate for each player of the first three places, or of the named entrant.

    Raises: ValueError: all are wanted by others than directors, or it is not about a tournament.
    """
    if ENTRANT not in report.parameters:
        check_for_directors(report)
    return PdfPages([TypstPart.of("certificates.typ", compose_certificates(report, progress))])


def compose_certificates(report: Report, progress: OnProgress) -> dict[str, Any]:
    """Return the data of the certificates, the winner’s first (5 queries)."""
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
    items = [
        item
        for row in played
        if (row.entrant == one if one else row.place <= LAST_PLACE)
        for item in _items(state, row, heading, (closed, counts[row.section]))
    ]
    progress(Report.Step.READING, len(items), len(items))
    empty = {"empty": _("No round is closed yet.")}
    return page_data(heading, tournament.event.club, words=empty) | {"items": items}


def last_closed(state: TournamentState) -> int:
    """Return the last round up to which all rounds are closed; 0 before the first."""
    number = 0
    for each in state.seated_rounds:
        if each.row.closed_at is None:
            break
        number = each.row.number
    return number


def _items(
    state: TournamentState, row: Standing, heading: Heading, of: tuple[int, int]
) -> Iterator[dict[str, Any]]:
    """Yield the certificates of an entrant: one, or one for each player of a pair.

    `of` are the last closed round and the number of entrants of the section who have played.
    """
    closed, played = of
    names = names_of(entrant := state.entrants[row.entrant])
    for name in names:
        partner = [other for other in names if other != name]
        yield {
            "kind": _("CERTIFICATE"),
            "name": name,
            "place": place_text(row),
            "lines": [
                heading.event,
                " · ".join([heading.date, *_after(state, closed), *_code(state, closed)]),
                " · ".join([_points(row, played), *_with(partner), *_for(entrant.team)]),
            ],
            "signatures": [_("For the club"), _("Director")],
        }


def place_text(row: Standing) -> str:
    names = {1: _("First place"), 2: _("Second place"), 3: _("Third place")}
    place = names.get(row.place) or _("Place %(place)s") % {"place": row.place}
    said = _("%(place)s, shared") % {"place": place} if row.shared else place
    return f"{section_name(row.section)}: {said}" if row.section else said


def _after(state: TournamentState, closed: int) -> list[str]:
    if state.tournament.state == Tournament.State.FINISHED:
        return []
    round_ = next(each.row for each in state.seated_rounds if each.row.number == closed)
    return [_("after: %(round)s") % {"round": round_name(round_)}]


def _code(state: TournamentState, closed: int) -> list[str]:
    digest = digest_after(state, closed)
    return [_("Code: %(code)s") % {"code": letters_of(digest)}] if digest else []


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


def _with(partner: list[str]) -> list[str]:
    return [_("with %(name)s") % {"name": name} for name in partner]


def _for(team: str) -> list[str]:
    return [_("for %(team)s") % {"team": team}] if team else []
