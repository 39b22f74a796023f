"""The people of the demo, and their strength."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random

from allauth.account.models import EmailAddress
from django.contrib.auth.hashers import make_password

from tournaments.models import Club, User
from tournaments.models.clubs import Role
from tournaments.services.audit import Actor
from tournaments.services.clubs.membership import (
    ClubSettings,
    Offer,
    accept_invitation,
    change_settings,
    create_club,
    invite,
)
from tournaments.services.demo.names import NAMES
from tournaments.services.people.changes import set_initials
from tournaments.services.people.claims import claim_player
from tournaments.services.people.merging import merge_players
from tournaments.services.people.players import add_player, add_players

SLUG = "moda"
CLUB = "Moda King Kulübü"
ACCOUNTS = {
    "owner@example.org": Role.OWNER,
    "director@example.org": Role.DIRECTOR,
    "second.director@example.org": Role.DIRECTOR,
    **{f"member{number}@example.org": Role.MEMBER for number in range(1, 8)},
}
"""Unused e-mail addresses, and the role of each account."""

OLD_NAME = "Burak Sahin"
"""The former spelling of a player, whose two rows have been merged."""


@dataclass(frozen=True)
class Cast:
    """The club and its people; `strength` maps players' names to a value around 0."""

    club: Club
    owner: Actor
    director: Actor
    chance: Random
    strength: Mapping[str, float]

    def some(self, number: int, names: Sequence[str] = NAMES) -> list[str]:
        """Pick `number` players at random."""
        return self.chance.sample(names, number)


def found_club(chance: Random, password: str, *, at: datetime) -> Cast:
    """Create the club with its accounts and players; `at` is the day it begins."""
    hashed = make_password(password)
    actors = {email: Actor(_account(email, hashed, at)) for email in ACCOUNTS}
    owner = actors["owner@example.org"]
    # Created under the short name, for the sake of the slug.
    club = create_club(SLUG.title(), owner, at=at)
    settings = ClubSettings(CLUB, published=True, rates_evenings=True, in_server_ratings=True)
    club = change_settings(club.pk, settings, owner, at=at)
    players = add_players(club, NAMES, owner, at=at)
    merge_players(players[1].pk, add_player(club, OLD_NAME, owner, at=at).pk, owner, at=at)
    set_initials(players[-1].pk, initials=True, by=owner, at=at)
    for player, (email, role) in zip(players, ACCOUNTS.items(), strict=False):
        if role == Role.DIRECTOR:
            invitation = invite(club, Offer(role), owner, at=at)
            accept_invitation(invitation.pk, actors[email], at=at + timedelta(days=1))
        # Claiming a player makes the account a member.
        secret = player.claim_secret
        claim_player(player.public_id, secret, actors[email], at=at + timedelta(days=2))
    invite(club, Offer(Role.MEMBER, most_uses=None, lasts=timedelta(days=2000)), owner, at=at)
    strength = {name: max(-1.2, min(1.2, chance.gauss(0, 0.5))) for name in NAMES}
    return Cast(club, owner, actors["director@example.org"], chance, strength)


def _account(email: str, hashed: str, at: datetime) -> User:
    name = email.partition("@")[0]
    user = User.objects.create(
        username=f"moda-{name}", email=email, password=hashed, date_joined=at
    )
    EmailAddress.objects.create(user=user, email=email, verified=True, primary=True)
    return user
