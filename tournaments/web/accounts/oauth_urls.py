"""Addresses of OAuth, under the names by which its library finds them."""

from django.urls import path
from oauth2_provider.views import OAuthServerMetadataView, RevokeTokenView

from tournaments.web.accounts.views import Authorize, Token, limited, without_nul

app_name = "oauth2_provider"

urlpatterns = [
    path(
        ".well-known/oauth-authorization-server",
        OAuthServerMetadataView.as_view(),
        name="oauth-server-metadata",
    ),
    path("oauth/authorize/", without_nul(Authorize.as_view()), name="authorize"),
    path("oauth/token/", limited(without_nul(Token.as_view())), name="token"),
    path(
        "oauth/revoke/",
        limited(without_nul(RevokeTokenView.as_view())),
        name="revoke-token",
    ),
]
