"""Versions of standings, which tell whether a cached page still holds."""

from django.db.models import F, OuterRef, Subquery, Sum
from django.db.models.functions import Coalesce

from tournaments.models import AuditEntry, Game, Tournament
from tournaments.models.tournaments import TournamentQuerySet

ONE_GAME = 1_000_000

Version = tuple[int, ...]
"""The version of standings."""


def version_of(tournament: Tournament) -> Version:
    """Return the version of the standings without reading them (1 query)."""
    ((_row, version),) = with_versions(Tournament.objects.filter(pk=tournament.pk))
    return version


def with_versions(rows: TournamentQuerySet) -> list[tuple[Tournament, Version]]:
    """Return each tournament with the version of its standings (1 query).

    Finishing or correcting a sheet changes a sum over all finished sheets: of their keys, each
    weighted by its revision, so that two sheets cannot cancel out. Changed names have an audit
    entry; every other change raises the revision of the tournament.
    """
    games = Game.objects.filter(table__round__event=OuterRef("event"), result__isnull=False)
    by_event = games.order_by().values("table__round__event")
    names = AuditEntry.objects.filter(club=OuterRef("event__club"), kind=AuditEntry.Kind.PLAYER)
    found = rows.annotate(
        written=Coalesce(
            Subquery(by_event.annotate(n=Sum(F("pk") * (F("revision") + ONE_GAME))).values("n")), 0
        ),
        named=Coalesce(Subquery(names.order_by("-pk").values("pk")[:1]), 0),
    )
    details = ("pk", "revision", "written", "named")
    return [(row, tuple(getattr(row, name) for name in details)) for row in found]
