"""Addresses of games: started, written and followed."""

from django.urls import path

from tournaments.web.games import correcting, following, game_setup, rematch, starting, views
from tournaments.web.games.photos import photo, photo_page

EVENING = "evening/<str:public_id>/<str:secret>/"
PLAY = "play/<str:public_id>/<str:secret>/"

urlpatterns = [
    path("follow/<str:public_id>/<str:secret>/", following.follow, name="follow"),
    path("follow/<str:public_id>/<str:secret>/seat/", views.seat, name="seat"),
    path(EVENING, following.evening, name="evening"),
    path(f"{EVENING}games/", following.evening_games, name="evening_games"),
    path(f"{EVENING}text/", following.evening_as_text, name="evening_text"),
    path(PLAY, views.table_page, name="write"),
    path(f"{PLAY}entry/", views.post_entry, name="record"),
    path(f"{PLAY}undo/", views.undo, name="undo"),
    path(f"{PLAY}seal/", correcting.seal, name="seal"),
    path(f"{PLAY}reveal/", correcting.reveal, name="reveal"),
    path(f"{PLAY}holder/", views.turn, name="holder"),
    path(f"{PLAY}entries/<int:position>/", correcting.entry, name="entry"),
    path(f"{PLAY}entries/<int:position>/confirm/", correcting.confirm, name="confirm_deal"),
    path(f"{PLAY}entries/<int:position>/dispute/", correcting.dispute, name="dispute_deal"),
    path(f"{PLAY}photo/", photo, name="photo"),
    path(f"{PLAY}photo/page.jpg", photo_page, name="photo_page"),
    path(f"{PLAY}names/", game_setup.head, name="head"),
    path(f"{PLAY}log/", correcting.history, name="history"),
    path("new/", starting.new_table, name="new"),
    path("offline/new/", game_setup.new_offline, name="new_offline"),
    path("offline/table/", game_setup.table_offline, name="table_offline"),
    path(f"{PLAY}rematch/", rematch.rematch, name="rematch"),
    path(f"{PLAY}pen/", correcting.share, name="pen"),
    path(f"{PLAY}pen/give/", views.give_pen, name="give_pen"),
    path(f"{PLAY}delete/", correcting.delete, name="delete"),
    path("take/<str:public_id>/<str:secret>/", correcting.take, name="take"),
    path(f"{PLAY}next-game/", starting.next_game, name="next_game"),
]
