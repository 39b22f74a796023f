"""Lists of names as people keep them: titles above the headings, other columns, sums below."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from tournaments.engine.rules.entries import clean_line
from tournaments.models.people import fold_name, plain_name
from tournaments.services.imports.files import MOST_ASKED
from tournaments.services.people.contacts import without_contacts

NAME = "isim,ad,adi,ad soyad,adi soyadi,isim soyisim,oyuncu,nome,giocatore,name,player"
SURNAME = "soyad,soyadi,soyisim,cognome,surname,last name"
"""Headings of columns, in lower case and without marks."""

_NUMBERS = "tel,tel no,telefon,telefon no,cep,cep telefonu,gsm,telefono,cellulare"
_ADDRESSES = "e-posta,eposta,mail,e-mail,email,posta elettronica,indirizzo e-mail,mail address"
_CONTACTS = f"{_NUMBERS},{_ADDRESSES},recapito,contact,phone,phone number,telephone,mobile"
CONTACT_HEADINGS = frozenset(_CONTACTS.split(","))
"""Headings of columns that are left out; they show that a line has headings."""

_TURKISH = "toplam,genel toplam,ara toplam,toplam oyuncu,toplam kisi,oyuncu sayisi,kisi sayisi"
_OTHERS = "totale,totale giocatori,somma,total,grand total,total players,sum"
SUMS = frozenset(f"{_TURKISH},{_OTHERS}".split(","))
"""Words in the column of names that mark a line of sums, without its number."""

Row = TypeVar("Row", bound=tuple[int, list[Any]])

TITLES_AT_MOST = 10
"""Lines above the headings."""


@dataclass(frozen=True, slots=True)
class ShownColumn:
    """A column of a file: its heading or number, and its field, empty if it is left out."""

    heading: str
    field: str


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A line that is no entry: a title, or a sum."""

    number: int
    text: str


@dataclass(frozen=True)
class ListFile:
    """The columns of a file, its lines that are no entries, and the contacts left out of others."""

    columns: list[ShownColumn] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    contacts: list[LeftOut] = field(default_factory=list)

    def without_contacts(self, number: int, cell: str) -> str:
        """Return a cell of a line without telephone numbers and mail addresses; note these."""
        rest = without_contacts(cell)
        if rest != clean_line(cell):
            self.contacts.append(LeftOut(number, cell))
        return rest


def below_titles(
    rows: Sequence[Row], is_heading: Callable[[Sequence[Any]], bool], file: ListFile
) -> Sequence[Row]:
    """Return the rows from the headings on; all of them without any. Note the titles above."""
    at = next((n for n, (_no, cells) in enumerate(rows[:TITLES_AT_MOST]) if is_heading(cells)), 0)
    file.left_out.extend(left_out(number, cells) for number, cells in rows[:at])
    return rows[at:]


def left_out(number: int, cells: Sequence[Any]) -> LeftOut:
    return LeftOut(number, " ".join(str(cell) for cell in cells if cell != ""))


def is_sum(name: str) -> bool:
    """Return whether a line has a sum instead of a name: “Toplam: 12” or “12”."""
    if name.startswith(("=", "@", "+")):
        return False
    if not any(map(str.isalpha, name)):
        return any(map(str.isdigit, name))
    return " ".join(plain_name(name).strip(" .:*=-()0123456789").split()) in SUMS


def shown_columns(headings: Sequence[Any], fields: Mapping[int, str]) -> list[ShownColumn]:
    """Return each column with the field that it becomes, by place."""
    return [
        ShownColumn(str(heading) or str(place + 1), fields.get(place, ""))
        for place, heading in enumerate(headings)
    ]


def meant_by(data: Mapping[str, str]) -> dict[str, str]:
    """Return the players chosen for names in a form, by folded name."""
    pairs = ((data.get(f"name.{n}"), data.get(f"as.{n}")) for n in range(MOST_ASKED))
    return {fold_name(name): chosen for name, chosen in pairs if name and chosen}
