"""Addresses of evenings and seasons."""

from django.urls import path

from tournaments.api.events import seasons, views

CLUB = "clubs/<slug:slug>"
EVENT = f"{CLUB}/events/<slug:public_id>"
ROUND = f"{EVENT}/rounds/<int:number>"
TABLE = f"{ROUND}/tables/<slug:table>"

urlpatterns = [
    path("clubs/<slug:slug>/events/", views.Events.as_view(), name="events"),
    path(f"{EVENT}/", views.OneEvent.as_view(), name="event"),
    path(f"{EVENT}/rounds/", views.EveningRounds.as_view(), name="event_rounds"),
    path(f"{ROUND}/", views.OneEveningRound.as_view(), name="event_round"),
    path(f"{ROUND}/close/", views.CloseEveningRound.as_view(), name="close_round"),
    path(f"{ROUND}/reopen/", views.ReopenEveningRound.as_view(), name="reopen_round"),
    path(f"{ROUND}/tables/", views.EveningTables.as_view(), name="event_tables"),
    path(f"{TABLE}/", views.OneEveningTable.as_view(), name="event_table"),
    path(f"{TABLE}/replace/", views.ReplaceAddress.as_view(), name="replace_address"),
    path(f"{CLUB}/seasons/", seasons.Seasons.as_view(), name="seasons"),
    path(f"{CLUB}/seasons/<int:pk>/", seasons.OneSeason.as_view(), name="season"),
    path(
        f"{CLUB}/seasons/<int:pk>/events/<slug:event>/",
        seasons.EventOfSeason.as_view(),
        name="season_event",
    ),
]
