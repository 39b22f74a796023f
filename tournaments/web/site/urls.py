"""Addresses of the pages of the site."""

from django.urls import path

from tournaments.web.site import phone_tables, views

urlpatterns = [
    path("", views.home, name="home"),
    path("offline/", views.offline, name="offline"),
    path("sample/", views.open_sample, name="sample"),
    path("preferences/", views.change_preferences, name="preferences"),
    path("tables/", phone_tables.tables, name="tables"),
    path("tables/join/", phone_tables.join, name="join_evenings"),
    path("tables/carry/", phone_tables.carry, name="carry_tables"),
    path("tables/save/", phone_tables.save, name="save_tables"),
    path("tables/names/", phone_tables.names, name="join_names"),
    path("carried/<str:key>/", phone_tables.carried, name="carried_tables"),
    path("guide/", views.guide, name="guide"),
    path("sw.js", views.service_worker, name="service_worker"),
]
