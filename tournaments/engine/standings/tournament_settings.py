"""The settings of a tournament, each described once, read strictly and written, and presets.

A setting's line in `TournamentSettings` gives it its place in documents, exports and the API, their
JSON Schema, its field in the form, its text on pages and its changes in the audit.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from tournaments.engine.rules import entries
from tournaments.engine.rules.entries import (
    INTEGER,
    POINTS_SCHEMA,
    STRING,
    SWITCH,
    WORTH,
    Shape,
    declared,
    declared_fields,
    is_text,
    listed,
    or_null,
    within,
    write_value,
    wrong_type,
)
from tournaments.engine.rules.entries import gettext_noop as _
from tournaments.engine.rules.rulesets import Code, Points, Problem, number_of
from tournaments.engine.standings.results import BYE_AVERAGE, TIE_BREAK_VERSION, TIE_BREAKS

SEATINGS = {
    "swiss": _("Swiss: equals meet, nobody twice"),
    "random": _("by lot"),
    "fixed": _("a plan for the whole tournament, nobody twice"),
    "rank-near": _("neighbours by rank: 1, 2, 3, 4 together"),
    "rank-spread": _("cross-seeded: 1, 5, 9, 13"),
    "round-robin": _("everybody with everybody"),
    "manual": _("as the director says"),
}

OBJECTIVES = {
    "new-opponents": _("everyone meets everyone: nobody twice where possible"),
    "no-repeats": _("nobody meets twice where possible, even if it seats them as by lot"),
    "near-scores": _("players with like points meet, some of them again"),
    "leaders": _("the leaders meet as often as possible"),
}

DRAWN_AT_ONCE = ("fixed", "round-robin")
"""The methods that draw all rounds at once; those by standings wait for each round."""

POINTS = {
    "game": _("the points of the game"),
    "places": _("points for the place at the table"),
    "out": _("1 for each game out or won"),
    "pair-difference": _("how far ahead of the others"),
}

RATED_BY = {
    "half-places": _("half the place, half the points of the game"),
    "points": _("the points of the game"),
}

ODD = {
    "bye": _("sits out (a bye)"),
    "house": _("plays with a house player, whose results count for nobody"),
}

FINALS = {
    0: _("none"),
    4: _("the first 4 play a final"),
    8: _("the first 8 play semi-finals and a final"),
    16: _("the first 16 play on to a final"),
}

SECTIONS = "ABCDEFGH"
"""The names of sections, in order."""
SECTION_COUNTS = {0: _("none")} | {n: " · ".join(SECTIONS[:n]) for n in range(2, len(SECTIONS) + 1)}

OVERTIME = {
    "as-it-stands": _("counts as it stands"),
    "last-deal-void": _("counts without the last deal written"),
}
CHECK_INS = {"none": _("nobody has to"), "once": _("once"), "round": _("before each round")}

MOST_ROUNDS = 30
MOST_PLAYING = 1_000
MOST_PRIZES = 16
LARGEST_LINE_UP = 16
AMOUNT = r"[0-9]{1,7}(?:\.[0-9]{1,2})?"
"""A pattern: units of whatever the club pays in, with hundredths."""
LONGEST_ROUND = 600
"""In minutes."""
LONGEST_CLOSED = 336
"""In hours: two weeks."""
MOST_PLACES = 4
LARGEST_WORTH = 10_000
"""The greatest worth of a place or a bye; its negative is the least."""


def _not_allowed(allowed: object) -> Problem:
    """Return the problem of a setting with another value; `SETTINGS` adds which."""
    return Problem(Code.UNKNOWN_OPTION, "", {"allowed": allowed})


def _choice(*choices: object) -> Shape:
    kind = INTEGER if type(choices[0]) is int else STRING
    named = list(choices)
    return kind.limited(choices.__contains__, _not_allowed(named), {"enum": named})


def _count(most: int, least: int = 1) -> Shape:
    return INTEGER.limited(
        lambda value: least <= value <= most,
        _not_allowed(f"{least}–{most}"),
        {"type": "integer", "minimum": least, "maximum": most},
    )


def _check_tie_breaks(value: Any) -> Sequence[Problem]:
    """Require known tie-breaks, each at most once."""
    if not isinstance(value, list):
        return (wrong_type("", "list of strings"),)
    found: list[Problem] = []
    for at, name in enumerate(value):
        if not is_text(name):
            found.append(wrong_type(f"[{at}]", "string"))
        elif name not in TIE_BREAKS or name in value[:at]:
            found += within(f"[{at}]", [_not_allowed(list(TIE_BREAKS))])
    return found


def _are_prizes(value: list[str]) -> bool:
    """Require amounts only, or shares of at most 100% together."""
    if not all(re.fullmatch(f"{AMOUNT}%?", prize) for prize in value):
        return False
    shares = [Fraction(prize[:-1]) for prize in value if prize.endswith("%")]
    return len(shares) in (0, len(value)) and sum(shares) <= 100


def _are_place_points(value: list[Any]) -> bool:
    """Require two to `MOST_PLACES` values, none better than those before it."""
    worth = [number_of(points) or 0 for points in value]
    return 2 <= len(worth) <= MOST_PLACES and worth == sorted(worth, reverse=True)


_WORTH = WORTH.limited(
    lambda value: -LARGEST_WORTH <= (number_of(value) or 0) <= LARGEST_WORTH,
    _not_allowed(f"−{LARGEST_WORTH}–{LARGEST_WORTH}"),
    {**POINTS_SCHEMA, "minimum": -LARGEST_WORTH, "maximum": LARGEST_WORTH},
)


def _count_or_none(most: int) -> Shape:
    count = _count(most)
    return or_null(count).with_schema({**count.schema, "type": ["integer", "null"]})


_PLACE_POINTS = listed(_WORTH).limited(
    _are_place_points,
    _not_allowed(f"2–{MOST_PLACES}"),
    {"type": "array", "items": _WORTH.schema, "minItems": 2, "maxItems": MOST_PLACES},
)
_TIE_BREAKS = Shape(
    _check_tie_breaks,
    {"type": "array", "items": {"enum": list(TIE_BREAKS)}, "uniqueItems": True},
    tuple,
)
_BYE = Shape(
    lambda value: () if value == BYE_AVERAGE else _WORTH.check(value),
    {"oneOf": [{"const": BYE_AVERAGE}, _WORTH.schema]},
    lambda value: value if value == BYE_AVERAGE else number_of(value),
)
_FEE = STRING.limited(
    lambda value: re.fullmatch(f"({AMOUNT})?", value) is not None,
    _not_allowed("20 | 12.50"),
    {"type": "string", "pattern": f"^({AMOUNT})?$", "examples": ["12.50"]},
)
_PRIZES = listed(STRING, 0, MOST_PRIZES).limited(
    _are_prizes,
    _not_allowed("50% | 12.50"),
    {
        "type": "array",
        "items": {"type": "string", "pattern": f"^{AMOUNT}%?$"},
        "maxItems": MOST_PRIZES,
        "examples": [["62.5%", "37.5%"]],
    },
)


def setting(shape: Shape | Mapping[Any, str], label: str = "", *, default: Any, **more: Any) -> Any:
    """Return a described field; for a choice, `shape` is the names of its values.

    A setting without a label is not for people: it has no form field and no text.
    """
    if isinstance(shape, Mapping):
        shape, more = _choice(*shape), more | {"names": shape}
    return field(default=default, metadata=declared(shape, label, **more))


def _if(name: str, *values: Any) -> Callable[[Mapping[str, Any]], bool]:
    """Return whether a setting has one of these values; without any, whether it is not empty."""
    return lambda settings: settings.get(name) in values if values else bool(settings.get(name))


def _always(_settings: Mapping[str, Any]) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class TournamentSettings:
    """The settings of a tournament, in reading order; the defaults suit an evening in a club."""

    rounds: int = setting(_count(MOST_ROUNDS), _("Rounds"), default=3)
    """Before the finals."""
    seating: str = setting(SEATINGS, _("Who sits with whom"), default="swiss")
    objective: str = setting(
        OBJECTIVES,
        _("What the seating is for"),
        default="new-opponents",
        matters=_if("seating", "swiss"),
    )
    leaders_last: bool = setting(
        SWITCH,
        _("Leaders meet in the last round, even if they have met before"),
        default=False,
        help=_("For Swiss seating without finals. The proposal says how many meet again."),
    )
    separate_clubs: bool = setting(
        SWITCH, _("Players of one club are kept apart where possible"), default=False
    )
    score_before_seats: bool = setting(
        SWITCH,
        _("Near scores matter more than even seats"),
        default=False,
        help=_("For Swiss seating: how often each sits in each seat may then differ by two."),
    )
    points: str = setting(POINTS, _("What a round is worth"), default="game")
    place_points: tuple[Points, ...] = setting(
        _PLACE_POINTS,
        _("Points of the places"),
        default=(4, 2, 1, 0),
        help=_("From the first place to the last; shared places share them."),
        matters=_if("points", "places"),
    )
    rated_by: str = setting(
        RATED_BY,
        _("What ratings count"),
        default="half-places",
        help=_("Where places count. Other tournaments are rated by the points of their games."),
        matters=_if("points", "places"),
    )
    """Tournaments from before there was this setting are rated by points."""
    tie_breaks: tuple[str, ...] = setting(
        _TIE_BREAKS,
        _("Between equals"),
        default=("wins", "kings", "head-to-head", "opponents", "best-game"),
        matters=_always,
    )
    odd: str = setting(ODD, _("Who is left over"), default="bye")
    bye: str | Points = setting(
        _BYE, _("A bye is worth"), default=BYE_AVERAGE, matters=_if("odd", "bye")
    )
    missed: Points | None = setting(
        or_null(_WORTH).with_schema({"oneOf": [{"type": "null"}, _WORTH.schema]}),
        _("A missed round is worth"),
        default=0,
        help=_(
            "Of who comes late; sitting out on arrival is worth no more. Empty: missed rounds are"
            " worth nothing, and sitting out on arrival is worth as much as at any time."
        ),
        matters=lambda settings: settings["missed"] is not None,
    )
    """None is what tournaments had before there was this setting."""
    finals: int = setting(FINALS, _("Finals"), default=0)
    carry: bool = setting(
        SWITCH, _("Points are carried into the finals"), default=True, matters=_if("finals")
    )
    minutes: int | None = setting(
        _count_or_none(LONGEST_ROUND),
        _("Minutes for a round"),
        default=None,
        help=_("Nothing: no limit."),
        matters=_always,
    )
    overtime: str = setting(
        OVERTIME, _("A game that runs out of time"), default="as-it-stands", matters=_if("minutes")
    )
    check_in: str = setting(
        CHECK_INS,
        _("Players say that they are there"),
        default="none",
        matters=lambda settings: settings["check_in"] != "none",
    )
    hide_last: bool = setting(
        SWITCH, _("Standings are hidden during the last round"), default=False
    )
    """From all but directors, until the tournament is finished; if finals follow, also those of the
    last round before them until it is closed."""
    confirm_deals: bool = setting(
        SWITCH,
        _("An opponent confirms each deal"),
        default=False,
        help=_(
            "The next declarer or another opponent, with one tap. A table that disputes a"
            " deal calls the director."
        ),
    )
    correct_minutes: int = setting(
        _count(LONGEST_ROUND),
        _("Minutes to correct a confirmed deal without a director"),
        default=10,
        matters=_if("confirm_deals"),
    )
    capacity: int | None = setting(
        _count_or_none(MOST_PLAYING),
        _("Places for entrants"),
        default=None,
        help=_("Nothing: no limit. Others wait, in the order they register."),
    )
    registration_closes_hours: int | None = setting(
        _count_or_none(LONGEST_CLOSED),
        _("Registration closes, hours before the start"),
        default=None,
        help=_("Nothing: with the start. It needs the hour of the start."),
    )
    fee: str = setting(_FEE, _("Fee"), default="")
    """An amount without a currency."""
    prizes: tuple[str, ...] = setting(
        _PRIZES,
        _("Prizes by place"),
        default=(),
        help=_("For each place 50% (of the fees) or 300 (an amount), with spaces between them."),
    )
    sections: int = setting(
        SECTION_COUNTS,
        _("Sections"),
        default=0,
        help=_("Each is seated and ranked by itself, and has finals of its own."),
    )
    line_up: int = setting(
        _count(LARGEST_LINE_UP, least=0),
        _("Players of a team in each round"),
        default=0,
        help=_(
            "Nothing: everybody plays. Otherwise each team names so many before each round, the"
            " others are its reserves, and players of one team do not sit together."
        ),
    )
    """In each round before the finals; 0: everybody plays, with or without a team."""
    open_registration: bool = setting(
        SWITCH,
        _("Everybody may register"),
        default=False,
        help=_(
            "Once the tournament is published, its page shows the button to everybody. Otherwise"
            " members see it, and others need the link."
        ),
    )
    tie_break_version: int = setting(
        _choice(*range(1, TIE_BREAK_VERSION + 1)), default=TIE_BREAK_VERSION
    )
    """How tie-breaks are computed: what was once published keeps its meaning."""

    @property
    def rates_half_places(self) -> bool:
        return self.points == "places" and self.rated_by == "half-places"

    @property
    def section_names(self) -> str:
        """Return a letter for each section; empty without sections."""
        return SECTIONS[: self.sections]

    def section_of(self, chosen: str) -> str:
        """Return the section for the one chosen: the last if there is none of that name."""
        names = self.section_names
        return chosen if chosen and chosen in names else names[-1:]


def read_settings(document: Any) -> TournamentSettings:
    """Read settings from a JSON object, with defaults for fields that are left out.

    Raises: InvalidEntry: with every problem; `where` is the field, with the place in a list.
    """
    settings: TournamentSettings = SETTINGS.load(document)
    return settings


def read_stored_settings(document: Mapping[str, Any]) -> TournamentSettings:
    """Read the settings of a tournament that may be older than some of them.

    Raises: InvalidEntry: as `read_settings`.
    """
    # Without these, missed rounds, tie-breaks and ratings are what they were.
    before = {"missed": None, "tie_break_version": 1, "rated_by": "points"}
    return read_settings(before | dict(document))


def write_settings(settings: TournamentSettings) -> dict[str, Any]:
    """Return settings as a JSON object, with all fields in order; `read_settings` reads it back."""
    return {field.name: write_value(getattr(settings, field.name)) for field in fields(settings)}


SETTING_FIELDS = declared_fields(TournamentSettings)

_SETTINGS = entries.fields(
    {name: about.shape for name, about in SETTING_FIELDS.items()}, TournamentSettings
)


def _check(value: Any) -> Sequence[Problem]:
    """Also refuse line-ups where all rounds are drawn at once, and name the settings at fault."""
    found = [*_SETTINGS.check(value)]
    if isinstance(value, dict) and value.get("line_up") and value.get("seating") in DRAWN_AT_ONCE:
        found += within(".line_up", [_not_allowed(0)])
    return [
        replace(p, params={"option": p.where[1:].partition("[")[0], **p.params})
        if p.code is Code.UNKNOWN_OPTION
        else p
        for p in found
    ]


SETTINGS = replace(_SETTINGS, check=_check)
"""The settings in a document; each may be left out."""

PRESETS: Mapping[str, TournamentSettings] = MappingProxyType(
    {
        "club-evening": TournamentSettings(),
        "swiss-day": TournamentSettings(
            rounds=5,
            leaders_last=True,
            points="places",
            tie_breaks=("total-points", "wins", "opponents", "head-to-head", "best-game"),
            minutes=75,
            check_in="once",
            hide_last=True,
        ),
        "league-night": TournamentSettings(
            rounds=2,
            seating="rank-near",
            points="places",
            tie_breaks=("total-points", "wins", "kings"),
            odd="house",
        ),
        "final-of-four": TournamentSettings(rounds=3, finals=4, carry=False, check_in="once"),
    }
)
"""Presets of settings to start from."""
