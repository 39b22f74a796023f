"""Ratings as computed from the games: every row here can be thrown away and made again."""

from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import Q

from tournaments.engine.ratings import Rating
from tournaments.models.clubs import Club
from tournaments.models.events import Round
from tournaments.models.people import Player, User
from tournaments.models.play import Game


class RatingPoolQuerySet(models.QuerySet["RatingPool"]):
    """Who may see which ratings."""

    def seen_by(self, user: User | AnonymousUser | None) -> "RatingPoolQuerySet":
        """Those of the server, of the visitor's clubs, and of published ones that take part there.

        In the server's ratings are only clubs that said so.
        """
        return self.filter(Q(club=None) | Q(club__in=Club.objects.showing_ratings_to(user)))


class RatingPool(models.Model):
    """Those who are compared with each other: a club, or the whole server, in a kind of game."""

    # Null: the whole server.
    club = models.ForeignKey(
        Club, null=True, blank=True, on_delete=models.CASCADE, related_name="rating_pools"
    )
    # The family of the rulesets played.
    family = models.CharField(max_length=40)

    objects = RatingPoolQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["club", "family"], name="rating_pool_one_per_club"),
            models.UniqueConstraint(
                fields=["family"], condition=Q(club=None), name="rating_pool_one_of_server"
            ),
            models.CheckConstraint(condition=~Q(family=""), name="rating_pool_has_a_family"),
        ]

    def __str__(self) -> str:
        return f"{self.family} in {self.club_id or 'all clubs'}"


class PlayerRating(models.Model):
    """The rating of somebody in a pool after the last of their games that counts.

    `person` is who it is of: `p` and the key of a player, or in the server's pools, where an
    account plays in several clubs, `a` and the key of the account. `player` is whom to show.
    """

    # Found by the constraint, which begins with it.
    pool = models.ForeignKey(
        RatingPool, on_delete=models.CASCADE, related_name="ratings", db_index=False
    )
    person = models.CharField(max_length=24)
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="ratings")
    mean = models.FloatField()
    variance = models.FloatField()
    games = models.PositiveIntegerField()
    last_at = models.DateTimeField()
    # For the leaderboard: the mean as it is shown, the month of `last_at` (12 × year + month from
    # 0), and whether the rating was provisional then.
    points = models.IntegerField()
    month = models.PositiveIntegerField()
    provisional = models.BooleanField()

    class Meta:
        indexes = [
            # Lists are leafed through in the index alone, without a look at the rows.
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
        """As the engine has it, at the time of the last game."""
        return Rating(self.mean, self.variance)


class RatingChange(models.Model):
    """What a game has changed in somebody's rating; it is the `number`-th of theirs, from 1.

    `at` is when its round was closed. What was before has rested since the game before it.
    The database does not look whether rating and game are there: for millions of rows that takes
    as long as all else, and whoever corrects a game would wait for who computes, and they for
    them. A game that is deleted meanwhile leaves rows that the next computing takes away.
    """

    # Both are found by the constraints, which begin with them.
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
    at = models.DateTimeField(db_index=True)
    mean_before = models.FloatField()
    variance_before = models.FloatField()
    mean = models.FloatField()
    variance = models.FloatField()

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["rating", "number"], name="rating_change_numbered"),
            models.UniqueConstraint(fields=["game", "rating"], name="rating_change_one_per_game"),
            models.CheckConstraint(condition=Q(seat__lt=4), name="rating_change_at_a_seat"),
            models.CheckConstraint(condition=Q(number__gte=1), name="rating_change_from_one"),
        ]

    def __str__(self) -> str:
        return f"{self.mean_before} to {self.mean} by game {self.game_id}"

    @property
    def before(self) -> Rating:
        """The rating the game began with."""
        return Rating(self.mean_before, self.variance_before)

    @property
    def after(self) -> Rating:
        """The rating after it."""
        return Rating(self.mean, self.variance)


class RatedRound(models.Model):
    """A closed round whose games have been rated in a pool, with the spreads of points after it.

    `spreads` has, by the id of each ruleset (after "house " where it is a club's), how many games
    there were and their squares. Nor does the database look whether the round is there.
    """

    pool = models.ForeignKey(
        RatingPool, on_delete=models.CASCADE, related_name="rounds", db_index=False
    )
    round = models.ForeignKey(
        Round, on_delete=models.CASCADE, related_name="+", db_constraint=False
    )
    at = models.DateTimeField()
    spreads = models.JSONField()

    class Meta:
        indexes = [models.Index(fields=["pool", "-at", "-round"], name="rated_round_last")]
        constraints = [
            models.UniqueConstraint(fields=["pool", "round"], name="rated_round_once"),
        ]

    def __str__(self) -> str:
        return f"round {self.round_id} in pool {self.pool_id}"


class RatingCount(models.Model):
    """How many ratings of a pool show these points: ranks among many are told from it at once."""

    pool = models.ForeignKey(
        RatingPool, on_delete=models.CASCADE, related_name="counts", db_index=False
    )
    points = models.IntegerField()
    month = models.PositiveIntegerField()
    provisional = models.BooleanField()
    ratings = models.PositiveIntegerField()

    class Meta:
        indexes = [
            models.Index(
                fields=["pool", "-points", "month", "provisional", "ratings"],
                name="rating_count_leaderboard",
            )
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["pool", "points", "month", "provisional"], name="rating_count_once"
            ),
            models.CheckConstraint(condition=Q(ratings__gte=1), name="rating_count_of_some"),
        ]

    def __str__(self) -> str:
        return f"{self.ratings} with {self.points}"


class RatingDue(models.Model):
    """Ratings are to be computed again from this moment on: a club's, or the server's.

    Rows are only added, in the transaction of what changes a result, and taken away by whoever
    has computed: they lock nothing, and no change is missed. Who has computed a club that takes
    part in the server's ratings calls for these.
    """

    # Null: the whole server.
    club = models.ForeignKey(
        Club, null=True, blank=True, on_delete=models.CASCADE, related_name="+"
    )
    since = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.club_id or 'all clubs'} since {self.since}"


class RatingLedger(models.Model):
    """The one row that whoever computes ratings holds, and by which model they are."""

    model = models.CharField(max_length=40, blank=True)

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(pk=1), name="rating_ledger_is_one")]

    def __str__(self) -> str:
        return self.model
