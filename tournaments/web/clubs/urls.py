"""Addresses of the pages of clubs."""

from django.urls import path

from tournaments.web.clubs import logo, pages

CLUB = "clubs/<slug:slug>"

urlpatterns = [
    path("clubs/", pages.clubs, name="clubs"),
    path(f"{CLUB}/", pages.club, name="club"),
    path(f"{CLUB}/settings/", pages.club_settings, name="club_settings"),
    path(f"{CLUB}/logo/", logo.logo, name="club_logo"),
    path(f"{CLUB}/leave/", pages.leave, name="leave_club"),
]
