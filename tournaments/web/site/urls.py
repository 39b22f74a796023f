"""Addresses of the pages of the site."""

from django.urls import path

from tournaments.web.site import guide, home, service_worker

urlpatterns = [
    path("", home.home, name="home"),
    path("offline/", home.offline, name="offline"),
    path("sample/", home.open_sample, name="sample"),
    path("preferences/", home.change_preferences, name="preferences"),
    path("guide/", guide.guide, name="guide"),
    path("sw.js", service_worker.service_worker, name="service_worker"),
]
