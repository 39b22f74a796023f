"""Addresses of the rounds of a tournament: their seating, tables, rulings, and the wall."""

from django.urls import path

from tournaments.api.rounds import seatings, views
from tournaments.api.views import Router

TOURNAMENT = "clubs/<slug:slug>/tournaments/<slug:tournament>"
ROUND = f"{TOURNAMENT}/rounds/<int:number>"

router = Router()
router.register(f"{TOURNAMENT}/seat", seatings.SeatNextViewSet, "seat-next")
router.register(f"{TOURNAMENT}/rounds", views.RoundViewSet, "tournament-round")
router.register(f"{ROUND}/seating", seatings.SeatingViewSet, "seating")
router.register(f"{ROUND}/line-ups", seatings.LineUpViewSet, "line-ups")
router.register(f"{ROUND}/tables", views.TableViewSet, "round-table")
router.register(f"{ROUND}/rulings", views.RoundRulingViewSet, "round-ruling")
router.register(f"{TOURNAMENT}/rulings", views.RulingViewSet, "ruling")
router.register(f"{TOURNAMENT}/corrections", views.CorrectionViewSet, "correction")

urlpatterns = [*router.urls, path(f"{TOURNAMENT}/wall/", views.WallView.as_view(), name="wall")]
