"""Leaderboards, and the search on them within a visitor's permissions."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from tournaments.models import Club, Member, Player, RatingPool, Season, User
from tournaments.models.clubs import DIRECTING
from tournaments.models.people import PlayerQuerySet
from tournaments.queries.ratings.leaderboard import Listed
from tournaments.queries.ratings.season_leaderboard import ListedInSeason


@dataclass(frozen=True)
class BoardReader:
    """The visitor: the account, and its roles in clubs by their keys."""

    user: User | None
    roles: Mapping[int, str]

    @staticmethod
    def of(user: User | None) -> "BoardReader":
        """Load a visitor with all clubs (1 query for a signed-in account)."""
        members = Member.objects.of_user(user).values_list("club_id", "role")
        return BoardReader(user, dict(members) if user is not None else {})

    def directs(self, club: Club | None) -> bool:
        return club is not None and self.roles.get(club.pk) in DIRECTING


def listed_in(
    pool: RatingPool, season: Season | None, now: datetime, *, active: bool, provisional: bool
) -> Listed | ListedInSeason:
    """Return today's leaderboard, or that of a season with everybody who played in it."""
    if season is not None:
        return ListedInSeason(pool, season, provisional=provisional)
    return Listed(pool, now, active=active, provisional=provisional)


def called(name: str, looker: BoardReader, club: Club | None) -> PlayerQuerySet:
    """Filter to the players found by a name; directors also find those who asked for initials."""
    players = Player.objects.all()
    return players.matching(name) if looker.directs(club) else players.matching_shown(name)
