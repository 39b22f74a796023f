"""Check the password of a sign-in.

Sessions store the path of this class: under another one everybody would be signed out.
"""

from typing import Any

from allauth.account.auth_backends import AuthenticationBackend
from django.http import HttpRequest

from kingscore.devices import account_of
from tournaments.models import User


class OneHashBackend(AuthenticationBackend):  # type: ignore[misc]  # allauth has no types
    """Checks a password against one account at most, and always computes one hash.

    allauth looks an account up by e-mail address and by user name, and checks each one it finds:
    the response time would reveal whether an account exists.
    """

    def _authenticate(self, _request: HttpRequest | None, **credentials: Any) -> User | None:
        login = credentials.get("email") or credentials.get("username") or ""
        user: User | None = self._check_password(account_of(login), credentials["password"])
        return user
