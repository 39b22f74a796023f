"""A tournament as everybody may see it, the line on top of its pages, and its entrants."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain, groupby, repeat
from typing import Any

from django.db.models import F, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from tournaments.engine.rules.rulesets import PerSide, Points, Ruleset
from tournaments.engine.standings.results import TableResult
from tournaments.engine.standings.tournament_settings import TournamentSettings
from tournaments.models import (
    Club,
    DealReview,
    Entrant,
    Event,
    Game,
    Player,
    Revision,
    Round,
    Seat,
    Sitting,
    Tournament,
    Visitor,
)
from tournaments.models.people import name_order, plain_name
from tournaments.queries.ratings import DisplayedRating, ratings_of_entrants
from tournaments.queries.scoresheets import going_text
from tournaments.queries.sheets import agreement_of
from tournaments.queries.standings import hides, last_closed, places_before, round_label
from tournaments.queries.state import (
    SeatedRound,
    TournamentState,
    next_round,
    seconds_left,
    settings_of,
)
from tournaments.queries.steps import HowFar, LifecycleStep
from tournaments.queries.tables import furthest_behind, progress_of, seated, totals_of
from tournaments.texts.labels import Text


@dataclass(frozen=True, slots=True)
class TableSeen:
    """A table of a published round: its entrants in order of sides, and its players by seat.

    `ranks` and `totals` are per side; empty before its end, and in a round that is kept back.
    """

    number: int
    entrants: tuple[str, ...]
    players: tuple[str, ...]
    finished: bool
    ranks: tuple[int, ...] = ()
    totals: PerSide = ()
    kings: tuple[int, ...] = ()

    def result_of(self, entrant: str) -> tuple[int, Points] | None:
        """Return the place and the points of an entrant; None before the end."""
        side = self.entrants.index(entrant)
        return (self.ranks[side], self.totals[side]) if self.ranks else None

    def best(self) -> tuple[str, Points] | None:
        """Return the only winner with the lead over the second; None without such a winner."""
        if self.ranks.count(1) != 1 or len(self.ranks) < 2:
            return None
        winner = self.ranks.index(1)
        second = min(self.ranks[:winner] + self.ranks[winner + 1 :])
        behind = self.totals[self.ranks.index(second)]
        lead: Points = self.totals[winner] - behind
        return self.entrants[winner], lead if lead > 0 else -lead


@dataclass(frozen=True, slots=True)
class RoundSeen:
    """A published round with its tables, and who sits it out."""

    number: int
    label: str
    closed: bool
    tables: tuple[TableSeen, ...]
    byes: tuple[str, ...]
    stage: str

    def table_of(self, entrant: str) -> TableSeen | None:
        return next((table for table in self.tables if entrant in table.entrants), None)


@dataclass(frozen=True, slots=True)
class Leader:
    """A row of the standings after the last closed round.

    `change` is by how many places the entrant has moved up since the round before; None without
    one. `table` is where they sit now.
    """

    entrant: str
    name: str
    place: int
    shared: bool
    points: Points
    by_round: tuple[Points | None, ...]
    change: int | None
    table: int | None
    section: str

    @property
    def number(self) -> int:
        return int(self.entrant[1:])


@dataclass(frozen=True, slots=True)
class Overview:
    """A tournament after round `after` (0: none is closed), without what is kept back.

    `names` are of all entrants but house players; `here` are the keys of those who play on.
    `finals` is the number of those who play on after the last of `of` rounds. `seats` are those
    of a side: two for pairs.
    """

    after: int
    of: int
    finals: int
    side_seats: tuple[int, ...]
    names: Mapping[str, str]
    here: tuple[str, ...]
    rows: tuple[Leader, ...]
    rounds: tuple[RoundSeen, ...]
    hidden: bool

    @property
    def current(self) -> RoundSeen | None:
        return next((round_ for round_ in self.rounds if not round_.closed), None)

    @property
    def last(self) -> RoundSeen | None:
        return next((round_ for round_ in self.rounds if round_.number == self.after), None)

    @property
    def sections(self) -> list[tuple[str, list[Leader]]]:
        return [(name, list(rows)) for name, rows in groupby(self.rows, lambda row: row.section)]

    @property
    def podium(self) -> list[Leader]:
        """Return the first three places; nobody where each section has its own."""
        sections = self.sections
        return [row for row in self.rows if row.place <= 3] if len(sections) == 1 else []

    def row_of(self, entrant: str) -> Leader | None:
        return next((row for row in self.rows if row.entrant == entrant), None)

    def found(self, search: str, most: int) -> list[str]:
        """Return the keys of entrants by number, or by every word in their shown name."""
        words = plain_name(search).split()
        if len(words) == 1 and words[0].isdecimal():
            return [key for key in self.names if key == f"e{words[0]}"]
        fitting = (
            key
            for key, name in self.names.items()
            if words and all(word in plain_name(name) for word in words)
        )
        return list(fitting)[:most]

    def path_of(self, row: Leader) -> list[dict[str, Any]]:
        return [step for step in self.rounds_of(row.entrant) if step["number"] <= self.after]

    def rounds_of(self, entrant: str) -> list[dict[str, Any]]:
        """Return the published rounds of an entrant, the first one first."""
        row = self.row_of(entrant)
        points = chain(row.by_round if row else (), repeat(None))
        with_points = zip(self.rounds, points, strict=False)
        return [self._step(round_, entrant, each) for round_, each in with_points]

    def _step(self, round_: RoundSeen, entrant: str, points: Points | None) -> dict[str, Any]:
        step: dict[str, Any] = {"number": round_.number, "label": round_.label, "points": points}
        step["closed"] = round_.closed
        table = round_.table_of(entrant)
        if table is None:
            out = "bye" if entrant in round_.byes else "final" if round_.stage else "absent"
            return step | {"table": None, "place": None, "others": (), "out": out}
        side = table.entrants.index(entrant)
        others = tuple(self.names.get(key, "") for key in table.entrants if key != entrant)
        place = table.ranks[side] if table.ranks else None
        named = tuple(name for name in others if name)
        return step | {"table": table.number, "place": place, "others": named}

    def kings(self, *rounds: RoundSeen) -> tuple[str, ...]:
        """Return a name for each King made in some rounds."""
        return tuple(
            self.names[table.entrants[side]]
            for round_ in rounds
            for table in round_.tables
            for side in table.kings
            if table.entrants[side] in self.names
        )

    def games(self) -> int:
        return sum(table.finished for round_ in self.rounds for table in round_.tables)

    def highest(self) -> tuple[Points, str] | None:
        """Return the best result of a game with who made it."""
        scored = [
            (table.totals[side], self.names[key])
            for round_ in self.rounds
            for table in round_.tables
            for side, key in enumerate(table.entrants)
            if table.totals and table.ranks[side] == 1 and key in self.names
        ]
        return max(scored, default=None)

    def closest(self) -> tuple[Points, str, int] | None:
        """Return the smallest lead of a winner, with its round and table."""
        leads = [
            (best[1], round_.label, table.number)
            for round_ in self.rounds
            for table in round_.tables
            if (best := table.best()) is not None
        ]
        return min(leads, default=None)

    def cut_of(self, row: Leader) -> Leader | None:
        """Return who an entrant has to pass for the finals, or else the first one left out.

        None without finals, or once they are on.
        """
        if not self.finals or not self.after or self.after >= self.of:
            return None
        rivals = [other for other in self.rows if other.section == row.section]
        at = rivals.index(row)
        line = self.finals if at < self.finals else self.finals - 1
        return rivals[line] if line < len(rivals) else None

    def finalists(self, section: str) -> list[str]:
        """Return who of a section plays the final, once all rounds before it are over."""
        if not self.finals or self.after != self.of:
            return []
        rows = (row.entrant for row in self.rows if row.section == section)
        return [entrant for entrant in rows if entrant in self.here][: self.finals]

    def next_of(self, row: Leader) -> Leader | None:
        """Return the nearest entrant above with more points; None for the first."""
        ahead = [
            other
            for other in self.rows
            if other.section == row.section and other.points > row.points
        ]
        return ahead[-1] if ahead else None


def overview_of(state: TournamentState) -> Overview:
    """Return a tournament as visitors see it, whoever asks (1 query with substitutes)."""
    after = last_closed(state, directs=False)
    published = [drawn for drawn in state.seated_rounds if drawn.row.published_at is not None]
    hidden = hides(state)
    rounds = tuple(_round(state, drawn, hidden and drawn.row.number > after) for drawn in published)
    names = {key: row.shown_name for key, row in state.entrants.items() if not row.house}
    now = next((round_ for round_ in rounds if not round_.closed), None)
    return Overview(
        after=after,
        of=state.settings.rounds,
        finals=state.settings.finals,
        side_seats=tuple(state.rules.sides),
        names=names,
        here=tuple(key for key in names if state.entrants[key].withdrawn_at is None),
        rows=tuple(_leaders(state, names, after, now)) if after else (),
        rounds=rounds,
        hidden=hidden,
    )


def _leaders(
    state: TournamentState, names: Mapping[str, str], after: int, now: RoundSeen | None
) -> Iterator[Leader]:
    tables = {} if now is None else {key: t.number for t in now.tables for key in t.entrants}
    before = places_before(state, after)
    for row in state.standings_before(after + 1):
        moved = before[row.entrant] - row.place if row.entrant in before else None
        yield Leader(
            entrant=row.entrant,
            name=names[row.entrant],
            place=row.place,
            shared=row.shared,
            points=row.points,
            by_round=row.by_round,
            change=moved,
            table=tables.get(row.entrant),
            section=row.section,
        )


def _round(state: TournamentState, drawn_round: SeatedRound, hidden: bool) -> RoundSeen:
    row = drawn_round.row
    results = {}
    for played in state.results:
        if played.number == row.number:
            results = {result.entrants: result for result in played.tables}
    drawn = [table for table in seated(state, row) if table["number"] is not None]
    tables = tuple(
        _table(
            TableSeen(
                number=table.number,
                entrants=table.entrants,
                players=tuple(name for _seat, name in laid["players"]),
                finished=results[table.entrants].finished,
            ),
            None if hidden else results[table.entrants],
        )
        for table, laid in zip(drawn_round.tables, drawn, strict=True)
    )
    label = round_label(state, row.number)
    closed = row.closed_at is not None
    return RoundSeen(row.number, label, closed, tables, drawn_round.byes, row.stage)


def _table(table: TableSeen, result: TableResult | None) -> TableSeen:
    if result is None or not result.finished:
        return table
    return TableSeen(
        table.number,
        table.entrants,
        table.players,
        finished=True,
        ranks=result.ranks,
        totals=result.totals,
        kings=result.kings,
    )


@dataclass(frozen=True, slots=True)
class Strip:
    """How a tournament stands: its tables that need a director, and its clock.

    `called`, `disputed` and `unconfirmed` are numbers of tables; `last` is the one furthest behind,
    and its deal. `left` are the seconds on the clock, None without one; a correction changes the
    places of `moved` entrants.
    """

    far: HowFar
    settings: TournamentSettings
    called: Sequence[int] = ()
    last: tuple[int, int] | None = None
    disputed: int | None = None
    unconfirmed: int | None = None
    left: int | None = None
    moved: int = 0

    @property
    def round_(self) -> Round | None:
        return self.far.round_

    @property
    def clock_stands(self) -> bool:
        """Whether the round has a clock that does not run."""
        if self.round_ is None or self.round_.published_at is None:
            return False
        return self.left is not None and self.round_.clock_started_at is None

    @property
    def not_started(self) -> bool:
        return self.clock_stands and self.round_ is not None and not self.round_.clock_used

    @property
    def over(self) -> bool:
        """Whether tables play on after the end."""
        return self.left is not None and self.left < 0 and self.far.step.code == "look-at-tables"


def load_strip(row: Tournament, far: HowFar, moved: int, at: datetime) -> Strip:
    """Load what the strip shows besides `far` (up to 4 queries, however many tables)."""
    settings, round_ = settings_of(row), far.round_
    if round_ is None or round_.published_at is None or round_.closed_at is not None:
        return Strip(far, settings, moved=moved)
    left = seconds_left(round_, at)
    if not round_.is_open:
        # Opening the round gives the clock its time.
        minutes = settings.minutes
        return Strip(far, settings, left=None if minutes is None else minutes * 60, moved=moved)
    assert far.progress is not None
    plays_on = far.progress["begun"] and far.step.code == "look-at-tables"
    last = furthest_behind(round_) if plays_on else None
    disputed = unconfirmed = None
    if settings.confirm_deals:
        disputes = DealReview.objects.filter(game__table__round=round_).open_disputes()
        numbers = disputes.order_by("game__table__number")
        disputed = numbers.values_list("game__table__number", flat=True).first()
    if far.step.code == "close-round":
        unconfirmed = _unconfirmed(round_, row.event.confirmations)
    return Strip(far, settings, far.progress["called"], last, disputed, unconfirmed, left, moved)


def strip_step(strip: Strip) -> LifecycleStep:
    """Return the one next step of a tournament's directors."""
    step, round_ = strip.far.step, strip.round_
    if step.code == "start" and strip.settings.check_in == "none":
        # With a check-in nobody is here yet.
        return replace(step, code="start-and-seat", round=1)
    is_open = round_ is not None and round_.is_open
    if round_ is not None and is_open:
        for table in (*strip.called[:1], strip.disputed, strip.unconfirmed):
            if table is not None:
                return LifecycleStep("go-to-table", round_.number, table)
    if strip.clock_stands and step.code == ("look-at-tables" if is_open else "open-round"):
        return replace(step, code="start-clock")
    if strip.moved and not is_open and step.code != "open-round":
        return LifecycleStep("look-at-correction")
    return step


