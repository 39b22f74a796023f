"""Addresses of the documents of events."""

from django.urls import path

from tournaments.web.documents import views

EVENT = "clubs/<slug:slug>/events/<slug:public_id>"

GAME = "<str:public_id>/<str:secret>"

urlpatterns = [
    path("verify/", views.verify_page, name="verify"),
    path(f"play/{GAME}/scoresheet/", views.scoresheet, name="scoresheet"),
    path(f"evening/{GAME}/document/", views.evening_document, name="evening_document"),
    path(f"follow/{GAME}/scoresheet/", views.follow_scoresheet, name="follow_scoresheet"),
    path(f"follow/{GAME}/record.json", views.follow_record, name="follow_record"),
    path(f"follow/{GAME}/picture.png", views.tall, name="follow_picture"),
    path(f"follow/{GAME}/picture-wide.png", views.wide, name="follow_picture_wide"),
    path("reports/<int:pk>/<str:secret>/", views.report, name="report"),
    path("reports/<int:pk>/<str:secret>/file/", views.report_file, name="report_file"),
    path("empty-sheet/<slug:ruleset>/", views.empty_sheet, name="empty_sheet"),
    path(
        "clubs/<slug:slug>/tournaments/<slug:tournament>/me/certificate/",
        views.my_certificate,
        name="my_certificate",
    ),
    path(f"{EVENT}/documents/", views.event_documents, name="event_documents"),
]
