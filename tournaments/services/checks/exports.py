"""Compare an older export of a tournament with what is stored here now."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.db.models import Prefetch, Sum

from tournaments.engine.documents.games import digest_of_game
from tournaments.engine.documents.results import DIFFERS, TOO_LARGE, UNKNOWN, Point
from tournaments.models import AuditEntry, Game, Revision, Tournament
from tournaments.queries.games.sheets import record_digest
from tournaments.services.events.sealing import digests_of_rounds

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
    noted: list[dict[str, str]] = [(each.after or {}).get("codes", {}) for each in entries]
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


def _compare_game(where: str, said: Mapping[str, Any], row: Game | None) -> Point:
    if row is None:
        return Point(STORED, where, UNKNOWN, "changed-since")
    revisions = list(row.revisions.all())
    exported = digest_of_game(said["record"]) if said["writes"] else ""
    if exported == record_digest(row, revisions):
        return Point(STORED, where)
    if [each.key for each in revisions] != [each["key"] for each in said["writes"]]:
        return Point(STORED, where, UNKNOWN, "changed-since")
    return Point(STORED, where, DIFFERS, "behind")
