"""Digests of closed rounds and finished tournaments, stored and noted in the audit."""

from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime

from django.db import transaction
from django.db.models import F, Prefetch, Q, QuerySet
from django.utils import timezone

from tournaments.engine.documents.games import digest_of_round, digest_of_tournament
from tournaments.models import AuditEntry, Event, Game, Revision, Round, Ruling, Sitting, Tournament
from tournaments.queries.games.sheets import record_digest
from tournaments.services.audit import NOBODY, Actor, Change, note_change
from tournaments.services.events.events import subject_of


def seal_rounds(tournament: Tournament, by: Actor, *, at: datetime) -> None:
    """Store the digests of a locked tournament that have changed, and note them in the audit."""
    fill_digests(Game.objects.filter(table__round__event=tournament.event_id))
    before: dict[str, str] = {}
    after: dict[str, str] = {}
    rounds = []
    for round_, digest in digests_of_rounds(tournament):
        if round_.digest != digest:
            before[str(round_.number)], after[str(round_.number)] = round_.digest, digest
            round_.digest = digest
        round_.sealed_at = at if digest else None
        rounds.append(round_)
    if rounds:
        Round.objects.bulk_update(rounds, ["digest", "sealed_at"])
    whole = digest_of_all(tournament, [round_.digest for round_ in rounds])
    if tournament.digest != whole:
        before["tournament"], after["tournament"] = tournament.digest, whole
        tournament.digest = whole
        tournament.save(update_fields=["digest"])
    if after:
        event = tournament.event
        kind, subject = AuditEntry.Kind.EVENT, subject_of(event)
        change = Change(
            kind, "seal-rounds", subject, {"codes": before}, {"codes": after}, event=event
        )
        note_change(event.club, change, by, at=at)


def fill_digests(games: QuerySet[Game]) -> None:
    """Store the digests of written games that have none, from before there were any."""
    in_order = Prefetch("revisions", Revision.objects.order_by("revision"))
    for row in games.filter(digest="", revision__gt=0).prefetch_related(in_order):
        digest = record_digest(row, list(row.revisions.all()))
        # A revision stored meanwhile brings its own.
        Game.objects.filter(pk=row.pk, digest="").update(digest=digest)


def seal_after_commit(event: Event) -> None:
    """Seal the rounds of an event's tournament once the present transaction is committed.

    Only then: a writer holds the lock of a game, and the tournament is locked before games.
    """
    transaction.on_commit(lambda: seal_now(event.pk), robust=True)


def seal_now(event_pk: int) -> None:
    """Lock the tournament of an event, if it has one, and seal its rounds."""
    with transaction.atomic():
        rows = Tournament.objects.select_for_update(of=("self",)).filter(event=event_pk)
        for row in rows.select_related("event__club"):
            seal_rounds(row, NOBODY, at=timezone.now())


def seal_unsealed() -> None:
    """Seal what was closed before there were digests, or corrected just before a crash."""
    late = Revision.objects.filter(at__gt=F("game__table__round__sealed_at"))
    closed = Round.objects.filter(closed_at__isnull=False, event__tournament__isnull=False)
    waiting = Q(digest="") | Q(pk__in=late.values("game__table__round"))
    for event in closed.filter(waiting).values_list("event", flat=True).distinct():
        seal_now(event)


def digests_of_rounds(tournament: Tournament) -> Iterator[tuple[Round, str]]:
    """Yield the rounds of a tournament with their digests; those not closed have none (4 queries).

    They are computed from the stored digests of games.
    """
    event = tournament.event_id
    entrants: dict[int | None, list[str]] = defaultdict(list)
    byes: dict[int, list[str]] = defaultdict(list)
    sat = Sitting.objects.filter(round__event=event).select_related("entrant")
    for row in sat.order_by("side", "entrant__number"):
        (byes[row.round_id] if row.table_id is None else entrants[row.table_id]).append(
            row.entrant.key
        )
    games: dict[int, list[tuple[int, int | None, str]]] = defaultdict(list)
    at_tables = Game.objects.filter(table__round__event=event).order_by("table__number", "pk")
    fields = ("table__round", "table__number", "table", "digest")
    for round_pk, number, table, digest in at_tables.values_list(*fields):
        games[round_pk].append((number, table, digest))
    rulings: dict[int, list[dict[str, object]]] = defaultdict(list)
    ruled = Ruling.objects.filter(round__event=event).select_related("entrant").order_by("pk")
    for each in ruled:
        said = {"entrant": each.entrant.key, "kind": str(each.kind), "points": each.points}
        rulings[each.round_id].append(said | {"withdrawn_at": each.withdrawn_at})
    before = ""
    for round_ in Round.objects.filter(event=event).order_by("number"):
        if round_.closed_at is None:
            yield round_, ""
            continue
        place = {
            "number": round_.number,
            "stage": round_.stage,
            "tables": [
                {"number": number, "entrants": entrants[table]}
                for number, table, _digest in games[round_.pk]
            ],
            "byes": byes[round_.pk],
            "standings": round_.standings,
        }
        digests = [digest for _number, _table, digest in games[round_.pk]]
        before = digest_of_round(place, digests, rulings[round_.pk], before)
        yield round_, before


def digest_of_all(tournament: Tournament, rounds: list[str]) -> str:
    """Return the digest of a finished tournament; empty for another."""
    if tournament.state != Tournament.State.FINISHED:
        return ""
    return digest_of_tournament(tournament.seed, [each for each in rounds if each])
