"""The nightly check: `sweep_checks` compares all that `CACHES` lists with fresh computations.

`write_notices` tells owners of new differences; the club's page reads `counts_of`. The command
`check_caches` calls `look_at_all` and `repair`. At the end, `compare_with_stored` compares an
exported tournament with the stored one.
"""

import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from types import MappingProxyType
from typing import Any, NamedTuple

from django.conf import settings
from django.db import InterfaceError, OperationalError, transaction
from django.db.models import Count, Prefetch, Sum
from django.utils import timezone, translation
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournaments.engine.documents.games import digest_of_game
from tournaments.engine.documents.results import DIFFERS, TOO_LARGE, UNKNOWN, Point
from tournaments.models import AuditEntry, Check, Club, Difference, Game, Revision, Tournament, User
from tournaments.models.clubs import Role
from tournaments.queries.sheets import record_digest
from tournaments.services.checks.caches import (
    Mismatch,
    ScanResult,
    look_at_folded_names,
    look_at_game_digests,
    look_at_names,
    look_at_player_sums,
    look_at_results,
    look_at_revisions,
    look_at_round_digests,
    look_at_standings,
    repair_folded_names,
    repair_game_digests,
    repair_names,
    repair_player_sums,
    repair_results,
    repair_revisions,
    repair_round_digests,
    repair_standings,
    seal_what_is_missing,
)
from tournaments.services.checks.ratings import look_at_changes, look_at_ratings, repair_ratings
from tournaments.services.emails import EmailText, write_emails
from tournaments.services.events.events import digests_of_rounds
from tournaments.services.ratings.computing import sweep_ratings

log = logging.getLogger(__name__)


class Cache(NamedTuple):
    """A stored value that can be computed: how all rows are checked in batches, and repaired."""

    label: str | Promise
    look: Callable[[], Iterator[ScanResult]]
    repair: Callable[[Sequence[Mismatch]], None]


RESULTS = "results"

CACHES: Mapping[str, Cache] = MappingProxyType(
    {
        "revisions": Cache(
            gettext_lazy("How often a sheet was written"), look_at_revisions, repair_revisions
        ),
        RESULTS: Cache(gettext_lazy("Results of games"), look_at_results, repair_results),
        "game-digests": Cache(
            gettext_lazy("Codes of games"), look_at_game_digests, repair_game_digests
        ),
        "standings": Cache(
            gettext_lazy("Standings of closed rounds"), look_at_standings, repair_standings
        ),
        "round-digests": Cache(
            gettext_lazy("Codes of rounds and tournaments"),
            look_at_round_digests,
            repair_round_digests,
        ),
        "folded-names": Cache(
            gettext_lazy("How players are found by their names"),
            look_at_folded_names,
            repair_folded_names,
        ),
        "names-on-sheets": Cache(gettext_lazy("Names on sheets"), look_at_names, repair_names),
        "player-sums": Cache(
            gettext_lazy("Totals of players"), look_at_player_sums, repair_player_sums
        ),
        "rating-changes": Cache(
            gettext_lazy("What games changed in ratings"), look_at_changes, repair_ratings
        ),
        "ratings": Cache(gettext_lazy("Ratings"), look_at_ratings, repair_ratings),
    }
)
"""Sources come before what is computed from them; `docs/checks.md` describes each."""

HOUR = 4
"""The hour in local time when even the last table has finished."""

LOST_AFTER = timedelta(hours=1)
"""A check that is unfinished after this time is started again: its worker died."""

MOST_KEPT = 1000
"""Maximum number of stored differences per cache; beyond it the count is enough."""

NOT_LOOKED_AT = "not looked at"

ROWS_AT_ONCE = 200


def sweep_checks(at: datetime) -> bool:
    """Run tonight's check, unless it is done or another worker runs it; return whether it ran."""
    check = claim_check(night_of(at), at)
    if check is not None:
        seal_what_is_missing()
        for name in CACHES:
            _run(check, name)
        with transaction.atomic():
            check.finished_at = timezone.now()
            check.save()
            write_notices(check, check.finished_at)
    return check is not None


