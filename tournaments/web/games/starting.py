"""Start games and matches."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_POST

from tournaments.engine.documents.ruleset_records import write_ruleset
from tournaments.engine.play.outcomes import sinks
from tournaments.engine.rules.entries import LONGEST_THING, REMARKS, Stake, write_points
from tournaments.engine.rules.rulesets import InvalidEntry, Ruleset
from tournaments.engine.variants import RULESETS
from tournaments.models import Game, Match, Revision
from tournaments.models.people import fold_name
from tournaments.permissions import actor_of, writable_game
from tournaments.queries.evenings import BEGINNINGS, BY_CARD, begins
from tournaments.queries.rulesets import house_document, offered_rulesets, plays_without_signal
from tournaments.queries.sheets import Sheet, stake_of
from tournaments.services.games.playing import GameSetup
from tournaments.services.games.tables import (
    MatchOver,
    MatchSoFar,
    NextGame,
    TableFull,
    is_begun_with,
    load_match,
    start_next_game,
    start_rematch,
    start_table,
)
from tournaments.services.games.writing import NotFinished, RoundClosed
from tournaments.texts import labels
from tournaments.texts.labels import STAKES
from tournaments.texts.questions import options_text, questions_of
from tournaments.web.base.forms import LineField
from tournaments.web.base.pages import add_refused, declared_field
from tournaments.web.base.phone import (
    MATCHES,
    LastTable,
    address,
    new_key,
    phone_games,
    phone_table,
    program_preview,
    remember_game,
    remember_table,
    suggested_names,
)
from tournaments.web.rulesets.forms import (
    AmountField,
    QuestionField,
    check_answers,
    field_of,
    options_in,
    question_fields,
)
from tournaments.web.rulesets.views import tile_name, tile_of

LONGEST_TYPED_NAME = 30
LONGEST_MATCH = 99

KEY = re.compile(r"[0-9A-Za-z_-]{22,64}")
"""The key of a form gives access to the game it opened: at least 128 bits."""

YOU = gettext_lazy("You, with this phone")
RIGHT, OPPOSITE, LEFT = (
    gettext_lazy("To your right"),
    gettext_lazy("Opposite"),
    gettext_lazy("To your left"),
)
TO_THE_RIGHT, TO_THE_LEFT = gettext_lazy("Opposite, right"), gettext_lazy("Opposite, left")
PLACES: Mapping[str, tuple[Any, ...]] = {
    "2-right": (YOU, OPPOSITE),
    "2-left": (YOU, OPPOSITE),
    "3-right": (YOU, RIGHT, LEFT),
    "3-left": (YOU, LEFT, RIGHT),
    "4-right": (YOU, RIGHT, OPPOSITE, LEFT),
    "4-left": (YOU, LEFT, OPPOSITE, RIGHT),
    "5-right": (YOU, RIGHT, TO_THE_RIGHT, TO_THE_LEFT, LEFT),
    "5-left": (YOU, LEFT, TO_THE_LEFT, TO_THE_RIGHT, RIGHT),
    "6-right": (YOU, RIGHT, TO_THE_RIGHT, OPPOSITE, TO_THE_LEFT, LEFT),
    "6-left": (YOU, LEFT, TO_THE_LEFT, OPPOSITE, TO_THE_RIGHT, RIGHT),
}
"""Positions of the seats as seen from the phone, by their number and the direction of play."""


def key_of(data: Mapping[str, str]) -> str:
    """Return the key of a form, or a new one if it is missing or invalid."""
    key = data.get("key", "")
    return key if KEY.fullmatch(key) else new_key()


@dataclass(frozen=True)
class SeatFields:
    """The fields of one seat: `places` are its positions in each drawing of a table."""

    seat: int
    name: forms.BoundField
    first: bool
    places: tuple[tuple[str, str], ...] = ()

    @property
    def sides(self) -> tuple[tuple[int, str], ...]:
        """The letter of its side, by the number of sides that have partners."""
        return (2, "AB"[self.seat % 2]), (3, "ABC"[self.seat % 3])


@dataclass(frozen=True)
class RulesetFields:
    """A ruleset to choose: its questions, the unusual answers so far, and its table."""

    rules: Ruleset
    name: str
    summary: str
    chosen: bool
    questions: Sequence[QuestionField]
    answers: str

    @property
    def id(self) -> str:
        return self.rules.id

    @property
    def drawn(self) -> str:
        """The drawing of the game's table: a key of `PLACES`."""
        return f"{self.rules.seats}-{'left' if self.rules.clockwise else 'right'}"

    @property
    def pairs(self) -> int:
        """The number of sides that have partners."""
        return self.rules.side_count if self.rules.seats_in_a_side > 1 else 0

    @property
    def begins(self) -> str:
        """What the first player does, and how they are found."""
        return " ".join(begins(self.rules))

    @property
    def here(self) -> bool:
        """Whether a phone can start it without a signal."""
        return plays_without_signal(self.rules)

    @property
    def implied(self) -> str:
        """What follows from answers, as in the document of the ruleset; "" for nothing."""
        return json.dumps(write_ruleset(self.rules)["implied"]) if self.rules.implied else ""

    @property
    def sinks(self) -> bool:
        return sinks(self.rules)

    @property
    def matches(self) -> bool:
        """Whether its games can form a match: games played to a target."""
        return self.rules.target is not None

    @property
    def refused(self) -> bool:
        return any(question.field.errors for question in self.questions)


