"""The validation of OAuth requests, apart from `applications`: it imports an HTTP client."""

from typing import Any

from oauth2_provider.models import AccessToken, Grant, RefreshToken
from oauth2_provider.oauth2_validators import OAuth2Validator
from oauthlib.oauth2 import InvalidGrantError

from tournaments.services.applications import digest


class Validator(OAuth2Validator):  # type: ignore[misc]
    """Keeps digests of codes, as of tokens, and gives nothing to accounts that are closed.

    A refresh token that is used again within the grace period is answered with the same tokens.
    """

    def _create_authorization_code(self, request: Any, code: dict[str, Any], *more: Any) -> Grant:
        kept = code | {"code": digest(code["code"])}
        return super()._create_authorization_code(request, kept, *more)

    def validate_code(self, client_id: str, code: str, client: Any, request: Any) -> bool:
        # Everything after this looks for the code of the request.
        request.code = digest(code)
        valid = super().validate_code(client_id, request.code, client, request)
        return bool(valid and request.user.is_active)

    def _save_bearer_token(self, token: dict[str, Any], request: Any, *more: Any) -> None:
        if request.grant_type != "refresh_token":
            super()._save_bearer_token(token, request, *more)
            return
        # Others may have used or ended it since it was validated: looked at again under a lock.
        used = request.refresh_token_instance
        RefreshToken.objects.select_for_update().filter(pk=used.pk).first()
        if not self.validate_refresh_token(request.refresh_token, request.client, request):
            raise InvalidGrantError(request=request)
        if request.refresh_token_instance.revoked is None:
            super()._save_bearer_token(token, request, *more)
            return
        given = AccessToken.objects.filter(source_refresh_token=used)
        first = given.filter(token_checksum=digest(token["access_token"])).first()
        if first is None:
            # Given by another secret of the site.
            raise InvalidGrantError(request=request)
        token["scope"] = first.scope

    def validate_refresh_token(self, refresh_token: str, client: Any, request: Any) -> bool:
        valid = super().validate_refresh_token(refresh_token, client, request)
        return bool(valid and request.user.is_active)
