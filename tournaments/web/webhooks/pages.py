"""Webhooks of a club: the list, the deliveries, and possible actions."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from tournaments.models import Webhook, fields
from tournaments.permissions import actor_of, owned_club
from tournaments.services.webhooks import calling
from tournaments.texts.documents import EVENT_TYPES
from tournaments.web.webhooks.forms import WebhookForm
from tournaments.web.webhooks.view import delivery_lines, host_of

PAGE = 20


@never_cache
@require_safe
def webhooks(request: HttpRequest, slug: str) -> HttpResponse:
    """List the webhooks of a club."""
    club = owned_club(request, slug)
    lines = [
        (row, host_of(row), [str(EVENT_TYPES.get(each, each)) for each in row.events])
        for row in club.webhooks.all()
    ]
    return render(request, "tournaments/webhooks/webhooks.html", {"club": club, "lines": lines})


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def new_webhook(request: HttpRequest, slug: str) -> HttpResponse:
    """Create a webhook."""
    club = owned_club(request, slug)
    form = WebhookForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            row = calling.create_webhook(club, form.plan, actor_of(request), at=timezone.now())
        except calling.TooManyWebhooks as error:
            form.add_error(None, str(error))
        else:
            return redirect("webhook", slug, row.public_id)
    page = {"club": club, "form": form, "webhook": None}
    status = 422 if form.is_bound else 200
    return render(request, "tournaments/webhooks/form.html", page, status=status)


@never_cache
@require_safe
def webhook(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """Show a webhook with its deliveries and their outcomes."""
    row = _owned(request, slug, public_id)
    part = Paginator(row.deliveries.all(), PAGE).get_page(request.GET.get("page"))
    page = {
        "club": row.club,
        "webhook": row,
        "host": host_of(row),
        "events": [str(EVENT_TYPES.get(each, each)) for each in row.events],
        "part": part,
        "lines": delivery_lines(part, row),
    }
    return render(request, "tournaments/webhooks/webhook.html", page)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def change(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """Change the address or the events of a webhook."""
    row = _owned(request, slug, public_id)
    details = {"url": row.url, "events": row.events}
    form = WebhookForm(request.POST if request.method == "POST" else None, initial=details)
    if form.is_valid():
        calling.change_webhook(row.pk, form.plan, actor_of(request), at=timezone.now())
        return redirect("webhook", slug, public_id)
    page = {"club": row.club, "form": form, "webhook": row}
    status = 422 if form.is_bound else 200
    return render(request, "tournaments/webhooks/form.html", page, status=status)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def secret(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """Show the secret that signs the calls; rotate it on POST."""
    row = _owned(request, slug, public_id)
    if request.method == "POST":
        calling.renew_secret(row.pk, actor_of(request), at=timezone.now())
        messages.success(request, _("From now on calls are signed by the new secret."))
        return redirect("webhook_secret", slug, public_id)
    page = {"club": row.club, "webhook": row, "secret": calling.shown_secret(row)}
    return render(request, "tournaments/webhooks/secret.html", page)


@require_POST
def pause(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """Pause or resume a webhook."""
    row = _owned(request, slug, public_id)
    paused = request.POST.get("paused") != "no"
    calling.put_pause(row.pk, actor_of(request), at=timezone.now(), paused=paused)
    return redirect("webhook", slug, public_id)


@require_POST
def test(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """Send a test call."""
    row = _owned(request, slug, public_id)
    calling.send_test(row.pk, actor_of(request), at=timezone.now())
    messages.success(request, _("The test is on its way: look again in a moment."))
    return redirect("webhook", slug, public_id)


@require_POST
def remove(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """Delete a webhook and its deliveries."""
    row = _owned(request, slug, public_id)
    calling.remove_webhook(row.pk, actor_of(request), at=timezone.now())
    messages.success(request, _("The webhook is removed."))
    return redirect("webhooks", slug)


@require_POST
def again(request: HttpRequest, slug: str, public_id: str, delivery: str) -> HttpResponse:
    """Send a call again."""
    row = _owned(request, slug, public_id)
    found = get_object_or_404(fields.named(row.deliveries.all(), delivery))
    calling.send_again(found.pk, at=timezone.now())
    messages.success(request, _("The call is made again: look again in a moment."))
    return redirect("webhook", slug, public_id)


def _owned(request: HttpRequest, slug: str, public_id: str) -> Webhook:
    club = owned_club(request, slug)
    rows = fields.named(Webhook.objects.select_related("club"), public_id)
    return get_object_or_404(rows, club=club)
