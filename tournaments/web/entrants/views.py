"""Pages of entrants: the list, one of them, fees, and sections."""

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import wraps
from itertools import groupby
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import HttpResponseClientRefresh

from tournaments.engine.pairing.judging import rounds_without_repeats
from tournaments.engine.rules.rulesets import LONGEST_NAME
from tournaments.engine.standings.standings import share_prizes
from tournaments.models import Entrant, Round, Substitute, Tournament
from tournaments.models.games import digest
from tournaments.permissions import actor_of, directed_tournament, seen_tournament
from tournaments.queries.overview import (
    EntrantList,
    found_in,
    line_of,
    list_entrants,
    name_of,
    players_offered,
    scores_at,
    seat_in_game,
    seated_sentence,
    with_ratings,
)
from tournaments.queries.player_pages import named_player
from tournaments.queries.ratings import ratings_of_entrants
from tournaments.queries.state import load_state, next_round, rules_of_tournament, settings_of
from tournaments.services.base.writes import Refused
from tournaments.services.entrants.registration import (
    MOST_ENTRANTS,
    EnteredAlready,
    EntrantsRefused,
    Entry,
    NoLabel,
    TooMany,
    change_entrant,
    check_in,
    check_in_all,
    is_for_pairs,
    let_in,
    mark_house,
    mark_paid,
    preview_entries,
    register_entrants,
    remove_entrant,
    return_entrant,
    withdraw_entrant,
)
from tournaments.services.entrants.substituting import Place, put_substitute, take_out_substitute
from tournaments.services.imports.files import FileRefused, ImportFault, Wrong
from tournaments.services.imports.records import fault_text
from tournaments.services.rounds.changes import change_late
from tournaments.services.rounds.running import (
    divide_by_rating,
    move_entrants,
    sizes_of,
    value_missed_rounds,
)
from tournaments.services.rounds.undo import marked_together
from tournaments.services.tournaments.lifecycle import Depended, WrongState
from tournaments.web.base.forms import warn_of_boxes
from tournaments.web.base.pages import (
    HtmxRequest,
    add_refused,
    cached_for_going_back,
    name_choices,
    show_refusal,
)
from tournaments.web.entrants.forms import (
    ChangeEntrantForm,
    EntrantForm,
    SubstituteForm,
    near_names,
)
from tournaments.web.events.views import names_lately
from tournaments.web.imports.reading import (
    ENTRANTS,
    ListLine,
    ReadList,
    read_fee,
    read_list,
    write_rows,
)
from tournaments.web.imports.views import ListForm, list_page, typed_list
from tournaments.web.tournaments.my_card import overview_fragment
from tournaments.web.tournaments.views import (
    TournamentPage,
    missed_sentence,
    page_of,
    preview_below,
)


@cached_for_going_back
@require_safe
def entrants(request: HtmxRequest, slug: str, tournament: str) -> HttpResponse:
    """List the entrants of a tournament; htmx requests matches while one types.

    For directors it is the list at the door: who is missing comes first, then who has not paid.
    """
    row = seen_tournament(request, slug, tournament)
    page = page_of(request, row)
    everybody = with_ratings(list_entrants(row, directs=page["directs"]), row, request.user)
    if not page["directs"]:
        club, member, lines = row.event.club, page["member"], []
        for line in everybody.lines:
            players = [named_player(club, player, member=member) for player in line.entrant.players]
            pages = tuple((each.name, each.url) for each in players)
            named = pages if any(url for _name, url in pages) else ()
            lines.append(replace(line, named=named))
        everybody = replace(everybody, lines=tuple(lines))
    else:
        first = sorted(everybody.lines, key=lambda line: (line.state != "missing", not line.owes))
        everybody = replace(everybody, lines=tuple(first))
        page |= _marked_together(row, everybody)
    query = request.GET.get("q", "")[:LONGEST_NAME]
    page |= {
        "entrants": everybody,
        "here": request.path,
        "asked": query,
        "found": found_in(everybody.lines, query, directs=page["directs"]),
        "hub": False,
    }
    number = len(everybody.lines)
    text = ngettext("%(number)s entrant", "%(number)s entrants", number) % {"number": number}
    parts = [row.event.club.name, *row.event.details, text]
    page |= preview_below(page, _("Entrants"), lambda: " · ".join(parts))
    fragment = bool(request.htmx)
    template = (
        "tournaments/entrants/_found.html" if fragment else "tournaments/entrants/entrants.html"
    )
    return render(request, template, page)


