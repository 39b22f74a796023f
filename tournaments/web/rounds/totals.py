"""Final totals from paper: all unfinished tables of a round on one page, a line each."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import get_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from tournaments.engine.rules.problems import InvalidEntry
from tournaments.engine.rules.ruleset_sums import sums_of
from tournaments.engine.rules.rulesets import Points, Ruleset, number_of
from tournaments.models import Confirmations, Game
from tournaments.permissions import actor_of, directed_tournament_round
from tournaments.queries.tournaments.state import rules_of_tournament
from tournaments.services.base.refusals import Refused
from tournaments.services.games.totals import record_totals
from tournaments.services.games.writing import WriteContext
from tournaments.texts.messages import explain
from tournaments.texts.rounds import round_name
from tournaments.web.base.phone import address, new_write_key
from tournaments.web.games.pages import number_in
from tournaments.web.imports.values import read_points
from tournaments.web.tournaments.pages import page_of

NUMBER = re.compile(r"[+\-−–]?[0-9][0-9.,]*")


@dataclass
class PaperLine:
    """A table to fill in: its fields as they were typed, and the errors found in them."""

    number: int
    row: Game
    names: Sequence[str]
    typed: Sequence[str]
    early: bool
    errors: list[str] = field(default_factory=list)
    key: str = field(default_factory=new_write_key)

    @property
    def fields(self) -> list[tuple[str, str]]:
        """Return the name of each side with what was typed for it."""
        return list(zip(self.names, self.typed, strict=True))

    @property
    def totals_shown(self) -> list[tuple[str, Points]]:
        """Return the totals of a finished table."""
        stored = (number_of(points) or 0 for points in (self.row.result or {})["totals"])
        return list(zip(self.names, stored, strict=True))

    @property
    def write(self) -> str:
        return address(self.row, "write")

    def totals(self) -> tuple[Points, ...] | None:
        """Return the totals, or None with an error if they cannot be read.

        All of them may stand in one field: “−220-160 -150 530”.
        """
        for texts in (self.typed, NUMBER.findall(" ".join(self.typed))):
            found = [read_points(text, get_format("DECIMAL_SEPARATOR")) for text in texts]
            read = tuple(points for points in found if points is not None)
            if len(read) == len(found) == len(self.names):
                return read
        needed = len(self.names)
        said = ngettext("%(number)s total is needed.", "%(number)s totals are needed.", needed)
        self.errors.append(said % {"number": needed})
        return None


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def round_totals(request: HttpRequest, slug: str, tournament: str, number: int) -> HttpResponse:
    """Store the totals of the lines that were filled in, each by itself, and show the others."""
    row, round_ = directed_tournament_round(request, slug, tournament, number)
    if not round_.is_open:
        return redirect("running", slug, row.slug, number)
    rules = rules_of_tournament(row)
    games = Game.objects.filter(table__round=round_).select_related("table")
    lines = [_line(request, rules, game) for game in games.order_by("table__number", "pk")]
    filled = [line for line in lines if any(line.typed)]
    for line in filled:
        _store(request, line)
    wrong = [line for line in filled if line.errors]
    signed = bool((request.POST or request.GET).get("signed"))
    if request.method == "POST" and not wrong:
        after = filled[-1].number + 1 if filled else number_in(request.POST, "table", 0)
        said = urlencode({"next": after} | ({"signed": 1} if signed else {}))
        here = reverse("round_totals", args=[slug, row.slug, number])
        return redirect(f"{here}?{said}")
    to_fill = [line for line in lines if line.row.result is None or line.errors]
    at = wrong[0].number if wrong else number_in(request.GET, "next", 0)
    later = (line.number for line in to_fill if line.number >= at)
    page = page_of(request, row) | {
        "round": round_,
        "round_name": round_name(round_),
        "lines": to_fill,
        "finished": [line for line in lines if line not in to_fill],
        "at": next(later, to_fill[0].number if to_fill else None),
        "sum": sums_of(rules).game,
        "kings": rules.settings.get("king", "off") != "off",
        "signed": signed,
        "to_sign": row.event.confirmations != Confirmations.NONE,
    }
    template = "tournaments/rounds/totals.html"
    return render(request, template, page, status=422 if wrong else 200)


def _line(request: HttpRequest, rules: Ruleset, game: Game) -> PaperLine:
    """Return the line of a table as it was sent; empty if it was not."""
    assert game.table is not None
    number, said = game.table.number, request.POST
    typed = [said.get(f"total-{number}-{side}", "").strip() for side in range(rules.side_count)]
    names = rules.side_names(game.players)
    return PaperLine(number, game, names, typed, early=bool(said.get(f"early-{number}")))


def _store(request: HttpRequest, line: PaperLine) -> None:
    """Store what was typed in a line, or add the reasons against it to the line."""
    said, totals = request.POST, line.totals()
    if totals is None:
        return
    context = WriteContext(
        key=said.get(f"key-{line.number}", ""),
        revision=number_in(said, f"revision-{line.number}", -1),
        at=timezone.now(),
        by=actor_of(request),
    )
    signed = bool(said.get("signed"))
    try:
        record_totals(line.row.pk, totals, context, early=line.early, signed=signed)
    except InvalidEntry as error:
        line.errors += [explain(problem) for problem in error.problems]
    except Refused as error:
        line.errors.append(str(error))
    else:
        messages.success(request, _("Table %(number)s is entered.") % {"number": line.number})
