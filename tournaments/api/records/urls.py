"""Addresses at which records are computed."""

from django.urls import path

from tournaments.api.records import views

urlpatterns = [
    path("score/", views.ScoreGame.as_view(), name="score"),
    path("pair/", views.Pair.as_view(), name="pair"),
]
