"""Import files: uploaded, previewed, kept until they are confirmed."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any

from django import forms
from django.contrib import messages
from django.core import signing
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.formats import get_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from tournaments.engine.rules.rulesets import LONGEST_NAME
from tournaments.models import Club, Player, Role
from tournaments.models.people import fold_name
from tournaments.permissions import actor_of, directed_club, role_in
from tournaments.queries.rulesets import rulesets_of_club
from tournaments.services.audit import Actor
from tournaments.services.imports.files import (
    FileRefused,
    Imported,
    ImportFault,
    PlanChanged,
    PlayersPlan,
    PlayersRequest,
    Who,
    name_questions,
    preview_players,
)
from tournaments.services.imports.files import import_players as store_players
from tournaments.services.imports.records import (
    COLUMNS,
    RecordFile,
    RecordSeen,
    RecordsPlan,
    RecordsRequest,
    fault_text,
    preview_records,
    record_files,
    record_texts,
)
from tournaments.services.imports.records import import_records as store_records
from tournaments.services.imports.results import (
    GameSeen,
    ResultsPlan,
    ResultsRequest,
    preview_results,
)
from tournaments.services.imports.results import import_results as store_results
from tournaments.texts import labels
from tournaments.web.base.forms import LineField
from tournaments.web.base.pages import meant_by
from tournaments.web.events.forms import OfferForm
from tournaments.web.imports.columns import read_players, read_results, read_rows

TABLES = ".csv,.tsv,.txt,.xlsx"


class FilesInput(forms.FileInput):
    allow_multiple_selected = True


def _evening(help_text: Any) -> forms.CharField:
    return LineField(
        label=gettext_lazy("Name of an evening that has none"),
        help_text=help_text,
        max_length=LONGEST_NAME,
        required=False,
    )


class PlayersForm(forms.Form):
    file = forms.FileField(
        label=gettext_lazy("A file: CSV or XLSX"),
        required=False,
        widget=forms.FileInput(attrs={"accept": TABLES}),
    )


class RecordsForm(forms.Form):
    """Files of records, and the name of their evenings."""

    file = forms.FileField(
        label=gettext_lazy("Files: JSON, JSON Lines, or all of them in one ZIP"),
        required=False,
        widget=FilesInput(attrs={"accept": ".json,.jsonl,.zip"}),
    )
    evening = _evening(gettext_lazy("The title of a record is the name of its evening."))

    @property
    def evening_name(self) -> str:
        return _evening_name(self)


class ResultsForm(OfferForm):
    """A file of results, the game, and the name of the evenings."""

    file = forms.FileField(
        label=gettext_lazy("A file: CSV or XLSX"),
        required=False,
        widget=forms.FileInput(attrs={"accept": TABLES}),
    )
    evening = _evening("")
    early = forms.BooleanField(
        label=gettext_lazy("Some games ended before their last deal: do not check the sums"),
        required=False,
    )

    OWN = ("file", "evening", "early")

    @property
    def evening_name(self) -> str:
        return _evening_name(self)


def _evening_name(form: forms.Form) -> str:
    return form.cleaned_data.get("evening") or _("Evening")


A_DAY = 24 * 60 * 60

LARGEST_KEPT = 1_800_000
"""Maximum size of the kept data in a form, below that of the largest body."""

SALT = "kingscore.importing.1"


@dataclass(frozen=True, slots=True)
class Upload:
    """Data read from files (JSON values), and the same as a text for a hidden field."""

    content: Any
    kept: str


def upload_of(
    request: HttpRequest, club: Club, kind: str, read: Callable[["list[UploadedFile[Any]]"], Any]
) -> Upload:
    """Return the upload of a form: files, read by `read`, or else the data kept before.

    Kept data expire after a day, and are valid only on their own page.

    Raises: FileRefused: neither of the two, or too much to send back.
    """
    files = request.FILES.getlist("file")
    if files:
        return _keep([kind, club.pk, read(files)])
    text = request.POST.get("kept", "")
    if not text:
        raise FileRefused("nothing")
    return Upload(_kept(kind, club, text), text)


def _keep(said: list[Any]) -> Upload:
    text = signing.dumps(said, salt=SALT, compress=True)
    if len(text) > LARGEST_KEPT:
        raise FileRefused("large")
    return Upload(said[-1], text)


def _kept(kind: str, club: Club, text: str) -> Any:
    try:
        *about, content = signing.loads(text, salt=SALT, max_age=A_DAY)
    except signing.BadSignature as error:
        raise FileRefused("forgotten") from error
    if about != [kind, club.pk]:
        raise FileRefused("forgotten")
    return content


@dataclass(frozen=True, slots=True)
class SeatRow:
    """A line of a table: the player, and its problem."""

    number: int
    name: str
    new: bool
    points: str
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TableRow:
    """A game at its table; `file` is the name of the record's file."""

    round: int
    table: int
    seats: tuple[SeatRow, ...]
    there: bool
    file: str = ""
    unfinished: bool = False

    @property
    def wrong(self) -> bool:
        return any(seat.problems for seat in self.seats)


