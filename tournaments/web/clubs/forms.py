"""Forms of the pages of clubs."""

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from tournaments.models import Club
from tournaments.models.clubs import Role
from tournaments.services.clubs.logos import (
    MOST_BYTES,
    NoPicture,
    Picture,
    PictureTooLarge,
    draw_anew,
)
from tournaments.services.clubs.membership import INVITED_FOR, ClubSettings, Offer
from tournaments.web.club_words import CONFIRMATIONS, MAY, ROLES, choices_of
from tournaments.web.documents.papers import PAPERS

LONGEST_NAME = 80
LONGEST_REASON = 200


class ClubForm(forms.Form):
    """A club's name."""

    name = forms.CharField(
        label=_("Name of the club"),
        max_length=LONGEST_NAME,
        error_messages={"required": _("What is the club called?")},
        widget=forms.TextInput(attrs={"autocomplete": "organization"}),
    )


class SettingsForm(ClubForm):
    """What an owner sets."""

    published = forms.BooleanField(
        label=_("Everybody may see the club’s name and its published evenings"), required=False
    )
    table_codes = forms.BooleanField(
        label=_("A table asks for a code of four digits"), required=False
    )
    confirmations = forms.ChoiceField(
        label=_("Who confirms the result of a table"),
        choices=choices_of(CONFIRMATIONS),
        widget=forms.RadioSelect,
    )
    rates_evenings = forms.BooleanField(
        label=_("Games of evenings count for the ratings, too"), required=False
    )
    in_server_ratings = forms.BooleanField(
        label=_("The club takes part in the ratings of all clubs, which everybody may see"),
        required=False,
    )
    paper = forms.ChoiceField(
        label=_("Paper of the club’s documents"),
        choices=choices_of(PAPERS),
        widget=forms.RadioSelect,
    )

    @classmethod
    def of(cls, club: Club) -> "SettingsForm":
        """The form as a club is set up."""
        return cls(initial={name: getattr(club, name) for name in cls.base_fields})

    @property
    def settings(self) -> ClubSettings:
        """What was chosen, once the form is valid."""
        return ClubSettings(**self.cleaned_data)


class LogoForm(forms.Form):
    """A picture for the club's pages and documents; `picture` is what is kept of it."""

    picture: Picture

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
        """Draw what was sent anew, if it is a picture."""
        sent = self.cleaned_data["logo"]
        try:
            # One byte too many tells that it is too large; the rest is not read.
            self.picture = draw_anew(sent.read(MOST_BYTES + 1))
        except NoPicture as error:
            raise forms.ValidationError(_("This is no PNG or JPEG picture.")) from error
        except PictureTooLarge as error:
            raise forms.ValidationError(
                _("The picture is too large: up to 1 MB and 2000 pixels wide and high.")
            ) from error
        return sent


class RoleForm(forms.Form):
    """One of the roles that can be given here."""

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
        field.choices = [(str(role), ROLES[role]) for role in roles]

    def roles(self) -> list[tuple[Any, str]]:
        """The radio buttons, each with what the role may do."""
        return [(radio, str(MAY[radio.data["value"]])) for radio in self["role"]]

    @property
    def chosen(self) -> Role:
        """The role, once the form is valid."""
        return Role(self.cleaned_data["role"])


class InvitationForm(RoleForm):
    """What a link gives, to how many, for how long."""

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
        """Refuse a link that would give more than membership to many."""
        cleaned: dict[str, Any] = self.cleaned_data
        if cleaned.get("many") and cleaned.get("role") not in (None, Role.MEMBER):
            self.add_error(
                "many", _("A link for a director or an owner can be used once: leave this out.")
            )
        return cleaned

    @property
    def offer(self) -> Offer:
        """What is offered, once the form is valid."""
        days = timedelta(days=self.cleaned_data["days"])
        return Offer(self.chosen, None if self.cleaned_data["many"] else 1, days)


class RemovalForm(forms.Form):
    """Why somebody is put out of a club."""

    reason = forms.CharField(label=_("Reason"), max_length=LONGEST_REASON, required=False)


class DeletionForm(forms.Form):
    """The name of the account, typed by whoever deletes it."""

    typed = forms.CharField(
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none"})
    )

    def __init__(self, name: str, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data)
        self.name = name
        self.fields["typed"].label = _("Type %(name)s") % {"name": name}

    def clean_typed(self) -> str:
        """Refuse whatever is not the name."""
        typed: str = self.cleaned_data["typed"]
        if typed.casefold() != self.name.casefold():
            raise forms.ValidationError(_("That is not %(name)s.") % {"name": self.name})
        return typed
