"""Club evenings and their rounds: made, changed, opened, closed."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from django.db import transaction
from django.db.models import Max

from tournaments.engine.problems import Code, InvalidEntry, Problem
from tournaments.engine.rulesets import Ruleset
from tournaments.models import AuditLine, Club, Confirmations, Event, Game, Round, Season, Table
from tournaments.models.play import digest
from tournaments.queries.rulesets import find_ruleset_of_club
from tournaments.services.auditing import Actor, Change, note_change
from tournaments.services.nudges import wake_webhooks
from tournaments.services.ratings.due import rate_round_again

EVENT = AuditLine.Kind.EVENT


class EventHasTables(Exception):
    """The evening stays: games were begun at its tables."""


class RoundStillEmpty(Exception):
    """The last round has no table yet: there is no need of another one."""


@dataclass(frozen=True, slots=True)
class EventPlan:
    """What a director says of an evening; ruleset and options are what tables are offered."""

    name: str
    held_on: date
    ruleset: str
    options: Mapping[str, Any] = field(default_factory=dict)
    season: Season | None = None
    published: bool = False
    table_codes: bool = False
    confirmations: str = Confirmations.NONE


def create_event(
    club: Club, plan: EventPlan, by: Actor, *, at: datetime, key: str | None = None
) -> Event:
    """Make an evening, with its first round open; asked twice with one `key` and plan, it is one.

    Raises:
        InvalidEntry: a ruleset or options that cannot be; nothing is written.
        Season.DoesNotExist: the season was removed meanwhile.
    """
    check_plan(plan, club)
    with transaction.atomic():
        lock_season(plan)
        start_key = key and event_key("event", club, plan, key)
        event, made = start_event(club, plan, start_key, at)
        if not made:
            return event
        Round.objects.create(event=event, number=1, opened_at=at)
        note_change(club, _change(event, "add-event", after=told(plan)), by, at=at)
    return event


def event_key(kind: str, club: Club, plan: EventPlan, key: str) -> str:
    """What a row keeps of the key of the form that made it: the same plan twice is one event."""
    return digest(json.dumps([kind, club.pk, key, told(plan)], sort_keys=True))


def start_event(
    club: Club, plan: EventPlan, start_key: str | None, at: datetime
) -> tuple[Event, bool]:
    """The row of an event, and whether it was made just now; in the caller's transaction."""
    fields = {**_fields(plan), "club": club, "created_at": at}
    if not start_key:
        return Event.objects.create(**fields), True
    return Event.objects.get_or_create(start_key=start_key, defaults=fields)


def change_event(event_pk: int, plan: EventPlan, by: Actor, *, at: datetime) -> Event:
    """Change what was said of an evening; tables that stand stay as they are.

    Raises:
        InvalidEntry, Season.DoesNotExist: as in `create_event`.
    """
    with transaction.atomic():
        lock_season(plan)
        event = _locked(event_pk)
        check_plan(plan, event.club)
        before, after = put_plan(event, plan)
        if after:
            note_change(event.club, _change(event, "change-event", before, after), by, at=at)
    return event


def put_plan(event: Event, plan: EventPlan) -> tuple[dict[str, Any], dict[str, Any]]:
    """Put what is said now into a locked event; what that changed, before and after."""
    before, after = told(plan_of(event)), told(plan)
    changed = [name for name in after if after[name] != before[name]]
    for name in changed:
        setattr(event, name, getattr(plan, name))
    event.save(update_fields=changed)
    return {name: before[name] for name in changed}, {name: after[name] for name in changed}


def remove_event(event_pk: int, by: Actor, *, at: datetime) -> None:
    """Take an evening away at which no table was laid; taken away twice, it is no error.

    Raises:
        EventHasTables: there is one; nothing is removed.
    """
    with transaction.atomic():
        try:
            event = _locked(event_pk)
        except Event.DoesNotExist:
            return
        # The locks make whoever lays a table wait, and then find no round.
        rounds = event.rounds.select_for_update().order_by("pk")
        list(rounds.values_list("pk"))
        if Table.objects.filter(round__event=event).exists():
            raise EventHasTables
        note_change(event.club, _change(event, "remove-event", told(plan_of(event))), by, at=at)
        rounds.delete()
        event.delete()