@dataclass(frozen=True, slots=True)
class EveningRow:
    """An evening with its tables, by round and number."""

    day: date
    name: str
    tables: tuple[TableRow, ...]


def evenings_of_results(plan: ResultsPlan) -> list[EveningRow]:
    shown: dict[tuple[date, str], list[TableRow]] = defaultdict(list)
    names: dict[tuple[date, str], str] = {}
    for game in plan.games:
        line = game.first
        if line.day is None:
            continue
        key = (line.day, fold_name(line.evening))
        names.setdefault(key, line.evening)
        shown[key].append(_table_of(game))
    return _evenings(names, shown)


def evenings_of_records(plan: RecordsPlan) -> list[EveningRow]:
    shown: dict[tuple[date, str], list[TableRow]] = defaultdict(list)
    names: dict[tuple[date, str], str] = {}
    for seen in plan.seen:
        if seen.fits:
            names.setdefault(seen.key, seen.evening)
            shown[seen.key].append(_table_of_record(seen))
    return _evenings(names, shown)


def _evenings(
    names: Mapping[tuple[date, str], str], shown: Mapping[tuple[date, str], list[TableRow]]
) -> list[EveningRow]:
    return [
        EveningRow(day, names[day, key], tuple(sorted(tables, key=_place)))
        for (day, key), tables in sorted(shown.items())
    ]


def _place(table: TableRow) -> tuple[int, int]:
    return table.round, table.table


def _table_of(game: GameSeen) -> TableRow:
    faults: dict[int, list[ImportFault]] = defaultdict(list)
    for fault in game.faults:
        faults[fault.line].append(fault)
    seats = tuple(
        SeatRow(
            line.number,
            *_called(who, line.name),
            "" if line.points is None else labels.points_text(line.points),
            tuple(map(fault_text, faults[line.number])),
        )
        for line, who in zip(game.lines, game.who, strict=True)
    )
    return TableRow(game.first.round or 0, game.first.table or 0, seats, game.there)


def _table_of_record(seen: RecordSeen) -> TableRow:
    seats = tuple(_seats_of_record(seen))
    unfinished = seen.game is not None and not seen.game.finished
    return TableRow(seen.round, seen.table, seats, seen.there, seen.file.name, unfinished)


def _seats_of_record(seen: RecordSeen) -> Iterator[SeatRow]:
    assert seen.game is not None
    totals: Sequence[object] = seen.game.totals
    for seat, (who, typed) in enumerate(zip(seen.who, seen.typed, strict=True)):
        points = labels.points_text(totals[seen.game.ruleset.sides[seat]])
        yield SeatRow(seat + 1, *_called(who, typed), points)


def _called(who: Who | None, typed: str) -> tuple[str, bool]:
    if isinstance(who, Player):
        return who.name, False
    return (typed or "–", False) if who is None else (who, True)


