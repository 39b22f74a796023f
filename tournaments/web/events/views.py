"""Pages of events, their tables and links, and of seasons."""

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import pgettext
from django.views.decorators.http import require_POST, require_safe

from tournaments.engine.rules.rulesets import InvalidEntry, Points
from tournaments.models import (
    Club,
    Event,
    Game,
    Player,
    Round,
    Season,
    Seat,
    Table,
    UnusedCard,
)
from tournaments.models.clubs import LeaguePoints
from tournaments.models.events import MOST_WRONG_CODES
from tournaments.models.people import name_order
from tournaments.permissions import (
    actor_of,
    directed_club,
    directed_evening,
    directed_event,
    directs_club,
    may_adopt,
    seen_club,
    seen_event,
    writable_game,
)
from tournaments.queries.overview import players_offered
from tournaments.queries.rulesets import rulesets_of_club
from tournaments.queries.scoresheets import state_of
from tournaments.queries.sheets import Agreement, Sheet, load_sheet
from tournaments.queries.standings import current_sheets, seasons_of
from tournaments.services.base.writes import Refused
from tournaments.services.events.events import (
    EventHasTables,
    OtherLeaguePoints,
    SeasonInUse,
    change_event,
    change_season,
    close_round,
    create_event,
    create_season,
    open_round,
    points_added,
    remove_event,
    reopen_round,
)
from tournaments.services.events.events import remove_season as events_remove_season
from tournaments.services.games.playing import agreement_on
from tournaments.services.games.tables import (
    AccessLinkClosed,
    NotOpen,
    WrongCode,
    add_table,
    adopt_game,
    current_game,
    enter_table,
    replace_address,
    seat_round,
)
from tournaments.services.games.tables import remove_table as tables_remove_table
from tournaments.services.games.writing import NoMoreTables
from tournaments.services.tournaments.lifecycle import put_in_season
from tournaments.texts import labels
from tournaments.web.base.pages import (
    HtmxRequest,
    add_refused,
    cached_for_going_back,
    etag_of,
    not_modified,
    out_of_reach,
    show_refusal,
)
from tournaments.web.base.phone import MATCHES, address, address_on_phone, club_page_preview
from tournaments.web.events.forms import AdoptForm, EventForm, EventTableForm, SeasonForm, WhoForm
from tournaments.web.games.starting import key_of, match_text


@dataclass(frozen=True)
class TableLine:
    """A table with its current game; `totals` are the names of its sides with their points."""

    table: Table
    row: Game
    ruleset: str
    state: str
    finished: bool
    totals: tuple[tuple[str, Points], ...]
    agreement: Agreement
    match_number: int | None

    @property
    def reminder(self) -> str:
        """The names of players who still have to confirm a finished result; empty if none."""
        if not self.finished or self.agreement.enough:
            return ""
        return ", ".join(self.row.players[seat] for seat in self.agreement.missing)

    @property
    def confirmed(self) -> bool:
        return self.finished and self.agreement.enough and self.agreement.needed > 0

    @property
    def write(self) -> str:
        return address(self.row, "write")

    @property
    def secret(self) -> str:
        return self.row.secret("write")

    @property
    def shut(self) -> bool:
        """Whether too many wrong codes have locked its access link."""
        return self.table.wrong_codes >= MOST_WRONG_CODES


def rounds_of(event: Event) -> list[dict[str, Any]]:
    """Return the rounds of an evening, the newest first, with their tables (5 queries)."""
    current = current_sheets(Game.objects.filter(table__round__event=event))
    tables: dict[int, list[TableLine]] = defaultdict(list)
    for table in Table.objects.filter(round__event=event).order_by("number"):
        tables[table.round_id].append(line_of(table, current[table.pk], event))
    rounds = event.rounds.order_by("-number")
    return [
        {
            "round": round_,
            "tables": tables[round_.pk],
            "going": sum(not line.finished for line in tables[round_.pk]),
            "begun": any(line.row.revision for line in tables[round_.pk]),
        }
        for round_ in rounds
    ]


