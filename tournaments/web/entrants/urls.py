"""Addresses of the entrants of tournaments, and of the links that players are given."""

from django.urls import path

from tournaments.web.entrants import doors, one, pages

ENTRANTS = "clubs/<slug:slug>/tournaments/<slug:tournament>/entrants"
ENTRANT = f"{ENTRANTS}/<int:entrant>"

urlpatterns = [
    path(f"{ENTRANTS}/", pages.entrants, name="entrants"),
    path(f"{ENTRANTS}/add/", pages.add_entrants, name="add_entrants"),
    path(f"{ENTRANTS}/check/", pages.check, name="check_entrant"),
    path(f"{ENTRANTS}/register-card/", doors.register_card, name="register_card"),
    path(f"{ENTRANTS}/check-in-card/", doors.check_in_card, name="check_in_card"),
    path(f"{ENTRANT}/", one.entrant, name="entrant"),
    path(f"{ENTRANT}/withdraw/", one.withdraw, name="withdraw_entrant"),
    path(f"{ENTRANT}/return/", one.come_back, name="return_entrant"),
    path(f"{ENTRANT}/house/", one.mark, name="mark_house"),
    path(f"{ENTRANT}/change/", one.change, name="change_entrant"),
    path(f"{ENTRANT}/remove/", one.remove, name="remove_entrant"),
    path(f"{ENTRANT}/substitute/", one.substitute, name="put_substitute"),
    path(f"{ENTRANT}/no-substitute/", one.no_substitute, name="take_out_substitute"),
    path("register/<str:public_id>/<str:secret>/", doors.register, name="register"),
    path("check-in/<str:public_id>/<str:secret>/", doors.check_in_door, name="check_in"),
]
