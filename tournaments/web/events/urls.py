"""Addresses of the pages of seasons, evenings and their tables."""

from django.urls import path

from tournaments.web.events import adopting, pages, seasons, table_links, tables
from tournaments.web.games import club_games, confirming

CLUB = "clubs/<slug:slug>"
EVENT = f"{CLUB}/events/<slug:public_id>"
ROUND = f"{EVENT}/rounds/<int:number>"
TABLE = f"{EVENT}/tables/<slug:table>"
PLAY = "play/<str:public_id>/<str:secret>"

urlpatterns = [
    path(f"{CLUB}/seasons/", seasons.seasons, name="seasons"),
    path(f"{CLUB}/seasons/<int:pk>/", seasons.season, name="season"),
    path(f"{CLUB}/seasons/<int:pk>/remove/", seasons.remove, name="remove_season"),
    path(f"{CLUB}/seasons/<int:pk>/events/", seasons.put_in, name="put_in_season"),
    path(f"{CLUB}/seasons/<int:pk>/take-out/", seasons.take_out, name="take_from_season"),
    path(f"{CLUB}/player-names/", tables.player_names, name="player_names"),
    path(f"{CLUB}/events/", pages.events, name="events"),
    path(f"{CLUB}/events/new/", pages.new_event, name="new_event"),
    path(f"{EVENT}/", pages.event, name="event"),
    path(f"{EVENT}/change/", pages.change, name="change_event"),
    path(f"{EVENT}/remove/", pages.remove, name="remove_event"),
    path(f"{EVENT}/rounds/", pages.open_next, name="open_round"),
    path(f"{ROUND}/close/", pages.close, name="close_round"),
    path(f"{ROUND}/reopen/", pages.reopen, name="reopen_round"),
    path(f"{ROUND}/new-table/", tables.new_table, name="new_event_table"),
    path(f"{TABLE}/", tables.table, name="event_table"),
    path(f"{TABLE}/replace/", tables.replace, name="replace_address"),
    path(f"{TABLE}/remove/", tables.remove, name="remove_table"),
    path(f"{CLUB}/games/", club_games.club_games, name="club_games"),
    path(f"{CLUB}/games/<slug:public_id>/", club_games.club_game, name="club_game"),
    path("table/<str:public_id>/<str:secret>/", table_links.table_link, name="table_link"),
    path(f"{PLAY}/confirm/", confirming.confirm, name="confirm"),
    path("confirm/<str:public_id>/", confirming.confirm_own, name="confirm_own"),
    path(f"{PLAY}/adopt/", adopting.adopt, name="adopt"),
]
