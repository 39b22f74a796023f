"""Addresses of tournaments."""

from django.urls import path

from tournaments.api.tournaments import views

CLUB = "clubs/<slug:slug>"
TOURNAMENT = f"{CLUB}/tournaments/<slug:tournament>"

urlpatterns = [
    path(f"{CLUB}/tournaments/", views.Tournaments.as_view(), name="tournaments"),
    path(
        f"{CLUB}/tournament-records/", views.TournamentImport.as_view(), name="tournament_records"
    ),
    path(f"{TOURNAMENT}/", views.OneTournament.as_view(), name="tournament"),
    path(f"{TOURNAMENT}/move/", views.Move.as_view(), name="move_tournament"),
    path(f"{TOURNAMENT}/copy/", views.Copy.as_view(), name="copy_tournament"),
    path(f"{TOURNAMENT}/cancel/", views.Cancel.as_view(), name="cancel_tournament"),
    path(f"{TOURNAMENT}/restore/", views.Restore.as_view(), name="restore_tournament"),
    path(f"{TOURNAMENT}/links/", views.Links.as_view(), name="tournament_links"),
    path(f"{TOURNAMENT}/links/replace/", views.ReplaceLinks.as_view(), name="replace_links"),
    path(f"{TOURNAMENT}/record/", views.TournamentDocument.as_view(), name="tournament_record"),
]
