"""The address of the club in numbers."""

from django.urls import path

from tournaments.api.statistics import views

urlpatterns = [
    path("clubs/<slug:slug>/records/", views.ClubRecordsView.as_view(), name="club-records"),
]
