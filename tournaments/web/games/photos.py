"""Photographs of the paper sheet of a game: sent, read, and confirmed by a person."""

from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.formats import get_format
from django.utils.translation import ngettext
from django.views.decorators.http import require_safe

from tournaments.engine.play import games
from tournaments.engine.rules.entries import Deal, Entry
from tournaments.engine.rules.rulesets import InvalidEntry, Points
from tournaments.models import Game, GamePhoto
from tournaments.queries.sheets import Sheet, load_sheet
from tournaments.services.base.writes import Refused
from tournaments.services.games.photos import (
    PhotoOutdated,
    add_photo,
    confirm_photo,
    takes_photos,
)
from tournaments.texts.messages import explain
from tournaments.web.base.forms import read_points
from tournaments.web.base.pages import HtmxRequest, too_many
from tournaments.web.base.phone import address
from tournaments.web.games.deals.forms import EntryForm, Typed, parse_form
from tournaments.web.games.views import SHOWS, number_in, with_game, write_context


class ConfirmForm(EntryForm):
    """The deals that were read in a photo, for a person to confirm; what is doubtful is empty.

    `typed` are the fields as they were sent. `read` fills `entries` and `totals`, and says in
    `faults`, by row, and in `contradicted`, by side, why they are not saved.
    """

    def __init__(self, sheet: Sheet, photo: GamePhoto, typed: Typed | None = None) -> None:
        start = games.Game(sheet.game.ruleset, sheet.game.first_declarer)
        super().__init__(start, sheet.row.players, sheet.row.revision)
        self.photo, self.reading = photo, photo.reading or {}
        self.sides = start.ruleset.side_names(self.players)
        totals = enumerate(self.reading["totals"])
        self.sure = {f"total-{n}": str(t["value"]) for n, t in totals if t["value"] is not None}
        for number, row in enumerate(self.reading["rows"]):
            counts = enumerate(row["counts"])
            self.sure |= {
                f"count-{number}-{n}": str(c) for n, c in counts if n not in row["doubtful"]
            }
            if not row["contract_is_doubtful"]:
                named = filter(None, (row["contract"], row["trump"]))
                self.sure[f"contract-{number}"] = ":".join(named)
        self.typed = self.sure if typed is None else typed
        self.entries: list[Entry] = []
        self.totals: list[Points | None] = []
        self.faults: dict[int, list[str]] = {}
        self.contradicted: list[int] = []

    def read(self) -> bool:
        """Return whether all that was sent can be saved; rows left empty at the end are none."""
        game, sides, is_whole = self.game, range(len(self.sides)), True
        rows = [
            (
                self.typed.get(f"contract-{number}", ""),
                [self.typed.get(f"count-{number}-{side}", "").strip() for side in sides],
            )
            for number in range(len(self.reading["rows"]))
        ]
        while rows and not rows[-1][0] and not any(rows[-1][1]):
            rows.pop()
        for number, (named, counts) in enumerate(rows):
            name, _colon, trump = named.partition(":")
            contract = game.ruleset.by_id.get(name)
            fields = {"type": "deal", "contract": name, "trump": trump}
            for unit in contract.values if contract else ():
                # The form of a deal adds a last number by itself: here somebody must have seen it.
                fields |= {f"count-{unit}-{side}": counts[side] or "?" for side in sides}
            try:
                entry = parse_form(game.ruleset, fields)
                problems = games.check(game, entry) if is_whole else []
            except InvalidEntry as error:
                problems, is_whole = [*error.problems], False
            else:
                is_whole = is_whole and isinstance(entry, Deal) and entry.counts is not None
                game = game.after(entry) if is_whole else game
                self.entries.append(entry)
            if problems:
                sentences = (explain(problem, self.players) for problem in problems)
                self.faults[number] = [*dict.fromkeys(sentences)]
        mark = get_format("DECIMAL_SEPARATOR")
        self.totals = [read_points(self.typed.get(f"total-{side}", ""), mark) for side in sides]
        if not self.faults:
            totals = enumerate(self.totals)
            self.contradicted = [n for n, t in totals if t not in (None, game.totals[n])]
        return (
            bool(rows) and not self.faults and not (self.contradicted and "sure" not in self.typed)
        )


@with_game(*SHOWS)
def photo(request: HtmxRequest, row: Game) -> HttpResponse:
    """Send photographs of the paper sheet, see how they are read, and save the deals."""
    sheet, sent, notice, status, form = load_sheet(row), request.POST, "", 200, None
    if not takes_photos(sheet.game.ruleset):
        raise Http404
    photos, now = row.photos.defer("pictures", "page"), timezone.now()
    current = photos.current().first()
    try:
        if "photo" in sent:
            current = photos.filter(pk=number_in(sent, "photo", 0)).exclude(reading=None).first()
            if current is None:
                raise PhotoOutdated
            form, status = ConfirmForm(sheet, current, sent.dict()), 422
            if form.read():
                confirm_photo(current, form.entries, form.totals, write_context(request, row))
                count = len(form.entries)
                text = ngettext("%(number)s deal is saved.", "%(number)s deals are saved.", count)
                messages.success(request, text % {"number": count})
                return redirect(address(row, "write"))
        elif pictures := request.FILES.getlist("pictures"):
            if refused := too_many(request, "send_photo"):
                return refused
            by = write_context(request, row).by
            add_photo(row.pk, [picture.read() for picture in pictures], by, at=now)
            return redirect(request.path)
    except Refused as error:
        notice, status = str(error), 409
        row.refresh_from_db(fields=["revision", "players"])
        sheet = load_sheet(row)
        form = form and ConfirmForm(sheet, form.photo, form.typed)
    if form is None and current is not None and current.state == GamePhoto.State.READ:
        form = ConfirmForm(sheet, current)
    page: dict[str, Any] = {
        "row": row,
        "secret": row.secret("write"),
        "back": address(row, "write"),
        "notice": notice,
        "form": form,
        "photo": current,
        "is_written": bool(sheet.positions),
        "is_late": current is not None and now - current.added_at > timedelta(seconds=20),
    }
    return render(request, "tournaments/games/photo.html", page, status=status)


@require_safe
@with_game("GET", "HEAD")
def photo_page(request: HtmxRequest, row: Game) -> HttpResponse:
    """Return the straightened page of a photo that is to be confirmed, for its cut-outs."""
    photo = get_object_or_404(row.photos.current().exclude(page=b""))
    return HttpResponse(bytes(photo.page), content_type="image/jpeg")
