"""Addresses of the pages to run a round of a tournament."""

from django.urls import path

from tournaments.web.games import views as games_views
from tournaments.web.rounds import papers, seating, views

TOURNAMENT = "clubs/<slug:slug>/tournaments/<slug:tournament>"
ROUND = f"{TOURNAMENT}/rounds/<int:number>"
TABLE = f"{ROUND}/tables/<int:table>"
PLAY = "play/<str:public_id>/<str:secret>"
SEATING = f"{ROUND}/seating"

urlpatterns = [
    path(f"{TOURNAMENT}/seat/", seating.seat, name="seat_round"),
    path(f"{SEATING}/", seating.seating, name="seating"),
    path(f"{SEATING}/swap/", seating.swap, name="swap_seats"),
    path(f"{SEATING}/again/", seating.reseat, name="seat_again"),
    path(f"{SEATING}/take/", seating.take, name="take_alternative"),
    path(f"{SEATING}/publish/", seating.publish, name="publish_round"),
    path(f"{SEATING}/take-back/", seating.take_back, name="take_back_round"),
    path(f"{SEATING}/remove/", seating.unseat, name="unseat_round"),
    path(f"{SEATING}/late/", seating.late, name="change_late"),
    path(f"{ROUND}/", views.running, name="running"),
    path(f"{ROUND}/open/", views.open_now, name="open_tournament_round"),
    path(f"{ROUND}/close/", views.close, name="close_tournament_round"),
    path(f"{ROUND}/reopen/", views.reopen, name="reopen_tournament_round"),
    path(f"{ROUND}/codes/", views.round_codes, name="round_codes"),
    path(f"{ROUND}/clock/", views.clock, name="round_clock"),
    path(f"{ROUND}/line-ups/", papers.line_ups, name="line_ups"),
    path(f"{ROUND}/totals/", papers.round_totals, name="round_totals"),
    path(
        "clubs/<slug:slug>/events/<slug:public_id>/rounds/<int:number>/totals/",
        papers.evening_totals,
        name="evening_totals",
    ),
    path(f"{ROUND}/rulings/", views.new_ruling, name="new_ruling"),
    path(f"{TABLE}/", views.running_table, name="running_table"),
    path(f"{TABLE}/sheet/", views.sheet, name="table_sheet"),
    path(f"{TABLE}/time/", views.time, name="table_time"),
    path(f"{TABLE}/finish/", views.finish, name="finish_table"),
    path(f"{TABLE}/settle/", views.settle, name="settle_deal"),
    path(f"{TABLE}/answer/", views.answer, name="answer_call"),
    path(f"{TABLE}/confirm/", views.confirm, name="confirm_table"),
    path(f"{TOURNAMENT}/rulings/", views.rulings, name="rulings"),
    path(
        f"{TOURNAMENT}/rulings/<int:pk>/withdraw/",
        views.withdraw,
        name="withdraw_ruling",
    ),
    path(f"{TOURNAMENT}/next/", views.next_step, name="next_step"),
    path(f"{TOURNAMENT}/undo/", views.undo, name="undo_act"),
    path(f"{TOURNAMENT}/corrections/", views.changes, name="round_changes"),
    path(f"{TOURNAMENT}/live/", views.live, name="live_board"),
    path(f"{TOURNAMENT}/wall/", papers.wall, name="wall"),
    path(f"{PLAY}/round/", games_views.table_round, name="table_round"),
    path(f"{PLAY}/call/", games_views.call, name="call_director"),
]
