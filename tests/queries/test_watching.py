import pytest
from django.utils import timezone

from tests.club_factories import AuditEntryFactory, ClubFactory, TableFactory, TournamentFactory
from tests.deals import WHOLE_GAME
from tests.factories import GameFactory, record
from tests.rating_factories import RatingPoolFactory
from tournaments.models import AuditEntry, OpenTable, RatedRound
from tournaments.queries import watching
from tournaments.queries.watching import VersionWatcher

pytestmark = pytest.mark.django_db


def looks(topic, *changes):
    """What a look at a topic finds of each change: nothing, something, or other rights."""
    watch = VersionWatcher()
    version = watch.look([topic])[topic]
    for change in changes:
        change()
        before, version = version, watch.look([topic])[topic]
        assert watch.look([topic])[topic] == version
        yield "rights" if before.rights != version.rights else before != version


def test_sheet_changes_with_its_deals_and_its_address():
    game, other = GameFactory(), GameFactory()

    def replace_address():
        game.follow_generation += 1
        game.save()

    changes = [lambda: record(game, WHOLE_GAME[0]), lambda: record(other, WHOLE_GAME[0])]
    found = looks(f"game {game.public_id}", *changes, game.refresh_from_db, replace_address)
    assert list(found) == [True, False, False, "rights"]


def test_evening_changes_with_its_games_and_its_address():
    game = GameFactory()
    table = game.open_table
    found = looks(
        f"evening {table.public_id}",
        lambda: record(game, WHOLE_GAME[0]),
        lambda: OpenTable.objects.update(generation=2),
    )
    assert list(found) == [True, "rights"]


@pytest.mark.parametrize("kind", ["club", "round"])
def test_club_changes_with_its_audit(kind, monkeypatch):
    monkeypatch.setattr(watching, "ENTRIES_LOOKED_AT", 5)
    now = timezone.now()
    monkeypatch.setattr(watching.timezone, "now", lambda: now)
    club, other = ClubFactory(), ClubFactory()
    found = looks(
        f"{kind} {club.pk}",
        lambda: AuditEntryFactory(club=club, kind=AuditEntry.Kind.RESULT),
        lambda: AuditEntryFactory(club=other, kind=AuditEntry.Kind.RESULT),
        lambda: AuditEntryFactory(club=club, kind=AuditEntry.Kind.ROLE),
        # More than one look reads.
        lambda: AuditEntryFactory.create_batch(9, club=other, kind=AuditEntry.Kind.RESULT),
    )
    assert list(found) == [True, False, "rights", "rights"]


def test_standings_change_with_finished_games():
    tournament = TournamentFactory()
    table = TableFactory(round__event=tournament.event)
    game = table.games.get()
    found = looks(
        f"standings {tournament.pk}",
        lambda: record(game, WHOLE_GAME[0]),
        lambda: [record(game, deal) for deal in WHOLE_GAME[1:]],
    )
    assert list(found) == [False, True]


@pytest.mark.parametrize("server", [False, True])
def test_leaderboard_changes_with_rated_rounds(server):
    pool = RatingPoolFactory(**{"club": None} if server else {})
    table = TableFactory()
    found = looks(
        f"ratings {pool.club_id or 0}",
        lambda: RatedRound.objects.create(
            pool=pool, round=table.round, at=timezone.now(), spreads={}
        ),
    )
    assert list(found) == [True]
