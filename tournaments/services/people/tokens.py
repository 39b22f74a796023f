"""Keys by which programs act for an account: made, shown once, and revoked."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction

from tournaments.models import PersonalToken, Scope, User

MOST_TOKENS = 20
"""So many an account may have at a time."""

LONGEST_NAME = 60


class TooManyTokens(Exception):
    """The account has as many tokens as it may have: one has to be revoked before."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What a token is to be: its name, what it may, and how long, None for until revoked."""

    name: str
    scopes: Collection[Scope]
    lasts: timedelta | None = None


def make_token(user: User, wish: Wish, *, at: datetime) -> tuple[PersonalToken, str]:
    """Make a token; its text is told here, and can be had nowhere else afterwards.

    Raises:
        TooManyTokens: nothing is made.
        ValueError: it has no name, or may do nothing.
    """
    name = " ".join(wish.name.split())
    scopes = [scope.value for scope in Scope if scope in wish.scopes]
    if not name or len(name) > LONGEST_NAME or not scopes:
        raise ValueError("a token has a name and may do something")
    with transaction.atomic():
        # Locked, so that two at once do not both make the last one.
        User.objects.select_for_update().get(pk=user.pk)
        expire_tokens(at, of=user)
        if PersonalToken.objects.of(user).count() >= MOST_TOKENS:
            raise TooManyTokens
        token, text = PersonalToken.objects.create(
            user, expiry=wish.lasts, name=name, scopes=scopes
        )
    return token, text


def revoke_token(user: User, public_id: str) -> None:
    """End a token of an account at once; one that is gone already is no error."""
    PersonalToken.objects.of(user).filter(public_id=public_id).delete()


def revoke_all(user: User) -> None:
    """End all tokens of an account at once."""
    PersonalToken.objects.of(user).delete()


def expire_tokens(at: datetime, of: User | None = None) -> None:
    """Remove the tokens whose time is over, of an account or of all."""
    rows = PersonalToken.objects.all() if of is None else PersonalToken.objects.of(of)
    rows.filter(expiry__lte=at).delete()
