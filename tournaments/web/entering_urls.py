"""Addresses of the entrants of tournaments, and of the links that players are given."""

from django.urls import path

from tournaments.web import entering, entering_doors, entering_one

ENTRANTS = "clubs/<slug:slug>/tournaments/<slug:tournament>/entrants"
ENTRANT = f"{ENTRANTS}/<int:entrant>"

urlpatterns = [
    path(f"{ENTRANTS}/", entering.entrants, name="entrants"),
    path(f"{ENTRANTS}/add/", entering.add_entrants, name="add_entrants"),
    path(f"{ENTRANTS}/check/", entering.check, name="check_entrant"),
    path(f"{ENTRANTS}/register-card/", entering_doors.register_card, name="register_card"),
    path(f"{ENTRANTS}/check-in-card/", entering_doors.check_in_card, name="check_in_card"),
    path(f"{ENTRANT}/", entering_one.entrant, name="entrant"),
    path(f"{ENTRANT}/withdraw/", entering_one.withdraw, name="withdraw_entrant"),
    path(f"{ENTRANT}/return/", entering_one.come_back, name="return_entrant"),
    path(f"{ENTRANT}/house/", entering_one.mark, name="mark_house"),
    path(f"{ENTRANT}/change/", entering_one.change, name="change_entrant"),
    path(f"{ENTRANT}/remove/", entering_one.remove, name="remove_entrant"),
    path(f"{ENTRANT}/substitute/", entering_one.substitute, name="put_substitute"),
    path(f"{ENTRANT}/no-substitute/", entering_one.no_substitute, name="take_out_substitute"),
    path("register/<str:public_id>/<str:secret>/", entering_doors.register, name="register"),
    path("check-in/<str:public_id>/<str:secret>/", entering_doors.check_in_door, name="check_in"),
]
