"""The calendar of an account: the events of its clubs, at a secret address."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.http import conditional_page, require_POST, require_safe

from tournaments.models import Club, Event, User
from tournaments.models.fields import matches
from tournaments.permissions import account_of
from tournaments.services.accounts import replace_calendar
from tournaments.web.clubs.feeds import KEPT_SECONDS, calendar_response


@require_safe
@cache_control(private=True, max_age=KEPT_SECONDS)
@conditional_page
def calendar(request: HttpRequest, pk: int, secret: str) -> HttpResponse:
    """Return the events of an account's clubs to the program that has the address (2 queries)."""
    user = User.objects.filter(pk=pk, is_active=True).first()
    if user is None or not matches(secret, "calendar", str(pk), user.calendar_generation):
        raise Http404
    clubs = Club.objects.of_member(user)
    with translation.override(user.language or None):
        name = _("My evenings")
        events = Event.objects.listed_for(user).for_members().filter(club__in=clubs)
        return calendar_response(request, name, events)


@never_cache
@login_required
@require_POST
def replace(request: HttpRequest) -> HttpResponse:
    """Revoke the address of one's calendar."""
    user = account_of(request)
    assert user is not None
    replace_calendar(user.pk)
    return redirect("me")
