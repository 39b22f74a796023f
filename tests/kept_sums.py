from django.utils import timezone

from tournaments.queries.players import parts_of, seats_of
from tournaments.services.people import players


def keep_sums(player, *, keep=True):
    """The sums of all games of a player, kept however few these are."""
    fewest, players.FEWEST = players.FEWEST, 1
    try:
        seats = seats_of(player, None)
        parts, _every = parts_of(seats, timezone.localdate())
        return players.sums_of_games(player, seats, parts, keep=keep)
    finally:
        players.FEWEST = fewest
