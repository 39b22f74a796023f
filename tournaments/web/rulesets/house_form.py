"""House rules as a form: fields are named by their paths in the document, with their errors."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournaments.engine.documents.ruleset_records import read_ruleset
from tournaments.engine.play.ruleset_checks import FIXED, SETTINGS
from tournaments.engine.rules.entries import write_points
from tournaments.engine.rules.rulesets import (
    PENALTY,
    TRUMP,
    Contract,
    InvalidEntry,
    Problem,
    Ruleset,
)
from tournaments.engine.rules.scoring import Range, RulesetSums, sums_of
from tournaments.texts import labels, messages

Document = dict[str, Any]

OWN_FIELDS = ("deals", "target", "naming")
"""Settings with a field of their own, or with none."""

OF_KING = ("king", "king_deals", "out")

LABELS: Mapping[str, labels.Text] = MappingProxyType(
    {
        "outcome": gettext_lazy("Outcome"),
        "dealer": gettext_lazy("Dealer"),
        "march_alone": gettext_lazy("March alone"),
        "euchred_alone_by_alone": gettext_lazy("Lone maker euchred by a lone defender"),
    }
)

VALUES: Mapping[tuple[str, str], labels.Text] = MappingProxyType(
    {
        ("outcome", "out-and-sunk"): gettext_lazy("out above the bar, sunk below it"),
        ("outcome", "pair-out-and-sunk"): gettext_lazy("one pair out, the other sunk"),
        ("outcome", "highest-wins"): gettext_lazy("the highest score wins"),
        ("dealer", "before"): gettext_lazy("sits before the declarer"),
        ("dealer", "declares"): gettext_lazy("declares"),
    }
)


@dataclass(frozen=True)
class HouseField:
    """A field with its path in the document, its value and its errors."""

    path: str
    label: str
    value: str
    errors: tuple[str, ...] = ()
    choices: tuple[tuple[str, str], ...] = ()

    @property
    def id(self) -> str:
        return self.path.replace(".", "-")


@dataclass(frozen=True)
class ContractFields:
    """The fields of one contract."""

    number: int
    title: str
    fields: tuple[HouseField, ...]
    slot: HouseField


@dataclass(frozen=True)
class SettingFields:
    """A setting: its default, and whether the table may choose."""

    default: HouseField
    choosable: bool
    chosen: bool

    @property
    def setting(self) -> str:
        return self.default.path.rpartition(".")[2]


@dataclass(frozen=True)
class HouseDraft:
    """The document of the form, parsed as far as possible."""

    document: Document
    rules: Ruleset | None
    problems: tuple[Problem, ...]

    @classmethod
    def of(cls, document: Document) -> "HouseDraft":
        """Return the draft of a document, whatever its errors."""
        try:
            return cls(document, read_ruleset(document), ())
        except InvalidEntry as error:
            return cls(document, None, error.problems)

    @property
    def sums(self) -> RulesetSums | None:
        """The sums of a deal and a game; None while they cannot be computed."""
        return None if self.rules is None else sums_of(self.rules)

    def errors_at(self, path: str) -> tuple[str, ...]:
        found = (p for p in self.problems if _place_of(p) == path)
        return tuple(dict.fromkeys(messages.explain(problem) for problem in found))

    def field(self, path: str, label: str, choices: Iterable[tuple[str, str]] = ()) -> HouseField:
        return HouseField(
            path, label, _shown(_at(self.document, path)), self.errors_at(path), (*choices,)
        )


def _place_of(problem: Problem) -> str:
    """Return where to show a problem: an option at its setting, a part of the game at its deals."""
    if problem.where.startswith("options.") and "option" in problem.params:
        return f"settings.{problem.params['option']}"
    stage = re.match(r"stages\.\d+", problem.where)
    return f"{stage[0]}.deals" if stage else problem.where


def _at(document: Any, path: str) -> Any:
    for step in path.split("."):
        if isinstance(document, dict):
            document = document.get(step)
        elif isinstance(document, list) and step in map(str, range(len(document))):
            document = document[int(step)]
        else:
            return None
    return document


def _shown(value: Any) -> str:
    return "" if value is None else str(value)


# Fields.


def heading_fields(draft: HouseDraft) -> Iterator[HouseField]:
    yield draft.field("name", _("Name"))
    if not draft.document.get("stages"):
        yield draft.field("deals", _("Deals"))
    yield draft.field("settings.target", _("Target (points at which the game ends)"))


def contract_fields(draft: HouseDraft) -> Iterator[ContractFields]:
    """Yield the fields of each contract, in order."""
    kinds = [(kind, labels.kind_name(kind)) for kind in kinds_of(draft.document)]
    for number, contract in enumerate(draft.document.get("contracts", ())):
        at = f"contracts.{number}"
        known = labels.contract_name(str(contract.get("id")))
        fields = [draft.field(f"{at}.name", _("Name (in every language)"))]
        fields += [
            draft.field(f"{at}.values.{unit}", _("Points for each: %(unit)s") % {"unit": name})
            for unit in contract.get("values", {})
            if (name := labels.unit_name(unit))
        ]
        fields += [
            draft.field(f"{at}.prizes.{place}", _("Prize %(number)s") % {"number": place + 1})
            for place in range(len(contract.get("prizes", ())))
        ]
        fields += [
            draft.field(f"{at}.kind", _("Kind"), kinds),
            draft.field(f"{at}.quota", _("How often in a game")),
            draft.field(f"{at}.quota_each", _("How often by one side")),
        ]
        slot = HouseField(at, "", "", _rest(draft, at, fields))
        yield ContractFields(number, contract.get("name") or known, tuple(fields), slot)


def _rest(draft: HouseDraft, at: str, fields: Sequence[HouseField]) -> tuple[str, ...]:
    """Return the errors of a contract that belong to none of its fields."""
    shown = {field.path for field in fields}
    within = [p for p in draft.problems if _place_of(p).startswith(f"{at}.")]
    rest = [messages.explain(p) for p in within if _place_of(p) not in shown]
    return tuple(dict.fromkeys(rest))


def kinds_of(document: Document) -> list[str]:
    kinds = [str(contract.get("kind")) for contract in document.get("contracts", ())]
    return list(dict.fromkeys([*kinds, PENALTY, TRUMP]))


def quota_fields(draft: HouseDraft) -> Iterator[HouseField]:
    """Yield the quotas of each kind for one side."""
    kinds = [str(contract.get("kind")) for contract in draft.document.get("contracts", ())]
    for kind in dict.fromkeys([*kinds, *draft.document.get("quotas", {})]):
        yield draft.field(f"quotas.{kind}", labels.kind_name(kind).capitalize())


def stage_fields(draft: HouseDraft) -> Iterator[HouseField]:
    """Yield the parts of the game, in order."""
    titles = {c.get("id"): c.get("name") for c in draft.document.get("contracts", ())}
    for number, stage in enumerate(draft.document.get("stages", ())):
        names = [titles.get(name) or labels.contract_name(name) for name in stage["contracts"]]
        yield draft.field(f"stages.{number}.deals", ", ".join(names))


def setting_fields(draft: HouseDraft) -> Iterator[SettingFields]:
    """Yield the settings that this game has, or could have."""
    options = {option.get("setting") for option in draft.document.get("options", ())}
    for setting in shown_settings(draft.document):
        label = str(LABELS.get(setting) or labels.option_name(setting))
        field = draft.field(f"settings.{setting}", label, _choices_of(draft, setting))
        yield SettingFields(field, setting not in FIXED, setting in options)


def shown_settings(document: Document) -> list[str]:
    named = all(contract.get("named", True) for contract in document.get("contracts", ()))
    options = [option.get("setting") for option in document.get("options", ())]
    there = {*document.get("settings", {}), *options, "outcome", *(OF_KING if named else ())}
    return [setting for setting in SETTINGS if setting in there and setting not in OWN_FIELDS]


def _choices_of(draft: HouseDraft, setting: str) -> Iterator[tuple[str, str]]:
    if SETTINGS[setting].kind != "one-of":
        return
    if setting not in draft.document.get("settings", {}):
        yield "", "–"
    for value in SETTINGS[setting].values:
        name = VALUES.get((setting, str(value))) or labels.option_value_name(setting, value)
        yield str(value), str(name)


def other_errors(draft: HouseDraft, shown: Iterable[str]) -> tuple[str, ...]:
    """Return the errors that belong to no field of the form."""
    shown = set(shown)
    rest = [p for p in draft.problems if not _is_within(_place_of(p), shown)]
    return tuple(dict.fromkeys(messages.explain(problem) for problem in rest))


def _is_within(path: str, shown: set[str]) -> bool:
    return path in shown or bool(re.match(r"contracts\.\d+\.", path))


# Sums.


def sum_lines(draft: HouseDraft) -> Iterator[tuple[str, str]]:
    """Yield each contract with the sum of one deal."""
    if draft.rules is not None and draft.sums is not None:
        for contract in draft.rules.contracts:
            yield title_of(contract), range_text(draft.sums.deals[contract.id])


def title_of(contract: Contract) -> str:
    return labels.contract_title(contract)


def range_text(ends: Range | None) -> str:
    """Return a sum, or a range of sums, as text."""
    if ends is None:
        return _("known afterwards")
    least, most = (labels.points_text(write_points(points)) for points in ends)
    return least if least == most else _("%(least)s to %(most)s") % {"least": least, "most": most}


def zero_sum_sentence(sums: RulesetSums) -> str:
    """Say whether all scores of a whole game add up to 0."""
    if sums.zero_sum:
        return _("Zero-sum: all scores of a whole game add up to 0.")
    if sums.game is None:
        return _("What all scores add up to is only known at the end.")
    text = {"sum": range_text(sums.game)}
    if sums.zero_sum is None:
        return _("Zero-sum or not, as the table plays: all scores add up to %(sum)s.") % text
    return _("Not zero-sum: all scores of a whole game add up to %(sum)s.") % text
