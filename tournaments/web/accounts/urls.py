"""Addresses of the user's own account."""

from django.urls import include, path
from oauth2_provider.views import OAuthServerMetadataView, RevokeTokenView

from tournaments.web.accounts import views
from tournaments.web.accounts.views import Authorize, Token, limited, without_nul

OAUTH = [
    path(
        ".well-known/oauth-authorization-server",
        OAuthServerMetadataView.as_view(),
        name="oauth-server-metadata",
    ),
    path("oauth/authorize/", without_nul(Authorize.as_view()), name="authorize"),
    path("oauth/token/", limited(without_nul(Token.as_view())), name="token"),
    path("oauth/revoke/", limited(without_nul(RevokeTokenView.as_view())), name="revoke-token"),
]

urlpatterns = [
    # Its library finds them under this name.
    path("", include((OAUTH, "oauth2_provider"))),
    path("me/", views.me, name="me"),
    path("me/clubs/<slug:slug>/month/", views.my_month, name="my_month"),
    path("me/tokens/", views.tokens, name="tokens"),
    path("me/tokens/new/", views.new_token, name="new_token"),
    path("me/tokens/<slug:public_id>/", views.token, name="token"),
    path("me/applications/new/", views.new_application, name="new_application"),
    path("me/applications/<int:pk>/", views.application, name="application"),
    path("me/applications/<int:pk>/withdraw/", views.withdraw, name="withdraw_application"),
    path("me/calendar/", views.replace, name="replace_calendar"),
    path("calendar/<int:pk>/<str:secret>.ics", views.calendar, name="calendar"),
    path("me/delete/", views.delete, name="delete_account"),
]