def _marked_together(row: Tournament, everybody: EntrantList) -> dict[str, Any]:
    """Return the numbers that one tap has marked as here, and as paid, and still are."""
    marked = marked_together(row, timezone.now())
    here = {line.entrant.number for line in everybody.lines if line.state == "here"}
    paid = {line.entrant.number for line in everybody.lines if line.entrant.paid}
    return {
        "undo_here": [number for number in marked["here"] if number in here],
        "undo_paid": [number for number in marked["paid"] if number in paid],
    }


@require_POST
def check(request: HtmxRequest, slug: str, tournament: str) -> HttpResponse:
    """Mark entrants as `here` or `gone`, `paid` or `unpaid`: by numbers, or `all`."""
    row = directed_tournament(request, slug, tournament)
    by, at, htmx = actor_of(request), timezone.now(), bool(request.htmx)
    marks = ("here", "gone", "paid", "unpaid")
    mark = next((each for each in marks if each in request.POST), "here")
    typed = request.POST.get(mark, "")
    everybody = typed == "all" and mark in ("here", "paid")
    words = typed.split()[:MOST_ENTRANTS]
    numbers = [int(each) for each in words if each.isdecimal() and len(each) < 6]
    try:
        if mark in ("paid", "unpaid"):
            mark_paid(row.pk, None if everybody else numbers, by, at=at, paid=mark == "paid")
        elif everybody or (mark == "gone" and len(numbers) > 1):
            check_in_all(row.pk, by, at=at, undo=numbers)
        else:
            found = row.entrants.get(number=numbers[0] if numbers else 0)
            check_in(found.pk, by, at=at, here=mark == "here")
    except Entrant.DoesNotExist:
        messages.error(request, _("They are no longer on the list."))
    except WrongState as error:
        messages.error(request, str(error))
    else:
        if htmx and len(numbers) == 1:
            listed = with_ratings(list_entrants(row, directs=True), row, request.user)
            page = {
                "directs": True,
                "found": [line for line in listed.lines if line.entrant.number in numbers],
                "entrants": listed,
                "here": reverse("entrants", args=[row.event.club.slug, row.slug]),
                "swapped": True,
                **_marked_together(row, listed),
            }
            return render(request, "tournaments/entrants/_line_checked.html", page)
    if htmx:
        return HttpResponseClientRefresh()
    # Back to the same place in the list, with the same search.
    name = request.POST.get("q", "")[:LONGEST_NAME]
    query = f"?{urlencode({'q': name})}" if name else ""
    place = f"#e{numbers[0]}" if len(numbers) == 1 else ""
    return redirect(f"{reverse('entrants', args=[slug, tournament])}{query}{place}")


def add_entrants(request: HttpRequest, slug: str, tournament: str) -> HttpResponse:
    """Register entrants: one by name, or a list after a preview."""
    row = directed_tournament(request, slug, tournament)
    if row.state == Tournament.State.FINISHED:
        messages.error(request, _("The tournament is finished: nobody can be added."))
        return redirect("entrants", slug, tournament)
    what = request.POST.get("what", "")
    if request.method != "POST":
        return _add_page(request, row)
    if what == "one":
        return _add_one(request, row)
    if what == "ticked":
        ticked = set(request.POST.getlist("player"))
        offered = [
            player for group in players_offered(row.event.club, row).values() for player in group
        ]
        chosen = [Entry(player.name) for player in offered if player.public_id in ticked]
        if not chosen:
            messages.error(request, _("Nobody is chosen."))
            return redirect("add_entrants", row.event.club.slug, row.slug)
        with show_refusal(request):
            added = register_entrants(row.pk, chosen, actor_of(request), at=timezone.now())
            _tell_registered(request, row, added)
        return redirect("entrants", row.event.club.slug, row.slug)
    return _add_list(request, row)


