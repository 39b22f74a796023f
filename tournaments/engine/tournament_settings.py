"""How a tournament is played: a few settings, read strictly and written, and presets of them.

Choices stand in it by their names, from the closed lists below.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import partial
from types import MappingProxyType
from typing import Any

from tournaments.engine.entry_records import is_text, write_points, wrong_type
from tournaments.engine.problems import Code, InvalidEntry, Problem
from tournaments.engine.rulesets import Points, number_of

SEATINGS = ("swiss", "random", "fixed", "rank-near", "rank-spread", "round-robin", "manual")
"""Who sits with whom: by points, by lot, by a plan for the whole event, the nearest in the
standings (1-2-3-4), the furthest (1-5-9-13), everybody with everybody, or as the director says."""

POINTS = ("game", "places", "out", "pair-difference")
"""What a round is worth: the points of the game, of the place, for being out, or how far one is
ahead of the others."""

TIE_BREAKS = (
    "total-points",
    "place-points",
    "wins",
    "kings",
    "head-to-head",
    "opponents",
    "best-game",
    "fewest-penalties",
    "lot",
)
"""What decides between equals; `standings.TIE_BREAKS` has the strategies."""

ODD = ("bye", "house")
"""Who is left over sits out, or house players fill the table up."""

BYE_AVERAGE = "average"
FINALS = (0, 4, 8, 16)
OVERTIME = ("as-it-stands", "last-deal-void")
CHECK_INS = ("none", "once", "round")

MOST_ROUNDS = 30
LONGEST_ROUND = 600
"""Minutes."""
MOST_PLACES = 4
LARGEST_WORTH = 10_000
"""What a place or a bye is worth at most, and with a minus at least."""


@dataclass(frozen=True, slots=True)
class TournamentSettings:
    """How a tournament is played; the defaults are those of an evening in a club.

    `rounds` come before the finals. `place_points` are the points of the first place and of
    those after it, for `points = "places"`; `bye` is the average of the rounds played so far,
    or a fixed number. `finals` is how many play on after the last round (0: nobody), with
    what they have when they `carry`, else from zero. `minutes` are the time of a round (None:
    no limit), `overtime` says what becomes of a game that is not over then, `check_in` when
    entrants say that they are there, and with `hide_last` none
    but directors see what the last round brings before the tournament is finished.
    """

    rounds: int = 3
    seating: str = "swiss"
    separate_clubs: bool = False
    points: str = "game"
    place_points: tuple[Points, ...] = (4, 2, 1, 0)
    tie_breaks: tuple[str, ...] = ("wins", "kings", "head-to-head", "opponents", "best-game")
    odd: str = "bye"
    bye: str | Points = BYE_AVERAGE
    finals: int = 0
    carry: bool = True
    minutes: int | None = None
    overtime: str = "as-it-stands"
    check_in: str = "none"
    hide_last: bool = False


def read_settings(document: Any) -> TournamentSettings:
    """The settings of a JSON object; what is left out is as by default.

    Raises:
        InvalidEntry: with every problem; `where` is the field, with the place in a list.
    """
    if not isinstance(document, dict):
        raise InvalidEntry([wrong_type("", "object")])
    problems = [problem for name in document for problem in _check(name, document[name])]
    if problems:
        raise InvalidEntry(problems)
    return TournamentSettings(**{name: _value(name, raw) for name, raw in document.items()})


def write_settings(settings: TournamentSettings) -> dict[str, Any]:
    """Settings as a JSON object, all fields in their order; reading it gives the same ones."""
    return {field.name: _write(getattr(settings, field.name)) for field in fields(settings)}


def _write(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_write(item) for item in value]
    return value if isinstance(value, str | bool | None) else write_points(value)


def _value(name: str, raw: Any) -> Any:
    """A value that has been checked."""
    if name == "place_points":
        return tuple(number_of(item) for item in raw)
    if name == "bye" and raw != BYE_AVERAGE:
        return number_of(raw)
    return tuple(raw) if isinstance(raw, list) else raw


def _check(name: Any, value: Any) -> Iterator[Problem]:
    if name not in CHECKS:
        yield Problem(Code.UNEXPECTED_FIELD, str(name), {"field": str(name)})
    else:
        yield from CHECKS[name](name, value)


def _not_like_this(where: str, allowed: object) -> Problem:
    option = where.partition("[")[0]
    return Problem(Code.UNKNOWN_OPTION, where, {"option": option, "allowed": allowed})


# Checks of single values: each knows the path and what stands there.


def _check_choice(choices: tuple[object, ...], where: str, value: Any) -> Iterator[Problem]:
    wanted = type(choices[0])
    # True == 1 in Python, and is no number here.
    if type(value) is not wanted:
        yield wrong_type(where, "string" if wanted is str else "integer")
    elif value not in choices:
        yield _not_like_this(where, list(choices))


def _check_switch(where: str, value: Any) -> Iterator[Problem]:
    if type(value) is not bool:
        yield wrong_type(where, "true or false")


def _check_count(most: int, where: str, value: Any) -> Iterator[Problem]:
    if type(value) is not int:
        yield wrong_type(where, "integer")
    elif not 1 <= value <= most:
        yield _not_like_this(where, f"1–{most}")


def _check_minutes(where: str, value: Any) -> Iterator[Problem]:
    if value is not None:
        yield from _check_count(LONGEST_ROUND, where, value)


def _check_worth(where: str, value: Any) -> Iterator[Problem]:
    worth = number_of(value)
    if worth is None:
        yield wrong_type(where, 'integer or "p/q"')
    elif not -LARGEST_WORTH <= worth <= LARGEST_WORTH:
        yield _not_like_this(where, f"−{LARGEST_WORTH}–{LARGEST_WORTH}")


def _check_bye(where: str, value: Any) -> Iterator[Problem]:
    if value != BYE_AVERAGE:
        yield from _check_worth(where, value)


def _check_place_points(where: str, value: Any) -> Iterator[Problem]:
    """As many as a table has sides, or fewer, and none better than those before it."""
    if not isinstance(value, list):
        yield wrong_type(where, "list")
        return
    problems = [p for at, each in enumerate(value) for p in _check_worth(f"{where}[{at}]", each)]
    yield from problems
    if problems:
        return
    worth = [number_of(each) or 0 for each in value]
    if not 2 <= len(worth) <= MOST_PLACES or worth != sorted(worth, reverse=True):
        yield _not_like_this(where, f"2–{MOST_PLACES}")


def _check_tie_breaks(where: str, value: Any) -> Iterator[Problem]:
    """Any of them, each once."""
    if not isinstance(value, list):
        yield wrong_type(where, "list of strings")
        return
    for at, name in enumerate(value):
        if not is_text(name):
            yield wrong_type(f"{where}[{at}]", "string")
        elif name not in TIE_BREAKS or name in value[:at]:
            yield _not_like_this(f"{where}[{at}]", list(TIE_BREAKS))


CHECKS: Mapping[str, Callable[[str, Any], Iterator[Problem]]] = MappingProxyType(
    {
        "rounds": partial(_check_count, MOST_ROUNDS),
        "seating": partial(_check_choice, SEATINGS),
        "separate_clubs": _check_switch,
        "points": partial(_check_choice, POINTS),
        "place_points": _check_place_points,
        "tie_breaks": _check_tie_breaks,
        "odd": partial(_check_choice, ODD),
        "bye": _check_bye,
        "finals": partial(_check_choice, FINALS),
        "carry": _check_switch,
        "minutes": _check_minutes,
        "overtime": partial(_check_choice, OVERTIME),
        "check_in": partial(_check_choice, CHECK_INS),
        "hide_last": _check_switch,
    }
)
"""How each field is checked."""

PRESETS: Mapping[str, TournamentSettings] = MappingProxyType(
    {
        "club-evening": TournamentSettings(),
        "swiss-day": TournamentSettings(
            rounds=5,
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
"""Settings to begin with."""
