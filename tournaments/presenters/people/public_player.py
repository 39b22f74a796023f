"""What everybody may see of a player: the games of published evenings, and their sums."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from tournaments.models import Player
from tournaments.presenters.people.player_sums import figures_of
from tournaments.presenters.people.players import rating_row
from tournaments.queries.people.players import (
    PlayerSums,
    RatingStep,
    add_up,
    games_of,
    rank_of,
    ratings_of,
    steps_of,
)
from tournaments.queries.ratings.ratings import ShownRating, rating_at, shown


@dataclass(frozen=True, slots=True)
class PublicPlayer:
    """A player's most played kind of game: rating, (rank, of how many) in the club, sums, steps."""

    rating: ShownRating | None
    rank: tuple[int, int] | None
    sums: PlayerSums
    steps: Sequence[RatingStep]


def public_player(player: Player, at: datetime) -> PublicPlayer:
    """Return a player for everybody (up to 5 queries)."""
    every = games_of(player, None, published=True)
    counted, ratings = Counter(game.family for game in every), ratings_of(player)
    rated = next((each.pool.family for each in ratings if each.pool.club_id), "")
    family = max(counted, key=counted.__getitem__, default=rated)
    games = [game for game in every if game.family == family]
    own = rating_row(ratings, family)
    if own is None:
        return PublicPlayer(None, None, add_up(games), ())
    keys = {game.pk for game in games}
    steps = [step for step in steps_of(own) if step.game in keys]
    return PublicPlayer(shown(rating_at(own, at)), rank_of(own, at), add_up(games), steps)


def facts_of(
    rating: ShownRating | None, rank: tuple[int, int] | None, sums: PlayerSums
) -> list[tuple[str, str]]:
    """Return the name and value of the first figures of a player."""
    facts = []
    if rating is not None:
        facts.append((_("Rating"), f"{rating.points} ± {rating.within}"))
    if rank is not None:
        facts.append((_("Place in the club"), f"{rank[0]} / {rank[1]}"))
    won, *_rest = figures_of(sums)
    facts.append((pgettext("played", "Games"), str(sums.games)))
    facts.append((won.name, " · ".join(filter(None, [won.value, won.share]))))
    return facts
