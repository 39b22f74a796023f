"""Forms of clubs, and their logo."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import cache_control

from tournaments.engine.documents.shapes import time_zones
from tournaments.engine.rules.rulesets import LONGEST_REASON
from tournaments.models import Club
from tournaments.models.clubs import Role
from tournaments.permissions import actor_of, owned_club, seen_club
from tournaments.services.clubs.membership import (
    CLUB_FIELDS,
    INVITED_FOR,
    MOST_BYTES,
    Logo,
    NoPicture,
    Offer,
    PictureTooLarge,
    change_logo,
    draw_anew,
)
from tournaments.texts.labels import Text
from tournaments.web.base.forms import LineField
from tournaments.web.base.pages import declared_field


class ClubForm(forms.Form):
    name = LineField(
        label=_("Name of the club"),
        error_messages={"required": _("What is the club called?")},
        widget=forms.TextInput(attrs={"autocomplete": "organization"}),
    )


def _zones() -> Iterator[tuple[str, Text]]:
    yield "", _("that of this server: %(zone)s") % {"zone": settings.TIME_ZONE}
    yield from ((zone, zone.replace("_", " ")) for zone in time_zones())


class SettingsForm(ClubForm):
    time_zone = forms.ChoiceField(label=_("Time zone"), choices=_zones, required=False)

    def __init__(self, club: Club, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data, initial={name: getattr(club, name) for name in CLUB_FIELDS})
        for name, about in CLUB_FIELDS.items():
            if name not in self.fields:
                self.fields[name] = declared_field(about, getattr(Club, name).field.choices)


class LogoForm(forms.Form):
    """A logo for the club's pages and documents; `picture` is the converted image."""

    picture: Logo

    logo = forms.FileField(
        label=_("Logo"),
        help_text=_("PNG or JPEG, up to 1 MB and 2000 pixels wide and high"),
        error_messages={
            "required": _("Choose a picture first."),
            "empty": _("This is no PNG or JPEG picture."),
        },
        widget=forms.FileInput(attrs={"accept": "image/png,image/jpeg"}),
    )

    def clean_logo(self) -> Any:
        """Convert the upload, if it is an image."""
        sent = self.cleaned_data["logo"]
        try:
            # One byte above the limit proves that it is too large; the rest is not read.
            self.picture = draw_anew(sent.read(MOST_BYTES + 1))
        except (NoPicture, PictureTooLarge) as error:
            raise forms.ValidationError(str(error)) from error
        return sent


MAY: Mapping[str, Text] = {
    Role.OWNER: _("everything, also roles and settings"),
    Role.DIRECTOR: _("evenings, players and results; invites members"),
    Role.MEMBER: _("sees evenings, sheets and players"),
}


class RoleForm(forms.Form):
    role = forms.ChoiceField(label=_("Role"), widget=forms.RadioSelect)

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        roles: Iterable[Role] = tuple(Role),
        initial: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(data, initial=dict(initial or {}))
        field = self.fields["role"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [(role.value, role.label) for role in roles]

    def roles(self) -> list[tuple[Any, str]]:
        return [(radio, str(MAY[radio.data["value"]])) for radio in self["role"]]

    @property
    def chosen(self) -> Role:
        return Role(self.cleaned_data["role"])


class InvitationForm(RoleForm):
    """An invitation link: role, number of uses and lifetime."""

    many = forms.BooleanField(
        label=_("Several people may use the link; only for members"), required=False
    )
    days = forms.TypedChoiceField(
        label=_("The link works for"),
        coerce=int,
        choices=[(1, _("one day")), (14, _("14 days")), (60, _("60 days"))],
        initial=INVITED_FOR.days,
    )

    def clean(self) -> dict[str, Any]:
        """Refuse a link for many people that gives more than membership."""
        cleaned: dict[str, Any] = self.cleaned_data
        if cleaned.get("many") and cleaned.get("role") not in (None, Role.MEMBER):
            self.add_error(
                "many", _("A link for a director or an owner can be used once: leave this out.")
            )
        return cleaned

    @property
    def offer(self) -> Offer:
        days = timedelta(days=self.cleaned_data["days"])
        return Offer(self.chosen, None if self.cleaned_data["many"] else 1, days)


class RemovalForm(forms.Form):
    """The reason for removing somebody from a club."""

    reason = LineField(label=_("Reason"), max_length=LONGEST_REASON, required=False)


class DeletionForm(forms.Form):
    """The name of the account, typed to confirm its deletion."""

    typed = forms.CharField(
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none"})
    )

    def __init__(self, name: str, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data)
        self.name = name
        self.fields["typed"].label = _("Type %(name)s") % {"name": name}

    def clean_typed(self) -> str:
        typed: str = self.cleaned_data["typed"]
        if typed.casefold() != self.name.casefold():
            raise forms.ValidationError(_("That is not %(name)s.") % {"name": self.name})
        return typed


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
        messages.success(request, gettext("The logo was removed."))
        return redirect("club_settings", row.slug)
    form = LogoForm(request.POST, request.FILES)
    if form.is_valid():
        change_logo(row.pk, form.picture, actor_of(request), at=timezone.now())
        messages.success(request, gettext("Saved."))
        return redirect("club_settings", row.slug)
    page = {"club": row, "form": SettingsForm(row), "logo_form": form}
    return render(request, "tournaments/clubs/settings.html", page, status=422)
