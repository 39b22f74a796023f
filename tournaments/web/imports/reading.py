"""One reader for every list that is pasted or uploaded: players, entrants, results.

`text_of` turns a file into the text that its form sends back, `read_list` finds the columns and
lines of a text. Days and points are read by the whole column: `read_days`, `read_points_of`.

Weighed and not taken: charset-normalizer reads Turkish letters of Windows as others in lists of
this size, clevercsv is slow on made-up texts, dateutil takes "10" or "Friday" for a day.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from itertools import islice
from operator import itemgetter
from typing import Any

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from tournaments.engine.rules.entries import clean_line
from tournaments.engine.rules.rulesets import Points
from tournaments.engine.statistics import NIGHT
from tournaments.models.people import LOWER, plain_name
from tournaments.reports.spreadsheets import unescape_formulas
from tournaments.services.imports.files import (
    MOST_LINES,
    FileRefused,
    ImportFault,
    Wrong,
    repack,
    unpack,
)
from tournaments.services.people.players import without_contacts
from tournaments.web.base.forms import read_points

LARGEST_TEXT = 500_000
"""Characters of a list. A line of 120 characters for each of the most lines."""

LARGEST_UNPACKED = 4 * 1024**2
"""Bytes of a workbook. One of 4,000 lines has a third of this; at worst reading takes 2 s and
100 MB."""

MOST_ROWS = 2 * MOST_LINES
MOST_COLUMNS = 20
LONGEST_CELL = 300
MOST_TITLES = 10
"""Lines above the headings."""

MOST_SAMPLES = 3

MARKS = "\t;|,"
"""Separators of columns, the preferred ones first."""

DAMAGED = "\N{REPLACEMENT CHARACTER}"

PLAYERS = ("name", "surname", "reversed", "initials")
ENTRANTS = ("name", "surname", "reversed", "partner", "team", "represents", "paid")
LABELS = ("team", "represents")
RESULTS = ("date", "evening", "round", "table", "name", "surname", "reversed", "points")
"""What the columns of a list may be; "reversed" are names with the surname first."""

NAMES = frozenset({"name", "surname", "reversed"})
_PAIR = ("name", "partner")
LEFT_OUT = ""

# Words that lists of clubs have, in Turkish, Italian and English, folded by `plain_name`.
HEADINGS = {
    "surname": "soyad* soyis* cognom* surname* lastname familyname",
    "name": "ad adi adlar isim ismi isimler nome nomi nominativ* name names firstname givenname"
    " fullname oyuncu* giocator* player* katilimci* yarismaci* partecipant* participant* iscritt*",
    "partner": "es esi partner* ortak* compagn*",
    "team": "takim* squadr* team*",
    "represents": "kulub* kulup* circol* club*",
    "initials": "basharf* inizial* initial*",
    "paid": "odedi odendi odeme* ucret* aidat* pagat* quota paid fee*",
    "date": "tarih* gun gunu data giorno date day",
    "evening": "aksam* etkinlik* serata evento evening* event",
    "round": "raunt* raund* tur turno round*",
    "table": "masa masasi tavolo table*",
    "points": "puan* sayi skor* toplam* punti punteggi* total* points score*",
    # Columns that are left out.
    "": "no nr sira numara* not notlar note nota yas eta age tel telef* telep* gsm cep phone*"
    " mobile* cell* iban posta eposta email mail* recapit* contact* adres* indirizz* address",
}
"""Words of headings, by field; those with * may go on."""

IN_HEADINGS = "ve e ed and of the del della dei di tam number numero katilim iscrizione entry mi"
"""Words that headings may have, too: “Nome e cognome”."""

TITLES = r"\b(liste(si)?|list|elenco|lista)\b"
_SUMS = (
    "toplam,genel toplam,ara toplam,toplam oyuncu,toplam kisi,oyuncu sayisi,kisi sayisi,totale,"
    "totale giocatori,somma,total,grand total,total players,sum"
)
SUMS = frozenset(_SUMS.split(","))
"""What marks a line of sums, without its number."""

_GIVEN = """
    mehmet mustafa ahmet ali huseyin hasan ibrahim osman yusuf murat omer ismail ramazan halil emre
    kemal serkan cem can deniz burak hakan kerem mert onur orhan selim tolga umut volkan yasin zeki
    fatma ayse emine hatice zeynep elif meryem zehra esra merve ozlem sibel ipek isil leyla nur
    selin sevgi sukru sule derya ebru gul cigdem basak pinar nazli nilufer asli bahar ece
    giuseppe giovanni antonio mario luigi francesco angelo vincenzo pietro salvatore carlo franco
    marco luca andrea matteo lorenzo alessandro davide simone stefano roberto paolo nicolo nicola
    maria anna giuseppina rosa angela giovanna teresa lucia carmela caterina francesca giulia chiara
    sara laura silvia elena paola martina federica elisa valentina alice sofia
    james john robert michael william david richard thomas charles daniel matthew anthony mark paul
    steven andrew george edward brian kevin peter mary patricia jennifer linda elizabeth barbara
    susan jessica sarah karen emma olivia nancy margaret lisa sandra ashley emily kate jane
