"""The line on top of a tournament's pages: how it stands, and its directors' one next step."""

from dataclasses import dataclass, replace
from datetime import datetime

from tournaments.engine.standings.tournament_settings import TournamentSettings
from tournaments.models import DealReview, Game, Round, Table, Tournament
from tournaments.queries.tournaments.state import settings_of
from tournaments.queries.tournaments.steps import HowFar, LifecycleStep
from tournaments.services.games.confirming import agreement_of
from tournaments.services.rounds.clocks import seconds_left


@dataclass(frozen=True, slots=True)
class Strip:
    """How a tournament stands: its tables that need a director, and its clock.

    `called`, `disputed` and `unconfirmed` are numbers of tables; `left` are the seconds on the
    clock, None without one; a correction changes the places of `moved` entrants.
    """

    far: HowFar
    settings: TournamentSettings
    called: int | None = None
    disputed: int | None = None
    unconfirmed: int | None = None
    left: int | None = None
    moved: int = 0

    @property
    def round_(self) -> Round | None:
        return self.far.round_

    @property
    def clock_stands(self) -> bool:
        """Whether the round has a clock that does not run."""
        if self.round_ is None or self.round_.published_at is None:
            return False
        return self.left is not None and self.round_.clock_started_at is None

    @property
    def urgent(self) -> bool:
        """Whether a table has called, or plays on after the end."""
        over = self.left is not None and self.left < 0
        return self.called is not None or (over and self.far.step.code == "look-at-tables")


def load_strip(row: Tournament, far: HowFar, moved: int, at: datetime) -> Strip:
    """Load what the strip shows besides `far` (up to 4 queries, however many tables)."""
    settings, round_ = settings_of(row), far.round_
    if round_ is None or round_.published_at is None or round_.closed_at is not None:
        return Strip(far, settings, moved=moved)
    left = seconds_left(round_, at)
    if not round_.is_open:
        # Opening the round gives the clock its time.
        minutes = settings.minutes
        return Strip(far, settings, left=None if minutes is None else minutes * 60, moved=moved)
    calls = Table.objects.filter(round=round_, called_at__isnull=False).order_by("called_at")
    called = calls.values_list("number", flat=True).first()
    disputed = unconfirmed = None
    if settings.confirm_deals:
        disputes = DealReview.objects.filter(game__table__round=round_).open_disputes()
        numbers = disputes.order_by("game__table__number")
        disputed = numbers.values_list("game__table__number", flat=True).first()
    if far.step.code == "close-round":
        unconfirmed = _unconfirmed(round_, row.event.confirmations)
    return Strip(far, settings, called, disputed, unconfirmed, left, moved)


def strip_step(strip: Strip) -> LifecycleStep:
    """Return the one next step of a tournament's directors."""
    step, round_ = strip.far.step, strip.round_
    if step.code == "start" and strip.settings.check_in == "none":
        # With a check-in nobody is here yet.
        return replace(step, code="start-and-seat", round=1)
    if round_ is not None and round_.is_open:
        return _step_of_open_round(strip, round_, step)
    if step.code == "open-round" and strip.clock_stands:
        return replace(step, code="start-clock")
    if strip.moved and step.code != "open-round":
        return LifecycleStep("look-at-correction")
    return step


def _step_of_open_round(strip: Strip, round_: Round, step: LifecycleStep) -> LifecycleStep:
    if strip.called is not None:
        return LifecycleStep("go-to-called", round_.number, strip.called)
    if strip.disputed is not None:
        return LifecycleStep("go-to-disputed", round_.number, strip.disputed)
    if step.code == "close-round" and strip.unconfirmed is not None:
        return LifecycleStep("go-to-unconfirmed", round_.number, strip.unconfirmed)
    if step.code == "look-at-tables" and strip.clock_stands:
        return LifecycleStep("start-clock", round_.number)
    return step


def _unconfirmed(round_: Round, setting: str) -> int | None:
    """Return the first finished table that is not confirmed (2 queries)."""
    games = Game.objects.filter(table__round=round_).order_by("table__number")
    for game in games.select_related("table").prefetch_related("confirmations"):
        if not agreement_of(game, setting, game.confirmations.all()).enough:
            assert game.table is not None
            return game.table.number
    return None
