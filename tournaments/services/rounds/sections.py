"""Sections of a tournament: move entrants between them, or divide all by rating."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from tournaments.models import AuditEntry, Entrant, Tournament, Visitor
from tournaments.queries.ratings.predictions import ratings_of_entrants
from tournaments.queries.tournaments.state import load_state, rules_of_tournament, settings_of
from tournaments.services.audit import Actor
from tournaments.services.base.refusals import Refused
from tournaments.services.entrants.lists import UnknownSection
from tournaments.services.events.sealing import seal_rounds
from tournaments.services.rounds.pairing import number_of
from tournaments.services.rounds.rounds import changes_since_closing, keep_standings_of
from tournaments.services.tournaments.lifecycle import (
    Depended,
    WrongState,
    lock_tournament,
    note,
    touch,
)


class TooFewForSections(Refused, code="too-few-for-sections"):
    sentence = _("Too few take part to fill a table in each section.")


def move_entrants(
    tournament_pk: int, numbers: Collection[int], section: str, by: Actor, *, at: datetime
) -> list[Entrant]:
    """Move entrants to a section, and return those who were not there. Idempotent.

    They keep their points. Published seatings stay, so that they play there from the next round.

    Raises:
        UnknownSection: the tournament has no such section.
        WrongState: the tournament is finished.
        Depended: a final is seated.
    """
    with transaction.atomic():
        tournament = lock_tournament(tournament_pk)
        if not section or section not in settings_of(tournament).section_names:
            raise UnknownSection(section)
        rows = tournament.entrants.filter(number__in=numbers)
        return _put(tournament, dict.fromkeys(rows, section), by, at)


def divide_by_rating(
    tournament_pk: int, visitor: Visitor, by: Actor, *, at: datetime
) -> list[Entrant]:
    """Divide all who play by the ratings that a visitor may see, the best into the first section.

    Those without a rating come last, in order of numbers. Return those who move.

    Raises:
        UnknownSection: the tournament has no sections.
        TooFewForSections: a section would have no full table.
        WrongState, Depended: as in `move_entrants`.
    """
    with transaction.atomic():
        tournament = lock_tournament(tournament_pk)
        names = settings_of(tournament).section_names
        if not names:
            raise UnknownSection("")
        entrants = tournament.entrants.playing().competing()
        rows = list(entrants.select_related("player", "partner"))
        sizes = sizes_of(tournament, len(rows))
        if 0 in sizes:
            raise TooFewForSections
        rated = ratings_of_entrants(tournament, rows, visitor, at)
        rows.sort(key=lambda row: -rated[row.key].points if row.key in rated else float("inf"))
        letters = [name for name, size in zip(names, sizes, strict=True) for _each in range(size)]
        return _put(tournament, dict(zip(rows, letters, strict=True)), by, at)


def sizes_of(tournament: Tournament, count: int) -> Sequence[int]:
    """Return the sizes of sections of so many entrants: of whole tables, the rest in the last."""
    size, sections = rules_of_tournament(tournament).side_count, settings_of(tournament).sections
    tables, left = divmod(count, size)
    each, more = divmod(tables, sections)
    if not each:
        return [0] * sections
    sizes = [(each + (at < more)) * size for at in range(sections)]
    return [*sizes[:-1], sizes[-1] + left]


def put_back(tournament: Tournament, entry: AuditEntry, by: Actor, at: datetime) -> None:
    """Undo a move, or a division, from its audit entry."""
    stood: dict[str, str] = (entry.before or {})["sections"]
    rows = tournament.entrants.filter(number__in=map(number_of, stood))
    _put(tournament, {row: stood[row.key] for row in rows}, by, at)


def _put(
    tournament: Tournament, sections: Mapping[Entrant, str], by: Actor, at: datetime
) -> list[Entrant]:
    """Move entrants of a locked tournament; a move is no correction of the rounds played."""
    if tournament.state == Tournament.State.FINISHED:
        raise WrongState(tournament.state)
    if tournament.event.rounds.exclude(stage="").exists():
        raise Depended(sentence=_("A final is seated: nobody changes sections any more."))
    moved = [row for row, section in sections.items() if row.section != section]
    if not moved:
        return []
    corrected = {each.round for each in changes_since_closing(load_state(tournament))}
    before = {row.key: row.section for row in moved}
    for row in moved:
        row.section = sections[row]
    Entrant.objects.bulk_update(moved, ["section"])
    keep_standings_of(load_state(tournament), but=corrected)
    touch(tournament)
    after: dict[str, Any] = {"entrants": [row.key for row in moved]}
    to = {row.section for row in moved}
    if len(to) == 1:
        after["section"] = to.pop()
    note(tournament, "move-section", by, at, before={"sections": before}, after=after)
    seal_rounds(tournament, by, at=at)
    return moved
