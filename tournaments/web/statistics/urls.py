"""Addresses of the statistics of a club."""

from django.urls import path

from tournaments.web.statistics import month, pages

CLUB = "clubs/<slug:slug>"

urlpatterns = [
    path(f"{CLUB}/records/", pages.club_records, name="club_records"),
    path(f"{CLUB}/month/", month.club_month, name="club_month"),
]
