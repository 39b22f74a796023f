"""Addresses of the standings of tournaments."""

from django.urls import path

from tournaments.web import standings

STANDINGS = "clubs/<slug:slug>/tournaments/<slug:tournament>/standings"

urlpatterns = [
    path(f"{STANDINGS}/", standings.standings, name="standings"),
    path(f"{STANDINGS}/<int:number>/", standings.why, name="why_place"),
]
