"""Addresses of the pages of seasons, evenings and their tables."""

from django.urls import path

from tournaments.web.events import views
from tournaments.web.games import correcting, following

CLUB = "clubs/<slug:slug>"
EVENT = f"{CLUB}/events/<slug:public_id>"
ROUND = f"{EVENT}/rounds/<int:number>"
TABLE = f"{EVENT}/tables/<slug:table>"
PLAY = "play/<str:public_id>/<str:secret>"

urlpatterns = [
    path(f"{CLUB}/seasons/", views.seasons, name="seasons"),
    path(f"{CLUB}/seasons/<int:pk>/", views.season, name="season"),
    path(f"{CLUB}/seasons/<int:pk>/remove/", views.remove_season, name="remove_season"),
    path(f"{CLUB}/seasons/<int:pk>/events/", views.put_in, name="put_in_season"),
    path(f"{CLUB}/seasons/<int:pk>/take-out/", views.take_out, name="take_from_season"),
    path(f"{CLUB}/player-names/", views.player_names, name="player_names"),
    path(f"{CLUB}/events/", views.events, name="events"),
    path(f"{CLUB}/events/new/", views.new_event, name="new_event"),
    path(f"{EVENT}/", views.event, name="event"),
    path(f"{EVENT}/change/", views.change, name="change_event"),
    path(f"{EVENT}/remove/", views.remove, name="remove_event"),
    path(f"{EVENT}/rounds/", views.open_next, name="open_round"),
    path(f"{ROUND}/close/", views.close, name="close_round"),
    path(f"{ROUND}/reopen/", views.reopen, name="reopen_round"),
    path(f"{ROUND}/seats/", views.seat, name="seat_event_round"),
    path(f"{ROUND}/new-table/", views.new_table, name="new_event_table"),
    path(f"{TABLE}/replace/", views.replace, name="replace_address"),
    path(f"{TABLE}/remove/", views.remove_table, name="remove_table"),
    path(f"{CLUB}/games/", following.club_games, name="club_games"),
    path(f"{CLUB}/games/<slug:public_id>/", following.club_game, name="club_game"),
    path("table/<str:public_id>/<str:secret>/", views.table_link, name="table_link"),
    path(f"{PLAY}/confirm/", correcting.confirm_result, name="confirm"),
    path("confirm/<str:public_id>/", correcting.confirm_own, name="confirm_own"),
    path(f"{PLAY}/adopt/", views.adopt, name="adopt"),
]
