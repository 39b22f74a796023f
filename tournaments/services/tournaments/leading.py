"""Tournaments: made, changed, and led from draft to finished and back."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction

from tournaments.engine.problems import Code, InvalidEntry, Problem
from tournaments.engine.rulesets import Ruleset
from tournaments.engine.tournament_settings import (
    TournamentSettings,
    read_settings,
    write_settings,
)
from tournaments.models import AuditLine, Club, Event, Game, Tournament
from tournaments.queries.rulesets import find_ruleset_of_club, house_document
from tournaments.queries.tournaments import rules_of_tournament
from tournaments.services.auditing import Actor, Change, note_change
from tournaments.services.clubs.events import (
    EventPlan,
    check_plan,
    event_key,
    lock_season,
    plan_of,
    put_plan,
    start_event,
)
from tournaments.services.clubs.events import subject_of as event_subject
from tournaments.services.clubs.events import told as plan_told
from tournaments.services.nudges import wake_webhooks
from tournaments.services.slugs import free_slugs

State = Tournament.State
STATES = tuple(State)

CUT = ("rounds", "finals", "carry")
"""What decides who plays the finals: it stays once one is seated."""

TABLES = ((4, 4), (4, 2), (2, 2))
"""Seats and sides of the games a tournament plays: four or two for themselves, or two pairs."""


class WrongState(Exception):
    """The tournament, or its round, is not as far as that, or too far; `state` is how far it is."""

    def __init__(self, state: str) -> None:
        self.state = state
        super().__init__(f"it is {state}")


class Depended(Exception):
    """The step is not taken back: something that came after it depends on it."""


@dataclass(frozen=True, slots=True)
class TournamentPlan:
    """What a director says of a tournament: what is said of every event, and the settings.

    The `seed`, of all lots drawn in it, is that of the beginning.
    """

    event: EventPlan
    settings: TournamentSettings = field(default_factory=TournamentSettings)
    seed: int = 0


def create_tournament(
    club: Club, plan: TournamentPlan, by: Actor, *, at: datetime, key: str | None = None
) -> Tournament:
    """Make a tournament, a draft; asked twice with one `key` and plan, it is one.

    Raises:
        InvalidEntry: a ruleset, options or settings that cannot be; nothing is written.
        Season.DoesNotExist: the season was removed meanwhile.
    """
    rules = _check(plan, club)
    with transaction.atomic():
        lock_season(plan.event)
        start_key = key and event_key("tournament", club, plan.event, key)
        event, made = start_event(club, plan.event, start_key, at)
        if not made:
            return event.tournament
        tournament = _with_slug(
            Tournament(
                event=event,
                document=house_document(rules),
                settings=write_settings(plan.settings),
                seed=plan.seed,
            )
        )
        note(tournament, "add-tournament", by, at, after=_told(plan))
    return tournament


def change_tournament(
    tournament_pk: int, plan: TournamentPlan, by: Actor, *, at: datetime
) -> Tournament:
    """Change what was said of a tournament; what is played stays once it runs.

    Raises:
        InvalidEntry, Season.DoesNotExist: as in `create_tournament`; also a game, options or a
            way of seating that can be changed no more.
        WrongState: it is finished.
    """
    with transaction.atomic():
        lock_season(plan.event)
        tournament = lock_tournament(tournament_pk)
        if tournament.state == State.FINISHED:
            raise WrongState(tournament.state)
        event = tournament.event
        _check_change(tournament, plan)
        if tournament.state != State.RUNNING:
            rules = _check(plan, event.club)
            _check_entrants(tournament, rules)
            tournament.document = house_document(rules)
        before, after = put_plan(event, plan.event)
        settings = write_settings(plan.settings)
        if settings != tournament.settings:
            before["settings"], after["settings"] = tournament.settings, settings
            tournament.settings = settings
        if after:
            touch(tournament)
            note(tournament, "change-tournament", by, at, before=before, after=after)
    return tournament


def move_tournament(tournament_pk: int, state: str, by: Actor, *, at: datetime) -> Tournament:
    """Lead a tournament one step on, or back, to `state`; it may be there already.

    Raises:
        WrongState: `state` is not the next one, nor the one before.
        Depended: back to registration with a round seated, or finished with one not closed, or
            with a game that a correction has left unfinished.
    """
    with transaction.atomic():
        tournament = lock_tournament(tournament_pk)
        if tournament.state == state:
            return tournament
        steps = STATES.index(State(state)) - STATES.index(State(tournament.state))
        if abs(steps) != 1:
            raise WrongState(tournament.state)
        if _depended(tournament, state):
            raise Depended
        before, tournament.state = tournament.state, State(state)
        touch(tournament)
        told = {"before": {"state": before}, "after": {"state": state}}
        wake_webhooks()
        note(tournament, "move-tournament", by, at, **told)
    return tournament


def _depended(tournament: Tournament, state: str) -> bool:
    rounds = tournament.event.rounds
    if state == State.REGISTRATION:
        return rounds.exists()
    unfinished = Game.objects.filter(table__round__event=tournament.event, result__isnull=True)
    over = rounds.filter(closed_at=None).exists() or unfinished.exists()
    return state == State.FINISHED and over


def remove_tournament(tournament_pk: int, by: Actor, *, at: datetime) -> None:
    """Take a tournament away in which no round was seated; removed twice, it is no error.

    Raises:
        Depended: a round was; nothing is removed.
    """
    with transaction.atomic():
        try:
            tournament = lock_tournament(tournament_pk)
        except Tournament.DoesNotExist:
            return
        event = tournament.event
        if event.rounds.exists():
            raise Depended
        note(tournament, "remove-tournament", by, at, before=plan_told(plan_of(event)))
        tournament.entrants.all().delete()
        tournament.delete()
        event.delete()


def replace_links(tournament_pk: int, by: Actor, *, at: datetime) -> Tournament:
    """Make the links to register and to check in worthless; there are new ones."""
    with transaction.atomic():
        tournament = lock_tournament(tournament_pk)
        tournament.link_generation += 1
        touch(tournament)
        note(tournament, "replace-links", by, at)
    return tournament


def lock_tournament(pk: int) -> Tournament:
    """A tournament with its event and club, locked: whoever leads it queues up.

    Tournaments are locked before rounds.

    Raises:
        Tournament.DoesNotExist: it was removed.
    """
    rows = Tournament.objects.select_for_update(of=("self",)).select_related("event__club")
    return rows.get(pk=pk)


def touch(tournament: Tournament) -> None:
    """Store a locked tournament as it is now, as its next revision."""
    tournament.revision += 1
    tournament.save()


def note(tournament: Tournament, action: str, by: Actor, at: datetime, **told: Any) -> None:
    """Add the line of a change to the audit of its club; `told` are its before, after, reason."""
    event = tournament.event
    # What was removed cannot be referred to.
    stays = event if action != "remove-tournament" else None
    change = Change(AuditLine.Kind.EVENT, action, event_subject(event), event=stays, **told)
    note_change(event.club, change, by, at=at)


def _with_slug(tournament: Tournament) -> Tournament:
    """Store a new tournament under a slug of name and day that no other has on this server."""
    event = tournament.event
    for slug in free_slugs(f"{event.name[:40]} {event.held_on}", "tournament", 60, ()):
        tournament.slug = slug
        try:
            with transaction.atomic():
                tournament.save(force_insert=True)
                return tournament
        except IntegrityError:
            # Two that are made at once get a slug each.
            if not Tournament.objects.filter(slug=slug).exists():
                raise
    raise AssertionError("there is always another slug")


def _check(plan: TournamentPlan, club: Club) -> Ruleset:
    """The ruleset of a plan as the club has it now, before its options."""
    played = check_plan(plan.event, club)
    if (played.seats, played.side_count) not in TABLES:
        where = {"ruleset": plan.event.ruleset}
        raise InvalidEntry([Problem(Code.UNKNOWN_RULESET, "ruleset", where)])
    # Strict once more: a plan may have been made by hand.
    read_settings(write_settings(plan.settings))
    rules = find_ruleset_of_club(plan.event.ruleset, club)
    assert rules is not None
    return rules


def _check_change(tournament: Tournament, plan: TournamentPlan) -> None:
    """Refuse to change what is played once a round was drawn."""
    event: Event = tournament.event
    if tournament.state != State.RUNNING:
        return
    problems = []
    if plan.event.ruleset != event.ruleset:
        problems.append(Problem(Code.UNKNOWN_RULESET, "ruleset", {"ruleset": plan.event.ruleset}))
    if dict(plan.event.options) != event.options:
        problems.append(Problem(Code.UNKNOWN_OPTION, "options", {"option": "options"}))
    drawn = event.rounds.filter(stage="").count()
    if plan.settings.rounds < drawn:
        params = {"expected": drawn, "got": plan.settings.rounds}
        problems.append(Problem(Code.WRONG_TYPE, "settings.rounds", params))
    before = read_settings(tournament.settings)
    moved = any(getattr(plan.settings, name) != getattr(before, name) for name in CUT)
    if moved and event.rounds.exclude(stage="").exists():
        problems.append(Problem(Code.UNKNOWN_OPTION, "settings.finals", {"option": "finals"}))
    if problems:
        raise InvalidEntry(problems)


def _check_entrants(tournament: Tournament, rules: Ruleset) -> None:
    """Refuse a game for pairs where single players have entered, and the other way round."""
    as_many = rules.seats_in_a_side == rules_of_tournament(tournament).seats_in_a_side
    if not as_many and tournament.entrants.exists():
        raise InvalidEntry([Problem(Code.UNKNOWN_RULESET, "entrants", {"ruleset": rules.id})])


def _told(plan: TournamentPlan) -> dict[str, Any]:
    return plan_told(plan.event) | {"settings": write_settings(plan.settings)}
