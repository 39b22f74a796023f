"""The rules of each game, from its data: contracts, order, options, end, examples."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.template import TemplateDoesNotExist
from django.template.loader import select_template
from django.utils.cache import add_never_cache_headers, patch_cache_control
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from tournaments.engine.rules.rulesets import Contract, Points, Ruleset, Setting
from tournaments.engine.rules.scoring import deal_sum
from tournaments.engine.variants import RULESETS
from tournaments.models import Game
from tournaments.permissions import account_of, writable_game
from tournaments.presenters.games.evenings import beginning_of
from tournaments.presenters.rulesets import describe
from tournaments.queries.games.sheets import ruleset_of
from tournaments.queries.rulesets import find_ruleset, offered_rulesets
from tournaments.texts import labels
from tournaments.web.base.going_back import kept_for_going_back
from tournaments.web.base.phone import address
from tournaments.web.rulesets.examples import LETTERS, ScoredExample, scored_examples
from tournaments.web.rulesets.families import tile_name, tile_of
from tournaments.web.rulesets.option_fields import default_of, implied_defaults, look_of

OUTCOMES: Mapping[Setting, Any] = {
    "out-and-sunk": gettext_lazy(
        "Whoever ends above zero is out, everyone else is sunk; the scores give the places."
    ),
    "pair-out-and-sunk": gettext_lazy(
        "The pair above zero is out, the other is sunk; at zero each it is a draw."
    ),
    "highest-wins": gettext_lazy("The highest total wins; equal totals win together."),
}

KINGS: Mapping[Setting, Any] = {
    "ends-game": gettext_lazy(
        "King: whoever takes all 13 tricks of a deal ends the game at once and stands above all."
    ),
    "declared": gettext_lazy(
        "King: whoever declares it before the first lead and takes all 13 tricks ends the game at "
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


@dataclass(frozen=True)
class Worth:
    """The value of a unit, and how many there are in a deal (None: not fixed)."""

    name: str
    total: int | None
    each: Points


@dataclass(frozen=True)
class ContractLine:
    """A row of the table of contracts: name, value of each unit, frequency."""

    symbol: str
    name: str
    values: tuple[Worth, ...]
    prizes: tuple[Points, ...]
    sum: Points | None
    often: str


@dataclass(frozen=True)
class OptionLine:
    """An option with its values; one is marked as default, or as chosen by a table."""

    name: str
    help: str
    values: tuple[tuple[str, bool], ...]


@dataclass(frozen=True)
class RulesPage:
    """The page of a ruleset, generated from its data."""

    name: str
    summary: str
    facts: tuple[tuple[str, str], ...]
    contracts: tuple[ContractLine, ...]
    order: tuple[str, ...]
    stages: tuple[tuple[str, str], ...]
    options: tuple[OptionLine, ...]
    ending: tuple[str, ...]
    badges: tuple[tuple[str, str], ...]
    sides: tuple[str, ...]
    examples: tuple[ScoredExample, ...]


@kept_for_going_back
@require_safe
def rules_index(request: HttpRequest) -> HttpResponse:
    """List every game by family (1 query)."""
    families: dict[str, list[tuple[str, str, str]]] = {}
    for id_, rules in offered_rulesets(request.user):
        line = (id_, labels.name_of(rules), labels.ruleset_summary(id_))
        families.setdefault(tile_name(tile_of(rules)), []).append(line)
    return render(request, "tournaments/rulesets/rules.html", {"families": families.items()})


@require_safe
def rules_of_game(request: HttpRequest, ruleset: str) -> HttpResponse:
    """Show the rules of one game (no query; 1 for house rules, 2 for signed-in visitors)."""
    rules = _found(request, ruleset)
    page = {
        "id": ruleset,
        "rules": rules_page(rules),
        "how": how_it_is_played(request, rules),
        "house": rules.id not in RULESETS,
    }
    return _kept_from_caches(
        request, rules, render(request, "tournaments/rulesets/rules_of_game.html", page)
    )


@never_cache
@require_safe
def rules_at_table(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    """Show the rules of a table, with its options."""
    row = get_object_or_404(writable_game(request, public_id, secret))
    return _at_table(request, row, "write")


@never_cache
@require_safe
def rules_followed(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    """Show the rules of a table to its followers."""
    row = get_object_or_404(Game.objects.readable_at(public_id, secret))
    return _at_table(request, row, "follow")


def _at_table(request: HttpRequest, row: Game, kind: str) -> HttpResponse:
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
    return _kept_from_caches(request, rules, JsonResponse(describe(rules), json_dumps_params=style))


def _kept_from_caches(request: HttpRequest, rules: Ruleset, answer: HttpResponse) -> HttpResponse:
    """Forbid caching of an answer if the rules belong to a club, which not everybody may see.

    Other answers are revalidated each time: they are in the reader's language.
    """
    house = rules.id not in RULESETS
    if house and account_of(request) is not None and find_ruleset(rules.id) is None:
        add_never_cache_headers(answer)
    else:
        patch_cache_control(answer, no_cache=True)
    return answer


def _found(request: HttpRequest, ruleset: str) -> Ruleset:
    rules = find_ruleset(ruleset, request.user)
    if rules is None:
        raise Http404
    return rules


def how_it_is_played(request: HttpRequest, rules: Ruleset) -> str:
    """Return the prose about a ruleset, or else about its family; "" if there is none."""
    names = [name.replace("-", "_") for name in (rules.id, rules.family)]
    try:
        fragment = select_template(
            [f"tournaments/rulesets/play/_play_{name}.html" for name in names]
        )
    except TemplateDoesNotExist:
        return ""
    return str(fragment.render({}, request))


def rules_page(rules: Ruleset) -> RulesPage:
    """Return the page of a ruleset from its data."""
    return RulesPage(
        name=labels.name_of(rules),
        summary=labels.ruleset_summary(rules.id),
        facts=tuple(_facts(rules)),
        contracts=tuple(_contract(c) for c in rules.contracts if c.named),
        order=tuple(_order(rules)),
        stages=tuple(_stages(rules)),
        options=tuple(_options(rules)),
        ending=tuple(_ending(rules)),
        badges=tuple(_badges(rules)),
        sides=tuple(rules.side_names(LETTERS[: rules.seats])),
        examples=tuple(scored_examples(rules)),
    )


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
        yield _("Length"), _target(rules, rules.target)
    yield _("Beginning"), str(beginning_of(rules).hint)


def _counts_games(rules: Ruleset) -> bool:
    """Return whether the target is a number of won games, not of points."""
    return rules.settings.get("scoring") == "win"


def _target(rules: Ruleset, target: int) -> str:
    text = _("first to %(target)s")
    if _counts_games(rules):
        text = ngettext("one game decides", "first to %(target)s games", target)
    return text % {"target": target}


def _reached(rules: Ruleset, target: int) -> str:
    text = _("The game ends as soon as someone has %(target)s or more.")
    if _counts_games(rules):
        text = ngettext(
            "It is over when someone has won.",
            "It is over when someone has won %(target)s games.",
            target,
        )
    return text % {"target": target}


def _contract(contract: Contract) -> ContractLine:
    values = tuple(
        Worth(labels.unit_name(unit.id), unit.total, contract.values[unit.id])
        for unit in contract.units
        if contract.values[unit.id]
    )
    return ContractLine(
        labels.contract_symbol(contract.id),
        labels.contract_title(contract),
        values,
        contract.prizes,
        deal_sum(contract),
        _often(contract),
    )


def _often(contract: Contract) -> str:
    """Return how often a contract occurs in a game, if that is limited."""
    limits = []
    if contract.quota is not None:
        limits.append(_("%(times)s× a game") % {"times": contract.quota})
    if contract.quota_each is not None:
        limits.append(_("%(times)s× each") % {"times": contract.quota_each})
    return ", ".join(limits)


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


def _stages(rules: Ruleset) -> Iterator[tuple[str, str]]:
    """Yield the deals of each stage, and their contracts."""
    first = 1
    for stage in rules.stages:
        last = first + stage.deals - 1
        names = [labels.contract_title(rules.by_id[name]) for name in stage.contracts]
        number = str(first) if first == last else f"{first}–{last}"
        yield number, " / ".join(names)
        first = last + 1


def _options(rules: Ruleset) -> Iterator[OptionLine]:
    for option in rules.options:
        default = default_of(rules, option.setting)
        values = [
            (labels.option_value_name(option.setting, value), value == default)
            for value in option.values
        ]
        if look_of(option) not in ("one-of", "switch"):
            values = [(_("none") if default is None else str(default), True)]
            values += [
                (f"{name}: {value}", False)
                for name, value in implied_defaults(rules, option.setting)
            ]
        yield OptionLine(
            labels.option_name(option.setting), labels.option_help(option.setting), tuple(values)
        )


def _ending(rules: Ruleset) -> Iterator[str]:
    if rules.target is not None:
        yield _reached(rules, rules.target)
    elif rules.length is not None:
        yield _("The game ends after deal %(deals)s.") % {"deals": rules.length}
    king = KINGS.get(rules.settings.get("king", "off"))
    if king is not None:
        yield str(king)
    yield str(OUTCOMES[rules.settings["outcome"]])


def _badges(rules: Ruleset) -> Iterator[tuple[str, str]]:
    earned = [badge for contract in rules.contracts for badge in contract.badges]
    for badge in dict.fromkeys((*earned, *rules.badges)):
        yield labels.badge_name(badge), labels.badge_meaning(badge)
