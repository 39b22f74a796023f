"""Entrants of a tournament: registered, checked in, withdrawn, and back again."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Max, Q

from tournaments.models import Entrant, Player, Round, Substitute, Tournament
from tournaments.models.people import fold_name
from tournaments.queries.tournaments import settings_of
from tournaments.services.auditing import Actor
from tournaments.services.people.players import add_all, find_player, lock_people
from tournaments.services.ratings.due import rate_entrant_again
from tournaments.services.tournaments.entering_lists import (
    Entry,
    Foreseen,
    clean_label,
    foresee,
    is_for_pairs,
    spellings,
)
from tournaments.services.tournaments.leading import (
    Depended,
    WrongState,
    lock_tournament,
    note,
    touch,
)

State = Tournament.State

MOST_ENTRANTS = 1_000
"""So many take part at most, pairs counting once."""

CHANGED_FIELDS = ("team", "represents", "house", "joins_in", "withdrawn_at", "checked_in")
"""What is changed of an entrant; its players only where two are merged, under another lock."""


class TooMany(Exception):
    """There is no room for so many entrants."""


class EntrantsRefused(Exception):
    """Why lines of a list were refused, by number from 0: each one of `entering_lists.REFUSED`."""

    def __init__(self, problems: dict[int, Exception]) -> None:
        self.problems = problems
        super().__init__(f"{len(problems)} entrants refused")


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

    Whoever takes part already is the entrant they are: registered twice is once.

    Raises:
        EntrantsRefused, TooMany: as in `register_entrants`; of a pair one may play with another.
        WrongState: registration is not open.
    """
    with transaction.atomic():
        tournament = lock_tournament(tournament_pk)
        if tournament.state != State.REGISTRATION:
            raise WrongState(tournament.state)
        standing = _standing(tournament, entry)
        if standing is not None:
            return standing
        return register_entrants(tournament_pk, [replace(entry, house=False)], by, at=at)[0]


def withdraw_entrant(entrant_pk: int, by: Actor, *, at: datetime) -> Entrant:
    """Let an entrant play no further round; what they have played stays. Twice is once.

    Raises:
        WrongState: the tournament is finished.
    """
    with transaction.atomic():
        entrant = _lock_unfinished(entrant_pk)
        if entrant.withdrawn_at is None:
            entrant.withdrawn_at = at
            _store(entrant, "withdraw-entrant", by, at)
    return entrant


def return_entrant(entrant_pk: int, by: Actor, *, at: datetime) -> Entrant:
    """Let an entrant who withdrew play again, from the next round that is not seated.

    Raises:
        WrongState: the tournament is finished.
    """
    with transaction.atomic():
        entrant = _lock_unfinished(entrant_pk)
        if entrant.withdrawn_at is not None:
            entrant.withdrawn_at = None
            players = [player.pk for player in entrant.players]
            entrant.joins_in = _first_round(players, *_busy(entrant.tournament))
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
    """Change the team of an entrant and the club they come from.

    Raises:
        NoLabel: one of them is none.
    """
    with transaction.atomic():
        entrant = lock_entrant(entrant_pk)
        labels = {"team": team, "represents": represents}
        new = {field: _as_spelled(entrant, field, label) for field, label in labels.items()}
        before = {field: getattr(entrant, field) for field in labels}
        if new != before:
            entrant.team, entrant.represents = new["team"], new["represents"]
            _store(entrant, "change-entrant", by, at, before=before, **new)


def mark_house(entrant_pk: int, by: Actor, *, at: datetime, house: bool) -> Entrant:
    """Make an entrant a house player, whose results count for nobody, or one like all others.

    Raises:
        WrongState: the tournament is finished, and its standings are final.
    """
    with transaction.atomic():
        entrant = _lock_unfinished(entrant_pk)
        if entrant.house != house:
            entrant.house = house
            rate_entrant_again(entrant)
            _store(entrant, "change-entrant", by, at, before={"house": not house}, house=house)
    return entrant


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
        if here and entrant.checked_in and settings_of(entrant.tournament).check_in == "once":
            return entrant
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


def _lock_unfinished(pk: int) -> Entrant:
    """An entrant of a tournament that is not finished, locked: its standings may still change."""
    entrant = lock_entrant(pk)
    if entrant.tournament.state == State.FINISHED:
        raise WrongState(entrant.tournament.state)
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


def _store(
    entrant: Entrant, action: str, by: Actor, at: datetime, before: Any = None, **after: Any
) -> None:
    entrant.save(update_fields=CHANGED_FIELDS)
    touch(entrant.tournament)
    told = {"entrants": [entrant.key], **after}
    note(entrant.tournament, action, by, at, before=before, after=told)


def _standing(tournament: Tournament, entry: Entry) -> Entrant | None:
    """Who is registered with exactly these names, and has not withdrawn."""
    names = [entry.name, entry.partner] if is_for_pairs(tournament) else [entry.name]
    players = [find_player(tournament.event.club, name.replace("\0", "")) for name in names]
    if None in players:
        return None
    playing = tournament.entrants.playing().select_related("player", "partner")
    found = (
        playing.filter(player__in=players).first() or playing.filter(partner__in=players).first()
    )
    return found if found is not None and set(found.players) == set(players) else None


def _as_spelled(entrant: Entrant, field: str, text: str) -> str:
    """A team or club as the others of the tournament spell it."""
    label = clean_label(text)
    if fold_name(label) == fold_name(getattr(entrant, field)):
        return label
    return spellings(entrant.tournament, field).get(fold_name(label), label)


def _add(
    tournament: Tournament, entries: Sequence[Entry], by: Actor, at: datetime
) -> list[Entrant]:
    foreseen = foresee(tournament, entries)
    problems = {line: each.problem for line, each in enumerate(foreseen) if each.problem}
    if problems:
        raise EntrantsRefused(problems)
    first = (tournament.entrants.aggregate(last=Max("number"))["last"] or 0) + 1
    busy = _busy(tournament)
    lines = zip(entries, foreseen, _found_or_added(tournament, foreseen, by, at), strict=True)
    added = []
    for number, (entry, each, players) in enumerate(lines, first):
        row = Entrant(
            tournament=tournament,
            number=number,
            player=players[0],
            partner=players[1] if len(players) == 2 else None,
            team=each.team,
            represents=each.represents,
            house=entry.house,
            joins_in=_first_round([player.pk for player in players], *busy),
            registered_at=at,
        )
        added.append(row)
    return Entrant.objects.bulk_create(added)


def _found_or_added(
    tournament: Tournament, foreseen: Sequence[Foreseen], by: Actor, at: datetime
) -> list[list[Player]]:
    """The players of each entry; those who are new to the club are added."""
    new = [each for entry in foreseen for each in entry.players if isinstance(each, str)]
    added = dict(zip(new, add_all(tournament.event.club, new, by, at=at), strict=True))
    return [
        [added[each] if isinstance(each, str) else each for each in entry.players]
        for entry in foreseen
    ]


def _busy(tournament: Tournament) -> tuple[int, dict[int, int]]:
    """The next round, and until when players stand in for others from then on, by their keys."""
    begins = next_round(tournament)
    rows = Substitute.objects.filter(entrant__tournament=tournament, round_number__gte=begins)
    return begins, dict(rows.order_by("round_number").values_list("player_id", "round_number"))


def _first_round(players: Sequence[int], begins: int, busy: Mapping[int, int]) -> int:
    """The first round for which players can be seated who may stand in for others until then."""
    return max(begins, *(busy.get(player, 0) + 1 for player in players))
