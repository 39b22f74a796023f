"""Read how well the ratings of a pool predict, as computed in the night."""

from django.db.models import Avg, F
from django.db.models.functions import Abs

from tournaments.models import RatingChange, RatingPool

FIRST_GAMES = 10


def first_moves(pool: RatingPool) -> list[float]:
    """Return by how many points each of a player's first games moves the rating, on average."""
    changes = RatingChange.objects.filter(rating__pool=pool, number__lte=FIRST_GAMES).order_by()
    moves = changes.values_list("number").annotate(moved=Avg(Abs(F("mean") - F("mean_before"))))
    return [moved for _number, moved in moves.order_by("number")]