class RemarksForm(forms.Form):
    def __init__(self, initial: Mapping[str, Any] | None) -> None:
        super().__init__(initial=dict(initial or {}))
        for name, about in REMARKS.items():
            self.fields[name] = declared_field(about)


class StakeChoice(forms.RadioSelect):
    """Radio buttons of which none is checked before somebody chooses, not even "nobody"."""

    def format_value(self, value: Any) -> list[str]:
        return [] if value is None else super().format_value(value)


class StakeForm(forms.Form):
    """What a game is played for: for nothing unless somebody chooses who pays."""

    pays = forms.ChoiceField(
        choices=[("", gettext_lazy("Nobody")), *((per, name) for per, (name, _) in STAKES.items())],
        required=False,
        widget=StakeChoice(),
    )
    pays_amount = AmountField(
        label=gettext_lazy("How much"),
        max_length=15,
        required=False,
        widget=forms.TextInput({"placeholder": "1"}),
    )
    pays_thing = LineField(
        label=gettext_lazy("Of what"),
        max_length=LONGEST_THING,
        required=False,
        widget=forms.TextInput({"placeholder": gettext_lazy("tea")}),
    )

    def paid(self) -> list[forms.BoundField]:
        return [self["pays_amount"], self["pays_thing"]]

    @staticmethod
    def initial_of(stake: Stake | None) -> dict[str, Any]:
        if stake is None:
            return {"pays": ""}
        thing = labels.thing_name(stake.thing)
        amount = write_points(stake.amount)
        return {"pays": stake.per, "pays_amount": amount, "pays_thing": thing}

    def clean(self) -> dict[str, Any]:
        """Ignore amount and thing if nobody pays: the page hides both fields."""
        if not self.cleaned_data.get("pays"):
            for name in ("pays_amount", "pays_thing"):
                self.errors.pop(name, None)
        return self.cleaned_data

    def clean_pays_amount(self) -> int | str:
        amount: int | str | None = self.cleaned_data["pays_amount"]
        if amount is None and self.cleaned_data.get("pays") == "point":
            raise forms.ValidationError(_("How much is a point?"))
        return amount or 1

    @property
    def stake(self) -> dict[str, Any] | None:
        """Return the stake as in a record; a thing that nobody names is tea, or money a point."""
        per = self.cleaned_data["pays"]
        if not per:
            return None
        thing = self.cleaned_data["pays_thing"]
        if thing.casefold() == labels.thing_name(labels.TEA) or (
            not thing and per not in ("point", "pot")
        ):
            thing = labels.TEA
        return {"per": per, "amount": self.cleaned_data["pays_amount"], "thing": thing}