def _unconfirmed(round_: Round, setting: str) -> int | None:
    """Return the first finished table that is not confirmed (2 queries)."""
    games = Game.objects.filter(table__round=round_).order_by("table__number")
    for game in games.select_related("table").prefetch_related("confirmations"):
        if not agreement_of(game, setting, game.confirmations.all()).enough:
            assert game.table is not None
            return game.table.number
    return None


def scores_at(rules: Ruleset, round_: Round, numbers: Iterable[int]) -> list[dict[str, Any]]:
    """Return the current scores of some tables in their order, the best first (2 queries)."""
    games = Game.objects.filter(table__round=round_, table__number__in=(order := list(numbers)))
    rows = list(games.select_related("table").order_by("pk"))
    going = progress_of(row for row in rows if row.result is None)
    found = {}
    for row in rows:
        assert row.table is not None
        seen = going.get(row.pk) or {"deals": rules.length, "totals": totals_of(row)}
        sides = zip(rules.side_names(row.players), seen["totals"], strict=True)
        found[row.table.number] = {
            "number": row.table.number,
            "sides": sorted(sides, key=lambda side: side[1], reverse=True),
            **seen,
            "length": rules.length,
            "state": pgettext("a game", "finished")
            if row.result is not None
            else going_text(rules, seen["deals"], seen["totals"]),
        }
    return [found[number] for number in order if number in found]