"""
GIVEN = frozenset(_GIVEN.split())
"""Frequent given names: they tell the order of names in a column."""

_EXACT = {word: name for name, each in HEADINGS.items() for word in each.split()}
_BEGIN = {word[:-1]: name for word, name in _EXACT.items() if word.endswith("*")}
_PHRASES = re.compile(r"(first|last|family|given|full|bas) (?=name|harf)")


def text_of(content: bytes) -> str:
    """Return the text of a file; of a workbook, its first sheet with tabs between the cells.

    Raises: FileRefused: the file cannot be read.
    """
    if content.startswith(b"\xd0\xcf\x11\xe0"):
        raise FileRefused("xls")
    text = _text_of_workbook(content) if content.startswith(b"PK\x03\x04") else decoded(content)
    if len(text) > LARGEST_TEXT:
        raise FileRefused("large")
    return text


def _text_of_workbook(content: bytes) -> str:
    # The import takes a tenth of the start of every program of the server, and is seldom needed.
    import openpyxl

    try:
        content = repack(unpack(content, LARGEST_UNPACKED))
        book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
        cells = book.worksheets[0].iter_rows(max_col=MOST_COLUMNS, values_only=True)
        rows = list(islice(cells, MOST_ROWS + 1))
    except FileRefused:
        raise
    # openpyxl raises any exception for a damaged workbook.
    except Exception as error:
        raise FileRefused("xlsx") from error
    if len(rows) > MOST_ROWS:
        raise FileRefused("long")
    return write_rows([_cell_text(value) for value in row] for row in rows)


def write_rows(rows: Iterable[Sequence[str]]) -> str:
    """Return rows as a text with tabs, for `read_list`."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter="\t", lineterminator="\n")
    writer.writerows([" ".join(cell.split()) for cell in cells] for cells in rows)
    return out.getvalue()


def _cell_text(value: Any) -> str:
    if isinstance(value, datetime):
        return value.isoformat(" ", "minutes")
    if isinstance(value, float):
        text = f"{value:.9f}".rstrip("0").removesuffix(".")
        # With four decimals nobody takes its point for one of thousands.
        return f"{text}0" if text[-4:-3] == "." else text
    return "" if value is None else str(value)


def decoded(content: bytes) -> str:
    """Return the text of a file: Unicode if it says or looks so, else a Windows code page.

    A damaged letter of a Unicode text becomes `DAMAGED`.

    Raises: FileRefused: it is not a text.
    """
    odd, even = content[1::2].count(0), content[::2].count(0)
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = content.decode("utf-16", "replace")
    elif odd + even > len(content) // 4:
        # UTF-16 without a mark at its begin.
        text = content.decode("utf-16-le" if odd > even else "utf-16-be", "replace")
    else:
        text = content.decode("utf-8-sig", "replace")
        # The Turkish code page decodes Italian and English letters alike.
        for page in ("cp1254", "cp1252"):
            if text.count(DAMAGED) > len(re.findall(r"[^\0-\x7f]", text)) // 2:
                with suppress(UnicodeDecodeError):
                    text = content.decode(page)
    # A picture or a PDF, decoded as text.
    if "\0" in text or text.count(DAMAGED) > len(text) // 10:
        raise FileRefused("text")
    return text


Row = tuple[int, list[str]]
"""The number of a line, from 1, and its cells."""


