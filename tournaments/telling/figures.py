"""What was measured, as a figure on a sheet."""

from decimal import Decimal

from django.utils.formats import number_format

from tournaments.engine.rulesets import Points
from tournaments.words import MINUS, points_text


def figure(value: Points) -> str:
    """A figure as a sheet writes it; what is no half or quarter with one digit after the comma."""
    text = points_text(value)
    return measure_text(value).replace("-", MINUS) if "/" in text else text


def measure_text(value: Points) -> str:
    """What was measured of a seating, with one digit after the comma unless it is whole."""
    if value == int(value):
        return str(int(value))
    return number_format(Decimal(value.numerator) / value.denominator, 1, use_l10n=True)
