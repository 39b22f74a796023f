"""The digests of games, closed rounds and finished tournaments.

They are stored with each revision and each closing. A row that somebody changes without the program
keeps its old digest, which no longer fits.
"""

from collections.abc import Iterable, Iterator

from django.db import transaction
from django.db.models import Prefetch, QuerySet

from tournaments.models import Game, Revision, Tournament
from tournaments.queries.games.sheets import record_digest
from tournaments.services.base.moment import one_moment
from tournaments.services.checks.caches import Mismatch, ScanResult, batches_of
from tournaments.services.checks.games import AT_ONCE, clubs_of, games_of, named
from tournaments.services.events.sealing import (
    digest_of_all,
    digests_of_rounds,
    fill_digests,
    seal_now,
    seal_unsealed,
)


def seal_what_is_missing() -> None:
    """Store the digests of what was written before there were any."""
    written = Game.objects.filter(digest="", revision__gt=0)
    for keys in batches_of(written, AT_ONCE):
        fill_digests(Game.objects.filter(pk__in=keys))
    seal_unsealed()


def look_at_game_digests() -> Iterator[ScanResult]:
    """Compare the digests of games with their records."""
    for keys in batches_of(Game.objects.exclude(digest=""), AT_ONCE):
        with one_moment():
            rows = Game.objects.filter(pk__in=keys).order_by("pk").prefetch_related("revisions")
            differing = [
                (row, digest)
                for row in rows
                # An archived game keeps the digest of the deals that were here.
                if row.revisions.all() and row.digest != (digest := _digest_of(row))
            ]
            clubs = clubs_of(row.pk for row, _ in differing)
        found = [Mismatch(clubs[row.pk], named(row), row.digest, said) for row, said in differing]
        yield ScanResult(len(keys), tuple(found))


def repair_game_digests(found: Iterable[Mismatch]) -> None:
    """Store the digests of the records as they are now."""
    for row in games_of(found):
        with transaction.atomic():
            game = Game.objects.select_for_update().get(pk=row.pk)
            game.digest = _digest_of(game)
            game.save(update_fields=["digest"])


def look_at_round_digests() -> Iterator[ScanResult]:
    """Compare the digests of rounds and tournaments with what they are of, by tournament."""
    for keys in batches_of(Tournament.objects.exclude(state="draft"), 1):
        with one_moment():
            rows = Tournament.objects.filter(pk__in=keys).select_related("event")
            found = tuple(each for row in rows for each in _look_at(row))
        yield ScanResult(1, found)


def repair_round_digests(found: Iterable[Mismatch]) -> None:
    """Seal the rounds as they are now; the audit keeps the digests before."""
    slugs = {each.subject.removeprefix("tournament:").partition(",")[0] for each in found}
    for event in Tournament.objects.filter(slug__in=slugs).values_list("event", flat=True):
        seal_now(event)


def _look_at(tournament: Tournament) -> Iterator[Mismatch]:
    club, subject = tournament.event.club_id, f"tournament:{tournament.slug}"
    computed = list(digests_of_rounds(tournament))
    for round_, digest in computed:
        # A round without one has not been sealed so far.
        if round_.digest and round_.digest != digest:
            yield Mismatch(club, f"{subject}, round {round_.number}", round_.digest, digest)
    whole = digest_of_all(tournament, [digest for _round, digest in computed])
    if tournament.digest and tournament.digest != whole:
        yield Mismatch(club, subject, tournament.digest, whole)


def _with_revisions(keys: list[int]) -> QuerySet[Game]:
    in_order = Prefetch("revisions", Revision.objects.order_by("revision"))
    return Game.objects.filter(pk__in=keys).order_by("pk").prefetch_related(in_order)


def _digest_of(row: Game) -> str:
    return record_digest(row, list(row.revisions.all()))
