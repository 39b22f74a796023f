from dataclasses import replace

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.club_factories import ClubFactory, MemberFactory, TableFactory
from tests.deals import WHOLE_GAME, deal
from tests.factories import EVENING, ContextFactory, GameFactory, record, reload
from tournaments.engine.documents.entries import parse_entry
from tournaments.engine.rules.rulesets import InvalidEntry
from tournaments.models import AuditEntry, RatingDue, Revision
from tournaments.services.audit import Actor
from tournaments.services.games import playing, writing

pytestmark = pytest.mark.django_db

BLIND = [
    {"type": "deal", "contract": "no-queens"},
    {"type": "deal", "contract": "no-queens", "counts": {"queens": [1, 0, 2, 1]}},
    WHOLE_GAME[0],
]


def kept(game):
    sheet = reload(game)
    # Without the keys.
    fields = ("revision", "kind", "position", "body", "author", "at", "reason")
    return (sheet.row.revision, sheet.row.result, [*sheet.row.revisions.values_list(*fields)])


def late():
    """A game of a round that is closed, and a director, who alone writes there."""
    club = ClubFactory(rates_evenings=True)
    table = TableFactory(round__event__club=club, round__closed_at=EVENING)
    return table.games.get(), Actor(MemberFactory(club=club, role="director").user)


def told(game):
    club = game.table.round.event.club
    lines = AuditEntry.objects.filter(club=club, subject=f"game:{game.public_id}").order_by("pk")
    dues = {due.since for due in RatingDue.objects.filter(club=club)}
    return [*lines.values_list("action", "before", "after", "at")], dues


@pytest.mark.parametrize("entries", [WHOLE_GAME, BLIND], ids=["whole game", "begun blind"])
def test_record_leaves_what_its_entries_leave_one_by_one(entries):
    one_by_one, at_once = GameFactory(), GameFactory()

    for body in entries:
        record(one_by_one, body)
    sheet = playing.record_entries(
        at_once.pk, map(parse_entry, entries), ContextFactory(revision=0)
    )

    assert kept(at_once) == kept(one_by_one)
    assert sheet.game == reload(at_once).game


def test_record_at_a_club_s_table_is_told_and_rated_as_its_entries_are():
    (one_by_one, director), (at_once, other_director) = late(), late()

    for revision, body in enumerate(WHOLE_GAME):
        playing.record_entry(
            one_by_one.pk, parse_entry(body), ContextFactory(revision=revision, by=director)
        )
    playing.record_entries(
        at_once.pk, map(parse_entry, WHOLE_GAME), ContextFactory(revision=0, by=other_director)
    )

    assert kept(at_once) == kept(one_by_one)
    (lines, dues), (lines_at_once, dues_at_once) = told(one_by_one), told(at_once)
    assert lines_at_once == lines
    assert len(lines) == len(WHOLE_GAME)
    # The rounds of the two have other numbers, and each is rated from its own moment on.
    assert dues == {one_by_one.table.round.played_at}
    assert dues_at_once == {at_once.table.round.played_at}


def test_record_with_an_entry_that_cannot_be_is_not_begun():
    game = GameFactory()
    entries = (*WHOLE_GAME[:3], deal("no-men", 1, 1, 1, 1))

    with pytest.raises(InvalidEntry):
        playing.record_entries(game.pk, map(parse_entry, entries), ContextFactory(revision=0))

    assert (reload(game).row.revision, Revision.objects.count()) == (0, 0)


def test_record_sent_again_is_stale_and_no_key_is_refused():
    game, context = GameFactory(), ContextFactory(revision=0)
    playing.record_entries(game.pk, map(parse_entry, WHOLE_GAME[:2]), context)

    with pytest.raises(writing.StaleRevision):
        playing.record_entries(game.pk, map(parse_entry, WHOLE_GAME[:2]), context)
    with pytest.raises(writing.BadKey):
        playing.record_entries(
            game.pk, map(parse_entry, WHOLE_GAME[:2]), replace(context, key="no", revision=2)
        )

    assert reload(game).row.revision == 2


def test_record_asks_no_statement_more_for_each_entry():
    asked = []
    for length in (1, 20):
        game = GameFactory()
        with CaptureQueriesContext(connection) as queries:
            playing.record_entries(
                game.pk, map(parse_entry, WHOLE_GAME[:length]), ContextFactory(revision=0)
            )
        asked.append(len(queries))

    assert asked[1] == asked[0]
