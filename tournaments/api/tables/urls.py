"""Addresses of tables."""

from django.urls import path

from tournaments.api.tables import views

TABLE = "tables/<slug:public_id>"
GAME = "games/<slug:public_id>"

urlpatterns = [
    path(f"{TABLE}/", views.OneTable.as_view(), name="table"),
    path(f"{TABLE}/enter/", views.Enter.as_view(), name="enter_table"),
    path(f"{GAME}/table/", views.GameTable.as_view(), name="game_table"),
    path(f"{GAME}/call/", views.CallDirector.as_view(), name="call_director"),
]