def line_of(table: Table, sheet: Sheet, event: Event) -> TableLine:
    row, game = sheet.row, sheet.game
    names = game.ruleset.side_names(row.players)
    return TableLine(
        table=table,
        row=row,
        ruleset=labels.name_of(game.ruleset),
        state=state_of(game, sheet.outcome, row.players),
        finished=game.finished,
        totals=tuple(zip(names, game.totals, strict=True)),
        agreement=agreement_on(sheet, event.confirmations, row.confirmations.all()),
        match_number=row.match_number,
    )


PAGE = 20


@cached_for_going_back
@require_safe
def events(request: HttpRequest, slug: str) -> HttpResponse:
    """List the evenings of a club, the last first, optionally of one season."""
    club = seen_club(request, slug)
    rows = club.events.listed_for(request.user).select_related("season", "tournament")
    chosen = request.GET.get("season", "")
    season = (
        club.seasons.filter(pk=chosen).first() if chosen.isdecimal() and len(chosen) < 15 else None
    )
    if season is not None:
        rows = rows.filter(season=season)
    page = {
        "club": club,
        "season": season,
        "part": Paginator(rows, PAGE).get_page(request.GET.get("page")),
        "directs": directs_club(request, club),
        "preview": club_page_preview(
            request,
            club,
            _("Evenings"),
            _("All evenings and tournaments of %(club)s, with their tables and winners."),
        ),
    }
    return render(request, "tournaments/events/events.html", page)


def new_event(request: HttpRequest, slug: str) -> HttpResponse:
    return _edit(request, directed_club(request, slug), None)


