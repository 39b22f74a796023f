"""Addresses of the statistics of a club."""

from django.urls import path

from tournaments.web.statistics import views

CLUB = "clubs/<slug:slug>"

urlpatterns = [
    path(f"{CLUB}/records/", views.club_records, name="club_records"),
    path(f"{CLUB}/month/", views.club_month, name="club_month"),
]
