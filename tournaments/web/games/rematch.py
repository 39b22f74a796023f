"""Play again at the same table."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from tournaments.engine.rules.rulesets import InvalidEntry, Ruleset
from tournaments.models import Game
from tournaments.permissions import actor_of, writable_game
from tournaments.queries.evenings import beginning_of, begins
from tournaments.queries.rulesets import offered_rulesets
from tournaments.queries.sheets import games_until, rules_of, stake_of
from tournaments.services.games.playing import GameSetup
from tournaments.services.games.seating import seated, who_rests
from tournaments.services.games.tables import NextGame, TableFull, start_rematch
from tournaments.services.games.writing import NotFinished, RoundClosed
from tournaments.texts import labels
from tournaments.web.base.forms import LineField
from tournaments.web.base.pages import HtmxRequest, add_refused
from tournaments.web.base.phone import (
    LastTable,
    address,
    address_on_phone,
    new_key,
    suggested_names,
)
from tournaments.web.games.starting import (
    LONGEST_TYPED_NAME,
    UNPROCESSABLE,
    NewTableForm,
    begun_at,
    key_of,
    lead_to,
    matches_to_choose,
    terms_text,
    to_table,
)
from tournaments.web.games.views import going_on, number_in

MOST_PEOPLE = 8
"""The largest number of people at a table, with those who sit out."""

LINES = tuple(map(str, range(MOST_PEOPLE)))


class RematchForm(NewTableForm):
    """The next game: the people at the table in the order of their seats, then who sat out.

    `out` are the people who sit out, `first` is the one who begins, by their lines in the form.
    Fields that are missing are as in the game before.
    """

    out = forms.TypedMultipleChoiceField(coerce=int, required=False)
    first = forms.TypedChoiceField(coerce=int)

    def __init__(
        self,
        games: Sequence[Game],
        rulesets: Mapping[str, Ruleset],
        data: QueryDict | None = None,
        typed: Mapping[str, Any] | None = None,
    ) -> None:
        """Ask for the game after `games`: with `data` to check, or what is `typed` so far."""
        self.games, self.before = games, games[-1]
        own = rules_of(self.before)
        # House rules as the table has them, also for whoever may not see the club's.
        rulesets = {**rulesets, own.id: own}
        match = self.before.match
        terms = None if match is None else (match.length, match.number)
        people = [*self.before.players, *self.before.resting]
        played = {game.ruleset: game.options for game in games}
        table = LastTable(people, own.id, self.before.options, match=terms, played=played)
        self.start = table.initial(rulesets) | self.initial_of(stake_of(self.before))
        super().__init__(
            None if data is None else _completed(data, self.start), table=table, rulesets=rulesets
        )
        self.initial = {**self.start, **(typed or {})}
        del self.fields["first_declarer"], self.fields["title"], self.fields["place"]
        self.fields["seats"] = forms.ChoiceField(
            choices=[("kept", "kept"), ("moved", "moved")], required=False
        )
        for line in range(MOST_PEOPLE):
            self.fields[f"name{line}"] = LineField(max_length=LONGEST_TYPED_NAME, required=False)
        for name in ("out", "first"):
            choice = self.fields[name]
            assert isinstance(choice, forms.ChoiceField)
            choice.choices = [(line, line) for line in LINES]

    def lines(self) -> list[forms.BoundField]:
        """Return the fields of the names: of all people, or as many as the game seats, and one."""
        typed = max((line for line, name in enumerate(self.typed) if name), default=0) + 1
        most = min(max(typed, self.rules.seats) + 1, MOST_PEOPLE)
        return [self[f"name{line}"] for line in range(most)]

    @cached_property
    def typed(self) -> list[str]:
        values = (self[f"name{line}"].value() for line in range(MOST_PEOPLE))
        return [str(value or "").strip() for value in values]

    @property
    def people(self) -> list[str]:
        return [name for name in self.typed if name]

    @cached_property
    def resting(self) -> tuple[str, ...]:
        """Return who sits out: those who were chosen, if they are as many as must."""
        surplus = max(len(self.people) - self.rules.seats, 0)
        lines = self["out"].value() or ()
        chosen = [name for line, name in enumerate(self.typed) if name and str(line) in lines]
        if len(chosen) == surplus:
            return tuple(chosen)
        return who_rests(self.games, self.people, self.rules.seats)

    def sitters(self) -> Iterator[tuple[int, str, bool]]:
        """Yield line and name of each, and whether they sit out; nobody where all play."""
        if self.resting:
            for line, name in enumerate(self.typed):
                if name:
                    yield line, name, name in self.resting

    @property
    def rests_one(self) -> bool:
        return len(self.resting) == 1

    def starters(self) -> list[tuple[int, str]]:
        """Return line and name of those who play, in the order of their seats."""
        return [(self.typed.index(name), name) for name in self.players if name]

    @cached_property
    def players(self) -> list[str]:
        """Return the names in the order of the seats; "" for a seat that is free."""
        seats = self.rules.seats
        playing = [name for name in self.people if name not in self.resting]
        players = seated(self.typed, playing, seats)
        moved = self["seats"].value() == "moved"
        return [players[-1], *players[:-1]] if moved else players

    def swapped(self, line: int) -> dict[str, Any]:
        """Return what was sent, with the name of a line and the next one exchanged."""
        turn = {line: line + 1, line + 1: line} if 0 <= line < MOST_PEOPLE - 1 else {}
        names = {f"name{turn.get(n, n)}": name for n, name in enumerate(self.typed)}
        out = [str(turn.get(int(n), n)) for n in self["out"].value() or () if n in LINES]
        return {**self.data, **names, "out": out}

    def has_changed_game(self) -> bool:
        """Return whether another game or other options are chosen than before."""
        rules = self.rules
        names = ["match", *self.question_names()]
        same = rules.id == self.before.ruleset
        return not same or any(
            str(self[name].value() or "") != str(self.start.get(name, self[name].initial) or "")
            for name in names
        )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        first = cleaned.get("first")
        if first is None or self.errors:
            return cleaned
        name = self.typed[first]
        if name not in self.players:
            text = _("%(name)s sits out: who begins?") if name else _("Who begins?")
            self.add_error("first", text % {"name": name})
        return cleaned

    def check_names(self) -> None:
        """Refuse a line that must be filled, and a duplicate name."""
        for line, name in enumerate(self.typed):
            if not name and line < self.rules.seats and "" in self.players:
                self.add_error(f"name{line}", _("Who sits here?"))
            elif name and name in self.typed[:line]:
                self.add_error(f"name{line}", _("%(name)s sits here twice.") % {"name": name})

    def names(self) -> Iterator[str]:
        return (f"name{line}" for line in range(MOST_PEOPLE))

    @property
    def head(self) -> GameSetup:
        first = self.players.index(self.typed[self.cleaned_data["first"]])
        title, place = self.before.title, self.before.place
        head, before = self.setup(self.players, first), self.before.options
        options = {**(head.options or {})}
        if "adjustment_to" in before and head.ruleset == self.before.ruleset:
            options["adjustment_to"] = before["adjustment_to"]
        return replace(head, title=title, place=place, stake=self.stake, options=options)


def _completed(data: QueryDict, before: Mapping[str, Any]) -> dict[str, Any]:
    """Return the sent fields, with people, payer and game of before where none are sent."""
    sent = {**dict(data.items()), "out": data.getlist("out")}
    earlier = {name: str(value) for name, value in before.items() if value is not None}
    groups = {"name": r"name", "pays": r"pays", "(ruleset|family)$": r"(?!name|pays)"}
    for known, group in groups.items():
        if not any(re.match(known, name) for name in data):
            sent |= {name: value for name, value in earlier.items() if re.match(group, name)}
    return sent


FIELDS_AT_CLUB = {"csrfmiddlewaretoken", "key", "first"}
"""At a club's table who sits there and the game stay as they are."""


