"""Address of the feed of changes."""

from django.urls import path

from tournaments.api.changes import views

urlpatterns = [path("changes/", views.Changes.as_view(), name="changes")]
