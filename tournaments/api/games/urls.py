"""Addresses of games and their tables."""

from django.urls import path

from tournaments.api.games import entries, evenings, tables, views
from tournaments.api.views import Router

GAME = "games/<slug:public_id>"
TABLE = "tables/<slug:public_id>"

router = Router()
router.register("games", views.GameViewSet, "game")
router.register(f"{GAME}/entries", entries.EntryViewSet, "entry")
router.register(f"{GAME}/log", views.LogViewSet, "log")

urlpatterns = [
    *router.urls,
    path(f"{GAME}/totals/", entries.TotalsView.as_view(), name="totals"),
    path(f"{GAME}/reviews/", entries.ReviewsView.as_view(), name="reviews"),
    path(f"{GAME}/seal/", entries.SealView.as_view(), name="seal"),
    path(f"{GAME}/confirmations/", entries.ConfirmationsView.as_view(), name="confirmations"),
    path("evenings/<slug:public_id>/", evenings.EveningView.as_view(), name="evening"),
    path(f"{TABLE}/", tables.TableView.as_view(), name="table"),
    path(f"{TABLE}/enter/", tables.EnterTableView.as_view(), name="enter-table"),
    path(f"{GAME}/table/", tables.GameTableView.as_view(), name="game-table"),
    path(f"{GAME}/call/", tables.CallDirectorView.as_view(), name="call-director"),
]
