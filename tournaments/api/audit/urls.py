"""Address of the feed of changes."""

from django.urls import path

from tournaments.api.audit import club_audit, feed

urlpatterns = [
    path("changes/", feed.Changes.as_view(), name="changes"),
    path("clubs/<slug:slug>/audit/", club_audit.Audit.as_view(), name="audit"),
]
