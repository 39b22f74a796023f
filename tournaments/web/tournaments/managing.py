"""Copy, export, import, cancel and remove a tournament."""

import secrets
from typing import Any

from django import forms
from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from tournaments.engine.documents.games import parse_json
from tournaments.engine.documents.tournaments import write_tournament
from tournaments.engine.rules.rulesets import LONGEST_NAME, InvalidEntry
from tournaments.models import Game, Role, Tournament
from tournaments.permissions import (
    actor_of,
    directed_club,
    directed_tournament,
    owned_club,
    role_in,
)
from tournaments.reports.tournament_document import tournament_document
from tournaments.services.base.writes import Refused
from tournaments.services.entrants.substituting import CopyPlan, copy_tournament, month_later
from tournaments.services.events.events import OtherLeaguePoints
from tournaments.services.tournaments.lifecycle import (
    cancel_tournament,
    delete_tournament,
    lock_tournament,
    remove_tournament,
    restore_tournament,
)
from tournaments.services.tournaments.record_import import (
    GamesExist,
    Into,
    TournamentExists,
    import_tournament,
)
from tournaments.texts.messages import explain
from tournaments.web.base.declared import day_field
from tournaments.web.base.fields import LineField
from tournaments.web.base.refusals import add_refused
from tournaments.web.games.forms import key_of
from tournaments.web.tournaments.pages import MOST_SEEDS, page_of

MOST_FAULTS = 20
"""Problems of a document that the page lists; a document that was broken has thousands."""


class CopyForm(forms.Form):
    """Name and date of a copy, and the parts to copy."""

    name = LineField(label=gettext_lazy("Name"), max_length=LONGEST_NAME)
    held_on = day_field(gettext_lazy("Day"))
    entrants = forms.BooleanField(
        label=gettext_lazy("The entrants come along"), required=False, initial=True
    )
    links = forms.BooleanField(
        label=gettext_lazy(
            "Printed links to register and to check in lead to the copy from now on"
        ),
        required=False,
    )


class ImportForm(forms.Form):
    """A document of a tournament."""

    file = forms.FileField(
        label=gettext_lazy("The file of a tournament: JSON"),
        widget=forms.FileInput(attrs={"accept": ".json"}),
    )
    elsewhere = forms.BooleanField(
        label=gettext_lazy("If one is here at this address, take another address"), required=False
    )


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def copy(request: HttpRequest, slug: str, tournament: str) -> HttpResponse:
    """Copy a tournament, for the same weekday of next month unless another day is chosen."""
    row = directed_tournament(request, slug, tournament)
    event, posted = row.event, request.POST if request.method == "POST" else None
    offered = {"name": event.name, "held_on": month_later(event.held_on)}
    form, key = CopyForm(posted, initial=offered), key_of(request.POST)
    if form.is_valid():
        plan = CopyPlan(**form.cleaned_data, seed=secrets.randbelow(MOST_SEEDS))
        try:
            made = copy_tournament(row.pk, plan, actor_of(request), at=timezone.now(), key=key)
        except (InvalidEntry, OtherLeaguePoints) as error:
            add_refused(form, error)
        else:
            messages.success(request, _("This is the copy: a draft, until registration opens."))
            return redirect("tournament", slug, made.slug)
    page = page_of(request, row) | {"form": form, "key": key}
    status = 422 if form.is_bound else 200
    return render(request, "tournaments/tournaments/copy.html", page, status=status)


@never_cache
@require_safe
def export(request: HttpRequest, slug: str, tournament: str) -> HttpResponse:
    """Download the whole tournament as a document."""
    row = directed_tournament(request, slug, tournament)
    with transaction.atomic():
        text = write_tournament(tournament_document(lock_tournament(row.pk)))
    answer = HttpResponse(text, content_type="application/json")
    answer["Content-Disposition"] = f'attachment; filename="{row.slug}.json"'
    return answer


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def import_document(request: HttpRequest, slug: str) -> HttpResponse:
    """Import a tournament from its document; for owners, as its sheets count for ratings."""
    club = owned_club(request, slug)
    posted = request.POST if request.method == "POST" else None
    form = ImportForm(posted, request.FILES or None)
    if form.is_valid():
        file: UploadedFile[Any] = form.cleaned_data["file"]
        into = Into(club, elsewhere=form.cleaned_data["elsewhere"])
        try:
            document = parse_json(file.read())
            row = import_tournament(document, actor_of(request), at=timezone.now(), into=into)
        except InvalidEntry as error:
            for problem in error.problems[:MOST_FAULTS]:
                form.add_error("file", f"{problem.where}: {explain(problem)}")
        except TournamentExists as error:
            form.add_error("elsewhere", str(error))
        except GamesExist as error:
            form.add_error("file", str(error))
        else:
            messages.success(request, _("The tournament is imported."))
            return redirect("tournament", slug, row.slug)
    page = {"club": club, "form": form}
    status = 422 if form.is_bound else 200
    return render(request, "tournaments/tournaments/import.html", page, status=status)


@require_POST
def cancel(request: HttpRequest, slug: str, tournament: str) -> HttpResponse:
    """Cancel a tournament; it can be taken back."""
    row = directed_tournament(request, slug, tournament)
    cancel_tournament(row.pk, actor_of(request), at=timezone.now())
    return redirect("tournament", slug, tournament)


@require_POST
def restore(request: HttpRequest, slug: str, tournament: str) -> HttpResponse:
    """Take back that a tournament was cancelled."""
    row = directed_tournament(request, slug, tournament)
    restore_tournament(row.pk, actor_of(request), at=timezone.now())
    messages.success(request, _("The tournament is back."))
    return redirect("tournament", slug, tournament)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def remove(request: HttpRequest, slug: str, tournament: str) -> HttpResponse:
    """Ask, then remove a tournament: with rounds only for an owner who types its name."""
    club = directed_club(request, slug)
    rows = Tournament.objects.filter(event__club=club, slug=tournament)
    row = rows.select_related("event__club").first()
    if row is None:
        # Tapped twice.
        return redirect("events", slug)
    rounds, owns = row.event.rounds.count(), role_in(request, club) == Role.OWNER
    error = ""
    if request.method == "POST":
        by, at = actor_of(request), timezone.now()
        try:
            if rounds and owns:
                delete_tournament(row.pk, request.POST.get("name", ""), by, at=at)
            else:
                remove_tournament(row.pk, by, at=at)
        except Refused as refused:
            error = str(refused)
        else:
            messages.success(request, _("%(name)s is removed.") % {"name": row.event.name})
            return redirect("events", slug)
    page = page_of(request, row) | {
        "rounds": rounds,
        "games": Game.objects.filter(table__round__event=row.event, revision__gt=0).count(),
        "entrants": row.entrants.count(),
        "owns": owns,
        "error": error,
    }
    status = 422 if error else 200
    return render(request, "tournaments/tournaments/remove.html", page, status=status)
