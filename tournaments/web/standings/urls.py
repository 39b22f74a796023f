"""Addresses of the standings of tournaments, and of the league of a season."""

from django.urls import path

from tournaments.web.standings import league, pages

STANDINGS = "clubs/<slug:slug>/tournaments/<slug:tournament>/standings"

urlpatterns = [
    path("clubs/<slug:slug>/seasons/<int:pk>/league/", league.league, name="league"),
    path(
        "clubs/<slug:slug>/seasons/<int:pk>/league/document/",
        league.document,
        name="league_document",
    ),
    path(f"{STANDINGS}/", pages.standings, name="standings"),
    path(f"{STANDINGS}/picture-wide.png", pages.picture, name="standings_picture"),
    path(f"{STANDINGS}/<int:number>/", pages.why, name="why_place"),
]
