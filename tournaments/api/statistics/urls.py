"""The address of the club in numbers."""

from django.urls import path

from tournaments.api.statistics import views

urlpatterns = [
    path("clubs/<slug:slug>/records/", views.ClubRecords.as_view(), name="club_records"),
]
