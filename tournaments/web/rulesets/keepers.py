"""Owners of house rules: a club, or the server. Their pages are the same."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps

from django.contrib.admin.views.decorators import staff_member_required
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from tournaments.models import Club, HouseRuleset
from tournaments.models.clubs import HouseRulesetQuerySet
from tournaments.permissions import directed_club

View = Callable[..., HttpResponse]


@dataclass(frozen=True)
class Keeper:
    """The club that owns house rules, or None for the server."""

    club: Club | None = None

    @property
    def rows(self) -> HouseRulesetQuerySet:
        return HouseRuleset.objects.filter(club=self.club).select_related("club")

    def address(self, page: str, *args: str) -> str:
        """Return the address of a page of this keeper, by its name in `house_urls`."""
        if self.club is None:
            return reverse(page, args=args)
        return reverse(f"club_{page}", args=[self.club.slug, *args])


def for_keepers(view: View) -> View:
    """Admit the directors of a club to its house rules, and staff to those of the server."""

    @staff_member_required
    def of_server(request: HttpRequest, **where: str) -> HttpResponse:
        return view(request, Keeper(), **where)

    @wraps(view)
    def of_keeper(request: HttpRequest, club: str = "", **where: str) -> HttpResponse:
        if not club:
            return of_server(request, **where)
        return view(request, Keeper(directed_club(request, club)), **where)

    return of_keeper