def _add_one(request: HttpRequest, row: Tournament) -> HttpResponse:
    form = _form(row, request.POST)
    if form.is_valid():
        entry = form.entry
        if near_names(row.event.club, [entry], {})[0] != [entry]:
            # Somebody is called so but for case and marks.
            cells = {name: getattr(entry, name) for name in ENTRANTS if getattr(entry, name, "")}
            text = write_rows([list(cells.values())])
            read = read_list(text, ENTRANTS, list(cells), pairs=is_for_pairs(row))
            return _preview(request, row, ListForm(), read)
        try:
            added = register_entrants(row.pk, [form.entry], actor_of(request), at=timezone.now())
        except (EntrantsRefused, TooMany) as error:
            add_refused(form, error)
        else:
            at = (row.event.club.slug, row.slug)
            if "seat" in request.POST and published_round(row) and not added[0].waiting:
                return redirect("arrive_late", *at, added[0].number)
            messages.success(request, added_sentence(added[0]))
            warn_of_boxes(request, *(player.name for player in added[0].players))
            return redirect("add_entrants", *at)
    return _add_page(request, row, one=form)


def _tell_registered(request: HttpRequest, row: Tournament, added: list[Entrant]) -> None:
    text = ngettext("%(number)s is registered.", "%(number)s are registered.", len(added))
    messages.success(request, text % {"number": len(added)})
    warn_of_boxes(request, *(player.name for each in added for player in each.players))
    _seat(request, row, added)


def published_round(row: Tournament) -> Round | None:
    rounds = row.event.rounds.filter(published_at__isnull=False, closed_at=None)
    return rounds.order_by("number").last()


def _seat(request: HttpRequest, row: Tournament, entrants: list[Entrant]) -> bool:
    """Seat new entrants in a running round, if asked; a refusal leaves them for the next one."""
    going = published_round(row) if "seat" in request.POST else None
    coming = [each for each in entrants if not each.waiting]
    if going is None or not coming:
        return False
    arriving = [each.pk for each in coming]
    try:
        change_late(going.pk, actor_of(request), at=timezone.now(), arriving=arriving)
    except Refused as error:
        messages.error(request, str(error))
        return False
    for each in coming:
        messages.success(request, seated_sentence(each, going.number))
    return True


def added_sentence(entrant: Entrant) -> str:
    """Say that somebody is registered, and from which round they play."""
    details = {"name": " + ".join(p.name for p in entrant.players), "number": entrant.number}
    if entrant.waiting:
        return _("%(name)s is number %(number)s, on the waiting list.") % details
    if entrant.joins_in > 1:
        details["round"] = entrant.joins_in
        return _("%(name)s is number %(number)s and plays from round %(round)s.") % details
    return _("%(name)s is number %(number)s.") % details


def _add_list(request: HttpRequest, row: Tournament) -> HttpResponse:
    """Preview a list; once the director is sure, register all of it or nothing."""
    form = ListForm(request.POST, request.FILES)
    try:
        typed = typed_list(request.POST, form, ENTRANTS, pairs=is_for_pairs(row))
    except FileRefused as refused:
        form.add_error("file" if request.FILES else "list", str(refused))
        return _add_page(request, row, many=form)
    return _preview(request, row, form, typed, skips=request.POST.get("what") == "skip")


