"""Addresses of games and their tables."""

from django.urls import path

from tournaments.api.games import entries, evenings, tables, views

GAME = "games/<slug:public_id>"
TABLE = "tables/<slug:public_id>"
ENTRY = f"{GAME}/entries/<int:position>"

urlpatterns = [
    path("games/", views.Games.as_view(), name="games"),
    path(f"{GAME}/", views.OneGame.as_view(), name="game"),
    path(f"{GAME}/record/", views.GameDocument.as_view(), name="game_record"),
    path(f"{GAME}/result/", views.Result.as_view(), name="game_result"),
    path(f"{GAME}/form/", views.GameForm.as_view(), name="game_form"),
    path(f"{GAME}/log/", views.Log.as_view(), name="game_log"),
    path(f"{GAME}/entries/", entries.Entries.as_view(), name="entries"),
    path(f"{GAME}/entries/batch/", entries.SeveralEntries.as_view(), name="entries_batch"),
    path(f"{GAME}/totals/", entries.Totals.as_view(), name="game_totals"),
    path(f"{ENTRY}/", entries.OneEntry.as_view(), name="entry"),
    path(f"{ENTRY}/reveal/", entries.Reveal.as_view(), name="reveal"),
    path(f"{ENTRY}/confirm/", entries.ConfirmDeal.as_view(), name="confirm_deal"),
    path(f"{ENTRY}/dispute/", entries.DisputeDeal.as_view(), name="dispute_deal"),
    path(f"{GAME}/reviews/", entries.Reviews.as_view(), name="deal_reviews"),
    path(f"{GAME}/seal/", entries.Seal.as_view(), name="seal"),
    path(f"{GAME}/keys/", entries.Keys.as_view(), name="game_keys"),
    path(f"{GAME}/pen/", entries.TakeScoring.as_view(), name="take_pen"),
    path(f"{GAME}/match/", views.MatchOfGame.as_view(), name="match"),
    path(f"{GAME}/next-game/", views.NextOfMatch.as_view(), name="next_game"),
    path(f"{GAME}/rematch/", views.Rematch.as_view(), name="rematch"),
    path(f"{GAME}/confirmations/", entries.GameConfirmations.as_view(), name="confirmations"),
    path(f"{GAME}/adopt/", views.Adopt.as_view(), name="adopt"),
    path("evenings/<slug:public_id>/", evenings.OneEvening.as_view(), name="evening"),
    path(f"{TABLE}/", tables.TableWithKey.as_view(), name="table"),
    path(f"{TABLE}/enter/", tables.Enter.as_view(), name="enter_table"),
    path(f"{GAME}/table/", tables.GameTable.as_view(), name="game_table"),
    path(f"{GAME}/call/", tables.CallDirector.as_view(), name="call_director"),
]
