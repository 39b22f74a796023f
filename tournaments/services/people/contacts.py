"""Telephone numbers, mail addresses and other numbers beside names: they are never published."""

import re

from tournaments.engine.rules.entries import clean_line

# “Team 7, 0532 …” has a number of its own before the comma.
_SEPARATORS = r"(?:[^\w,;]|_|,(?!\s)){0,6}"
_LABEL = (
    r"(?:(?<!\w)(?:tel|telefon|telefono|telephone|phone|gsm|cep|cell|cellulare|mobile|fax|whatsapp"
    r"|iban|mailto|mail|e-?mail|e-?posta)[.:\s]{0,3})?"
)
_ADDRESS = r"[^\s@＠﹫<>;,:]{1,64}[@＠﹫][^\s@＠﹫<>;,]{1,64}"
# Seven digits in a row but for separators, or three behind a plus sign.
_PHONE = (
    rf"{_LABEL}[+(＋（]{{0,2}}\d(?:{_SEPARATORS}\d){{6,}}[)）]?|[+＋]\s?\d(?:{_SEPARATORS}\d){{2,}}"
)
_CONTACT = re.compile(rf"{_LABEL}<?{_ADDRESS}>?|{_PHONE}", re.IGNORECASE)
_IBAN = re.compile(
    r"(?<!\w)[a-z]{2}\d{2}(?:\s?[a-z\d]{4}){2,7}(?:\s?[a-z\d]{1,3})?(?!\w)", re.IGNORECASE
)
# With a label before it, or as spreadsheets write a long number: 3,93331E+11.
_NUMBER = re.compile(rf"{_LABEL}[\d\s().+/-]+|[-+]?\d+(?:[.,]\d+)?e[-+]?\d+", re.IGNORECASE)

LONGEST = 300
"""Characters of a cell that are read: a longer one is no name."""


def without_contacts(text: str) -> str:
    """Return a text without telephone numbers and mail addresses; empty if only a number is left.

    A name may contain a number of a few digits: “3. Masa”, “Team 7”, “42 Kings”.
    """
    # What cannot be seen may stand between the digits.
    text = clean_line(text)[:LONGEST]
    rest = _CONTACT.sub(" ", _IBAN.sub(_unless_name, text))
    if rest != text:
        rest = " ".join(rest.split()).strip(" ,;:|/()<>[]-–—")
    if not any(map(str.isalpha, rest)):
        return "" if rest != text or any(map(str.isnumeric, rest)) else rest
    return "" if _NUMBER.fullmatch(rest) else rest


def has_contact(text: str) -> bool:
    """Return whether a text contains what `without_contacts` leaves out."""
    return without_contacts(text) != clean_line(text)[:LONGEST]


def _unless_name(match: re.Match[str]) -> str:
    return " " if sum(map(str.isdigit, match[0])) >= 8 else match[0]