def open_round(event_pk: int, by: Actor, *, at: datetime) -> Round:
    """Open the next round; the ones before stay as they are, for a slow table plays on.

    Raises:
        RoundStillEmpty: the last one has no table, as after a button tapped twice.
    """
    with transaction.atomic():
        event = _locked(event_pk)
        last = event.rounds.order_by("number").last()
        if last is not None and not last.closed_at and not last.tables.exists():
            raise RoundStillEmpty
        number = (event.rounds.aggregate(last=Max("number"))["last"] or 0) + 1
        opened = Round.objects.create(event=event, number=number, opened_at=at)
        note_change(event.club, _of_round(event, "open-round", number), by, at=at)
    return opened


def close_round(round_pk: int, by: Actor, *, at: datetime) -> Round:
    """Close a round: from now on only directors write its sheets; closed twice, it is once.

    A write under way is waited for and stands; one that comes later sees the round closed.
    """
    with transaction.atomic():
        place = lock_round(round_pk)
        if place.closed_at is None:
            # Writers hold the row of their game and look at the round only then: with the games
            # locked nobody is between having seen the round open and storing what they wrote.
            lock_tables_of(place)
            place.closed_at = at
            place.save(update_fields=["closed_at"])
            rate_round_again(place)
            wake_webhooks()
            change = _of_round(place.event, "close-round", place.number)
            note_change(place.event.club, change, by, at=at)
    return place


def reopen_round(round_pk: int, by: Actor, *, at: datetime) -> Round:
    """Let the tables of a round be written once more, at the addresses they had."""
    with transaction.atomic():
        place = lock_round(round_pk)
        if place.closed_at is not None:
            rate_round_again(place)
            place.closed_at = None
            place.save(update_fields=["closed_at"])
            change = _of_round(place.event, "reopen-round", place.number)
            note_change(place.event.club, change, by, at=at)
    return place


def lock_round(round_pk: int) -> Round:
    """A round with its event and club, locked: whoever sits down or closes it queues up.

    Rounds are locked before the people of the club, and those before games.
    """
    rows = Round.objects.select_for_update(of=("self",)).select_related("event__club")
    return rows.get(pk=round_pk)


def lock_tables_of(place: Round) -> None:
    """Lock the tables of a locked round and then their games, as whoever changes one table does.

    Where seats are changed too, the people of the club are locked before.
    """
    tables = Table.objects.select_for_update(of=("self",)).filter(round=place)
    list(tables.order_by("pk").values_list("pk"))
    # Each by itself: without `of`, PostgreSQL would lock the rows of joined tables as well, and
    # only after the games.
    games = Game.objects.select_for_update(of=("self",)).filter(table__round=place)
    list(games.order_by("pk").values_list("pk"))


def subject_of(event: Event) -> str:
    """What the audit calls an evening."""
    return f"event:{event.public_id}"


def _locked(event_pk: int) -> Event:
    rows = Event.objects.select_for_update(of=("self",)).select_related("club")
    return rows.get(pk=event_pk)


def lock_season(plan: EventPlan) -> None:
    """Wait for whoever is removing the season, and notice it."""
    if plan.season is not None:
        Season.objects.select_for_update().get(pk=plan.season.pk)


def check_plan(plan: EventPlan, club: Club) -> Ruleset:
    """The ruleset of a plan with its options.

    Raises:
        InvalidEntry: there is none, or the options cannot be.
    """
    rules = find_ruleset_of_club(plan.ruleset, club)
    if rules is None:
        raise InvalidEntry([Problem(Code.UNKNOWN_RULESET, "ruleset", {"ruleset": plan.ruleset})])
    return rules.with_options(plan.options)


def plan_of(event: Event) -> EventPlan:
    """What was said of an event, as it stands."""
    return EventPlan(**{name: getattr(event, name) for name in EventPlan.__slots__})


def _fields(plan: EventPlan) -> dict[str, Any]:
    return {name: getattr(plan, name) for name in EventPlan.__slots__} | {
        "options": dict(plan.options)
    }


def told(plan: EventPlan) -> dict[str, Any]:
    """A plan as the audit says it."""
    season = plan.season and plan.season.name
    return _fields(plan) | {"held_on": str(plan.held_on), "season": season}


def _change(event: Event, action: str, before: Any = None, after: Any = None) -> Change:
    # What was removed cannot be referred to.
    stays = event if action != "remove-event" else None
    return Change(EVENT, action, subject_of(event), before, after, event=stays)


def _of_round(event: Event, action: str, number: int) -> Change:
    return Change(EVENT, action, subject_of(event), after={"round": number}, event=event)
