"""Addresses of the pages of the site."""

from django.urls import path

from tournaments.web.site import guide, home, phone_tables, service_worker

urlpatterns = [
    path("", home.home, name="home"),
    path("offline/", home.offline, name="offline"),
    path("sample/", home.open_sample, name="sample"),
    path("preferences/", home.change_preferences, name="preferences"),
    path("tables/", phone_tables.tables, name="tables"),
    path("tables/carry/", phone_tables.carry, name="carry_tables"),
    path("tables/save/", phone_tables.save, name="save_tables"),
    path("tables/names/", phone_tables.names, name="join_names"),
    path("carried/<str:key>/", phone_tables.carried, name="carried_tables"),
    path("guide/", guide.guide, name="guide"),
    path("sw.js", service_worker.service_worker, name="service_worker"),
]
