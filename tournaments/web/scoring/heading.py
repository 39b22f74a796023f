"""What stands above a sheet, corrected while the game goes on: names, seats, options."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from tournaments import messages
from tournaments.engine.problems import InvalidEntry
from tournaments.models import Game
from tournaments.queries.rulesets import rules_of
from tournaments.queries.sheets import LaterEntryInvalid, load_sheet
from tournaments.services.people.players import LONGEST_PLAYER_NAME
from tournaments.services.play.playing import Head, change_head
from tournaments.services.play.writing import BadKey, KeyReused, RoundClosed, StaleRevision
from tournaments.telling.beginnings import beginning_of
from tournaments.visitors import writable_game
from tournaments.web.phone import address
from tournaments.web.rules.option_fields import (
    OptionField,
    changed_options,
    field_of,
    option_fields,
)
from tournaments.web.scoring.pages import handed_over, pen_of, refusal_of
from tournaments.web.tables.forms import LONGEST_NAME, new_key
from tournaments.web.tables.seats import SEATED, seated_sentence

REFUSED = (StaleRevision, LaterEntryInvalid, BadKey, KeyReused, RoundClosed)


@dataclass(frozen=True)
class SeatFields:
    """A seat of the table: who sits there, and whether it is ticked to have declared first."""

    seat: int
    name: forms.BoundField
    first: bool


class HeadForm(forms.Form):
    """Names in seat order, who declares first, the table's options, title and place."""

    first_declarer = forms.TypedChoiceField(coerce=int)
    title = forms.CharField(max_length=80, required=False, label=gettext_lazy("Title"))
    place = forms.CharField(max_length=80, required=False, label=gettext_lazy("Place"))

    def __init__(self, row: Game, data: Mapping[str, Any] | None = None) -> None:
        rules = rules_of(row)
        self.rules, self.row = rules, row
        names = {f"name{seat}": name for seat, name in enumerate(row.players)}
        first = {"first_declarer": row.first_declarer, "title": row.title, "place": row.place}
        super().__init__(data, initial={**names, **first, **row.options})
        first_field = self.fields["first_declarer"]
        assert isinstance(first_field, forms.ChoiceField)
        first_field.choices = [(str(seat), str(seat)) for seat in range(rules.seats)]
        for seat in range(rules.seats):
            label = _("Seat %(number)s") % {"number": seat + 1}
            longest = LONGEST_NAME if row.table_id is None else LONGEST_PLAYER_NAME
            self.fields[f"name{seat}"] = forms.CharField(max_length=longest, label=label)
        for option in rules.options:
            self.fields[option.setting] = field_of(rules, option)

    def seats(self) -> Iterator[SeatFields]:
        """The seats in order of play: who declared first is a seat, whatever name it has."""
        first = str(self["first_declarer"].value())
        for seat in range(self.rules.seats):
            yield SeatFields(seat, self[f"name{seat}"], first == str(seat))

    def options(self) -> tuple[OptionField, ...]:
        """The fields of the options."""
        return option_fields(self, self.rules, {o.setting: o.setting for o in self.rules.options})

    def began(self) -> str:
        """What stands beside whoever began."""
        return str(beginning_of(self.rules).began)

    def heading(self) -> list[forms.BoundField]:
        """The fields of what stands above the sheet."""
        return [self["title"], self["place"]]

    @property
    def head(self) -> Head:
        """The head as typed; options at their defaults are left out."""
        cleaned = self.cleaned_data
        chosen = {option.setting: cleaned[option.setting] for option in self.rules.options}
        return Head(
            ruleset=self.row.ruleset,
            players=[cleaned[f"name{seat}"] for seat in range(self.rules.seats)],
            first_declarer=cleaned["first_declarer"],
            options=changed_options(self.rules, chosen),
            title=cleaned["title"],
            place=cleaned["place"],
        )


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def head(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    """Correct what stands above the sheet; the whole game is folded again."""
    row = writable_game(request, public_id, secret).first()
    if row is None:
        return handed_over(request, public_id, secret)
    if request.method != "POST":
        return _head_page(request, row, HeadForm(row))
    form = HeadForm(row, request.POST)
    if not form.is_valid():
        return _head_page(request, row, form, status=422)
    try:
        change_head(row.pk, form.head, pen_of(request, row))
    except Game.DoesNotExist as error:
        raise Http404 from error
    except (InvalidEntry, *SEATED) as error:
        for sentence in _sentences(error):
            form.add_error(None, sentence)
        return _head_page(request, row, form, status=422)
    except REFUSED as error:
        row = Game.objects.get(pk=row.pk)
        refusal = refusal_of(error, load_sheet(row))
        notice = [refusal.notice, *refusal.details]
        return _head_page(request, row, form, refusal.status, notice)
    return redirect(address(row, "write"))


def _sentences(error: Exception) -> list[str]:
    """Why a head cannot be."""
    if isinstance(error, InvalidEntry):
        return [messages.explain(problem) for problem in error.problems]
    return [seated_sentence(error)]


def _head_page(
    request: HttpRequest, row: Game, form: HeadForm, status: int = 200, notice: Sequence[str] = ()
) -> HttpResponse:
    page = {
        "row": row,
        "form": form,
        "notice": notice,
        "key": new_key(),
        "back": address(row, "write"),
    }
    return render(request, "tournaments/head.html", page, status=status)
