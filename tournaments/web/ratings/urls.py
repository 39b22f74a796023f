"""Addresses of the leaderboards."""

from django.urls import path

from tournaments.web.ratings import views

urlpatterns = [
    path("ratings/", views.server_ratings, name="server_ratings"),
    path("ratings/calibration/", views.server_calibration, name="server_calibration"),
    path("clubs/<slug:slug>/ratings/", views.club_ratings, name="club_ratings"),
    path("clubs/<slug:slug>/ratings/calibration/", views.club_calibration, name="club_calibration"),
    path("clubs/<slug:slug>/ratings/record/", views.export, name="club_ratings_record"),
]
