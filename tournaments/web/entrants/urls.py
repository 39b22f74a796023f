"""Addresses of the entrants of tournaments, and of the access links for players."""

from django.urls import path

from tournaments.web.entrants import comings, links, views

ENTRANTS = "clubs/<slug:slug>/tournaments/<slug:tournament>/entrants"
ENTRANT = f"{ENTRANTS}/<int:entrant>"

urlpatterns = [
    path(f"{ENTRANTS}/", views.entrants, name="entrants"),
    path(f"{ENTRANTS}/add/", views.add_entrants, name="add_entrants"),
    path(f"{ENTRANTS}/check/", views.check, name="check_entrant"),
    path(f"{ENTRANTS}/sections/", views.sections, name="sections"),
    path(f"{ENTRANTS}/fees/", views.fees, name="fees"),
    path(f"{ENTRANTS}/register-card/", links.register_card, name="register_card"),
    path(f"{ENTRANTS}/check-in-card/", links.check_in_card, name="check_in_card"),
    path(f"{ENTRANT}/", views.entrant, name="entrant"),
    path(f"{ENTRANT}/badge/", links.badge, name="name_badge"),
    path(f"{ENTRANT}/leave/", comings.leaves, name="leave_table"),
    path(f"{ENTRANT}/arrive/", comings.arrives, name="arrive_late"),
    path(f"{ENTRANT}/withdraw/", views.withdraw, name="withdraw_entrant"),
    path(f"{ENTRANT}/return/", views.come_back, name="return_entrant"),
    path(f"{ENTRANT}/let-in/", views.let_in_entrant, name="let_in_entrant"),
    path(f"{ENTRANT}/house/", views.mark, name="mark_house"),
    path(f"{ENTRANT}/change/", views.change, name="change_entrant"),
    path(f"{ENTRANT}/remove/", views.remove, name="remove_entrant"),
    path(f"{ENTRANT}/substitute/", views.substitute, name="put_substitute"),
    path(f"{ENTRANT}/no-substitute/", views.no_substitute, name="take_out_substitute"),
    path("register/<str:public_id>/<str:secret>/", links.register, name="register"),
    path("check-in/<str:public_id>/<str:secret>/", links.check_in_link, name="check_in"),
]
