"""Move an open table into a club's evening."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from tournaments.models import Game, Match, Table
from tournaments.services.audit import Actor
from tournaments.services.base.refusals import Refused
from tournaments.services.events.events import lock_round
from tournaments.services.games.seats import TableSeating, Who, seat_players
from tournaments.services.games.tables import Act, lay
from tournaments.services.games.writing import NoMoreTables
from tournaments.services.people.sheet_names import let_typed_names_follow


class NotOpen(Refused, code="not-open-table"):
    sentence = _("The table belongs to a club already.")


def adopt_game(
    game_pk: int, round_pk: int, who: Sequence[Who], by: Actor, *, at: datetime
) -> Table:
    """Make an open game, with all games of its match, a table of an open round.

    `who` names the players in seat order; unknown names are added. Its phone keeps its access link
    and goes on scoring.

    Raises:
        NoMoreTables: the round is closed.
        SitsTwice, SitsElsewhere, NoName: a player cannot sit there.
        NotOpen: the game already belongs to a club.
        Game.DoesNotExist: it was deleted.
    In each case nothing is written.
    """
    with transaction.atomic():
        round_ = lock_round(round_pk)
        if not round_.is_open:
            raise NoMoreTables
        seating = seat_players(round_, who, by, at=at)
        games = _locked(game_pk)
        if any(game.table_id is not None for game in games):
            raise NotOpen
        asked = next(game for game in games if game.pk == game_pk)
        seatings = [_as_in(game, asked, seating) for game in games]
        for game, at_game in zip(games, seatings, strict=True):
            typed, game.players = game.players, at_game.names
            game.title = game.title or round_.event.name
            # Whoever sat out is no player of the club by that.
            game.resting = []
            game.save(update_fields=["players", "title", "resting"])
            # A player shown by initials may have been typed in full.
            let_typed_names_follow(game, typed)
        return lay(round_, games, seatings, Act("adopt", by, at))


def _locked(game_pk: int) -> list[Game]:
    """Lock the match and return its games in order; for a single game, that game."""
    match = Match.objects.select_for_update().filter(games=game_pk).first()
    mine = {"match": match} if match else {"pk": game_pk}
    games = list(Game.objects.select_for_update().filter(**mine).order_by("pk"))
    if not games:
        raise Game.DoesNotExist
    return games


def _as_in(game: Game, asked: Game, seating: TableSeating) -> TableSeating:
    """Return the seating in a game of the match, found by the names on its sheet."""
    by_name = dict(zip(asked.players, seating.players, strict=True))
    if set(game.players) != set(by_name):
        return seating
    return TableSeating(tuple(by_name[name] for name in game.players))
