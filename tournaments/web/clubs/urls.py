"""Addresses of the pages of clubs."""

from django.urls import path

from tournaments.web.clubs import embed, forms, views

CLUB = "clubs/<slug:slug>"

urlpatterns = [
    path("clubs/", views.clubs, name="clubs"),
    path(f"{CLUB}/", views.club, name="club"),
    path(f"{CLUB}/tonight/", views.tonight, name="tonight"),
    path(f"{CLUB}/settings/", views.club_settings, name="club_settings"),
    path(f"{CLUB}/logo/", forms.logo, name="club_logo"),
    path(f"{CLUB}/share/", embed.share, name="share_club"),
    path(f"{CLUB}/evenings.ics", embed.club_calendar, name="club_calendar"),
    path(f"{CLUB}/events/<slug:public_id>/event.ics", embed.event_calendar, name="event_calendar"),
    path(f"{CLUB}/results.rss", embed.club_results, name="club_results"),
    path(f"{CLUB}/embed/<slug:part>/", embed.embed, name="embed"),
    path("embed/colours.css", embed.embed_colours, name="embed_colours"),
    path(f"{CLUB}/leave/", views.leave, name="leave_club"),
]
