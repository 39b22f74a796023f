"""Addresses of a table's sheet."""

from django.urls import path

from tournaments.web.scoring import correcting, following, heading, history, offline, pages, sealing

PLAY = "play/<str:public_id>/<str:secret>/"

urlpatterns = [
    path("follow/<str:public_id>/<str:secret>/", following.follow, name="follow"),
    path(PLAY, pages.write, name="write"),
    path(f"{PLAY}entry/", pages.record, name="record"),
    path(f"{PLAY}undo/", pages.undo, name="undo"),
    path(f"{PLAY}seal/", sealing.seal, name="seal"),
    path(f"{PLAY}reveal/", sealing.reveal, name="reveal"),
    path(f"{PLAY}holder/", pages.turn, name="holder"),
    path(f"{PLAY}entries/<int:position>/", correcting.entry, name="entry"),
    path(f"{PLAY}names/", heading.head, name="head"),
    path(f"{PLAY}log/", history.history, name="history"),
    path("sw.js", offline.service_worker, name="service_worker"),
]
