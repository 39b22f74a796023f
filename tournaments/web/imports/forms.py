"""Forms to choose files, and their settings."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournaments.engine.rules.rulesets import LONGEST_NAME
from tournaments.web.base.fields import LineField
from tournaments.web.events.forms import OfferForm

TABLES = ".csv,.tsv,.txt,.xlsx"


class FilesInput(forms.FileInput):
    """A field for several files."""

    allow_multiple_selected = True


def _evening(help_text: Any) -> forms.CharField:
    return LineField(
        label=gettext_lazy("Name of an evening that has none"),
        help_text=help_text,
        max_length=LONGEST_NAME,
        required=False,
    )


class PlayersForm(forms.Form):
    """A file of players."""

    file = forms.FileField(
        label=gettext_lazy("A file: CSV or XLSX"),
        required=False,
        widget=forms.FileInput(attrs={"accept": TABLES}),
    )


class RecordsForm(forms.Form):
    """Files of records, and the name of their evenings."""

    file = forms.FileField(
        label=gettext_lazy("Files: JSON, JSON Lines, or all of them in one ZIP"),
        required=False,
        widget=FilesInput(attrs={"accept": ".json,.jsonl,.zip"}),
    )
    evening = _evening(gettext_lazy("The title of a record is the name of its evening."))

    @property
    def evening_name(self) -> str:
        return _evening_name(self)


class ResultsForm(OfferForm):
    """A file of results, the game, and the name of the evenings."""

    file = forms.FileField(
        label=gettext_lazy("A file: CSV or XLSX"),
        required=False,
        widget=forms.FileInput(attrs={"accept": TABLES}),
    )
    evening = _evening("")
    early = forms.BooleanField(
        label=gettext_lazy("Some games ended before their last deal: do not check the sums"),
        required=False,
    )

    OWN = ("file", "evening", "early")

    @property
    def evening_name(self) -> str:
        return _evening_name(self)


def _evening_name(form: forms.Form) -> str:
    return form.cleaned_data.get("evening") or _("Evening")
