"""Pages of rulesets, with examples and options."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.template import TemplateDoesNotExist
from django.template.loader import render_to_string
from django.utils.cache import patch_cache_control
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_safe

from tournaments.engine.play.games import Game, PlayedDeal
from tournaments.engine.rules.entries import Deal
from tournaments.engine.rules.fields import CAPPOTTO, fields_of, trumps_of
from tournaments.engine.rules.rulesets import (
    OPTION_KINDS,
    Contract,
    Ruleset,
    Setting,
)
from tournaments.engine.rules.scoring import check_deal, deal_sum, score_deal
from tournaments.engine.variants import RULESETS
from tournaments.models import Game as ModelsGame
from tournaments.permissions import account_of, writable_game
from tournaments.queries.evenings import beginning_of
from tournaments.queries.rulesets import describe, find_ruleset, offered_rulesets
from tournaments.queries.scoresheets import deal_line, marks_of
from tournaments.queries.sheets import ruleset_of
from tournaments.texts import labels
from tournaments.texts.labels import NAMES, OTHER
from tournaments.texts.questions import questions_of
from tournaments.web.base.pages import cached_for_going_back
from tournaments.web.base.phone import address, link_preview, program_preview


def tile_of(rules: Ruleset) -> str:
    return rules.family if rules.family in NAMES else OTHER


def tile_name(tile: str) -> str:
    return str(NAMES[tile])


LETTERS = "ABCDEF"
"""Names of the players of an example."""

SHARES: Mapping[int, tuple[int, ...]] = {
    2: (3, 10),
    3: (2, 7, 4),
    4: (1, 6, 4, 2),
    5: (0, 4, 3, 1, 2),
    6: (1, 5, 3, 1, 2, 1),
}
"""Distributions of 13 tricks, by the number of sides; other units are similar."""


Example = tuple[Ruleset, Contract, Deal, tuple[str, Any] | None]
"""An example deal of a ruleset, with the option and its value that it requires, if any."""


def scored_examples(rules: Ruleset) -> list[dict[str, Any]]:
    return [_score(*example) for example in examples_of(rules) if not any(check_deal(*example[:3]))]


def examples_of(rules: Ruleset) -> Iterator[Example]:
    """Yield one deal or more of each contract, then the additions of its steps."""
    for contract in rules.contracts:
        yield from DEALS.get(contract.scoring, _by_units)(rules, contract)
    for step in rules.steps:
        yield from STEPS[step](rules) if step in STEPS else ()


def _score(
    rules: Ruleset, contract: Contract, deal: Deal, option: tuple[str, Any] | None
) -> dict[str, Any]:
    score = score_deal(rules, contract, deal)
    players = LETTERS[: rules.seats]
    played = PlayedDeal(0, contract, deal.declarer or 0, deal, score.king)
    marks = marks_of(rules, players, deal.details, TAKEN)
    return {
        "contract": contract,
        "name": labels.contract_title(rules, contract.id),
        "option": f"{labels.option_name(option[0])}: {labels.option_value_name(*option)}"
        if option
        else "",
        "taken": deal_line(Game(rules), played, players).taken,
        "marks": [mark for mark in (labels.suit_of(deal.details.get("trump")), *marks) if mark],
        "points": score.points,
        "sum": sum(score.points),
    }


TAKEN = ("tricks", "left")
"""Details of a deal derived from the counts of the sides."""


def share(total: int, sides: int) -> tuple[int, ...]:
    """Divide `total` units among the sides by largest remainders."""
    weights = SHARES[sides]
    exact = [Fraction(total * weight, sum(weights)) for weight in weights]
    shares = [int(number) for number in exact]
    by_remainder = sorted(range(sides), key=lambda side: shares[side] - exact[side])
    for side in by_remainder[: total - sum(shares)]:
        shares[side] += 1
    return tuple(shares)


FREE: Mapping[str, Mapping[int, tuple[int, ...]]] = {
    "cards_left": {
        2: (4, 9),
        3: (0, 3, 5),
        4: (0, 3, 5, 1),
        5: (0, 3, 5, 1, 2),
        6: (0, 3, 5, 1, 2, 4),
    },
    "places": {
        2: (2, 1),
        3: (2, 1, 3),
        4: (2, 1, 4, 3),
        5: (2, 1, 4, 3, 5),
        6: (2, 1, 4, 3, 5, 6),
    },
}
"""Numbers of units without a fixed total, by the number of sides."""


DETAILS: Mapping[str, Any] = {"partner": 2, "closed_by": 0}


def _deal(rules: Ruleset, contract: Contract, **details: Any) -> Deal:
    sides, allowed = rules.side_count, fields_of(rules, contract)
    trumps = trumps_of(rules, contract)
    usual = {"trump": trumps[0]} if trumps else {}
    usual |= {name: value for name, value in DETAILS.items() if name in allowed}
    return Deal(
        contract=contract.id,
        declarer=0 if contract.declared else None,
        counts={
            unit: FREE[unit][sides] if total is None else share(total, sides)
            for unit in contract.values
            for total in (rules.units[unit].total,)
        },
        details=usual | details,
    )


def _by_units(rules: Ruleset, contract: Contract) -> Iterator[Example]:
    yield rules, contract, _deal(rules, contract), None


def _makers(rules: Ruleset, contract: Contract) -> Iterator[Example]:
    """Yield every line of the table of Euchre (`docs/rules.md` §4)."""
    for details in MAKERS:
        yield rules, contract, Deal(details={"maker": 0, **details}), None


MAKERS: Sequence[Mapping[str, Any]] = (
    {"tricks": 3},
    {"tricks": 5},
    {"tricks": 2},
    {"tricks": 3, "alone": True},
    {"tricks": 5, "alone": True},
    {"tricks": 2, "alone": True},
    {"tricks": 2, "defender_alone": 1},
    {"tricks": 0, "defender_alone": 1},
    {"tricks": 2, "alone": True, "defender_alone": 1},
)


def _bids(rules: Ruleset, contract: Contract) -> Iterator[Example]:
    for tricks in (5, 3):
        yield rules, contract, Deal(details={"maker": 0, "bid": 4, "tricks": tricks}), None


def _piles(rules: Ruleset, contract: Contract) -> Iterator[Example]:
    """Yield the examples of Krapet (`docs/rules.md` §3): a game won, and by points."""
    yield rules, contract, Deal(details={"winner": 0}), None
    for option in rules.options:
        if "points" in option.values:
            chosen = (option.setting, "points")
            by_points = rules.with_options(dict([chosen]))
            for details in PILES:
                yield by_points, contract, Deal(details=details), chosen


PILES: Sequence[Mapping[str, Any]] = (
    {"winner": 0, "left": {"reserve": (0, 4), "stock": (0, 9), "waste": (0, 6)}},
    {"winner": None, "left": {"reserve": (2, 5), "stock": (8, 10), "waste": (0, 0)}},
)

DEALS: Mapping[str, Callable[[Ruleset, Contract], Iterator[Example]]] = {
    "makers-and-defenders": _makers,
    "bid-tricks": _bids,
    "piles-emptied": _piles,
}
"""The examples of a contract by its scoring strategy; the default counts units."""


def _with_option(rules: Ruleset, setting: str, value: Any) -> Ruleset | None:
    known = any(o.setting == setting and OPTION_KINDS[o.kind](o, value) for o in rules.options)
    return rules.with_options({setting: value}) if known else None


def _cappotto(rules: Ruleset) -> Iterator[Example]:
    contract = next((c for c in rules.contracts if c.cappotto), None)
    for value in CAPPOTTO:
        chosen = _with_option(rules, "cappotto", value)
        if contract is not None and chosen is not None:
            (unit,) = contract.values
            all_by_one = (
                0,
                rules.units[unit].total or 0,
                *(0 for _ in range(rules.side_count - 2)),
            )
            deal = replace(_deal(chosen, contract), counts={unit: all_by_one})
            yield chosen, contract, deal, ("cappotto", value)


def _switched(setting: str, field: str, value: Any) -> Callable[[Ruleset], Iterator[Example]]:
    def examples(rules: Ruleset) -> Iterator[Example]:
        chosen = _with_option(rules, setting, value=True)
        contract = next((c for c in rules.contracts if field in c.fields), None)
        if chosen is not None and contract is not None:
            yield chosen, contract, _deal(chosen, contract, **{field: value}), (setting, True)

    return examples


def _third(rules: Ruleset) -> Iterator[Example]:
    """Yield a deal with most units on the declaring side, since only a loss counts double."""
    contract = rules.contracts[0]
    deal = _deal(rules, contract, third=True)
    counts = {unit: tuple(reversed(numbers)) for unit, numbers in (deal.counts or {}).items()}
    yield rules, contract, replace(deal, counts=counts), None


def _doubles(rules: Ruleset) -> Iterator[Example]:
    contract = rules.contracts[0]
    for double in ({"seats": (0, 1)}, {"seats": (0, 1), "redoubled": True}):
        yield rules, contract, _deal(rules, contract, doubles=(double,)), None


STEPS: Mapping[str, Callable[[Ruleset], Iterator[Example]]] = {
    "cappotto": _cappotto,
    "blind": _switched("blind_declaration", "blind", value=True),
    "sale": _switched("sale", "sale", {"buyer": 1, "tricks": 3}),
    "third": _third,
    "doubles": _doubles,
}
"""Examples of the points that a step moves; other steps apply to every deal."""


OUTCOMES: Mapping[Setting, Any] = {
    "out-and-sunk": gettext_lazy(
        "Whoever ends above zero is out, everyone else is sunk; the scores give the places."
    ),
    "mean": gettext_lazy(
        "Whoever ends above the mean of the scores is out, everyone else is sunk; the scores give "
        "the places."
    ),
    "pair-out-and-sunk": gettext_lazy(
        "The pair above zero is out, the other is sunk; at zero each it is a draw."
    ),
    "highest-wins": gettext_lazy("The highest total wins; equal totals win together."),
}

KINGS: Mapping[Setting, Any] = {
    "ends-game": gettext_lazy(
        "King: whoever takes all tricks of a deal ends the game at once and stands above all."
    ),
    "declared": gettext_lazy(
        "King: whoever declares it before the first lead and takes all tricks ends the game at "
        "once and stands above all; whoever fails ends it as well, below all."
    ),
}

ORDERS: Mapping[Setting, Any] = {
    "advised": gettext_lazy("The dear penalties should come first."),
    "ordered": gettext_lazy("No penalty is named while a dearer one is left."),
    "strict": gettext_lazy(
        "No penalty is named while a dearer one is left, and no trump before the last penalty."
    ),
}

NAMINGS: Mapping[Setting, Any] = {
    "blind": gettext_lazy("The contract is named before anyone sees their cards."),
    "sealed": gettext_lazy(
        "The declarer writes the contract down in secret; it is shown at the end of the deal."
    ),
}


@cached_for_going_back
@require_safe
def rules_index(request: HttpRequest) -> HttpResponse:
    """List every game by family (1 query)."""
    families: dict[str, list[tuple[str, str, str]]] = {}
    for id_, rules in offered_rulesets(request.user):
        line = (id_, labels.name_of(rules), labels.ruleset_summary(id_))
        families.setdefault(tile_name(tile_of(rules)), []).append(line)
    page = {"families": families.items(), "preview": program_preview(request, _("Rules"))}
    return render(request, "tournaments/rulesets/rules.html", page)


@require_safe
def rules_of_game(request: HttpRequest, ruleset: str) -> HttpResponse:
    """Show the rules of one game (no query; 1 for house rules, 2 for signed-in visitors)."""
    rules = _found(request, ruleset)
    name = _("Rules of %(name)s") % {"name": labels.name_of(rules)}
    page = {
        "id": ruleset,
        "rules": rules_page(rules),
        "how": how_it_is_played(request, rules),
        "house": rules.id not in RULESETS,
        "preview": link_preview(request, name, labels.ruleset_summary(rules.id) or name),
    }
    return _limit_caching(
        request, rules, render(request, "tournaments/rulesets/rules_of_game.html", page)
    )


@require_safe
def rules_at_table(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    row = get_object_or_404(writable_game(request, public_id, secret))
    return _at_table(request, row, "write")


@require_safe
def rules_followed(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    row = get_object_or_404(ModelsGame.objects.readable_at(public_id, secret))
    return _at_table(request, row, "follow")


def _at_table(request: HttpRequest, row: ModelsGame, kind: str) -> HttpResponse:
    rules = ruleset_of(row)
    page = {
        "rules": rules_page(rules),
        "how": how_it_is_played(request, rules),
        "house": row.document is not None,
        "back": address(row, kind),
    }
    return render(request, "tournaments/rulesets/rules_of_game.html", page)


@require_safe
def rules_json(request: HttpRequest, ruleset: str) -> HttpResponse:
    """Return the ruleset document for programs that check entries without the server."""
    style = {"ensure_ascii": False, "indent": 2}
    rules = _found(request, ruleset)
    return _limit_caching(request, rules, JsonResponse(describe(rules), json_dumps_params=style))


def _limit_caching(request: HttpRequest, rules: Ruleset, answer: HttpResponse) -> HttpResponse:
    """Allow caching of an answer unless the rules belong to a club, which not everybody may see.

    It is revalidated each time: it is in the reader's language.
    """
    if rules.id in RULESETS or account_of(request) is None or find_ruleset(rules.id) is not None:
        patch_cache_control(answer, no_cache=True)
    return answer


def _found(request: HttpRequest, ruleset: str) -> Ruleset:
    rules = find_ruleset(ruleset, request.user)
    if rules is None:
        raise Http404
    return rules


def how_it_is_played(request: HttpRequest, rules: Ruleset) -> str:
    """Return the prose about the games of a ruleset's family; "" if there is none."""
    family = rules.family.replace("-", "_")
    try:
        return render_to_string(
            f"tournaments/rulesets/play/_{family}.html", {"ruleset": rules}, request
        )
    except TemplateDoesNotExist:
        return ""


