"""Addresses of one's own account."""

from django.urls import path

from tournaments.api.accounts import month, views

MINE = "me/players/<str:public_id>"

urlpatterns = [
    path("me/", views.Me.as_view(), name="me"),
    path("tokens/", views.Tokens.as_view(), name="tokens"),
    path("tokens/<str:public_id>/", views.OneToken.as_view(), name="token"),
    path(f"{MINE}/", views.MyPlayer.as_view(), name="my_player"),
    path(f"{MINE}/data/", views.MyData.as_view(), name="my_data"),
    path(f"{MINE}/release/", views.MyRelease.as_view(), name="my_release"),
    path("claim/", views.ClaimCode.as_view(), name="claim_code"),
    path("claim/<str:public_id>/<str:secret>/", views.Claim.as_view(), name="claim"),
    path("me/clubs/<slug:slug>/month/", month.MyMonth.as_view(), name="my_month"),
]
