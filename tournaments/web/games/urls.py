"""Addresses of games: started, written and followed."""

from django.urls import path

from tournaments.web.games import (
    correcting,
    deal_reviews,
    evening,
    following,
    game_setup,
    handover,
    history,
    matches,
    pages,
    rematch,
    sealing,
    starting,
    starting_offline,
    who,
)

EVENING = "evening/<str:public_id>/<str:secret>/"
PLAY = "play/<str:public_id>/<str:secret>/"

urlpatterns = [
    path("follow/<str:public_id>/<str:secret>/", following.follow, name="follow"),
    path("follow/<str:public_id>/<str:secret>/seat/", who.seat, name="seat"),
    path(EVENING, evening.evening, name="evening"),
    path(f"{EVENING}games/", evening.evening_games, name="evening_games"),
    path(f"{EVENING}text/", evening.evening_as_text, name="evening_text"),
    path(PLAY, pages.table_page, name="write"),
    path(f"{PLAY}entry/", pages.post_entry, name="record"),
    path(f"{PLAY}undo/", pages.undo, name="undo"),
    path(f"{PLAY}seal/", sealing.seal, name="seal"),
    path(f"{PLAY}reveal/", sealing.reveal, name="reveal"),
    path(f"{PLAY}holder/", pages.turn, name="holder"),
    path(f"{PLAY}entries/<int:position>/", correcting.entry, name="entry"),
    path(f"{PLAY}entries/<int:position>/confirm/", deal_reviews.confirm, name="confirm_deal"),
    path(f"{PLAY}entries/<int:position>/dispute/", deal_reviews.dispute, name="dispute_deal"),
    path(f"{PLAY}names/", game_setup.head, name="head"),
    path(f"{PLAY}log/", history.history, name="history"),
    path("new/", starting.new_table, name="new"),
    path("offline/new/", starting_offline.new_offline, name="new_offline"),
    path("offline/table/", starting_offline.table_offline, name="table_offline"),
    path(f"{PLAY}rematch/", rematch.rematch, name="rematch"),
    path(f"{PLAY}pen/", handover.share, name="pen"),
    path(f"{PLAY}delete/", handover.delete, name="delete"),
    path("take/<str:public_id>/<str:secret>/", handover.take, name="take"),
    path(f"{PLAY}next-game/", matches.next_game, name="next_game"),
]