def rules_page(rules: Ruleset) -> dict[str, Any]:
    stages, first = [], 1
    for stage in rules.stages:
        last = first + stage.deals - 1
        names = [labels.contract_title(rules, name) for name in stage.contracts]
        stages.append((str(first) if first == last else f"{first}–{last}", " / ".join(names)))
        first = last + 1
    return {
        "name": labels.name_of(rules),
        "summary": labels.ruleset_summary(rules.id),
        "facts": list(_facts(rules)),
        "contracts": [_contract(rules, c) for c in rules.contracts if c.named],
        "order": list(_order(rules)),
        "stages": stages,
        "options": list(_options(rules)),
        "ending": list(_ending(rules)),
        "badges": list(_badges(rules)),
        "sides": rules.side_names(LETTERS[: rules.seats]),
        "examples": scored_examples(rules),
    }


def _facts(rules: Ruleset) -> Iterator[tuple[str, str]]:
    players = ngettext("%(number)s player", "%(number)s players", rules.seats)
    seated = players % {"number": rules.seats}
    if rules.seats_in_a_side > 1:
        seated = _("%(players)s, in pairs that sit opposite") % {"players": seated}
    yield _("Players"), seated
    if rules.seats > 2:
        yield _("Direction"), _("clockwise") if rules.clockwise else _("counter-clockwise")
    if rules.length is not None:
        deals = ngettext("%(number)s deal", "%(number)s deals", rules.length)
        yield _("Length"), deals % {"number": rules.length}
    elif rules.target is not None:
        text = _("first to %(target)s")
        if _counts_games(rules):
            text = ngettext("one game decides", "first to %(target)s games", rules.target)
        yield _("Length"), text % {"target": rules.target}
    yield _("Beginning"), str(beginning_of(rules).hint)