def night_of(at: datetime) -> date:
    """Return the night whose check is due: the last one whose hour has come."""
    return (timezone.localtime(at).replace(tzinfo=None) - timedelta(hours=HOUR)).date()


def claim_check(night: date, at: datetime) -> Check | None:
    """Begin the check of a night; None if it is done or another worker runs it.

    A check that is still unfinished the next night is replaced by that night's.
    """
    with transaction.atomic():
        check, begun = Check.objects.get_or_create(night=night, defaults={"started_at": at})
        if begun:
            late = Check.objects.filter(night__lt=night, finished_at=None)
            late.update(error="not ended by the next night", finished_at=at)
            return check
        rows = Check.objects.filter(pk=check.pk, finished_at=None)
        # If the clock was set back, the start lies in the future.
        lost = rows.exclude(started_at__range=(at - LOST_AFTER, at + LOST_AFTER))
        check.started_at = at
        return check if lost.update(started_at=at) else None


def _run(check: Check, name: str) -> None:
    subjects: set[str] = set()
    try:
        for rows, mismatches in CACHES[name].look():
            subjects |= {each.subject for each in mismatches}
            _keep_differences(name, mismatches)
            check.found += len(mismatches)
            check.rows += rows
            check.games += rows if name == RESULTS else 0
    except (InterfaceError, OperationalError):
        # The database is away: another worker will start again.
        raise
    # Any row may break a computation; the other caches are still compared.
    except Exception as error:
        log.exception("%s could not be looked at", name)
        check.error = f"{name}: {type(error).__name__}"
        _keep_differences(name, [Mismatch(None, NOT_LOOKED_AT, None, type(error).__name__)])
    else:
        close_repaired(name, subjects, timezone.now())


def close_repaired(cache: str, subjects: Collection[str], at: datetime) -> None:
    """Close the differences of a cache, except those with these subjects."""
    stored = Difference.objects.open().filter(cache=cache).values_list("pk", "subject")
    gone = [pk for pk, subject in stored if subject not in subjects]
    Difference.objects.filter(pk__in=gone).update(resolved_at=at)


def _keep_differences(cache: str, mismatches: Sequence[Mismatch]) -> None:
    there = Difference.objects.open().filter(cache=cache)
    new = {each.subject: each for each in mismatches}
    known = list(there.filter(subject__in=new))
    for old in known:
        each = new.pop(old.subject)
        old.stored, old.computed = each.stored, each.computed
    Difference.objects.bulk_update(known, ["stored", "computed"], batch_size=ROWS_AT_ONCE)
    fresh = list(new.values())[: max(0, MOST_KEPT - there.count())]
    rows = (
        Difference(
            club_id=each.club,
            cache=cache,
            subject=each.subject,
            stored=each.stored,
            computed=each.computed,
            first_at=timezone.now(),
        )
        for each in fresh
    )
    Difference.objects.bulk_create(rows, batch_size=ROWS_AT_ONCE, ignore_conflicts=True)


RULE = "\n\n— — —\n\n"


def write_notices(check: Check, at: datetime) -> None:
    """Write the e-mails about new differences, in the transaction that ends the check."""
    new = Difference.objects.open().filter(told_at=None)
    clubs = set(new.order_by().values_list("club", flat=True))
    names: dict[int | None, str] = dict(
        Club.objects.filter(pk__in=clubs - {None}).values_list("pk", "name")
    )
    for club in sorted(clubs, key=lambda pk: pk or 0):
        counted, subjects, bodies = counts_of(club), [], []
        for language, _name in settings.LANGUAGES:
            with translation.override(language):
                subjects.append(str(_("nightly check")))
                bodies.append(_text(names.get(club, ""), counted))
        text = EmailText(f"Kingscore: {' / '.join(subjects)}", RULE.join(bodies) + "\n")
        # The check is the key, so that nobody gets two e-mails however often it ends.
        about = f"check:{check.pk}:{club or 'server'}"
        write_emails(_readers(club), about, text, at=at)
    new.update(told_at=at)


def counts_of(club: int | None) -> list[tuple[str | Promise, int]]:
    """Count the differences of a club (None: the server) by the label of their cache (1 query)."""
    rows = Difference.objects.open().filter(club=club).order_by().values_list("cache")
    counted = dict(rows.annotate(number=Count("pk")))
    return [(cache.label, counted[name]) for name, cache in CACHES.items() if name in counted]


