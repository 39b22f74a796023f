"""Measured values of a seating."""

from decimal import Decimal

from django.utils.formats import number_format

from tournaments.engine.rules.rulesets import Points


def measure_text(value: Points) -> str:
    """Return a measured value of a seating, with one decimal unless it is whole."""
    if value == int(value):
        return str(int(value))
    return number_format(Decimal(value.numerator) / value.denominator, 1, use_l10n=True)
