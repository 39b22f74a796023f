"""Who is on a leaderboard, and whom a visitor finds on it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from tournaments.models import Club, Member, Player, RatingPool, Season, User
from tournaments.models.clubs import DIRECTING
from tournaments.models.people import PlayerQuerySet
from tournaments.queries.leaderboard import Listed
from tournaments.queries.seasons import ListedInSeason


@dataclass(frozen=True)
class Looker:
    """Who looks: the account, and what it is in which clubs, by their keys."""

    user: User | None
    roles: Mapping[int, str]

    @staticmethod
    def of(user: User | None) -> "Looker":
        """With all clubs (1 query for somebody signed in)."""
        members = Member.objects.of_user(user).values_list("club_id", "role")
        return Looker(user, dict(members) if user is not None else {})

    def directs(self, club: Club | None) -> bool:
        """Whether this is a director of a club."""
        return club is not None and self.roles.get(club.pk) in DIRECTING


def listed_in(
    pool: RatingPool, season: Season | None, now: datetime, *, active: bool, provisional: bool
) -> Listed | ListedInSeason:
    """The leaderboard of today, or that of a season, in which all have played."""
    if season is not None:
        return ListedInSeason(pool, season, provisional=provisional)
    return Listed(pool, now, active=active, provisional=provisional)


def called(name: str, looker: Looker, club: Club | None) -> PlayerQuerySet:
    """Whom a visitor finds by a name: directors know whose initials they see."""
    players = Player.objects.all()
    return players.matching(name) if looker.directs(club) else players.matching_shown(name)
