"""Take a published seating back, after the director has seen what that deletes."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from tournaments.models import Game, Round, Tournament
from tournaments.queries.games.sheets import load_sheets
from tournaments.queries.tournaments.state import load_state
from tournaments.services.audit import Actor
from tournaments.services.events.events import lock_tables_of
from tournaments.services.games.playing import delete_locked
from tournaments.services.people.players import lock_people
from tournaments.services.rounds.proposals import kept_tables
from tournaments.services.rounds.seating import clear_tables, games_of, lock_drawn
from tournaments.services.tournaments.lifecycle import Depended, note, touch

LIFECYCLE = ("published_at", "opened_at", "clock_seconds", "clock_used", "clock_started_at")
"""The fields of a round that a take-back resets."""


class RuledAbout(Depended, code="ruled-about"):
    sentence = _("Somebody was ruled about in this round: withdraw the ruling first.")


@dataclass(frozen=True, slots=True)
class Lost:
    """The number of sheets with entries, and of those entries, that a take-back deletes."""

    sheets: int
    entries: int


def lost_with(round_: Round) -> Lost:
    """Return what taking a published round back would delete (2 queries).

    Raises:
        Depended: the round is closed, or a later one is published.
        RuledAbout: a ruling on the round is in force.
    """
    later = Round.objects.filter(event=round_.event_id, number__gt=round_.number)
    if round_.closed_at is not None or later.filter(published_at__isnull=False).exists():
        raise Depended(sentence=_("It is closed, or a later round builds on it: it stays."))
    if round_.rulings.filter(withdrawn_at=None).exists():
        raise RuledAbout
    entries = [len(sheet.positions) for sheet in load_sheets(_written(round_))]
    return Lost(sum(map(bool, entries)), sum(entries))


def take_back_round(round_pk: int, by: Actor, *, at: datetime, entries: int = 0) -> Round:
    """Turn a published round into a proposal again; delete its tables, but keep their cards.

    The proposal is the final seating, with late changes. Withdrawn rulings are deleted. `entries`
    is the number of entries that the director has agreed to delete; the audit keeps their records.

    Raises:
        Depended: the tables have other entries than these; or as in `lost_with`.
        RuledAbout: as in `lost_with`.
    """
    with transaction.atomic():
        tournament, round_ = lock_drawn(round_pk)
        if round_.published_at is None:
            return round_
        # Merging two players locks seats, then games; here seats are deleted last.
        lock_people(tournament.event.club_id)
        # Writers lock the row of the game: with all of them locked no table begins.
        lock_tables_of(round_)
        if lost_with(round_).entries != entries:
            raise Depended(sentence=_("A table has begun, or has gone on: look at it once more."))
        before = {"round": round_.number, "gone": games_of(round_), **_delete_sheets(round_)}
        before["lifecycle"] = _lifecycle(round_)
        round_.seating = _seating_as_it_stands(tournament, round_)
        round_.rulings.all().delete()
        clear_tables(tournament, round_.tables.all())
        round_.sittings.all().delete()
        round_.published_at = round_.opened_at = round_.closed_at = None
        round_.clock_seconds, round_.clock_used, round_.clock_started_at = None, 0, None
        round_.save()
        touch(tournament)
        note(tournament, "take-back-round", by, at, before=before)
    return round_


def _written(round_: Round) -> Any:
    """Filter to the games of a round with entries, also withdrawn ones."""
    return Game.objects.filter(table__round=round_, revision__gt=0).order_by("pk")


def _delete_sheets(round_: Round) -> dict[str, Any]:
    """Delete the games with entries, and return their records for the audit."""
    sheets = load_sheets(_written(round_))
    records = [sheet.record for sheet in sheets if sheet.positions]
    for sheet in sheets:
        delete_locked(sheet.row)
    return {"records": records} if records else {}


def _lifecycle(round_: Round) -> dict[str, Any]:
    """Return when a round was published and opened, and its clock, as JSON values."""
    fields = {name: getattr(round_, name) for name in LIFECYCLE}
    return {
        name: value.isoformat() if isinstance(value, datetime) else value
        for name, value in fields.items()
    }


def _seating_as_it_stands(tournament: Tournament, round_: Round) -> dict[str, Any]:
    """Return the seating of a published round; a table is locked unless it was changed."""
    state = load_state(tournament)
    seated_round = next(each for each in state.seated_rounds if each.row.pk == round_.pk)
    # Publishing it again must not bring back who was taken out.
    entrants, after = state.entrants.items(), round_.number + 1
    left = [key for key, each in entrants if state.absence(each, after) == "left"]
    before = round_.seating or {}
    tables = [list(table.entrants) for table in seated_round.tables]
    kept = kept_tables(round_, before.get("locked", []))
    locked = [at for at, table in enumerate(tables) if kept.get(at) == table]
    stands = {"tables": tables, "byes": list(seated_round.byes), "locked": locked}
    return stands | ({"left": left} if left else {})
