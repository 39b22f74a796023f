"""Entrants of a tournament: registered, listed, withdrawn, and their fees."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext_lazy as _

from tournaments.models import Club, Entrant, Player, Substitute, Tournament
from tournaments.models.people import fold_name
from tournaments.queries.state import can_register, next_round, rules_of_tournament, settings_of
from tournaments.services.audit import Actor
from tournaments.services.base.writes import Fault, Invalid, Refused
from tournaments.services.people.players import (
    NoName,
    add_all,
    clean_name,
    find_player,
    lock_people,
    without_contacts,
)
from tournaments.services.ratings.computing import rate_entrant_again
from tournaments.services.tournaments.lifecycle import (
    Depended,
    TournamentPlan,
    WrongState,
    create_tournament,
    let_in_waiting,
    lock_tournament,
    move_tournament,
    note,
    places_left,
    touch,
)


class NotAlone(Fault, code="not-alone", where="partner"):
    sentence = _("Everybody plays alone here: one name on each line.")


class NoPartner(Fault, code="no-partner", where="partner"):
    sentence = _("The partner is missing: pairs play here.")


class NoLabel(Refused, code="no-label", status=422, in_lists=True):
    sentence = _("A team or a club has letters, and 80 of them at most.")


class NamedTwice(Fault, code="named-twice"):
    sentence = _("%(name)s is in the list twice.")


class EnteredAlready(Fault, code="entered-already"):
    sentence = _("%(name)s takes part already, as number %(number)s.")


class UnknownSection(Refused, code="unknown-section", status=422, in_lists=True):
    sentence = _("This tournament has no such section.")

    def __init__(self, section: str) -> None:
        super().__init__(data={"section": section}, where="section")


@dataclass(frozen=True, slots=True)
class Entry:
    """One entrant in the input: names of a player or a pair, with team, club and section."""

    name: str
    partner: str = ""
    team: str = ""
    represents: str = ""
    house: bool = False
    section: str = ""


@dataclass(frozen=True, slots=True)
class Preview:
    """The preview of an entry: players of the club and names of new ones, or problems."""

    players: tuple[Player | str, ...] = ()
    team: str = ""
    represents: str = ""
    problem: Refused | None = None


def preview_entries(tournament: Tournament, entries: Sequence[Entry]) -> list[Preview]:
    """Preview each entry, in order (6 queries, however many entries).

    Teams and clubs that differ only in case are one, in the first spelling.
    """
    previews = _EntryPreviews(tournament, entries)
    return [previews.preview_entries(line, entry) for line, entry in enumerate(entries)]


def clean_label(text: str, where: str = "") -> str:
    """Return the name of a team or club as stored; empty for none.

    Raises: NoLabel: the text is not a valid name, or only a number or an address.
    """
    if not text.strip():
        return ""
    if not without_contacts(text):
        raise NoLabel(where=where)
    try:
        return clean_name(text)
    except NoName as error:
        raise NoLabel(where=where) from error


def spellings(tournament: Tournament, field: str) -> dict[str, str]:
    """Map the folded teams (or clubs, by `field`) of a tournament to their spelling."""
    labels = tournament.entrants.exclude(**{field: ""}).order_by("-number")
    return {fold_name(label): label for label in labels.values_list(field, flat=True)}


def is_for_pairs(tournament: Tournament) -> bool:
    return rules_of_tournament(tournament).seats_in_a_side == 2


class _EntryPreviews:
    """The state the lines of one list are checked against; it grows with each line."""

    def __init__(self, tournament: Tournament, entries: Sequence[Entry]) -> None:
        self.pairs = is_for_pairs(tournament)
        self.sections = settings_of(tournament).section_names
        self.known = _known(tournament, entries)
        entrants = tournament.entrants
        partners = entrants.exclude(partner=None).values_list("partner_id", "number")
        self.taken = dict([*entrants.values_list("player_id", "number"), *partners])
        self.teams = spellings(tournament, "team")
        self.clubs = spellings(tournament, "represents")
        self.named: dict[int | str, int] = {}

    def preview_entries(self, line: int, entry: Entry) -> Preview:
        try:
            players = self._players(entry)
            for where, player in zip(("name", "partner"), players, strict=False):
                self._claim_name(player, line, where)
            team = _spelled(self.teams, entry.team, "team")
            represents = _spelled(self.clubs, entry.represents, "represents")
            if entry.section and entry.section not in self.sections:
                raise UnknownSection(entry.section)
        except Refused as problem:
            return Preview(problem=problem)
        return Preview(players, team, represents)

    def _players(self, entry: Entry) -> tuple[Player | str, ...]:
        if not entry.name.strip():
            raise NoName(where="name")
        if self.pairs != bool(entry.partner.strip()):
            raise NoPartner if self.pairs else NotAlone
        cleaned = [clean_name(entry.name, "name")]
        if self.pairs:
            cleaned.append(clean_name(entry.partner, "partner"))
        return tuple(self.known.get(fold_name(name), name) for name in cleaned)

    def _claim_name(self, player: Player | str, line: int, where: str) -> None:
        key = fold_name(player) if isinstance(player, str) else player.pk
        if not isinstance(player, str) and player.pk in self.taken:
            data = {"name": player.shown_name, "number": self.taken[player.pk]}
            raise EnteredAlready(data, data, where=where)
        if key in self.named:
            data = {"name": str(player), "first": self.named[key]}
            raise NamedTwice(data, data, where=where)
        self.named[key] = line


def _spelled(seen: dict[str, str], text: str, where: str) -> str:
    label = clean_label(text, where)
    return seen.setdefault(fold_name(label), label) if label else ""


def _known(tournament: Tournament, entries: Sequence[Entry]) -> dict[str, Player]:
    """Return the named players of the club by folded name; for merged ones, the kept player.

    The lookup matches `people.find_player`.
    """
    keys: set[str] = set()
    for name in (name for entry in entries for name in (entry.name, entry.partner)):
        with suppress(NoName):
            keys.add(fold_name(clean_name(name)))
    rows = Player.objects.filter(club=tournament.event.club, removed_at=None, name_key__in=keys)
    found = {row.name_key: row for row in rows.select_related("merged_into")}
    for key, row in found.items():
        player = row
        while player.merged_into is not None:
            player = player.merged_into
        found[key] = player
    return found


State = Tournament.State

MOST_ENTRANTS = 1_000
"""Maximum number of entrants; a pair counts once."""

CHANGED_FIELDS = (
    "team",
    "represents",
    "preferred_table",
    "house",
    "joins_in",
    "withdrawn_at",
    "checked_in",
    "waiting",
)
"""The fields of an entrant that can change; its players change only in merges."""


class TooMany(Refused, code="too-many-entrants"):
    sentence = _("At most %(most)s can take part.")

    def __init__(self) -> None:
        super().__init__({"most": MOST_ENTRANTS})


class EntrantsRefused(Invalid):
    """Problems of the lines of a list, by line number from 0."""

    def __init__(self, problems: dict[int, Refused]) -> None:
        self.problems = problems
        for line, problem in problems.items():
            problem.where = f"entrants.{line}.{problem.where}"
        super().__init__(faults=list(problems.values()))


def register_entrants(
    tournament_pk: int, entries: Sequence[Entry], by: Actor, *, at: datetime
) -> list[Entrant]:
    """Register entrants, all or none; unknown names become players of the club.

    In a running tournament they are late: they play from the next unseated round. Before the start
    those beyond the capacity wait.

    Raises: EntrantsRefused, TooMany, WrongState. Nothing is written then.
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


