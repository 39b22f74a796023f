"""Club evenings and their rounds: create, change, open, close."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext_lazy as _

from tournaments.engine.documents.shapes import EventDetails
from tournaments.engine.rules.rulesets import Code, InvalidEntry, Problem, Ruleset
from tournaments.models import AuditEntry, Club, Event, Game, Round, Season, Table
from tournaments.models.games import digest
from tournaments.queries.rulesets import find_ruleset_of_club
from tournaments.services.audit import Actor, Change, note_change
from tournaments.services.base.refusals import Refused
from tournaments.services.ratings.due import rate_event_again, rate_round_again

EVENT = AuditEntry.Kind.EVENT


class EventHasTables(Refused, code="event-has-tables"):
    sentence = _("Tables were laid at this evening, so that it stays.")


class RoundStillEmpty(Refused, code="round-still-empty"):
    sentence = _("The last round has no table yet: begin with that one.")


@dataclass(frozen=True, slots=True)
class EventPlan(EventDetails):
    """The director's settings of an evening; ruleset and options are defaults of its tables."""

    ruleset: str
    options: Mapping[str, Any] = field(default_factory=dict)
    season: Season | None = None


def create_event(
    club: Club, plan: EventPlan, by: Actor, *, at: datetime, key: str | None = None
) -> Event:
    """Create an evening with its first round open. Idempotent for one `key` and plan.

    Raises:
        InvalidEntry: invalid ruleset or options; nothing is written.
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
        note_change(club, _change(event, "add-event", after=details_of(plan)), by, at=at)
    return event


def event_key(kind: str, club: Club, plan: EventPlan, key: str) -> str:
    """Return the stored digest of a form's key and plan, by which a repeat finds its event."""
    return digest(json.dumps([kind, club.pk, key, details_of(plan)], sort_keys=True))


def start_event(
    club: Club, plan: EventPlan, start_key: str | None, at: datetime
) -> tuple[Event, bool]:
    """Return the event and whether it was created now; call it in a transaction."""
    values = {**_fields(plan), "club": club, "created_at": at}
    if not start_key:
        return Event.objects.create(**values), True
    return Event.objects.get_or_create(start_key=start_key, defaults=values)


def change_event(event_pk: int, plan: EventPlan, by: Actor, *, at: datetime) -> Event:
    """Change the settings of an evening; existing tables stay as they are.

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
    """Apply a plan to a locked event; return the changed values, before and after."""
    before, after = details_of(plan_of(event)), details_of(plan)
    changed = [name for name in after if after[name] != before[name]]
    if "held_on" in changed:
        rate_event_again(event)
    for name in changed:
        setattr(event, name, getattr(plan, name))
    event.save(update_fields=changed)
    if "held_on" in changed:
        rate_event_again(event)
    return {name: before[name] for name in changed}, {name: after[name] for name in changed}


def remove_event(event_pk: int, by: Actor, *, at: datetime) -> None:
    """Remove an evening that has no tables. Idempotent.

    Raises:
        EventHasTables: it has one; nothing is removed.
    """
    with transaction.atomic():
        try:
            event = _locked(event_pk)
        except Event.DoesNotExist:
            return
        # With these locks a request that adds a table waits, and then finds no round.
        rounds = event.rounds.select_for_update().order_by("pk")
        list(rounds.values_list("pk"))
        if Table.objects.filter(round__event=event).exists():
            raise EventHasTables
        note_change(
            event.club, _change(event, "remove-event", details_of(plan_of(event))), by, at=at
        )
        rounds.delete()
        event.delete()


def open_round(event_pk: int, by: Actor, *, at: datetime) -> Round:
    """Open the next round; earlier ones stay as they are, since a slow table may play on.

    Raises:
        RoundStillEmpty: the last round has no table, as after a double tap.
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
    """Close a round: afterwards only directors write its sheets. Idempotent.

    A write in progress is stored first; a later one finds the round closed.
    """
    with transaction.atomic():
        round_ = lock_round(round_pk)
        if round_.closed_at is None:
            # Writers lock the row of their game and only then look at the round: with all games
            # locked, nobody is between seeing the round open and storing an entry.
            lock_tables_of(round_)
            round_.closed_at = at
            round_.save(update_fields=["closed_at"])
            rate_round_again(round_)
            change = _of_round(round_.event, "close-round", round_.number)
            note_change(round_.event.club, change, by, at=at)
    return round_


def reopen_round(round_pk: int, by: Actor, *, at: datetime) -> Round:
    """Reopen a round: its tables can write again, at the addresses they had."""
    with transaction.atomic():
        round_ = lock_round(round_pk)
        if round_.closed_at is not None:
            rate_round_again(round_)
            round_.closed_at = None
            round_.save(update_fields=["closed_at"])
            change = _of_round(round_.event, "reopen-round", round_.number)
            note_change(round_.event.club, change, by, at=at)
    return round_


def lock_round(round_pk: int) -> Round:
    """Lock and return a round with its event and club; seating and closing queue up here.

    Rounds are locked before the people of the club, and those before games.
    """
    rows = Round.objects.select_for_update(of=("self",)).select_related("event__club")
    return rows.get(pk=round_pk)


def lock_tables_of(round_: Round) -> None:
    """Lock the tables of a locked round and then their games, as changes of one table do.

    To change seats too, lock the people of the club first.
    """
    tables = Table.objects.select_for_update(of=("self",)).filter(round=round_)
    list(tables.order_by("pk").values_list("pk"))
    # In separate queries: without `of`, PostgreSQL would also lock the rows of joined tables, and
    # only after the games.
    games = Game.objects.select_for_update(of=("self",)).filter(table__round=round_)
    list(games.order_by("pk").values_list("pk"))


def subject_of(event: Event) -> str:
    """Return the event's subject in the audit."""
    return f"event:{event.public_id}"


def _locked(event_pk: int) -> Event:
    rows = Event.objects.select_for_update(of=("self",)).select_related("club")
    return rows.get(pk=event_pk)


def lock_season(plan: EventPlan) -> None:
    """Lock the season of a plan; fails if it was removed."""
    if plan.season is not None:
        Season.objects.select_for_update().get(pk=plan.season.pk)


def check_plan(plan: EventPlan, club: Club) -> Ruleset:
    """Return the ruleset of a plan with its options.

    Raises:
        InvalidEntry: unknown ruleset, or invalid options.
    """
    rules = find_ruleset_of_club(plan.ruleset, club)
    if rules is None:
        raise InvalidEntry([Problem(Code.UNKNOWN_RULESET, "ruleset", {"ruleset": plan.ruleset})])
    return rules.with_options(plan.options)


def plan_of(event: Event) -> EventPlan:
    """Return the current plan of an event."""
    return EventPlan(**{each.name: getattr(event, each.name) for each in fields(EventPlan)})


def _fields(plan: EventPlan) -> dict[str, Any]:
    values = {each.name: getattr(plan, each.name) for each in fields(EventPlan)}
    return values | {"options": dict(plan.options)}


def details_of(plan: EventPlan) -> dict[str, Any]:
    """Return a plan as JSON for the audit."""
    season = plan.season and plan.season.name
    return _fields(plan) | {"held_on": str(plan.held_on), "season": season}


def _change(event: Event, action: str, before: Any = None, after: Any = None) -> Change:
    # A removed object cannot be referred to.
    stays = event if action != "remove-event" else None
    return Change(EVENT, action, subject_of(event), before, after, event=stays)


def _of_round(event: Event, action: str, number: int) -> Change:
    return Change(EVENT, action, subject_of(event), after={"round": number}, event=event)
