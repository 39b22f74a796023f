"""The options of a ruleset as form fields, by the kind of their values."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from django import forms
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from tournaments.engine.rules.entries import write_points
from tournaments.engine.rules.rulesets import LARGEST_COUNT, Option, Ruleset, Setting, number_of
from tournaments.texts import labels

Chosen = Mapping[str, Any]
"""Options by name; None for an unchanged one."""


class MoneyField(forms.CharField):
    """Money per point, typed as 0.10, 0,10 or 1/10; empty or 0 means no stake."""

    def clean(self, value: Any) -> int | str | None:
        """Return the amount as in a record: a whole number or `"p/q"`."""
        text = str(super().clean(value)).replace(" ", "")
        if not text:
            return None
        amount = _amount_of(text)
        if amount is None:
            raise forms.ValidationError(_("An amount of money, like 0.10"), code="invalid")
        return write_points(amount) if amount else None

    def prepare_value(self, value: Any) -> Any:
        """Return an amount as typed in the reader's language."""
        amount = number_of(value)
        if amount is None or Fraction(amount * 100).denominator != 1:
            return value
        decimals = 0 if Fraction(amount).denominator == 1 else 2
        exact = Decimal(Fraction(amount * 100).numerator) / 100
        return number_format(exact, decimals, use_l10n=True, force_grouping=False)


_DECIMAL = re.compile(r"([0-9]{1,6})(?:[.,]([0-9]{1,4}))?")
_QUOTIENT = re.compile(r"([0-9]{1,6})/([0-9]{1,6})")


def _amount_of(text: str) -> Fraction | None:
    decimal = _DECIMAL.fullmatch(text)
    if decimal:
        return Fraction(f"{decimal[1]}.{decimal[2] or 0}")
    quotient = _QUOTIENT.fullmatch(text)
    if quotient and int(quotient[2]):
        return Fraction(int(quotient[1]), int(quotient[2]))
    return None


@dataclass(frozen=True)
class OptionField:
    """An option on a page; `look` gives the kind of field."""

    look: str
    field: forms.BoundField
    changed: bool


def field_of(rules: Ruleset, option: Option) -> forms.Field:
    """Return the field of an option, translated; an empty value means the default."""
    field = FIELDS[look_of(option)](rules, option)
    field.required = False
    field.label = labels.option_name(option.setting)
    field.help_text = labels.option_help(option.setting)
    return field


def look_of(option: Option) -> str:
    """Return the kind of field for an option: a switch for the values on and off."""
    if option.kind != "one-of":
        return option.kind
    return "switch" if set(option.values) == {True, False} else "one-of"


def option_fields(
    form: forms.Form, rules: Ruleset, names: Mapping[str, str]
) -> tuple[OptionField, ...]:
    """Return the options of a ruleset as form fields; `names` maps options to field names."""
    return tuple(
        _on_page(rules, option, form[names[option.setting]])
        for option in rules.options
        if names[option.setting] in form.fields
    )


def _on_page(rules: Ruleset, option: Option, field: forms.BoundField) -> OptionField:
    value, default = field.value(), default_of(rules, option.setting)
    changed = value not in (None, "") and str(value) != str(default)
    return OptionField(look_of(option), field, changed)


def changed_options(rules: Ruleset, chosen: Chosen) -> dict[str, Setting]:
    """Return the options that differ from the defaults implied by the ruleset and other choices."""
    defaults: dict[str, Any] = {o.setting: default_of(rules, o.setting) for o in rules.options}
    for name, value in chosen.items():
        defaults.update(rules.implied.get(name, {}).get(value, {}))
    return {
        name: value
        for name, value in chosen.items()
        if value is not None and value != defaults.get(name)
    }


def default_of(rules: Ruleset, setting: str) -> Any:
    """Return the default of an option; None if the option does not exist then."""
    # The number of deals is not a setting of a ruleset until a table chooses one.
    return rules.settings.get(setting, getattr(rules, setting, None))


def implied_defaults(rules: Ruleset, setting: str) -> list[tuple[str, Setting]]:
    """Return the other defaults of an option, each with the choice (as text) that implies it."""
    return [
        (labels.option_value_name(other, value), defaults[setting])
        for other, values in rules.implied.items()
        for value, defaults in values.items()
        if setting in defaults
    ]


def _one_of(rules: Ruleset, option: Option) -> forms.Field:
    return _choices(rules, option, forms.RadioSelect())


def _switch(rules: Ruleset, option: Option) -> forms.Field:
    # Two inputs of one name: the hidden one says that an unticked box was on the page.
    return _choices(rules, option, forms.TextInput())


def _choices(rules: Ruleset, option: Option, widget: forms.Widget) -> forms.TypedChoiceField:
    values = {str(value): value for value in option.values}
    default = str(default_of(rules, option.setting))
    return forms.TypedChoiceField(
        choices=[(v, labels.option_value_name(option.setting, values[v])) for v in values],
        coerce=values.__getitem__,
        empty_value=values.get(default),  # type: ignore[arg-type]  # any value may be one
        initial=default,
        widget=widget,
    )


def _count(rules: Ruleset, option: Option) -> forms.Field:
    step = 2 if option.kind == "even-count" else 1
    field = forms.IntegerField(
        min_value=step,
        max_value=LARGEST_COUNT,
        step_size=step,
        error_messages={
            "invalid": _("A whole number"),
            "step_size": _("An even number"),
        },
    )
    default = [str(default_of(rules, option.setting))]
    default += [f"{name}: {value}" for name, value in implied_defaults(rules, option.setting)]
    field.widget.attrs["placeholder"] = " · ".join(default)
    return field


def _money(_rules: Ruleset, _option: Option) -> forms.Field:
    field = MoneyField(max_length=15)
    field.widget.attrs["placeholder"] = _("none")
    return field


FIELDS: Mapping[str, Callable[[Ruleset, Option], forms.Field]] = MappingProxyType(
    {
        "one-of": _one_of,
        "switch": _switch,
        "count": _count,
        "even-count": _count,
        "money": _money,
    }
)
"""The field of each look of an option."""


def options_text(options: Mapping[str, Any]) -> str:
    said = (
        f"{labels.option_name(name)}: {labels.option_value_name(name, value)}"
        for name, value in options.items()
    )
    return "; ".join(said) or "–"
