"""Addresses of the entrants of tournaments, and of the access links for players."""

from django.urls import path

from tournaments.web.entrants import entrant, fees, links, pages, sections

ENTRANTS = "clubs/<slug:slug>/tournaments/<slug:tournament>/entrants"
ENTRANT = f"{ENTRANTS}/<int:entrant>"

urlpatterns = [
    path(f"{ENTRANTS}/", pages.entrants, name="entrants"),
    path(f"{ENTRANTS}/add/", pages.add_entrants, name="add_entrants"),
    path(f"{ENTRANTS}/check/", pages.check, name="check_entrant"),
    path(f"{ENTRANTS}/sections/", sections.sections, name="sections"),
    path(f"{ENTRANTS}/fees/", fees.fees, name="fees"),
    path(f"{ENTRANTS}/register-card/", links.register_card, name="register_card"),
    path(f"{ENTRANTS}/check-in-card/", links.check_in_card, name="check_in_card"),
    path(f"{ENTRANT}/", entrant.entrant, name="entrant"),
    path(f"{ENTRANT}/withdraw/", entrant.withdraw, name="withdraw_entrant"),
    path(f"{ENTRANT}/return/", entrant.come_back, name="return_entrant"),
    path(f"{ENTRANT}/let-in/", entrant.let_in_entrant, name="let_in_entrant"),
    path(f"{ENTRANT}/house/", entrant.mark, name="mark_house"),
    path(f"{ENTRANT}/change/", entrant.change, name="change_entrant"),
    path(f"{ENTRANT}/remove/", entrant.remove, name="remove_entrant"),
    path(f"{ENTRANT}/substitute/", entrant.substitute, name="put_substitute"),
    path(f"{ENTRANT}/no-substitute/", entrant.no_substitute, name="take_out_substitute"),
    path("register/<str:public_id>/<str:secret>/", links.register, name="register"),
    path("check-in/<str:public_id>/<str:secret>/", links.check_in_link, name="check_in"),
]
