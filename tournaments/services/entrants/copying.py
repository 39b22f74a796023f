"""Copy a tournament for another day: settings, entrants, links."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from django.db import transaction

from tournaments.engine.standings.results import TIE_BREAK_VERSION
from tournaments.models import Entrant, Tournament
from tournaments.models.fields import new_public_id
from tournaments.queries.tournaments.state import settings_of
from tournaments.services.audit import Actor
from tournaments.services.events.events import lock_season, plan_of
from tournaments.services.tournaments.lifecycle import (
    TournamentPlan,
    create_tournament,
    lock_tournament,
    note,
    touch,
)

WEEK = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class CopyPlan:
    """The wishes for a copy: its name, day and seed, and what comes along.

    With `links`, the links to register and to check in lead to the copy from now on.
    """

    name: str
    held_on: date
    seed: int = 0
    entrants: bool = True
    links: bool = False


def month_later(day: date) -> date:
    """Return the same weekday of the next month, four or five weeks later."""
    later = day + 4 * WEEK
    return later if later.month != day.month else later + WEEK


def copy_tournament(
    tournament_pk: int,
    plan: CopyPlan,
    by: Actor,
    *,
    at: datetime,
    key: str | None = None,
) -> Tournament:
    """Create a draft with the settings of a tournament. Idempotent for one `key` and plan.

    Entrants who have withdrawn or whose names were removed do not come along. It belongs to the
    season of the first one if its day does.

    Raises:
        InvalidEntry: the game is no longer among those of the club; nothing is written.
    """
    event = (
        Tournament.objects.select_related("event__club", "event__season")
        .get(pk=tournament_pk)
        .event
    )
    season = event.season
    if season is not None and not season.starts_on <= plan.held_on <= season.ends_on:
        season = None
    new = replace(plan_of(event), name=plan.name, held_on=plan.held_on, season=season)
    with transaction.atomic():
        lock_season(new)
        before = lock_tournament(tournament_pk)
        settings = replace(settings_of(before), tie_break_version=TIE_BREAK_VERSION)
        whole = TournamentPlan(new, settings, plan.seed)
        copy = create_tournament(event.club, whole, by, at=at, key=key)
        if copy.entrants.exists() or copy.revision:
            # Sent twice.
            return copy
        if plan.entrants:
            _enter(copy, _staying(before), by, at)
        if plan.links:
            _move_links(before, copy)
        touch(before)
        touch(copy)
    return copy


def _staying(before: Tournament) -> list[Entrant]:
    rows = before.entrants.playing().select_related("player", "partner").order_by("number")
    return [row for row in rows if all(player.removed_at is None for player in row.players)]


def _enter(copy: Tournament, rows: Sequence[Entrant], by: Actor, at: datetime) -> None:
    same = ("player", "partner", "team", "represents", "house", "section")
    entrants = [
        Entrant(
            tournament=copy,
            number=number,
            registered_at=at,
            **{name: getattr(row, name) for name in same},
        )
        for number, row in enumerate(rows, 1)
    ]
    Entrant.objects.bulk_create(entrants)
    note(copy, "add-entrants", by, at, after={"entrants": [each.key for each in entrants]})


def _move_links(before: Tournament, copy: Tournament) -> None:
    """Give the copy the addresses of the links, and the first one new ones."""
    copy.public_id, copy.link_generation = before.public_id, before.link_generation
    before.public_id, before.link_generation = new_public_id(), 1
    before.save(update_fields=["public_id", "link_generation"])
