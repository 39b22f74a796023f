"""The page of a seating: tables with names, its quality, and the reasons."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from fractions import Fraction
from itertools import chain
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournaments.engine.pairing.field import PairingField
from tournaments.engine.pairing.judging import (
    InvalidSeating,
    Quality,
    Seating,
    SeatingReason,
    judge,
    leaders_apart,
    least_spread,
)
from tournaments.engine.pairing.methods import QualityChange
from tournaments.engine.rules.rulesets import Points
from tournaments.models import Entrant, Revision, Round, Visitor
from tournaments.models.people import fold_name
from tournaments.presenters.figures import measure_text
from tournaments.queries.ratings.predictions import Outlook, outlooks
from tournaments.queries.tournaments.state import SeatedRound, TournamentState, field_of
from tournaments.services.rounds.proposals import fewest_repeats
from tournaments.services.rounds.seating import field_seated
from tournaments.services.rounds.swapping import Exchange, exchanged
from tournaments.texts.labels import section_name


@dataclass(frozen=True)
class Chair:
    """An entrant at a side of a table, from 0, or with a bye; `why` are sentences.

    `outlook` is the expectation by ratings, if they are visible; `section` is that of a bye.
    """

    entrant: Entrant
    names: tuple[str, ...]
    side: int | None
    why: tuple[str, ...] = ()
    outlook: Outlook | None = None
    section: str = ""


@dataclass(frozen=True)
class TableSeats:
    """A table of the seating; `place` is its index, from 0; `section` is empty without any."""

    number: int
    place: int
    chairs: tuple[Chair, ...]
    locked: bool
    section: str = ""


@dataclass(frozen=True)
class SeatingPage:
    """A round's seating; `quality` is None once it is published.

    `praise` are the sentences about it; `leaders_apart` if the last round should not be so.
    """

    tables: tuple[TableSeats, ...]
    byes: tuple[Chair, ...]
    quality: Quality | None = None
    praise: tuple[str, ...] = ()
    leaders_apart: bool = False

    @property
    def has_outlooks(self) -> bool:
        return any(chair.outlook for table in self.tables for chair in table.chairs)

    @property
    def by_name(self) -> list[tuple[str, int | None]]:
        """All entrants in order of names, with the number of the table; None for a bye."""
        seated = [
            (name, table.number)
            for table in self.tables
            for chair in table.chairs
            for name in chair.names
        ]
        out = [(name, None) for chair in self.byes for name in chair.names]
        return sorted([*seated, *out], key=lambda line: fold_name(line[0]))


def seating_page(
    state: TournamentState, round_: Round, visitor: Visitor = None, at: datetime | None = None
) -> SeatingPage:
    """Return the seating of a round with names; for a proposal, also its quality.

    With a moment `at`, add the expectations by the ratings that a visitor may see.
    """
    seated = next(each for each in state.seated_rounds if each.row.pk == round_.pk)
    expected = outlooks(state, seated, visitor, at) if at is not None else {}
    judged = None if round_.published_at else _judged(state, round_)
    sections = list(_sections(state, seated)) if judged else []
    why = {name: reasons for _field, each in sections for name, reasons in each.why.items()}
    locked = (round_.seating or {}).get("locked", [])
    tables = tuple(
        TableSeats(
            table.number,
            at,
            tuple(
                replace(_chair(state, seated, name, side, why), outlook=expected.get(name))
                for side, name in enumerate(table.entrants)
            ),
            at in locked,
            state.section_at(table.entrants),
        )
        for at, table in enumerate(seated.tables)
    )
    byes = tuple(_chair(state, seated, name, None, why) for name in seated.byes)
    if judged is None:
        return SeatingPage(tables, byes)
    apart = any(leaders_apart(field, each.tables) for field, each in sections)
    said = (_praise(state, field, each) for field, each in sections)
    praised = (*chain(*said), *_price(fewest_repeats(state, round_)))
    return SeatingPage(
        tables, byes, judged.quality, praised, _leaders_meet(state, round_) and apart
    )


def _sections(
    state: TournamentState, seated: SeatedRound
) -> Iterator[tuple[PairingField, Seating]]:
    """Yield the field and the judged seating of each section of a valid proposal."""
    for section in state.sections:
        here = state.of_section(seated, section)
        if here.names:
            who = [row for key, row in state.entrants.items() if key in here.names]
            field = field_of(state, seated.row.number, who)
            yield field, judge(field, [table.entrants for table in here.tables], here.byes)


def _praise(state: TournamentState, field: PairingField, seating: Seating) -> list[str]:
    """Return the sentences about a seating; with sections, as one that names the section."""
    least = least_spread(field, seating.why.keys() - {*seating.byes})
    said = list(praise(seating.quality, least, teams=bool(field.avoid)))
    section = state.section_at(field.index)
    return [f"{section_name(section)}: {' '.join(said)}"] if section else said


@dataclass(frozen=True)
class ChairChange:
    """An entrant, the new chair (table and side, from 1; None for a bye), and all points.

    `points` are those before and after, if they change.
    """

    entrant: Entrant
    table: int | None
    side: int | None
    points: tuple[Points, Points] | None


def keys_in(state: TournamentState, round_: Round) -> set[str]:
    """Return the keys of the entrants with a seat or a bye in a round."""
    seated = next(each for each in state.seated_rounds if each.row.pk == round_.pk)
    return {key for table in seated.tables for key in table.entrants} | {*seated.byes}


def exchange_shown(state: TournamentState, round_: Round, keys: Sequence[str]) -> dict[str, Any]:
    """Return what an exchange of chairs in a published round changes (1 query)."""
    after = exchanged(state, round_, Exchange(keys))
    seated = next(each for each in after.seated_rounds if each.row.pk == round_.pk)
    chairs = {
        key: (table, side) for table in seated.tables for side, key in enumerate(table.entrants, 1)
    }
    old, new = (each.points_after(round_.number) for each in (state, after))
    lines = []
    for key in keys:
        table, side = chairs.get(key, (None, None))
        points = (old.get(key, 0), new.get(key, 0))
        number = table.number if table else None
        moved = points if points[0] != points[1] else None
        lines.append(ChairChange(state.entrants[key], number, side, moved))
    tables = {chairs[key][0].pk if key in chairs else None for key in keys}
    entries = Revision.objects.of_entries().filter(game__table__in=tables - {None})
    return {"lines": lines, "begun": entries.exists(), "one_table": len(tables) == 1}


def _judged(state: TournamentState, round_: Round) -> Seating | None:
    seating = round_.seating or {"tables": [], "byes": []}
    try:
        return judge(field_seated(state, round_), seating["tables"], seating["byes"])
    except InvalidSeating:
        return None


def _chair(
    state: TournamentState,
    seated: SeatedRound,
    name: str,
    side: int | None,
    reasons: Mapping[str, Sequence[SeatingReason]],
) -> Chair:
    entrant = state.entrants[name]
    players = state.players_of(entrant, seated.row.number)
    names = tuple(player.shown_name or f"№ {entrant.number}" for player in players)
    said = tuple(map(reason_text, reasons.get(name, ())))
    section = state.section_of(entrant) if side is None else ""
    return Chair(entrant, names, side, said, section=section)


def reason_text(reason: SeatingReason) -> str:
    """Return the reason for somebody's seat as a sentence."""
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
        _("Sat out %(byes)s of the %(rounds)s rounds they were here for: first in turn.") % p
        if p["rounds"]
        else ngettext(
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


def faults(quality: Quality) -> Iterator[tuple[str, str]]:
    """Yield the name and value of each measure of a seating that should be 0, but is not."""
    for name in ("avoided_met", "same_club", "fixed_parted"):
        if getattr(quality, name):
            yield FIGURES[name](), str(getattr(quality, name))


def praise(quality: Quality, least: Fraction, *, teams: bool = False) -> Iterator[str]:
    """Yield sentences about meetings, seats and scores; `least` is the least possible spread.

    With `teams`, players of one team are to be kept apart.
    """
    yield _meetings(quality)
    if teams and not quality.avoided_met:
        yield _("Nobody sits with a teammate.")
    uneven = quality.seat_imbalance
    yield (
        ngettext(
            "Each has sat in each seat at most %(number)s time more than in another.",
            "Each has sat in each seat at most %(number)s times more than in another.",
            uneven,
        )
        % {"number": uneven}
        if uneven
        else _("Each has sat in each seat equally often.")
    )
    if quality.score_spread:
        numbers = {"spread": measure_text(quality.score_spread), "least": measure_text(least)}
        yield (
            _("Points at a table are %(spread)s apart on average, at best possible %(least)s.")
            if quality.score_spread > least
            else _("Points at a table are %(spread)s apart on average, the least possible.")
        ) % numbers


def _price(fewest: Mapping[str, Any] | None) -> Iterator[str]:
    """Yield a sentence about the spread with fewer repeats, if there are more than need be."""
    if fewest is not None:
        yield _(
            "With as few repeats as possible (%(number)s), points at a table would be %(spread)s"
            " apart on average."
        ) % {
            "number": fewest["repeat_meetings"],
            "spread": measure_text(fewest["score_spread"]),
        }


def _meetings(quality: Quality) -> str:
    again = quality.repeat_meetings
    if not again:
        return _("Nobody meets twice.")
    least = (
        ngettext(
            "%(number)s meeting is a repeat: fewer are not possible.",
            "%(number)s meetings are repeats: fewer are not possible.",
            again,
        )
        if again <= quality.repeat_bound
        else ngettext("%(number)s meeting is a repeat.", "%(number)s meetings are repeats.", again)
    )
    return least % {"number": again}


LEADERS_MEET = ("swiss", "rank-near", "manual")
"""The methods by which the leaders should sit together in the last round."""


def _leaders_meet(state: TournamentState, round_: Round) -> bool:
    """Return whether the leaders should sit together: in the last round, if no finals follow."""
    settings = state.settings
    last = round_.number == settings.rounds and not settings.finals
    return last and settings.seating in LEADERS_MEET


FIGURES: Mapping[str, Callable[[], str]] = {
    "repeat_meetings": lambda: _("Meetings again"),
    "repeat_bound": lambda: _("Meetings again at least"),
    "score_spread": lambda: _("Points apart at a table"),
    "seat_imbalance": lambda: _("Seats uneven by"),
    "avoided_met": lambda: _("Pairs of one team at a table"),
    "same_club": lambda: _("Pairs of one club"),
    "fixed_parted": lambda: _("Put together, yet apart"),
}


def cost_lines(changes: tuple[QualityChange, ...]) -> list[tuple[str, str, str]]:
    """Return the measures that a swap changes, before and after."""
    return [
        (FIGURES[each.name](), measure_text(each.before), measure_text(each.after))
        for each in changes
    ]