def create_with_everybody(
    club: Club, plan: TournamentPlan, by: Actor, *, at: datetime, key: str
) -> Tournament:
    """Create a tournament of all players of a club, open for registration.

    Raises: as `create_tournament` and `register_entrants`. Nothing is written then.
    """
    with transaction.atomic():
        row = create_tournament(club, plan, by, at=at, key=key)
        if row.state != State.DRAFT:
            return row
        names = club.players.present().order_by("name_key").values_list("name", flat=True)
        register_entrants(row.pk, [Entry(name) for name in names], by, at=at)
        return move_tournament(row.pk, State.REGISTRATION, by, at=at)


def register_by_link(tournament_pk: int, entry: Entry, by: Actor, *, at: datetime) -> Entrant:
    """Register oneself while registration is open; it never creates a house player.

    Idempotent: a player who takes part already gets the existing entrant.

    Raises: EntrantsRefused, TooMany, WrongState.
    """
    with transaction.atomic():
        tournament = lock_tournament(tournament_pk)
        if not can_register(tournament, at):
            raise WrongState(tournament.state)
        existing = _existing_entrant(tournament, entry)
        if existing is not None:
            return existing
        try:
            return register_entrants(tournament_pk, [replace(entry, house=False)], by, at=at)[0]
        except EntrantsRefused as refused:
            for fault in refused.faults:
                fault.where = fault.where.rpartition(".")[2]
            raise


