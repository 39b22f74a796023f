"""Who sits where in a round, as the documents for the hall say it."""

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.utils.translation import pgettext

from tournaments.models import Entrant, Event, Game, Report, Round, Table, Tournament
from tournaments.queries.tournaments import Course, DrawnTable, load_course
from tournaments.reports.page_family import Heading
from tournaments.reports.scoresheet import written_date
from tournaments.words import stage_name


@dataclass(frozen=True, slots=True)
class SeatedTable:
    """A table with the names at its seats, in the order of play.

    `row` and the `game` that is played there are None as long as the seating is proposed only.
    """

    number: int
    names: tuple[str, ...]
    row: Table | None = None
    game: Game | None = None


@dataclass(frozen=True, slots=True)
class RoundSeats:
    """The tables of a round in the order of their numbers, and the names of who sits out."""

    place: Round
    tables: tuple[SeatedTable, ...]
    byes: tuple[str, ...] = ()

    @property
    def is_proposed(self) -> bool:
        """Whether only directors know of it."""
        return _tournament_of(self.place.event) is not None and self.place.published_at is None


def event_of(report: Report) -> Event:
    """The event that a report tells of.

    Raises:
        ValueError: it tells of none.
    """
    if report.event is None:
        raise ValueError(f"{report} is of no event")
    return report.event


def check_for_directors(report: Report) -> None:
    """Make sure that only directors get what is theirs.

    Raises:
        ValueError: it was asked for others.
    """
    if report.audience != Report.Audience.DIRECTORS:
        raise ValueError(f"{report.kind} is for directors only")


def round_of(report: Report) -> Round:
    """The round that a report tells of, as far as its readers may see it (1 query).

    Raises:
        ValueError: there is none, or it is not published.
    """
    number = report.parameters.get("round")
    rounds = Round.objects.select_related("event__club", "event__tournament")
    place = rounds.filter(event=event_of(report), number=number).first()
    if place is None:
        raise ValueError(f"round {number} is gone")
    proposed = _tournament_of(place.event) is not None and place.published_at is None
    if proposed and report.audience != Report.Audience.DIRECTORS:
        raise ValueError(f"round {number} is not published")
    return place


def round_title(place: Round) -> str:
    """What a round is called: by its number, or as a stage of the finals."""
    if place.stage:
        return stage_name(place.stage)
    return pgettext("of an event", "Round %(number)s") % {"number": place.number}


def hall_heading(report: Report, title: str, lines: Iterable[str] = ()) -> Heading:
    """The head of a document of an event."""
    event = event_of(report)
    host = urlsplit(str(report.parameters.get("host", ""))).netloc
    return Heading(
        title=title,
        lines=[line for line in lines if line],
        event=event.name,
        date=written_date(event.held_on.isoformat()),
        description=f"{event.name}, {title}",
        origin=" · ".join(part for part in ("Kingscore", host) if part),
    )


def seats_of(place: Round) -> RoundSeats:
    """Who sits where in a round (2 queries, 3 in a tournament; 5 where it is proposed only)."""
    tournament = _tournament_of(place.event)
    if tournament is not None and place.published_at is None:
        return _proposed(load_course(tournament), place)
    # The last game of a match is the one that is played.
    games = {game.table_id: game for game in Game.objects.filter(table__round=place).order_by("pk")}
    tables = tuple(
        SeatedTable(row.number, tuple(games[row.pk].players), row, games[row.pk])
        for row in Table.objects.filter(round=place).order_by("number")
    )
    return RoundSeats(place, tables, _byes(place) if tournament else ())


def _tournament_of(event: Event) -> Tournament | None:
    tournament: Tournament | None = getattr(event, "tournament", None)
    return tournament


def _byes(place: Round) -> tuple[str, ...]:
    rows = Entrant.objects.filter(sittings__round=place, sittings__table=None)
    rows = rows.select_related("player", "partner").order_by("number")
    return tuple(name for row in rows for name in names_of(row))


def names_of(entrant: Entrant) -> list[str]:
    """The players of an entrant, each as they wish to be called; removed ones by number."""
    return [player.shown_name or f"№ {entrant.number}" for player in entrant.players]


def _proposed(course: Course, place: Round) -> RoundSeats:
    drawn = next(each for each in course.drawn if each.row.pk == place.pk)
    tables = tuple(
        SeatedTable(table.number, _proposed_names(course, place, table)) for table in drawn.tables
    )
    out = [course.entrants[key] for key in drawn.byes]
    return RoundSeats(place, tables, tuple(name for row in out for name in names_of(row)))


def _proposed_names(course: Course, place: Round, table: DrawnTable) -> tuple[str, ...]:
    """The names at the seats of a table: those of a pair sit as the game has it."""
    sides = [course.entrants[key] for key in table.entrants]
    waiting = [
        [
            player.shown_name or f"№ {entrant.number}"
            for player in course.players_of(entrant, place.number)
        ]
        for entrant in sides
    ]
    return tuple(waiting[side].pop(0) for side in course.rules.sides)
