"""The questions "How do you play?": options of a table, their answers, and both as text."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

from django.utils.translation import gettext as _

from tournaments.engine.rules.rulesets import PENALTY, Option, Ruleset, Setting
from tournaments.texts import labels

TOGETHER: Mapping[str, str] = {"king_tricks": "king_in_a_row", "order": "order_by"}
"""The settings that are asked about in one question: the second with the first."""

ELSEWHERE = ("stake", "stake_per", "adjustment_to")
"""Asked for every game alike: who pays whom, and with each mistake who gets the points."""

MEANINGLESS: Mapping[str, tuple[str, Setting]] = {
    "king_tricks": ("king", "off"),
    "king_in_a_row": ("king", "off"),
    "king_deals": ("king", "off"),
    "doubles_duty": ("doubles_rule", "free"),
    "sale_debt": ("sale", False),
}
"""Settings that change nothing beside a value of another."""


@dataclass(frozen=True)
class Question:
    """A question about an option of a ruleset, or about two."""

    rules: Ruleset
    options: tuple[Option, ...]

    @property
    def name(self) -> str:
        return self.options[0].setting

    @property
    def text(self) -> str:
        return labels.option_help(self.name)

    @cached_property
    def usual(self) -> tuple[Any, ...]:
        return tuple(self.rules.default_of(option.setting) for option in self.options)

    def implied(self) -> dict[Setting, list[str]]:
        """Return the other defaults, and the answers to other questions that they follow from."""
        follows: dict[Setting, list[str]] = {}
        for other, values in self.rules.implied.items():
            for value, defaults in values.items():
                if self.name in defaults:
                    answer = labels.option_value_name(other, value)
                    follows.setdefault(defaults[self.name], []).append(answer)
        return follows

    @cached_property
    def values(self) -> dict[str, tuple[Setting, ...]]:
        """The settings of each answer by its value in a form, the usual answer first."""
        found: list[tuple[Any, ...]] = list(product(*(o.values for o in self.options)))
        found.sort(key=lambda values: values != self.usual)
        if self.name == "king_tricks" and len(self.options) > 1:
            # So many tricks are King, whether in a row or not.
            found = [values for values in found if not values[1] or values[1] < values[0]]
        return {self.write(values): values for values in found}

    def answers(self) -> Iterator[tuple[str, str]]:
        """Yield the values of the form, and their texts; a number has only its defaults."""
        usual = labels.option_value_name(self.name, self.usual[0])
        if not self.values:
            yield "", usual
            for value, others in self.implied().items():
                yield "", f"{', '.join(others)}: {value}"
        elif follows := self.implied():
            for value, others in follows.items():
                usual = _("%(usual)s; with %(others)s: %(value)s") % {
                    "usual": usual,
                    "others": " / ".join(others),
                    "value": labels.option_value_name(self.name, value),
                }
            yield "", usual
        for written, values in self.values.items():
            yield written, self._text(values)

    def _text(self, values: tuple[Setting, ...]) -> str:
        names = [option.setting for option in self.options]
        if names != ["order", "order_by"]:
            return answer_text(dict(zip(names, values, strict=True)))
        ordered = self.rules.with_options({"order_by": values[1]})
        penalties = [contract for contract in ordered.contracts if contract.kind == PENALTY]
        penalties.sort(key=lambda contract: ordered.expense[contract.id])
        names = [labels.contract_short(ordered, each.id) for each in penalties]
        return f"{labels.option_value_name('order', values[0])}: {', '.join(names)}"

    def write(self, values: tuple[Any, ...]) -> str:
        """Return an answer as in a form; a second setting at its default is left out."""
        second = values[1:] if values[1:] != self.usual[1:] else ()
        return ",".join(map(str, (values[0], *second)))

    def answer_of(self, options: Mapping[str, Any]) -> Any:
        """Return the answer in the options of a table, as a form has it."""
        if self.name not in options and (self.implied() or not self.values):
            return ""
        values = [options.get(o.setting, self.rules.default_of(o.setting)) for o in self.options]
        return self.write(tuple(values)) if len(values) > 1 else values[0]

    def read(self, value: Any) -> dict[str, Any]:
        """Return the settings of an answer; None is their defaults."""
        if isinstance(value, dict):
            return value
        names = [option.setting for option in self.options]
        values = self.values.get(str(value))
        if values is None:
            return dict.fromkeys(names) | {self.name: value or None}
        return dict(zip(names, values, strict=True))


def questions_of(rules: Ruleset) -> list[Question]:
    """Return the questions about the options of a ruleset, in their order."""
    options = {o.setting: o for o in rules.options if o.setting not in ELSEWHERE}
    seconds = {TOGETHER[name] for name in options.keys() & TOGETHER.keys()}
    return [
        Question(rules, (option, options[second]) if second in options else (option,))
        for name, option in options.items()
        if name not in seconds
        for second in [TOGETHER.get(name, "")]
    ]


def answers_in(rules: Ruleset, options: Mapping[str, Any], at: str = "") -> dict[str, Any]:
    """Return the answers in the options of a table, by field name; these begin with `at`."""
    return {f"{at}{each.name}": each.answer_of(options) for each in questions_of(rules)}


def answer_text(settings: Mapping[str, Any]) -> str:
    texts = [labels.option_value_name(*each) for each in settings.items()]
    if settings.keys() != {"king_tricks", "king_in_a_row"}:
        return ", ".join(texts)
    both = {"tricks": texts[0], "number": texts[1]}
    return _("%(tricks)s, or %(number)s in a row") % both if settings["king_in_a_row"] else texts[0]


def options_text(options: Mapping[str, Any]) -> str:
    seconds = {TOGETHER[name] for name in options.keys() & TOGETHER.keys()}
    parts = []
    for name in (each for each in options if each not in seconds):
        both = (name, TOGETHER.get(name, ""))
        settings = {each: options[each] for each in both if each in options}
        parts.append(f"{labels.option_name(name)}: {answer_text(settings)}")
    return " · ".join(parts)
