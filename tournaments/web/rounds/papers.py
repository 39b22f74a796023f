"""What is filled in or shown beside the tables: line-ups, totals from paper, and the wall."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_safe

from tournaments.engine.rules.rulesets import (
    LONGEST_REASON,
    InvalidEntry,
    Points,
    Ruleset,
    number_of,
)
from tournaments.engine.rules.scoring import sums_of
from tournaments.models import Confirmations, Game, Round, Tournament
from tournaments.models.people import name_order
from tournaments.permissions import (
    actor_of,
    directed_evening,
    directed_tournament,
    directed_tournament_round,
    seen_tournament,
)
from tournaments.queries.scoresheets import authors_of
from tournaments.queries.sheets import LaterEntryInvalid, load_sheet, ruleset_of
from tournaments.queries.state import TournamentState, load_state, rules_of_tournament
from tournaments.queries.tables import (
    displayed_round,
    filling_of,
    line_ups_of,
    seated,
    still_playing,
    top_places,
)
from tournaments.services.base.writes import Refused
from tournaments.services.games.photos import takes_photos
from tournaments.services.games.playing import record_totals, totals_on
from tournaments.services.games.writing import StaleRevision, WriteContext
from tournaments.services.rounds.changes import replace_player
from tournaments.services.rounds.proposals import LineUp, put_line_up
from tournaments.texts.labels import ABSENCES, round_name
from tournaments.texts.messages import explain
from tournaments.web.base.pages import HtmxRequest
from tournaments.web.base.phone import address, new_write_key
from tournaments.web.games.deals.forms import read_totals, type_totals
from tournaments.web.games.views import clock_of, number_in
from tournaments.web.tournaments.views import page_of


def line_ups(request: HttpRequest, slug: str, tournament: str, number: int) -> HttpResponse:
    """Show the line-ups of a round, or change that of one team."""
    row = directed_tournament(request, slug, tournament)
    if request.method == "POST":
        try:
            _change(request, row, number)
        except Refused as error:
            messages.error(request, str(error))
        return redirect(reverse("line_ups", args=[slug, tournament, number]))
    state = load_state(row)
    seated = {each.row.number: each.row for each in state.seated_rounds}
    round_ = seated.get(number)
    published = round_ is not None and round_.published_at is not None
    teams = sorted(line_ups_of(state, number), key=lambda each: name_order(each.team))
    without = [
        entrant
        for entrant in state.entrants.values()
        if entrant.is_playing and not entrant.team and not entrant.house
    ]
    page = page_of(request, row) | {
        "number": number,
        "round": round_,
        "published": published,
        "can_change": row.state != Tournament.State.FINISHED
        and (round_ is None or round_.closed_at is None),
        "numbers": range(1, state.settings.rounds + 1),
        "size": state.settings.line_up,
        "teams": [
            (team, [(member, ABSENCES.get(member["absence"], "")) for member in team.members])
            for team in teams
        ],
        "without": without if teams else [],
        "filling": filling_of(state, number) if teams and not published else None,
        "hub": False,
    }
    return render(request, "tournaments/rounds/line_ups.html", page)


def _change(request: HttpRequest, row: Tournament, number: int) -> None:
    """Put an entrant in a line-up (`in`) or take them out (`out`), or let a reserve replace one."""
    data, by, at = request.POST, actor_of(request), timezone.now()
    if "replace" in data:
        player, _colon, reserve = data["replace"].partition(":")
        round_ = row.event.rounds.filter(number=number).first()
        if round_ is not None:
            replace_player(round_.pk, player, reserve, by, at=at)
            messages.success(request, _("The reserve plays."))
        return
    seen = data.get("seen", "").split()
    players = [key for key in [*seen, *data.getlist("in")] if key not in data.getlist("out")]
    put_line_up(row.pk, LineUp(number, data.get("team", ""), players, seen), by, at=at)


@dataclass
class PaperLine:
    """A table to fill in or to correct: its fields as they were typed, and the errors in them.

    `other` is what somebody else wrote meanwhile: their name, and the total of each side.
    """

    number: int
    row: Game
    rules: Ruleset
    names: Sequence[str]
    typed: Sequence[str]
    early: bool
    why: str = ""
    corrects: bool = False
    is_next: bool = False
    other: tuple[str, list[tuple[str, Points]]] | None = None
    errors: list[str] = field(default_factory=list)
    key: str = field(default_factory=new_write_key)
    sum: tuple[Points, Points] | None = None

    @property
    def fields(self) -> list[tuple[str, str, str]]:
        """Return the name of each side, its field, and what was typed in it."""
        boxes = [f"total-{self.number}-{side}" for side in range(len(self.names))]
        return list(zip(self.names, boxes, self.typed, strict=True))

    @property
    def errors_id(self) -> str:
        return f"errors-{self.number}"

    @property
    def totals_by_side(self) -> list[tuple[str, Points]]:
        stored = (number_of(points) or 0 for points in (self.row.result or {})["totals"])
        return list(zip(self.names, stored, strict=True))

    @property
    def is_of_totals(self) -> bool:
        """Return whether the result came from paper, and nothing else is known of the game."""
        return bool((self.row.result or {}).get("by_totals"))

    @property
    def write(self) -> str:
        return address(self.row, "write")

    @property
    def photo(self) -> str:
        """Return where a photo of the sheet is sent; empty once something is written."""
        is_open = not self.row.revision and takes_photos(self.rules)
        at = [self.row.public_id, self.row.secret("write")]
        return reverse("photo", args=at) if is_open else ""


SENT = re.compile(r"total-([0-9]{1,4})-[0-9]|why-([0-9]{1,4})")
"""The fields of a line that was filled in, or that corrects."""


def round_totals(request: HtmxRequest, slug: str, tournament: str, number: int) -> HttpResponse:
    """Show the form for the totals of a tournament's round, or store what was filled in."""
    row, round_ = directed_tournament_round(request, slug, tournament, number)
    if round_.opened_at is None:
        return redirect("running", slug, row.slug, number)
    round_.event, rules = row.event, rules_of_tournament(row)
    return _totals(request, round_, lambda _game: rules, partial(page_of, request, row))


