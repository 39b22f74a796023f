"""Addresses of the standings of tournaments, and of the league of a season."""

from django.urls import path

from tournaments.api.standings import views

STANDINGS = "clubs/<slug:slug>/tournaments/<slug:tournament>/standings"

urlpatterns = [
    path("clubs/<slug:slug>/seasons/<int:pk>/league/", views.SeasonLeague.as_view(), name="league"),
    path(f"{STANDINGS}/", views.Standings.as_view(), name="standings"),
    path(f"{STANDINGS}/<int:number>/", views.StandingReasons.as_view(), name="why_place"),
]
