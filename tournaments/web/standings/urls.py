"""Addresses of the standings of tournaments, and of the league of a season."""

from django.urls import path

from tournaments.web.standings import views

STANDINGS = "clubs/<slug:slug>/tournaments/<slug:tournament>/standings"

urlpatterns = [
    path("clubs/<slug:slug>/seasons/<int:pk>/league/", views.league, name="league"),
    path(
        "clubs/<slug:slug>/seasons/<int:pk>/league/document/",
        views.document,
        name="league_document",
    ),
    path(f"{STANDINGS}/", views.standings, name="standings"),
    path(f"{STANDINGS}/picture-wide.png", views.picture, name="standings_picture"),
    path(f"{STANDINGS}/<int:entrant>/", views.why, name="why_place"),
]
