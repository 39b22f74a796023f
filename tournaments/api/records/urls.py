"""Addresses at which records are computed."""

from django.urls import path

from tournaments.api.records import views

urlpatterns = [
    path("score/", views.ScoreGame.as_view(), name="score"),
    path("pair/", views.Pair.as_view(), name="pair"),
    path("verify/", views.Verify.as_view(), name="verify"),
    path("codes/<slug:code>/", views.PrintedCode.as_view(), name="code"),
]
