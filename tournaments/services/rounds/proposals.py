"""What goes into a seating: house players, line-ups, and the proposals of the engine."""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, astuple, dataclass, replace
from datetime import datetime
from fractions import Fraction
from itertools import count
from typing import Any

from django.db import transaction
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tournaments.engine.documents.verify import (
    Json,
    Kept,
    take,
    taken_of,
    write_alternatives,
    write_draw,
)
from tournaments.engine.pairing import judging
from tournaments.engine.pairing.field import ImpossibleFixed, PairingField, Weights
from tournaments.engine.pairing.judging import InvalidSeating, Seating, SeatingFault, judge
from tournaments.engine.pairing.methods import (
    METHODS,
    ImpossibleChange,
    NoRoundRobin,
    Scale,
    draw_alternatives,
    number_tables,
    schedule,
    seat_rest,
    seat_round,
)
from tournaments.engine.rules.entries import write_points
from tournaments.engine.rules.rulesets import InvalidEntry
from tournaments.engine.rules.rulesets import number_of as rulesets_number_of
from tournaments.engine.standings.standings import FinalStage
from tournaments.engine.standings.tournament_settings import DRAWN_AT_ONCE
from tournaments.models import Draw, Entrant, Round, Tournament
from tournaments.models.games import digest
from tournaments.models.people import fold_name
from tournaments.queries.state import (
    SeatedRound,
    TournamentState,
    field_of,
    load_state,
    weights_of,
)
from tournaments.services.audit import Actor
from tournaments.services.base.writes import Fault, Refused
from tournaments.services.entrants.registration import Entry, is_for_pairs, register_entrants
from tournaments.services.entrants.substituting import TakesPart
from tournaments.services.tournaments.lifecycle import WrongState, lock_tournament, note, touch
from tournaments.texts.labels import Text


class FixedApart(Refused, code="impossible-fixed"):
    sentence = _("Those who are to sit together do not fit at the tables.")


class RoundRobinImpossible(Refused, code="no-round-robin", listed=True):
    sentence = _(
        "%(count)s cannot all meet each other once at tables of four: only %(sizes)s can."
        " Change “Who sits with whom” in the settings."
    )


class TableBegun(Refused, code="table-begun", listed=True):
    sentence = _("Table %(number)s has begun: nobody leaves it any more.")


class NoTableLeft(Refused, code="no-table-left"):
    sentence = _("So few are left that not one table could be filled.")


class SeatingInvalid(Refused, code="invalid-seating", status=422):
    sentence = _("This is no seating of those who are here.")


class _SeatingFault(Fault):
    def __init__(self, found: judging.SeatingFault) -> None:
        params = dict(found.params)
        if str(params.get("entrant", ""))[1:].isdecimal():
            params["entrant"] = number_of(str(params["entrant"]))
        super().__init__(params, params)


class Unseated(_SeatingFault, code="unseated"):
    sentence = _("Entrant %(entrant)s sits nowhere.")


class SeatedTwice(_SeatingFault, code="seated-twice", where="tables"):
    sentence = _("Entrant %(entrant)s sits there twice.")


class NobodyToSeat(_SeatingFault, code="unknown-entrant", where="tables"):
    sentence = _("Entrant %(entrant)s is not there.")


class OddTable(_SeatingFault, code="odd-table"):
    sentence = _("A table has %(expected)s entrants, not %(got)s.")

    def __init__(self, found: judging.SeatingFault) -> None:
        super().__init__(found)
        self.where = f"tables.{found.params['table']}"


SEATING_FAULTS = {
    "unseated": Unseated,
    "seated-twice": SeatedTwice,
    "unknown": NobodyToSeat,
    "odd-table": OddTable,
}


