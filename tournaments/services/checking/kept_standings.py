"""The standings that rounds keep from when they were closed.

They are what was, and need not be what is: a correction changes what is, and directors are shown
by how much. But where nothing was corrected since, both are the same.
"""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime

from django.db import transaction
from django.db.models import Q

from tournaments.models import AuditLine, Round, Ruling, Tournament, Write
from tournaments.queries.tournaments import load_course
from tournaments.services.checking.caches import Found, Looked
from tournaments.services.checking.moment import one_moment
from tournaments.services.clubs.events import subject_of
from tournaments.services.tournaments.leading import lock_tournament
from tournaments.services.tournaments.rounds import Moved, changes_since_closing, keep_standings

CHANGES_NO_STANDINGS = (
    *("open-round", "close-round", "seat-round", "unseat-round", "change-seating", "seat-again"),
    *("publish-round", "take-back-round", "start-clock", "pause-clock", "add-time"),
    *("add-table-time", "check-in", "check-out", "replace-links", "move-tournament"),
    *("add-entrants", "put-substitute", "take-out-substitute", "accept-changes"),
)
"""What is done in a tournament all the time; after anything else standings may be others."""


def look_at_standings(after: int | None) -> Looked:
    """Compare the kept standings of a tournament's rounds with those of now: one at a time."""
    with one_moment():
        rows = Tournament.objects.filter(pk__gt=after or 0).exclude(state="draft")
        tournament = rows.select_related("event__club").order_by("pk").first()
        if tournament is None:
            return Looked(0, (), None)
        moved = _unexplained(tournament)
    found = [
        Found(
            tournament.event.club_id,
            _subject(tournament, number),
            {each.entrant: list(each.before) for each in of_round},
            {each.entrant: list(each.after) for each in of_round},
        )
        for number, of_round in sorted(moved.items())
    ]
    return Looked(1, tuple(found), tournament.pk)


def repair_standings(found: Iterable[Found]) -> None:
    """Keep the standings as they are now, where nothing tells why they were others."""
    slugs = {each.subject.removeprefix("tournament:").partition(",")[0] for each in found}
    for pk in Tournament.objects.filter(slug__in=slugs).values_list("pk", flat=True):
        with transaction.atomic():
            tournament = lock_tournament(pk)
            rounds = Round.objects.filter(event=tournament.event_id)
            for place in rounds.filter(number__in=_unexplained(tournament)):
                keep_standings(tournament, place)


def _unexplained(tournament: Tournament) -> dict[int, list[Moved]]:
    """By round, what has moved since it was closed though nothing was corrected."""
    course = load_course(tournament)
    closed = {each.row.number: each.row.closed_at for each in course.drawn}
    moved: dict[int, list[Moved]] = defaultdict(list)
    for each in changes_since_closing(course):
        moved[each.round].append(each)
    return {
        number: rows
        for number, rows in moved.items()
        if (at := closed[number]) is not None and not _is_corrected(tournament, number, at)
    }


def _is_corrected(tournament: Tournament, number: int, since: datetime) -> bool:
    """Whether anything by which standings move was done since a round was closed."""
    event = tournament.event
    rounds = Round.objects.filter(event=event, number__lte=number)
    writes = Write.objects.filter(game__table__round__in=rounds, at__gte=since)
    rulings = Ruling.objects.filter(round__in=rounds)
    rulings = rulings.filter(Q(at__gte=since) | Q(withdrawn_at__gte=since))
    lines = AuditLine.objects.filter(club=event.club_id, subject=subject_of(event), at__gte=since)
    lines = lines.exclude(action__in=CHANGES_NO_STANDINGS)
    return writes.exists() or rulings.exists() or lines.exists()


def _subject(tournament: Tournament, number: int) -> str:
    return f"tournament:{tournament.slug}, round {number}"
