"""Addresses of the rounds of a tournament: their seating, tables, rulings, and the wall."""

from django.urls import path

from tournaments.api.rounds import seatings, views

TOURNAMENT = "clubs/<slug:slug>/tournaments/<slug:tournament>"
ROUND = f"{TOURNAMENT}/rounds/<int:number>"
SEATING = f"{ROUND}/seating"
TABLE = f"{ROUND}/tables/<int:table>"
RULING = f"{TOURNAMENT}/rulings/<int:pk>"
CORRECTIONS = f"{TOURNAMENT}/corrections"

urlpatterns = [
    path(f"{TOURNAMENT}/seat/", seatings.SeatNext.as_view(), name="seat_round"),
    path(f"{TOURNAMENT}/rounds/", views.Rounds.as_view(), name="tournament_rounds"),
    path(f"{ROUND}/", views.OneRound.as_view(), name="tournament_round"),
    path(f"{ROUND}/open/", views.Open.as_view(), name="open_tournament_round"),
    path(f"{ROUND}/close/", views.Close.as_view(), name="close_tournament_round"),
    path(f"{ROUND}/reopen/", views.Reopen.as_view(), name="reopen_tournament_round"),
    path(f"{ROUND}/clock/start/", views.StartClock.as_view(), name="start_clock"),
    path(f"{ROUND}/clock/pause/", views.PauseClock.as_view(), name="pause_clock"),
    path(f"{ROUND}/clock/add/", views.AddTime.as_view(), name="add_time"),
    path(f"{ROUND}/outlook/", seatings.Outlooks.as_view(), name="outlook"),
    path(f"{SEATING}/", seatings.OneSeating.as_view(), name="seating"),
    path(f"{SEATING}/swap/", seatings.Swap.as_view(), name="swap_seats"),
    path(f"{SEATING}/exchange/", seatings.ExchangeChairs.as_view(), name="exchange_seats"),
    path(f"{SEATING}/again/", seatings.Again.as_view(), name="seat_again"),
    path(f"{SEATING}/publish/", seatings.Publish.as_view(), name="publish_round"),
    path(f"{SEATING}/take-back/", seatings.TakeBack.as_view(), name="take_back_round"),
    path(f"{SEATING}/late/", seatings.Late.as_view(), name="change_late"),
    path(f"{ROUND}/line-ups/", seatings.LineUps.as_view(), name="line_ups"),
    path(f"{ROUND}/line-ups/replace/", seatings.Replace.as_view(), name="replace_player"),
    path(f"{ROUND}/tables/", views.Tables.as_view(), name="round_tables"),
    path(f"{TABLE}/", views.RoundTable.as_view(), name="round_table"),
    path(f"{TABLE}/add-time/", views.AddTableTime.as_view(), name="add_table_time"),
    path(f"{TABLE}/finish/", views.FinishTable.as_view(), name="finish_table"),
    path(f"{TABLE}/settle/", views.SettleDeal.as_view(), name="settle_deal"),
    path(f"{TABLE}/answer/", views.AnswerCall.as_view(), name="answer_call"),
    path(f"{ROUND}/rulings/", views.RoundRulings.as_view(), name="round_rulings"),
    path(f"{TOURNAMENT}/rulings/", views.Rulings.as_view(), name="rulings"),
    path(f"{RULING}/", views.OneRuling.as_view(), name="ruling"),
    path(f"{RULING}/withdraw/", views.WithdrawRuling.as_view(), name="withdraw_ruling"),
    path(f"{CORRECTIONS}/", views.Corrections.as_view(), name="corrections"),
    path(f"{CORRECTIONS}/accept/", views.AcceptCorrections.as_view(), name="accept_corrections"),
    path(f"{TOURNAMENT}/wall/", views.Wall.as_view(), name="wall"),
]
