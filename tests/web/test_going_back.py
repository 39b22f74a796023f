"""What browsers keep, so that going back shows it at once, and what they never keep."""

import pytest

from tests.club_factories import AccountFactory
from tests.deals import WHOLE_GAME
from tests.factories import GameFactory
from tournaments.web.base.phone import address

pytestmark = pytest.mark.django_db


def is_stored(client, path, **headers):
    return "no-store" not in client.get(path, headers=headers)["Cache-Control"]


def test_start_page_is_kept_until_it_lists_a_table_of_the_phone(client):
    assert is_stored(client, "/")
    client.get(address(GameFactory(), "follow"))
    assert not is_stored(client, "/")


def test_sheet_is_kept_where_it_is_followed_and_not_where_it_is_written(client):
    game = GameFactory(entries=WHOLE_GAME)
    follow = address(game, "follow")
    assert is_stored(client, follow)
    # A fragment at the same address would be shown in place of the page.
    assert not is_stored(client, follow, **{"HX-Request": "true"})
    assert not is_stored(client, address(game, "write"))
    # This phone is shown addresses to write now.
    assert not is_stored(client, follow)


def test_nothing_is_kept_for_an_account(client):
    paths = "/", "/guide/", "/rules/"
    assert [is_stored(client, path) for path in paths] == [True] * 3
    client.force_login(AccountFactory())
    assert [is_stored(client, path) for path in paths] == [False] * 3
