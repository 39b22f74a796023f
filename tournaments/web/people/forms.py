"""Forms of the pages of players."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from tournaments.models import Player
from tournaments.web.base.forms import NameField


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
