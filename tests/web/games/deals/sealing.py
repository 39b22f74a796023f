"""Deals that are begun before they are counted, and the tables at which they are played."""

from tests.deals import deal
from tests.factories import reload
from tests.web.games.table import send, table_of

MEN = deal("no-men", 2, 3, 1, 2)
QUEENS = deal("no-queens", 1, 2, 1, 0)


def sealed(*entries):
    return table_of("turkish-king-sealed", *entries)


def seal(client, game, contract, **fields):
    return send(client, game, "seal", contract=contract, **fields)


def reveal(client, game, **fields):
    return send(client, game, "reveal", position=str(reload(game).positions[-1]), **fields)
