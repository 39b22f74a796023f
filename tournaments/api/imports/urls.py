"""Addresses of imports."""

from django.urls import path

from tournaments.api.imports import views

IMPORTS = "clubs/<slug:slug>/imports"

urlpatterns = [
    path(f"{IMPORTS}/players/", views.ImportPlayersView.as_view(), name="import-players"),
    path(f"{IMPORTS}/results/", views.ImportResultsView.as_view(), name="import-results"),
    path(f"{IMPORTS}/records/", views.ImportRecordsView.as_view(), name="import-records"),
]
