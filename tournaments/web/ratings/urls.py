"""Addresses of the leaderboards."""

from django.urls import path

from tournaments.web.ratings import pages

urlpatterns = [
    path("ratings/", pages.server_ratings, name="server_ratings"),
    path("ratings/calibration/", pages.server_calibration, name="server_calibration"),
    path("clubs/<slug:slug>/ratings/", pages.club_ratings, name="club_ratings"),
    path("clubs/<slug:slug>/ratings/calibration/", pages.club_calibration, name="club_calibration"),
    path("clubs/<slug:slug>/ratings/record/", pages.export, name="club_ratings_record"),
]
