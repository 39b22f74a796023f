"""Addresses of the seating of a tournament's rounds."""

from django.urls import path

from tournaments.web.rounds import drawing

TOURNAMENT = "clubs/<slug:slug>/tournaments/<slug:tournament>"
SEATING = f"{TOURNAMENT}/rounds/<int:number>/seating"

urlpatterns = [
    path(f"{TOURNAMENT}/seat/", drawing.seat, name="seat_round"),
    path(f"{SEATING}/", drawing.seating, name="seating"),
    path(f"{SEATING}/swap/", drawing.swap, name="swap_seats"),
    path(f"{SEATING}/again/", drawing.reseat, name="seat_again"),
    path(f"{SEATING}/publish/", drawing.publish, name="publish_round"),
    path(f"{SEATING}/take-back/", drawing.take_back, name="take_back_round"),
    path(f"{SEATING}/remove/", drawing.unseat, name="unseat_round"),
    path(f"{SEATING}/late/", drawing.late, name="change_late"),
]
