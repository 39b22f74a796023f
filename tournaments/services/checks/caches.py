"""Checks of what is stored beside games: results, digests, standings, names, sums of players.

Each `look_at_…` yields batches of rows with their mismatches, its `repair_…` computes those anew;
`nights.CACHES` pairs them.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F, Max, Prefetch, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone

from tournaments.models import (
    AuditEntry,
    Club,
    Game,
    KeptSums,
    Player,
    Revision,
    Round,
    Ruling,
    Seat,
    Tournament,
)
from tournaments.models.people import fold_name, plain_name
from tournaments.queries.players import (
    parts_of,
    read_histories,
    seats_of,
    version_of,
    write_history,
)
from tournaments.queries.sheets import record_digest
from tournaments.queries.state import load_state
from tournaments.services.base.writes import one_moment
from tournaments.services.events.events import (
    digest_of_all,
    digests_of_rounds,
    fill_digests,
    seal_now,
    seal_unsealed,
    subject_of,
)
from tournaments.services.games.tables import UNFIT, rebuild_result, results_of
from tournaments.services.people.players import let_names_follow, names_at_table
from tournaments.services.rounds.running import Moved, changes_since_closing, keep_standings
from tournaments.services.tournaments.lifecycle import lock_tournament


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A stored value that differs from its computation; both as JSON.

    `club` is the key of its club (None: the server's), `subject` the row. If the values are names
    of people, both are None.
    """

    club: int | None
    subject: str
    stored: Any = None
    computed: Any = None


ScanResult = tuple[int, Sequence[Mismatch]]
"""A checked batch: its number of rows, and the differences."""


def batches_of(rows: QuerySet[Any], size: int) -> Iterator[list[int]]:
    """Yield the keys of rows in order, in batches of `size`; no query stays open in between."""
    last = 0
    while keys := list(rows.filter(pk__gt=last).order_by("pk").values_list("pk", flat=True)[:size]):
        yield keys
        last = keys[-1]


AT_ONCE = 100
"""Takes some tenths of a second: a longer snapshot would keep SQLite's WAL from being reset."""

NO_RESULT = "entries that do not fit each other"


def look_at_results() -> Iterator[ScanResult]:
    """Compare results of games with the fold of their revisions."""
    for keys in batches_of(Game.objects.all(), AT_ONCE):
        with one_moment():
            differing = [
                (row, NO_RESULT if result is UNFIT else result)
                for row, result in results_of(keys)
                if row.result != result and not _is_of_before(row.result, result)
            ]
            clubs = clubs_of(row.pk for row, _ in differing)
        mismatches = [
            Mismatch(clubs[row.pk], named(row), row.result, result) for row, result in differing
        ]
        yield len(keys), mismatches


def _is_of_before(stored: Any, result: Any) -> bool:
    """Return whether a result lacks only what was not stored before the second tie-breaks."""
    if not isinstance(stored, dict) or not isinstance(result, dict) or "unplayed" in stored:
        return False
    return bool(stored == {name: each for name, each in result.items() if name != "unplayed"})


def repair_results(mismatches: Iterable[Mismatch]) -> None:
    """Store results again; a game whose entries do not fit keeps its result."""
    for row in games_of(mismatches):
        rebuild_result(row.pk)


def look_at_revisions() -> Iterator[ScanResult]:
    """Compare the revision number of each game with its last revision."""
    fields = ("club", "public_id", "revision", "last")
    for keys in batches_of(Game.objects.all(), 10 * AT_ONCE):
        # A single query is a consistent snapshot by itself.
        rows = Game.objects.filter(pk__in=keys).annotate(
            club=F("table__round__event__club_id"), last=Coalesce(Max("revisions__revision"), 0)
        )
        differing = rows.exclude(revision=F("last")).order_by("pk").values_list(*fields)
        mismatches = [
            Mismatch(club, f"game:{name}", *numbers) for club, name, *numbers in differing
        ]
        yield len(keys), mismatches


def repair_revisions(mismatches: Iterable[Mismatch]) -> None:
    """Set games to the number and the result of their last revision."""
    for row in games_of(mismatches):
        with transaction.atomic():
            game = Game.objects.select_for_update().get(pk=row.pk)
            game.revision = game.revisions.aggregate(last=Max("revision"))["last"] or 0
            game.save(update_fields=["revision"])
            rebuild_result(game.pk)