def rows_of_text(text: str, mark: str) -> list[Row]:
    """Return the rows of a text, also empty ones. Values escaped by `Values` are unescaped.

    Raises: FileRefused: it is not a table.
    """
    reader = csv.reader(
        text.splitlines(keepends=True),
        delimiter=mark,
        # If the number of quotes is odd, they are part of names.
        quoting=csv.QUOTE_NONE if text.count('"') % 2 else csv.QUOTE_MINIMAL,
        skipinitialspace=mark != "\t",
    )
    try:
        return [(n, [unescape_formulas(cell) for cell in row]) for n, row in enumerate(reader, 1)]
    except csv.Error as error:
        raise FileRefused("text") from error


def split_text(text: str) -> list[Row]:
    """Return the rows of a text that are not empty.

    The separator is the mark that most lines agree on: they have the same number of cells.

    Raises: FileRefused: the text is empty, too long, or not a table.
    """
    if len(text) > LARGEST_TEXT:
        raise FileRefused("large")
    if text.count("\n") + text.count("\r") > 2 * MOST_ROWS:
        raise FileRefused("long")
    # Excel writes this line above a text for itself.
    if head := re.match(r"\s*sep=(.)\r?\n", text, re.IGNORECASE):
        text = "\n" + text[head.end() :]
    best = [row for row in _full(rows_of_text(text, "\0")) if row[1][0].strip(f" {MARKS}")]
    most = 0
    for mark in MARKS:
        rows = _full(rows_of_text(text, mark))
        widths = Counter(len(cells) for _number, cells in rows if len(cells) > 1)
        # In fewer lines a comma belongs to a name: Yılmaz, Ayşe.
        if mark == "," and 2 * widths.total() < len(rows):
            continue
        agreeing = max(widths.values(), default=0)
        if agreeing > most:
            best, most = rows, agreeing
    if not best:
        raise FileRefused("empty")
    if len(best) > MOST_LINES + MOST_TITLES:
        raise FileRefused("long")
    return best


def _full(rows: Iterable[Row]) -> list[Row]:
    cleaned = ((n, [" ".join(c.split())[:LONGEST_CELL] for c in cells]) for n, cells in rows)
    return [(number, cells[:MOST_COLUMNS]) for number, cells in cleaned if any(cells)]


@dataclass(frozen=True, slots=True)
class ListLine:
    """A line that is no title and no sum: its cells by field, and a reason to refuse it."""

    number: int
    cells: dict[str, str]
    fault: ImportFault | None = None

    @property
    def name(self) -> str:
        return self.cells["name"]


@dataclass(frozen=True)
class ReadList:
    """The columns and lines of a list, lines that are no entries, and contacts left out of others.

    A column has its heading or “Column 2”, and what it is: a field, or `LEFT_OUT`. `samples` are
    some rows below them, `missing` fields that the list needs and has not, `skip` lines that a
    director leaves out.
    """

    text: str
    fields: Sequence[str]
    columns: list[tuple[str, str]]
    samples: list[list[str]]
    lines: list[ListLine] = field(default_factory=list)
    left_out: list[tuple[int, str]] = field(default_factory=list)
    contacts: list[tuple[int, str]] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    skip: frozenset[int] = frozenset()
    is_renamed: bool = False

    @property
    def renames(self) -> dict[str, str]:
        """Return names in capitals, or in none, with how names are written."""
        names = [line.cells[key] for line in self.lines for key in _PAIR if key in line.cells]
        is_turkish = any(not _TURKISH_LETTERS.isdisjoint(name) for name in names)
        written = {name: as_name(name, is_turkish=is_turkish) for name in names}
        return {name: new for name, new in written.items() if new != name}

    def as_names(self) -> "ReadList":
        renames = self.renames
        lines = []
        for line in self.lines:
            cells = {k: renames.get(v, v) if k in _PAIR else v for k, v in line.cells.items()}
            lines.append(replace(line, cells=cells))
        return replace(self, lines=lines, is_renamed=True)


