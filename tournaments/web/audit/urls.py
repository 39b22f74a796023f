"""Addresses of the audit of a club."""

from django.urls import path

from tournaments.web.audit import pages

CLUB = "clubs/<slug:slug>"

urlpatterns = [
    path(f"{CLUB}/changes/", pages.changes, name="club_changes"),
]