@contextmanager
def engine_refusals() -> Iterator[None]:
    """Raise the refusal that corresponds to a failure of the engine."""
    try:
        yield
    except ImpossibleFixed as error:
        raise FixedApart from error
    except NoRoundRobin as error:
        sizes = list(error.sizes)
        params = {"count": error.count, "sizes": ", ".join(map(str, sizes))}
        raise RoundRobinImpossible(params, {"count": error.count, "sizes": sizes}) from error
    except ImpossibleChange as error:
        if error.code != "begun":
            raise NoTableLeft from error
        raise TableBegun({"number": error.table + 1}, {"place": error.table + 1}) from error
    except judging.InvalidSeating as error:
        faults = [SEATING_FAULTS[fault.code](fault) for fault in error.faults]
        raise SeatingInvalid(faults=faults) from error


def number_of(key: str) -> int:
    return int(key[1:])


def key_of(number: int) -> str:
    return f"e{number}"


def with_house_players(
    state: TournamentState, number: int, by: Actor, *, at: datetime
) -> TournamentState:
    """Return the state with as many house players as fill the tables of round `number`.

    The tournament must be locked. The finals have none, and in a section they never outnumber the
    others. None are added for those that a director has withdrawn.
    """
    if state.settings.odd != "house" or number > state.settings.rounds:
        return state
    here = Counter(state.section_of(each) for each in state.here(number) if not each.house)
    missing = {
        section: wanted - house_registered(state, section)
        for section in state.sections
        for wanted in [state.house_wanted(here[section], 0, state.rules.side_count - 1)]
        if wanted < here[section]
    }
    return add_house_players(state, missing, by, at=at)


def house_registered(state: TournamentState, section: str) -> int:
    """Return the number of house players of a section, also of those not here."""
    return sum(
        entrant.house and state.section_of(entrant) == section
        for entrant in state.entrants.values()
    )


def add_house_players(
    state: TournamentState, missing: Mapping[str, int], by: Actor, *, at: datetime
) -> TournamentState:
    """Register so many house players in each section, and return the state with them."""
    sections = [section for section, number in missing.items() for _each in range(number)]
    if not sections:
        return state
    tournament = state.tournament
    taken = {fold_name(p.name) for entrant in state.entrants.values() for p in entrant.players}
    names = (gettext("House player %(number)s") % {"number": number} for number in count(1))
    free = (name for name in names if fold_name(name) not in taken)
    pairs = is_for_pairs(tournament)
    entries = [
        Entry(next(free), partner=next(free) if pairs else "", house=True, section=section)
        for section in sections
    ]
    register_entrants(tournament.pk, entries, by, at=at)
    # It was locked and saved once more as another object.
    tournament.refresh_from_db(fields=["revision"])
    return load_state(tournament)


class LineUpFull(Refused, code="line-up-full"):
    sentence = _("%(team)s has %(number)s players in this round already: take one out first.")


class NotOfTeam(Refused, code="not-of-team"):
    sentence = _("%(name)s is not of the team %(team)s.")

    def __init__(self, entrant: Entrant, team: str) -> None:
        super().__init__({"name": entrant.shown_name, "team": team}, {"entrant": entrant.number})


class NoSuchMember(Refused, code="unknown-entrant"):
    sentence = _("There is no such team or entrant any more.")


class NoTeam(Refused, code="no-team"):
    sentence = _("%(name)s is in no team: enter one first.")


class LineUpChanged(Refused, code="line-up-changed"):
    sentence = _("Another director has changed this line-up meanwhile: this is how it stands now.")


@dataclass(frozen=True, slots=True)
class LineUp:
    """Who of a team plays in round `number`, by key, in place of those who were `seen` to."""

    number: int
    team: str
    players: Sequence[str]
    seen: Sequence[str] | None = None