def read_list(
    text: str, fields: Sequence[str], chosen: Sequence[str] = (), *, pairs: bool = False
) -> ReadList:
    """Return the columns and lines of a list that may have the columns `fields`.

    `chosen` is what each column shall be; without it, this is found by headings and contents.

    Raises: FileRefused: the text cannot be read as a list.
    """
    rows = split_text(text)
    width = max(place + 1 for _n, cells in rows for place, cell in enumerate(cells) if cell)
    rows = [(number, [*cells, *[""] * width][:width]) for number, cells in rows]
    titles, heading, rows = _find_headings(rows, fields)
    if heading:
        # Printed pages repeat them.
        titles += [row for row in rows if row[1] == heading[1]]
        rows = [row for row in rows if row[1] != heading[1]]
    columns = [[cells[place] for _number, cells in rows] for place in range(width)]
    guessed = _guess(columns, heading, fields, pairs=pairs)
    by_place = [
        chosen[place] if place < len(chosen) and chosen[place] in (*fields, LEFT_OUT) else found
        for place, found in enumerate(guessed)
    ]
    headings = heading[1] if heading else [""] * width
    read = ReadList(
        text,
        fields,
        [
            (heading or _("Column %(number)s") % {"number": place + 1}, by_place[place])
            for place, heading in enumerate(headings)
        ],
        [cells for _number, cells in rows[:MOST_SAMPLES]],
        left_out=[(number, _joined(cells)) for number, cells in titles],
    )
    needed = [{"name", "reversed"}, *({each} for each in ("date", "points") if each in fields)]
    read.missing.extend(min(each) for each in needed if each.isdisjoint(by_place))
    if not read.missing:
        _add_lines(read, rows, by_place, together="partner" in fields)
    # Without a column of names in a list of names, nothing is left to choose.
    if not read.lines and not (read.missing and (chosen or "date" in fields)):
        raise FileRefused("names")
    return read


def _joined(cells: Iterable[str]) -> str:
    return " ".join(filter(None, cells))


def _find_headings(
    rows: Sequence[Row], fields: Sequence[str]
) -> tuple[list[Row], Row | None, list[Row]]:
    """Return the titles, the headings if there are any, and the rows below."""
    best, most = None, 0
    for at, (_number, cells) in enumerate(rows[:MOST_TITLES]):
        found = [each for each in map(heading_fields, cells) if each is not None]
        alone = any(not NAMES.isdisjoint(each) for each in found)
        alone = alone or (len(cells) > 1 and found == [[LEFT_OUT]])
        # Results have several: somebody may be called as a heading.
        if len(found) > most and (len(found) > 1 or (alone and "date" not in fields)):
            best, most = at, len(found)
    if best is not None:
        return list(rows[:best]), rows[best], list(rows[best + 1 :])
    titles = [row for row in rows[:1] if re.search(TITLES, plain_name(_joined(row[1])))]
    below = list(rows[len(titles) :])
    # Unknown headings stand above a column of numbers.
    for place, cell in enumerate(below[0][1] if len(below) > 2 else ()):
        column = [cells[place] for _number, cells in below[1:]]
        is_label = without_contacts(cell) and not re.search(r"[\d@＠]", cell)
        if is_label and any(column) and not _has_texts(column):
            return titles, below[0], below[1:]
    return titles, None, below


def heading_fields(cell: str) -> list[str] | None:
    """Return the fields that a heading names, in order; None if it is no heading."""
    # “Oyuncu 3” is somebody.
    if any(map(str.isdigit, cell)):
        return None
    parts = re.findall(r"\w+", _PHRASES.sub(r"\1", plain_name(cell).replace("-", "")))
    found: dict[str, None] = {}
    for word in parts:
        if word in IN_HEADINGS.split():
            continue
        begun = (name for begin, name in _BEGIN.items() if word.startswith(begin))
        name = _EXACT.get(word, next(begun, None))
        if name is None:
            return None
        found[name] = None
    return list(found) or None


