"""Addresses of the pages on which a tournament is made and led."""

from django.urls import path

from tournaments.web import tournaments

CLUB = "clubs/<slug:slug>"
TOURNAMENT = f"{CLUB}/tournaments/<slug:tournament>"

urlpatterns = [
    path(f"{CLUB}/new-tournament/", tournaments.new_tournament, name="new_tournament"),
    path(f"{TOURNAMENT}/", tournaments.tournament, name="tournament"),
    path(f"{TOURNAMENT}/change/", tournaments.change, name="change_tournament"),
    path(f"{TOURNAMENT}/move/", tournaments.move, name="move_tournament"),
    path(f"{TOURNAMENT}/remove/", tournaments.remove, name="remove_tournament"),
    path(f"{TOURNAMENT}/links/", tournaments.replace, name="replace_links"),
]
