"""Addresses of the pages of clubs and of one's own account."""

from django.urls import path

from tournaments.web.clubs import account, audit, logo, members, month, pages, records, tokens

CLUB = "clubs/<slug:slug>"

urlpatterns = [
    path("clubs/", pages.clubs, name="clubs"),
    path(f"{CLUB}/", pages.club, name="club"),
    path(f"{CLUB}/settings/", pages.club_settings, name="club_settings"),
    path(f"{CLUB}/logo/", logo.logo, name="club_logo"),
    path(f"{CLUB}/leave/", pages.leave, name="leave_club"),
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
    path(f"{CLUB}/records/", records.club_records, name="club_records"),
    path(f"{CLUB}/month/", month.club_month, name="club_month"),
    path(f"{CLUB}/changes/", audit.changes, name="club_changes"),
    path("join/<str:public_id>/<str:secret>/", members.join, name="join"),
    path("me/", account.me, name="me"),
    path("me/clubs/<slug:slug>/month/", account.my_month, name="my_month"),
    path("me/tokens/", tokens.tokens, name="tokens"),
    path("me/tokens/new/", tokens.new_token, name="new_token"),
    path("me/tokens/<slug:public_id>/", tokens.token, name="token"),
    path("me/delete/", account.delete, name="delete_account"),
]
