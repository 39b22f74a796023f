"""Addresses of documents."""

from django.urls import path

from tournaments.api.documents import views

CLUB = "clubs/<slug:slug>"
DOCUMENT = "documents/<int:pk>/<str:secret>"

urlpatterns = [
    path(
        f"{CLUB}/events/<slug:public_id>/documents/",
        views.EventDocuments.as_view(),
        name="event_documents",
    ),
    path(
        f"{CLUB}/players/<str:public_id>/documents/",
        views.PlayerDocuments.as_view(),
        name="player_documents",
    ),
    path(
        f"{CLUB}/seasons/<int:pk>/documents/",
        views.SeasonDocuments.as_view(),
        name="season_documents",
    ),
    path(f"{CLUB}/documents/", views.ClubDocuments.as_view(), name="club_documents"),
    path(
        "games/<slug:public_id>/documents/",
        views.GameDocuments.as_view(),
        name="game_documents",
    ),
    path(
        "evenings/<slug:public_id>/documents/",
        views.EveningDocuments.as_view(),
        name="evening_documents",
    ),
    path(
        "rulesets/<slug:ruleset>/documents/",
        views.EmptySheets.as_view(),
        name="ruleset_documents",
    ),
    path(f"{DOCUMENT}/", views.OneDocument.as_view(), name="document"),
    path(f"{DOCUMENT}/cancel/", views.CancelDocument.as_view(), name="cancel_document"),
    path(f"{DOCUMENT}/again/", views.MakeAgain.as_view(), name="make_document_again"),
    path(f"{DOCUMENT}/file/", views.DocumentFile.as_view(), name="document_file"),
]
