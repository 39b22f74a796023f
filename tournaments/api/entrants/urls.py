"""Addresses of entrants, and of the links that players are given."""

from django.urls import path

from tournaments.api.entrants import views
from tournaments.api.views import Router

ENTRANTS = "clubs/<slug:slug>/tournaments/<slug:tournament>/entrants"
SUBSTITUTE = f"{ENTRANTS}/<int:number>/substitutes/<int:place>/<slug:player>"
DOOR = "tournaments/<slug:public_id>"

router = Router()
router.register(ENTRANTS, views.EntrantViewSet, "entrant")

urlpatterns = [
    *router.urls,
    path(f"{SUBSTITUTE}/", views.SubstituteView.as_view(), name="substitute"),
    path(f"{DOOR}/registrations/", views.RegistrationView.as_view(), name="registrations"),
    path(f"{DOOR}/check-ins/", views.CheckInView.as_view(), name="check-ins"),
]
