"""Versions of what open pages show, so that they can be told of a change.

A topic is a text of its kind and its key, such as `game abcdefghjk`. One look at the database
serves all pages that a process has open: it takes a query for each kind.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from django.db.models import OuterRef, Subquery
from django.utils import timezone

from tournaments.models import AuditEntry, Game, RatedRound, RatingPool, Tournament
from tournaments.queries.steps import with_versions
from tournaments.queries.versions import versions_named

ENTRIES_LOOKED_AT = 200
"""The number of newest audit entries: those written at the same time may become visible out of
order."""

RIGHTS = (AuditEntry.Kind.ROLE, AuditEntry.Kind.SETTINGS)


@dataclass(frozen=True, slots=True)
class Version:
    """Everything that a topic shows, and what decides who may see it."""

    content: object
    rights: object = None


class VersionWatcher:
    """Looks at the versions of topics, again and again; not by two threads at a time."""

    def __init__(self) -> None:
        self.read: frozenset[int] = frozenset()
        self.changes: Counter[int | None] = Counter()
        self.rights: Counter[int | None] = Counter()

    def look(self, topics: Iterable[str]) -> dict[str, Version]:
        """Return the version of each topic, one without contents if it is gone."""
        keys: dict[str, list[str]] = defaultdict(list)
        for topic in topics:
            kind, key = topic.split(" ")
            keys[kind].append(key)
        found = {topic: Version(None) for topic in topics}
        for kind, looked in (
            ("game", _games), ("evening", _evenings), ("club", self.clubs), ("round", self.rounds),
            ("standings", _standings), ("ratings", watched_ratings),
        ):  # fmt: skip
            if kind in keys:
                versions = looked(keys[kind])
                found |= {f"{kind} {key}": version for key, version in versions.items()}
        return found

    def clubs(self, keys: Collection[str]) -> dict[str, Version]:
        """Every change in a club has an audit entry."""
        # With revisions of open tables, which are in no audit: to leave them out, the database
        # might have to read through all of them.
        every = AuditEntry._base_manager.order_by("-pk")  # noqa: SLF001 - as Django documents it
        newest = every.values_list("pk", "club", "kind")[:ENTRIES_LOOKED_AT]
        lines: list[tuple[int, int | None, str]] = list(newest)
        read = [(club, kind) for pk, club, kind in lines if pk not in self.read]
        new = [change for change in read if change[0] is not None]
        if len(read) == ENTRIES_LOOKED_AT:
            # There may be more: every club counts as changed.
            new.append((None, RIGHTS[0]))
        self.read = frozenset(pk for pk, *_ in lines)
        self.changes.update(club for club, _ in new)
        self.rights.update(club for club, kind in new if kind in RIGHTS)
        return {
            key: Version(
                *(counts[int(key)] + counts[None] for counts in (self.changes, self.rights))
            )
            for key in keys
        }

    def rounds(self, keys: Collection[str]) -> dict[str, Version]:
        """Pages that show directors how long tables need change with each minute, too."""
        minute = int(timezone.now().timestamp() // 60)
        found = self.clubs(keys).items()
        return {key: Version((minute, version.content), version.rights) for key, version in found}


def _games(keys: Collection[str]) -> dict[str, Version]:
    found = versions_named(keys)
    return {
        key: Version(version, (version.generation, version.write_generation, version.is_open))
        for key, version in found.items()
    }


def _evenings(keys: Collection[str]) -> dict[str, Version]:
    rows = Game.objects.filter(open_table__public_id__in=keys).order_by("pk")
    games: dict[str, list[object]] = defaultdict(list)
    rights: dict[str, int] = {}
    fields = ("open_table__public_id", "open_table__generation", "pk", "revision", "players")
    for key, generation, *game in rows.values_list(*fields):
        games[key].append(game)
        rights[key] = generation
    return {key: Version(of_table, rights[key]) for key, of_table in games.items()}


def _standings(keys: Collection[str]) -> dict[str, Version]:
    rows = with_versions(Tournament.objects.filter(pk__in=keys))
    return {str(row.pk): Version(version) for row, version in rows}


def watched_ratings(keys: Collection[str]) -> dict[str, Version]:
    """The last round rated in each pool of a club; those of the whole server have the key 0."""
    last = RatedRound.objects.filter(pool=OuterRef("pk")).order_by("-at", "-round")
    pools = RatingPool.objects.filter(club__in=[key for key in keys if key != "0"])
    if "0" in keys:
        pools |= RatingPool.objects.filter(club=None)
    of_club: dict[str, list[object]] = defaultdict(list)
    rows = pools.annotate(last=Subquery(last.values("pk")[:1])).order_by("pk")
    for club, *pool in rows.values_list("club", "pk", "last", "version", "fitted_at"):
        of_club[str(club or 0)].append(pool)
    return {key: Version(pools_of_club) for key, pools_of_club in of_club.items()}
