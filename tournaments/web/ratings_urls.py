"""Addresses of the leaderboards."""

from django.urls import path

from tournaments.web import ratings

urlpatterns = [
    path("ratings/", ratings.server_ratings, name="server_ratings"),
    path("clubs/<slug:slug>/ratings/", ratings.club_ratings, name="club_ratings"),
]