def put_line_up(tournament_pk: int, line_up: LineUp, by: Actor, *, at: datetime) -> None:
    """Name who of a team plays in a round that is not published yet. Idempotent.

    Raises: WrongState, NoSuchMember, NotOfTeam, LineUpFull, LineUpChanged. Nothing is written then.
    """
    with transaction.atomic():
        tournament = lock_tournament(tournament_pk)
        state = load_state(tournament)
        published = sum(seated.row.published_at is not None for seated in state.seated_rounds)
        sentence: Text = ""
        if line_up.number <= published:
            sentence = _(
                "This round is published: let a reserve take the place of a player instead."
            )
        elif not state.has_line_ups(line_up.number):
            sentence = _("There are no line-ups in this round.")
        if sentence or tournament.state == Tournament.State.FINISHED:
            raise WrongState(tournament.state, sentence)
        chosen = _members(state, line_up.team, line_up.players)
        stood = state.line_ups(line_up.number)[line_up.team]
        named = tournament.line_ups.setdefault(str(line_up.number), {})
        if chosen == stood and line_up.team in named:
            return
        if line_up.seen is not None and {*line_up.seen} != {*stood}:
            raise LineUpChanged
        named[line_up.team] = list(chosen)
        touch(tournament)
        before = {"entrants": list(stood)}
        after = {"round": line_up.number, "team": line_up.team, "entrants": list(chosen)}
        note(tournament, "put-line-up", by, at, before=before, after=after)


def check_room(state: TournamentState, number: int, seated: Collection[str]) -> None:
    """Check that no team has more players among the seated ones than its line-up.

    Raises: LineUpFull: a team has.
    """
    if state.has_line_ups(number):
        for team, members in state.teams.items():
            _members(state, team, [key for key in members if key in seated])


def _members(state: TournamentState, team: str, players: Sequence[str]) -> tuple[str, ...]:
    """Return players of a team in order of numbers.

    Raises: NoSuchMember, NotOfTeam, LineUpFull: as in `put_line_up`.
    """
    if team not in state.teams or any(key not in state.entrants for key in players):
        raise NoSuchMember
    for key in players:
        if key not in state.teams[team]:
            raise NotOfTeam(state.entrants[key], team)
    if len({*players}) > state.settings.line_up:
        raise LineUpFull({"team": team, "number": state.settings.line_up})
    return tuple(key for key in state.teams[team] if key in players)


BY_STANDINGS = ("swiss", "rank-near", "rank-spread")


class NotEnough(Refused, code="not-enough"):
    sentence = _("Too few are here to fill a table.")


class TooFewInSection(NotEnough):
    sentence = _("Too few of section %(section)s are here to fill a table: move them to another.")


class TooFewLeft(NotEnough, code="too-few-left"):
    sentence = _(
        "Too few are left for these finals. Change “Finals” in the settings while none is seated."
    )


class TooFewThrough(NotEnough, code="too-few-through"):
    sentence = _("Too few are left for this stage: let somebody return who has withdrawn.")


class RoundsLeft(Refused, code="rounds-left"):
    sentence = _("A round is still played; its results decide who sits where.")


class StageUnfinished(RoundsLeft, code="stage-unfinished"):
    sentence = _("A table of the stage before has no result yet.")


class NoRoundLeft(Refused, code="no-round-left"):
    sentence = _("All rounds have been seated.")


def needs_results(state: TournamentState, number: int) -> bool:
    """Return whether round `number` is seated by results of earlier rounds."""
    return number > state.settings.rounds or state.settings.seating in BY_STANDINGS


def check_results(state: TournamentState, number: int) -> None:
    """Check that the rounds before round `number` are closed, if it is seated by their results.

    Raises: RoundsLeft: an earlier round is not closed.
    """
    before = [seated.row for seated in state.seated_rounds if seated.row.number < number]
    if needs_results(state, number) and any(row.closed_at is None for row in before):
        raise RoundsLeft


