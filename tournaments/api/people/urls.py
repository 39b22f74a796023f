"""Addresses of members, invitations and players."""

from django.urls import path

from tournaments.api.people import members, views

CLUB = "clubs/<slug:slug>"
PLAYERS = f"{CLUB}/players"
PLAYER = f"{PLAYERS}/<str:public_id>"
JOIN = "join/<str:public_id>/<str:secret>"

urlpatterns = [
    path(f"{CLUB}/members/", members.Members.as_view(), name="members"),
    path(f"{CLUB}/members/<int:user>/", members.OneMember.as_view(), name="member"),
    path(f"{CLUB}/invitations/", members.Invitations.as_view(), name="invitations"),
    path(
        f"{CLUB}/invitations/<str:public_id>/",
        members.OneInvitation.as_view(),
        name="invitation",
    ),
    path(f"{JOIN}/", members.Join.as_view(), name="join"),
    path(f"{PLAYERS}/", views.Players.as_view(), name="players"),
    path(f"{PLAYER}/", views.OnePlayer.as_view(), name="player"),
    path(f"{PLAYER}/numbers/", views.PlayerNumbers.as_view(), name="player_numbers"),
    path(f"{PLAYER}/games/", views.PlayerGames.as_view(), name="player_games"),
    path(f"{PLAYER}/against/", views.Opponents.as_view(), name="player_opponents"),
    path(f"{PLAYER}/against/<str:other>/", views.Against.as_view(), name="player_against"),
    path(f"{PLAYER}/card/", views.PlayerCard.as_view(), name="player_card"),
    path(f"{PLAYER}/card/new/", views.NewCode.as_view(), name="player_new_code"),
    path(f"{PLAYER}/unlink/", views.Unlink.as_view(), name="unlink_player"),
    path(f"{PLAYER}/data/", views.PlayerData.as_view(), name="player_data"),
    path(f"{PLAYER}/merge/", views.MergePlayer.as_view(), name="merge_player"),
    path(f"{PLAYER}/merges/<int:pk>/undo/", views.PartPlayer.as_view(), name="part_player"),
]
