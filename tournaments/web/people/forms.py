"""Forms of the pages of players."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournaments.models import Player
from tournaments.services.people.players import (
    LONGEST_PLAYER_NAME,
    MOST_ADDED,
    NamesRefused,
    NameTaken,
)

NO_NAME = gettext_lazy("A name has letters, and 80 of them at most.")

MOST_TYPED = MOST_ADDED * (LONGEST_PLAYER_NAME + 2)


class NamesForm(forms.Form):
    """Names of players to be added, each on a line of its own."""

    names = forms.CharField(
        label=gettext_lazy("Names, one on each line"),
        max_length=MOST_TYPED,
        error_messages={"required": gettext_lazy("Who plays? Write at least one name.")},
        widget=forms.Textarea(attrs={"rows": 6, "autocapitalize": "words", "spellcheck": "false"}),
    )

    def clean_names(self) -> list[str]:
        """The lines, without empty ones.

        Raises:
            ValidationError: there are more than are added at once.
        """
        lines = [line.strip() for line in self.cleaned_data["names"].splitlines()]
        names = [line for line in lines if line]
        if len(names) > MOST_ADDED:
            most = _("These are %(number)s names; %(most)s at a time can be added.")
            raise forms.ValidationError(most % {"number": len(names), "most": MOST_ADDED})
        return names

    def add_refusal(self, refused: NamesRefused) -> None:
        """Say of each line that was refused why."""
        for sentence in refusals(self.cleaned_data["names"], refused):
            self.add_error("names", sentence)


class NameForm(forms.Form):
    """Another name for a player."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=LONGEST_PLAYER_NAME,
        error_messages={"required": gettext_lazy("What is the player called?")},
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "autocapitalize": "words", "spellcheck": "false"}
        ),
    )

    def __init__(self, player: Player, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data, initial={"name": player.name})


class CodeForm(forms.Form):
    """The code of a player, as it stands on the card."""

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


def taken_sentence(player: Player) -> str:
    """Why a name cannot be had."""
    return _("There is already a player called %(name)s.") % {"name": player.name}


def refusals(names: Sequence[str], refused: NamesRefused) -> Iterator[str]:
    """Why each line was refused."""
    for number, problem in sorted(refused.problems.items()):
        if not isinstance(problem, NameTaken):
            why = str(NO_NAME)
        elif problem.player.name in names[:number]:
            why = _("It is the same name as on an earlier line.")
        else:
            why = taken_sentence(problem.player)
        yield _("%(name)s: %(why)s") % {"name": names[number], "why": why}