def change(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    row = directed_evening(request, slug, public_id)
    return _edit(request, row.club, row)


@require_POST
def remove(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """Delete an evening without games."""
    club = directed_club(request, slug)
    row = club.events.filter(public_id=public_id, tournament=None).first()
    if row is None:
        # Tapped twice.
        return redirect("events", slug)
    try:
        remove_event(row.pk, actor_of(request), at=timezone.now())
    except EventHasTables as error:
        messages.error(request, str(error))
        return redirect("event", slug, public_id)
    messages.success(request, _("%(name)s is removed.") % {"name": row.name})
    return redirect("events", slug)


def _edit(request: HttpRequest, club: Club, event: Event | None) -> HttpResponse:
    posted = request.POST if request.method == "POST" else None
    rulesets = dict(rulesets_of_club(club))
    today = timezone.localdate()
    form = EventForm(club, posted, rulesets=rulesets, event=event, today=today)
    if form.is_valid():
        by, at = actor_of(request), timezone.now()
        try:
            if event is None:
                row = create_event(club, form.plan, by, at=at, key=key_of(request.POST))
            else:
                row = change_event(event.pk, form.plan, by, at=at)
        except Season.DoesNotExist:
            form.add_error("season", _("This season has been removed meanwhile."))
        except InvalidEntry as error:
            add_refused(form, error)
        else:
            return redirect("event", club.slug, row.public_id)
    empty = event is not None and not Table.objects.filter(round__event=event).exists()
    page = {"club": club, "event": event, "form": form, "removable": empty}
    status = 200 if posted is None else 422
    return render(request, "tournaments/events/form.html", page, status=status)


@cached_for_going_back
@require_safe
def event(request: HtmxRequest, slug: str, public_id: str) -> HttpResponse:
    """Show an evening with the state of its tables; the page polls every few seconds."""
    row = seen_event(request, slug, public_id)
    tournament = getattr(row, "tournament", None)
    if tournament is not None:
        return redirect("tournament", slug, tournament.slug)
    directs = directs_club(request, row.club)
    etag = etag_of(request, row, directs=directs)
    fragment = bool(request.htmx)
    if fragment and (unchanged := not_modified(request, etag)):
        return unchanged
    template = "tournaments/events/_event.html" if fragment else "tournaments/events/event.html"
    response = render(request, template, evening_page(request, row, directs=directs))
    response["ETag"] = etag
    return response


def evening_page(
    request: HttpRequest, row: Event, form: WhoForm | None = None, *, directs: bool
) -> dict[str, Any]:
    """Return the context of an evening; with a refused `form` of who is here."""
    rounds = rounds_of(row)
    lines = [line for part in rounds for line in part["tables"]]
    is_empty = any(part["round"].is_open and not part["tables"] for part in rounds[:1])
    return {
        "event": row,
        "club": row.club,
        "club_seen": row.club.published
        or not row.published
        or Club.objects.of_member(request.user).filter(pk=row.club.pk).exists(),
        "directs": directs,
        "rounds": rounds,
        "tables": len(lines),
        "is_coming": not lines and row.held_on >= timezone.localdate(),
        "unconfirmed": sum(bool(line.reminder) for line in lines),
        "who": form or (who_form(row.club, None, row) if directs and is_empty else None),
        "out_of_reach": directs and bool(lines) and out_of_reach(request),
        # An explicit request header: otherwise the browser would turn the 304 into a 200.
        "headers": json.dumps({"If-None-Match": etag_of(request, row, directs=directs)}),
    }


def who_form(club: Club, posted: QueryDict | None, event: Event | None = None) -> WhoForm | None:
    """Return the question who of a club is here, for an evening or a new one (4 queries).

    None for a club with too few players.
    """
    of_event = event and event.ruleset
    rulesets = {id_: r for id_, r in rulesets_of_club(club) if of_event in (None, id_)}
    form = WhoForm(players_offered(club), rulesets, posted) if rulesets else None
    least = min((rules.seats for rules in rulesets.values()), default=0)
    return form if form is not None and len(form.people) >= least else None


@require_POST
def seat(request: HttpRequest, slug: str, public_id: str, number: int) -> HttpResponse:
    """Draw those who are here to the tables of a round that has none."""
    round_ = directed_round(request, slug, public_id, number)
    form = who_form(round_.event.club, request.POST, round_.event)
    if form is not None and not form.is_valid():
        page = evening_page(request, round_.event, form, directs=True)
        return render(request, "tournaments/events/event.html", page, status=422)
    if form is not None:
        drawn = form.cleaned_data["player"]
        with show_refusal(request):
            seat_round(round_.pk, drawn, actor_of(request), at=timezone.now())
            tell_who_rests(request, round_, drawn)
    return redirect("event", slug, public_id)


def tell_who_rests(request: HttpRequest, round_: Round, here: Iterable[Player]) -> None:
    """Show on the next page which of those who are here have no seat in a round."""
    seats = Seat.objects.filter(game__table__round=round_)
    seated = set(seats.values_list("player", flat=True))
    if resting := [each.name for each in here if each.pk not in seated]:
        text = _("Without a chair: %(names)s") % {"names": ", ".join(resting)}
        messages.info(request, text)


@require_POST
def open_next(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    row = directed_evening(request, slug, public_id)
    with show_refusal(request):
        open_round(row.pk, actor_of(request), at=timezone.now())
    return redirect("event", slug, public_id)


@require_POST
def close(request: HttpRequest, slug: str, public_id: str, number: int) -> HttpResponse:
    """Close a round, so that its phones can no longer write."""
    round_ = directed_round(request, slug, public_id, number)
    close_round(round_.pk, actor_of(request), at=timezone.now())
    return redirect("event", slug, public_id)


@require_POST
def reopen(request: HttpRequest, slug: str, public_id: str, number: int) -> HttpResponse:
    """Let the phones of a round write again."""
    round_ = directed_round(request, slug, public_id, number)
    reopen_round(round_.pk, actor_of(request), at=timezone.now())
    return redirect("event", slug, public_id)


def directed_round(request: HttpRequest, slug: str, public_id: str, number: int) -> Round:
    """Return a round of an evening for one of its directors; 404 for all others."""
    row = directed_evening(request, slug, public_id)
    rounds = Round.objects.select_related("event__club")
    round_: Round = get_object_or_404(rounds, event=row, number=number)
    return round_


LAST_EVENTS, LAST_SEATS, MOST_NAMES = 12, 200, 20


def new_table(request: HttpRequest, slug: str, public_id: str, number: int) -> HttpResponse:
    """Ask who sits at a new table of a round, and create it."""
    round_ = directed_round(request, slug, public_id, number)
    rulesets = dict(rulesets_of_club(round_.event.club))
    posted = request.POST if request.method == "POST" else None
    form = EventTableForm(round_.event, posted, rulesets=rulesets)
    if form.is_valid():
        try:
            add_table(round_.pk, form.laying, actor_of(request), at=timezone.now())
        except NoMoreTables as error:
            messages.error(request, str(error))
            return redirect("event", slug, public_id)
        except (InvalidEntry, Refused) as error:
            add_refused(form, error)
        else:
            return redirect("event", slug, public_id)
    page = {
        "club": round_.event.club,
        "event": round_.event,
        "round": round_,
        "form": form,
        "names": names_lately(round_.event.club),
        "suggest": reverse("player_names", args=[slug]),
        "matches": [("", _("One game")), *((name, match_text(name)) for name in MATCHES)],
    }
    status = 200 if posted is None else 422
    return render(request, "tournaments/events/table_new.html", page, status=status)


@require_safe
def player_names(request: HttpRequest, slug: str) -> HttpResponse:
    """Return whole names of players that match the text typed at a seat."""
    club = directed_club(request, slug)
    typed = next((v for k, v in request.GET.dict().items() if k.startswith("name")), "")
    found = Player.objects.present().filter(club=club).matching(str(typed).replace("\0", ""))
    names = found.values_list("name", flat=True)[:MOST_NAMES]
    context = {"names": sorted(names, key=name_order)}
    return render(request, "tournaments/people/_name_options.html", context)


def names_lately(club: Club) -> list[str]:
    """Return the distinct names of players at the club's last evenings (2 queries)."""
    # By the keys of the evenings: otherwise the seats of all years would be sorted.
    last = list(Event.objects.filter(club=club).values_list("pk", flat=True)[:LAST_EVENTS])
    seats = Seat.objects.filter(game__table__round__event__in=last).order_by("-pk")
    names = seats.values_list("player__name", flat=True)[:LAST_SEATS]
    return [name for name in dict.fromkeys(names) if name]


@require_POST
def replace(request: HttpRequest, slug: str, public_id: str, table: str) -> HttpResponse:
    """Revoke the card and the phone of a table, and show the new card."""
    row = directed_table(request, slug, public_id, table)
    replace_address(row.pk, actor_of(request), at=timezone.now())
    messages.success(
        request,
        _("The old card and phone of table %(number)s no longer work. Here is the new card.")
        % {"number": row.number},
    )
    return redirect("event_table", slug, public_id, table)


def remove_table(request: HttpRequest, slug: str, public_id: str, table: str) -> HttpResponse:
    """Remove a table, after a confirmation."""
    place = directed_evening(request, slug, public_id)
    if request.method == "POST" and not _is_there(place, table):
        # Tapped twice.
        return redirect("event", slug, public_id)
    row = directed_table(request, slug, public_id, table)
    if request.method == "POST":
        tables_remove_table(row.pk, actor_of(request), at=timezone.now())
        messages.success(request, _("Table %(number)s is removed.") % {"number": row.number})
        return redirect("event", slug, public_id)
    event = row.round.event
    line = line_of(row, load_sheet(current_game(row)), event)
    page = {"club": event.club, "event": event, "table": row, "line": line}
    return render(request, "tournaments/events/table_remove.html", page)


def card_path(table: Table) -> str:
    return reverse("table_link", args=[table.public_id, table.secret])


def directed_table(request: HttpRequest, slug: str, public_id: str, table: str) -> Table:
    """Return a table of an evening for one of its directors; 404 for all others."""
    event: Event = directed_event(request, slug, public_id)
    tables: QuerySet[Table] = Table.objects.select_related("round__event__club")
    return get_object_or_404(tables, round__event=event, public_id=table)


def _is_there(event: Event, table: str) -> bool:
    return Table.objects.filter(round__event=event, public_id=table).exists()


LONGEST_CODE = 20


def table_link(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    """Admit a phone, after the code if the evening has codes, and redirect to the sheet."""
    tables = Table.objects.found_at(public_id, secret)
    row = tables.select_related("round__event__club").first()
    if row is None:
        cards = UnusedCard.objects.found_at(public_id, secret).select_related("tournament__event")
        card = get_object_or_404(cards)
        event = card.tournament.event
        if event.rounds.filter(number=card.round, published_at__isnull=False).exists():
            # Laid anew, with fewer tables.
            raise Http404
        unlaid = Table(number=card.number, round=Round(event=event, number=card.round))
        page = {"table": unlaid, "event": event, "changing": True}
        return render(request, "tournaments/events/table_wait.html", page)
    game, event = current_game(row), row.round.event
    if not row.round.is_open and not directs_club(request, event.club):
        if row.round.closed_at:
            return redirect(f"{address(game, 'follow')}?closed=1")
        page = {"table": row, "event": row.round.event, "names": game.players}
        return render(request, "tournaments/events/table_wait.html", page)
    if not event.table_codes or address_on_phone(request, game) == address(game, "write"):
        return _inside(game)
    return _enter(request, row, game) if request.method == "POST" else _ask(request, row, "")


def _enter(request: HttpRequest, row: Table, game: Game) -> HttpResponse:
    try:
        code = request.POST.get("code", "").strip()[:LONGEST_CODE]
        enter_table(row.pk, row.generation, code, actor_of(request), at=timezone.now())
    except WrongCode as wrong:
        return _ask(request, row, str(wrong), status=422)
    except AccessLinkClosed:
        row.wrong_codes = MOST_WRONG_CODES
        return _ask(request, row, "", status=422)
    return _inside(game)


def _inside(game: Game) -> HttpResponse:
    # The sheet remembers the game, and asks a phone that does not know it whose it is.
    return redirect(address(game, "write"))


def _ask(request: HttpRequest, table: Table, error: str, status: int = 200) -> HttpResponse:
    page = {
        "table": table,
        "event": table.round.event,
        "error": error,
        "shut": table.wrong_codes >= MOST_WRONG_CODES,
    }
    return render(request, "tournaments/events/table_link.html", page, status=status)


MOST_ROUNDS = 20


def adopt(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    """Ask for the evening and the players of an open table, and adopt it."""
    row = get_object_or_404(writable_game(request, public_id, secret).filter(table=None))
    if not may_adopt(request, row):
        raise Http404
    open_rounds = Round.objects.filter(
        event__in=Event.objects.directed_by(request.user), event__tournament=None, closed_at=None
    ).select_related("event__club")
    rounds = open_rounds.order_by("-event__held_on", "-event__pk", "-number")[:MOST_ROUNDS]
    names = []
    for round_ in rounds:
        event = round_.event
        number = pgettext("of an event", "Round %(number)s") % {"number": round_.number}
        day = date_format(event.held_on, "SHORT_DATE_FORMAT")
        names.append((round_.pk, f"{event.club.name} · {event.name}, {day} · {number}"))
    posted = request.POST if request.method == "POST" else None
    form = AdoptForm(row, names, posted)
    if form.is_valid():
        chosen = form.cleaned_data["round"]
        try:
            adopt_game(row.pk, chosen, form.who, actor_of(request), at=timezone.now())
        except Round.DoesNotExist:
            form.add_error("round", str(NoMoreTables()))
        except NotOpen as error:
            raise Http404 from error
        except Refused as error:
            add_refused(form, error)
        else:
            messages.success(request, _("The table belongs to the evening now."))
            return redirect(address(row, "write"))
    clubs = {round_.event.club_id: round_.event.club for round_ in rounds}
    page = {
        "row": row,
        "form": form,
        "rounds": rounds,
        "names": [name for club in clubs.values() for name in names_lately(club)],
        "back": address(row, "write"),
    }
    status = 200 if posted is None else 422
    return render(request, "tournaments/events/adopt.html", page, status=status)


@cached_for_going_back
def seasons(request: HttpRequest, slug: str) -> HttpResponse:
    """List the seasons of a club with their number of evenings; directors can add one."""
    if request.method != "POST":
        club = seen_club(request, slug)
        return _list(request, club, SeasonForm())
    club = directed_club(request, slug)
    form = SeasonForm(request.POST)
    if form.is_valid():
        try:
            create_season(club, form.dates, actor_of(request), at=timezone.now())
        except Refused as error:
            add_refused(form, error, "name")
        else:
            messages.success(request, _("Saved."))
            return redirect("seasons", slug)
    return _list(request, club, form, status=422)


def season(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    row = _season(request, slug, pk)
    form, status = SeasonForm.of(row), 200
    if request.method == "POST":
        form, status = SeasonForm(request.POST), 422
        if form.is_valid():
            try:
                change_season(row.pk, form.dates, actor_of(request), at=timezone.now())
            except Refused as error:
                add_refused(form, error, "name")
            else:
                messages.success(request, _("Saved."))
                return redirect("seasons", slug)
    events = row.club.events.select_related("tournament").order_by("held_on", "pk")
    of_days = events.filter(season=None, held_on__range=(row.starts_on, row.ends_on))
    page = {
        "club": row.club,
        "season": row,
        "form": form,
        "members": list(events.filter(season=row)),
        "offered": list(of_days),
        "mixed": row.league_points != LeaguePoints.EVENING and len(points_added(row)) > 1,
    }
    return render(request, "tournaments/events/season.html", page, status=status)


@require_POST
def put_in(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Put evenings and tournaments into a season, finished ones too."""
    return _move(request, _season(request, slug, pk), pk)


@require_POST
def take_out(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Take evenings and tournaments out of a season."""
    return _move(request, _season(request, slug, pk), None)


def _move(request: HttpRequest, row: Season, into: int | None) -> HttpResponse:
    """Put the events that are sent into a season or take them out; those refused stay."""
    wanted = row.club.events.filter(public_id__in=request.POST.getlist("event"))
    # From elsewhere they are moved on their own pages, and what was moved twice stays.
    wanted = wanted.filter(season=None if into else row)
    moved = 0
    for event_pk in wanted.order_by("held_on", "pk").values_list("pk", flat=True):
        try:
            put_in_season(event_pk, into, actor_of(request), at=timezone.now())
            moved += 1
        except OtherLeaguePoints as error:
            messages.error(request, str(error))
    if moved:
        messages.success(request, _("Saved."))
    return redirect("season", row.club.slug, row.pk)


@require_POST
def remove_season(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    row = directed_club(request, slug).seasons.filter(pk=pk).first()
    if row is None:
        # Tapped twice.
        return redirect("seasons", slug)
    try:
        events_remove_season(row.pk, actor_of(request), at=timezone.now())
    except SeasonInUse as error:
        messages.error(request, str(error))
        return redirect("season", slug, pk)
    messages.success(request, _("%(name)s is removed.") % {"name": row.name})
    return redirect("seasons", slug)


def _season(request: HttpRequest, slug: str, pk: int) -> Season:
    club = directed_club(request, slug)
    return get_object_or_404(Season.objects.select_related("club"), club=club, pk=pk)


def _list(request: HttpRequest, club: Club, form: SeasonForm, status: int = 200) -> HttpResponse:
    page = {
        "club": club,
        "seasons": seasons_of(club, request.user),
        "directs": directs_club(request, club),
        "form": form,
    }
    return render(request, "tournaments/events/seasons.html", page, status=status)
