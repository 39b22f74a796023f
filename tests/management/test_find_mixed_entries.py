"""Entries of one table on the sheet of another."""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client

from tests.deals import WHOLE_GAME
from tests.factories import GameFactory
from tests.phones import deal_fields, new_key
from tournaments.models import Revision
from tournaments.web.base.phone import address

pytestmark = pytest.mark.django_db


def send(game, fields):
    """Send a form of an entry to the table of a game, whosesoever it is."""
    answer = Client().post(
        f"{address(game, 'write')}entry/", fields, headers={"hx-request": "true"}
    )
    assert answer.status_code == 200
    return Revision.objects.latest("pk")


def found():
    out = StringIO()
    call_command("find_mixed_entries", stdout=out)
    return out.getvalue().splitlines()


@pytest.mark.parametrize("tables", [2, 3])
def test_entry_on_the_sheets_of_several_tables_is_found_on_each(tables):
    games = [GameFactory() for _ in range(tables)]
    for game in games:
        send(game, deal_fields(WHOLE_GAME[0], 0, new_key()))
    mixed = deal_fields(WHOLE_GAME[1], 1, new_key())
    for game in games:
        send(game, mixed)

    *lines, sum_ = found()

    assert sum_ == "1 keys on several sheets"
    assert [line.split(": ")[0] for line in lines] == [mixed["key"]] * tables
    assert [line.split("game ")[1] for line in lines] == [
        f"{game.public_id}, revision 2, entry" for game in games
    ]


def test_keys_that_programs_count_are_not_found_where_their_games_are_of_other_days():
    fields = deal_fields(WHOLE_GAME[0], 0, "entry-0001")
    row = send(GameFactory(), fields)
    Revision.objects.filter(pk=row.pk).update(at=row.at - timedelta(days=1))
    send(GameFactory(), fields)

    assert found() == ["0 keys on several sheets"]
