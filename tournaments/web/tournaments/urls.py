"""Addresses of the pages to create and run a tournament."""

from django.urls import path

from tournaments.web.tournaments import my_card, views

CLUB = "clubs/<slug:slug>"
TOURNAMENT = f"{CLUB}/tournaments/<slug:tournament>"

urlpatterns = [
    path(f"{CLUB}/new-tournament/", views.new_tournament, name="new_tournament"),
    path(f"{TOURNAMENT}/", views.tournament, name="tournament"),
    path(f"{TOURNAMENT}/change/", views.change, name="change_tournament"),
    path(f"{TOURNAMENT}/move/", views.move, name="move_tournament"),
    path(f"{TOURNAMENT}/copy/", views.copy, name="copy_tournament"),
    path(f"{TOURNAMENT}/record/", views.export, name="tournament_record"),
    path(f"{CLUB}/tournament-records/", views.import_document, name="tournament_records"),
    path(f"{TOURNAMENT}/cancel/", views.cancel, name="cancel_tournament"),
    path(f"{TOURNAMENT}/restore/", views.restore, name="restore_tournament"),
    path(f"{TOURNAMENT}/remove/", views.remove, name="remove_tournament"),
    path(f"{TOURNAMENT}/me/", views.choose_entrant, name="choose_entrant"),
    path(f"{TOURNAMENT}/me/notify/", my_card.notify_me, name="notify_me"),
    path("notifications/", my_card.notifications, name="notifications"),
    path("notifications/renew/", my_card.renew_subscription, name="renew_subscription"),
    path(
        "notifications/<int:pk>/<str:secret>/",
        my_card.end_subscription,
        name="end_subscription",
    ),
    path(f"{TOURNAMENT}/links/", views.replace, name="replace_links"),
    # A card of an evening, too: only a tournament has a bar of its own.
    path(f"{CLUB}/events/<slug:public_id>/tables/<slug:table>/", views.table, name="event_table"),
]
