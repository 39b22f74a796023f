"""The validation of OAuth requests, apart from `applications`: it imports an HTTP client."""

from typing import Any

from oauth2_provider.models import Grant
from oauth2_provider.oauth2_validators import OAuth2Validator

from tournaments.services.applications import digest


class Validator(OAuth2Validator):  # type: ignore[misc]
    """Keeps digests of codes, as of tokens, and gives nothing to accounts that are closed."""

    def _create_authorization_code(self, request: Any, code: dict[str, Any], *more: Any) -> Grant:
        kept = code | {"code": digest(code["code"])}
        return super()._create_authorization_code(request, kept, *more)

    def validate_code(self, client_id: str, code: str, client: Any, request: Any) -> bool:
        # Everything after this looks for the code of the request.
        request.code = digest(code)
        valid = super().validate_code(client_id, request.code, client, request)
        return bool(valid and request.user.is_active)

    def validate_refresh_token(self, refresh_token: str, client: Any, request: Any) -> bool:
        valid = super().validate_refresh_token(refresh_token, client, request)
        return bool(valid and request.user.is_active)