def _preview(
    request: HttpRequest, row: Tournament, form: ListForm, typed: ReadList, *, skips: bool = False
) -> HttpResponse:
    """Show a list, or register it if it is as it was shown.

    With `skips`, lines with faults are left out.
    """
    lines = [line for line in typed.lines if line.number not in typed.skip]
    typed_entries = [_entry(line) for line in lines]
    entries, questions = near_names(row.event.club, typed_entries, name_choices(request.POST))
    answered = all(question.chosen for question in questions)
    foreseen = preview_entries(row, entries)
    problems, previews, new = {}, {}, []
    # By line: entries, numbers of those who take part already, and who has paid.
    coming, known, paid = {}, {}, []
    for line, entry, each in zip(lines, entries, foreseen, strict=True):
        n, why, cell = line.number, each.problem, line.cells.get("paid", "")
        has_paid = read_fee(cell)
        unclear = ImportFault(Wrong.NO_YES, n, "paid", {"text": cell[:40]})
        fault = unclear if has_paid is None else line.fault
        if isinstance(why, EnteredAlready) and "paid" in line.cells and not entry.partner:
            # In a list of fees.
            known[n], why = why.data["number"], None
        else:
            coming[n] = entry
        if problem := fault_text(fault) if fault else str(why or ""):
            problems[n] = problem
        paid += [n] if has_paid else []
        names = each.players or tuple(filter(None, (entry.name, entry.partner)))
        labels = (each.team, each.represents, pgettext("a fee", "paid") if has_paid else "")
        previews[n] = {
            # Each name, and whether it is new to the club.
            "names": [(str(who), who in each.players and isinstance(who, str)) for who in names],
            "detail": " · ".join(filter(None, labels)),
            "known": n in known and " ",
        }
        new += [who for who in each.players if isinstance(who, str)]
    if problems and skips:
        return _preview(request, row, form, replace(typed, skip=typed.skip | problems.keys()))
    seen, here = digest(repr((entries, paid))), redirect("entrants", row.event.club.slug, row.slug)
    pressed = request.POST.get("what") == "import" or "seat" in request.POST
    sure = pressed and "seen" in request.POST
    tapped_twice = lines and all(isinstance(each.problem, EnteredAlready) for each in foreseen)
    if sure and tapped_twice and not paid:
        return here
    if sure and answered and not problems and seen == request.POST.get("seen"):
        by, at = actor_of(request), timezone.now()
        with suppress(EntrantsRefused, TooMany):
            with transaction.atomic():
                added = register_entrants(row.pk, [*coming.values()], by, at=at) if coming else []
                numbers = known | dict(zip(coming, (each.number for each in added), strict=True))
                mark_paid(row.pk, [numbers[n] for n in paid], by, at=at)
            if added:
                _tell_registered(request, row, added)
            return here
    room = MOST_ENTRANTS - row.entrants.count()
    page = page_of(request, row) | {
        "kind": "entrants",
        "title": _("The list"),
        "form": form,
        **list_page(typed, new),
        "seen": seen,
        "changed": sure and not problems and answered,
        "faults": [*problems.items()],
        "too_many": str(TooMany()) if len(coming) > room else "",
        "names": questions,
        "unanswered": not answered,
        "lines": [
            {
                "number": line.number,
                "problem": problems.get(line.number, ""),
                "skipped": line.number in typed.skip,
                **previews.get(line.number, {"names": [(line.name, False)]}),
            }
            for line in typed.lines
        ],
        "new": new,
        "number": len(coming),
        "paid": len(paid),
        "going": published_round(row),
        "hub": False,
    }
    page["wrong"] = problems or page["too_many"]
    refused = page["wrong"] or page["unanswered"] or page["changed"] or typed.missing
    template = "tournaments/entrants/preview.html"
    return render(request, template, page, status=422 if refused else 200)


def _entry(line: ListLine) -> Entry:
    cells = line.cells
    partner, team, represents = (cells.get(k, "") for k in ("partner", "team", "represents"))
    return Entry(line.name, partner, team, represents)


def _add_page(
    request: HttpRequest,
    row: Tournament,
    one: EntrantForm | None = None,
    many: ListForm | None = None,
) -> HttpResponse:
    pairs = is_for_pairs(row)
    offered = {} if pairs else players_offered(row.event.club, row)
    # At the first event of a club mostly everybody plays.
    is_first = bool(offered) and not offered["last"] and not row.entrants.exists()
    page: dict[str, Any] = page_of(request, row) | {
        "one": one or _form(row),
        "many": many or ListForm(),
        "offered": offered,
        "chosen": [each.public_id for each in offered["others"]] if is_first else (),
        "pairs": pairs,
        "names": names_lately(row.event.club),
        "late": row.state == Tournament.State.RUNNING,
        "missed": missed_sentence(settings_of(row)),
        "going": published_round(row),
        "hub": False,
    }
    return render(
        request, "tournaments/entrants/add.html", page, status=422 if one or many else 200
    )


