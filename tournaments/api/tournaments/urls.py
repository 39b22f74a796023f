"""Addresses of tournaments."""

from tournaments.api.tournaments import views
from tournaments.api.views import Router

CLUB = "clubs/<slug:slug>"

router = Router()
router.register(f"{CLUB}/tournaments", views.TournamentViewSet, "tournament")
router.register(f"{CLUB}/tournament-records", views.TournamentRecordViewSet, "tournament-records")

urlpatterns = router.urls
