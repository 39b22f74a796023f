"""Fields of forms: lines of text, and points as people type them."""

import re
from fractions import Fraction
from functools import partial
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournaments.engine.play.games import FINEST_PART, MOST_POINTS
from tournaments.engine.rules.entries import clean_line
from tournaments.engine.rules.rulesets import LONGEST_NAME, Points, whole
from tournaments.reports.typesetting import missing_letters


class LineField(forms.CharField):
    """One line of shown text, cleaned of control characters and of what is invisible.

    By default it is as long as a name.
    """

    def __init__(self, *, max_length: int = LONGEST_NAME, **options: Any) -> None:
        super().__init__(max_length=max_length, **options)

    def to_python(self, value: Any) -> str:
        text = super().to_python(value) or ""
        # Django refuses NUL after this.
        return text if "\0" in text else clean_line(text)


TYPED = {"autocomplete": "off", "autocapitalize": "words", "spellcheck": "false"}
"""Attributes of a field for names."""

NameField = partial(
    LineField,
    widget=forms.TextInput(TYPED),
    error_messages={"required": gettext_lazy("What is the player called?")},
)


def warn_of_boxes(request: HttpRequest, *names: str) -> None:
    """Warn that letters of these names will be boxes in documents."""
    if letters := missing_letters("".join(names)):
        text = _("No font of this server has these letters; documents show boxes: %(letters)s")
        messages.warning(request, text % {"letters": " ".join(letters[:20])})


_MINUS = str.maketrans("−–‒﹣－", "-----")
_NUMBER = re.compile(r"[+-]?\d[\d.,]*")
_SPACES = re.compile(r"[\s'’]+")

DECIMAL_COMMA, DECIMAL_POINT = ",", "."


def read_points(cell: object, decimal: str) -> Points | None:
    """Return points like −120, 1.250 or 1,250.5; None if they are invalid.

    If both point and comma occur, the last one separates the decimals. One alone does so
    unless three digits follow it and it is not `decimal`, the mark of the reader's language.
    """
    text = _SPACES.sub("", str(cell)).translate(_MINUS)
    if not _NUMBER.fullmatch(text):
        return None
    number = _plain_number(text, decimal)
    if number is None:
        return None
    points = whole(Fraction(number))
    fits = -MOST_POINTS <= points <= MOST_POINTS and FINEST_PART % points.denominator == 0
    return points if fits else None


def _plain_number(text: str, decimal: str) -> str | None:
    """Return a number with a decimal point and without thousands separators."""
    marks = [mark for mark in text if mark in ".,"]
    if not marks:
        return text
    last = marks[-1]
    head, _mark, tail = text.rpartition(last)
    thousands = last != decimal and len(tail) == 3 and 1 <= len(head.lstrip("+-")) <= 3
    if len(set(marks)) == 1 and (len(marks) > 1 or thousands):
        return _joined(text, last)
    if last in head or not tail:
        return None
    joined = _joined(head, DECIMAL_POINT if last == DECIMAL_COMMA else DECIMAL_COMMA)
    return joined and f"{joined}.{tail}"


def _joined(text: str, mark: str) -> str | None:
    """Return a number without its thousands separators; None if they are misplaced."""
    first, *groups = text.split(mark)
    if groups and (any(len(group) != 3 for group in groups) or not first.lstrip("+-")):
        return None
    return "".join([first, *groups])
