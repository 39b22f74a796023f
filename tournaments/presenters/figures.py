"""Measured values as figures on a sheet."""

from decimal import Decimal

from django.utils.formats import number_format

from tournaments.engine.rules.rulesets import Points
from tournaments.texts.labels import MINUS, points_text


def figure(value: Points) -> str:
    """Return a figure as on a sheet; one decimal unless it is a multiple of a quarter."""
    text = points_text(value)
    return measure_text(value).replace("-", MINUS) if "/" in text else text


def measure_text(value: Points) -> str:
    """Return a measured value of a seating, with one decimal unless it is whole."""
    if value == int(value):
        return str(int(value))
    return number_format(Decimal(value.numerator) / value.denominator, 1, use_l10n=True)