def _guess(
    columns: Sequence[Sequence[str]], heading: Row | None, fields: Sequence[str], *, pairs: bool
) -> list[str]:
    """Return what each column is, by its heading, else by what it holds."""
    by_heading = [heading_fields(cell) for cell in heading[1]] if heading else [None] * len(columns)
    guessed = []
    for named, cells in zip(by_heading, columns, strict=True):
        found = [each for each in named or () if each in fields]
        reverse = found == ["name"] and _surname_first(cells)
        if reverse or found[:2] == ["surname", "name"]:
            found = ["reversed"]
        guessed.append(found[0] if found and found[0] not in guessed else LEFT_OUT)
    if "surname" in guessed:
        replaced = "reversed" if {"name", "reversed"} & {*guessed} else "surname"
        return ["name" if each == replaced else each for each in guessed]
    full = {n: [c for c in cells if c] for n, cells in enumerate(columns) if not by_heading[n]}
    free = [n for n, cells in full.items() if cells]
    texts = [n for n in free if _has_texts(full[n])]
    others = ["partner", "team", "represents"]
    if "date" in fields:
        days = [n for n in free if all(map(_DAY.fullmatch, full[n]))][:1]
        numbers = [n for n in free if all(read_points(c, ",") is not None for c in full[n])][-3:]
        # The last numbers are the points; those of rounds and tables stand before.
        kinds = ["round", "table", "points"][3 - len(numbers) :]
        for place, name in [*zip(days, ["date"], strict=False), *zip(numbers, kinds, strict=True)]:
            guessed[place] = LEFT_OUT if name in guessed else name
        texts = sorted({*texts}.difference(days), key=lambda n: -len({*full[n]}))
        others = ["evening"]
    if NAMES.isdisjoint(guessed) and texts:
        first, *texts = texts
        paired = pairs and not any(map(TOGETHER.search, columns[first]))
        order = None if paired or not texts else _order(columns[first], columns[texts[0]])
        if order and "date" not in fields:
            guessed[first], guessed[texts.pop(0)] = order
        else:
            guessed[first] = "reversed" if _surname_first(columns[first]) else "name"
        others = others if paired else [each for each in others if each != "partner"]
    if heading is None:
        for place, name in zip(texts, (each for each in others if each in fields), strict=False):
            guessed[place] = name
    return guessed


def _has_texts(cells: Sequence[str]) -> bool:
    """Return whether a column is no column of numbers, telephone numbers or mail addresses."""
    full = [cell for cell in cells if cell]
    return bool(full) and 2 * sum(bool(without_contacts(cell)) for cell in full) >= len(full)


def _given(cells: Iterable[str], part: Callable[[list[str]], str]) -> int:
    """Return how many cells have a frequent given name in a part of them."""
    names = (plain_name(cell).split() for cell in cells)
    return sum(part(each) in GIVEN for each in names if each)


def _capitals(word: str) -> bool:
    return word.isupper() and sum(map(str.isalpha, word)) > 1


def _surname_first(cells: Sequence[str]) -> bool:
    """Return whether names are like "YILMAZ Ayşe" or "Yılmaz Ayşe"."""
    names = [cell.split() for cell in cells if " " in cell and "," not in cell]
    first = sum(_capitals(name[0]) and not _capitals(name[-1]) for name in names)
    last = sum(_capitals(name[-1]) and not _capitals(name[0]) for name in names)
    if first + last > len(names) // 2:
        return first > last
    ahead, behind = _given(cells, itemgetter(0)), _given(cells, itemgetter(-1))
    return behind > 1 and behind > 2 * ahead


def _order(one: Sequence[str], other: Sequence[str]) -> tuple[str, str] | None:
    """Return which of two columns without headings is the name and the surname; None: neither."""
    both = [(a, b) for a, b in zip(one, other, strict=True) if a and b and without_contacts(b)]
    if len(both) < len(one) or len(both) < 2:
        return None
    first, second = ([pair[n] for pair in both] for n in (0, 1))
    capitals = [sum(map(str.isupper, cells)) for cells in (first, second)]
    given = [_given(cells, itemgetter(0)) for cells in (first, second)]
    if capitals[0] != capitals[1] and max(capitals) == len(both):
        return ("surname", "name") if capitals[0] > capitals[1] else ("name", "surname")
    if given[1] > given[0]:
        return "surname", "name"
    # Teams have several words or members, or numbers.
    alone = all(" " not in a and " " not in b and b.isalpha() for a, b in both)
    if alone and len(set(second)) == len(both) and (given[0] or len(both) > 2):
        return "name", "surname"
    return None


TOGETHER = re.compile(r"\s*[+&/]\s*")
"""Separators of the two names of a pair."""

_ORDINAL = re.compile(r"(?:(?:\d{1,4}[.)]|[-–•*])\s+)+")
"""Numbering of a line before the name."""


