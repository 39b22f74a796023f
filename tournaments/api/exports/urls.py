"""Addresses of exports."""

from django.urls import path

from tournaments.api.exports import views

EXPORTS = "clubs/<slug:slug>/exports"

urlpatterns = [
    path(f"{EXPORTS}/games/", views.GamesExportView.as_view(), name="games-export"),
    path(f"{EXPORTS}/ratings/", views.RatingsExportView.as_view(), name="ratings-export"),
    path(f"{EXPORTS}/entrants/", views.EntrantsExportView.as_view(), name="entrants-export"),
]
