"""Addresses of the pages to run a round of a tournament."""

from django.urls import path

from tournaments.web.games import round_phone
from tournaments.web.rounds import line_ups, pages, rulings, tables, totals, wall

TOURNAMENT = "clubs/<slug:slug>/tournaments/<slug:tournament>"
ROUND = f"{TOURNAMENT}/rounds/<int:number>"
TABLE = f"{ROUND}/tables/<int:table>"
PLAY = "play/<str:public_id>/<str:secret>"

urlpatterns = [
    path(f"{ROUND}/", pages.running, name="running"),
    path(f"{ROUND}/open/", pages.open_now, name="open_tournament_round"),
    path(f"{ROUND}/close/", pages.close, name="close_tournament_round"),
    path(f"{ROUND}/reopen/", pages.reopen, name="reopen_tournament_round"),
    path(f"{ROUND}/codes/", tables.round_codes, name="round_codes"),
    path(f"{ROUND}/clock/", pages.clock, name="round_clock"),
    path(f"{ROUND}/line-ups/", line_ups.line_ups, name="line_ups"),
    path(f"{ROUND}/totals/", totals.round_totals, name="round_totals"),
    path(f"{ROUND}/rulings/", rulings.new_ruling, name="new_ruling"),
    path(f"{TABLE}/", tables.running_table, name="running_table"),
    path(f"{TABLE}/sheet/", tables.sheet, name="table_sheet"),
    path(f"{TABLE}/time/", tables.time, name="table_time"),
    path(f"{TABLE}/finish/", tables.finish, name="finish_table"),
    path(f"{TABLE}/settle/", tables.settle, name="settle_deal"),
    path(f"{TABLE}/answer/", tables.answer, name="answer_call"),
    path(f"{TABLE}/confirm/", tables.confirm, name="confirm_table"),
    path(f"{TOURNAMENT}/rulings/", rulings.rulings, name="rulings"),
    path(
        f"{TOURNAMENT}/rulings/<int:pk>/withdraw/",
        rulings.withdraw,
        name="withdraw_ruling",
    ),
    path(f"{TOURNAMENT}/next/", pages.next_step, name="next_step"),
    path(f"{TOURNAMENT}/undo/", pages.undo, name="undo_act"),
    path(f"{TOURNAMENT}/corrections/", pages.changes, name="round_changes"),
    path(f"{TOURNAMENT}/live/", pages.live, name="live_board"),
    path(f"{TOURNAMENT}/wall/", wall.wall, name="wall"),
    path(f"{PLAY}/round/", round_phone.table_round, name="table_round"),
    path(f"{PLAY}/call/", round_phone.call, name="call_director"),
]
