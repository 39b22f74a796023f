"""Addresses of the audit of a club."""

from django.urls import path

from tournaments.web.audit import views

CLUB = "clubs/<slug:slug>"

urlpatterns = [
    path(f"{CLUB}/changes/", views.changes, name="club_changes"),
]
