"""Addresses of the pages of members and players."""

from django.contrib.auth.decorators import login_required
from django.urls import path

from tournaments.web.people import changes, members, views

CLUB = "clubs/<slug:slug>"
PLAYERS = f"{CLUB}/players"
PLAYER = f"{PLAYERS}/<str:public_id>"
MINE = "me/players/<str:public_id>"

urlpatterns = [
    path(f"{CLUB}/people/", members.people, name="people"),
    path(f"{CLUB}/people/<int:user>/", members.member, name="member"),
    path(f"{CLUB}/people/<int:user>/remove/", members.remove, name="remove_member"),
    path(f"{CLUB}/invitations/new/", members.new_invitation, name="new_invitation"),
    path(f"{CLUB}/invitations/<str:public_id>/", members.invitation, name="invitation"),
    path(
        f"{CLUB}/invitations/<str:public_id>/withdraw/",
        members.withdraw,
        name="withdraw_invitation",
    ),
    path("join/<str:public_id>/<str:secret>/", members.join, name="join"),
    path(f"{PLAYERS}/", views.players, name="players"),
    path(f"{PLAYERS}/new/", views.new_players, name="new_players"),
    path(f"{PLAYER}/", views.player, name="player"),
    path(f"{PLAYER}/against/", views.opponents, name="player_opponents"),
    path(f"{PLAYER}/against/<str:other>/", views.against, name="player_against"),
    path(f"{PLAYER}/document/", views.player_document, name="player_document"),
    path(f"{PLAYER}/name/", changes.rename, name="rename_player"),
    path(f"{PLAYER}/initials/", changes.initials, name="player_initials"),
    path(f"{PLAYER}/card/", changes.card, name="player_card"),
    path(f"{PLAYER}/card/new/", changes.new_code, name="player_new_code"),
    path(f"{PLAYER}/unlink/", changes.unlink, name="unlink_player"),
    path(f"{PLAYER}/data/", changes.export, name="player_data"),
    path(f"{PLAYER}/remove/", changes.remove, name="remove_player"),
    path(f"{PLAYER}/merge/", views.merge, name="merge_player"),
    path(f"{PLAYER}/merges/<int:pk>/undo/", views.part, name="part_player"),
    path(f"{MINE}/initials/", login_required(changes.initials), name="my_initials"),
    path(f"{MINE}/data/", login_required(changes.export), name="my_data"),
    path(f"{MINE}/release/", login_required(changes.unlink), name="my_release"),
    path(f"{MINE}/removal/", changes.my_removal, name="my_removal"),
    path("claim/", members.code, name="claim_code"),
    path("claim/<str:public_id>/<str:secret>/", members.claim, name="claim"),
]
