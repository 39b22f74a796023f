"""The progress of a tournament, its directors' next step, and the step that can be undone.

The words of the steps are in `web/tournaments/steps.py`. `version_of` is the key under which pages
keep standings.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.db import connection
from django.db.models import Count, F, OuterRef, Q, Subquery, Sum
from django.db.models.functions import Coalesce
from django.db.models.lookups import IsNull

from tournaments.models import AuditEntry, Game, Round, Table, Tournament
from tournaments.models.tournaments import TournamentQuerySet
from tournaments.queries.state import rules_of_tournament, settings_of

State = Tournament.State

PLAYED = (State.RUNNING, State.FINISHED)
"""The states in which ruleset and settings are fixed."""

NEXT_STEPS = (
    "open-registration",
    "add-entrants",
    "start",
    "look-at-entrants",
    "seat-round",
    "seat-finals",
    "publish-seating",
    "open-round",
    "look-at-tables",
    "close-round",
    "finish",
    "see-standings",
)
"""Next steps, in the order of an evening."""

STEPS_BACK = (
    "back-to-draft",
    "back-to-registration",
    "throw-seating-away",
    "take-seating-back",
    "reopen-round",
    "not-finished",
)
"""Steps that can be undone."""


@dataclass(frozen=True, slots=True)
class LifecycleStep:
    """A step by its code, with its round (the `stage` in finals) and its table, if it has one."""

    code: str
    round: int | None = None
    table: int | None = None
    stage: str = ""


@dataclass(frozen=True, slots=True)
class HowFar:
    """The progress of a tournament and the possible steps.

    `progress` is that of its current round (`round_`) once the round is published. `here` is the
    number of checked-in entrants, None if there is no check-in. `needed` entrants fill a table.
    """

    rounds: Sequence[Round]
    round_: Round | None
    progress: dict[str, Any] | None
    playing: int
    here: int | None
    withdrawn: int
    needed: int
    enough: bool
    step: LifecycleStep
    back: LifecycleStep | None


def how_far(row: Tournament, rounds: Sequence[Round]) -> HowFar:
    """Return the progress of a tournament with these rounds, in order (2 queries)."""
    round_ = current_round(rounds)
    progress = progress_of(round_) if round_ is not None and round_.published_at else None
    number = len(rounds) + 1
    checked_from = {"none": 0, "once": 1, "round": number}[settings_of(row).check_in]
    playing = Q(withdrawn_at=None)
    wanted = {
        "playing": Count("pk", filter=playing),
        "withdrawn": Count("pk", filter=~playing),
    }
    going = any(played.closed_at is None for played in rounds)
    if checked_from and row.state == State.RUNNING and not going:
        here = playing & Q(checked_in__gte=checked_from, joins_in__lte=number)
        wanted["here"] = Count("pk", filter=here)
    counts: dict[str, Any] = {"here": None} | row.entrants.competing().aggregate(**wanted)
    needed = rules_of_tournament(row).side_count
    enough = (counts["playing"] if counts["here"] is None else counts["here"]) >= needed
    return HowFar(
        **counts,
        rounds=rounds,
        round_=round_,
        progress=progress,
        needed=needed,
        enough=enough,
        step=next_step(row, rounds, progress, enough=enough),
        back=step_back(row, rounds, progress),
    )


def progress_of(round_: Round) -> dict[str, Any]:
    """Return the progress of the tables of a round, and who has called, first to last (1 query)."""
    # Counted here: to compile a query with conditional counts takes longer than these rows.
    tables = Table.objects.filter(round=round_).order_by()
    is_over = IsNull(F("games__result"), rhs=False)
    rows = list(tables.values_list("number", "called_at", "games__revision", is_over))
    return {
        "tables": len({row[0] for row in rows}),
        "begun": len({number for number, _at, revision, _finished in rows if revision}),
        "finished": len({number for number, _at, _revision, finished in rows if finished}),
        "called": [number for _at, number in sorted({(row[1], row[0]) for row in rows if row[1]})],
    }


def current_round(rounds: Iterable[Round]) -> Round | None:
    """Return the first round that is not closed, or else the last; `rounds` are in order."""
    last = None
    for last in rounds:
        if last.closed_at is None:
            break
    return last


def next_step(
    tournament: Tournament,
    rounds: Sequence[Round],
    progress: dict[str, Any] | None,
    *,
    enough: bool,
) -> LifecycleStep:
    """Return the next step; `rounds` are all rounds of the tournament, in order.

    `progress` is that of the current round; `enough` means there are entrants for a table.
    """
    without_rounds = {
        State.DRAFT: "open-registration",
        State.REGISTRATION: "start" if enough else "add-entrants",
        State.FINISHED: "see-standings",
    }
    if tournament.state in without_rounds:
        return LifecycleStep(without_rounds[State(tournament.state)])
    round_ = current_round(rounds)
    if round_ is not None and round_.closed_at is None:
        if round_.is_open and progress is not None and progress["finished"] < progress["tables"]:
            # A round is closed once every table is finished.
            return LifecycleStep("look-at-tables", round_.number)
        codes = {"seated": "publish-seating", "published": "open-round", "open": "close-round"}
        return LifecycleStep(codes[round_.state], round_.number, stage=round_.stage)
    settings = settings_of(tournament)
    all_drawn = sum(not drawn.stage for drawn in rounds) >= settings.rounds
    if all_drawn and (not settings.finals or any(drawn.stage == "final" for drawn in rounds)):
        return LifecycleStep("finish")
    if not enough and not all_drawn:
        return LifecycleStep("look-at-entrants")
    return LifecycleStep("seat-finals" if all_drawn else "seat-round", len(rounds) + 1)


def step_back(
    tournament: Tournament, rounds: Sequence[Round], progress: dict[str, Any] | None
) -> LifecycleStep | None:
    """Return the step that can be undone; `progress` is that of the current round."""
    if tournament.state == State.DRAFT:
        return None
    if tournament.state == State.REGISTRATION:
        return LifecycleStep("back-to-draft")
    if tournament.state == State.FINISHED:
        return LifecycleStep("not-finished")
    round_ = current_round(rounds)
    if round_ is None:
        return LifecycleStep("back-to-registration")
    if round_.closed_at is None and progress is not None and progress["begun"]:
        return None
    code = {"seated": "throw-seating-away", "closed": "reopen-round"}.get(round_.state)
    return LifecycleStep(code or "take-seating-back", round_.number)


ONE_GAME = 1_000_000

Version = tuple[int, ...]
"""The version of standings."""
PARTS = ("pk", "revision", "written", "named")


def version_of(tournament: Tournament) -> Version:
    """Return the version of the standings without reading them (1 query)."""
    sql, params = sql_of_version()
    with connection.cursor() as cursor:
        cursor.execute(sql, [*params[:-1], tournament.pk])
        return tuple(map(int, cursor.fetchone()))


@cache
def sql_of_version() -> tuple[str, tuple[Any, ...]]:
    """Return the query of a version, compiled once: that takes 30 times as long as to run it.

    Its last parameter is the tournament.
    """
    row = _versioned(Tournament.objects.filter(pk=0))
    return row.values_list(*PARTS).query.sql_with_params()


def with_versions(rows: TournamentQuerySet) -> list[tuple[Tournament, Version]]:
    return [(row, tuple(getattr(row, name) for name in PARTS)) for row in _versioned(rows)]


def _versioned(rows: TournamentQuerySet) -> TournamentQuerySet:
    """Annotate tournaments with the parts of their versions.

    Finishing or correcting a sheet changes a sum over all finished sheets: of their keys, each
    weighted by its revision, so that two sheets cannot cancel out. Changed names have an audit
    entry; every other change raises the revision of the tournament.
    """
    games = Game.objects.filter(table__round__event=OuterRef("event"), result__isnull=False)
    by_event = games.order_by().values("table__round__event")
    names = AuditEntry.objects.filter(club=OuterRef("event__club"), kind=AuditEntry.Kind.PLAYER)
    return rows.annotate(
        written=Coalesce(
            Subquery(by_event.annotate(n=Sum(F("pk") * (F("revision") + ONE_GAME))).values("n")), 0
        ),
        named=Coalesce(Subquery(names.order_by("-pk").values("pk")[:1]), 0),
    )
