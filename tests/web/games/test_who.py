"""Whose phone it is: who is asked, and what the history then says."""

import pytest

from tests.deals import WHOLE_GAME
from tests.web.games.table import KEYS, fields_of, game_with, page_of, send, setup_fields, url
from tests.web.games.test_history import steps
from tournaments.models import Revision
from tournaments.web.base.phone import address

pytestmark = pytest.mark.django_db

ASKS = 'aria-labelledby="who-title" data-asks'


def started_by(phone):
    names = {f"name{seat}": name for seat, name in enumerate(("Deniz", "Çağrı", "İnci", "Işıl"))}
    said = {"ruleset": "turkish-king", "first_declarer": "0", "key": next(KEYS)}
    return phone.post("/new/", names | said).url


def test_shared_address_asks_once_and_the_phone_that_started_the_game_never(plain, other):
    table = started_by(plain)
    assert ASKS not in plain.get(table).content.decode()
    assert [ASKS in other.get(table).content.decode() for _ in range(2)] == [True, False]

    game = game_with(1)
    pages = [other.get(address(game, "follow")).content.decode() for _ in range(2)]
    assert [ASKS in page for page in pages] == [True, False]


def test_phone_that_takes_over_the_scoring_is_asked(plain):
    game = game_with(1)
    path = f"/take/{game.public_id}/{game.secret('pen')}/"
    assert ASKS in plain.post(path, {"key": next(KEYS)}, follow=True).content.decode()


def test_history_names_the_player_who_wrote(plain, other):
    game = game_with()
    for phone in (plain, other):
        phone.get(url(game, "write"))
    send(plain, game, **fields_of(WHOLE_GAME[0]))
    # Once this phone says whose it is, its first deal is known, too.
    send(plain, game, writer="1", **fields_of(WHOLE_GAME[1]))
    for nobody in ("4", "-1", "", "1x", "9" * 400):
        send(other, game, writer=nobody, **fields_of(WHOLE_GAME[2]))
        send(other, game, "undo", position=game.revision, writer=nobody)
    written = [line.split(" · ")[1] for line in reversed(steps(plain, game))]
    assert written[:3] == [game.players[1], game.players[1], "phone 2"]
    assert set(Revision.objects.values_list("author", flat=True)) == {"", game.players[1]}


def test_other_phones_hear_who_wrote(plain, other):
    game = game_with()
    send(plain, game, writer="0", **fields_of(WHOLE_GAME[0]))
    assert f'data-news="{game.players[0]} has written deal 1."' in page_of(other, game)
    send(plain, game, "head", writer="3", **setup_fields(game, name0="Aylin"))
    assert f'data-news="{game.players[3]} has changed' in page_of(other, game)