def numbered(row: Tournament, number: int) -> Entrant:
    """Return the entrant of a tournament with a number; 404 if there is none."""
    rows = row.entrants.select_related("player", "partner")
    entrant: Entrant = get_object_or_404(rows, number=number)
    entrant.tournament = row
    return entrant


def _form(row: Tournament, data: Any = None) -> EntrantForm:
    return EntrantForm(
        data,
        pairs=is_for_pairs(row),
        suggest=reverse("player_names", args=[row.event.club.slug]),
        sections=settings_of(row).section_names,
    )


@require_safe
def entrant(request: HttpRequest, slug: str, tournament: str, entrant: int) -> HttpResponse:
    """Show an entrant with everything that a director can do."""
    return _page(request, directed_entrant(request, slug, tournament, entrant))


def entrant_action(act: Callable[[HttpRequest, Entrant], Any]) -> Callable[..., HttpResponse]:
    """Make a view of what directors do with an entrant, which may be refused.

    Say who moves up from the waiting list, and show the entrant again.
    """

    @require_POST
    @wraps(act)
    def view(request: HttpRequest, slug: str, tournament: str, entrant: int) -> HttpResponse:
        row = numbered(directed_tournament(request, slug, tournament), entrant)
        queue = list(row.tournament.entrants.queued())
        with show_refusal(request):
            act(request, row)
            _tell_let_in(request, row.tournament, [each for each in queue if each.pk != row.pk])
        return redirect("entrant", slug, tournament, entrant)

    return view


@entrant_action
def withdraw(request: HttpRequest, row: Entrant) -> None:
    withdraw_entrant(row.pk, actor_of(request), at=timezone.now())


@entrant_action
def come_back(request: HttpRequest, row: Entrant) -> None:
    return_entrant(row.pk, actor_of(request), at=timezone.now())


@entrant_action
def let_in_entrant(request: HttpRequest, row: Entrant) -> None:
    let_in(row.pk, actor_of(request), at=timezone.now())


@entrant_action
def mark(request: HttpRequest, row: Entrant) -> None:
    """Make an entrant a house player (`house` is 1), or one like all others."""
    house = request.POST.get("house") == "1"
    mark_house(row.pk, actor_of(request), at=timezone.now(), house=house)


@require_POST
def remove(request: HttpRequest, slug: str, tournament: str, entrant: int) -> HttpResponse:
    """Remove an entrant who was never seated."""
    row = directed_tournament(request, slug, tournament)
    found = row.entrants.select_related("player", "partner").filter(number=entrant).first()
    if found is None:
        # Tapped twice.
        return redirect("entrants", slug, tournament)
    queue = [each for each in row.entrants.queued() if each.pk != found.pk]
    try:
        remove_entrant(found.pk, actor_of(request), at=timezone.now())
    except Depended as error:
        messages.error(request, str(error))
        return redirect("entrant", slug, tournament, entrant)
    gone = {"name": name_of(found, directs=True)}
    messages.success(request, _("%(name)s is taken off the list.") % gone)
    _tell_let_in(request, row, queue)
    return redirect("entrants", slug, tournament)


@require_POST
def change(request: HttpRequest, slug: str, tournament: str, entrant: int) -> HttpResponse:
    row = directed_entrant(request, slug, tournament, entrant)
    form = ChangeEntrantForm(request.POST)
    if form.is_valid():
        cleaned, by, at = form.cleaned_data, actor_of(request), timezone.now()
        missed = cleaned.pop("missed")
        try:
            with transaction.atomic():
                change_entrant(row.pk, **cleaned, by=by, at=at)
                if "missed" in form.data:
                    value_missed_rounds(row.pk, missed, by, at=at)
        except (NoLabel, WrongState) as error:
            add_refused(form, error)
        else:
            return redirect("entrant", slug, tournament, entrant)
    return _page(request, row, labels=form)