class NewTableForm(StakeForm):
    """A new table: players, seats, game and first player.

    A page has fields for the `family` and, in `form.<family>`, for its game; together they give
    the `ruleset`, which may also be sent by itself.
    """

    ruleset = forms.ChoiceField()
    first_declarer = forms.TypedChoiceField(coerce=int, required=False)
    title = LineField(required=False, label=gettext_lazy("Title"))
    place = LineField(required=False, label=gettext_lazy("Place"))
    match = forms.ChoiceField(choices=[(name, name) for name in ("", *MATCHES)], required=False)
    match_to = forms.IntegerField(min_value=1, max_value=LONGEST_MATCH, required=False)

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        table: LastTable | None = None,
        rulesets: Mapping[str, Ruleset] = RULESETS,
    ) -> None:
        self.rulesets = rulesets
        if data is not None and "ruleset" not in data:
            # Without scripts the game is chosen within its family.
            chosen = data.get(f"form.{data.get('family', '')}", "")
            data = {**dict(data.items()), "ruleset": chosen}
        super().__init__(data, initial=(table or LastTable()).initial(rulesets))
        self.key = key_of(data) if data is not None else new_key()
        choice = self.fields["ruleset"]
        assert isinstance(choice, forms.ChoiceField)
        choice.choices = [(id_, id_) for id_ in rulesets]
        # Values of seats that the chosen game lacks are ignored.
        self.seat_numbers = range(max(rules.seats for rules in rulesets.values()))
        choice = self.fields["first_declarer"]
        assert isinstance(choice, forms.ChoiceField)
        choice.choices = [(str(seat), str(seat)) for seat in self.seat_numbers]
        for seat in self.seat_numbers:
            self.fields[f"name{seat}"] = LineField(max_length=LONGEST_TYPED_NAME, required=False)
        for rules in rulesets.values():
            for question in questions_of(rules):
                self.fields[f"{rules.id}.{question.name}"] = field_of(question)

    @property
    def rules(self) -> Ruleset:
        first = next(iter(self.rulesets.values()))
        return self.rulesets.get(str(self["ruleset"].value()), first)

    @property
    def chosen(self) -> RulesetFields:
        """Return the chosen ruleset for the first state of the page."""
        return self._ruleset(self.rules, self.rules.id)

    def seats(self) -> Iterator[SeatFields]:
        """Yield all possible seats of a table, the phone's own first, then in order of play."""
        first = str(self["first_declarer"].value())
        for seat in self.seat_numbers:
            places = tuple(
                (drawn, str(texts[seat])) for drawn, texts in PLACES.items() if seat < len(texts)
            )
            yield SeatFields(seat, self[f"name{seat}"], first == str(seat), places)

    def families(self) -> Iterator[dict[str, Any]]:
        """Yield the families with their games; in each, the chosen game or else the first."""
        tiles: dict[str, list[Ruleset]] = {}
        for rules in self.rulesets.values():
            tiles.setdefault(tile_of(rules), []).append(rules)
        for tile, members in tiles.items():
            chosen = self.rules.id if self.rules in members else members[0].id
            yield {
                "id": tile,
                "name": tile_name(tile),
                "chosen": tile == tile_of(self.rules),
                "rulesets": [self._ruleset(rules, chosen) for rules in members],
            }

    def _ruleset(self, rules: Ruleset, chosen: str) -> RulesetFields:
        return RulesetFields(
            rules,
            labels.name_of(rules),
            labels.ruleset_summary(rules.id),
            chosen == rules.id,
            question_fields(self, rules, f"{rules.id}."),
            options_text(options_in(self, rules, f"{rules.id}.")),
        )

    def beginnings(self) -> list[tuple[str, str, str]]:
        """Return what first players do, as labels beside a name and as sentences where by lot."""
        return [(id_, str(each.says), str(each.hint)) for id_, each in BEGINNINGS.items()]

    def beginnings_by_card(self) -> list[tuple[str, str]]:
        return [(id_, str(hint)) for id_, (_question, hint) in BY_CARD.items()]

    def table(self) -> Iterator[forms.BoundField]:
        """Yield the fields of players and game, without the first player."""
        yield self["ruleset"]
        yield from (self[name] for name in self.names())
        yield from (self[name] for name in self.question_names())
        yield from (self["match"], self["match_to"])

    def question_names(self) -> list[str]:
        return [f"{self.rules.id}.{question.name}" for question in questions_of(self.rules)]

    def names(self) -> Iterator[str]:
        return (f"name{seat}" for seat in range(self.rules.seats))

    def heading(self) -> Iterator[forms.BoundField]:
        return (self[name] for name in ("title", "place"))

    def clean(self) -> dict[str, Any]:
        """Refuse an empty seat, a duplicate name, and a match without a length."""
        cleaned = super().clean()
        # Errors at the fields of other games than the chosen one do not count.
        of_games = {name for name in self.fields if "." in name or name.startswith("name")}
        others = of_games - {field.html_name for field in self.table()}
        if self.match_chosen != "first-to":
            others.add("match_to")
        for name in others & set(self.errors):
            del self.errors[name]
        check_answers(self, self.rules, f"{self.rules.id}.")
        self.check_names()
        if self.match_chosen == "first-to" and not cleaned.get("match_to"):
            self.add_error("match_to", _("To how many games?"))
        return cleaned

    def check_names(self) -> None:
        """Refuse an empty seat and a duplicate name."""
        names: list[str] = []
        for field in self.names():
            name = self.cleaned_data.get(field)
            if name is not None and not name:
                self.add_error(field, _("Who sits here?"))
            elif name in names:
                self.add_error(field, _("%(name)s sits here twice.") % {"name": name})
            names.append(name or "")

    @property
    def head(self) -> GameSetup:
        cleaned = self.cleaned_data
        first = cleaned["first_declarer"] or 0
        # A tick at a seat that this game does not have is ignored.
        first = first if first < self.rules.seats else 0
        head = self.setup([cleaned[name] for name in self.names()], first)
        title, place = cleaned["title"], cleaned["place"]
        return replace(head, title=title, place=place, stake=self.stake)

    def setup(self, players: Sequence[str], first: int) -> GameSetup:
        """Return the setup of the chosen game; options at their defaults are left out."""
        rules = self.rules
        return GameSetup(
            ruleset=rules.id,
            players=players,
            first_declarer=first,
            options=options_in(self, rules, f"{rules.id}."),
            document=house_document(rules),
        )

    @property
    def match_chosen(self) -> str:
        """Return the chosen match; empty if none is chosen, or if the game allows none."""
        return self.cleaned_data.get("match", "") if self.rules.target is not None else ""

    @property
    def terms(self) -> tuple[str, int] | None:
        """Return length and number of the match, once the form is valid; None for one game."""
        length, _dot, number = self.match_chosen.partition(".")
        return (length, int(number or self.cleaned_data["match_to"])) if length else None