def evening_totals(request: HtmxRequest, slug: str, public_id: str, number: int) -> HttpResponse:
    """Show the totals of an evening's round, of the last game at each table, or store them."""
    event = directed_evening(request, slug, public_id)
    round_ = get_object_or_404(Round, event=event, number=number)
    round_.event = event
    return _totals(request, round_, ruleset_of, dict)


def _totals(
    request: HtmxRequest,
    round_: Round,
    rules_of: Callable[[Game], Ruleset],
    frame: Callable[[], Mapping[str, Any]],
) -> HttpResponse:
    """Store the totals of the lines that were filled in, each by itself, and show the others.

    The page's script sends only those lines, and only they are loaded and drawn. The finished
    `table` of the address opens again, alone, to be corrected, also in a closed round.
    """
    sent, event = request.POST, round_.event
    rows = Game.objects.filter(table__round=round_).select_related("table")
    games = rows.order_by("table__number", "pk")
    found = [(SENT.fullmatch(name), value) for name, value in sent.dict().items()]
    numbers = {int(of[1] or of[2]) for of, value in found if of and (of[2] or str(value).strip())}
    filled = _lines(request, rules_of, games.filter(table__number__in=numbers))
    for line in filled:
        # One of two directors may leave what the other one wrote.
        if line.number != number_in(sent, "keep", 0):
            _store(request, line)
    wrong = [line for line in filled if line.errors]
    signed = bool((sent or request.GET).get("signed"))
    status = 422 if wrong else 200
    tournament = getattr(event, "tournament", None)
    page = {"club": event.club, "event": event, "tournament": tournament, "round": round_}
    if request.htmx:
        page |= {"lines": wrong, "finished": [line for line in filled if not line.errors]}
        return render(request, "tournaments/rounds/_paper_answer.html", page, status=status)
    if request.method == "POST" and not wrong:
        if filled and all(line.corrects for line in filled):
            if round_.closed_at and tournament:
                return redirect("round_changes", event.club.slug, tournament.slug)
            return redirect(request.path)
        after = filled[-1].number + 1 if filled else number_in(sent, "table", 0)
        query = urlencode({"next": after} | ({"signed": 1} if signed else {}))
        return redirect(f"{request.path}?{query}")
    opened = number_in(request.GET, "table", 0)
    known = {line.number: line for line in filled}
    shown = games.filter(table__number=opened) if opened else games
    lines = [known.get(line.number, line) for line in _lines(request, rules_of, shown)]
    for line in lines:
        if opened and line.row.result is not None and request.method != "POST":
            stored = totals_on(load_sheet(line.row))
            if stored is not None:
                typed = type_totals(stored[1])
                line.typed = [typed[f"total-{side}"] for side in range(len(line.names))]
                line.early, line.corrects = "early" in typed, True
    to_fill = [
        line
        for line in lines
        if line.errors or line.corrects or (line.row.result is None and round_.is_open)
    ]
    at = wrong[0].number if wrong else number_in(request.GET, "next", 0)
    for line in [line for line in to_fill if line.number >= at][:1] or to_fill[:1]:
        line.is_next = True
    page |= dict(frame()) | {
        "round_name": round_name(round_),
        "lines": to_fill,
        "finished": [line for line in lines if line not in to_fill],
        "opened": opened,
        "at": next((line.number for line in to_fill if line.is_next), None),
        "kings": any(line.rules.settings.get("king", "off") != "off" for line in to_fill),
        "signed": signed,
        "to_sign": event.confirmations != Confirmations.NONE,
    }
    return render(request, "tournaments/rounds/totals.html", page, status=status)


