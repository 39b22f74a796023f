"""Addresses of the pages of clubs."""

from django.urls import path

from tournaments.web.clubs import embed, feeds, logo, pages

CLUB = "clubs/<slug:slug>"

urlpatterns = [
    path("clubs/", pages.clubs, name="clubs"),
    path(f"{CLUB}/", pages.club, name="club"),
    path(f"{CLUB}/settings/", pages.club_settings, name="club_settings"),
    path(f"{CLUB}/logo/", logo.logo, name="club_logo"),
    path(f"{CLUB}/share/", embed.share, name="share_club"),
    path(f"{CLUB}/evenings.ics", feeds.club_calendar, name="club_calendar"),
    path(f"{CLUB}/events/<slug:public_id>/event.ics", feeds.event_calendar, name="event_calendar"),
    path(f"{CLUB}/results.rss", feeds.club_results, name="club_results"),
    path(f"{CLUB}/embed/<slug:part>/", embed.embed, name="embed"),
    path(f"{CLUB}/embed/<slug:part>.json", embed.embed_json, name="embed_json"),
    path(f"{CLUB}/embed/<slug:part>.csv", embed.embed_csv, name="embed_csv"),
    path("embed/colours.css", embed.embed_colours, name="embed_colours"),
    path(f"{CLUB}/picture-wide.png", pages.club_picture, name="club_picture"),
    path(f"{CLUB}/leave/", pages.leave, name="leave_club"),
]
