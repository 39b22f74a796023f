"""The standings stored with each round when it is closed.

They are a snapshot and may differ from the current standings: a correction changes the current
ones, and directors see by how much. Without a correction both must be equal.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime

from django.db import transaction
from django.db.models import Q

from tournaments.models import AuditEntry, Revision, Round, Ruling, Tournament
from tournaments.queries.tournaments.state import load_state
from tournaments.services.base.moment import one_moment
from tournaments.services.checks.caches import Mismatch, ScanResult, batches_of
from tournaments.services.events.events import subject_of
from tournaments.services.events.sealing import seal_now
from tournaments.services.rounds.running import Moved, changes_since_closing, keep_standings
from tournaments.services.tournaments.lifecycle import lock_tournament

CHANGES_NO_STANDINGS = (
    *("open-round", "close-round", "seat-round", "unseat-round", "change-seating", "seat-again"),
    *("publish-round", "take-back-round", "start-clock", "pause-clock", "add-time"),
    *("add-table-time", "check-in", "check-out", "replace-links", "move-tournament"),
    *("add-entrants", "let-in", "put-substitute", "take-out-substitute", "accept-changes"),
    *(
        "seal-rounds",
        "fee-paid",
        "fee-not-paid",
        "put-line-up",
        "cancel-tournament",
        "restore-tournament",
    ),
)
"""Routine actions in a tournament; any other action may change standings."""


def look_at_standings() -> Iterator[ScanResult]:
    """Compare stored standings of rounds with the current ones, one tournament at a time."""
    for keys in batches_of(Tournament.objects.exclude(state="draft"), 1):
        with one_moment():
            rows = Tournament.objects.filter(pk__in=keys).select_related("event__club")
            moved = [(row, *each) for row in rows for each in sorted(_unexplained(row).items())]
        found = (
            Mismatch(
                tournament.event.club_id,
                _subject(tournament, number),
                {each.entrant: list(each.before) for each in of_round},
                {each.entrant: list(each.after) for each in of_round},
            )
            for tournament, number, of_round in moved
        )
        yield ScanResult(1, tuple(found))


def repair_standings(found: Iterable[Mismatch]) -> None:
    """Store the current standings where no correction explains the difference."""
    slugs = {each.subject.removeprefix("tournament:").partition(",")[0] for each in found}
    for pk in Tournament.objects.filter(slug__in=slugs).values_list("pk", flat=True):
        with transaction.atomic():
            tournament = lock_tournament(pk)
            rounds = Round.objects.filter(event=tournament.event_id)
            for round_ in rounds.filter(number__in=_unexplained(tournament)):
                keep_standings(tournament, round_)
        seal_now(tournament.event_id)


def _unexplained(tournament: Tournament) -> dict[int, list[Moved]]:
    """Return by round the changes since closing that no correction explains."""
    tournament_state = load_state(tournament)
    closed = {each.row.number: each.row.closed_at for each in tournament_state.seated_rounds}
    moved: dict[int, list[Moved]] = defaultdict(list)
    for each in changes_since_closing(tournament_state):
        moved[each.round].append(each)
    return {
        number: rows
        for number, rows in moved.items()
        if (at := closed[number]) is not None and not _is_corrected(tournament, number, at)
    }


def _is_corrected(tournament: Tournament, number: int, since: datetime) -> bool:
    """Return whether anything that affects standings was corrected since a round was closed."""
    event = tournament.event
    rounds = Round.objects.filter(event=event, number__lte=number)
    writes = Revision.objects.filter(game__table__round__in=rounds, at__gte=since)
    rulings = Ruling.objects.filter(round__in=rounds)
    rulings = rulings.filter(Q(at__gte=since) | Q(withdrawn_at__gte=since))
    lines = AuditEntry.objects.filter(club=event.club_id, at__gte=since).about([subject_of(event)])
    lines = lines.exclude(action__in=CHANGES_NO_STANDINGS)
    return writes.exists() or rulings.exists() or lines.exists()


def _subject(tournament: Tournament, number: int) -> str:
    return f"tournament:{tournament.slug}, round {number}"
