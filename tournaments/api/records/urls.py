"""Addresses at which records are computed."""

from django.urls import path

from tournaments.api.records import views

urlpatterns = [
    path("score/", views.ScoreGameView.as_view(), name="score"),
    path("pair/", views.PairView.as_view(), name="pair"),
    path("verify/", views.VerifyView.as_view(), name="verify"),
    path("codes/<slug:code>/", views.PrintedCodeView.as_view(), name="code"),
]
