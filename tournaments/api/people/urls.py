"""Addresses of members, invitations and players."""

from django.urls import path

from tournaments.api.people import members, views
from tournaments.api.views import Router

CLUB = "clubs/<slug:slug>"
PLAYERS = f"{CLUB}/players"
PLAYER = f"{PLAYERS}/<str:public_id>"

router = Router()
router.register(f"{CLUB}/members", members.MemberViewSet, "member")
router.register(f"{CLUB}/invitations", members.InvitationViewSet, "invitation")
router.register("join/<str:public_id>/<str:secret>", members.JoinViewSet, "join")
router.register(PLAYERS, views.PlayerViewSet, "player")
router.register(f"{PLAYER}/games", views.PlayerGameViewSet, "player-game")

urlpatterns = [
    *router.urls,
    path(f"{PLAYER}/numbers/", views.PlayerNumbersView.as_view(), name="player-numbers"),
    path(f"{PLAYER}/against/", views.PlayerOpponentsView.as_view(), name="player-opponents"),
    path(f"{PLAYER}/against/<str:other>/", views.HeadToHeadView.as_view(), name="head-to-head"),
]
