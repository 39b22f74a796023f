"""The settings of a tournament, read strictly and written, and presets of them.

Settings name choices from the closed lists below.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
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
    Problems,
    Schema,
    Shape,
    is_text,
    listed,
    or_null,
    write_value,
    wrong_type,
)
from tournaments.engine.rules.rulesets import Code, Points, Problem, number_of
from tournaments.engine.standings.results import BYE_AVERAGE, TIE_BREAK_VERSION, TIE_BREAKS

SEATINGS = ("swiss", "random", "fixed", "rank-near", "rank-spread", "round-robin", "manual")
"""Methods of seating: by points, random, by a plan for the whole event, neighbours in the standings
(1-2-3-4), across the standings (1-5-9-13), round robin, or by the director."""

OBJECTIVES = ("new-opponents", "near-scores", "leaders")
"""What a `swiss` seating is for: everyone meets everyone, those of like scores meet, or the leaders
meet as often as possible."""

DRAWN_AT_ONCE = ("fixed", "round-robin")
"""The methods that draw all rounds at once; those by standings wait for each round."""

POINTS = ("game", "places", "out", "pair-difference")
"""The worth of a round: the points of the game or of the place, a win for being out, or the lead
over the others."""

ODD = ("bye", "house")
"""Entrants left over get a bye, or house players fill the table."""

FINALS = (0, 4, 8, 16)
SECTIONS = "ABCDEFGH"
"""The names of sections, in order."""

OVERTIME = ("as-it-stands", "last-deal-void")
CHECK_INS = ("none", "once", "round")

MOST_ROUNDS = 30
MOST_PLAYING = 1_000
MOST_PRIZES = 16
LARGEST_LINE_UP = 16
AMOUNT = r"[0-9]{1,7}(?:\.[0-9]{1,2})?"
"""A pattern: units of whatever the club pays in, with hundredths."""
LONGEST_ROUND = 600
"""In minutes."""
MOST_PLACES = 4
LARGEST_WORTH = 10_000
"""The greatest worth of a place or a bye; its negative is the least."""


@dataclass(frozen=True, slots=True)
class TournamentSettings:
    """The settings of a tournament; the defaults suit an evening in a club.

    `rounds` is the number of rounds before the finals. A `swiss` seating weighs repeat meetings and
    scores by its `objective`. With `leaders_last` the leaders meet in the last round, even if they
    have met before; finals do so anyway. With `score_before_seats` a `swiss` seating brings scores
    together at the expense of even seats. `place_points` are the points of the first place and of
    those after it, for `points = "places"`. `bye` is the average of the rounds played so far, or a
    fixed number. `missed` is what each round is worth to whoever comes later, and the most that a
    bye is worth in their first one (None, as before there was this setting: nothing, and a bye
    counts as any other). `finals` is the number who play on after the last round (0: nobody), with
    their points if they `carry`, else from zero. `minutes` is the time limit of a round (None: no
    limit), and `overtime` decides about a game that is not over by then. `check_in` says when
    entrants confirm that they are there. With `hide_last`, only directors see the results of the
    last round before the tournament is finished; if finals follow, also those of the last round
    before them until it is closed. With `confirm_deals`, an opponent confirms each deal, which the
    table may then correct without a director for `correct_minutes`. `capacity` is the number of
    places: others who register before the start wait (None: no limit). `fee` is what each entrant
    pays, an amount without a currency (empty: nothing). `prizes` are by place, from the first: all
    shares of the fees, as "50%", or all amounts. `sections` is the number of sections (0: none):
    each is seated and ranked by itself, and has finals of its own. `line_up` is the number of
    players of a team who play in each round before the finals (0: everybody, with or without a
    team). With `open_registration`, the tournament's page offers registration to everybody.
    `tie_break_version` is how tie-breaks are computed: what was once published keeps its meaning.
    """

    rounds: int = 3
    seating: str = "swiss"
    objective: str = "new-opponents"
    leaders_last: bool = False
    separate_clubs: bool = False
    score_before_seats: bool = False
    points: str = "game"
    place_points: tuple[Points, ...] = (4, 2, 1, 0)
    tie_breaks: tuple[str, ...] = ("wins", "kings", "head-to-head", "opponents", "best-game")
    odd: str = "bye"
    bye: str | Points = BYE_AVERAGE
    missed: Points | None = 0
    finals: int = 0
    carry: bool = True
    minutes: int | None = None
    overtime: str = "as-it-stands"
    check_in: str = "none"
    hide_last: bool = False
    confirm_deals: bool = False
    correct_minutes: int = 10
    capacity: int | None = None
    fee: str = ""
    prizes: tuple[str, ...] = ()
    sections: int = 0
    line_up: int = 0
    open_registration: bool = False
    tie_break_version: int = TIE_BREAK_VERSION

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
    # Without these, missed rounds and tie-breaks are what they were.
    return read_settings({"missed": None, "tie_break_version": 1} | dict(document))


def write_settings(settings: TournamentSettings) -> dict[str, Any]:
    """Return settings as a JSON object, with all fields in order; `read_settings` reads it back."""
    return {field.name: write_value(getattr(settings, field.name)) for field in fields(settings)}


def _limited(
    shape: Shape, fits: Callable[[Any], bool], allowed: object, schema: Schema | None = None
) -> Shape:
    def check(where: str, value: Any) -> Problems:
        if not fits(value):
            yield _not_allowed(where, allowed)

    return shape.also(check, schema)


def _not_allowed(where: str, allowed: object) -> Problem:
    option = where.rpartition(".")[2].partition("[")[0]
    return Problem(Code.UNKNOWN_OPTION, where, {"option": option, "allowed": allowed})


def _choice(*choices: object) -> Shape:
    named = list(choices)
    kind = INTEGER if type(choices[0]) is int else STRING
    return _limited(kind, choices.__contains__, named, {"enum": named})


def _count(most: int) -> Shape:
    schema = {"type": "integer", "minimum": 1, "maximum": most}
    return _limited(INTEGER, lambda value: 1 <= value <= most, f"1–{most}", schema)


def _check_tie_breaks(where: str, value: Any) -> Problems:
    """Require known tie-breaks, each at most once."""
    if not isinstance(value, list):
        yield wrong_type(where, "list of strings")
        return
    for at, name in enumerate(value):
        if not is_text(name):
            yield wrong_type(f"{where}[{at}]", "string")
        elif name not in TIE_BREAKS or name in value[:at]:
            yield _not_allowed(f"{where}[{at}]", list(TIE_BREAKS))


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


_WORTH = _limited(
    WORTH,
    lambda value: -LARGEST_WORTH <= (number_of(value) or 0) <= LARGEST_WORTH,
    f"−{LARGEST_WORTH}–{LARGEST_WORTH}",
    {**POINTS_SCHEMA, "minimum": -LARGEST_WORTH, "maximum": LARGEST_WORTH},
)


def _count_or_none(most: int) -> Shape:
    count = _count(most)
    return or_null(count).with_schema({**count.schema, "type": ["integer", "null"]})


SETTING_SHAPES: Mapping[str, Shape] = MappingProxyType(
    {
        "rounds": _count(MOST_ROUNDS),
        "seating": _choice(*SEATINGS),
        "objective": _choice(*OBJECTIVES),
        "leaders_last": SWITCH,
        "separate_clubs": SWITCH,
        "score_before_seats": SWITCH,
        "points": _choice(*POINTS),
        "place_points": _limited(
            listed(_WORTH),
            _are_place_points,
            f"2–{MOST_PLACES}",
            {"type": "array", "items": _WORTH.schema, "minItems": 2, "maxItems": MOST_PLACES},
        ),
        "tie_breaks": Shape(
            _check_tie_breaks,
            {"type": "array", "items": {"enum": list(TIE_BREAKS)}, "uniqueItems": True},
            tuple,
        ),
        "odd": _choice(*ODD),
        "bye": Shape(
            lambda where, value: () if value == BYE_AVERAGE else _WORTH.check(where, value),
            {"oneOf": [{"const": BYE_AVERAGE}, _WORTH.schema]},
            lambda value: value if value == BYE_AVERAGE else number_of(value),
        ),
        "missed": or_null(_WORTH).with_schema({"oneOf": [{"type": "null"}, _WORTH.schema]}),
        "finals": _choice(*FINALS),
        "carry": SWITCH,
        "minutes": _count_or_none(LONGEST_ROUND),
        "overtime": _choice(*OVERTIME),
        "check_in": _choice(*CHECK_INS),
        "hide_last": SWITCH,
        "confirm_deals": SWITCH,
        "correct_minutes": _count(LONGEST_ROUND),
        "capacity": _count_or_none(MOST_PLAYING),
        "fee": _limited(
            STRING,
            lambda value: re.fullmatch(f"({AMOUNT})?", value) is not None,
            "20 | 12.50",
            {"type": "string", "pattern": f"^({AMOUNT})?$", "examples": ["12.50"]},
        ),
        "prizes": _limited(
            replace(listed(STRING, 0, MOST_PRIZES), read=tuple),
            _are_prizes,
            "50% | 12.50",
            {
                "type": "array",
                "items": {"type": "string", "pattern": f"^{AMOUNT}%?$"},
                "maxItems": MOST_PRIZES,
                "examples": [["62.5%", "37.5%"]],
            },
        ),
        "sections": _choice(0, *range(2, len(SECTIONS) + 1)),
        "line_up": _limited(
            INTEGER,
            lambda value: 0 <= value <= LARGEST_LINE_UP,
            f"0–{LARGEST_LINE_UP}",
            {"type": "integer", "minimum": 0, "maximum": LARGEST_LINE_UP},
        ),
        "open_registration": SWITCH,
        "tie_break_version": _choice(*range(1, TIE_BREAK_VERSION + 1)),
    }
)


_SETTINGS = entries.fields(SETTING_SHAPES, required=(), make=TournamentSettings)


def _check(where: str, value: Any) -> Problems:
    """Also refuse line-ups where all rounds are drawn at once."""
    yield from _SETTINGS.check(where, value)
    if isinstance(value, dict) and value.get("line_up") and value.get("seating") in DRAWN_AT_ONCE:
        yield _not_allowed(entries.below(where, "line_up"), 0)


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
