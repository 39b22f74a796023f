"""Addresses of the import pages of a club."""

from django.urls import path

from tournaments.web.imports import pages

IMPORT = "clubs/<slug:slug>/import"

urlpatterns = [
    path(f"{IMPORT}/", pages.imports, name="imports"),
    path(f"{IMPORT}/players/", pages.import_players, name="import_players"),
    path(f"{IMPORT}/results/", pages.import_results, name="import_results"),
    path(f"{IMPORT}/records/", pages.import_records, name="import_records"),
]
