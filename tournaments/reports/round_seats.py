"""The seating of a round, as the documents for the hall show it."""

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from tournaments.models import Entrant, Event, Game, Report, Round, Table, Tournament
from tournaments.queries.tournaments.state import DrawnTable, TournamentState, load_state
from tournaments.reports.page_family import Heading
from tournaments.reports.scoresheet import written_date


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

    Raises:
        ValueError: the report has no event.
    """
    if report.event is None:
        raise ValueError(f"{report} is of no event")
    return report.event


def check_for_directors(report: Report) -> None:
    """Check that the report is for directors.

    Raises:
        ValueError: it has another audience.
    """
    if report.audience != Report.Audience.DIRECTORS:
        raise ValueError(f"{report.kind} is for directors only")


def round_of(report: Report) -> Round:
    """Return the round of a report, if its readers may see it (1 query).

    Raises:
        ValueError: there is none, or it is not published.
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
    """Return the heading of a document of an event."""
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
