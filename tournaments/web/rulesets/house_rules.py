"""House rules of a club: typed, checked, kept."""

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, wraps
from typing import Any

from django import forms
from django.contrib.admin.views.decorators import staff_member_required
from django.core.exceptions import SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from tournaments.engine.documents.games import GAME_FORMAT, Reading, parse_json, read_game
from tournaments.engine.documents.ruleset_records import read_ruleset, write_ruleset
from tournaments.engine.play.ruleset_checks import FIXED, SETTINGS
from tournaments.engine.rules.entries import write_points
from tournaments.engine.rules.rulesets import (
    PENALTY,
    RANKS,
    SUITS,
    TRUMP,
    UNITS,
    InvalidEntry,
    Pack,
    Problem,
    Ruleset,
    Setting,
)
from tournaments.engine.rules.scoring import Range, RulesetSums, sums_of
from tournaments.models import Club, HouseRuleset
from tournaments.models.clubs import HouseRulesetQuerySet
from tournaments.permissions import actor_of, directed_club
from tournaments.queries.rulesets import find_ruleset, offered_rulesets, parsed_ruleset
from tournaments.reports.sheets import draw_sheet
from tournaments.services.rulesets import StaleRules, change_rules, create_rules, remove_rules
from tournaments.texts import labels, messages
from tournaments.texts.questions import TOGETHER, questions_of
from tournaments.web.rulesets.forms import (
    QuestionField,
    check_answers,
    field_of,
    options_in,
    question_fields,
)
from tournaments.web.rulesets.views import scored_examples

View = Callable[..., HttpResponse]


@dataclass(frozen=True)
class Keeper:
    """The club that owns house rules, or None for the server."""

    club: Club | None = None

    @property
    def rows(self) -> HouseRulesetQuerySet:
        return HouseRuleset.objects.filter(club=self.club).select_related("club")

    def address(self, page: str, *args: str) -> str:
        """Return the address of a page of this keeper, by its name in `house_urls`."""
        if self.club is None:
            return reverse(page, args=args)
        return reverse(f"club_{page}", args=[self.club.slug, *args])


def for_keepers(view: View) -> View:
    """Admit the directors of a club to its house rules, and staff to those of the server."""

    @staff_member_required
    def of_server(request: HttpRequest, **where: str) -> HttpResponse:
        return view(request, Keeper(), **where)

    @wraps(view)
    def of_keeper(request: HttpRequest, club: str = "", **where: str) -> HttpResponse:
        if not club:
            return of_server(request, **where)
        return view(request, Keeper(directed_club(request, club)), **where)

    return of_keeper


Document = dict[str, Any]

OWN_FIELDS = ("deals", "target", "naming")
"""Settings with a field of their own, or with none."""

OF_KING = ("king", "king_deals", "out")

LABELS: Mapping[str, labels.Text] = {
    "outcome": gettext_lazy("Outcome"),
    "dealer": gettext_lazy("Dealer"),
    "cuts": gettext_lazy("Who cuts"),
    "march_alone": gettext_lazy("March alone"),
    "euchred_alone_by_alone": gettext_lazy("Lone maker euchred by a lone defender"),
}

VALUES: Mapping[tuple[str, str], labels.Text] = {
    ("outcome", "out-and-sunk"): gettext_lazy("out above the bar, sunk below it"),
    ("outcome", "pair-out-and-sunk"): gettext_lazy("one pair out, the other sunk"),
    ("outcome", "highest-wins"): gettext_lazy("the highest score wins"),
    ("dealer", "before"): gettext_lazy("sits before the declarer"),
    ("dealer", "declares"): gettext_lazy("declares"),
    ("cuts", "before-dealer"): gettext_lazy("before the dealer"),
    ("cuts", "after-dealer"): gettext_lazy("after the dealer"),
    ("cuts", "after-declarer"): gettext_lazy("after the declarer"),
    ("cuts", "opposite"): gettext_lazy("opposite the dealer"),
}


