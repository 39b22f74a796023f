"""Addresses of clubs."""

from django.urls import path

from tournaments.api.clubs import views

CLUB = "clubs/<slug:slug>"

urlpatterns = [
    path("clubs/", views.Clubs.as_view(), name="clubs"),
    path(f"{CLUB}/", views.OneClub.as_view(), name="club"),
    path(f"{CLUB}/settings/", views.ClubSettingsView.as_view(), name="club_settings"),
    path(f"{CLUB}/logo/", views.ClubLogo.as_view(), name="club_logo"),
    path(f"{CLUB}/leave/", views.LeaveClub.as_view(), name="leave_club"),
]
