"""Addresses of clubs."""

from tournaments.api.clubs import views
from tournaments.api.views import Router

router = Router()
router.register("clubs", views.ClubViewSet, "club")
router.register("clubs/<slug:slug>/settings", views.ClubSettingsViewSet, "club-settings")
router.register("clubs/<slug:slug>/logo", views.ClubLogoViewSet, "club-logo")

urlpatterns = router.urls
