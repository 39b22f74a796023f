"""The forms in which files are chosen, and what is said about them."""

from collections.abc import Iterator, Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournaments.engine.rulesets import Ruleset
from tournaments.models import Event
from tournaments.models.people import fold_name
from tournaments.web.importing.columns import LONGEST_EVENING
from tournaments.web.importing.preview import MOST_ASKED
from tournaments.web.phone import Table
from tournaments.web.rules.option_fields import changed_options
from tournaments.web.tables.forms import NewTableForm, option_names

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


class ResultsForm(NewTableForm):
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

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        rulesets: Mapping[str, Ruleset],
        last: Event | None,
    ) -> None:
        offered = Table(ruleset=last.ruleset, options=last.options) if last else Table()
        super().__init__(data, table=offered, rulesets=rulesets)
        for name in ("first_declarer", "title", "place", "match", "match_to"):
            del self.fields[name]
        for seat in range(4):
            del self.fields[f"name{seat}"]

    def table(self) -> Iterator[forms.BoundField]:
        """The fields that say what is played."""
        yield self["ruleset"]
        yield from (self[name] for name in option_names(self.rules).values())

    def clean(self) -> dict[str, Any]:
        """What was typed for another game than the chosen one hinders nobody."""
        asked = {field.html_name for field in self.table()} | set(self.OWN)
        for name in set(self.errors) - asked:
            del self.errors[name]
        return self.cleaned_data

    @property
    def options(self) -> dict[str, Any]:
        """The options that are not as the ruleset has them, once the form is valid."""
        names = option_names(self.rules)
        chosen = {setting: self.cleaned_data[name] for setting, name in names.items()}
        return changed_options(self.rules, chosen)

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
