"""Lists of entrants as they are typed, near names, and their forms."""

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django import forms
from django.utils.translation import get_language, gettext_lazy, pgettext_lazy
from django.utils.translation import gettext as _

from tournaments.models import Club, Entrant, Player
from tournaments.models.people import LOWER, fold_name, plain_name
from tournaments.services.entrants.registration import MOST_ENTRANTS, Entry, TooMany
from tournaments.services.imports.files import FileRefused
from tournaments.services.imports.names import NameBook, NameQuestion, name_questions
from tournaments.services.people.players import without_contacts
from tournaments.web.base import pages
from tournaments.web.base.answers import (
    Bounds,
    decoded,
    is_workbook,
    rows_of_text,
    rows_of_workbook,
)
from tournaments.web.base.forms import TYPED, NameField
from tournaments.web.base.pages import (
    CONTACT_HEADINGS,
    ListFile,
    below_titles,
    displayed_columns,
    is_sum,
    left_out,
)

LARGEST_FILE = 1024**2
LARGEST_UNPACKED = 2 * 1024**2
"""A list of a thousand names unpacks to a tenth of this; reading so much takes seconds."""

LARGEST_TEXT = 500_000
"""Maximum length of a pasted list, or of one posted back after the preview."""

MOST_COLUMNS = 12
BOUNDS = Bounds(LARGEST_UNPACKED, rows=4_999, columns=MOST_COLUMNS)

COLUMNS = ("name", "partner", "team", "represents")
SURNAME = "surname"

HEADINGS = {
    "name": pages.NAME,
    "partner": "es,esi,partner,ortak,compagno,compagna",
    SURNAME: pages.SURNAME,
    "team": "takim,squadra,team",
    "represents": "kulup,kulubu,circolo,club",
}
"""Headings of columns, in lower case and without marks."""

OF_HEADING = {word: name for name, words in HEADINGS.items() for word in words.split(",")}

TOGETHER = re.compile(r"\s*[+&/]\s*")
"""Separators of the two names of a pair."""

ORDINAL = re.compile(r"(\d{1,4}[.)]|[-–•*])\s+")
"""Numbering of a line before the name."""


WORD = re.compile(r"\w+")
OF_TURKISH = frozenset("çğıöşüÇĞİÖŞÜ")


def as_name(text: str) -> str:
    """Return a name that is all in capitals, or in none, as names are written."""
    if not (text.isupper() or text.islower()):
        return text
    is_turkish = get_language() == "tr" or not OF_TURKISH.isdisjoint(text)
    small = (text.translate(LOWER) if is_turkish else text).lower()

    def capitalised(word: re.Match[str]) -> str:
        first, rest = word[0][0], word[0][1:]
        return ("İ" if is_turkish and first == "i" else first.upper()) + rest

    return WORD.sub(capitalised, small)


@dataclass(frozen=True, slots=True)
class ListLine:
    """An entry, with the number of its line in the upload, from 1."""

    number: int
    entry: Entry

    def as_names(self) -> "ListLine":
        entry = self.entry
        written = replace(entry, name=as_name(entry.name), partner=as_name(entry.partner))
        return replace(self, entry=written)


@dataclass(frozen=True)
class ListRead:
    """The lines of a list, its columns, and what was left out."""

    lines: list[ListLine]
    file: ListFile


Row = tuple[int, list[str]]
"""The number of a line, and its cells."""


def read_text(text: str, *, pairs: bool) -> ListRead:
    """Return the entries of a text, one a line; tabs, semicolons or commas separate columns.

    Raises: FileRefused, TooMany: the text cannot be read as a list.
    """
    if len(text) > LARGEST_TEXT:
        raise FileRefused("large")
    delimiter = next((mark for mark in "\t;," if mark in text), ",")
    return _entries(rows_of_text(text.replace("\0", ""), delimiter), pairs=pairs)


def read_file(content: bytes, *, pairs: bool) -> ListRead:
    """Return the entries of a file: a workbook (its first sheet) or a text.

    Raises: FileRefused, TooMany: the file cannot be read as a list.
    """
    if len(content) > LARGEST_FILE:
        raise FileRefused("large")
    if is_workbook(content):
        rows = rows_of_workbook(content, BOUNDS)
        texts = ((number, [str(cell) for cell in cells]) for number, cells in rows)
        return _entries(texts, pairs=pairs)
    return read_text(decoded(content), pairs=pairs)