def stage_of(state: TournamentState, number: int) -> str:
    """Return the stage name of round `number` in the finals; empty for earlier rounds."""
    further = number - state.settings.rounds
    return state.stages[further - 1] if further > 0 else ""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A seating of a round, and the document of its draw; None if nothing was drawn."""

    seating: Seating
    draw: dict[str, Any] | None = None


def draw(
    state: TournamentState, number: int, seed: int | None = None, before: Json | None = None
) -> Sequence[Proposal]:
    """Return seatings of round `number`, and of later rounds if all are drawn at once.

    With a `seed` the random draw differs from the first one. `before` is the document of the draw
    that it replaces: the alternative that a director took of it is taken again.

    Raises: NoRoundLeft, NotEnough, RoundsLeft, NoRoundRobin, ImpossibleFixed.
    """
    if number > state.settings.rounds:
        stage = next_stage(state, number)
        names = [name for table in stage.tables for name in table]
        field = field_of(state, number, [state.entrants[name] for name in names])
        return [Proposal(judge(field, stage.tables, ()))]
    method = state.settings.seating
    fields = list(_fields(state, number, seed).values())
    if method not in DRAWN_AT_ONCE:
        return [_proposal(state, number, [(field, {}) for field in fields], before)]
    sections = [schedule(field, field.rounds_left, method) for field in fields]
    proposals = []
    for at, each in enumerate(zip(*sections, strict=True)):
        drawn: list[tuple[PairingField, Kept]] = [
            (replace(field, rounds_left=field.rounds_left - at), {}) for field in fields
        ]
        seating = _joined(state, number, each)
        proposals.append(Proposal(seating, write_draw(method, number, drawn, seating)))
    return proposals


def draw_rest(
    state: TournamentState,
    number: int,
    locked: Mapping[int, Sequence[str]],
    seed: int,
    before: Json | None = None,
) -> Proposal:
    """Return the seating of round `number` with these tables fixed, by their places from 0.

    `before` is as in `draw`.

    Raises: InvalidSeating, NotEnough, ImpossibleFixed.
    """
    round_ = next(seated for seated in state.seated_rounds if seated.row.number == number)
    fields = []
    for section, field in _fields(state, number, seed).items():
        tables = enumerate(state.of_section(round_, section).tables)
        stays = {at: locked[t.number - 1] for at, t in tables if t.number - 1 in locked}
        fields.append((field, stays))
    return _proposal(state, number, fields, before)


def next_stage(state: TournamentState, number: int) -> FinalStage:
    """Return the seating of a round of the finals.

    Raises: NoRoundLeft, TooFewLeft, TooFewThrough, StageUnfinished: the stage cannot be seated yet.
    """
    try:
        stage = state.next_final(number)
    except InvalidEntry as error:
        first = number == state.settings.rounds + 1
        raise (TooFewLeft if first else TooFewThrough) from error
    except ValueError as error:
        raise StageUnfinished from error
    if stage is None:
        raise NoRoundLeft
    return stage


@dataclass(frozen=True, slots=True)
class Presence:
    """Entrants present without a seat in a proposal, and entrants seated but absent.

    `gone` are the keys of withdrawn or deleted entrants; those that still exist are in `absent`
    too. A proposal with any of them cannot be published. `not_seated` are all entrants without a
    seat, each with the reason: that of `TournamentState.absence`, or `here` for the unseated.
    `moved` are those seated in a section that they have left since.
    """

    unseated: tuple[Entrant, ...] = ()
    absent: tuple[Entrant, ...] = ()
    gone: tuple[str, ...] = ()
    not_seated: tuple[tuple[Entrant, str], ...] = ()
    moved: tuple[Entrant, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.unseated or self.absent or self.moved)


def presence_at(state: TournamentState, seated_round: SeatedRound) -> Presence:
    """Compare presence with a seated round; a final is for its qualified entrants."""
    number = seated_round.row.number
    names = dict.fromkeys(
        [*(name for t in seated_round.tables for name in t.entrants), *seated_round.byes]
    )
    gone = tuple(
        name
        for name in names
        if (name not in state.entrants or state.entrants[name].withdrawn_at is not None)
    )
    seated = [state.entrants[name] for name in names if name in state.entrants]
    if number > state.settings.rounds:
        left = tuple(each for each in seated if each.key in gone)
        through = {
            name
            for all_there in (False, True)
            for table in _tables_of_final(state, number, all_there=all_there)
            for name in table
        }
        rows = (state.entrants[name] for name in sorted(through - {*names}))
        return Presence(
            (),
            left,
            gone,
            tuple((row, "withdrawn" if row.withdrawn_at else "qualified-since") for row in rows),
        )
    here = {each.key: each for each in state.present(number)}
    # House players sit where they are needed.
    without = (each for key, each in state.entrants.items() if key not in names and not each.house)
    # A house player who is no longer needed does not count as absent.
    absent = (each for each in seated if each.key not in here)
    return Presence(
        tuple(each for key, each in here.items() if key not in names),
        tuple(each for each in absent if each.key in gone or not each.house),
        gone,
        tuple((each, state.absence(each, number) or "here") for each in without),
        tuple(
            each
            for table in seated_round.tables
            for each in (state.entrants[key] for key in table.entrants if key in state.entrants)
            if state.section_of(each) != state.section_at(table.entrants)
        ),
    )


def _tables_of_final(
    state: TournamentState, number: int, *, all_there: bool = False
) -> Sequence[Sequence[str]]:
    """Return the tables of a stage as of now; none if it cannot be seated."""
    try:
        stage = state.next_final(number, all_there=all_there)
    except (InvalidEntry, ValueError):
        return ()
    return () if stage is None else stage.tables


def digest_drawn_from(state: TournamentState, number: int) -> str:
    """Return the digest of what a seating of round `number` is drawn from.

    Of a final, that is who plays at which table; of another round the settings of the draw, and
    points and seats so far if results decide. `presence_at` compares who is here.
    """
    settings = state.settings
    if number > settings.rounds:
        return digest(json.dumps([list(table) for table in _tables_of_final(state, number)]))
    drawn: list[Any] = [settings.seating, settings.rounds, astuple(weights_of(settings))]
    drawn += [settings.separate_clubs, settings.score_before_seats]
    wishes = [(e.key, e.preferred_table) for e in state.entrants.values() if e.preferred_table]
    drawn += [wishes] if wishes else []
    if needs_results(state, number):
        standings = state.standings_before(number)
        points = {row.entrant: write_points(row.points) for row in standings if row.points}
        before = [seated for seated in state.seated_rounds if seated.row.number < number]
        seats = [[[table.entrants for table in each.tables], each.byes] for each in before]
        drawn += [sorted(points.items()), seats]
    return digest(json.dumps(drawn))


@dataclass(frozen=True, slots=True)
class Outdated:
    """A proposal whose results or settings have changed since it was drawn.

    `digest` is that of now. `elsewhere` would sit with others, or out, if it were drawn now.
    """

    digest: str
    is_final: bool
    elsewhere: tuple[Entrant, ...]


def outdated_at(state: TournamentState, seated_round: SeatedRound) -> Outdated | None:
    """Compare a proposal with what it would be drawn from now; None if that is the same.

    If it differs, the round is drawn again, which takes as long as seating it.
    """
    row = seated_round.row
    if row.published_at is not None or not row.drawn_from:
        return None
    now = digest_drawn_from(state, row.number)
    if row.drawn_from == now:
        return None
    document = Draw.objects.filter(round=row).values_list("document", flat=True).first()
    drawn = document["tables"] if document else [table.entrants for table in seated_round.tables]
    seed = state.tournament.seed if document is None else document["seed"]
    locked = locked_tables(row, (row.seating or {}).get("locked", ()))
    tables: Sequence[Sequence[str]]
    try:
        if row.number > state.settings.rounds:
            tables = _tables_of_final(state, row.number)
        elif locked:
            tables = draw_rest(state, row.number, locked, seed, document).seating.tables
        else:
            tables = draw(state, row.number, seed, document)[0].seating.tables
    except (Refused, ImpossibleFixed, NoRoundRobin, InvalidSeating):
        return Outdated(now, bool(row.stage), ())
    before, after = _mates(drawn), _mates(tables)
    moved = (key for key in state.entrants if before.get(key) != after.get(key))
    return Outdated(now, bool(row.stage), tuple(state.entrants[key] for key in moved))


def _mates(tables: Iterable[Sequence[str]]) -> dict[str, frozenset[str]]:
    return {key: frozenset(table) for table in tables for key in table}


def take_in(state: TournamentState, number: int, names: Collection[str]) -> None:
    """Count entrants as here from round `number` on, by key, also if they had withdrawn.

    The tournament must be saved after, for its line-ups.

    Raises: InvalidSeating, TakesPart, NoTeam, LineUpFull.
    """
    unknown = [name for name in names if name not in state.entrants]
    if unknown:
        raise InvalidSeating(SeatingFault("unknown", {"entrant": name}) for name in unknown)
    busy = {player.pk for (_, in_round, _), player in state.stand_ins.items() if in_round == number}
    rows = [state.entrants[name] for name in names]
    for row in rows:
        for player in row.players:
            if player.pk in busy:
                raise TakesPart(player)
        row.withdrawn_at = None
        row.come_in(number)
    if state.has_line_ups(number):
        # In their teams they join those who play in the round.
        named = state.tournament.line_ups.setdefault(str(number), {})
        for row in rows:
            if row.house:
                continue
            if row.team not in state.teams:
                raise NoTeam({"name": row.shown_name}, {"entrant": row.number})
            line_up = state.line_ups(number)[row.team]
            if row.key not in line_up:
                players = [*named.get(row.team, line_up), row.key]
                named[row.team] = list(_members(state, row.team, players))
    Entrant.objects.bulk_update(rows, ["joins_in", "checked_in", "withdrawn_at"])


def document_of(
    seating: Seating, locked: Sequence[int] = (), left: Sequence[str] = ()
) -> dict[str, Any]:
    """Return a seating as stored with a round; `left` were taken out of it."""
    return {
        "tables": [list(table) for table in seating.tables],
        "byes": list(seating.byes),
        "locked": sorted(locked),
        **({"left": list(left)} if left else {}),
    }


def left_before(round_: Round) -> Sequence[str]:
    """Return who had been taken out of a round when its seating was taken back, by key."""
    left: Sequence[str] = (round_.seating or {}).get("left", ())
    return left


def locked_tables(round_: Round, locked: Sequence[int]) -> dict[int, list[str]]:
    """Return the locked tables of a seated round, by their places from 0."""
    tables = (round_.seating or {"tables": []})["tables"]
    return {number: tables[number] for number in locked if number < len(tables)}


def alternatives_of(state: TournamentState, round_: Round) -> dict[str, Any] | None:
    """Return what a proposal was taken from, if there is a choice (1 query).

    Each of those `offered` is known by its number, from 1, and the seed of its draw. `is_nearest`
    says that no seating is nearer, `as_by_lot` that one by lot is hardly wider. `moved` says that
    another stands first than the settings ask for, which would be as by lot. `fewest_repeats` is
    how the proposal would be with as few as possible, if it has more.
    """
    if round_.published_at is not None:
        return None
    document = Draw.objects.filter(round=round_).values_list("document", flat=True).first() or {}
    fewest = document.get("fewest_repeats")
    if fewest is not None:
        fewest = {**fewest, "score_spread": rulesets_number_of(fewest["score_spread"]) or 0}
    offered: list[dict[str, Any]] = []
    found = {"offered": offered, "moved": False, "fewest_repeats": fewest}
    listed = document.get("alternatives")
    if listed is None:
        # Draws of before have no more than that.
        return found | {"spread_by_lot": 0, "spread_nearest": 0} if fewest else None
    by_lot, nearest = (Fraction(rulesets_number_of(listed[each]) or 0) for each in SCALE)
    scale = Scale(by_lot, nearest)
    unchanged = document["tables"] == (round_.seating or {}).get("tables")
    taken = taken_of(document) if unchanged else None
    for at, each in enumerate(listed["offered"]):
        spread = Fraction(rulesets_number_of(each["score_spread"]) or 0)
        offered.append(
            {
                "number": at + 1,
                **{name: each[name] for name in ("seed", "repeat_meetings")},
                "score_spread": spread,
                "is_nearest": spread <= nearest,
                "as_by_lot": scale.is_as_by_lot(spread),
                "taken": at == taken,
            }
        )
    moved = asdict(weights_of(state.settings)) in [
        each["weights"] for each in listed["offered"][1:]
    ]
    return found | {"moved": moved, "spread_by_lot": by_lot, "spread_nearest": nearest}


SCALE = ("by_lot", "nearest")


def _fields(state: TournamentState, number: int, seed: int | None) -> dict[str, PairingField]:
    """Return the entrants present, by section; refuses if they are too few for a table."""
    fields, before = {}, 0
    for section in state.sections:
        present = state.present(number, section)
        if present and len(present) < state.rules.side_count and section:
            raise TooFewInSection({"section": section}, {"section": section})
        field = field_of(state, number, present)
        if before:
            # The tables of a section are numbered after those of the sections before.
            entrants = (replace(e, table=max(0, e.table - before)) for e in field.entrants)
            field = replace(field, entrants=tuple(entrants))
        before += len(present) // state.rules.side_count
        fields[section] = field if seed is None else replace(field, seed=seed)
    found = {section: field for section, field in fields.items() if field.entrants}
    if sum(len(field.entrants) for field in found.values()) < state.rules.side_count:
        raise NotEnough
    return found


def _proposal(
    state: TournamentState,
    number: int,
    fields: Sequence[tuple[PairingField, Kept]],
    before: Json | None,
) -> Proposal:
    method = state.settings.seating

    def seated(weights: Weights) -> Seating:
        sections = []
        for field, locked in fields:
            weighed = replace(field, weights=weights)
            if method not in METHODS:
                sections.append(_in_order(weighed, locked))
            elif locked:
                sections.append(seat_rest(weighed, method, locked))
            else:
                sections.append(seat_round(weighed, method))
        return _joined(state, number, sections)

    if method != "swiss":
        seating = seated(weights_of(state.settings))
        drawn = write_draw(method, number, fields, seating) if method in METHODS else None
        return Proposal(seating, drawn)
    scale, found = draw_alternatives(
        [field for field, _locked in fields],
        seated,
        forbids_repeats=state.settings.objective == "no-repeats",
    )
    seed = fields[0][0].seed
    drawn = write_draw(method, number, fields, found[0].seating)
    drawn["alternatives"] = write_alternatives(scale, found, seed)
    offered, at = drawn["alternatives"]["offered"], 0
    if before is not None and "alternatives" in before:
        stood, taken = before["alternatives"]["offered"], taken_of(before)
        weights = [each["weights"] for each in stood]
        if taken and asdict(weights_of(state.settings)) in weights:
            # The settings are as they were, and a director wanted another.
            at = next((n for n, each in enumerate(offered) if each["weights"] == weights[taken]), 0)
        fewest = min(stood, key=_repeats_of)
        if before["sections"] == drawn["sections"] and all(
            _repeats_of(fewest) < _repeats_of(each) for each in offered
        ):
            # Chance has found more repeats of the same people than it did before.
            offered.append(fewest)
    seating = found[at].seating
    return Proposal(seating, take(drawn, at) | {"tables": [list(t) for t in seating.tables]})


def _repeats_of(offered: Json) -> int:
    return int(offered["repeat_meetings"])


def _joined(state: TournamentState, number: int, sections: Sequence[Seating]) -> Seating:
    if len(sections) == 1:
        return sections[0]
    tables = [table for section in sections for table in section.tables]
    byes = [key for each in sections for key in each.byes]
    return judge(field_of(state, number, state.present(number)), tables, byes)


def _in_order(field: PairingField, locked: Mapping[int, Sequence[str]]) -> Seating:
    """Seat everybody without a locked table, in order of numbers; the last of equals sit out.

    Manual seating begins like this.
    """
    staying = {name for table in locked.values() for name in table}
    names = [name for name in field.index if name not in staying]
    places = sorted(
        (field.index[name] for name in names), key=lambda at: (*field.bye_turn(at)[:3], -at)
    )
    byes = {field.entrants[at].id for at in places[: len(names) % field.table_size]}
    seated = [name for name in names if name not in byes]
    size = field.table_size
    tables = [seated[at : at + size] for at in range(0, len(seated), size)]
    numbered = number_tables(field, tables, locked)
    return judge(field, numbered, [name for name in names if name in byes])
