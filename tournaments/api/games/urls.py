"""Addresses of games and their tables."""

from django.urls import path

from tournaments.api.games import (
    adopting,
    confirmations,
    deal_reviews,
    entries,
    evenings,
    handover,
    matches,
    reading,
    rematches,
    tables,
    views,
)

GAME = "games/<slug:public_id>"
TABLE = "tables/<slug:public_id>"
ENTRY = f"{GAME}/entries/<int:position>"

urlpatterns = [
    path("games/", views.Games.as_view(), name="games"),
    path(f"{GAME}/", views.OneGame.as_view(), name="game"),
    path(f"{GAME}/record/", reading.GameDocument.as_view(), name="game_record"),
    path(f"{GAME}/result/", reading.Result.as_view(), name="game_result"),
    path(f"{GAME}/form/", reading.GameForm.as_view(), name="game_form"),
    path(f"{GAME}/log/", reading.Log.as_view(), name="game_log"),
    path(f"{GAME}/entries/", entries.Entries.as_view(), name="entries"),
    path(f"{GAME}/entries/batch/", entries.SeveralEntries.as_view(), name="entries_batch"),
    path(f"{GAME}/totals/", entries.Totals.as_view(), name="game_totals"),
    path(f"{ENTRY}/", entries.OneEntry.as_view(), name="entry"),
    path(f"{ENTRY}/reveal/", entries.Reveal.as_view(), name="reveal"),
    path(f"{ENTRY}/confirm/", deal_reviews.ConfirmDeal.as_view(), name="confirm_deal"),
    path(f"{ENTRY}/dispute/", deal_reviews.DisputeDeal.as_view(), name="dispute_deal"),
    path(f"{GAME}/reviews/", deal_reviews.Reviews.as_view(), name="deal_reviews"),
    path(f"{GAME}/seal/", entries.Seal.as_view(), name="seal"),
    path(f"{GAME}/keys/", handover.Keys.as_view(), name="game_keys"),
    path(f"{GAME}/pen/", handover.TakeScoring.as_view(), name="take_pen"),
    path(f"{GAME}/match/", matches.MatchOfGame.as_view(), name="match"),
    path(f"{GAME}/next-game/", matches.NextOfMatch.as_view(), name="next_game"),
    path(f"{GAME}/rematch/", rematches.Rematch.as_view(), name="rematch"),
    path(f"{GAME}/confirmations/", confirmations.GameConfirmations.as_view(), name="confirmations"),
    path(f"{GAME}/adopt/", adopting.Adopt.as_view(), name="adopt"),
    path("evenings/<slug:public_id>/", evenings.OneEvening.as_view(), name="evening"),
    path(f"{TABLE}/", tables.TableWithKey.as_view(), name="table"),
    path(f"{TABLE}/enter/", tables.Enter.as_view(), name="enter_table"),
    path(f"{GAME}/table/", tables.GameTable.as_view(), name="game_table"),
    path(f"{GAME}/call/", tables.CallDirector.as_view(), name="call_director"),
]