@require_POST
def substitute(request: HttpRequest, slug: str, tournament: str, entrant: int) -> HttpResponse:
    """Let a substitute play a round for one of the entrant's players."""
    row = directed_entrant(request, slug, tournament, entrant)
    form = _substitute_form(row, request.POST)
    if form.is_valid():
        cleaned = form.cleaned_data
        place = Place(row.pk, cleaned["round_number"], cleaned["instead_of"])
        try:
            put_substitute(place, cleaned["name"], actor_of(request), at=timezone.now())
        except WrongState as error:
            add_refused(form, error, "round_number")
        except Refused as error:
            add_refused(form, error, "name")
        else:
            return redirect("entrant", slug, tournament, entrant)
    return _page(request, row, substitute=form)


@require_POST
def no_substitute(request: HttpRequest, slug: str, tournament: str, entrant: int) -> HttpResponse:
    """Cancel a substitution; `substitute` is the key of the row."""
    row = directed_entrant(request, slug, tournament, entrant)
    key = request.POST.get("substitute", "")
    found = row.substitutes.filter(pk=key).first() if key.isdecimal() and len(key) < 15 else None
    if found is not None:
        place = Place(row.pk, found.round_number, found.instead_of_id)
        with show_refusal(request):
            take_out_substitute(place, actor_of(request), at=timezone.now())
    return redirect("entrant", slug, tournament, entrant)


def directed_entrant(request: HttpRequest, slug: str, tournament: str, entrant: int) -> Entrant:
    """Return an entrant by number for one of the tournament's directors; 404 for all others."""
    return numbered(directed_tournament(request, slug, tournament), entrant)


def _tell_let_in(request: HttpRequest, tournament: Tournament, queue: list[Entrant]) -> None:
    still = set(tournament.entrants.queued().values_list("pk", flat=True))
    for each in queue:
        if each.pk not in still:
            name = {"name": name_of(each, directs=True)}
            messages.success(request, _("%(name)s moves up from the waiting list.") % name)


def _page(request: HttpRequest, row: Entrant, **forms: Any) -> HttpResponse:
    tournament = row.tournament
    initial = {name: getattr(row, name) for name in ChangeEntrantForm.base_fields}
    stand_ins = Substitute.objects.filter(entrant=row).select_related("player", "instead_of")
    sits_at, going = seat_in_game(row), published_round(tournament)
    out_of = row.is_playing and not row.sittings.filter(round=going).exists()
    page = page_of(request, tournament)
    shared: TournamentPage = page["shared"]
    seen = overview_fragment(shared.version, lambda: shared.state)
    ratings = ratings_of_entrants(tournament, [row], request.user, timezone.now())
    now: dict[str, Any] = {}
    if going is not None and seen.current and (table := seen.current.table_of(row.key)):
        now["number"] = table.number
        for scores in scores_at(rules_of_tournament(tournament), going, [table.number]):
            now |= scores | {"points": scores["totals"][table.entrants.index(row.key)]}
    page |= {
        "line": line_of(row, directs=True),
        "entrant": row,
        "rating": ratings.get(row.key),
        "standing": seen.row_of(row.key),
        "rounds": seen.rounds_of(row.key),
        "now": now,
        "going": going,
        "labels": forms.get("labels") or ChangeEntrantForm(initial=initial),
        "substitute": forms.get("substitute") or _substitute_form(row),
        "substitutes": stand_ins.order_by("round_number"),
        "seated": row.sittings.exists(),
        "sits_at": sits_at,
        "arriving": going if out_of and going is not None and not going.stage else None,
        "names": names_lately(tournament.event.club),
        "hub": False,
    }
    return render(request, "tournaments/entrants/entrant.html", page, status=422 if forms else 200)


