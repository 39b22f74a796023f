"""Fields of the options of a table: the questions "How do you play?", and an amount."""

import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from django import forms
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from tournaments.engine.rules.entries import write_points
from tournaments.engine.rules.rulesets import LARGEST_COUNT, Option, Ruleset, Setting, number_of
from tournaments.texts import labels
from tournaments.texts.questions import MEANINGLESS, Question, questions_of


class AmountField(forms.CharField):
    """An amount, typed as 0.10, 0,10 or 1/10; empty or 0 is None."""

    def clean(self, value: Any) -> int | str | None:
        """Return the amount as in a record: a whole number or `"p/q"`."""
        text = str(super().clean(value)).replace(" ", "")
        if not text:
            return None
        amount: Fraction | None = None
        if decimal := _DECIMAL.fullmatch(text):
            amount = Fraction(f"{decimal[1]}.{decimal[2] or 0}")
        elif (quotient := _QUOTIENT.fullmatch(text)) and int(quotient[2]):
            amount = Fraction(int(quotient[1]), int(quotient[2]))
        if amount is None:
            raise forms.ValidationError(_("An amount, like 1 or 0.10"), code="invalid")
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


@dataclass(frozen=True)
class QuestionField:
    """A question on a page; `look` gives the kind of field.

    While another field has the value of `not_with`, as `name=value`, only the usual answer means
    something; `why` says so.
    """

    question: Question
    field: forms.BoundField
    not_with: str = ""
    why: str = ""

    @property
    def look(self) -> str:
        return look_of(self.question.options[0])

    @property
    def answers(self) -> list[tuple[str, str]]:
        """The values and texts of the answers, the usual one first."""
        return list(self.question.answers())


def look_of(option: Option) -> str:
    """Return the kind of field for an option: a switch for the values on and off."""
    if option.kind != "one-of":
        return option.kind
    return "switch" if set(option.values) == {True, False} else "one-of"


def field_of(question: Question) -> forms.Field:
    """Return the field of a question; an empty value means the usual answer."""
    option = question.options[0]
    field: forms.Field
    if option.kind == "one-of":
        answers = list(question.answers())
        field = forms.TypedChoiceField(
            choices=answers,
            coerce=question.read,
            empty_value=question.read(None),  # type: ignore[arg-type]  # any value may be one
            initial=answers[0][0],
            # A switch has two inputs of one name: the hidden one says that an unticked box was
            # on the page.
            widget=forms.TextInput() if look_of(option) == "switch" else forms.RadioSelect(),
        )
    else:
        step = 2 if option.kind == "even-count" else 1
        field = forms.IntegerField(
            min_value=step,
            max_value=LARGEST_COUNT,
            step_size=step,
            error_messages={"invalid": _("A whole number"), "step_size": _("An even number")},
        )
        field.widget.attrs["placeholder"] = " · ".join(text for _value, text in question.answers())
    field.required = False
    field.label = labels.option_name(question.name)
    field.help_text = question.text
    return field


def question_fields(form: forms.Form, rules: Ruleset, at: str = "") -> list[QuestionField]:
    fields = []
    for question in questions_of(rules):
        if f"{at}{question.name}" in form.fields:
            other, value = MEANINGLESS.get(question.name, ("", ""))
            clash = ("", "")
            if f"{at}{other}" in form.fields:
                why = _("This has no meaning with “%(answer)s”.")
                answer = f"{labels.option_name(other)}: {labels.option_value_name(other, value)}"
                clash = f"{at}{other}={value}", why % {"answer": answer}
            fields.append(QuestionField(question, form[f"{at}{question.name}"], *clash))
    return fields


def options_in(form: forms.Form, rules: Ruleset, at: str = "") -> dict[str, Setting]:
    """Return the options that differ from the usual, as far as a form has them."""
    settings: dict[str, Any] = {}
    cleaned = getattr(form, "cleaned_data", {})
    for each in question_fields(form, rules, at):
        settings |= each.question.read(cleaned.get(each.field.name, each.field.value()))
    return rules.changed_options(settings)


def check_answers(form: forms.Form, rules: Ruleset, at: str = "") -> None:
    """Refuse answers that mean nothing beside another."""
    options = options_in(form, rules, at)
    settings = {**rules.settings, **options}
    for each in question_fields(form, rules, at):
        other, _equals, value = each.not_with.removeprefix(at).partition("=")
        changed = any(option.setting in options for option in each.question.options)
        if changed and other and str(settings.get(other)) == value:
            form.add_error(each.field.name, each.why)
