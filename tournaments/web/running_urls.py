"""Addresses of the pages on which a round of a tournament is run."""

from django.urls import path

from tournaments.web import running, running_phone, running_rulings, running_tables, wall

TOURNAMENT = "clubs/<slug:slug>/tournaments/<slug:tournament>"
ROUND = f"{TOURNAMENT}/rounds/<int:number>"
TABLE = f"{ROUND}/tables/<int:table>"
PLAY = "play/<str:public_id>/<str:secret>"

urlpatterns = [
    path(f"{ROUND}/", running.running, name="running"),
    path(f"{ROUND}/open/", running.open_now, name="open_tournament_round"),
    path(f"{ROUND}/close/", running.close, name="close_tournament_round"),
    path(f"{ROUND}/reopen/", running.reopen, name="reopen_tournament_round"),
    path(f"{ROUND}/clock/", running.clock, name="round_clock"),
    path(f"{ROUND}/rulings/", running_rulings.new_ruling, name="new_ruling"),
    path(f"{TABLE}/", running_tables.running_table, name="running_table"),
    path(f"{TABLE}/time/", running_tables.time, name="table_time"),
    path(f"{TABLE}/finish/", running_tables.finish, name="finish_table"),
    path(f"{TABLE}/answer/", running_tables.answer, name="answer_call"),
    path(f"{TOURNAMENT}/rulings/", running_rulings.rulings, name="rulings"),
    path(
        f"{TOURNAMENT}/rulings/<int:pk>/withdraw/",
        running_rulings.withdraw,
        name="withdraw_ruling",
    ),
    path(f"{TOURNAMENT}/corrections/", running.changes, name="round_changes"),
    path(f"{TOURNAMENT}/wall/", wall.wall, name="wall"),
    path(f"{PLAY}/round/", running_phone.table_round, name="table_round"),
    path(f"{PLAY}/call/", running_phone.call, name="call_director"),
]