State = Tournament.State

MOST_OFFERED = 2_000
"""Players of the club that can be ticked; others are typed."""

STATES = ("here", "missing", "later", "house", "waiting", "withdrawn")
"""The sort order of states; the state is empty if there is no check-in."""


LABELS: Mapping[str, Text] = {
    "here": gettext_lazy("here"),
    "missing": gettext_lazy("not checked in"),
    "house": gettext_lazy("house player"),
    "waiting": gettext_lazy("on the waiting list"),
    "withdrawn": gettext_lazy("withdrawn"),
}


@dataclass(frozen=True, slots=True)
class EntrantLine:
    """An entrant as a reader may see them; the list sorts by `state`.

    The state is one of `STATES`, or empty if there is no check-in.
    `rating` is None if there is none, or the reader may not see it. `section` is empty without any.
    `named` are its players with the addresses of their pages, none if the reader may see no page.
    `owes` is whether the fee of somebody who plays is missing.
    """

    entrant: Entrant
    name: str
    state: str
    rating: DisplayedRating | None = None
    section: str = ""
    named: tuple[tuple[str, str], ...] = ()
    owes: bool = False

    @property
    def can_check_in(self) -> bool:
        return self.state in ("here", "missing")

    @property
    def label(self) -> str:
        if self.state == "later":
            return _("from round %(number)s") % {"number": self.entrant.joins_in}
        return str(LABELS.get(self.state, ""))