def _substitute_form(row: Entrant, data: Any = None) -> SubstituteForm:
    event = row.tournament.event
    going = event.rounds.filter(closed_at=None).order_by("number").first()
    number = going.number if going is not None else next_round(row.tournament)
    last = max(settings_of(row.tournament).rounds, event.rounds.count())
    suggest = reverse("player_names", args=[event.club.slug])
    return SubstituteForm(row.players, data, number=min(number, last), last=last, suggest=suggest)


def fees(request: HtmxRequest, slug: str, tournament: str) -> HttpResponse:
    """Show who gets which prize; who has paid stands in the list of entrants."""
    row = directed_tournament(request, slug, tournament)
    if request.method == "POST":
        # From a page of an earlier version.
        return check(request, slug, tournament)
    state = load_state(row)
    if not state.settings.prizes:
        return redirect("entrants", slug, tournament)
    everybody = list_entrants(row, directs=True)
    names = {line.entrant.key: line.name for line in everybody.lines}
    paid = Counter(line.section for line in everybody.lines if line.entrant.paid)
    fee = Fraction(state.settings.fee or 0)
    standings = state.standings_before(len(state.seated_rounds) + 1)
    shares: dict[str, Fraction] = {}
    for section, rows in groupby(standings, lambda each: each.section):
        shares |= share_prizes(state.settings.prizes, fee * paid[section], list(rows))
    page = page_of(request, row) | {
        "paid": paid.total(),
        "of": paid.total() + everybody.owing,
        "pot": amount_text(fee * paid.total()),
        "prizes": [
            (
                standing.place,
                names[standing.entrant],
                amount_text(shares[standing.entrant]),
                standing.section,
            )
            for standing in standings
            if standing.entrant in shares
        ],
        "hub": False,
    }
    return render(request, "tournaments/entrants/fees.html", page)


def amount_text(amount: Fraction) -> str:
    """Return an amount as settings have it: 20 or 12.50."""
    whole, cents = divmod(int(amount * 100), 100)
    return f"{whole}.{cents:02}" if cents else str(whole)


def sections(request: HttpRequest, slug: str, tournament: str) -> HttpResponse:
    """List the entrants by section; move the ticked ones (`to`), or divide all by rating."""
    row = directed_tournament(request, slug, tournament)
    names = settings_of(row).section_names
    if request.method == "POST":
        with show_refusal(request):
            _move(request, row)
        return redirect("sections", slug, tournament)
    lines = with_ratings(list_entrants(row, directs=True), row, request.user).lines
    players = [line for line in lines if line.entrant.is_playing and not line.entrant.house]
    counts, rounds = Counter(line.section for line in players), settings_of(row).rounds
    fewest = {
        name: rounds_without_repeats(counts[name], rules_of_tournament(row).side_count)
        for name in names
    }
    page = page_of(request, row) | {
        "names": names,
        "groups": [
            (
                name,
                [each for each in lines if each.section == name],
                fewest[name] + 1 if counts[name] and fewest[name] < rounds else None,
            )
            for name in names
        ],
        "planned": rounds,
        "sizes": list(zip(names, sizes_of(row, len(players)), strict=True)) if names else [],
        "changing": names and row.state != Tournament.State.FINISHED,
        "hub": False,
    }
    return render(request, "tournaments/entrants/sections.html", page)


def _move(request: HttpRequest, row: Tournament) -> None:
    by, at = actor_of(request), timezone.now()
    if "divide" in request.POST:
        moved = len(divide_by_rating(row.pk, request.user, by, at=at))
    else:
        ticked = request.POST.getlist("entrant")
        numbers = [int(each) for each in ticked if each.isdecimal() and len(each) < 6]
        if not numbers:
            messages.error(request, _("Nobody is chosen."))
            return
        moved = len(move_entrants(row.pk, numbers, request.POST.get("to", ""), by, at=at))
    text = ngettext("%(number)s has moved.", "%(number)s have moved.", moved)
    sentences = [text % {"number": moved}]
    number = next_round(row)
    if moved and number > 1:
        from_now = _("They keep their points, and play there from round %(number)s.")
        sentences.append(from_now % {"number": number})
    messages.success(request, " ".join(sentences))
