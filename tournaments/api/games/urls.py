"""Addresses of games."""

from django.urls import path

from tournaments.api.games import (
    adopting,
    confirmations,
    entries,
    matches,
    pens,
    reading,
    views,
)

GAME = "games/<slug:public_id>"
ENTRY = f"{GAME}/entries/<int:position>"

urlpatterns = [
    path("games/", views.Games.as_view(), name="games"),
    path(f"{GAME}/", views.OneGame.as_view(), name="game"),
    path(f"{GAME}/record/", reading.Record.as_view(), name="game_record"),
    path(f"{GAME}/result/", reading.Result.as_view(), name="game_result"),
    path(f"{GAME}/form/", reading.Form.as_view(), name="game_form"),
    path(f"{GAME}/log/", reading.Log.as_view(), name="game_log"),
    path(f"{GAME}/entries/", entries.Entries.as_view(), name="entries"),
    path(f"{ENTRY}/", entries.OneEntry.as_view(), name="entry"),
    path(f"{ENTRY}/reveal/", entries.Reveal.as_view(), name="reveal"),
    path(f"{GAME}/seal/", entries.Seal.as_view(), name="seal"),
    path(f"{GAME}/keys/", pens.Keys.as_view(), name="game_keys"),
    path(f"{GAME}/pen/", pens.TakePen.as_view(), name="take_pen"),
    path(f"{GAME}/match/", matches.MatchOfGame.as_view(), name="match"),
    path(f"{GAME}/next-game/", matches.NextGame.as_view(), name="next_game"),
    path(f"{GAME}/confirmations/", confirmations.Confirmations.as_view(), name="confirmations"),
    path(f"{GAME}/adopt/", adopting.Adopt.as_view(), name="adopt"),
]