def withdraw_entrant(entrant_pk: int, by: Actor, *, at: datetime) -> Entrant:
    """Withdraw an entrant from all further rounds; played rounds stay. Idempotent.

    Raises: WrongState: the tournament is finished.
    """
    with transaction.atomic():
        entrant = _lock_unfinished(entrant_pk)
        if entrant.withdrawn_at is None:
            entrant.withdrawn_at = at
            _store(entrant, "withdraw-entrant", by, at)
            let_in_waiting(entrant.tournament, by, at)
    return entrant


def return_entrant(entrant_pk: int, by: Actor, *, at: datetime, as_before: bool = False) -> Entrant:
    """Let a withdrawn entrant play again, from the next unseated round.

    With `as_before`, from the same round as if they had never withdrawn.

    Raises: WrongState: the tournament is finished.
    """
    with transaction.atomic():
        entrant = _lock_unfinished(entrant_pk)
        if entrant.withdrawn_at is not None:
            entrant.waiting = entrant.waiting or places_left(entrant.tournament) == 0
            entrant.withdrawn_at = None
            if not as_before:
                _come_back(entrant)
            _store(entrant, "return-entrant", by, at)
    return entrant


def _come_back(entrant: Entrant) -> None:
    players = [player.pk for player in entrant.players]
    entrant.joins_in = _first_round(players, *_busy(entrant.tournament))
    if entrant.tournament.state == State.RUNNING:
        entrant.checked_in = entrant.joins_in


def let_in(entrant_pk: int, by: Actor, *, at: datetime) -> Entrant:
    """Let in somebody from the waiting list, even where there is no place. Idempotent.

    Raises: WrongState: the tournament is finished.
    """
    with transaction.atomic():
        entrant = _lock_unfinished(entrant_pk)
        if entrant.waiting:
            entrant.waiting = False
            _come_back(entrant)
            _store(entrant, "let-in", by, at)
    return entrant


def remove_entrant(entrant_pk: int, by: Actor, *, at: datetime) -> None:
    """Delete an entrant who was never seated. Idempotent.

    Raises: Depended: the entrant was seated, and can only withdraw.
    """
    with transaction.atomic():
        try:
            entrant = lock_entrant(entrant_pk)
        except Entrant.DoesNotExist:
            return
        tournament = entrant.tournament
        seatings = tournament.event.rounds.exclude(seating=None).values_list("seating", flat=True)
        if entrant.sittings.exists() or any(
            entrant.key in names
            for seating in filter(None, seatings)
            for names in (*seating["tables"], seating["byes"])
        ):
            raise Depended(sentence=_("They were seated already: they can withdraw."))
        note(tournament, "remove-entrant", by, at, before={"entrants": [entrant.key]})
        entrant.delete()
        let_in_waiting(tournament, by, at)
        touch(tournament)


