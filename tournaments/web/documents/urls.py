"""Addresses of the documents of events."""

from django.urls import path

from tournaments.web.documents import event_documents

EVENT = "clubs/<slug:slug>/events/<slug:public_id>"

urlpatterns = [
    path(f"{EVENT}/documents/", event_documents.event_documents, name="event_documents"),
]