@never_cache
@require_safe
def imports(request: HttpRequest, slug: str) -> HttpResponse:
    club = directed_club(request, slug)
    page = {"club": club, "owns": role_in(request, club) == Role.OWNER}
    return render(request, "tournaments/imports/imports.html", page)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def import_players(request: HttpRequest, slug: str) -> HttpResponse:
    page = _Page(request, directed_club(request, slug), "players", PlayersForm())
    if request.method != "POST":
        return page.shown()
    try:
        upload = upload_of(request, page.club, "players", _rows)
        read = read_players(upload.content)
    except FileRefused as error:
        return page.refused(error)
    skip = frozenset(int(n) for n in request.POST.getlist("skip") if n.isdecimal() and len(n) < 7)
    asked = PlayersRequest(read.lines, read.faults, skip)
    if request.POST.get("what") == "skip":
        faults = preview_players(page.club, asked).faults
        asked = replace(asked, skip=skip | {fault.line for fault in faults})

    def store(seen: str, by: Actor, at: datetime) -> str:
        added = store_players(page.club.pk, asked, seen, by, at=at)
        text = ngettext("%(number)s player is added.", "%(number)s players are added.", added)
        return text % {"number": added}

    done = page.attempt(store)
    if done is not None:
        return page.done(done, "players")
    plan = preview_players(page.club, asked)
    lines = [(each, fault_text(each.fault) if each.fault else "") for each in plan.seen]
    columns = [(each.heading, COLUMNS.get(each.field, "")) for each in read.file.columns]
    shown = {"lines": lines, "columns": columns, "file": read.file, "faults": _fault_lines(plan)}
    return page.preview(upload, plan, wrong=len(plan.faults), **shown)


def _fault_lines(plan: PlayersPlan | ResultsPlan) -> list[tuple[int, str]]:
    return [(fault.line, fault_text(fault)) for fault in plan.faults]


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def import_results(request: HttpRequest, slug: str) -> HttpResponse:
    """Import results of past evenings from a table."""
    club = directed_club(request, slug)
    posted = request.POST if request.method == "POST" else None
    last = club.events.order_by("-pk").first()
    form = ResultsForm(posted, rulesets=dict(rulesets_of_club(club)), event=last)
    return _answer(_Page(request, club, "results", form), RESULTS)


def _results_request(upload: Upload, form: ResultsForm, meant: dict[str, str]) -> ResultsRequest:
    read = read_results(
        upload.content,
        evening=form.evening_name,
        decimal=get_format("DECIMAL_SEPARATOR"),
        today=timezone.localdate(),
    )
    return ResultsRequest(
        read.lines,
        form.rules,
        options=form.options,
        early=form.cleaned_data["early"],
        meant=meant,
        faults=read.faults,
    )


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def import_records(request: HttpRequest, slug: str) -> HttpResponse:
    form = RecordsForm(request.POST if request.method == "POST" else None)
    return _answer(_Page(request, directed_club(request, slug), "records", form), RECORDS)


def _records_request(upload: Upload, form: RecordsForm, meant: dict[str, str]) -> RecordsRequest:
    return RecordsRequest([RecordFile(*file) for file in upload.content], form.evening_name, meant)


def _results_preview(plan: ResultsPlan, asked: ResultsRequest) -> dict[str, Any]:
    named = (line.name for line in asked.lines)
    return {
        "wrong": len(plan.faults),
        "evenings": evenings_of_results(plan),
        "faults": _fault_lines(plan),
        "names": name_questions(plan.book, named, asked.meant),
    }


def _records_preview(plan: RecordsPlan, asked: RecordsRequest) -> dict[str, Any]:
    named = (name for seen in plan.seen for name in seen.typed)
    return {
        "wrong": len(plan.wrong),
        "evenings": evenings_of_records(plan),
        "files": [(seen.file.name, list(record_texts(seen))) for seen in plan.wrong],
        "names": name_questions(plan.book, named, asked.meant),
    }


def _rows(files: "list[UploadedFile[Any]]") -> Any:
    return read_rows(files[0].read())


