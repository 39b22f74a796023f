"""What hangs on the wall: who sits where, who is in front, and who still plays."""

from typing import Any

from tournaments.models import Game, Round
from tournaments.queries.tournaments import Course
from tournaments.telling.standings import last_counted

MOST_PLACES = 24


def shown_round(course: Course) -> Round | None:
    """The round that is published and not over, or the last one that was."""
    published = [each.row for each in course.drawn if each.row.published_at is not None]
    going = (place for place in published if place.closed_at is None)
    return next(going, published[-1] if published else None)


def seated(course: Course, place: Round) -> list[tuple[int | None, list[str]]]:
    """The tables of a round with the names of who sits there; at last who sits out, without one."""
    drawn = next(each for each in course.drawn if each.row.pk == place.pk)
    tables: list[tuple[int | None, list[str]]] = [
        (table.number, [_name(course, key, place.number) for key in table.entrants])
        for table in drawn.tables
    ]
    if drawn.byes:
        tables.append((None, [_name(course, key, place.number) for key in drawn.byes]))
    return tables


def top_places(course: Course) -> list[tuple[int, str, Any]]:
    """Place, name and points of those in front, after the last closed round that all may see."""
    shown = last_counted(course, directs=False)
    closed = [each.row.number for each in course.drawn if each.row.closed_at is not None]
    counted = [number for number in closed if number <= shown]
    if not counted:
        return []
    standings = course.standings_before(max(counted) + 1)[:MOST_PLACES]
    return [
        (each.place, course.entrants[each.entrant].shown_name, each.points) for each in standings
    ]


def still_playing(place: Round) -> list[int]:
    """The numbers of the tables whose games go on (1 query)."""
    going = Game.objects.filter(table__round=place, result__isnull=True)
    return list(going.order_by("table__number").values_list("table__number", flat=True))


def _name(course: Course, key: str, number: int) -> str:
    """Who plays for an entrant in a round, as they wish to be called."""
    entrant = course.entrants[key]
    names = [player.shown_name for player in course.players_of(entrant, number)]
    return " + ".join(filter(None, names)) or entrant.shown_name
