"""Addresses of the whole site."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("i18n/", include("django.conf.urls.i18n")),
    path("office/", admin.site.urls),
    path("", include("tournaments.web.urls")),
]
