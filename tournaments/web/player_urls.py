"""Addresses of the pages of players."""

from django.urls import path

from tournaments.web import (
    claiming,
    player_against,
    player_changes,
    player_merging,
    player_privacy,
    players,
)

PLAYERS = "clubs/<slug:slug>/players"
PLAYER = f"{PLAYERS}/<str:public_id>"
MINE = "me/players/<str:public_id>"

urlpatterns = [
    path(f"{PLAYERS}/", players.players, name="players"),
    path(f"{PLAYERS}/new/", players.new_players, name="new_players"),
    path(f"{PLAYER}/", players.player, name="player"),
    path(f"{PLAYER}/against/", player_against.opponents, name="player_opponents"),
    path(f"{PLAYER}/against/<str:other>/", player_against.against, name="player_against"),
    path(f"{PLAYER}/name/", player_changes.rename, name="rename_player"),
    path(f"{PLAYER}/initials/", player_changes.initials, name="player_initials"),
    path(f"{PLAYER}/card/", player_changes.card, name="player_card"),
    path(f"{PLAYER}/card/new/", player_changes.new_code, name="player_new_code"),
    path(f"{PLAYER}/unlink/", player_changes.unlink, name="unlink_player"),
    path(f"{PLAYER}/data/", player_changes.export, name="player_data"),
    path(f"{PLAYER}/remove/", player_changes.remove, name="remove_player"),
    path(f"{PLAYER}/merge/", player_merging.merge, name="merge_player"),
    path(f"{PLAYER}/merges/<int:pk>/undo/", player_merging.part, name="part_player"),
    path(f"{MINE}/initials/", player_privacy.my_initials, name="my_initials"),
    path(f"{MINE}/data/", player_privacy.my_data, name="my_data"),
    path(f"{MINE}/release/", player_privacy.my_release, name="my_release"),
    path(f"{MINE}/removal/", player_privacy.my_removal, name="my_removal"),
    path("claim/", claiming.code, name="claim_code"),
    path("claim/<str:public_id>/<str:secret>/", claiming.claim, name="claim"),
]