class AnswersForm(forms.Form):
    """The questions how a ruleset is played; the answers become its defaults."""

    def __init__(self, rules: Ruleset, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data)
        self.rules = rules
        for question in questions_of(rules):
            if question.name not in OWN_FIELDS:
                self.fields[f"settings.{question.name}"] = field_of(question)

    @cached_property
    def questions(self) -> list[QuestionField]:
        return question_fields(self, self.rules, "settings.")

    @property
    def settings(self) -> dict[str, Setting]:
        """The settings that are asked about, as they are answered."""
        answered = self.rules.with_options(options_in(self, self.rules, "settings."))
        asked = [option.setting for each in self.questions for option in each.question.options]
        return {name: answered.settings[name] for name in asked}

    def clean(self) -> dict[str, Any]:
        check_answers(self, self.rules, "settings.")
        return self.cleaned_data


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
class HouseDraft:
    """The document of the form, parsed as far as possible."""

    document: Document
    rules: Ruleset | None
    problems: tuple[Problem, ...]
    answers: AnswersForm

    @classmethod
    def of(cls, document: Document, answers: AnswersForm) -> "HouseDraft":
        try:
            return cls(document, read_ruleset(document), (), answers)
        except InvalidEntry as error:
            return cls(document, None, error.problems, answers)

    @property
    def sums(self) -> RulesetSums | None:
        return None if self.rules is None else sums_of(self.rules)

    def field(self, path: str, label: str, choices: Iterable[tuple[str, str]] = ()) -> HouseField:
        value = _at(self.document, path)
        here = (problem for problem in self.problems if _place_of(problem) == path)
        errors = tuple(dict.fromkeys(messages.explain(problem) for problem in here))
        return HouseField(path, label, "" if value is None else str(value), errors, (*choices,))


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


def contract_fields(draft: HouseDraft) -> Iterator[dict[str, Any]]:
    """Yield the fields of each contract, in order: what it is worth, how often it comes, and more.

    Its `sum` is that of a deal.
    """
    kinds = [(kind, labels.kind_name(kind)) for kind in kinds_of(draft.document)]
    for number, contract in enumerate(draft.document.get("contracts", ())):
        at = f"contracts.{number}"
        name = str(contract.get("id"))
        fields = [
            draft.field(f"{at}.values.{unit}", labels.unit_name(unit))
            for unit in contract.get("values", {})
        ]
        fields += [
            draft.field(f"{at}.prizes.{place}", _("Prize %(number)s") % {"number": place + 1})
            for place in range(len(contract.get("prizes", ())))
        ]
        fields += [
            draft.field(f"{at}.quota", _("Times a game")),
            draft.field(f"{at}.quota_each", _("Times each side")),
        ]
        more = [
            draft.field(f"{at}.name", _("Name (in every language)")),
            draft.field(f"{at}.kind", _("Kind"), kinds),
            draft.field(f"{at}.base", _("Points for every side")),
        ]
        paths = {field.path for field in (*fields, *more)}
        elsewhere = (
            messages.explain(problem)
            for problem in draft.problems
            for place in [_place_of(problem)]
            if place.startswith(f"{at}.") and place not in paths
        )
        yield {
            "number": number,
            "title": contract.get("name") or labels.contract_name(name),
            "sum": draft.sums and range_text(draft.sums.deals[name]),
            "fields": fields,
            "more": more,
            # The errors that belong to none of the fields.
            "slot": HouseField(at, "", "", tuple(dict.fromkeys(elsewhere))),
        }


def kinds_of(document: Document) -> list[str]:
    kinds = [str(contract.get("kind")) for contract in document.get("contracts", ())]
    return list(dict.fromkeys([*kinds, PENALTY, TRUMP]))


def setting_fields(draft: HouseDraft, asked: Collection[str]) -> Iterator[dict[str, Any]]:
    """Yield the settings that no question asks about, and whether the table may choose."""
    options = {option.get("setting") for option in draft.document.get("options", ())}
    for setting in settings_in_form(draft.document):
        if setting not in asked:
            label = str(LABELS.get(setting) or labels.option_name(setting))
            yield {
                "setting": setting,
                "default": draft.field(f"settings.{setting}", label, _choices_of(draft, setting)),
                "choosable": setting not in FIXED,
                "chosen": setting in options,
            }


def settings_in_form(document: Document) -> list[str]:
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


FIRST_RANKS = ("2", "6", "7", "9")


def pack_from(rank: str, seats: int) -> Pack:
    """Return the pack from a rank to the ace, without the lowest cards that nobody would get."""
    ranks = RANKS[RANKS.index(rank) :]
    out = ("clubs", "spades", "diamonds", "hearts")[: len(SUITS) * len(ranks) % seats]
    return Pack(ranks, without=tuple(f"{suit}-{rank}" for suit in SUITS if suit in out))