@dataclass(frozen=True, slots=True)
class EntrantList:
    """All entrants of a tournament in order of their numbers, and the round of the check-in.

    `checking_in` is set if the tournament has check-in and it is open now, `fees` if it has a fee
    or prizes and the reader directs it.
    """

    lines: tuple[EntrantLine, ...]
    checking_in: bool
    asked_for: int
    fees: bool = False

    def count(self, *states: str) -> int:
        return sum(line.state in states for line in self.lines)

    @property
    def rated(self) -> bool:
        return any(line.rating for line in self.lines)

    @property
    def missing(self) -> int:
        return self.count("missing")

    @property
    def owing(self) -> int:
        return sum(line.owes for line in self.lines)

    @property
    def counts(self) -> list[str]:
        here, missing = self.count("here"), self.missing
        paid = sum(line.entrant.paid for line in self.lines)
        details = [
            (self.checking_in, _("here: %(number)s of %(of)s"), here, here + missing),
            (self.fees, _("paid: %(number)s of %(of)s"), paid, paid + self.owing),
            *(
                (number := self.count(state), text, number, 0)
                for state, text in (
                    ("later", _("later: %(number)s")),
                    ("house", _("house players: %(number)s")),
                    ("waiting", _("on the waiting list: %(number)s")),
                    ("withdrawn", _("withdrawn: %(number)s")),
                )
            ),
        ]
        return [text % {"number": n, "of": of} for is_set, text, n, of in details if is_set]


