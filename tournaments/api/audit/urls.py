"""Addresses of the audit, and of the feed of changes."""

from django.urls import path

from tournaments.api.audit import views
from tournaments.api.views import Router

router = Router()
router.register("clubs/<slug:slug>/audit", views.AuditViewSet, "audit")

urlpatterns = [*router.urls, path("changes/", views.ChangesView.as_view(), name="changes")]
