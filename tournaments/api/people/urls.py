"""Addresses of members, invitations and players."""

from django.urls import path

from tournaments.api.people import against, games, invitations, members, merging, numbers, views

CLUB = "clubs/<slug:slug>"
PLAYERS = f"{CLUB}/players"
PLAYER = f"{PLAYERS}/<str:public_id>"
JOIN = "join/<str:public_id>/<str:secret>"

urlpatterns = [
    path(f"{CLUB}/members/", members.Members.as_view(), name="members"),
    path(f"{CLUB}/members/<int:user>/", members.OneMember.as_view(), name="member"),
    path(f"{CLUB}/invitations/", invitations.Invitations.as_view(), name="invitations"),
    path(
        f"{CLUB}/invitations/<str:public_id>/",
        invitations.OneInvitation.as_view(),
        name="invitation",
    ),
    path(f"{JOIN}/", invitations.Join.as_view(), name="join"),
    path(f"{PLAYERS}/", views.Players.as_view(), name="players"),
    path(f"{PLAYER}/", views.OnePlayer.as_view(), name="player"),
    path(f"{PLAYER}/numbers/", numbers.PlayerNumbers.as_view(), name="player_numbers"),
    path(f"{PLAYER}/games/", games.PlayerGames.as_view(), name="player_games"),
    path(f"{PLAYER}/against/", against.Opponents.as_view(), name="player_opponents"),
    path(f"{PLAYER}/against/<str:other>/", against.Against.as_view(), name="player_against"),
    path(f"{PLAYER}/card/", views.PlayerCard.as_view(), name="player_card"),
    path(f"{PLAYER}/card/new/", views.NewCode.as_view(), name="player_new_code"),
    path(f"{PLAYER}/unlink/", views.Unlink.as_view(), name="unlink_player"),
    path(f"{PLAYER}/data/", views.PlayerData.as_view(), name="player_data"),
    path(f"{PLAYER}/merge/", merging.MergePlayer.as_view(), name="merge_player"),
    path(f"{PLAYER}/merges/<int:pk>/undo/", merging.PartPlayer.as_view(), name="part_player"),
]
