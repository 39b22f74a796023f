"""Addresses of evenings and seasons."""

from tournaments.api.events import views
from tournaments.api.views import Router

SEASONS = "clubs/<slug:slug>/seasons"
EVENTS = "clubs/<slug:slug>/events"
ROUNDS = f"{EVENTS}/<slug:public_id>/rounds"

router = Router()
router.register(EVENTS, views.EventViewSet, "event")
router.register(ROUNDS, views.EveningRoundViewSet, "event-round")
router.register(f"{ROUNDS}/<int:number>/tables", views.EveningTableViewSet, "event-table")
router.register(SEASONS, views.SeasonViewSet, "season")
router.register(f"{SEASONS}/<int:pk>/events", views.SeasonEventViewSet, "season-event")

urlpatterns = router.urls
