"""Ratings computed from the games: every row can be deleted and computed again."""

from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import Q

from tournaments.engine.ratings.ratings import START_VARIANCE, Constants, Rating
from tournaments.engine.rules.rulesets import MOST_SEATS
from tournaments.models.clubs import Club
from tournaments.models.events import Round
from tournaments.models.games import Game
from tournaments.models.people import Player, User


class RatingPoolQuerySet(models.QuerySet["RatingPool"]):
    def seen_by(self, user: User | AnonymousUser | None) -> "RatingPoolQuerySet":
        """Filter to the pools that a visitor may see.

        They are the server's pools, those of the visitor's clubs, and those of published clubs in
        the server's ratings. Only clubs that opted in are part of the server's ratings.
        """
        return self.filter(Q(club=None) | Q(club__in=Club.objects.showing_ratings_to(user)))


class RatingPool(models.Model):
    """A pool of rated players: a club or the whole server, in one family of games."""

    # Null for the whole server.
    club = models.ForeignKey(
        Club,
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="rating_pools",
        db_index=False,
    )
    # The family of the rulesets.
    family = models.CharField(max_length=40)
    # The constants fitted to its games, kept when all ratings are computed again: `start` and
    # `luck` of `Constants`. Version 0 are those of the program.
    version = models.PositiveIntegerField(default=0)
    start = models.FloatField(default=START_VARIANCE)
    luck = models.JSONField(default=dict)
    fitted_at = models.DateTimeField(null=True)
    # The number of games they were last fitted to, and how well these were predicted: the fields
    # of `Calibration`.
    fitted_games = models.PositiveIntegerField(default=0)
    calibration = models.JSONField(null=True)

    objects = RatingPoolQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["club", "family"], name="rating_pool_one_per_club"),
            models.UniqueConstraint(
                fields=["family"], condition=Q(club=None), name="rating_pool_one_of_server"
            ),
            models.CheckConstraint(condition=~Q(family=""), name="rating_pool_has_a_family"),
            models.CheckConstraint(condition=Q(start__gt=0), name="rating_pool_of_some_strengths"),
        ]

    def __str__(self) -> str:
        return f"{self.family} in {self.club_id or 'all clubs'}"

    @property
    def constants(self) -> Constants:
        return Constants(self.start, self.luck)


class PlayerRating(models.Model):
    """The rating of a person in a pool after their last rated game.

    `person` identifies them: `p` and the key of a player or, in the server's pools, where an
    account plays in several clubs, `a` and the key of the account. `player` is the player to show.
    """

    # The constraint begins with this field, so it needs no index.
    pool = models.ForeignKey(
        RatingPool, on_delete=models.CASCADE, related_name="ratings", db_index=False
    )
    person = models.CharField(max_length=24)
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="ratings")
    mean = models.FloatField()
    variance = models.FloatField()
    # The variance of newcomers that it was computed with.
    start = models.FloatField(default=START_VARIANCE)
    games = models.PositiveIntegerField()
    last_at = models.DateTimeField()
    # For the leaderboard: the mean as shown, the month of `last_at` (12 × year + month from 0), and
    # whether the rating was provisional then.
    points = models.IntegerField()
    month = models.PositiveIntegerField()
    provisional = models.BooleanField()

    class Meta:
        indexes = [
            # Lists page with index-only scans.
            models.Index(
                fields=["pool", "-points", "id", "month", "provisional", "player"],
                name="rating_leaderboard",
            ),
            models.Index(fields=["pool", "last_at"], name="rating_last_game"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["pool", "person"], name="rating_one_per_person"),
            models.CheckConstraint(condition=Q(games__gte=1), name="rating_after_a_game"),
            models.CheckConstraint(condition=Q(variance__gt=0), name="rating_never_certain"),
        ]

    def __str__(self) -> str:
        return f"{self.person}: {self.points}"

    @property
    def rating(self) -> Rating:
        return Rating(self.mean, self.variance, self.start)


class RatingChange(models.Model):
    """The change of a rating by one game, the `number`-th of that person, from 1.

    `at` is `Round.played_at`. The rating before includes the rest since the previous
    game. The database has no foreign key checks on rating and game: for millions of rows they take
    as long as everything else, and corrections would wait for the computation and the reverse. Rows
    of a game deleted meanwhile stay until the next computation.
    """

    pk = models.CompositePrimaryKey("game", "rating")
    # The key and a constraint begin with these fields, so they need no index.
    rating = models.ForeignKey(
        PlayerRating,
        on_delete=models.CASCADE,
        related_name="changes",
        db_index=False,
        db_constraint=False,
    )
    game = models.ForeignKey(
        Game,
        on_delete=models.CASCADE,
        related_name="rating_changes",
        db_index=False,
        db_constraint=False,
    )
    seat = models.PositiveSmallIntegerField()
    number = models.PositiveIntegerField()
    at = models.DateTimeField()
    mean_before = models.FloatField()
    variance_before = models.FloatField()
    mean = models.FloatField()
    variance = models.FloatField()

    class Meta:
        ordering = ["number"]
        indexes = [models.Index(fields=["at"], name="rating_change_at")]
        constraints = [
            # Of expressions, so that it is an index, which a rebuild drops and makes again.
            models.UniqueConstraint("rating", "number", name="rating_change_numbered"),
            models.CheckConstraint(
                condition=Q(seat__lt=MOST_SEATS), name="rating_change_at_a_seat"
            ),
            models.CheckConstraint(condition=Q(number__gte=1), name="rating_change_from_one"),
        ]

    @property
    def before(self) -> Rating:
        return Rating(self.mean_before, self.variance_before, self.rating.start)

    @property
    def after(self) -> Rating:
        return Rating(self.mean, self.variance, self.rating.start)


class RatedRound(models.Model):
    """A closed round rated in a pool, with the spreads of points after it.

    `spreads` maps the id of each ruleset (after "house " for a club's own) to the fields of
    `Spread`: the number of games and the sum of squares of points. `units` has the unit of each
    game by its key, and where half of what counts is the place, the width of that; rounds rated by
    earlier versions have none. The database does not check that the round exists.
    """

    pool = models.ForeignKey(
        RatingPool, on_delete=models.CASCADE, related_name="rounds", db_index=False
    )
    round = models.ForeignKey(
        Round, on_delete=models.CASCADE, related_name="+", db_constraint=False
    )
    at = models.DateTimeField()
    spreads = models.JSONField()
    units = models.JSONField(default=dict)

    class Meta:
        indexes = [models.Index(fields=["pool", "-at", "-round"], name="rated_round_last")]
        constraints = [
            models.UniqueConstraint(fields=["pool", "round"], name="rated_round_once"),
        ]


class RatingDue(models.Model):
    """A request to recompute ratings from a time on, for a club or the server.

    Rows are only added, in the transaction that changes a result, and deleted by the process that
    has computed them. They take no locks, and no change is missed. Computing a club in the server's
    ratings requests those, too.
    """

    # Null for the whole server.
    club = models.ForeignKey(
        Club, null=True, blank=True, on_delete=models.CASCADE, related_name="+"
    )
    since = models.DateTimeField()


class RatingLedger(models.Model):
    """A single row: the lock for computing ratings, and the model they were computed with."""

    model = models.CharField(max_length=40, blank=True)

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(pk=1), name="rating_ledger_is_one")]