def _records(files: "list[UploadedFile[Any]]") -> Any:
    read = record_files([(file.name or "", file.read()) for file in files])
    return [[file.name, file.text] for file in read]


def _games_text(done: Imported) -> str:
    text = ngettext("%(number)s game is imported.", "%(number)s games are imported.", done.games)
    return text % {"number": done.games}


TEXTS = {
    "players": (gettext_lazy("Import players"), gettext_lazy("Another file")),
    "results": (gettext_lazy("Import results"), gettext_lazy("Another file, another game")),
    "records": (gettext_lazy("Import records"), gettext_lazy("Other files")),
}
"""The title of each page, and what its preview offers instead of the file."""


@dataclass
class _Page:
    """One of the three pages: empty, with a refusal, or with a preview."""

    request: HttpRequest
    club: Club
    kind: str
    form: forms.Form

    changed: bool = False

    def attempt(self, store: Callable[[str, Actor, datetime], str]) -> str | None:
        """Import the previewed rows; return the outcome as text, None if the page shows it."""
        if self.request.POST.get("what") != "import":
            return None
        seen = self.request.POST.get("seen", "")
        try:
            return store(seen, actor_of(self.request), timezone.now())
        except PlanChanged as error:
            # Tapped twice: nothing is left to import.
            if error.plan.is_done:
                return _("All of it is there already.")
            self.changed = True
        return None

    def shown(self, upload: Upload | None = None) -> HttpResponse:
        return self._render({"kept": upload and upload.kept}, 422 if upload else 200)

    def refused(self, error: FileRefused) -> HttpResponse:
        return self._render({"refusal": str(error)}, 422)

    def preview(self, upload: Upload, plan: Any, *, wrong: int, **shown: Any) -> HttpResponse:
        details = {"kept": upload.kept, "seen": plan.mark, "plan": plan, "wrong": wrong}
        details |= {"changed": self.changed, **shown}
        return self._render(details, 422 if wrong or self.changed else 200)

    def done(self, text: str, then: str) -> HttpResponse:
        messages.success(self.request, text)
        return redirect(then, self.club.slug)

    def _render(self, details: dict[str, Any], status: int) -> HttpResponse:
        title, others = TEXTS[self.kind]
        page = {"club": self.club, "form": self.form, "kind": self.kind, "title": title}
        # `new.js` looks for the table that a game will be played at.
        form_id = "table" if self.kind == "results" else "import"
        page |= {"others": others, "form_id": form_id, **details}
        return render(self.request, "tournaments/imports/import.html", page, status=status)


@dataclass(frozen=True)
class _Games:
    """The import of games from files of one kind, from reading to preview."""

    kind: str
    read: Callable[["list[UploadedFile[Any]]"], Any]
    asked: Callable[[Upload, Any, dict[str, str]], Any]
    store: Callable[..., Imported]
    preview_entries: Callable[[Club, Any], Any]
    shown: Callable[[Any, Any], dict[str, Any]]


RESULTS = _Games(
    "results", _rows, _results_request, store_results, preview_results, _results_preview
)
RECORDS = _Games(
    "records",
    _records,
    _records_request,
    store_records,
    lambda club, asked: preview_records(club, asked, now=timezone.now()),
    _records_preview,
)


def _answer(page: _Page, games: _Games) -> HttpResponse:
    if page.request.method != "POST":
        return page.shown()
    try:
        upload = upload_of(page.request, page.club, games.kind, games.read)
        if not page.form.is_valid():
            return page.shown(upload)
        asked = games.asked(upload, page.form, meant_by(page.request.POST))
    except FileRefused as error:
        return page.refused(error)

    def store(seen: str, by: Actor, at: datetime) -> str:
        return _games_text(games.store(page.club.pk, asked, seen, by, at=at))

    done = page.attempt(store)
    if done is not None:
        return page.done(done, "events")
    plan = games.preview_entries(page.club, asked)
    return page.preview(upload, plan, **games.shown(plan, asked))
