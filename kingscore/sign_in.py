"""Find the account of a sign-in, and check its password."""

from operator import attrgetter
from typing import Any

from allauth.account.auth_backends import AuthenticationBackend
from allauth.account.internal.userkit import filter_users_by_email, get_user_by_username
from django.http import HttpRequest

from tournaments.models import User
from tournaments.models.people import fold_email


def account_of(login: str) -> User | None:
    """Return the account with an e-mail address or user name, verified addresses first."""
    email = fold_email(login)
    found: list[User] = filter_users_by_email(email, prefer_verified=True, for_login=True)
    return min(found, key=attrgetter("pk")) if found else get_user_by_username(login)


class OneHashBackend(AuthenticationBackend):  # type: ignore[misc]  # allauth has no types
    """Checks a password against one account at most, and always computes one hash.

    allauth looks an account up by e-mail address and by user name, and checks each one it finds:
    the response time would reveal whether an account exists.
    """

    def _authenticate(self, _request: HttpRequest | None, **credentials: Any) -> User | None:
        login = credentials.get("email") or credentials.get("username") or ""
        user: User | None = self._check_password(account_of(login), credentials["password"])
        return user
