"""Addresses of the pages to create and run a tournament."""

from django.urls import path

from tournaments.web.tournaments import managing, notifications, pages

CLUB = "clubs/<slug:slug>"
TOURNAMENT = f"{CLUB}/tournaments/<slug:tournament>"

urlpatterns = [
    path(f"{CLUB}/new-tournament/", pages.new_tournament, name="new_tournament"),
    path(f"{TOURNAMENT}/", pages.tournament, name="tournament"),
    path(f"{TOURNAMENT}/change/", pages.change, name="change_tournament"),
    path(f"{TOURNAMENT}/move/", pages.move, name="move_tournament"),
    path(f"{TOURNAMENT}/copy/", managing.copy, name="copy_tournament"),
    path(f"{TOURNAMENT}/record/", managing.export, name="tournament_record"),
    path(f"{CLUB}/tournament-records/", managing.import_document, name="tournament_records"),
    path(f"{TOURNAMENT}/cancel/", managing.cancel, name="cancel_tournament"),
    path(f"{TOURNAMENT}/restore/", managing.restore, name="restore_tournament"),
    path(f"{TOURNAMENT}/remove/", managing.remove, name="remove_tournament"),
    path(f"{TOURNAMENT}/me/", pages.choose_entrant, name="choose_entrant"),
    path(f"{TOURNAMENT}/me/notify/", notifications.notify_me, name="notify_me"),
    path("notifications/", notifications.notifications, name="notifications"),
    path("notifications/renew/", notifications.renew_subscription, name="renew_subscription"),
    path(
        "notifications/<int:pk>/<str:secret>/",
        notifications.end_subscription,
        name="end_subscription",
    ),
    path(f"{TOURNAMENT}/links/", pages.replace, name="replace_links"),
]
