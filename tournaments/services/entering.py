"""Entrants of a tournament: registered, checked in, withdrawn, and back again."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Max, Q

from tournaments.models import Entrant, Player, Round, Tournament
from tournaments.services.auditing import Actor
from tournaments.services.people import NoName, find_or_add_player, lock_people
from tournaments.services.tournaments import (
    Depended,
    WrongState,
    lock_tournament,
    note,
    touch,
)
from tournaments.tournament_queries import rules_of_tournament

State = Tournament.State

MOST_ENTRANTS = 1_000
"""So many take part at most, pairs counting once."""


class TooMany(Exception):
    """There is no room for so many entrants."""


class NotAlone(Exception):
    """A pair of one, or a partner where each plays alone."""


class EnteredAlready(Exception):
    """`player` takes part already."""

    def __init__(self, player: Player) -> None:
        self.player = player
        super().__init__(f"{player} takes part already")


class EntrantsRefused(Exception):
    """Why lines of a list were refused, by number from 0: NoName, NotAlone or EnteredAlready."""

    def __init__(self, problems: dict[int, Exception]) -> None:
        self.problems = problems
        super().__init__(f"{len(problems)} entrants refused")


@dataclass(frozen=True, slots=True)
class Entry:
    """What is said of an entrant: the names of a player, or of a pair, and what they stand for."""

    name: str
    partner: str = ""
    team: str = ""
    represents: str = ""
    house: bool = False


def register_entrants(
    tournament_pk: int, entries: Sequence[Entry], by: Actor, *, at: datetime
) -> list[Entrant]:
    """Register entrants, all or none; names nobody of the club has are added to its players.

    While the tournament runs they are late: they play from the next round that is not seated.

    Raises:
        EntrantsRefused: with every problem.
        TooMany: more than can take part.
        WrongState: the tournament is finished.
    In each case nothing is written.
    """
    with transaction.atomic():
        tournament = lock_tournament(tournament_pk)
        if tournament.state == State.FINISHED:
            raise WrongState(tournament.state)
        lock_people(tournament.event.club_id)
        if tournament.entrants.count() + len(entries) > MOST_ENTRANTS:
            raise TooMany
        added = _add(tournament, entries, by, at)
        touch(tournament)
        keys = [entrant.key for entrant in added]
        note(tournament, "add-entrants", by, at, after={"entrants": keys})
    return added


def register_by_link(tournament_pk: int, entry: Entry, by: Actor, *, at: datetime) -> Entrant:
    """Register oneself, while registration is open; nobody becomes a house player so.

    Raises:
        EntrantsRefused, TooMany: as in `register_entrants`.
        WrongState: registration is not open.
    """
    with transaction.atomic():
        tournament = lock_tournament(tournament_pk)
        if tournament.state != State.REGISTRATION:
            raise WrongState(tournament.state)
        return register_entrants(tournament_pk, [entry], by, at=at)[0]


def withdraw_entrant(entrant_pk: int, by: Actor, *, at: datetime) -> Entrant:
    """Let an entrant play no further round; what they have played stays. Twice is once."""
    with transaction.atomic():
        entrant = lock_entrant(entrant_pk)
        if entrant.withdrawn_at is None:
            entrant.withdrawn_at = at
            _store(entrant, "withdraw-entrant", by, at)
    return entrant


def return_entrant(entrant_pk: int, by: Actor, *, at: datetime) -> Entrant:
    """Let an entrant who withdrew play again, from the next round that is not seated."""
    with transaction.atomic():
        entrant = lock_entrant(entrant_pk)
        if entrant.withdrawn_at is not None:
            entrant.withdrawn_at = None
            entrant.joins_in = next_round(entrant.tournament)
            _store(entrant, "return-entrant", by, at)
    return entrant


def remove_entrant(entrant_pk: int, by: Actor, *, at: datetime) -> None:
    """Strike an entrant off the list who was never seated; removed twice, it is no error.

    Raises:
        Depended: they were; they can only withdraw.
    """
    with transaction.atomic():
        try:
            entrant = lock_entrant(entrant_pk)
        except Entrant.DoesNotExist:
            return
        tournament = entrant.tournament
        rounds = tournament.event.rounds.exclude(seating=None)
        if entrant.sittings.exists() or any(is_seated_in(entrant, place) for place in rounds):
            raise Depended
        note(tournament, "remove-entrant", by, at, before={"entrants": [entrant.key]})
        entrant.delete()
        touch(tournament)


def change_entrant(entrant_pk: int, team: str, represents: str, by: Actor, *, at: datetime) -> None:
    """Change the team of an entrant and the club they come from."""
    with transaction.atomic():
        entrant = lock_entrant(entrant_pk)
        if (entrant.team, entrant.represents) != (team, represents):
            entrant.team, entrant.represents = team, represents
            _store(entrant, "change-entrant", by, at)


def check_in(
    entrant_pk: int, by: Actor, *, at: datetime, here: bool = True, number: int | None = None
) -> Entrant:
    """Note that an entrant is here for round `number` (the next one to be seated), or not.

    Raises:
        WrongState: the tournament has not come to registration, or is finished.
        Entrant.DoesNotExist: they were struck off the list.
    """
    with transaction.atomic():
        entrant = lock_entrant(entrant_pk)
        if entrant.tournament.state not in (State.REGISTRATION, State.RUNNING):
            raise WrongState(entrant.tournament.state)
        checked_in = (number or next_round(entrant.tournament)) if here else 0
        if entrant.checked_in != checked_in:
            entrant.checked_in = checked_in
            _store(entrant, "check-in" if here else "check-out", by, at)
    return entrant


def lock_entrant(pk: int) -> Entrant:
    """An entrant as it is, with its tournament locked."""
    tournament = lock_tournament(Entrant.objects.values_list("tournament_id", flat=True).get(pk=pk))
    entrant = Entrant.objects.select_related("player", "partner").get(pk=pk)
    entrant.tournament = tournament
    return entrant


def next_round(tournament: Tournament) -> int:
    """The number of the next round that can still be seated."""
    last = tournament.event.rounds.aggregate(last=Max("number", filter=_SEATED))["last"]
    return (last or 0) + 1


_SEATED = Q(published_at__isnull=False)


def is_seated_in(entrant: Entrant, place: Round) -> bool:
    """Whether the seating of a round names an entrant."""
    seating = place.seating or {"tables": [], "byes": []}
    return any(entrant.key in names for names in [*seating["tables"], seating["byes"]])


def _store(entrant: Entrant, action: str, by: Actor, at: datetime) -> None:
    entrant.save()
    touch(entrant.tournament)
    note(entrant.tournament, action, by, at, after={"entrants": [entrant.key]})


def _add(
    tournament: Tournament, entries: Sequence[Entry], by: Actor, at: datetime
) -> list[Entrant]:
    pairs = rules_of_tournament(tournament).seats_in_a_side == 2
    numbers = tournament.entrants.aggregate(last=Max("number"))
    first = (numbers["last"] or 0) + 1
    joins_in = next_round(tournament)
    taken = _players_of(tournament)
    added: list[Entrant] = []
    problems: dict[int, Exception] = {}
    for line, entry in enumerate(entries):
        try:
            players = _players(tournament, entry, by, at, pairs=pairs)
            _enter(players, taken)
        except (NoName, NotAlone, EnteredAlready) as problem:
            problems[line] = problem
            continue
        row = Entrant(
            tournament=tournament,
            number=first + line,
            player=players[0],
            partner=players[1] if pairs else None,
            team=entry.team,
            represents=entry.represents,
            house=entry.house,
            joins_in=joins_in,
            registered_at=at,
        )
        added.append(row)
    if problems:
        raise EntrantsRefused(problems)
    return Entrant.objects.bulk_create(added)


def _players(
    tournament: Tournament, entry: Entry, by: Actor, at: datetime, *, pairs: bool
) -> list[Player]:
    if pairs != bool(entry.partner.strip()):
        raise NotAlone
    names = [entry.name, entry.partner] if pairs else [entry.name]
    club = tournament.event.club
    return [find_or_add_player(club, name, by, at=at) for name in names]


def _enter(players: Sequence[Player], taken: set[int]) -> None:
    for player in players:
        if player.pk in taken:
            raise EnteredAlready(player)
        taken.add(player.pk)


def _players_of(tournament: Tournament) -> set[int]:
    """The keys of all who take part, alone or in a pair."""
    entrants = tournament.entrants.all()
    partners = entrants.exclude(partner=None).values_list("partner_id", flat=True)
    return {*entrants.values_list("player_id", flat=True), *partners}
