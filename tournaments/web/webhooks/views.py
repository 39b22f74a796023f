"""Pages of webhooks."""

from typing import Any
from urllib.parse import urlsplit

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST, require_safe

from tournaments.models import Delivery, EventType, Webhook, fields
from tournaments.permissions import actor_of, owned_club
from tournaments.services.webhooks import calling
from tournaments.services.webhooks.calling import BadAddress, check_url
from tournaments.texts.labels import Text
from tournaments.web.base.pages import add_refused


class WebhookForm(forms.Form):
    url = forms.CharField(
        label=_("Address that is called"),
        max_length=Webhook.url.field.max_length,
        error_messages={"required": _("Which address should the server call?")},
        widget=forms.URLInput(attrs={"placeholder": "https://", "autocomplete": "off"}),
    )
    events = forms.MultipleChoiceField(
        label=_("Call when"),
        choices=EventType.choices,
        initial=EventType.values,
        error_messages={"required": _("Choose at least one.")},
        widget=forms.CheckboxSelectMultiple,
    )

    def clean_url(self) -> Any:
        """Refuse an address that may not be called, as far as it shows."""
        url = self.cleaned_data["url"]
        try:
            check_url(url)
        except BadAddress as error:
            raise forms.ValidationError(str(error)) from error
        return url


WHY_NOT: dict[str, Text] = {
    "timeout": gettext_lazy("No answer within ten seconds"),
    "no-answer": gettext_lazy("No answer"),
    "bad-certificate": gettext_lazy("The certificate is not valid"),
    "not-called-host": gettext_lazy("There is no server of this name"),
    "not-called-private": gettext_lazy(
        "Not called: the address lies in a private network or on the server itself"
    ),
}


def host_of(webhook: Webhook) -> str:
    return str(urlsplit(webhook.url).hostname)


def events_text(webhook: Webhook) -> str:
    return " · ".join(str(EventType(event).label) for event in webhook.events)


def _line(row: Delivery, webhook: Webhook) -> dict[str, Any]:
    """Return a delivery on the page; `next_at` is set if it will be retried."""
    waits = row.state == Delivery.State.WAITING and row.tries > 0 and not webhook.paused
    return {
        "row": row,
        "title": gettext("Test") if row.type == calling.TEST else row.get_type_display(),
        "answer": _answer(row) if row.tries else "",
        "next_at": row.next_at if waits else None,
    }


def _answer(row: Delivery) -> str:
    if not row.answer_status:
        return str(WHY_NOT.get(row.why_no_answer, row.why_no_answer))
    if 300 <= row.answer_status < 400:
        return gettext("It leads elsewhere (%(status)s), which is not followed") % {
            "status": row.answer_status
        }
    return str(row.answer_status)


PAGE = 20


@require_safe
def webhooks(request: HttpRequest, slug: str) -> HttpResponse:
    club = owned_club(request, slug)
    lines = [(row, host_of(row), events_text(row)) for row in club.webhooks.all()]
    return render(request, "tournaments/webhooks/webhooks.html", {"club": club, "lines": lines})


def new_webhook(request: HttpRequest, slug: str) -> HttpResponse:
    club = owned_club(request, slug)
    form = WebhookForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            row = calling.create_webhook(
                club, **form.cleaned_data, by=actor_of(request), at=timezone.now()
            )
        except calling.TooManyWebhooks as error:
            add_refused(form, error)
        else:
            return redirect("webhook", slug, row.public_id)
    page = {"club": club, "form": form, "webhook": None}
    status = 422 if form.is_bound else 200
    return render(request, "tournaments/webhooks/form.html", page, status=status)


@require_safe
def webhook(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    row = _owned(request, slug, public_id)
    part = Paginator(row.deliveries.all(), PAGE).get_page(request.GET.get("page"))
    page = {
        "club": row.club,
        "webhook": row,
        "host": host_of(row),
        "events": events_text(row),
        "part": part,
        "lines": [_line(delivery, row) for delivery in part],
    }
    return render(request, "tournaments/webhooks/webhook.html", page)


def change(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    row = _owned(request, slug, public_id)
    details = {"url": row.url, "events": row.events}
    form = WebhookForm(request.POST if request.method == "POST" else None, initial=details)
    if form.is_valid():
        calling.change_webhook(row.pk, **form.cleaned_data, by=actor_of(request), at=timezone.now())
        return redirect("webhook", slug, public_id)
    page = {"club": row.club, "form": form, "webhook": row}
    status = 422 if form.is_bound else 200
    return render(request, "tournaments/webhooks/form.html", page, status=status)


def secret(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """Show the secret that signs the calls; rotate it on POST."""
    row = _owned(request, slug, public_id)
    if request.method == "POST":
        calling.renew_secret(row.pk, actor_of(request), at=timezone.now())
        messages.success(
            request,
            gettext("Calls are signed with the new secret, and for a day with the old one, too."),
        )
        return redirect("webhook_secret", slug, public_id)
    page = {"club": row.club, "webhook": row, "secret": calling.secret_text(row)}
    return render(request, "tournaments/webhooks/secret.html", page)


@require_POST
def pause(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    row = _owned(request, slug, public_id)
    paused = request.POST.get("paused") != "no"
    calling.put_pause(row.pk, actor_of(request), at=timezone.now(), paused=paused)
    return redirect("webhook", slug, public_id)


@require_POST
def test(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    row = _owned(request, slug, public_id)
    calling.send_test(row.pk, actor_of(request), at=timezone.now())
    messages.success(request, gettext("The test is on its way: look again in a moment."))
    return redirect("webhook", slug, public_id)


@require_POST
def remove(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    row = _owned(request, slug, public_id)
    calling.remove_webhook(row.pk, actor_of(request), at=timezone.now())
    messages.success(request, gettext("The webhook is removed."))
    return redirect("webhooks", slug)


@require_POST
def again(request: HttpRequest, slug: str, public_id: str, delivery: str) -> HttpResponse:
    row = _owned(request, slug, public_id)
    found = get_object_or_404(fields.named(row.deliveries.all(), delivery))
    calling.send_again(found.pk, at=timezone.now())
    messages.success(request, gettext("The call is made again: look again in a moment."))
    return redirect("webhook", slug, public_id)


def _owned(request: HttpRequest, slug: str, public_id: str) -> Webhook:
    club = owned_club(request, slug)
    rows = fields.named(Webhook.objects.select_related("club"), public_id)
    return get_object_or_404(rows, club=club)
