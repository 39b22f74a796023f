"""Addresses of every page."""

from django.urls import include, path

from tournaments.web.base.answers import stream

urlpatterns = [
    # Most requests are for a table: match those first.
    path("", include("tournaments.web.games.urls")),
    path("", include("tournaments.web.site.urls")),
    path("", include("tournaments.web.documents.urls")),
    path("", include("tournaments.web.rulesets.urls")),
    path("", include("tournaments.web.accounts.urls")),
    path("", include("tournaments.web.clubs.urls")),
    path("", include("tournaments.web.audit.urls")),
    path("", include("tournaments.web.statistics.urls")),
    path("", include("tournaments.web.webhooks.urls")),
    path("", include("tournaments.web.people.urls")),
    path("", include("tournaments.web.events.urls")),
    path("", include("tournaments.web.imports.urls")),
    path("", include("tournaments.web.tournaments.urls")),
    path("", include("tournaments.web.entrants.urls")),
    path("", include("tournaments.web.standings.urls")),
    path("", include("tournaments.web.rounds.urls")),
    path("", include("tournaments.web.ratings.urls")),
    path("<path:page>events", stream, name="stream"),
]
