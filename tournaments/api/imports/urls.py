"""Addresses of imports."""

from django.urls import path

from tournaments.api.imports import views

IMPORTS = "clubs/<slug:slug>/imports"

urlpatterns = [
    path(f"{IMPORTS}/players/", views.ImportPlayers.as_view(), name="import_players"),
    path(f"{IMPORTS}/results/", views.ImportResults.as_view(), name="import_results"),
    path(f"{IMPORTS}/records/", views.ImportRecords.as_view(), name="import_records"),
]
