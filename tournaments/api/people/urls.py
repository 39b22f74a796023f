"""Addresses of players, and of one's own account."""

from django.urls import path

from tournaments.api.people import account, against, games, merging, numbers, views

PLAYERS = "clubs/<slug:slug>/players"
PLAYER = f"{PLAYERS}/<str:public_id>"
MINE = "me/players/<str:public_id>"

urlpatterns = [
    path(f"{PLAYERS}/", views.Players.as_view(), name="players"),
    path(f"{PLAYER}/", views.OnePlayer.as_view(), name="player"),
    path(f"{PLAYER}/numbers/", numbers.PlayerNumbers.as_view(), name="player_numbers"),
    path(f"{PLAYER}/games/", games.PlayerGames.as_view(), name="player_games"),
    path(f"{PLAYER}/against/", against.Opponents.as_view(), name="player_opponents"),
    path(f"{PLAYER}/against/<str:other>/", against.Against.as_view(), name="player_against"),
    path(f"{PLAYER}/card/", views.Card.as_view(), name="player_card"),
    path(f"{PLAYER}/card/new/", views.NewCode.as_view(), name="player_new_code"),
    path(f"{PLAYER}/unlink/", views.Unlink.as_view(), name="unlink_player"),
    path(f"{PLAYER}/data/", views.PlayerData.as_view(), name="player_data"),
    path(f"{PLAYER}/merge/", merging.MergePlayer.as_view(), name="merge_player"),
    path(f"{PLAYER}/merges/<int:pk>/undo/", merging.PartPlayer.as_view(), name="part_player"),
    path("me/", account.Me.as_view(), name="me"),
    path(f"{MINE}/", account.MyPlayer.as_view(), name="my_player"),
    path(f"{MINE}/data/", account.MyData.as_view(), name="my_data"),
    path(f"{MINE}/release/", account.MyRelease.as_view(), name="my_release"),
    path("claim/", account.ClaimCode.as_view(), name="claim_code"),
    path("claim/<str:public_id>/<str:secret>/", account.Claim.as_view(), name="claim"),
]