def packs_for(draft: HouseDraft) -> HouseField:
    """Return the field of the pack: as it is, or of as many cards."""
    rules = draft.answers.rules
    choices = [("", _("%(cards)s cards, as now") % {"cards": rules.dealt.size})]
    for rank in FIRST_RANKS:
        pack = pack_from(rank, rules.seats)
        if pack.cards != rules.dealt.cards:
            of_each = {"cards": pack.size, "rank": rank, "tricks": pack.size // rules.seats}
            text = _("%(cards)s cards from %(rank)s, %(tricks)s in each hand") % of_each
            choices.append((rank, text))
    return HouseField("cards", _("Cards"), draft.answers.data.get("cards", ""), (), (*choices,))


def _type_switches(data: Mapping[str, str], document: Document, seats: int) -> None:
    if rank := data.get("cards"):
        pack = pack_from(rank, seats)
        document["pack"] = {"ranks": [*pack.ranks], "without": [*pack.without]}
    if "switches" not in data:
        return
    document["clockwise"] = "clockwise" in data
    doubles = "doubles" in data
    if doubles != ("doubles" in document.get("steps", ())):
        for name in ("steps", "fields"):
            others = [each for each in document.get(name, ()) if each != "doubles"]
            document[name] = [*others, "doubles"] if doubles else others
    if not doubles:
        gone = ("doubles_rule", "doubles_duty")
        document["settings"] = {k: v for k, v in document["settings"].items() if k not in gone}
        document["options"] = [o for o in document["options"] if o["setting"] not in gone]


# Sums.


def range_text(ends: Range | None) -> str:
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


CONTRACT_OF: Mapping[str, str] = {
    "tricks": "no-tricks",
    "hearts": "no-hearts",
    "men": "no-men",
    "queens": "no-queens",
}
"""Contracts with a name in the program that differs from that of their unit."""


def typed_document(data: Mapping[str, str], base: Document, answers: AnswersForm) -> Document:
    """Return the document with the values of a form's fields."""
    document: Document = {**base, "settings": {**base.get("settings", {})}}
    document["name"] = data.get("name", document.get("name", "")).strip()
    document["contracts"] = [
        _typed_contract(data, f"contracts.{number}", contract)
        for number, contract in enumerate(base.get("contracts", ()))
    ]
    document["quotas"] = {**base.get("quotas", {})}
    kinds = {*kinds_of(document), *document["quotas"]}
    for kind in kinds:
        _put(document["quotas"], kind, data.get(f"quotas.{kind}"))
    _put(document, "deals", data.get("deals"))
    _put(document["settings"], "target", data.get("settings.target"))
    document["settings"] |= answers.settings
    _type_settings(data, document, answers.settings)
    _type_switches(data, document, answers.rules.seats)
    if document.get("stages"):
        document["stages"] = [
            {**stage, "deals": number_typed(data[path])}
            if (path := f"stages.{number}.deals") in data
            else stage
            for number, stage in enumerate(document["stages"])
        ]
        # Their sum is the length of the game.
        deals = [stage["deals"] for stage in document["stages"]]
        if all(type(number) is int for number in deals):
            document["deals"] = sum(deals)
    return document


def _typed_contract(data: Mapping[str, str], at: str, base: Document) -> Document:
    contract = {**base, "values": {**base.get("values", {})}}
    for unit in base.get("values", {}):
        _put(contract["values"], unit, data.get(f"{at}.values.{unit}"))
    if "prizes" in contract:
        contract["prizes"] = [
            number_typed(data[path]) if (path := f"{at}.prizes.{place}") in data else prize
            for place, prize in enumerate(contract["prizes"])
        ]
    if data.get(f"{at}.kind"):
        contract["kind"] = data[f"{at}.kind"]
    if f"{at}.name" in data:
        contract.pop("name", None)
        if name := data[f"{at}.name"].strip():
            contract["name"] = name
    for limit in ("quota", "quota_each", "base"):
        _put(contract, limit, data.get(f"{at}.{limit}"))
    return contract


def _put(place: Document, name: str, typed: str | None) -> None:
    """Set a number; an empty field removes it, a missing field leaves it."""
    if typed is None:
        return
    place.pop(name, None)
    if typed.strip():
        place[name] = number_typed(typed)


def _type_settings(data: Mapping[str, str], document: Document, asked: Collection[str]) -> None:
    options = {option["setting"]: option for option in document.get("options", ())}
    firsts = {second: first for first, second in TOGETHER.items()}
    for setting in [*settings_in_form(document), "target"]:
        name = setting if f"settings.{setting}" in data else firsts.get(setting, setting)
        typed = data.get(f"settings.{name}")
        if typed is None:
            continue
        if setting not in (*asked, "target"):
            _put(document["settings"], setting, typed)
            values = {str(value): value for value in SETTINGS[setting].values}
            if typed in values:
                document["settings"][setting] = values[typed]
        if f"choose.{name}" not in data:
            options.pop(setting, None)
            continue
        known = SETTINGS[setting]
        if known.kind == "one-of":
            option = {"setting": setting, "values": list(known.values)}
        elif known.kind == "number":
            # Which numbers a table may choose, only the document says.
            option = {"setting": setting, "values": [document["settings"].get(setting, 0)]}
        else:
            option = {"setting": setting, "kind": known.kind}
        options.setdefault(setting, option)
    document["options"] = list(options.values())
    implied = [
        follows
        for follows in document.get("implied", ())
        if {follows["setting"], *follows["settings"]} <= options.keys()
    ]
    document["implied"] = implied


_WHOLE = re.compile(r"[-+]?[0-9]{1,12}")
_DECIMAL = re.compile(r"[-+]?[0-9]{1,9}[.,][0-9]{1,3}")


def number_typed(text: str) -> int | str:
    """Return a number as in a document; return other text unchanged."""
    text = text.strip().replace(labels.MINUS, "-")
    if _WHOLE.fullmatch(text):
        return int(text)
    if _DECIMAL.fullmatch(text):
        return write_points(Fraction(text.replace(",", ".")))
    return text


# Adding and removing contracts.


def with_contract(document: Document, unit: str) -> Document:
    """Return the document with one more contract, in which a unit counts against its taker."""
    contracts = document["contracts"]
    penalties = [contract for contract in contracts if contract.get("kind") == PENALTY]
    like = (penalties or contracts or [{}])[0]
    taken = {contract.get("id") for contract in contracts}
    stem = CONTRACT_OF.get(unit, unit.replace("_", "-"))
    ids = (stem if number == 1 else f"{stem}-{number}" for number in range(1, len(taken) + 2))
    new: Document = {"id": next(name for name in ids if name not in taken), "kind": PENALTY}
    if new["id"] not in labels.CONTRACTS:
        new["name"] = labels.unit_name(unit)
    new["values"] = {unit: -10}
    new |= {name: like[name] for name in ("quota", "quota_each") if name in like}
    if like.get("scoring") == "pair-difference":
        new["scoring"] = like["scoring"]
    document = {**document, "contracts": [*contracts, new]}
    if document.get("stages"):
        document["stages"] = [*document["stages"], {"deals": 1, "contracts": [new["id"]]}]
        document["deals"] = document["deals"] + 1
    if document.get("all_units") and unit not in document["all_units"]:
        document["all_units"] = [*document["all_units"], unit]
    return document


def without_contract(document: Document, number: int) -> Document:
    gone, each = (document["contracts"][number].get(name) for name in ("id", "quota_each"))
    contracts = [c for n, c in enumerate(document["contracts"]) if n != number]
    kinds = {contract["kind"] for contract in contracts}
    quotas = {kind: n for kind, n in document.get("quotas", {}).items() if kind in kinds}
    document = {**document, "contracts": contracts, "quotas": quotas}
    if document.get("stages"):
        stages = [
            {**stage, "contracts": [name for name in stage["contracts"] if name != gone]}
            for stage in document["stages"]
        ]
        document["stages"] = [stage for stage in stages if stage["contracts"]]
        document["deals"] = sum(stage["deals"] for stage in document["stages"])
    elif type(each) is type(document.get("deals")) is int:
        document["deals"] -= each * (max(document.get("sides", [3])) + 1)
    return document


CONFLICT, UNPROCESSABLE = 409, 422
LARGEST_UPLOAD = 1_000_000


@for_keepers
@require_safe
def house_rules(request: HttpRequest, keeper: Keeper) -> HttpResponse:
    """List the house rules, and the rules that a new one can be copied from (1 query)."""
    return _list(request, keeper)


@for_keepers
@require_POST
def copy_rules(request: HttpRequest, keeper: Keeper) -> HttpResponse:
    """Copy a ruleset of the program, or other house rules."""
    source = find_ruleset(request.POST.get("source", ""), request.user)
    if source is None:
        raise Http404
    name = request.POST.get("name", "").strip()
    name = name or _("%(name)s, our way") % {"name": labels.name_of(source)}
    return _create(request, keeper, {**write_ruleset(source), "name": name}, "name")


@for_keepers
@require_POST
def import_rules(request: HttpRequest, keeper: Keeper) -> HttpResponse:
    """Import house rules from a document, uploaded or pasted."""
    try:
        document = parse_json(_sent(request))
    except InvalidEntry as error:
        return _list(request, keeper, {"import": list(map(messages.explain, error.problems))})
    return _create(request, keeper, document, "import")


def _create(request: HttpRequest, keeper: Keeper, document: Any, form: str) -> HttpResponse:
    at, by = timezone.now(), actor_of(request)
    try:
        row = create_rules(document, by, at=at, club=keeper.club)
    except InvalidEntry as error:
        # A document has no form: each problem stands with its path.
        problems = [
            f"{p.where}: {messages.explain(p)}" if p.where else messages.explain(p)
            for p in error.problems
        ]
        return _list(request, keeper, {form: problems})
    return redirect(keeper.address("house_ruleset", row.slug))


@for_keepers
def house_ruleset(request: HttpRequest, keeper: Keeper, slug: str) -> HttpResponse:
    """Change house rules; show their sums and errors at once."""
    row = get_object_or_404(keeper.rows, slug=slug)
    rules = parsed_ruleset(row.document)
    if request.method != "POST":
        return _edit_page(request, row, HouseDraft.of(write_ruleset(rules), AnswersForm(rules)))
    # The revision of the form may be older than the stored one.
    row.revision, draft = _typed(request, AnswersForm(rules, request.POST))
    if "HX-Request" in request.headers:
        look = _look(draft, oob=True)
        return render(request, "tournaments/rulesets/_house_look.html", look)
    if request.POST.get("action") != "save":
        return _edit_page(request, row, draft, notice=[_("Not saved yet.")])
    status, notice = UNPROCESSABLE, [_("Nothing is saved: something is still wrong.")]
    try:
        if draft.answers.is_valid():
            by, at = actor_of(request), timezone.now()
            change_rules(row.pk, draft.document, row.revision, by, at=at)
            return redirect(keeper.address("house_ruleset", row.slug))
    except InvalidEntry as error:
        draft = replace(draft, rules=None, problems=error.problems)
    except StaleRules as stale:
        again = _("Your version is below. Save it again to replace theirs.")
        row, status, notice = stale.row, CONFLICT, [str(stale), again]
    return _edit_page(request, row, draft, status, notice)


def _typed(request: HttpRequest, answers: AnswersForm) -> tuple[int, HouseDraft]:
    action, _colon, which = request.POST.get("action", "").partition(":")
    try:
        revision = int(request.POST["revision"])
        document = typed_document(request.POST, parse_json(request.POST["document"]), answers)
        if action == "remove":
            document = without_contract(document, int(which))
        elif action == "add":
            document = with_contract(document, request.POST["unit"])
        elif action == "count":
            document["contracts"][int(which)]["values"][request.POST[f"unit.{which}"]] = -10
        draft = HouseDraft.of(document, answers)
    except (InvalidEntry, ValueError, TypeError, LookupError, AttributeError) as error:
        raise SuspiciousOperation("a form of house rules that we did not make") from error
    return revision, draft


@for_keepers
@require_safe
def export_rules(request: HttpRequest, keeper: Keeper, slug: str) -> HttpResponse:
    """Return house rules as a `kingscore-ruleset/1` document."""
    row = get_object_or_404(keeper.rows, slug=slug)
    answer = JsonResponse(
        write_ruleset(parsed_ruleset(row.document)),
        json_dumps_params={"indent": 2, "ensure_ascii": False},
    )
    answer["Content-Disposition"] = f'attachment; filename="{row.slug}.json"'
    return answer


@for_keepers
def try_rules(request: HttpRequest, keeper: Keeper, slug: str) -> HttpResponse:
    """Score a game record, or a list of entries, by house rules."""
    row = get_object_or_404(keeper.rows, slug=slug)
    page: dict[str, Any] = {"row": row, "keeper": keeper, "club": keeper.club, "typed": "[]"}
    status = 200
    if request.method == "POST":
        sent = _sent(request)
        page["typed"] = sent
        try:
            record = parse_json(sent)
            rules = parsed_ruleset(row.document)
            if not isinstance(record, dict):
                players = ["A", "B", "C", "D"][: rules.seats]
                record = {"format": GAME_FORMAT, "players": players, "entries": record}
            reading = read_game({**record, "ruleset": write_ruleset(rules)})
        except InvalidEntry as error:
            reading = Reading(None, problems=error.problems)
        status = UNPROCESSABLE if reading.problems else 200
        page |= {"reading": reading, "sheet": draw_sheet(reading).strip()}
    return render(request, "tournaments/rulesets/house_try.html", page, status=status)


@for_keepers
def delete_rules(request: HttpRequest, keeper: Keeper, slug: str) -> HttpResponse:
    """Delete house rules, after asking."""
    row = get_object_or_404(keeper.rows, slug=slug)
    if request.method == "POST":
        remove_rules(row.pk, actor_of(request), at=timezone.now())
        return redirect(keeper.address("house_rules"))
    page = {"row": row, "keeper": keeper, "club": keeper.club}
    return render(request, "tournaments/rulesets/house_delete.html", page)


# Pages.


def _list(
    request: HttpRequest, keeper: Keeper, errors: Mapping[str, list[str]] | None = None
) -> HttpResponse:
    offered = offered_rulesets(request.user)
    page = {
        "keeper": keeper,
        "club": keeper.club,
        "rows": keeper.rows.select_related("author"),
        "sources": [(slug, labels.name_of(rules)) for slug, rules in offered],
        "errors": errors or {},
        "typed": request.POST.get("text", ""),
    }
    status = UNPROCESSABLE if errors else 200
    return render(request, "tournaments/rulesets/house_rules.html", page, status=status)


def _edit_page(
    request: HttpRequest,
    row: HouseRuleset,
    draft: HouseDraft,
    status: int = 200,
    notice: Sequence[str] = (),
) -> HttpResponse:
    page = {
        **_look(draft),
        "row": row,
        "keeper": Keeper(row.club),
        "club": row.club,
        "document": json.dumps(draft.document, ensure_ascii=False),
        "notice": notice,
        "units": [(u.id, labels.unit_name(u.id)) for u in UNITS.values() if u.total is not None],
    }
    return render(request, "tournaments/rulesets/house_ruleset.html", page, status=status)


def _look(draft: HouseDraft, *, oob: bool = False) -> dict[str, Any]:
    document, answers = draft.document, draft.answers
    contracts = list(contract_fields(draft))
    settings = list(setting_fields(draft, answers.settings))
    heading = [draft.field("name", _("Name"))]
    if not document.get("stages"):
        heading.append(draft.field("deals", _("Deals")))
    heading.append(packs_for(draft))
    target = draft.field("settings.target", _("Target (points at which the game ends)"))
    kinds = [str(contract.get("kind")) for contract in document.get("contracts", ())]
    titles = {c.get("id"): c.get("name") for c in document.get("contracts", ())}
    groups = {
        "heading": heading,
        "target": [target],
        "quotas": [
            draft.field(f"quotas.{kind}", labels.kind_name(kind).capitalize())
            for kind in dict.fromkeys([*kinds, *document.get("quotas", {})])
        ],
        "stages": [
            draft.field(
                f"stages.{number}.deals",
                ", ".join(titles.get(c) or labels.contract_name(c) for c in stage["contracts"]),
            )
            for number, stage in enumerate(document.get("stages", ()))
        ],
    }
    fields = [field for group in groups.values() for field in group]
    fields += [setting["default"] for setting in settings]
    for contract in contracts:
        fields += [*contract["fields"], *contract["more"], contract["slot"]]
    paths = {field.path for field in fields}
    others = (
        messages.explain(problem)
        for problem in draft.problems
        for place in [_place_of(problem)]
        if place not in paths and not re.match(r"contracts\.\d+\.", place)
    )
    rules, sums = draft.rules, draft.sums
    options = {option.get("setting") for option in document.get("options", ())}
    return {
        **groups,
        "contracts": contracts,
        "settings": settings,
        "target_choice": "target" in options,
        "has_target": "target" in document.get("settings", {}),
        "slots": fields,
        "problems": draft.problems,
        # The errors that belong to no field of the form.
        "others": tuple(dict.fromkeys(others)),
        "zero_sum": sums and zero_sum_sentence(sums),
        "balanced": bool(sums and sums.zero_sum),
        "oob": oob,
        "sides": rules.side_names("ABCDEF"[: rules.seats]) if rules else (),
        "examples": scored_examples(rules) if rules else (),
        "questions": [(each, each.question.name in options) for each in answers.questions],
        "clockwise": document.get("clockwise", False),
        "doubles": "doubles" in document.get("steps", ()),
    }


def _sent(request: HttpRequest) -> str:
    upload = request.FILES.get("file")
    if upload is None:
        return request.POST.get("text", "")
    return bytes(upload.read(LARGEST_UPLOAD)).decode("utf-8-sig", "replace")