def rematch(request: HtmxRequest, public_id: str, secret: str) -> HttpResponse:
    """Ask for the next game: with the same people and rules, one tap on who begins starts it."""
    # In a tournament directors decide who plays on.
    rows = writable_game(request, public_id, secret)
    rows = rows.filter(table__round__event__tournament=None)
    row = get_object_or_404(rows.select_related("match"))
    games, rulesets = games_until(row), dict(offered_rulesets(request.user))
    if request.method != "POST":
        started = going_on(request, row, "write")
        if started is not None:
            return redirect(started["address"])
        return _page(request, row, RematchForm(games, rulesets))
    if row.table_id is not None and not request.POST.keys() <= FIELDS_AT_CLUB:
        # From the form of open tables, which a phone shows without a signal: its deals may be
        # those of other seats.
        return _page(request, row, RematchForm(games, rulesets), status=UNPROCESSABLE)
    form = RematchForm(games, rulesets, request.POST)
    if request.htmx or "swap" in request.POST:
        # Asked for as it would be with what is typed; nothing is refused yet.
        swap = number_in(request.POST, "swap", -1)
        return _page(request, row, RematchForm(games, rulesets, typed=form.swapped(swap)))
    if form.is_valid():
        try:
            return _start(request, row, form)
        except (InvalidEntry, TableFull) as error:
            add_refused(form, error)
    return _page(request, row, form, status=UNPROCESSABLE)


def _start(request: HttpRequest, row: Game, form: RematchForm) -> HttpResponse:
    key, now = key_of(request.POST), timezone.now()
    at = begun_at(request.POST, now) or now
    following = NextGame(form.head, form.terms, form.resting)
    by = actor_of(request, row.table.public_id if row.table else "")
    try:
        game, opened = start_rematch(row.pk, following, at=at, key=key, by=by)
    except (NotFinished, RoundClosed):
        return redirect(address(row, "write"))
    # Whoever wrote the last game writes the next, also where another phone was faster.
    if opened:
        return to_table(request, game)
    if game.table_id != row.table_id:
        # A club has taken in one of the two: who writes there does not write here.
        return redirect(address_on_phone(request, game))
    return lead_to(request, game)


def _page(request: HtmxRequest, row: Game, form: RematchForm, status: int = 200) -> HttpResponse:
    rules = form.rules
    page: dict[str, Any] = {
        "row": row,
        "form": form,
        "ruleset": labels.name_of(rules),
        "match": row.match and terms_text(row.match.length, row.match.number),
        "begins": begins(rules)[1],
        "question": beginning_of(rules).question,
        "back": address(row, "write"),
        "key": new_key(),
        "names": suggested_names(request),
        "matches": matches_to_choose(),
        "changed": form.has_changed_game(),
    }
    name = "_rematch_begins" if request.htmx else "rematch"
    return render(request, f"tournaments/games/{name}.html", page, status=status)
