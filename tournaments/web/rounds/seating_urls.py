"""Addresses of the seating of a tournament's rounds."""

from django.urls import path

from tournaments.web.rounds import seating

TOURNAMENT = "clubs/<slug:slug>/tournaments/<slug:tournament>"
SEATING = f"{TOURNAMENT}/rounds/<int:number>/seating"

urlpatterns = [
    path(f"{TOURNAMENT}/seat/", seating.seat, name="seat_round"),
    path(f"{SEATING}/", seating.seating, name="seating"),
    path(f"{SEATING}/swap/", seating.swap, name="swap_seats"),
    path(f"{SEATING}/again/", seating.reseat, name="seat_again"),
    path(f"{SEATING}/publish/", seating.publish, name="publish_round"),
    path(f"{SEATING}/take-back/", seating.take_back, name="take_back_round"),
    path(f"{SEATING}/remove/", seating.unseat, name="unseat_round"),
    path(f"{SEATING}/late/", seating.late, name="change_late"),
]