def write_text(lines: Iterable[ListLine]) -> str:
    """Return entries as a text with headings in the reader's language, for `read_text`."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter="\t", lineterminator="\n")
    writer.writerow([_("Name"), _("Partner"), _("Team"), _("Club")])
    for line in lines:
        writer.writerow([getattr(line.entry, column) for column in COLUMNS])
    return out.getvalue()


def _entries(rows: Iterable[Row], *, pairs: bool) -> ListRead:
    file = ListFile()
    full = below_titles(_full(rows), lambda cells: _headings(cells) is not None, file)
    columns = _headings(full[0][1]) if full else None
    if columns is not None:
        file.columns.extend(displayed_columns(full[0][1], dict(enumerate(columns))))
        full = full[1:]
    else:
        full = _without_contact_columns(full, file)
    lines: list[ListLine] = []
    for number, cells in full:
        if columns:
            fields = _by_heading(cells, columns)
        else:
            # The partner is second if the names of a pair have two cells.
            apart = pairs and not TOGETHER.search(cells[0])
            names = COLUMNS if apart else ("name", "team", "represents")
            fields = dict(zip(names, cells, strict=False))
        if is_sum(fields["name"]) or (fields["name"] and not without_contacts(fields["name"])):
            file.left_out.append(left_out(number, cells))
            continue
        fields = {name: file.without_contacts(number, cell) for name, cell in fields.items()}
        lines.append(ListLine(number, _entry(fields)))
    if not lines:
        raise FileRefused("names")
    return ListRead(lines, file)


def _full(rows: Iterable[Row]) -> list[Row]:
    full: list[Row] = []
    for number, cells in rows:
        cleaned = [" ".join(cell.split()) for cell in cells[:MOST_COLUMNS]]
        if any(cleaned):
            full.append((number, cleaned))
        # One row more than allowed: the headings.
        if len(full) > MOST_ENTRANTS + 1:
            raise TooMany
    return full


def _headings(cells: Sequence[str]) -> list[str] | None:
    """Return the field of each column, "" for unknown headings; None without headings."""
    found = [OF_HEADING.get(_plain_heading(cell), "") for cell in cells]
    return found if "name" in found else None


def _plain_heading(cell: str) -> str:
    return plain_name(cell).strip(" .:")


def _without_contact_columns(rows: Sequence[Row], file: ListFile) -> Sequence[Row]:
    """Return rows without headings, and without the columns that are mostly numbers or contacts."""
    if rows and not CONTACT_HEADINGS.isdisjoint(map(_plain_heading, rows[0][1])):
        file.left_out.append(left_out(*rows[0]))
        rows = rows[1:]
    width = max((len(cells) for _number, cells in rows), default=0)
    names, others = [0] * width, [0] * width
    for _number, cells in rows:
        for place, cell in enumerate(cells):
            (names if without_contacts(cell) else others)[place] += cell != ""
    places = [place for place in range(width) if names[place] >= others[place]]
    if not places or len(places) == width:
        return rows
    numbered = enumerate(displayed_columns([""] * width, {}))
    file.columns.extend(each for at, each in numbered if at not in places)
    return [(number, [cells[at] for at in places if at < len(cells)]) for number, cells in rows]


def _by_heading(cells: Sequence[str], columns: Sequence[str]) -> dict[str, str]:
    # If two columns have the same heading, the first counts.
    fields: dict[str, str] = {}
    for column, cell in zip(columns, cells, strict=False):
        fields.setdefault(column, cell)
    surname = fields.pop(SURNAME, "")
    fields.pop("", None)
    return {**fields, "name": f"{fields.get('name', '')} {surname}".strip()}


def _entry(fields: dict[str, str]) -> Entry:
    name, partner = fields.get("name", ""), fields.get("partner", "")
    while match := ORDINAL.match(name):
        name = name[match.end() :]
    first, *others = [name] if partner else TOGETHER.split(name, maxsplit=1)
    return Entry(
        name=first,
        partner=others[0] if others else partner,
        team=fields.get("team", ""),
        represents=fields.get("represents", ""),
    )


@dataclass(frozen=True, slots=True)
class NearNames:
    """The lines of a list, by the names of the players meant, and the names to ask about."""

    lines: list[ListLine]
    questions: list[NameQuestion]

    @property
    def answered(self) -> bool:
        return all(question.chosen for question in self.questions)


def near_names(club: Club, lines: Sequence[ListLine], choices: Mapping[str, str]) -> NearNames:
    """Return a list with the chosen players (1 query).

    Without a choice, a name that differs from one player only by marks means this player, and a
    name that fits several is open.
    """
    named = [name for line in lines for name in (line.entry.name, line.entry.partner) if name]
    questions = [
        replace(each, chosen=choices.get(fold_name(each.name)) or _likely_choice(each))
        for each in name_questions(NameBook(club), named, {})
    ]
    names = {fold_name(question.name): _name(question) for question in questions}

    def chosen(name: str) -> str:
        return names.get(fold_name(name), name)

    return NearNames(
        [
            replace(
                line,
                entry=replace(
                    line.entry, name=chosen(line.entry.name), partner=chosen(line.entry.partner)
                ),
            )
            for line in lines
        ],
        questions,
    )


def _likely_choice(question: NameQuestion) -> str:
    same = [p.public_id for p in question.like if p.search_key == plain_name(question.name)]
    return same[0] if len(same) == 1 else question.chosen


def _name(question: NameQuestion) -> str:
    found = [player.name for player in question.like if player.public_id == question.chosen]
    return found[0] if found else question.name


class LabelsForm(forms.Form):
    """The team and the home club of an entrant."""

    team = NameField(label=gettext_lazy("Team"), required=False)
    represents = NameField(label=gettext_lazy("Club they come from"), required=False)


class ChangeEntrantForm(LabelsForm):
    """What directors change of an entrant."""

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
