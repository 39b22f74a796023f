"""Addresses of the API."""

from django.urls import include, path

from tournaments.api.reference import views as reference
from tournaments.api.reference.views import IndexView

app_name = "api"

urlpatterns = [
    path("", IndexView.as_view(), name="index"),
    path("openapi.json", reference.openapi, name="openapi"),
    path("", include("tournaments.api.games.urls")),
    path("", include("tournaments.api.audit.urls")),
    path("", include("tournaments.api.webhooks.urls")),
    path("", include("tournaments.api.records.urls")),
    path("", include("tournaments.api.rulesets.urls")),
    path("", include("tournaments.api.events.urls")),
    path("", include("tournaments.api.clubs.urls")),
    path("", include("tournaments.api.people.urls")),
    path("", include("tournaments.api.accounts.urls")),
    path("", include("tournaments.api.imports.urls")),
    path("", include("tournaments.api.tournaments.urls")),
    path("", include("tournaments.api.entrants.urls")),
    path("", include("tournaments.api.standings.urls")),
    path("", include("tournaments.api.rounds.urls")),
    path("", include("tournaments.api.documents.urls")),
    path("", include("tournaments.api.exports.urls")),
    path("", include("tournaments.api.ratings.urls")),
    path("", include("tournaments.api.statistics.urls")),
]