def match_page(sheet: Sheet) -> dict[str, Any] | None:
    match = sheet.row.match
    if match is None:
        return None
    return match_in(load_match(match), sheet)


def match_in(so_far: MatchSoFar, sheet: Sheet) -> dict[str, Any]:
    """Return a match as the page of one of its games shows it.

    `sides` have their won games and their points at the start of the next game; `open` says
    whether that can be started, with the `key`.
    """
    match, score = so_far.row, so_far.score
    best = max(score.won)
    names = so_far.rules.side_names(sheet.row.players)
    sides = [
        {"name": name, "won": won, "carry": carry, "leads": won == best > min(score.won)}
        for name, won, carry in zip(names, score.won, score.carry, strict=True)
    ]
    return {
        "terms": terms_text(match.length, match.number),
        "number": sheet.row.match_number or 0,
        "headline": _headline(so_far, names),
        "sides": sides,
        "carries": any(score.carry),
        "over": score.over,
        "open": sheet.game.finished and not score.over and so_far.after(sheet.row) is None,
        "key": new_key(),
        # What a phone goes on with without a signal; carried points are the server's to reckon.
        "so_far": None
        if so_far.terms.laps or so_far.terms.slam
        else {
            "won": score.won,
            "played": score.played,
            "length": match.length,
            "number": match.number,
        },
    }


def terms_text(length: str, number: int) -> str:
    if length == Match.Length.BEST_OF:
        return ngettext("Best of %(number)s game", "Best of %(number)s games", number) % {
            "number": number
        }
    return ngettext("First to %(number)s game", "First to %(number)s games", number) % {
        "number": number
    }


def match_text(choice: str) -> str:
    length, _dot, number = choice.partition(".")
    return terms_text(length, int(number)) if number else _("First to a number of games")


