"""Notifications, switched on and off by the player: on the card of a tournament, and on a page."""

from dataclasses import dataclass
from typing import Any

from allauth.core.ratelimit import consume, respond_429
from django.contrib.auth.signals import user_logged_out
from django.db.models import Q, QuerySet
from django.dispatch import receiver
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST

from tournaments.models import Entrant, Event, Subscription, Tournament, User
from tournaments.permissions import account_of, seen_tournament
from tournaments.queries.site import PlayingEvent, playing_now
from tournaments.services.notifications.sending import (
    NoPushAddress,
    PushAddress,
    application_key,
    can_be_mailed,
    end_mails,
    is_mailed_at,
    renew_phone,
    subscribe_phone,
    switch_mail,
    unsubscribe_phone,
)
from tournaments.web.base.phone import notified_phone, remember_notified_phone
from tournaments.web.base.refusals import refusal_shown
from tournaments.web.tournaments.my_card import entrant_known
from tournaments.web.tournaments.overview import playing_text

MOST_OFFERED = 4
PLAIN = "text/plain; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Switches:
    """What is on: this phone, and e-mail (None: the reader has no account, or no verified address).

    `to` is where the switches are sent, `key` the key that browsers subscribe for.
    """

    to: str
    phone: bool
    mail: bool | None
    key: str


def switches_of(request: HttpRequest, to: str, about: Entrant | User | None) -> Switches:
    """Return the switches of this phone about an entrant or an account (up to 3 queries)."""
    account = account_of(request)
    own = {"user": about} if isinstance(about, User) else {"entrant": about}
    rows = _of_phone(request)
    return Switches(
        to=to,
        phone=rows.filter(**own).exists() if about else rows.exists(),
        mail=None if account is None or not can_be_mailed(account) else _is_mailed(account),
        key=application_key(),
    )


def card_switches(
    request: HttpRequest, row: Tournament, known: tuple[str, bool] | None
) -> Switches | None:
    """Return the switches of an entrant's card; None for a hidden player, or before and after."""
    if known is None or row.state not in (Tournament.State.REGISTRATION, Tournament.State.RUNNING):
        return None
    entrant = row.entrants.select_related("player").filter(number=int(known[0][1:])).first()
    if entrant is None or entrant.player.initials:
        return None
    to = reverse("notify_me", args=[row.event.club.slug, row.slug])
    return switches_of(request, to, entrant if known[1] else account_of(request))


@never_cache
@require_POST
def notify_me(request: HttpRequest, slug: str, tournament: str) -> HttpResponse:
    """Switch what is on for the entrant whose card this phone shows."""
    row = seen_tournament(request, slug, tournament)
    known = entrant_known(request, row)
    if known is None:
        raise Http404
    about = row.entrants.filter(number=int(known[0][1:])).first() if known[1] else None
    return _switched(request, redirect("tournament", slug, tournament), about)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def notifications(request: HttpRequest) -> HttpResponse:
    """Show what this phone and this account are notified of, and switch it."""
    if request.method == "POST":
        return _switched(request, redirect("notifications"), None)
    rows = _of_phone(request).select_related("entrant__tournament__event__club")
    page = {
        "switches": switches_of(request, reverse("notifications"), None),
        "entrants": [each.entrant for each in rows if each.entrant],
        "account": account_of(request),
        "now": [(each, playing_text(each)) for each in _playing(request)],
    }
    return render(request, "tournaments/accounts/notifications.html", page)


def _playing(request: HttpRequest) -> list[PlayingEvent]:
    """Return tournaments that are on: on their pages one is found, and told (1 query)."""
    seen = Event.objects.listed_for(request.user).exclude(tournament=None)
    return playing_now(seen, timezone.localdate())[:MOST_OFFERED]


# A service worker has no form with a token; browsers send the phone's cookie from this site alone.
@csrf_exempt
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def renew_subscription(request: HttpRequest) -> HttpResponse:
    """Give the key to subscribe for; store what a phone's browser has subscribed anew."""
    if request.method != "POST":
        return HttpResponse(application_key(), content_type=PLAIN)
    if not consume(request, action="notify"):
        refused: HttpResponse = respond_429(request)
        return refused
    try:
        renew_phone(_push_said(request, notified_phone(request)))
    except NoPushAddress as error:
        return HttpResponse(str(error), status=error.status, content_type=PLAIN)
    return HttpResponse(status=204)


# Programs that read mail send the POST without a cookie, as RFC 8058 has it; the address is secret.
@csrf_exempt
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def end_subscription(request: HttpRequest, pk: int, secret: str) -> HttpResponse:
    """End the e-mails of an account with one tap; programs that only look at the link end none."""
    there = is_mailed_at(pk, secret)
    if there is None:
        raise Http404
    if there and request.method == "POST":
        end_mails(pk)
        there = False
    page = {"there": there}
    return render(request, "tournaments/accounts/end_notifications.html", page)


@receiver(user_logged_out)
def stop_notifying(request: HttpRequest | None, user: User | None, **_more: Any) -> None:
    """Notify a phone of an account no more once it signs out: somebody else may have it then."""
    if request is not None and user is not None:
        unsubscribe_phone(notified_phone(request), user)


def _switched(request: HttpRequest, response: HttpResponse, about: Entrant | None) -> HttpResponse:
    """Switch what the form says, about an entrant or the account, and lead back."""
    if not consume(request, action="notify"):
        refused: HttpResponse = respond_429(request)
        return refused
    does, account = request.POST.get("does", ""), account_of(request)
    whom = about or account
    with refusal_shown(request):
        if does == "push" and whom is not None:
            push = _push_said(request, remember_notified_phone(request, response))
            subscribe_phone(whom, push, get_language() or "", at=timezone.now())
        elif does == "off":
            unsubscribe_phone(notified_phone(request))
        elif does in ("mail", "no-mail") and account is not None:
            wanted, language = does == "mail", get_language() or ""
            switch_mail(account, language, wanted=wanted, at=timezone.now())
    return response


def _push_said(request: HttpRequest, phone: str) -> PushAddress:
    said = request.POST
    return PushAddress(
        phone, said.get("endpoint", ""), said.get("p256dh", ""), said.get("auth", "")
    )


def _of_phone(request: HttpRequest) -> QuerySet[Subscription]:
    """Filter to the subscriptions of this phone, of whoever is signed in here."""
    phone = notified_phone(request)
    if not phone:
        return Subscription.objects.none()
    return Subscription.objects.filter(Q(user=account_of(request)) | Q(user=None), phone=phone)


def _is_mailed(account: User) -> bool:
    return Subscription.objects.filter(user=account, phone="").exists()
