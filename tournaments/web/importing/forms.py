"""The forms in which files are chosen, and what is said about them."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournaments.models.people import fold_name
from tournaments.services.importing.names import MOST_ASKED
from tournaments.web.events.forms import OfferForm
from tournaments.web.importing.columns import LONGEST_EVENING

TABLES = ".csv,.tsv,.txt,.xlsx"


class FilesInput(forms.FileInput):
    """A field for several files."""

    allow_multiple_selected = True


def _evening(help_text: Any) -> forms.CharField:
    return forms.CharField(
        label=gettext_lazy("Name of an evening that has none"),
        help_text=help_text,
        max_length=LONGEST_EVENING,
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
    """Files of records, and what their evenings are called."""

    file = forms.FileField(
        label=gettext_lazy("Files: JSON, JSON Lines, or all of them in one ZIP"),
        required=False,
        widget=FilesInput(attrs={"accept": ".json,.jsonl,.zip"}),
    )
    evening = _evening(gettext_lazy("The title of a record is the name of its evening."))

    @property
    def evening_name(self) -> str:
        """What an evening without a name is called."""
        return _evening_name(self)


class ResultsForm(OfferForm):
    """A file of results, what was played, and what the evenings are called."""

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
        """What an evening without a name is called."""
        return _evening_name(self)


def _evening_name(form: forms.Form) -> str:
    return form.cleaned_data.get("evening") or _("Evening")


def meant_by(data: Mapping[str, str]) -> dict[str, str]:
    """Who was chosen for doubtful names, by the names as they are folded."""
    pairs = ((data.get(f"name.{n}"), data.get(f"as.{n}")) for n in range(MOST_ASKED))
    return {fold_name(name): chosen for name, chosen in pairs if name and chosen}
