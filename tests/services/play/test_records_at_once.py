"""A record is written at once, and leaves what its entries leave one by one."""

from dataclasses import replace

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.club_factories import ClubFactory, MemberFactory, TableFactory
from tests.deals import WHOLE_GAME, deal
from tests.factories import EVENING, GameFactory, PenFactory, record, reload
from tournaments.engine.problems import InvalidEntry
from tournaments.models import AuditLine, RatingDue, Write
from tournaments.services.auditing import Actor
from tournaments.services.play import playing, writing

pytestmark = pytest.mark.django_db

BLIND = [
    {"type": "deal", "contract": "no-queens"},
    {"type": "deal", "contract": "no-queens", "counts": {"queens": [1, 0, 2, 1]}},
    WHOLE_GAME[0],
]


def kept(game):
    """What stands on the sheet and in its log."""
    sheet = reload(game)
    # Without the keys.
    fields = ("revision", "kind", "position", "body", "author", "at", "reason")
    return (sheet.row.revision, sheet.row.result, [*sheet.row.writes.values_list(*fields)])


def late():
    """A game of a round that is closed, and a director, who alone writes there."""
    club = ClubFactory(rates_evenings=True)
    table = TableFactory(round__event__club=club, round__closed_at=EVENING)
    return table.games.get(), Actor(MemberFactory(club=club, role="director").user)


def told(game):
    """The audit of the club, and from when on it is rated again."""
    club = game.table.round.event.club
    lines = AuditLine.objects.filter(club=club, subject=f"game:{game.public_id}").order_by("pk")
    dues = RatingDue.objects.filter(club=club)
    return [*lines.values_list("action", "before", "after", "at")], {*dues.values_list("since")}


@pytest.mark.parametrize("entries", [WHOLE_GAME, BLIND], ids=["whole game", "begun blind"])
def test_record_leaves_what_its_entries_leave_one_by_one(entries):
    one_by_one, at_once = GameFactory(), GameFactory()

    for body in entries:
        record(one_by_one, body)
    sheet = playing.record_entries(at_once.pk, entries, PenFactory(revision=0))

    assert kept(at_once) == kept(one_by_one)
    assert sheet.game == reload(at_once).game


def test_record_at_a_club_s_table_is_told_and_rated_as_its_entries_are():
    (one_by_one, director), (at_once, other_director) = late(), late()

    for revision, body in enumerate(WHOLE_GAME):
        playing.record_entry(one_by_one.pk, body, PenFactory(revision=revision, by=director))
    playing.record_entries(at_once.pk, WHOLE_GAME, PenFactory(revision=0, by=other_director))

    assert kept(at_once) == kept(one_by_one)
    assert told(at_once) == told(one_by_one)
    assert (len(told(at_once)[0]), told(at_once)[1]) == (len(WHOLE_GAME), {(EVENING,)})


def test_record_goes_on_where_the_sheet_ends():
    game = GameFactory(entries=WHOLE_GAME[:2])

    playing.record_entries(game.pk, WHOLE_GAME[2:4], PenFactory(revision=2))

    assert reload(game).record["entries"] == list(WHOLE_GAME[:4])


def test_record_with_an_entry_that_cannot_be_is_not_begun():
    game = GameFactory()
    entries = (*WHOLE_GAME[:3], deal("no-men", 1, 1, 1, 1))

    with pytest.raises(InvalidEntry):
        playing.record_entries(game.pk, entries, PenFactory(revision=0))

    assert (reload(game).row.revision, Write.objects.count()) == (0, 0)


def test_record_sent_again_is_stale_and_no_key_is_refused():
    game, pen = GameFactory(), PenFactory(revision=0)
    playing.record_entries(game.pk, WHOLE_GAME[:2], pen)

    with pytest.raises(writing.StaleRevision):
        playing.record_entries(game.pk, WHOLE_GAME[:2], pen)
    with pytest.raises(writing.BadKey):
        playing.record_entries(game.pk, WHOLE_GAME[:2], replace(pen, key="no", revision=2))

    assert reload(game).row.revision == 2


def test_record_asks_one_statement_more_for_each_entry():
    asked = []
    for length in (1, 20):
        game = GameFactory()
        with CaptureQueriesContext(connection) as queries:
            playing.record_entries(game.pk, WHOLE_GAME[:length], PenFactory(revision=0))
        asked.append(len(queries))

    assert asked[1] - asked[0] == 19
