"""House rules, for their keepers: copy, change, try, export."""

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

from tournaments.engine.documents.games import GAME_FORMAT, Reading, parse_json, read_game
from tournaments.engine.documents.ruleset_records import write_ruleset
from tournaments.engine.rules.rulesets import InvalidEntry, Problem, Ruleset
from tournaments.models import HouseRuleset
from tournaments.permissions import actor_of
from tournaments.queries.rulesets import find_ruleset, offered_rulesets, parsed_ruleset
from tournaments.reports.sheets import draw_sheet
from tournaments.services.rulesets import StaleRules, change_rules, create_rules, remove_rules
from tournaments.texts import labels, messages
from tournaments.web.rulesets.house_form import (
    Document,
    HouseDraft,
    contract_fields,
    heading_fields,
    other_errors,
    quota_fields,
    setting_fields,
    stage_fields,
    sum_lines,
    zero_sum_sentence,
)
from tournaments.web.rulesets.house_typing import (
    typed_document,
    units_to_add,
    with_contract,
    without_contract,
)
from tournaments.web.rulesets.keepers import Keeper, for_keepers

CONFLICT, UNPROCESSABLE = 409, 422
LARGEST_UPLOAD = 1_000_000


@for_keepers
@never_cache
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
        return _list(request, keeper, {form: _with_places(error.problems)})
    return redirect(keeper.address("house_ruleset", row.slug))


@for_keepers
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def house_ruleset(request: HttpRequest, keeper: Keeper, slug: str) -> HttpResponse:
    """Change house rules; show their sums and errors at once."""
    row = get_object_or_404(keeper.rows, slug=slug)
    if request.method != "POST":
        draft = HouseDraft.of(write_ruleset(parsed_ruleset(row.document)))
        return _edit_page(request, row, draft)
    # The revision of the form may be older than the stored one.
    row.revision, document = _typed(request)
    action = request.POST.get("action", "")
    if action == "save":
        return _save(request, row, document)
    draft = HouseDraft.of(document)
    if "HX-Request" in request.headers:
        return render(request, "tournaments/rulesets/_house_look.html", _look(draft, oob=True))
    return _edit_page(request, row, draft, notice=[_("Not saved yet.")])


def _typed(request: HttpRequest) -> tuple[int, Document]:
    """Return the revision of the form, and the document that it now represents."""
    action, _colon, which = request.POST.get("action", "").partition(":")
    try:
        revision = int(request.POST["revision"])
        document = typed_document(request.POST, parse_json(request.POST["document"]))
        if action == "remove":
            document = without_contract(document, int(which))
        elif action == "add":
            document = with_contract(document, request.POST["unit"])
        HouseDraft.of(document)
    except (InvalidEntry, ValueError, TypeError, LookupError, AttributeError) as error:
        raise SuspiciousOperation("a form of house rules that we did not make") from error
    return revision, document


def _save(request: HttpRequest, row: HouseRuleset, document: Document) -> HttpResponse:
    try:
        change_rules(row.pk, document, row.revision, actor_of(request), at=timezone.now())
    except InvalidEntry as error:
        draft = HouseDraft(document, None, error.problems)
        notice = [_("Nothing is saved: something is still wrong.")]
        return _edit_page(request, row, draft, UNPROCESSABLE, notice)
    except StaleRules as stale:
        notice = [
            str(stale),
            _("Your version is below. Save it again to replace theirs."),
        ]
        draft = HouseDraft.of(document)
        return _edit_page(request, stale.row, draft, CONFLICT, notice)
    return redirect(Keeper(row.club).address("house_ruleset", row.slug))


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
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def try_rules(request: HttpRequest, keeper: Keeper, slug: str) -> HttpResponse:
    """Score a game record, or a list of entries, by house rules."""
    row = get_object_or_404(keeper.rows, slug=slug)
    page: dict[str, Any] = {"row": row, "keeper": keeper, "club": keeper.club, "typed": "[]"}
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
    return render(request, "tournaments/rulesets/house_try.html", page, status=status)


def _record(rules: Ruleset, sent: Any) -> Any:
    """Return a game record by these rules, from a record or from entries."""
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
    notice: list[str] | None = None,
) -> HttpResponse:
    page = {
        **_look(draft),
        "row": row,
        "keeper": Keeper(row.club),
        "club": row.club,
        "document": json.dumps(draft.document, ensure_ascii=False),
        "notice": notice or [],
        "units": units_to_add(),
    }
    return render(request, "tournaments/rulesets/house_ruleset.html", page, status=status)


def _look(draft: HouseDraft, *, oob: bool = False) -> dict[str, Any]:
    """Return the fields of a draft, with its sums and errors."""
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
    """Return problems with their paths, for a document without a form."""
    return [
        f"{p.where}: {messages.explain(p)}" if p.where else messages.explain(p) for p in problems
    ]


def _sent(request: HttpRequest) -> str:
    """Return the uploaded text, or else the pasted one."""
    upload = request.FILES.get("file")
    if upload is None:
        return request.POST.get("text", "")
    return bytes(upload.read(LARGEST_UPLOAD)).decode("utf-8-sig", "replace")
