"""Addresses of the standings of tournaments, and of the league of a season."""

from django.urls import path

from tournaments.api.standings import views

STANDINGS = "clubs/<slug:slug>/tournaments/<slug:tournament>/standings"

urlpatterns = [
    path("clubs/<slug:slug>/seasons/<int:pk>/league/", views.LeagueView.as_view(), name="league"),
    path(f"{STANDINGS}/", views.StandingsView.as_view(), name="standings"),
    path(f"{STANDINGS}/<int:number>/", views.RankExplanationView.as_view(), name="explanation"),
]
