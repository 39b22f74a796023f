from tests.factories import EVENING, SetupFactory, record
from tournaments.services.games.tables import NextGame, start_next_game, start_rematch, start_table

KEY = "a-key-of-at-least-22-characters"
TWO = ("Ayşe", "Burak")


def won_by(side, reserve=4):
    left = [0, 0]
    left[1 - side] = reserve
    piles = {"reserve": left, "stock": [0, 0], "waste": [0, 0]}
    return {"type": "deal", "winner": side, "left": piles}


def krapet(number=3, length="best-of", **options):
    head = SetupFactory(ruleset="krapet", players=TWO, options=options)
    return start_table(head, (length, number), at=EVENING, key=KEY)


def next_game(game, key=KEY, reason="Laps"):
    return start_next_game(game.pk, at=EVENING, key=key, reason=reason)


def rematch(game, key=KEY, **head):
    """The next game at an open table, and whether it was started with this key."""
    setup = SetupFactory(**{"ruleset": game.ruleset, "players": game.players} | head)
    return start_rematch(game.pk, NextGame(setup), at=EVENING, key=key)


def play(winners, **terms):
    game = krapet(**terms)
    for index, side in enumerate(winners):
        game = next_game(game)[0] if index else game
        record(game, won_by(side))
    return game


def railroad(**options):
    head = SetupFactory(ruleset="euchre-railroad", options=options)
    return start_table(head, ("first-to", 3), at=EVENING, key=KEY)


def march(game, times, maker=0):
    for _ in range(times):
        record(game, {"type": "deal", "maker": maker, "tricks": 5, "alone": True})
