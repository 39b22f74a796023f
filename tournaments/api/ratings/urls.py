"""Addresses of ratings."""

from django.urls import path

from tournaments.api.ratings import views

CLUB = "clubs/<slug:slug>"

urlpatterns = [
    path("ratings/", views.ServerLeaderboardView.as_view(), name="server-ratings"),
    path(f"{CLUB}/ratings/", views.ClubLeaderboardView.as_view(), name="club-ratings"),
    path(
        f"{CLUB}/players/<str:public_id>/ratings/",
        views.PlayerRatingsView.as_view(),
        name="player-ratings",
    ),
    path("games/<slug:public_id>/ratings/", views.GameRatingsView.as_view(), name="game-ratings"),
    path(
        f"{CLUB}/tournaments/<slug:tournament>/accuracy/",
        views.TournamentAccuracyView.as_view(),
        name="accuracy",
    ),
]