def _counts_games(rules: Ruleset) -> bool:
    return rules.settings.get("scoring") == "win"


def _contract(rules: Ruleset, contract: Contract) -> dict[str, Any]:
    limits = []
    if contract.quota is not None:
        limits.append(_("%(times)s× a game") % {"times": contract.quota})
    if contract.quota_each is not None:
        limits.append(_("%(times)s× each") % {"times": contract.quota_each})
    return {
        "symbol": labels.contract_symbol(rules, contract.id),
        "name": labels.contract_title(rules, contract.id),
        "at_home": labels.name_at_home(rules, contract.id),
        # How many units there are in a deal; None is not fixed.
        "values": [
            {"name": labels.unit_name(unit), "total": rules.units[unit].total, "each": each}
            for unit, each in contract.values.items()
            if each
        ],
        "prizes": contract.prizes,
        "sum": deal_sum(rules, contract),
        "often": ", ".join(limits),
    }


def _order(rules: Ruleset) -> Iterator[str]:
    quotas = rules.side_quotas
    if quotas:
        pairs = rules.seats_in_a_side > 1
        whoever = _("Each pair declares: %(what)s.") if pairs else _("Everyone declares: %(what)s.")
        yield whoever % {
            "what": ", ".join(f"{n} × {labels.kind_name(k)}" for k, n in quotas.items())
        }
    if rules.in_a_row > 1:
        yield _("The same player declares %(deals)s deals in a row.") % {"deals": rules.in_a_row}
    for setting, texts in (("order", ORDERS), ("naming", NAMINGS)):
        text = texts.get(rules.settings.get(setting, ""))
        if text is not None:
            yield str(text)
    if first := int(rules.settings.get("penalties_first", 0)):
        yield _("The first %(deals)s deals are penalties.") % {"deals": first}


