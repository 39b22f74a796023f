"""Forms of entrants, and the players that typed names are near to."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from tournaments.models import Club, Entrant, Player
from tournaments.models.people import fold_name, plain_name
from tournaments.services.entrants.registration import MOST_ENTRANTS, Entry
from tournaments.services.imports.names import NameBook, NameQuestion, name_questions
from tournaments.web.base.forms import NameField


def near_names(
    club: Club, entries: Sequence[Entry], choices: Mapping[str, str]
) -> tuple[list[Entry], list[NameQuestion]]:
    """Return entries with the players meant, and the names to ask about (1 query).

    Without a choice, a name that differs from one player only by marks means this player, and a
    name that fits several is open.
    """
    named = [name for entry in entries for name in (entry.name, entry.partner) if name]
    questions = [
        replace(each, chosen=choices.get(fold_name(each.name)) or _likely_choice(each))
        for each in name_questions(NameBook(club), named, {})
    ]
    names = {
        fold_name(each.name): player.name
        for each in questions
        for player in each.like
        if player.public_id == each.chosen
    }

    def chosen(name: str) -> str:
        return names.get(fold_name(name), name)

    meant = [replace(e, name=chosen(e.name), partner=chosen(e.partner)) for e in entries]
    return meant, questions


def _likely_choice(question: NameQuestion) -> str:
    same = [p.public_id for p in question.like if p.search_key == plain_name(question.name)]
    return same[0] if len(same) == 1 else question.chosen


class LabelsForm(forms.Form):
    """The team and the home club of an entrant."""

    team = NameField(label=gettext_lazy("Team"), required=False)
    represents = NameField(label=gettext_lazy("Club they come from"), required=False)


class ChangeEntrantForm(LabelsForm):
    preferred_table = forms.IntegerField(
        label=gettext_lazy("Always at table"),
        help_text=gettext_lazy("For somebody who cannot move: their table has this number."),
        required=False,
        min_value=1,
        max_value=MOST_ENTRANTS // 2,
    )
    missed = forms.ChoiceField(
        label=gettext_lazy("Missed rounds are worth"),
        choices=Entrant.Missed.choices,
        required=False,
    )


class EntrantForm(LabelsForm):
    """One entrant: a name, or two of a pair."""

    field_order = ["name", "name2", "team", "represents", "section"]

    name = NameField(label=gettext_lazy("Name"))
    # Suggestions are requested for fields whose names begin like this.
    name2 = NameField(label=gettext_lazy("Partner"))
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
        cleaned = self.cleaned_data
        partner = cleaned.get("name2", "")
        section = cleaned.get("section", "")
        names = (cleaned["name"], partner, cleaned["team"], cleaned["represents"])
        return Entry(*names, section=section)


class SubstituteForm(forms.Form):
    name = NameField(label=gettext_lazy("Who plays instead"))
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
