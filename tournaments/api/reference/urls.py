"""Addresses of the pages about the API, below `/api/`."""

from django.urls import path

from tournaments.api.reference import views

urlpatterns = [
    path("", views.index, name="api_index"),
    path("problems/", views.problems, name="api_problems"),
    path("v1/docs/", views.reference, name="api_reference"),
    path("v1/docs/<slug:name>/", views.topic, name="api_topic"),
    path("v1/docs/forms/<str:name>/", views.form, name="api_form"),
]
