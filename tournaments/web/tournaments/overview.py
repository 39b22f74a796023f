"""What leads on a tournament's page: leaders, surprises, podium and numbers, in words."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from itertools import accumulate, chain
from typing import Any

from django.core.cache import caches
from django.urls import reverse
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from tournaments.models import Tournament
from tournaments.presenters.rounds.overview import Leader, Overview, PathStep, Surprise, overview_of
from tournaments.queries.site import PlayingEvent
from tournaments.queries.tournaments.state import TournamentState, settings_of
from tournaments.queries.tournaments.steps import Version
from tournaments.texts.labels import points_text
from tournaments.web.base.curves import curve_of
from tournaments.web.tournaments.leaders import KEPT_SECONDS

MOST_LEADERS = 10
MOST_OF_SECTION = 5
MOST_FOUND = 6
MOST_COMERS = 40
CURVE = (320, 96, 6)


@dataclass(frozen=True, slots=True)
class Highlight:
    """A fact with its figure, as it stands in a list."""

    name: str
    text: str
    figure: str = ""


@dataclass(frozen=True, slots=True)
class FoundEntrant:
    """An entrant who was looked for, with their row once there are standings."""

    number: int
    name: str
    row: Leader | None
    table: int | None


@dataclass(frozen=True, slots=True)
class WayLine:
    """The curve of somebody's sum after each round, with its last point."""

    name: str
    points: str
    curve: str
    end: tuple[str, str]


@dataclass(frozen=True, slots=True)
class WinnersWay:
    """The winner's rounds, and the curves of the winner and the second; none after one round."""

    path: list[PathStep]
    lines: tuple[WayLine, ...]


def overview_shown(version: Version, load: Callable[[], TournamentState]) -> Overview:
    """Return the overview, cached by this process until a change; then `load` is called."""
    said = repr((version, get_language()))
    key = f"overview-{sha256(said.encode()).hexdigest()}"
    kept: Overview | None = caches["pages"].get(key)
    if kept is None:
        kept = overview_of(load())
        caches["pages"].set(key, kept, KEPT_SECONDS)
    return kept


def overview_page(seen: Overview, asked: str) -> dict[str, Any]:
    """Return what leads on the page now; `asked` is the name that is looked for."""
    coming, seats = len(seen.here), len(set(seen.side_seats))
    return {
        "seen": seen,
        "leaders": leaders_shown(seen),
        "asked": asked,
        "found": found_shown(seen, asked) if asked else [],
        "surprises": surprises_shown(seen),
        "numbers": numbers_shown(seen),
        "winner": winner_path(seen),
        "comers": [seen.names[key] for key in seen.here[:MOST_COMERS]],
        "more_comers": max(0, coming - MOST_COMERS),
        "filling": filling_text(coming, seats),
        "chairs": tables_filling(coming, seats),
    }


def register_address(row: Tournament, *, member: bool) -> str:
    """Return where a visitor registers; empty for those who need the link."""
    offered = member or settings_of(row).open_registration
    if row.state != Tournament.State.REGISTRATION or not offered:
        return ""
    return reverse("register", args=[row.public_id, row.secret("register")])


def leaders_shown(seen: Overview) -> list[tuple[str, list[Leader]]]:
    """Return the first of each section; of more sections fewer each."""
    sections = seen.sections
    most = MOST_LEADERS if len(sections) == 1 else MOST_OF_SECTION
    return [(name, rows[:most]) for name, rows in sections]


def found_shown(seen: Overview, asked: str) -> list[FoundEntrant]:
    return [found_of(seen, key) for key in seen.found(asked, MOST_FOUND)]


def found_of(seen: Overview, key: str) -> FoundEntrant:
    table = seen.current.table_of(key) if seen.current else None
    return FoundEntrant(
        int(key[1:]), seen.names[key], seen.row_of(key), table.number if table else None
    )


def surprises_shown(seen: Overview) -> list[Highlight]:
    return [_surprise(each) for each in seen.surprises()]


def _surprise(each: Surprise) -> Highlight:
    name = ", ".join(dict.fromkeys(each.names))
    if each.code == "win":
        text = _("the clearest win, at table %(table)s") % {"table": each.table}
        return Highlight(name, text, f"+{points_text(each.number)}")
    if each.code == "comeback":
        text = _("from place %(before)s to place %(place)s") % {
            "before": each.before,
            "place": each.number,
        }
        return Highlight(name, text, f"▲{each.before - int(each.number)}")
    text = ngettext("made a King", "made Kings", len(each.names))
    return Highlight(name, text, "♛" if len(each.names) == 1 else f"♛ {len(each.names)}")


def numbers_shown(seen: Overview) -> list[Highlight]:
    """Return the numbers of a finished tournament."""
    return list(_numbers(seen)) if seen.rounds else []


def _numbers(seen: Overview) -> Iterator[Highlight]:
    games = seen.games()
    yield Highlight("", ngettext("game", "games", games), str(games))
    kings = seen.kings(*seen.rounds)
    if kings:
        text = ngettext("King: %(names)s", "Kings: %(names)s", len(kings))
        names = ", ".join(dict.fromkeys(kings))
        yield Highlight("", text % {"names": names}, str(len(kings)))
    highest = seen.highest()
    if highest:
        yield Highlight(
            "", _("highest game: %(name)s") % {"name": highest[1]}, points_text(highest[0])
        )
    closest = seen.closest()
    if closest and closest[0]:
        points, label, table = closest
        text = _("points apart at the closest table: round %(round)s, table %(table)s")
        yield Highlight("", text % {"round": label, "table": table}, points_text(points))


def playing_text(playing: PlayingEvent) -> str:
    """Return how far an event is."""
    if playing.round is None:
        return _("between two rounds")
    return _("Round %(number)s, %(finished)s of %(tables)s tables finished") % {
        "number": playing.round,
        "finished": playing.finished,
        "tables": playing.tables,
    }


def filling_text(coming: int, seats: int) -> str:
    """Return how many more fill the last table; "" if it is full."""
    missing = -coming % seats
    if not coming or not missing:
        return ""
    return ngettext(
        "%(number)s more fills table %(table)s.", "%(number)s more fill table %(table)s.", missing
    ) % {"number": missing, "table": coming // seats + 1}


def tables_filling(coming: int, seats: int) -> list[list[bool]]:
    """Return the chairs of each table, taken or free; at least one table."""
    tables = max(1, -(-coming // seats))
    return [[at * seats + chair < coming for chair in range(seats)] for at in range(tables)]


def winner_path(seen: Overview) -> WinnersWay | None:
    """Return the rounds of the only winner, beside the second if there is only one."""
    first, second = ([row for row in seen.podium if row.place == place] for place in (1, 2))
    if len(first) != 1:
        return None
    rows = [*first, *(second if len(second) == 1 else ())]
    courses = [list(accumulate(points or 0 for points in row.by_round)) for row in rows]
    values = [0, *chain(*courses)]
    low, high = min(values), max(values)
    drawn = len(rows) > 1 and len(courses[0]) > 1
    lines = tuple(
        WayLine(row.name, points_text(row.points), *curve_of(course, low, high, CURVE))
        for row, course in zip(rows, courses, strict=True)
        if drawn
    )
    return WinnersWay(seen.path_of(first[0]), lines)