def _add_lines(
    read: ReadList, rows: Iterable[Row], by_place: Sequence[str], *, together: bool
) -> None:
    """Add the lines of a list, and list what is skipped.

    With `together`, two names may share a cell.
    """
    at = {name: place for place, name in reversed(list(enumerate(by_place))) if name}
    results, reverse = "date" in at, "name" not in at
    named = [cells[at["reversed" if reverse else "name"]] for _number, cells in rows]
    commas = 2 * sum(cell.count(",") == 1 for cell in named) >= len(named)
    for number, cells in rows:
        found = {name: cells[place] for name, place in at.items()}
        typed = _joined(found.pop(key, "") for key in ("name", "reversed", "surname"))
        name = without_contacts(typed)
        is_formula = typed.startswith(("=", "@")) or (typed.startswith("+") and name != "")
        name = typed if is_formula else name
        if results and typed and not name and found["date"]:
            # A telephone number is no name; the cell is not empty either.
            name = "-"
        # “Toplam: 12”, in the column of names or beside it.
        texts = [re.sub(r"[\W\d_]+", " ", plain_name(c)) for c in ([typed] if typed else cells)]
        nobody = not name if typed else results and not found["date"]
        if nobody or any(text.strip() in SUMS for text in texts):
            read.left_out.append((number, _joined(cells)))
            continue
        parts = {key: cell for key, cell in found.items() if key in ("partner", *LABELS)}
        kept = {key: without_contacts(cell) for key, cell in parts.items()} | {"name": name}
        parts["name"] = typed if name != "-" else name
        read.contacts.extend((number, c) for key, c in parts.items() if kept[key] != clean_line(c))
        faults = [
            (Wrong.DAMAGED, key) for key in ("name", *found) if DAMAGED in found.get(key, typed)
        ]
        if is_formula:
            # A spreadsheet would evaluate this text after an export.
            faults = [(Wrong.FORMULA, "name")]
        shown = found | kept
        fault = [ImportFault(c, number, key, {"text": shown[key][:40]}) for c, key in faults[:1]]
        pair = [_ORDINAL.sub("", name, count=1), *filter(None, [kept.get("partner", "")])]
        if together and len(pair) == 1:
            pair = TOGETHER.split(pair[0], maxsplit=1)
        names = [in_order(each, reverse=reverse, commas=commas) for each in pair]
        kept |= dict(zip(_PAIR, names, strict=False))
        read.lines.append(ListLine(number, found | kept, *fault))


def in_order(name: str, *, reverse: bool, commas: bool) -> str:
    """Return a name with the surname last: of "Yılmaz, Ayşe", "YILMAZ Ayşe" or "Yılmaz Ayşe".

    `commas` tells that most names of the list have one.
    """
    before, comma, behind = name.partition(", ")
    if comma and "," not in behind:
        # Behind several words the comma may begin something else: "Ayşe Çelik, Moda".
        return f"{behind} {before}" if reverse or commas or " " not in before else name
    parts = name.split()
    if not reverse or len(parts) < 2 or comma:
        return name
    capitals = next((n for n, word in enumerate(parts) if not _capitals(word)), 0)
    return " ".join([*parts[capitals or 1 :], *parts[: capitals or 1]])


_WORD = re.compile(r"[^\W_]+")
_TURKISH_LETTERS = frozenset("ğışĞİŞ")
_FOREIGN = re.compile(r"[qwx]|(?![çğıöşüâîûi\u0307])[^\W\da-z]")


def as_name(name: str, *, is_turkish: bool) -> str:
    """Return a name that is all in capitals, or in none, as names are written.

    Of others, words in capitals are changed: "Ayşe YILMAZ".
    """
    in_small = name.islower()
    is_turkish = is_turkish and not _FOREIGN.search(name.lower())

    def written(found: re.Match[str]) -> str:
        word = found[0]
        capitals = _capitals(word) and not re.fullmatch("I{2,3}|IV|VI", word)
        if not in_small and not capitals:
            return word
        small = (word.translate(LOWER) if is_turkish else word).lower()
        if small.startswith("mc") and len(small) > 3:
            return f"Mc{small[2].upper()}{small[3:]}"
        dotted = small[0] == "i" and (is_turkish or get_language() == "tr")
        return ("İ" if dotted else small[0].upper()) + small[1:]

    return _WORD.sub(written, name)


FIRST_YEAR = 1900
FIRST_SERIAL, LAST_SERIAL = 20_000, 80_000
"""Days of Excel, counted from 1899-12-30: from 1954 to 2119."""