@require_POST
def next_game(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    """Open the next game of a match, and lead there. Idempotent."""
    row = get_object_or_404(writable_game(request, public_id, secret))
    key, reason, now = key_of(request.POST), labels.option_name("laps"), timezone.now()
    at = begun_at(request.POST, now) or now
    by = actor_of(request, row.table.public_id if row.table else "")
    try:
        game, opened = start_next_game(row.pk, at=at, key=key, reason=reason, by=by)
    except (TableFull, NotFinished, MatchOver, RoundClosed) as error:
        if not request.accepts("text/html"):
            return JsonResponse({"refused": str(error)}, status=UNPROCESSABLE)
        if isinstance(error, TableFull):
            messages.error(request, str(error))
        return redirect(address(row, "write"))
    # Whoever wrote the last game writes the next, also where another phone was faster.
    return to_table(request, game) if opened else lead_to(request, game)


def _headline(match: MatchSoFar, names: Sequence[str]) -> str:
    score = match.score
    best = [names[side] for side, won in enumerate(score.won) if won == max(score.won)]
    if not score.over:
        if len(best) == len(names):
            return _("The match is level.")
        return _("In the lead: %(players)s") % {"players": ", ".join(best)}
    winners = [names[side] for side in score.winners]
    if len(winners) == len(names):
        return _("The match ends level.")
    return _("Match won: %(players)s") % {"players": ", ".join(winners)}


UNPROCESSABLE = 422

AN_EVENING = timedelta(hours=8)
"""A game is being played, and an evening goes on, if something was written this long ago."""

WITHOUT_SIGNAL = timedelta(days=30)
"""The longest time that a phone keeps a game begun without a signal."""


def last_game_of(request: HttpRequest, players: Sequence[str], at: datetime) -> Game | None:
    """Return the last game of these people at an open table that this phone writes, if lately."""
    people, since = set(map(fold_name, players)), at - AN_EVENING
    games = [
        game.row
        for game in phone_games(request)
        if game.kind == "write"
        and not game.row.table_id
        and people == set(map(fold_name, game.row.players))
    ]
    late = Revision.objects.filter(game__in=[row.pk for row in games], at__gte=since)
    written = set(late.values_list("game", flat=True)) if games else ()
    return next((row for row in games if row.pk in written or row.played_at >= since), None)


def begun_at(data: Mapping[str, str], now: datetime) -> datetime | None:
    """Return when a game was begun that its phone sends later; None for one that begins now."""
    try:
        at = datetime.fromisoformat(data.get("at", ""))
    except ValueError:
        return None
    return at if at.tzinfo and now - WITHOUT_SIGNAL <= at <= now else None


def new_table(request: HttpRequest) -> HttpResponse:
    """Ask for game, players and seats, and open the table (1 query to ask).

    People who have just played go on with their evening; while they play, whoever sends the form
    has to say that another game begins.
    """
    rulesets = dict(offered_rulesets(request.user))
    if request.method != "POST":
        last = phone_table(request)
        if "again" not in request.GET:
            # A page of rules links to its game.
            last = last.without_players(request.GET.get("ruleset", last.ruleset))
        return _form(request, NewTableForm(table=last, rulesets=rulesets))
    form = NewTableForm(request.POST, rulesets=rulesets)
    now = timezone.now()
    sent_late = begun_at(request.POST, now)
    if form.is_valid():
        at = sent_late or now
        before = last_game_of(request, form.head.players, at)
        if before is not None and is_begun_with(before, form.head, form.terms, form.key):
            # Sent twice.
            return to_table(request, before)
        if before is not None and before.result is None:
            if sent_late is None and "another" not in request.POST:
                return _form(request, form, status=409, playing=address(before, "write"))
            before = None
        try:
            if before is None or before.match_id is not None or form.terms is not None:
                row = start_table(form.head, form.terms, at=at, key=form.key)
            else:
                head, stake = form.head, stake_of(before)
                if "pays" not in request.POST and stake is not None:
                    # The evening goes on as it began.
                    paid = {**stake._asdict(), "amount": write_points(stake.amount)}
                    head = replace(head, stake=paid)
                following = NextGame(head, resting=before.resting)
                row, opened = start_rematch(before.pk, following, at=at, key=form.key)
                if not opened:
                    # Another phone has gone on: whoever wrote the last game writes the next.
                    return lead_to(request, row)
        except (InvalidEntry, TableFull) as error:
            add_refused(form, error)
        else:
            return to_table(request, row)
    return _form(request, form, status=UNPROCESSABLE)


def _form(
    request: HttpRequest, form: NewTableForm, status: int = 200, playing: str = ""
) -> HttpResponse:
    page = {
        "form": form,
        "playing": playing,
        "names": suggested_names(request),
        "matches": matches_to_choose(),
        "preview": program_preview(request, _("New table")),
    }
    return render(request, "tournaments/games/new.html", page, status=status)


def matches_to_choose() -> list[tuple[str, str]]:
    return [("", _("One game")), *((name, match_text(name)) for name in MATCHES)]


def lead_to(request: HttpRequest, row: Game) -> HttpResponse:
    """Lead to a game; a script gets its addresses, as it may have entries to send there."""
    write = address(row, "write")
    if request.accepts("text/html"):
        return redirect(write)
    data = {"game": row.public_id, "address": write, "base": write}
    return JsonResponse(data, status=201)


def to_table(request: HttpRequest, row: Game) -> HttpResponse:
    """Lead to a game that this phone has started, and remember it for the next."""
    response = lead_to(request, row)
    remember_game(request, response, row, "write")
    remember_table(request, response, row)
    return response
