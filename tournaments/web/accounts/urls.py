"""Addresses of the user's own account."""

from django.urls import path

from tournaments.web.accounts import applications, calendar, pages, tokens

urlpatterns = [
    path("me/", pages.me, name="me"),
    path("me/clubs/<slug:slug>/month/", pages.my_month, name="my_month"),
    path("me/tokens/", tokens.tokens, name="tokens"),
    path("me/tokens/new/", tokens.new_token, name="new_token"),
    path("me/tokens/<slug:public_id>/", tokens.token, name="token"),
    path("me/applications/new/", applications.new_application, name="new_application"),
    path("me/applications/<int:pk>/", applications.application, name="application"),
    path("me/applications/<int:pk>/withdraw/", applications.withdraw, name="withdraw_application"),
    path("me/calendar/", calendar.replace, name="replace_calendar"),
    path("calendar/<int:pk>/<str:secret>.ics", calendar.calendar, name="calendar"),
    path("me/delete/", pages.delete, name="delete_account"),
]
