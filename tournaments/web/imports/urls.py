"""Addresses of the import pages of a club."""

from django.urls import path

from tournaments.web.imports import views

IMPORT = "clubs/<slug:slug>/import"

urlpatterns = [
    path(f"{IMPORT}/", views.imports, name="imports"),
    path(f"{IMPORT}/players/", views.import_players, name="import_players"),
    path(f"{IMPORT}/results/", views.import_results, name="import_results"),
    path(f"{IMPORT}/records/", views.import_records, name="import_records"),
]