def change_entrant(  # noqa: PLR0913 - what an entrant has beside players
    entrant_pk: int,
    team: str,
    represents: str,
    by: Actor,
    *,
    at: datetime,
    preferred_table: int | None,
) -> None:
    """Set the team of an entrant, the club they represent, and the table at which they always sit.

    Raises: NoLabel: one of the names is not valid.
    """
    with transaction.atomic():
        entrant = lock_entrant(entrant_pk)
        before: dict[str, Any] = {"team": entrant.team, "represents": entrant.represents}
        new: dict[str, Any] = {"team": clean_label(team), "represents": clean_label(represents)}
        for field, label in new.items():
            if fold_name(label) != fold_name(before[field]):
                new[field] = spellings(entrant.tournament, field).get(fold_name(label), label)
        if preferred_table != entrant.preferred_table:
            before["preferred_table"] = entrant.preferred_table
            new["preferred_table"] = preferred_table
        if new != before:
            for field, value in new.items():
                setattr(entrant, field, value)
            _store(entrant, "change-entrant", by, at, before=before, **new)


def mark_house(entrant_pk: int, by: Actor, *, at: datetime, house: bool) -> Entrant:
    """Set whether an entrant is a house player, whose results do not count.

    Raises: WrongState: the tournament is finished, and its standings are final.
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
    """Note whether an entrant is present for round `number` (the next to be seated).

    Raises: WrongState, Entrant.DoesNotExist.
    """
    with transaction.atomic():
        entrant = lock_entrant(entrant_pk)
        if entrant.tournament.state not in (State.REGISTRATION, State.RUNNING):
            raise WrongState(entrant.tournament.state, _("Nobody can be checked in now."))
        if here and entrant.checked_in and settings_of(entrant.tournament).check_in == "once":
            return entrant
        checked_in = (number or next_round(entrant.tournament)) if here else 0
        if entrant.checked_in != checked_in:
            entrant.checked_in = checked_in
            _store(entrant, "check-in" if here else "check-out", by, at)
    return entrant


def check_in_all(tournament_pk: int, by: Actor, *, at: datetime, undo: Collection[int] = ()) -> int:
    """Note that all who can be seated in the next round are present; return how many are new.

    With the numbers to `undo`, note that these are not. Idempotent.

    Raises: WrongState: the tournament is not yet in registration, or is finished.
    """
    with transaction.atomic():
        tournament = lock_tournament(tournament_pk)
        if tournament.state not in (State.REGISTRATION, State.RUNNING):
            raise WrongState(tournament.state, _("Nobody can be checked in now."))
        number = next_round(tournament)
        round_number = 1 if settings_of(tournament).check_in == "once" else number
        rows = tournament.entrants.playing().competing().filter(joins_in__lte=number)
        if undo:
            changed = list(tournament.entrants.filter(number__in=undo, checked_in__gt=0))
        else:
            changed = list(rows.filter(checked_in__lt=round_number))
        for entrant in changed:
            entrant.checked_in = 0 if undo else number
        Entrant.objects.bulk_update(changed, ["checked_in"])
        _note_all(tournament, "check-out" if undo else "check-in", changed, by, at)
    return len(changed)


def _note_all(
    tournament: Tournament, action: str, changed: Sequence[Entrant], by: Actor, at: datetime
) -> None:
    if changed:
        touch(tournament)
        note(tournament, action, by, at, after={"entrants": [each.key for each in changed]})


def lock_entrant(pk: int) -> Entrant:
    tournament = lock_tournament(Entrant.objects.values_list("tournament_id", flat=True).get(pk=pk))
    entrant = Entrant.objects.select_related("player", "partner").get(pk=pk)
    entrant.tournament = tournament
    return entrant


def _lock_unfinished(pk: int) -> Entrant:
    entrant = lock_entrant(pk)
    if entrant.tournament.state == State.FINISHED:
        sentence = _("The tournament is finished: its standings stay as they are.")
        raise WrongState(entrant.tournament.state, sentence)
    return entrant


def _store(
    entrant: Entrant, action: str, by: Actor, at: datetime, before: Any = None, **after: Any
) -> None:
    entrant.save(update_fields=CHANGED_FIELDS)
    touch(entrant.tournament)
    details = {"entrants": [entrant.key], **after}
    note(entrant.tournament, action, by, at, before=before, after=details)


def _existing_entrant(tournament: Tournament, entry: Entry) -> Entrant | None:
    names = [entry.name, entry.partner] if is_for_pairs(tournament) else [entry.name]
    players = [find_player(tournament.event.club, name.replace("\0", "")) for name in names]
    if None in players:
        return None
    playing = tournament.entrants.filter(withdrawn_at=None).select_related("player", "partner")
    found = (
        playing.filter(player__in=players).first() or playing.filter(partner__in=players).first()
    )
    return found if found is not None and set(found.players) == set(players) else None


def _add(
    tournament: Tournament, entries: Sequence[Entry], by: Actor, at: datetime
) -> list[Entrant]:
    previews = preview_entries(tournament, entries)
    problems = {line: each.problem for line, each in enumerate(previews) if each.problem}
    if problems:
        raise EntrantsRefused(problems)
    first = (tournament.entrants.aggregate(last=Max("number"))["last"] or 0) + 1
    busy, room = _busy(tournament), places_left(tournament)
    names = [each for entry in previews for each in entry.players if isinstance(each, str)]
    new = dict(zip(names, add_all(tournament.event.club, names, by, at=at), strict=True))
    added = []
    for number, (entry, each) in enumerate(zip(entries, previews, strict=True), first):
        players = [new[player] if isinstance(player, str) else player for player in each.players]
        joins_in = _first_round([player.pk for player in players], *busy)
        row = Entrant(
            tournament=tournament,
            number=number,
            player=players[0],
            partner=players[1] if len(players) == 2 else None,
            team=each.team,
            represents=each.represents,
            section=entry.section,
            house=entry.house,
            waiting=not entry.house and room == 0,
            joins_in=joins_in,
            # While it runs only directors add entrants, and those stand before them.
            checked_in=joins_in if tournament.state == State.RUNNING else 0,
            registered_at=at,
        )
        added.append(row)
        if room and not entry.house:
            room -= 1
    return Entrant.objects.bulk_create(added)


def _busy(tournament: Tournament) -> tuple[int, dict[int, int]]:
    begins = next_round(tournament)
    rows = Substitute.objects.filter(entrant__tournament=tournament, round_number__gte=begins)
    return begins, dict(rows.order_by("round_number").values_list("player_id", "round_number"))


def _first_round(players: Sequence[int], begins: int, busy: Mapping[int, int]) -> int:
    """Return the first round for which players can be seated who may be substitutes until then."""
    return max(begins, *(busy.get(player, 0) + 1 for player in players))


def mark_paid(
    tournament_pk: int,
    numbers: Collection[int] | None,
    by: Actor,
    *,
    at: datetime,
    paid: bool = True,
) -> None:
    """Note whether entrants have paid, also after the end. Idempotent.

    Without numbers: all who play, but house players.
    """
    with transaction.atomic():
        tournament = lock_tournament(tournament_pk)
        rows = tournament.entrants.exclude(paid=paid).order_by("number")
        some = rows.playing().competing() if numbers is None else rows.filter(number__in=numbers)
        changed = list(some)
        for entrant in changed:
            entrant.paid = paid
        Entrant.objects.bulk_update(changed, ["paid"])
        _note_all(tournament, "fee-paid" if paid else "fee-not-paid", changed, by, at)