def _lines(
    request: HttpRequest, rules_of: Callable[[Game], Ruleset], games: Iterable[Game]
) -> list[PaperLine]:
    """Return the line of the last game at each table as it was sent; empty if it was not."""
    lines = (_line(request, rules_of(game), game) for game in games)
    last = {line.number: line for line in lines}
    sums: dict[int, tuple[Points, Points] | None] = {}
    for line in last.values():
        if id(line.rules) not in sums:
            sums[id(line.rules)] = sums_of(line.rules).game
        line.sum = sums[id(line.rules)]
    return list(last.values())


def _line(request: HttpRequest, rules: Ruleset, game: Game) -> PaperLine:
    assert game.table is not None
    number, sent = game.table.number, request.POST
    return PaperLine(
        number,
        game,
        rules,
        names=rules.side_names(game.players),
        typed=[sent.get(f"total-{number}-{side}", "").strip() for side in range(rules.side_count)],
        early=bool(sent.get(f"early-{number}")),
        why=sent.get(f"why-{number}", "").strip()[:LONGEST_REASON],
        corrects=f"why-{number}" in sent,
    )


def _store(request: HttpRequest, line: PaperLine) -> None:
    sent, totals = request.POST, read_totals(line.typed)
    if totals is None:
        needed = len(line.names)
        text = ngettext("%(number)s total is needed.", "%(number)s totals are needed.", needed)
        line.errors.append(text % {"number": needed})
        return
    context = WriteContext(
        key=sent.get(f"key-{line.number}", ""),
        revision=number_in(sent, f"revision-{line.number}", -1),
        at=timezone.now(),
        by=actor_of(request),
    )
    more = {"early": line.early, "signed": bool(sent.get("signed"))}
    try:
        line.row = record_totals(line.row.pk, totals, context, reason=line.why, **more).row
    except (InvalidEntry, LaterEntryInvalid) as error:
        line.errors += [explain(problem) for problem in error.problems]
        if line.row.result is not None and not line.corrects:
            line.other = "", line.totals_by_side
    except Refused as error:
        line.errors.append(str(error))
        if isinstance(error, StaleRevision):
            # Whoever presses again has seen what the other one has written.
            sheet = error.sheet
            line.row, stands = sheet.row, totals_on(sheet)
            line.corrects = stands is not None
            who = authors_of(sheet.row, sheet.revisions).get(sheet.row.revision, "")
            written = sheet.game.totals if stands is None else stands[1]["totals"]
            shown = (number_of(points) or 0 for points in written)
            line.other = who, list(zip(line.names, shown, strict=True))
    else:
        corrected, entered = _("Table %(number)s is corrected."), _("Table %(number)s is entered.")
        text = corrected if line.corrects else entered
        messages.success(request, text % {"number": line.number})


TABLES_ON_A_SCREEN, PLACES_ON_A_SCREEN, GOING_ON_A_SCREEN = 12, 12, 40
"""The most on a screen that is readable from ten metres; `wall.js` makes the type fill it."""

SECONDS = 10
"""The duration of a screen."""


@require_safe
def wall(request: HtmxRequest, slug: str, tournament: str) -> HttpResponse:
    """Show the current round to everybody in the room."""
    row = seen_tournament(request, slug, tournament)
    now = timezone.now()
    state = load_state(row)
    round_ = displayed_round(state)
    screens = screens_of(state, round_)
    at = number_in(request.GET, "screen", 0) % len(screens)
    following = (at + 1) % len(screens)
    path = reverse("wall", args=[slug, row.slug])
    page = {
        "tournament": row,
        "event": row.event,
        "club": row.event.club,
        "round": round_,
        "round_name": "" if round_ is None else round_name(round_),
        "clock": None if round_ is None else clock_of(round_, now),
        "unstarted": round_ is not None and not (round_.clock_started_at or round_.clock_used),
        "screen": screens[at],
        "here": f"{path}?screen={at}",
        "next": f"{path}?screen={following}",
        "seconds": SECONDS,
    }
    fragment = bool(request.htmx)
    template = "tournaments/rounds/_wall.html" if fragment else "tournaments/rounds/wall.html"
    return render(request, template, page)


def screens_of(state: TournamentState, round_: Round | None) -> list[dict[str, Any]]:
    screens: list[dict[str, Any]] = []
    going = still_playing(round_) if round_ is not None and round_.is_open else None
    if round_ is not None and round_.closed_at is None:
        screens += _in_parts("seating", seated(state, round_, going), TABLES_ON_A_SCREEN)
    for _section, places in groupby(top_places(state), lambda each: each["section"]):
        screens += _in_parts("standings", list(places), PLACES_ON_A_SCREEN)
    screens += _in_parts("going", going or [], GOING_ON_A_SCREEN)
    return screens or [{"kind": "nothing", "rows": (), "number": 1, "of": 1}]


def _in_parts(kind: str, rows: Sequence[Any], size: int) -> list[dict[str, Any]]:
    screens = -(-len(rows) // size)
    size = -(-len(rows) // max(1, screens)) or 1
    parts = [rows[at : at + size] for at in range(0, len(rows), size)]
    return [
        {"kind": kind, "rows": part, "number": number, "of": len(parts), "shown": len(rows)}
        for number, part in enumerate(parts, 1)
    ]
