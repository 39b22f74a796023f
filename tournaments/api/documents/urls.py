"""Addresses of documents."""

from django.urls import URLPattern, path

from tournaments.api.documents import views
from tournaments.api.views import Router

CLUB = "clubs/<slug:slug>"
DOCUMENT = "documents/<int:pk>/<str:secret>"

router = Router()
router.register(DOCUMENT, views.DocumentViewSet, "document")


def _documents(of: str, view: type[views.OrderView], name: str) -> URLPattern:
    return path(f"{of}/documents/", view.as_view(), name=f"{name}-documents")


urlpatterns = [
    *router.urls,
    path(f"{DOCUMENT}/file/", views.DocumentFileView.as_view(), name="document-file"),
    _documents(f"{CLUB}/events/<slug:public_id>", views.EventDocumentsView, "event"),
    _documents(f"{CLUB}/players/<str:public_id>", views.PlayerDocumentsView, "player"),
    _documents(f"{CLUB}/seasons/<int:pk>", views.SeasonDocumentsView, "season"),
    _documents(CLUB, views.ClubDocumentsView, "club"),
    _documents("games/<slug:public_id>", views.GameDocumentsView, "game"),
    _documents("evenings/<slug:public_id>", views.EveningDocumentsView, "evening"),
    _documents("rulesets/<slug:ruleset>", views.EmptySheetsView, "ruleset"),
]
