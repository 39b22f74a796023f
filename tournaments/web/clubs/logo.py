"""The logo of a club: visible with its page, changed by its owners."""

from django.contrib import messages
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods

from tournaments.models import Club
from tournaments.permissions import actor_of, owned_club, seen_club
from tournaments.services.clubs.membership import change_logo
from tournaments.web.clubs.forms import LogoForm, SettingsForm


@require_http_methods(["GET", "HEAD", "POST"])
def logo(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Return the logo to those who may see the club; let owners replace or remove it."""
    if request.method == "POST":
        return _change(request, owned_club(request, slug))
    return _file(request, seen_club(request, slug))


@cache_control(private=True, max_age=3600)
def _file(request: HttpRequest, row: Club) -> FileResponse:
    name = row.logo.name or ""
    try:
        picture = row.logo.open("rb")
    except (FileNotFoundError, ValueError) as error:
        raise Http404 from error
    kind = name.rpartition(".")[2]
    return FileResponse(picture, content_type=f"image/{kind}")


def _change(request: HttpRequest, row: Club) -> HttpResponse:
    if "remove" in request.POST:
        change_logo(row.pk, None, actor_of(request), at=timezone.now())
        messages.success(request, _("The logo was removed."))
        return redirect("club_settings", row.slug)
    form = LogoForm(request.POST, request.FILES)
    if form.is_valid():
        change_logo(row.pk, form.picture, actor_of(request), at=timezone.now())
        messages.success(request, _("Saved."))
        return redirect("club_settings", row.slug)
    page = {"club": row, "form": SettingsForm.of(row), "logo_form": form}
    return render(request, "tournaments/clubs/settings.html", page, status=422)
