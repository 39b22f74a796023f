"""Addresses of ratings."""

from django.urls import path

from tournaments.api.ratings import views

CLUB = "clubs/<slug:slug>"

urlpatterns = [
    path("ratings/", views.ServerRatings.as_view(), name="server_ratings"),
    path(f"{CLUB}/ratings/", views.ClubRatings.as_view(), name="club_ratings"),
    path(
        f"{CLUB}/players/<str:public_id>/ratings/",
        views.PlayerRatings.as_view(),
        name="player_ratings",
    ),
    path("games/<slug:public_id>/ratings/", views.GameRatings.as_view(), name="game_ratings"),
    path(
        f"{CLUB}/tournaments/<slug:tournament>/accuracy/",
        views.TournamentAccuracy.as_view(),
        name="accuracy",
    ),
]