def look_at_names() -> Iterator[ScanResult]:
    """Compare the names in the setup of club games with the names of their players."""
    # Joined: with a thousand prefetched players SQLite rejects the query as too deep.
    seats = Prefetch("seats", Seat.objects.select_related("player"))
    for keys in batches_of(Game.objects.filter(table__isnull=False), 5 * AT_ONCE):
        with one_moment():
            games = Game.objects.filter(pk__in=keys).order_by("pk").prefetch_related(seats)
            differing = [row for row in games if row.players != names_in_head(row)]
            clubs = clubs_of(row.pk for row in differing)
        yield len(keys), [Mismatch(clubs[row.pk], named(row)) for row in differing]


def names_in_head(game: Game) -> list[str]:
    """Return the names the setup of a game should have; guests keep the names as typed."""
    sitting = {seat.number: seat.player for seat in game.seats.all()}
    written = enumerate(game.players)
    return names_at_table([sitting.get(seat) or Player(name=name) for seat, name in written])


def repair_names(mismatches: Iterable[Mismatch]) -> None:
    """Write current player names into the setup of their games."""
    for each in mismatches:
        with transaction.atomic():
            # Same order as in renaming a player: lock the people of the club, then the game.
            list(Club.objects.select_for_update().filter(pk__in=[each.club]))
            for row in games_of([each]):
                seats = Seat.objects.filter(game=row)
                for number, pk in seats.values_list("number", "pk"):
                    let_names_follow(seats.filter(pk=pk), {row.players[number]})


def clubs_of(keys: Iterable[int]) -> dict[int, int | None]:
    """Map games to their clubs; None for open tables."""
    rows = Game.objects.filter(pk__in=list(keys))
    return dict(rows.values_list("pk", "table__round__event__club_id"))


def named(game: Game) -> str:
    return f"game:{game.public_id}"


def games_of(mismatches: Iterable[Mismatch]) -> QuerySet[Game]:
    """Return the games of some differences, without deleted ones."""
    names = [each.subject.removeprefix("game:") for each in mismatches]
    return Game.objects.filter(public_id__in=names).order_by("pk")


def seal_what_is_missing() -> None:
    """Store the digests of what was written before there were any."""
    written = Game.objects.filter(digest="", revision__gt=0)
    for keys in batches_of(written, AT_ONCE):
        fill_digests(Game.objects.filter(pk__in=keys))
    seal_unsealed()


def look_at_game_digests() -> Iterator[ScanResult]:
    for keys in batches_of(Game.objects.exclude(digest=""), AT_ONCE):
        with one_moment():
            rows = Game.objects.filter(pk__in=keys).order_by("pk").prefetch_related("revisions")
            differing = [(row, digest) for row in rows if row.digest != (digest := _digest_of(row))]
            clubs = clubs_of(row.pk for row, _ in differing)
        mismatches = [
            Mismatch(clubs[row.pk], named(row), row.digest, computed) for row, computed in differing
        ]
        yield len(keys), mismatches


def repair_game_digests(mismatches: Iterable[Mismatch]) -> None:
    """Store the digests of the records as they are now."""
    for row in games_of(mismatches):
        with transaction.atomic():
            game = Game.objects.select_for_update().get(pk=row.pk)
            game.digest = _digest_of(game)
            game.save(update_fields=["digest"])


def look_at_round_digests() -> Iterator[ScanResult]:
    for keys in batches_of(Tournament.objects.exclude(state="draft"), 1):
        mismatches: list[Mismatch] = []
        with one_moment():
            for tournament in Tournament.objects.filter(pk__in=keys).select_related("event"):
                club, subject = tournament.event.club_id, f"tournament:{tournament.slug}"
                computed = list(digests_of_rounds(tournament))
                # A round without one has not been sealed so far.
                mismatches += [
                    Mismatch(club, f"{subject}, round {round_.number}", round_.digest, digest)
                    for round_, digest in computed
                    if round_.digest and round_.digest != digest
                ]
                whole = digest_of_all(tournament, [digest for _round, digest in computed])
                if tournament.digest and tournament.digest != whole:
                    mismatches.append(Mismatch(club, subject, tournament.digest, whole))
        yield 1, mismatches