def list_entrants(tournament: Tournament, *, directs: bool) -> EntrantList:
    """Return all entrants of a tournament (2 queries); directors see whole names."""
    rows = tournament.entrants.select_related("player", "partner")
    return lines_of(rows, tournament, directs=directs)


def lines_of(rows: Iterable[Entrant], tournament: Tournament, *, directs: bool) -> EntrantList:
    """Return lines for some entrants of a tournament, in their order (1 query)."""
    settings, number = settings_of(tournament), next_round(tournament)
    going = tournament.state in (State.REGISTRATION, State.RUNNING)
    checking_in = settings.check_in != "none" and going
    checked_from = 1 if settings.check_in == "once" else number
    fees = directs and bool(settings.fee or settings.prizes)
    lines = (
        EntrantLine(
            row,
            name_of(row, directs=directs),
            _state_of(row, number, checked_from, checking_in=checking_in),
            section=settings.section_of(row.section),
            owes=fees and row.is_playing and not (row.house or row.paid),
        )
        for row in rows
    )
    return EntrantList(tuple(lines), checking_in, number, fees)


def _state_of(row: Entrant, number: int, checked_from: int, *, checking_in: bool) -> str:
    """Return the state of an entrant before round `number`, as in `EntrantLine`.

    A check-in counts from round `checked_from` on.
    """
    lasting = {
        "withdrawn": row.withdrawn_at is not None,
        "waiting": row.waiting,
        "house": row.house,
        "later": row.joins_in > number or (row.joins_in == number > 1 and not checking_in),
    }
    for state, applies in lasting.items():
        if applies:
            return state
    if not checking_in:
        return ""
    return "here" if row.checked_in >= checked_from else "missing"


def with_ratings(entrants: EntrantList, tournament: Tournament, visitor: Visitor) -> EntrantList:
    """Return the list with the ratings that a visitor may see (1 query)."""
    rows = [line.entrant for line in entrants.lines]
    ratings = ratings_of_entrants(tournament, rows, visitor, timezone.now())
    lines = tuple(replace(line, rating=ratings.get(line.entrant.key)) for line in entrants.lines)
    return replace(entrants, lines=lines)


