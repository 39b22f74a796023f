"""House rules, for whoever keeps them: copied, changed, tried, handed on."""

import json
from collections.abc import Mapping
from typing import Any

from django.core.exceptions import SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from tournaments import messages, words
from tournaments.engine.problems import InvalidEntry, Problem
from tournaments.engine.records import GAME_FORMAT, Reading, parse_json, read_game
from tournaments.engine.ruleset_records import write_ruleset
from tournaments.engine.rulesets import Ruleset
from tournaments.models import HouseRuleset
from tournaments.queries.rulesets import find_ruleset, offered_rulesets, parsed_ruleset
from tournaments.reports.text_sheet import draw_sheet
from tournaments.services.clubs.house_rules import (
    StaleRules,
    change_rules,
    create_rules,
    remove_rules,
)
from tournaments.visitors import actor_of
from tournaments.web.rules.house_form import (
    Document,
    Draft,
    contract_fields,
    heading_fields,
    other_errors,
    quota_fields,
    setting_fields,
    stage_fields,
    sum_lines,
    zero_sum_sentence,
)
from tournaments.web.rules.house_typing import (
    typed_document,
    units_to_add,
    with_contract,
    without_contract,
)
from tournaments.web.rules.keepers import Keeper, for_keepers

CONFLICT, UNPROCESSABLE = 409, 422
LARGEST_UPLOAD = 1_000_000


@for_keepers
@never_cache
@require_safe
def house_rules(request: HttpRequest, keeper: Keeper) -> HttpResponse:
    """The house rules there are, and what a new one can be made from (1 query)."""
    return _list(request, keeper)


@for_keepers
@require_POST
def copy_rules(request: HttpRequest, keeper: Keeper) -> HttpResponse:
    """Make house rules like a ruleset of the program, or like others of the house."""
    source = find_ruleset(request.POST.get("source", ""), request.user)
    if source is None:
        raise Http404
    name = request.POST.get("name", "").strip()
    name = name or _("%(name)s, our way") % {"name": words.name_of(source)}
    return _create(request, keeper, {**write_ruleset(source), "name": name}, "name")


@for_keepers
@require_POST
def import_rules(request: HttpRequest, keeper: Keeper) -> HttpResponse:
    """Make house rules from a document, uploaded or pasted."""
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
        return _list(request, keeper, {form: _with_places(error.problems)})
    return redirect(keeper.address("house_ruleset", row.slug))


@for_keepers
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def house_ruleset(request: HttpRequest, keeper: Keeper, slug: str) -> HttpResponse:
    """Change house rules; see at once what they add up to and what is wrong with them."""
    row = get_object_or_404(keeper.rows, slug=slug)
    if request.method != "POST":
        draft = Draft.of(write_ruleset(parsed_ruleset(row.document)))
        return _edit_page(request, row, draft)
    # What the form was made at, which may be older than what is stored.
    row.revision, document = _typed(request)
    action = request.POST.get("action", "")
    if action == "save":
        return _save(request, row, document)
    draft = Draft.of(document)
    if "HX-Request" in request.headers:
        return render(request, "tournaments/_house_look.html", _look(draft, oob=True))
    return _edit_page(request, row, draft, notice=[_("Not saved yet.")])


def _typed(request: HttpRequest) -> tuple[int, Document]:
    """The revision the form was made at, and the document it now stands for."""
    action, _colon, which = request.POST.get("action", "").partition(":")
    try:
        revision = int(request.POST["revision"])
        document = typed_document(request.POST, parse_json(request.POST["document"]))
        if action == "remove":
            document = without_contract(document, int(which))
        elif action == "add":
            document = with_contract(document, request.POST["unit"])
        Draft.of(document)
    except (InvalidEntry, ValueError, TypeError, LookupError, AttributeError) as error:
        raise SuspiciousOperation("a form of house rules that we did not make") from error
    return revision, document


def _save(request: HttpRequest, row: HouseRuleset, document: Document) -> HttpResponse:
    try:
        change_rules(row.pk, document, row.revision, actor_of(request), at=timezone.now())
    except HouseRuleset.DoesNotExist as error:
        raise Http404 from error
    except InvalidEntry as error:
        draft = Draft(document, None, error.problems)
        notice = [_("Nothing is saved: something is still wrong.")]
        return _edit_page(request, row, draft, UNPROCESSABLE, notice)
    except StaleRules as stale:
        who = stale.row.author or _("Someone")
        notice = [
            _("%(who)s has changed these rules meanwhile, so nothing is saved.") % {"who": who},
            _("Below stands what you typed. Save it again to put it in place of theirs."),
        ]
        draft = Draft.of(document)
        return _edit_page(request, stale.row, draft, CONFLICT, notice)
    return redirect(Keeper(row.club).address("house_ruleset", row.slug))


