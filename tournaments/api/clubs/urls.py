"""Addresses of clubs."""

from django.urls import path

from tournaments.api.clubs import audit, invitations, members, month, seasons, views

CLUB = "clubs/<slug:slug>"
JOIN = "join/<str:public_id>/<str:secret>"

urlpatterns = [
    path("clubs/", views.Clubs.as_view(), name="clubs"),
    path(f"{CLUB}/", views.OneClub.as_view(), name="club"),
    path(f"{CLUB}/settings/", views.ClubSettingsView.as_view(), name="club_settings"),
    path(f"{CLUB}/logo/", views.ClubLogo.as_view(), name="club_logo"),
    path(f"{CLUB}/leave/", views.LeaveClub.as_view(), name="leave_club"),
    path(f"{CLUB}/members/", members.Members.as_view(), name="members"),
    path(f"{CLUB}/members/<int:user>/", members.OneMember.as_view(), name="member"),
    path(f"{CLUB}/invitations/", invitations.Invitations.as_view(), name="invitations"),
    path(
        f"{CLUB}/invitations/<str:public_id>/",
        invitations.OneInvitation.as_view(),
        name="invitation",
    ),
    path(f"{CLUB}/seasons/", seasons.Seasons.as_view(), name="seasons"),
    path(f"{CLUB}/seasons/<int:pk>/", seasons.OneSeason.as_view(), name="season"),
    path(f"{CLUB}/audit/", audit.Audit.as_view(), name="audit"),
    path(f"{JOIN}/", invitations.Join.as_view(), name="join"),
    path("me/clubs/<slug:slug>/month/", month.MyMonth.as_view(), name="my_month"),
]
