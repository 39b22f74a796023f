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
    def place(self) -> Round | None:
        return self.far.place

    @property
    def clock_stands(self) -> bool:
        """Whether the round has a clock that does not run."""
        if self.place is None or self.place.published_at is None:
            return False
        return self.left is not None and self.place.clock_started_at is None

    @property
    def urgent(self) -> bool:
        """Whether a table has called, or plays on after the end."""
        over = self.left is not None and self.left < 0
        return self.called is not None or (over and self.far.step.code == "look-at-tables")


def load_strip(row: Tournament, far: HowFar, moved: int, at: datetime) -> Strip:
    """Load what the strip shows besides `far` (up to 4 queries, however many tables)."""
    settings, place = settings_of(row), far.place
    if place is None or place.published_at is None or place.closed_at is not None:
        return Strip(far, settings, moved=moved)
    left = seconds_left(place, at)
    if not place.is_open:
        # Opening the round gives the clock its time.
        minutes = settings.minutes
        return Strip(far, settings, left=None if minutes is None else minutes * 60, moved=moved)
    calls = Table.objects.filter(round=place, called_at__isnull=False).order_by("called_at")
    called = calls.values_list("number", flat=True).first()
    disputed = unconfirmed = None
    if settings.confirm_deals:
        disputes = DealReview.objects.filter(game__table__round=place).open_disputes()
        numbers = disputes.order_by("game__table__number")
        disputed = numbers.values_list("game__table__number", flat=True).first()
    if far.step.code == "close-round":
        unconfirmed = _unconfirmed(place, row.event.confirmations)
    return Strip(far, settings, called, disputed, unconfirmed, left, moved)


def strip_step(strip: Strip) -> LifecycleStep:
    """Return the one next step of a tournament's directors."""
    step, place = strip.far.step, strip.place
    if step.code == "start" and strip.settings.check_in == "none":
        # With a check-in nobody is here yet.
        return replace(step, code="start-and-seat", round=1)
    if place is not None and place.is_open:
        return _step_of_open_round(strip, place, step)
    if step.code == "open-round" and strip.clock_stands:
        return replace(step, code="start-clock")
    if strip.moved and step.code != "open-round":
        return LifecycleStep("look-at-correction")
    return step


def _step_of_open_round(strip: Strip, place: Round, step: LifecycleStep) -> LifecycleStep:
    if strip.called is not None:
        return LifecycleStep("go-to-called", place.number, strip.called)
    if strip.disputed is not None:
        return LifecycleStep("go-to-disputed", place.number, strip.disputed)
    if step.code == "close-round" and strip.unconfirmed is not None:
        return LifecycleStep("go-to-unconfirmed", place.number, strip.unconfirmed)
    if step.code == "look-at-tables" and strip.clock_stands:
        return LifecycleStep("start-clock", place.number)
    return step


def _unconfirmed(place: Round, setting: str) -> int | None:
    """Return the first finished table that is not confirmed (2 queries)."""
    games = Game.objects.filter(table__round=place).order_by("table__number")
    for game in games.select_related("table").prefetch_related("confirmations"):
        if not agreement_of(game, setting, game.confirmations.all()).enough:
            assert game.table is not None
            return game.table.number
    return None