def _options(rules: Ruleset) -> Iterator[dict[str, Any]]:
    """Yield the options with their values, of which one is the default or chosen by a table."""
    for question in questions_of(rules):
        yield {
            "name": labels.option_name(question.name),
            "help": question.text,
            "values": [(text, at == 0) for at, (_value, text) in enumerate(question.answers())],
        }


def _ending(rules: Ruleset) -> Iterator[str]:
    if rules.target is not None:
        text = _("The game ends as soon as someone has %(target)s or more.")
        if _counts_games(rules):
            text = ngettext(
                "It is over when someone has won.",
                "It is over when someone has won %(target)s games.",
                rules.target,
            )
        yield text % {"target": rules.target}
    elif rules.length is not None:
        yield _("The game ends after deal %(deals)s.") % {"deals": rules.length}
    king = KINGS.get(rules.settings.get("king", "off"))
    if king is not None:
        yield str(king)
        if rules.king_tricks < rules.tricks:
            enough = _("In a deal with trump %(tricks)s tricks are enough for King.")
            yield enough % {"tricks": rules.king_tricks}
        if rules.king_in_a_row:
            in_a_row = _(
                "In a deal with trump %(tricks)s tricks one after the other are King, too."
            )
            yield in_a_row % {"tricks": rules.king_in_a_row}
    yield str(OUTCOMES.get(rules.settings.get("out", "")) or OUTCOMES[rules.settings["outcome"]])


def _badges(rules: Ruleset) -> Iterator[tuple[str, str]]:
    earned = [badge for contract in rules.contracts for badge in contract.badges]
    for badge in dict.fromkeys((*earned, *rules.badges)):
        yield labels.badge_name(badge), labels.badge_meaning(badge)
