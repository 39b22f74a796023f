"""Taking an open table into a club's evening."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from tournaments.models import Game, Match, Table
from tournaments.services.auditing import Actor
from tournaments.services.clubs.events import lock_round
from tournaments.services.people.head_names import let_typed_names_follow
from tournaments.services.play.seating import Seating, Who, seat_players
from tournaments.services.play.tables import Act, lay
from tournaments.services.play.writing import RoundClosed


class NotOpen(Exception):
    """The game belongs to a club's table already."""


def adopt_game(
    game_pk: int, round_pk: int, who: Sequence[Who], by: Actor, *, at: datetime
) -> Table:
    """Make an open game, with all games of its match, a table of an open round.

    `who` says in seat order which players sit there; names nobody has are added. Its phone goes
    on writing at the address it has.

    Raises:
        RoundClosed: the round is over.
        SitsTwice, SitsElsewhere, NoName: somebody cannot sit there.
        NotOpen: the game is a club's already.
        Game.DoesNotExist: it was deleted.
    In each case nothing is written.
    """
    with transaction.atomic():
        place = lock_round(round_pk)
        if not place.is_open:
            raise RoundClosed
        seating = seat_players(place, who, by, at=at)
        games = _locked(game_pk)
        if any(game.table_id is not None for game in games):
            raise NotOpen
        asked = next(game for game in games if game.pk == game_pk)
        seatings = [_as_in(game, asked, seating) for game in games]
        for game, at_game in zip(games, seatings, strict=True):
            typed, game.players = game.players, at_game.names
            game.title = game.title or place.event.name
            game.save(update_fields=["players", "title"])
            # Whoever is shown by initials may have been typed in full.
            let_typed_names_follow(game, typed)
        return lay(place, games, seatings, Act("adopt", by, at))


def _locked(game_pk: int) -> list[Game]:
    """The game, or all games of its match in order; locked, as the match is."""
    match = Match.objects.select_for_update().filter(games=game_pk).first()
    mine = {"match": match} if match else {"pk": game_pk}
    games = list(Game.objects.select_for_update().filter(**mine).order_by("pk"))
    if not games:
        raise Game.DoesNotExist
    return games


def _as_in(game: Game, asked: Game, seating: Seating) -> Seating:
    """Who sits where in a game of the match, by the names its sheet has."""
    by_name = dict(zip(asked.players, seating.players, strict=True))
    if set(game.players) != set(by_name):
        return seating
    return Seating(tuple(by_name[name] for name in game.players))
