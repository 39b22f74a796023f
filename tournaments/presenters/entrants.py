"""The list of entrants of a tournament, with their states."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournaments.models import (
    Entrant,
    Event,
    Player,
    Revision,
    Seat,
    Sitting,
    Tournament,
    Visitor,
)
from tournaments.models.people import plain_name
from tournaments.queries.ratings.predictions import ratings_of_entrants
from tournaments.queries.ratings.ratings import ShownRating
from tournaments.queries.tournaments.state import next_round, settings_of
from tournaments.texts.labels import Text

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
    """

    entrant: Entrant
    name: str
    state: str
    rating: ShownRating | None = None
    section: str = ""
    named: tuple[tuple[str, str], ...] = ()

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

    `checking_in` is set if the tournament has check-in and it is open now.
    """

    lines: tuple[EntrantLine, ...]
    checking_in: bool
    asked_for: int

    def count(self, *states: str) -> int:
        return sum(line.state in states for line in self.lines)

    @property
    def rated(self) -> bool:
        return any(line.rating for line in self.lines)

    @property
    def missing(self) -> int:
        return self.count("missing")

    @property
    def counts(self) -> list[str]:
        """Return the number of entrants of each kind, as texts."""
        here, missing = self.count("here"), self.missing
        details = [
            (self.checking_in, _("here: %(number)s of %(of)s"), here),
            (self.count("later"), _("later: %(number)s"), self.count("later")),
            (self.count("house"), _("house players: %(number)s"), self.count("house")),
            (self.count("waiting"), _("on the waiting list: %(number)s"), self.count("waiting")),
            (self.count("withdrawn"), _("withdrawn: %(number)s"), self.count("withdrawn")),
        ]
        return [text % {"number": n, "of": here + missing} for shown, text, n in details if shown]


def list_entrants(tournament: Tournament, *, directs: bool) -> EntrantList:
    """Return all entrants of a tournament (2 queries); directors see whole names."""
    rows = tournament.entrants.select_related("player", "partner")
    return lines_of(rows, tournament, directs=directs)


def lines_of(rows: Iterable[Entrant], tournament: Tournament, *, directs: bool) -> EntrantList:
    """Return lines for some entrants of a tournament, in their order (1 query)."""
    asking, settings = _asking(tournament), settings_of(tournament)
    lines = (
        EntrantLine(
            row,
            name_of(row, directs=directs),
            asking.state(row),
            section=settings.section_of(row.section),
        )
        for row in rows
    )
    return EntrantList(tuple(lines), asking.checking_in, asking.number)


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
    """Return the name of an entrant; directors see whole names."""
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
    return rows.select_related("round", "table").order_by("round__number")


def players_offered(tournament: Tournament) -> dict[str, list[Player]]:
    """Return the players of the club who do not take part, by name (3 queries).

    Those of the club's last event are in `last`, all others in `others`.
    """
    event = tournament.event
    played = Event.objects.filter(club=event.club_id, rounds__tables__games__seats__isnull=False)
    last = played.exclude(pk=event.pk).values_list("pk", flat=True).first()
    seats = Seat.objects.filter(game__table__round__event=last).order_by()
    lately = set(seats.values_list("player_id", flat=True)) if last else set()
    players = Player.objects.present().filter(club=event.club_id)
    entrants = tournament.entrants.order_by()
    taken = entrants.values("player").union(entrants.exclude(partner=None).values("partner"))
    free = players.exclude(pk__in=taken).order_by("name_key")[:MOST_OFFERED]
    offered: dict[str, list[Player]] = {"last": [], "others": []}
    for player in free:
        offered["last" if player.pk in lately else "others"].append(player)
    return offered


def found_in(lines: Sequence[EntrantLine], asked: str, *, directs: bool) -> list[EntrantLine]:
    """Return the lines with the given number, or with every word of the text in a name.

    A player who asked for initials is not found by the whole name.
    """
    words = plain_name(asked).split()
    if asked.strip().isdecimal():
        return [line for line in lines if str(line.entrant.number) == asked.strip()]
    return [
        line
        for line in lines
        if all(any(word in text for text in _searched(line, directs=directs)) for word in words)
    ]


def _searched(line: EntrantLine, *, directs: bool) -> list[str]:
    row = line.entrant
    names = [_search_key(player, directs=directs) for player in row.players]
    return [*names, plain_name(row.team), plain_name(row.represents)]


def _search_key(player: Player, *, directs: bool) -> str:
    return player.search_key if directs or not player.initials else ""


@dataclass(frozen=True, slots=True)
class _Asking:
    """The check-in that is open now: for the round `number`, or once for all rounds."""

    checking_in: bool
    once: bool
    number: int

    def state(self, row: Entrant) -> str:
        """Return the state of an entrant, as in `EntrantLine`."""
        if row.withdrawn_at is not None:
            return "withdrawn"
        if row.waiting:
            return "waiting"
        if row.house:
            return "house"
        if row.joins_in > self.number or (row.joins_in == self.number > 1 and not self.checking_in):
            return "later"
        if not self.checking_in:
            return ""
        return "here" if row.checked_in >= (1 if self.once else self.number) else "missing"


def _asking(tournament: Tournament) -> _Asking:
    checks = settings_of(tournament).check_in
    going = tournament.state in (State.REGISTRATION, State.RUNNING)
    return _Asking(checks != "none" and going, checks == "once", next_round(tournament))
