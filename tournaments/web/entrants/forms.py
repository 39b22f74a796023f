"""Forms of the pages of entrants."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from tournaments.engine.rules.rulesets import LONGEST_NAME
from tournaments.models import Player
from tournaments.services.entrants.registration import MOST_ENTRANTS, Entry
from tournaments.web.base.fields import LineField
from tournaments.web.entrants.lists import LARGEST_FILE, LARGEST_TEXT

TYPED = {"autocomplete": "off", "autocapitalize": "words", "spellcheck": "false"}
WHOSE = gettext_lazy("What is the player called?")


def _name(label: Any) -> forms.CharField:
    return LineField(
        label=label,
        max_length=LONGEST_NAME,
        error_messages={"required": WHOSE},
        widget=forms.TextInput(attrs=TYPED),
    )


def _label(label: Any) -> forms.CharField:
    return LineField(
        label=label,
        max_length=LONGEST_NAME,
        required=False,
        widget=forms.TextInput(attrs=TYPED),
    )


class LabelsForm(forms.Form):
    """The team and the home club of an entrant."""

    team = _label(gettext_lazy("Team"))
    represents = _label(gettext_lazy("Club they come from"))


class EntrantForm(LabelsForm):
    """One entrant: a name, or two of a pair."""

    field_order = ["name", "name2", "team", "represents", "section"]

    name = _name(gettext_lazy("Name"))
    # Suggestions are requested for fields whose names begin like this.
    name2 = _name(gettext_lazy("Partner"))
    section = forms.ChoiceField(label=pgettext_lazy("of a tournament", "Section"), required=False)

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        pairs: bool,
        own: str = "",
        suggest: str = "",
        sections: str = "",
    ) -> None:
        super().__init__(data, initial={"name": own, "section": sections[-1:]})
        section = self.fields["section"]
        assert isinstance(section, forms.ChoiceField)
        section.choices = [(name, name) for name in sections]
        if not sections:
            del self.fields["section"]
        if not pairs:
            del self.fields["name2"]
        for name in ("name", "name2"):
            if suggest and name in self.fields:
                self.fields[name].widget.attrs |= suggesting(suggest)

    @property
    def entry(self) -> Entry:
        """The entry, once the form is valid."""
        cleaned = self.cleaned_data
        partner = cleaned.get("name2", "")
        section = cleaned.get("section", "")
        names = (cleaned["name"], partner, cleaned["team"], cleaned["represents"])
        return Entry(*names, section=section)


class ListForm(forms.Form):
    """A whole list, pasted or as a file."""

    list = forms.CharField(
        label=gettext_lazy("A list, one line each"),
        required=False,
        max_length=LARGEST_TEXT,
        widget=forms.Textarea(attrs={"rows": 8, **TYPED}),
    )
    file = forms.FileField(
        label=gettext_lazy("Or a file: CSV or XLSX"),
        required=False,
        widget=forms.FileInput(attrs={"accept": ".csv,.txt,.tsv,.xlsx"}),
    )

    def clean(self) -> dict[str, Any]:
        """Require exactly one of the two."""
        cleaned: dict[str, Any] = self.cleaned_data
        if not self.errors and not cleaned["file"] and not cleaned["list"].strip():
            self.add_error("list", _("Paste a list, or choose a file."))
        return cleaned


class SubstituteForm(forms.Form):
    """A substitute for a player in a round."""

    name = _name(gettext_lazy("Who plays instead"))
    round_number = forms.IntegerField(label=pgettext_lazy("of an event", "Round"), min_value=1)
    instead_of = forms.TypedChoiceField(label=gettext_lazy("In the place of"), coerce=int)

    def __init__(
        self,
        players: tuple[Player, ...],
        data: Mapping[str, Any] | None = None,
        *,
        number: int,
        last: int,
        suggest: str,
    ) -> None:
        super().__init__(data, initial={"round_number": number})
        self.fields["name"].widget.attrs |= suggesting(suggest)
        rounds = self.fields["round_number"]
        assert isinstance(rounds, forms.IntegerField)
        rounds.widget.attrs |= {"max": last, "inputmode": "numeric"}
        rounds.max_value = last
        choice = self.fields["instead_of"]
        assert isinstance(choice, forms.ChoiceField)
        choice.choices = [(player.pk, player.name) for player in players]
        if len(players) == 1:
            choice.widget = forms.HiddenInput()
            choice.initial = players[0].pk

    def clean_round_number(self) -> int:
        number: int = self.cleaned_data["round_number"]
        last = self.fields["round_number"].max_value  # type: ignore[attr-defined]
        if number > last:
            raise forms.ValidationError(_("There are %(number)s rounds.") % {"number": last})
        return number


def suggesting(suggest: str) -> dict[str, str]:
    """Return attributes that make a field suggest names of the club's players."""
    return {
        "list": "names",
        "hx-get": suggest,
        "hx-trigger": "input changed delay:200ms",
        "hx-target": "#names",
    }


def list_refusal(why: str) -> str:
    """Return the text for a refused list, by the `why` of `FileRefused`."""
    kilobytes = LARGEST_FILE // 1024
    sentences = {
        "empty": _("There are no names in this list."),
        "large": _("This is too large for a list of names (more than %(kilobytes)s kB)."),
        "long": _("At most %(most)s can take part."),
        "xls": _("This is a workbook of an old kind: save it as XLSX or CSV."),
        "xlsx": _("This workbook cannot be read. Save it once more, or paste the names."),
        "text": _("This file cannot be read. Save it as XLSX or CSV, or paste the names."),
    }
    return sentences[why] % {"kilobytes": kilobytes, "most": MOST_ENTRANTS}
