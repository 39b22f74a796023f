"""Read queries for the accounts of a club, by role and name, and their names there."""

from collections.abc import Iterable

from django.db.models import Case, Q, QuerySet, Value, When
from django.utils.translation import pgettext

from tournaments.models import Club, Member, Player, User
from tournaments.models.clubs import Role
from tournaments.models.people import LONGEST_SEARCH

RANK = Case(*(When(role=role, then=Value(rank)) for rank, role in enumerate(Role)))


def account_name(user: User) -> str:
    """Return the name shown to those who may see the e-mail address."""
    return user.first_name or user.email or user.username


def called_in_club(user: User, player: Player | None) -> str:
    """Return the name shown to all members; the account may have a player in the club.

    Never the user name, which is derived from the e-mail address.
    """
    shown = player.shown_name if player else ""
    return user.first_name or shown or pgettext("of a club", "member")


def found_by_address(club: Club, asked: str) -> QuerySet[Member]:
    """Filter to the members whose names or addresses contain every word, as directors see them."""
    found = club.members.select_related("user").order_by(RANK, "user__first_name", "user__username")
    for word in asked[:LONGEST_SEARCH].split():
        # The name shown: the user name if there is no other.
        unnamed = Q(user__first_name="", user__username__icontains=word)
        named = Q(user__first_name__icontains=word) | unnamed
        found = found.filter(named | Q(user__email__icontains=word))
    return found


def found_by_name(club: Club, asked: str) -> QuerySet[Member]:
    """Filter to the members by shown name; no part of an address finds or sorts them."""
    found = club.members.select_related("user").order_by(RANK, "user__first_name", "pk")
    for word in asked[:LONGEST_SEARCH].split():
        players = Player.objects.present().filter(club=club).matching_shown(word)
        unnamed = Q(user__first_name="", user__in=players.values("account"))
        found = found.filter(Q(user__first_name__icontains=word) | unnamed)
    return found


def names_for_directors(people: Iterable[Member]) -> dict[int, str]:
    """Return the names that directors see, by account."""
    return {each.user_id: account_name(each.user) for each in people}


def names_for_members(club: Club, people: Iterable[Member]) -> dict[int, str]:
    """Return the names that all members see, by account (1 query)."""
    users = {each.user_id: each.user for each in people}
    players = Player.objects.present().filter(club=club, account__in=list(users))
    own = {player.account_id: player for player in players}
    return {key: called_in_club(user, own.get(key)) for key, user in users.items()}