def repair_round_digests(mismatches: Iterable[Mismatch]) -> None:
    """Seal the rounds as they are now; the audit keeps the digests before."""
    for tournament in _tournaments_of(mismatches):
        seal_now(tournament.event_id)


def _tournaments_of(mismatches: Iterable[Mismatch]) -> QuerySet[Tournament]:
    slugs = {each.subject.removeprefix("tournament:").partition(",")[0] for each in mismatches}
    return Tournament.objects.filter(slug__in=slugs)


def _digest_of(row: Game) -> str:
    return record_digest(row, list(row.revisions.all()))


CHANGES_NO_STANDINGS = (
    *("open-round", "close-round", "seat-round", "unseat-round", "change-seating", "seat-again"),
    *("publish-round", "take-back-round", "start-clock", "pause-clock", "add-time"),
    "take-alternative",
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
        mismatches = [
            Mismatch(
                tournament.event.club_id,
                f"tournament:{tournament.slug}, round {number}",
                {each.entrant: list(each.before) for each in of_round},
                {each.entrant: list(each.after) for each in of_round},
            )
            for tournament, number, of_round in moved
        ]
        yield 1, mismatches


def repair_standings(mismatches: Iterable[Mismatch]) -> None:
    """Store the current standings where no correction explains the difference."""
    for row in _tournaments_of(mismatches):
        with transaction.atomic():
            tournament = lock_tournament(row.pk)
            rounds = Round.objects.filter(event=tournament.event_id)
            for round_ in rounds.filter(number__in=_unexplained(tournament)):
                keep_standings(tournament, round_)
        seal_now(tournament.event_id)


def _unexplained(tournament: Tournament) -> dict[int, list[Moved]]:
    """Return by round the changes since closing that no correction explains."""
    tournament_state = load_state(tournament)
    closed = {seated.row.number: seated.row.closed_at for seated in tournament_state.seated_rounds}
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


FOLDED_NAMES_AT_ONCE = 1000


def look_at_folded_names() -> Iterator[ScanResult]:
    fields = ("pk", "club_id", "name", "name_key", "search_key")
    for players in batches_of(Player.objects.all(), FOLDED_NAMES_AT_ONCE):
        mismatches = [
            Mismatch(club, f"player:{pk}")
            for pk, club, name, *keys in Player.objects.filter(pk__in=players).values_list(*fields)
            if keys != [fold_name(name), plain_name(name)]
        ]
        yield len(players), mismatches


def repair_folded_names(mismatches: Iterable[Mismatch]) -> None:
    """Fold the names again; two players with one name are left for the director to merge."""
    for each in mismatches:
        for player in Player.objects.filter(pk=int(each.subject.removeprefix("player:"))):
            try:
                with transaction.atomic():
                    player.save(update_fields=["name_key", "search_key"])
            except IntegrityError:
                continue


PLAYER_SUMS_AT_ONCE = 25


def look_at_player_sums() -> Iterator[ScanResult]:
    """Compare kept sums with the games. Those of another version are not used, so they may stay."""
    for keys in batches_of(KeptSums.objects.all(), PLAYER_SUMS_AT_ONCE):
        mismatches: list[Mismatch] = []
        with one_moment():
            rows = KeptSums.objects.filter(pk__in=keys).select_related("player")
            for player, own in groupby(rows.order_by("player", "pk"), key=lambda row: row.player):
                seats = seats_of(player, None)
                parts, _every = parts_of(seats, timezone.localdate())
                versions = version_of(player, parts)
                stored = {row.part: row for row in own if row.version == versions.get(row.part)}
                wanted = [part for part in parts if part.key in stored]
                for part, history in read_histories(player, seats, wanted):
                    row, computed = stored[part.key], write_history(history)
                    if _in_order(row.sums) != _in_order(computed):
                        games = (row.sums["games"], computed["games"])
                        mismatches.append(Mismatch(player.club_id, f"sums:{row.pk}", *games))
        yield len(keys), mismatches


def _in_order(sums: dict[str, Any]) -> dict[str, Any]:
    return sums | {"places": sorted(sums["places"])}


def repair_player_sums(mismatches: Iterable[Mismatch]) -> None:
    """Delete the sums: the next page of the player computes them."""
    names = [int(each.subject.removeprefix("sums:")) for each in mismatches]
    KeptSums.objects.filter(pk__in=names).delete()