# Spreadsheets write midnight for no hour.
_HOUR = r"(?:[T ,]+(?:00?:00(?::00)?|(?P<hour>\d{1,2})[:.]\d{2}(?:[:.]\d{2}(?:\.\d+)?)?))?"
_DAY = re.compile(
    r"(\d{1,4}|[^\W\d]{3,})[-./ ]{1,2}(\d{1,2}|[^\W\d]{3,})[-./, ]{1,2}(\d{4}|\d{1,2})" + _HOUR
)
MONTHS = (
    "oca gen jan,sub feb,mar,nis apr,may mag,haz giu jun,tem lug jul,agu ago aug,eyl set sep,"
    "eki ott oct,kas nov,ara dic dec"
)
_MONTHS = {
    begin: number
    for number, begins in enumerate(MONTHS.split(","), start=1)
    for begin in begins.split()
}


def read_days(cells: Iterable[str]) -> list[date | None]:
    """Parse a column of dates; None for a cell without a date.

    Days come before months unless the column shows the reverse: 11/20/2026. A game after midnight
    belongs to the evening before.
    """
    cells = list(cells)
    found = [_DAY.fullmatch(cell) for cell in cells]
    numbers = [(int(m[1]), int(m[2])) for m in found if m and (m[1] + m[2]).isdecimal()]
    month_first = any(b > 12 for _a, b in numbers) and all(a <= 12 for a, _b in numbers)
    each = zip(cells, found, strict=True)
    return [_day(m, month_first=month_first) if m else _day_of_serial(c) for c, m in each]


def _day_of_serial(cell: str) -> date | None:
    serial = float(cell) if re.fullmatch(r"\d{5}(\.\d+)?", cell) else 0
    if not FIRST_SERIAL <= serial < LAST_SERIAL:
        return None
    # Midnight stands for no hour.
    moment = timedelta(days=serial) - (NIGHT if serial % 1 else timedelta())
    return date(1899, 12, 30) + timedelta(days=moment.days)


def _day(match: re.Match[str], *, month_first: bool) -> date | None:
    day, month, year = (_MONTHS.get(plain_name(part)[:3], part) for part in match.groups()[:3])
    if len(match[1]) == 4 and match[1].isdecimal():
        day, year = year, day
    elif month_first or match[1].isalpha():
        day, month = month, day
    hour = int(match["hour"] or 12)
    try:
        found = date(int(year) + (2000 if len(str(year)) == 2 else 0), int(month), int(day))
    except ValueError:
        return None
    if found.year < FIRST_YEAR or hour > 23:
        return None
    return found - timedelta(days=timedelta(hours=hour) < NIGHT)


def read_points_of(cells: Iterable[str], decimal: str) -> list[Points | None]:
    """Parse a column of points; None for a cell without a number.

    The decimal mark is the one that the numbers of the column show ("50,5" beside "1.000"), else
    that of the reader's language, `decimal`.
    """
    cells = list(cells)
    # A last mark with two kinds of them, or with other than three digits behind it.
    ends = [re.search(r"(?:,.*(\.)|\..*(,)|([.,])(?!\d{3}$))\d*$", cell) for cell in cells]
    seen = {end[1] or end[2] or end[3] for end in ends if end}
    decimal = min(seen) if len(seen) == 1 else decimal
    return [read_points(cell, decimal) for cell in cells]


MOST_COUNTED = 999


def read_count(cell: str) -> int | None:
    """Return the number of a round or table, from 1, like 2 or 2.; None if it is invalid."""
    text = cell.strip().removesuffix(".")
    number = int(text) if text.isascii() and text.isdecimal() and len(text) < 6 else 0
    return number if 1 <= number <= MOST_COUNTED else None


YES = "1 x ok odedi odendi pagato paid evet e si s yes y true dogru vero ✓"
NO = "0 hayir h no n false yanlis falso -"


def read_yes(cell: str) -> bool | None:
    """Return whether a cell is ticked, in one of the three languages; None if unclear."""
    word = plain_name(cell).strip()
    return True if word in YES.split() else False if word in ["", *NO.split()] else None


def read_fee(cell: str) -> bool | None:
    """Return whether a fee is paid, by a tick or an amount; None if unclear."""
    return bool(re.search("[1-9]", cell)) if re.search(r"\d", cell) else read_yes(cell)
