"""Addresses of exports."""

from django.urls import path

from tournaments.api.exports import views

EXPORTS = "clubs/<slug:slug>/exports"

urlpatterns = [
    path(f"{EXPORTS}/games/", views.GamesExport.as_view(), name="games_export"),
    path(f"{EXPORTS}/ratings/", views.Ratings.as_view(), name="ratings_export"),
    path(f"{EXPORTS}/entrants/", views.EntrantsExport.as_view(), name="entrants_export"),
]
