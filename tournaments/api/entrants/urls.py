"""Addresses of entrants, and of the links that players are given."""

from django.urls import path

from tournaments.api.entrants import views

ENTRANTS = "clubs/<slug:slug>/tournaments/<slug:tournament>/entrants"
ENTRANT = f"{ENTRANTS}/<int:number>"
SUBSTITUTE = f"{ENTRANT}/substitutes/<int:place>/<slug:player>"
DOOR = "tournaments/<slug:public_id>"

urlpatterns = [
    path(f"{ENTRANTS}/", views.Entrants.as_view(), name="entrants"),
    path(f"{ENTRANTS}/divide/", views.DivideEntrants.as_view(), name="divide_entrants"),
    path(f"{ENTRANT}/", views.OneEntrant.as_view(), name="entrant"),
    path(f"{ENTRANT}/withdraw/", views.Withdraw.as_view(), name="withdraw_entrant"),
    path(f"{ENTRANT}/return/", views.Return.as_view(), name="return_entrant"),
    path(f"{ENTRANT}/let-in/", views.LetIn.as_view(), name="let_in_entrant"),
    path(f"{ENTRANT}/check-in/", views.CheckIn.as_view(), name="check_in_entrant"),
    path(f"{SUBSTITUTE}/", views.OneSubstitute.as_view(), name="substitute"),
    path(f"{DOOR}/registrations/", views.Registrations.as_view(), name="registrations"),
    path(f"{DOOR}/check-ins/", views.CheckIns.as_view(), name="check_ins"),
]
