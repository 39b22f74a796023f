"""Addresses of the whole site."""

from allauth.account.decorators import secure_admin_login
from allauth.mfa.webauthn.views import list_webauthn
from django.contrib import admin
from django.urls import include, path, re_path

from kingscore.accounts import SessionsView
from kingscore.sign_in import show_factor
from tournaments.api.problems import nothing_here
from tournaments.web.site.views import show_status

# One sign-in for all, with codes, passkeys and limits.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]

urlpatterns = [
    path("i18n/", include("django.conf.urls.i18n")),
    path("office/status/", show_status, name="status"),
    path("office/", admin.site.urls),
    path("accounts/office/", show_factor, name="office_factor"),
    path("accounts/", include("allauth.account.urls")),
    path("accounts/passkeys/", include("allauth.mfa.webauthn.urls")),
    # allauth returns to this name after a passkey was added.
    path("accounts/passkeys/", list_webauthn, name="mfa_index"),
    path("accounts/sessions/", SessionsView.as_view(), name="usersessions_list"),
    path("api/", include("tournaments.api.urls")),
    # Programs understand the answer to any request.
    re_path(r"^api/(?P<where>[\s\S]*)", nothing_here),
    path("", include("tournaments.web.urls")),
]

handler400 = "kingscore.middleware.bad_request"
handler404 = "kingscore.middleware.not_found"
handler500 = "kingscore.middleware.server_error"
