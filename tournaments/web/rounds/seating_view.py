"""The seating of a round as its page shows it: tables with names, how good it is, and why."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournaments.engine.pairing.judging import InvalidSeating, Seating, judge
from tournaments.engine.pairing.manual import Change
from tournaments.engine.pairing.quality import Quality, Reason
from tournaments.models import Entrant, Round, Visitor
from tournaments.models.people import fold_name
from tournaments.queries.predictions import Outlook, outlooks
from tournaments.queries.tournaments import Course, Drawn
from tournaments.services.tournaments.drawing import field_seated
from tournaments.telling.figures import measure_text


@dataclass(frozen=True)
class Chair:
    """An entrant at a side of a table, from 0, or out; `why` are sentences.

    `outlook` is what the ratings expect, where they may be seen.
    """

    entrant: Entrant
    names: tuple[str, ...]
    side: int | None
    why: tuple[str, ...] = ()
    outlook: Outlook | None = None


@dataclass(frozen=True)
class TableSeats:
    """A table of the seating; `place` is where it stands in it, from 0."""

    number: int
    place: int
    chairs: tuple[Chair, ...]
    locked: bool


@dataclass(frozen=True)
class SeatingPage:
    """A round's seating; `quality` is None once it is published."""

    tables: tuple[TableSeats, ...]
    byes: tuple[Chair, ...]
    quality: Quality | None = None

    @property
    def has_outlooks(self) -> bool:
        """Whether something is expected of somebody."""
        return any(chair.outlook for table in self.tables for chair in table.chairs)

    @property
    def by_name(self) -> list[tuple[str, int | None]]:
        """Everybody in order of names, with the number of the table; None for a bye."""
        seated = [
            (name, table.number)
            for table in self.tables
            for chair in table.chairs
            for name in chair.names
        ]
        out = [(name, None) for chair in self.byes for name in chair.names]
        return sorted([*seated, *out], key=lambda line: fold_name(line[0]))


def seating_page(
    course: Course, place: Round, visitor: Visitor = None, at: datetime | None = None
) -> SeatingPage:
    """The seating of a round with names; of one not published, also how good it is.

    With a moment `at`, what the ratings that a visitor may see expect of it then.
    """
    drawn = next(each for each in course.drawn if each.row.pk == place.pk)
    expected = outlooks(course, drawn, visitor, at) if at is not None else {}
    judged = None if place.published_at else _judged(course, place)
    locked = (place.seating or {}).get("locked", [])
    tables = tuple(
        TableSeats(
            table.number,
            at,
            tuple(
                replace(_chair(course, drawn, name, side, judged), outlook=expected.get(name))
                for side, name in enumerate(table.entrants)
            ),
            at in locked,
        )
        for at, table in enumerate(drawn.tables)
    )
    byes = tuple(_chair(course, drawn, name, None, judged) for name in drawn.byes)
    return SeatingPage(tables, byes, judged.quality if judged else None)


def _judged(course: Course, place: Round) -> Seating | None:
    seating = place.seating or {"tables": [], "byes": []}
    try:
        return judge(field_seated(course, place), seating["tables"], seating["byes"])
    except InvalidSeating:
        return None


def _chair(
    course: Course, drawn: Drawn, name: str, side: int | None, judged: Seating | None
) -> Chair:
    entrant = course.entrants[name]
    players = course.players_of(entrant, drawn.row.number)
    names = tuple(player.shown_name or f"№ {entrant.number}" for player in players)
    why = judged.why[name] if judged else ()
    return Chair(entrant, names, side, tuple(map(reason_text, why)))


def reason_text(reason: Reason) -> str:
    """Why somebody sits where they sit, as a sentence."""
    params = dict(reason.params)
    if reason.code == "seat":
        params["seat"] += 1
    return REASONS[reason.code](params)


REASONS: Mapping[str, Callable[[dict[str, int]], str]] = {
    "fixed": lambda _params: _("Put together with others by the director."),
    "score-group": lambda p: _("Place %(rank)s so far.") % p,
    "met-before": lambda p: (
        ngettext(
            "Has met %(players)s of this table before.",
            "Has met %(players)s of this table before.",
            p["players"],
        )
        % p
    ),
    "not-met": lambda _params: _("Has met nobody of this table before."),
    "seat": lambda p: (
        ngettext(
            "Sat in seat %(seat)s %(times)s time so far.",
            "Sat in seat %(seat)s %(times)s times so far.",
            p["times"],
        )
        % p
    ),
    "fewest-byes": lambda p: (
        ngettext(
            "Sat out %(byes)s time so far: nobody less often.",
            "Sat out %(byes)s times so far: nobody less often.",
            p["byes"],
        )
        % p
    ),
    "lowest-score": lambda p: (
        ngettext(
            "%(lower)s of them has fewer points.",
            "%(lower)s of them have fewer points.",
            p["lower"],
        )
        % p
    ),
}


def figures(quality: Quality) -> Iterator[tuple[str, str]]:
    """How good a seating is: what is counted, and what it comes to."""
    repeats = str(quality.repeat_meetings)
    if quality.repeat_bound:
        repeats = _("%(number)s (at least %(bound)s)") % {
            "number": repeats,
            "bound": quality.repeat_bound,
        }
    yield FIGURES["repeat_meetings"](), repeats
    yield FIGURES["score_spread"](), measure_text(quality.score_spread)
    yield FIGURES["seat_imbalance"](), str(quality.seat_imbalance)
    for name in ("avoided_met", "same_club", "fixed_parted"):
        if getattr(quality, name):
            yield FIGURES[name](), str(getattr(quality, name))


FIGURES: Mapping[str, Callable[[], str]] = {
    "repeat_meetings": lambda: _("Meetings again"),
    "repeat_bound": lambda: _("Meetings again at least"),
    "score_spread": lambda: _("Points apart at a table"),
    "seat_imbalance": lambda: _("Seats uneven by"),
    "avoided_met": lambda: _("Kept apart, yet together"),
    "same_club": lambda: _("Pairs of one club"),
    "fixed_parted": lambda: _("Put together, yet apart"),
}


def cost_lines(changes: tuple[Change, ...]) -> list[tuple[str, str, str]]:
    """What a swap changes: what is counted, before and after."""
    return [
        (FIGURES[each.name](), measure_text(each.before), measure_text(each.after))
        for each in changes
    ]