@for_keepers
@require_safe
def export_rules(request: HttpRequest, keeper: Keeper, slug: str) -> HttpResponse:
    """House rules as a `kingscore-ruleset/1` document."""
    row = get_object_or_404(keeper.rows, slug=slug)
    answer = JsonResponse(
        write_ruleset(parsed_ruleset(row.document)),
        json_dumps_params={"indent": 2, "ensure_ascii": False},
    )
    answer["Content-Disposition"] = f'attachment; filename="{row.slug}.json"'
    return answer


@for_keepers
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def try_rules(request: HttpRequest, keeper: Keeper, slug: str) -> HttpResponse:
    """Score a game record, or its entries alone, by house rules."""
    row = get_object_or_404(keeper.rows, slug=slug)
    page: dict[str, Any] = {"row": row, "keeper": keeper, "typed": "[]"}
    status = 200
    if request.method == "POST":
        sent = _sent(request)
        page["typed"] = sent
        try:
            reading = read_game(_record(parsed_ruleset(row.document), parse_json(sent)))
        except InvalidEntry as error:
            reading = Reading(None, problems=error.problems)
        status = UNPROCESSABLE if reading.problems else 200
        page |= {"reading": reading, "sheet": draw_sheet(reading).strip()}
    return render(request, "tournaments/house_try.html", page, status=status)


def _record(rules: Ruleset, sent: Any) -> Any:
    """A game record by these rules, of a record or of entries."""
    if isinstance(sent, dict):
        return {**sent, "ruleset": write_ruleset(rules)}
    players = ["A", "B", "C", "D"][: rules.seats]
    return {
        "format": GAME_FORMAT,
        "ruleset": write_ruleset(rules),
        "players": players,
        "entries": sent,
    }


@for_keepers
@require_http_methods(["GET", "HEAD", "POST"])
def delete_rules(request: HttpRequest, keeper: Keeper, slug: str) -> HttpResponse:
    """Take house rules away, after asking."""
    row = get_object_or_404(keeper.rows, slug=slug)
    if request.method == "POST":
        remove_rules(row.pk, actor_of(request), at=timezone.now())
        return redirect(keeper.address("house_rules"))
    return render(request, "tournaments/house_delete.html", {"row": row, "keeper": keeper})


# Pages.


def _list(
    request: HttpRequest, keeper: Keeper, errors: Mapping[str, list[str]] | None = None
) -> HttpResponse:
    offered = offered_rulesets(request.user)
    page = {
        "keeper": keeper,
        "rows": keeper.rows.select_related("author"),
        "sources": [(slug, words.name_of(rules)) for slug, rules in offered],
        "errors": errors or {},
        "typed": request.POST.get("text", ""),
    }
    status = UNPROCESSABLE if errors else 200
    return render(request, "tournaments/house_rules.html", page, status=status)


def _edit_page(
    request: HttpRequest,
    row: HouseRuleset,
    draft: Draft,
    status: int = 200,
    notice: list[str] | None = None,
) -> HttpResponse:
    page = {
        **_look(draft),
        "row": row,
        "keeper": Keeper(row.club),
        "document": json.dumps(draft.document, ensure_ascii=False),
        "notice": notice or [],
        "units": units_to_add(),
    }
    return render(request, "tournaments/house_ruleset.html", page, status=status)


def _look(draft: Draft, *, oob: bool = False) -> dict[str, Any]:
    """The fields of a draft, and all that can be told about it."""
    contracts = list(contract_fields(draft))
    settings = list(setting_fields(draft))
    groups = {
        "heading": list(heading_fields(draft)),
        "quotas": list(quota_fields(draft)),
        "stages": list(stage_fields(draft)),
    }
    fields = [field for group in groups.values() for field in group]
    fields += [setting.default for setting in settings]
    fields += [field for contract in contracts for field in (*contract.fields, contract.slot)]
    sums = draft.sums
    choosable = {option.get("setting") for option in draft.document.get("options", ())}
    return {
        **groups,
        "contracts": contracts,
        "settings": settings,
        "target_choice": "target" in choosable,
        "slots": fields if oob else [],
        "problems": draft.problems,
        "others": other_errors(draft, (field.path for field in fields)),
        "zero_sum": sums and zero_sum_sentence(sums),
        "balanced": bool(sums and sums.zero_sum),
        "sums": list(sum_lines(draft)),
    }


def _with_places(problems: tuple[Problem, ...]) -> list[str]:
    """Problems with where they are, for a document that no form shows."""
    return [
        f"{p.where}: {messages.explain(p)}" if p.where else messages.explain(p) for p in problems
    ]


def _sent(request: HttpRequest) -> str:
    """What was uploaded, or else pasted."""
    upload = request.FILES.get("file")
    if upload is None:
        return request.POST.get("text", "")
    return bytes(upload.read(LARGEST_UPLOAD)).decode("utf-8-sig", "replace")