def line_of(entrant: Entrant, *, directs: bool) -> EntrantLine:
    """Return the line of one entrant, loaded with its tournament (1 query)."""
    return lines_of([entrant], entrant.tournament, directs=directs).lines[0]


def seated_sentence(entrant: Entrant, number: int) -> str:
    """Say at which table of round `number` an entrant sits, if at any."""
    table = entrant.sittings.select_related("table").get(round__number=number).table
    name = " + ".join(player.name for player in entrant.players)
    details = {"name": name, "number": entrant.number, "round": number}
    if table is None:
        return _("%(name)s is number %(number)s and sits round %(round)s out.") % details
    details["table"] = table.number
    return _("%(name)s is number %(number)s: round %(round)s, table %(table)s.") % details


def name_of(entrant: Entrant, *, directs: bool) -> str:
    names = " + ".join(player.name for player in entrant.players if player.name)
    return names if directs and names else entrant.shown_name


def seats_left(entrant: Entrant) -> QuerySet[Sitting]:
    """Filter to the seats of a withdrawn entrant at tables that have not begun (1 query)."""
    if entrant.withdrawn_at is None:
        return Sitting.objects.none()
    going = Sitting.objects.filter(
        entrant=entrant,
        table__isnull=False,
        round__published_at__isnull=False,
        round__closed_at=None,
    )
    begun = Revision.objects.of_entries().filter(
        game__table__round__event=entrant.tournament.event_id
    )
    rows = going.exclude(table__in=begun.values("game__table"))
    # Somebody plays in their place.
    rows = rows.exclude(entrant__substitutes__round_number=F("round__number"))
    return rows.select_related("round", "table").order_by("round__number")


def seat_in_game(entrant: Entrant) -> Sitting | None:
    """Return the seat of an entrant in a game that is not over, if nobody plays instead."""
    going = Sitting.objects.filter(entrant=entrant, round__closed_at=None)
    going = going.exclude(entrant__substitutes__round_number=F("round__number"))
    rows = going.filter(table__games__result__isnull=True, table__games__isnull=False)
    return rows.select_related("round", "table").last()


def players_offered(club: Club, tournament: Tournament | None = None) -> dict[str, list[Player]]:
    """Return the players of a club who do not take part, by name (up to 4 queries).

    Those of the club's last event are in `last`, all others in `others`.
    """
    played = Event.objects.filter(club=club, rounds__tables__games__seats__isnull=False)
    free = Player.objects.present().filter(club=club)
    if tournament is not None:
        played = played.exclude(pk=tournament.event_id)
        entrants = tournament.entrants.order_by()
        taken = entrants.values("player").union(entrants.exclude(partner=None).values("partner"))
        free = free.exclude(pk__in=taken)
    last = played.values_list("pk", flat=True).first()
    seats = Seat.objects.filter(game__table__round__event=last).order_by()
    lately = set(seats.values_list("player_id", flat=True)) if last else set()
    offered: dict[str, list[Player]] = {"last": [], "others": []}
    rows = free.order_by("name_key")[:MOST_OFFERED]
    for player in sorted(rows, key=lambda player: name_order(player.name)):
        offered["last" if player.pk in lately else "others"].append(player)
    return offered


def found_in(lines: Sequence[EntrantLine], search: str, *, directs: bool) -> list[EntrantLine]:
    """Return the lines with the given number, or with every word of the text in a name.

    A player who asked for initials is not found by the whole name.
    """
    if search.strip().isdecimal():
        return [line for line in lines if str(line.entrant.number) == search.strip()]
    words = plain_name(search).split()
    found = []
    for line in lines:
        row = line.entrant
        texts = [p.search_key if directs or not p.initials else "" for p in row.players]
        texts += [plain_name(row.team), plain_name(row.represents)]
        if all(any(word in text for text in texts) for word in words):
            found.append(line)
    return found
