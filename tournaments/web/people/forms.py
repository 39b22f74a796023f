"""Forms of the pages of players."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournaments.engine.rules.rulesets import LONGEST_NAME
from tournaments.models import Player
from tournaments.services.people.players import MOST_ADDED, NamesRefused, has_contact
from tournaments.web.base.forms import NameField

MOST_TYPED = MOST_ADDED * (LONGEST_NAME + 2)


class NamesForm(forms.Form):
    """Names of players to add, one a line."""

    names = forms.CharField(
        label=gettext_lazy("Names, one on each line"),
        max_length=MOST_TYPED,
        error_messages={"required": gettext_lazy("Who plays? Write at least one name.")},
        widget=forms.Textarea(attrs={"rows": 6, "autocapitalize": "words", "spellcheck": "false"}),
    )

    def clean_names(self) -> list[str]:
        """Return the lines, without empty ones.

        Raises: ValidationError: there are more than can be added at once, or telephone numbers.
        """
        lines = [line.strip() for line in self.cleaned_data["names"].splitlines()]
        names = [line for line in lines if line]
        if contacts := [name for name in names if has_contact(name)]:
            refused = _("Leave out numbers and addresses: %(lines)s")
            raise forms.ValidationError(refused % {"lines": ", ".join(contacts)})
        if len(names) > MOST_ADDED:
            most = _("These are %(number)s names; %(most)s at a time can be added.")
            raise forms.ValidationError(most % {"number": len(names), "most": MOST_ADDED})
        return names

    def add_refusal(self, refused: NamesRefused) -> None:
        names = self.cleaned_data["names"]
        for number, why in sorted(refused.problems.items()):
            self.add_error("names", _("%(name)s: %(why)s") % {"name": names[number], "why": why})


class NameForm(forms.Form):
    name = NameField(label=gettext_lazy("Name"))

    def __init__(self, player: Player, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data, initial={"name": player.name})


class CodeForm(forms.Form):
    """The code on a player's card."""

    code = forms.CharField(
        label=gettext_lazy("Code"),
        max_length=60,
        error_messages={"required": gettext_lazy("Type the code that you were given.")},
        widget=forms.TextInput(
            attrs={
                "autocomplete": "off",
                "autocapitalize": "none",
                "spellcheck": "false",
                "placeholder": "123-abcd-efgh",
            }
        ),
    )
