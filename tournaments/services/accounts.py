"""API tokens of accounts: create, show once, revoke; the address of their calendar."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext_lazy as _

from tournaments.engine.rules.rulesets import LONGEST_TOKEN_NAME
from tournaments.models import PersonalToken, Scope, User
from tournaments.services import applications
from tournaments.services.base.refusals import Refused

MOST_TOKENS = 20
"""The maximum number of tokens per account."""


class TooManyTokens(Refused, code="too-many"):
    sentence = _("There are %(most)s already: revoke one.")


@dataclass(frozen=True, slots=True)
class Wish:
    """The wanted token: its name, its permissions, and its lifetime (None: until revoked)."""

    name: str
    scopes: Collection[Scope]
    lasts: timedelta | None = None


def make_token(user: User, wish: Wish, *, at: datetime) -> tuple[PersonalToken, str]:
    """Make a token and return it with its secret text, which cannot be read again later.

    Raises:
        TooManyTokens: the account has as many as it may; nothing is made.
        ValueError: the name or the permissions are empty.
    """
    name = " ".join(wish.name.split())
    scopes = [scope.value for scope in Scope if scope in wish.scopes]
    if not name or len(name) > LONGEST_TOKEN_NAME or not scopes:
        raise ValueError("a token has a name and may do something")
    with transaction.atomic():
        # Locked, so that two requests at once cannot both make the last allowed token.
        User.objects.select_for_update().get(pk=user.pk)
        expire_tokens(at, of=user)
        if PersonalToken.objects.of(user).count() >= MOST_TOKENS:
            raise TooManyTokens({"most": MOST_TOKENS})
        token, text = PersonalToken.objects.create(
            user, expiry=wish.lasts, name=name, scopes=scopes
        )
    return token, text


def revoke_token(user: User, public_id: str) -> None:
    """Revoke a token of an account. No error if it is gone already."""
    PersonalToken.objects.of(user).filter(public_id=public_id).delete()


def revoke_all(user: User) -> None:
    """Revoke all tokens of an account, and the access of all applications."""
    PersonalToken.objects.of(user).delete()
    applications.withdraw(user)


def expire_tokens(at: datetime, of: User | None = None) -> None:
    """Delete expired tokens, of one account or of all."""
    rows = PersonalToken.objects.all() if of is None else PersonalToken.objects.of(of)
    rows.filter(expiry__lte=at).delete()


def replace_calendar(user: int) -> None:
    """Revoke the address of an account's calendar; there is a new one."""
    User.objects.filter(pk=user).update(calendar_generation=F("calendar_generation") + 1)
