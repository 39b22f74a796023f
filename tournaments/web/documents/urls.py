"""Addresses of the documents of events."""

from django.urls import path

from tournaments.web.documents import event_documents, my_certificate, pages, pictures, verifying

EVENT = "clubs/<slug:slug>/events/<slug:public_id>"

GAME = "<str:public_id>/<str:secret>"

urlpatterns = [
    path("verify/", verifying.verify_page, name="verify"),
    path(f"play/{GAME}/scoresheet/", pages.scoresheet, name="scoresheet"),
    path(f"evening/{GAME}/document/", pages.evening_document, name="evening_document"),
    path(f"evening/{GAME}/picture-wide.png", pictures.evening, name="evening_picture"),
    path(f"follow/{GAME}/scoresheet/", pages.follow_scoresheet, name="follow_scoresheet"),
    path(f"follow/{GAME}/record.json", pages.follow_record, name="follow_record"),
    path(f"follow/{GAME}/picture.png", pictures.tall, name="follow_picture"),
    path(f"follow/{GAME}/picture-wide.png", pictures.wide, name="follow_picture_wide"),
    path("reports/<int:pk>/<str:secret>/", pages.report, name="report"),
    path("reports/<int:pk>/<str:secret>/file/", pages.report_file, name="report_file"),
    path("empty-sheet/<slug:ruleset>/", pages.empty_sheet, name="empty_sheet"),
    path(
        "clubs/<slug:slug>/tournaments/<slug:tournament>/me/certificate/",
        my_certificate.my_certificate,
        name="my_certificate",
    ),
    path(f"{EVENT}/documents/", event_documents.event_documents, name="event_documents"),
]
