"""Addresses of games."""

from django.urls import path

from tournaments.api.games import views

GAME = "games/<slug:public_id>"

urlpatterns = [
    path("games/", views.Games.as_view(), name="games"),
    path(f"{GAME}/", views.OneGame.as_view(), name="game"),
    path(f"{GAME}/entries/", views.Entries.as_view(), name="entries"),
    path(f"{GAME}/entries/<int:position>/", views.OneEntry.as_view(), name="entry"),
]