def _readers(club: int | None) -> Iterable[User]:
    active = User.objects.filter(is_active=True).order_by("pk")
    if club is None:
        return active.filter(is_superuser=True)
    return active.filter(memberships__club=club, memberships__role=Role.OWNER)


def _text(club: str, counted: list[tuple[str | Promise, int]]) -> str:
    where = _("Club: %(club)s") % {"club": club} if club else _("The whole server")
    lines = [f"  {label}: {number}" for label, number in counted]
    return "\n".join(
        (
            where,
            "",
            _("The nightly check has computed anew what is stored, and found something else:"),
            "",
            *lines,
            "",
            _("What the tables have written is untouched. Whoever runs the server can repair it:"),
            "",
            "  python manage.py check_caches --repair",
            "",
            _("You get this e-mail once; the page of the club says so until it is repaired.")
            if club
            else _("You get this e-mail once."),
        )
    )


Differing = tuple[str, Mismatch]
"""The name of a cache, and a mismatch."""


def look_at_all() -> Iterator[Differing]:
    """Yield every mismatch with the name of its cache. Nothing is changed."""
    for name, cache in CACHES.items():
        for _rows, mismatches in cache.look():
            yield from ((name, each) for each in mismatches)


def repair(differing: Sequence[Differing]) -> None:
    """Recompute differing values, sources before values computed from them."""
    done: set[Callable[..., None]] = set()
    for name, (_label, _look, compute) in CACHES.items():
        mismatches = [each for of, each in differing if of == name]
        # All ratings are computed at once.
        if mismatches and compute not in done:
            compute(mismatches)
            done.add(compute)
    # Corrected results have enqueued their rounds for rating.
    sweep_ratings()


STORED = "stored"


def compare_with_stored(
    document: Mapping[str, Any], tournament: Tournament, most_work: int
) -> Iterator[Point]:
    """Yield for each game and closed round of a valid export whether the same is stored here.

    What a correction has changed since is no difference; what changed without one is. A small
    document may name a large tournament: one with more revisions than `most_work` is not read.
    """
    rows = Game.objects.filter(table__round__event=tournament.event_id).select_related("table")
    if (rows.aggregate(work=Sum("revision"))["work"] or 0) > most_work:
        yield Point(STORED, "", UNKNOWN, TOO_LARGE)
        return
    in_order = Prefetch("revisions", Revision.objects.order_by("revision"))
    games = {
        (row.table.round_id, row.table.number): row
        for row in rows.prefetch_related(in_order)
        if row.table is not None
    }
    rounds = {round_.number: (round_, digest) for round_, digest in digests_of_rounds(tournament)}
    entries = AuditEntry.objects.filter(event=tournament.event_id, action="seal-rounds")
    noted: list[dict[str, str]] = [(entry.after or {}).get("codes", {}) for entry in entries]
    for at, place in enumerate(document["rounds"]):
        where = f"rounds[{at}]"
        round_, digest = rounds.get(place["number"], (None, ""))
        for number, table in enumerate(place["tables"]):
            row = None if round_ is None else games.get((round_.pk, table["number"]))
            yield _compare_game(f"{where}.tables[{number}].game", table["game"], row)
        if "digest" in place and place["digest"] != digest:
            sealed = any(codes.get(str(place["number"])) == digest for codes in noted)
            code = "changed-since" if sealed or not digest else "behind"
            outcome = UNKNOWN if code == "changed-since" else DIFFERS
            yield Point(STORED, f"{where}.digest", outcome, code)


def _compare_game(where: str, document: Mapping[str, Any], row: Game | None) -> Point:
    if row is None:
        return Point(STORED, where, UNKNOWN, "changed-since")
    revisions = list(row.revisions.all())
    exported = digest_of_game(document["record"]) if document["writes"] else ""
    if exported == record_digest(row, revisions):
        return Point(STORED, where)
    if [revision.key for revision in revisions] != [each["key"] for each in document["writes"]]:
        return Point(STORED, where, UNKNOWN, "changed-since")
    return Point(STORED, where, DIFFERS, "behind")
