"""Seat a round, change its seating, publish it, and take it back."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Any

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from tournaments.engine.documents.verify import redraw, take
from tournaments.engine.pairing.field import PairingField
from tournaments.engine.pairing.judging import Seating, judge
from tournaments.engine.pairing.neighbours import Apart, apart_from_neighbours
from tournaments.models import (
    Draw,
    Entrant,
    Game,
    Player,
    Round,
    Seat,
    Sitting,
    Table,
    Tournament,
    UnusedCard,
)
from tournaments.models.events import TableQuerySet
from tournaments.queries.sheets import load_sheets
from tournaments.queries.state import SeatedRound, TournamentState, field_of, load_state
from tournaments.services.audit import Actor
from tournaments.services.base.writes import Fault, Refused, wake_notifications
from tournaments.services.events.events import lock_round, lock_tables_of
from tournaments.services.games.playing import delete_locked
from tournaments.services.people.players import lock_people, names_at_table
from tournaments.services.rounds.proposals import (
    NoRoundLeft,
    Outdated,
    Proposal,
    check_results,
    digest_drawn_from,
    document_of,
    draw,
    draw_rest,
    engine_refusals,
    left_before,
    locked_tables,
    needs_results,
    number_of,
    presence_at,
    stage_of,
    take_in,
    with_house_players,
)
from tournaments.services.tournaments.lifecycle import (
    Depended,
    WrongState,
    lock_tournament,
    note,
    touch,
)

State = Tournament.State

CARD = ("public_id", "generation", "wrong_codes")
"""The fields of a table from which its card derives."""


class HasLeft(Fault, code="has-left"):
    sentence = _("Somebody of this seating has withdrawn: seat again.")


class SeatingOutdated(Refused, code="seating-outdated"):
    sentence = _("Somebody of this seating has withdrawn: seat again.")


class ResultsChanged(Fault, code="results-changed"):
    sentence = _("Results, rulings or settings have changed since this seating was drawn.")


class DrawnFromOthers(SeatingOutdated):
    """Refuses a proposal that was drawn from other results or settings than those of now."""

    sentence = _(
        "Results or settings have changed since this was drawn: look who would sit elsewhere."
    )

    def __init__(self, outdated: Outdated) -> None:
        Refused.__init__(self, faults=[ResultsChanged(data={"digest": outdated.digest})])
        if outdated.is_final:
            self.sentence = _("The standings have changed since this final was seated: seat again.")


class NotWhoIsHere(Refused, code="not-who-is-here"):
    sentence = _("Look who is here: the seating is not of them.")


class SeatingMoved(Refused, code="seating-moved"):
    sentence = _("The seating has changed meanwhile: look at it once more.")


class AcrossSections(Refused, code="across-sections"):
    sentence = _("They play in different sections: move one of them to the other section first.")


@engine_refusals()
def seat_next_round(tournament_pk: int, by: Actor, *, at: datetime) -> Round:
    """Propose a seating of the next round; an existing proposal is returned.

    A schedule for the whole evening seats all remaining rounds.

    Raises: WrongState, NoRoundLeft, RoundsLeft, NotEnough, NoRoundRobin. Nothing is written then.
    """
    with transaction.atomic():
        tournament = lock_tournament(tournament_pk)
        if tournament.state != State.RUNNING:
            raise WrongState(tournament.state)
        seated = tournament.event.rounds.filter(published_at=None).order_by("number").first()
        if seated is not None:
            return seated
        state = load_state(tournament)
        number = len(state.seated_rounds) + 1
        if number > state.settings.rounds + len(state.stages):
            raise NoRoundLeft
        check_results(state, number)
        state = with_house_players(state, number, by, at=at)
        rounds = _put_proposals(state, number, draw(state, number))
        touch(tournament)
        numbers = [round_.number for round_ in rounds]
        note(tournament, "seat-round", by, at, after={"round": number, "rounds": numbers})
    return rounds[0]


def unseat_round(round_pk: int, by: Actor, *, at: datetime) -> None:
    """Delete an unpublished seating, and those of later rounds. Idempotent.

    Raises: WrongState: the round is published.
    """
    with transaction.atomic():
        found = Round.objects.filter(pk=round_pk).values_list("event__tournament", flat=True)
        if not found:
            return
        tournament = lock_tournament(found[0])
        round_ = Round.objects.filter(pk=round_pk).first()
        if round_ is None:
            return
        if round_.published_at is not None:
            raise WrongState(round_.state)
        note(tournament, "unseat-round", by, at, before={"round": round_.number})
        tournament.event.rounds.filter(number__gte=round_.number).delete()
        touch(tournament)


@dataclass(frozen=True, slots=True)
class SeatingDraft:
    """A seating edited by a director: keys of entrants; `locked` are tables, from 0."""

    tables: Sequence[Sequence[str]]
    byes: Sequence[str] = ()
    locked: Sequence[int] = ()


@engine_refusals()
def put_seating(round_pk: int, draft: SeatingDraft, by: Actor, *, at: datetime) -> Round:
    """Store a seating edited by a director.

    Raises: WrongState, InvalidSeating, AcrossSections.
    """
    with transaction.atomic():
        tournament, round_ = lock_seated(round_pk)
        state = load_state(tournament)
        field = field_seated(state, round_)
        judged = judge(field, draft.tables, draft.byes)
        stood = [set(table) for table in (round_.seating or {"tables": []})["tables"]]
        for table in judged.tables:
            # House players may sit in any section.
            rows = [state.entrants[key] for key in table if not state.entrants[key].house]
            if {*table} not in stood and len({*map(state.section_of, rows)}) > 1:
                raise AcrossSections
        before = round_.seating
        round_.seating = document_of(judged, draft.locked, left_before(round_))
        if before != round_.seating:
            round_.save(update_fields=["seating"])
            touch(tournament)
            details = {"before": {"seating": before}, "after": {"round": round_.number}}
            note(tournament, "change-seating", by, at, **details)
    return round_


def field_seated(state: TournamentState, round_: Round) -> PairingField:
    """Return the field of a seated round, including entrants who have left since."""
    seating = round_.seating or {"tables": [], "byes": []}
    named = [name for names in [*seating["tables"], seating["byes"]] for name in names]
    return field_of(state, round_.number, [state.entrants[name] for name in named])


def sections_seated(
    state: TournamentState, seated: SeatedRound
) -> Iterator[tuple[PairingField, Seating]]:
    """Yield the field and the seating of each section of a round.

    Raises: InvalidSeating: somebody of it is not there any more.
    """
    for section in state.sections:
        here = state.of_section(seated, section)
        if here.names:
            who = [row for key, row in state.entrants.items() if key in here.names]
            field = field_of(state, seated.row.number, who)
            yield field, judge(field, [table.entrants for table in here.tables], here.byes)


def apart_in(
    state: TournamentState, round_: Round, sections: Iterable[tuple[PairingField, Seating]]
) -> dict[str, tuple[Apart, ...]]:
    """Return, by key, which neighbours in the standings sit elsewhere in a proposal by scores."""
    if state.settings.seating != "swiss" or round_.stage:
        return {}
    tables = locked_tables(round_, (round_.seating or {}).get("locked", ()))
    locked = {key for table in tables.values() for key in table}
    found: dict[str, tuple[Apart, ...]] = {}
    for field, seating in sections:
        found |= apart_from_neighbours(field, seating, locked)
    return found


@engine_refusals()
def seat_again(
    round_pk: int,
    locked: Sequence[int],
    by: Actor,
    *,
    at: datetime,
    taking_in: Collection[str] = (),
) -> Round:
    """Seat all entrants present again, except the tables in `locked`, from 0.

    With no table locked, a schedule for the whole evening is drawn anew from this round on. A
    final is for the currently qualified entrants, whatever is locked. Entrants in `taking_in`, by
    key, count as present from now on; if a director seats by hand, all tables stay then.

    Raises: WrongState, InvalidSeating, TakesPart, LineUpFull, NoRoundLeft, RoundsLeft, NotEnough,
    NoRoundRobin.
    """
    with transaction.atomic():
        tournament, round_ = lock_seated(round_pk)
        state = load_state(tournament)
        if taking_in:
            take_in(state, round_.number, taking_in)
            if state.settings.seating == "manual":
                locked = range(len((round_.seating or {"tables": []})["tables"]))
        state = with_house_players(state, round_.number, by, at=at)
        locked_now = {} if round_.stage else locked_tables(round_, locked)
        # The next try has another random draw, but can be reproduced too.
        seed = tournament.seed + tournament.revision
        stood = Draw.objects.filter(round=round_).values_list("document", flat=True).first()
        check_results(state, round_.number)
        if locked_now:
            drawn: Sequence[Proposal] = [draw_rest(state, round_.number, locked_now, seed, stood)]
        else:
            drawn = draw(state, round_.number, seed, stood)
        rounds = _put_proposals(state, round_.number, drawn, locked_now, left_before(round_))
        touch(tournament)
        numbers = [each.number for each in rounds]
        details: dict[str, Any] = {"round": round_.number, "rounds": numbers}
        if taking_in:
            details["arriving"] = sorted(taking_in)
        note(tournament, "seat-again", by, at, after=details)
        round_.refresh_from_db(fields=["seating", "stage"])
    return round_


@engine_refusals()
def take_alternative(round_pk: int, number: int, seed: int, by: Actor, *, at: datetime) -> Round:
    """Seat a proposal as one of its alternatives, by number from 1 and seed. Idempotent.

    Raises: WrongState, SeatingMoved: the round was drawn again since they were seen.
    """
    with transaction.atomic():
        tournament, round_ = lock_seated(round_pk)
        draw_ = Draw.objects.filter(round=round_).first()
        offered = draw_.document.get("alternatives", {}).get("offered", ()) if draw_ else ()
        if draw_ is None or [each["seed"] for each in offered][number - 1 : number] != [seed]:
            raise SeatingMoved
        document = take(draw_.document, number - 1)
        state, before = load_state(tournament), round_.seating or {}
        played = [each.seats for each in state.seated_rounds if each.row.number < round_.number]
        tables, byes = redraw(document, played)
        document |= {"tables": [list(table) for table in tables], "byes": byes}
        locked = [each["entrants"] for section in document["sections"] for each in section["kept"]]
        places = [place for place, table in enumerate(document["tables"]) if table in locked]
        round_.seating = before | {
            **{name: document[name] for name in ("tables", "byes")},
            "locked": places,
        }
        if (round_.seating, document) == (before, draw_.document):
            return round_
        round_.save(update_fields=["seating"])
        draw_.document = document
        draw_.save(update_fields=["document"])
        touch(tournament)
        after = {"round": round_.number, "alternative": number}
        note(tournament, "take-alternative", by, at, after=after)
    return round_


def _put_proposals(
    state: TournamentState,
    number: int,
    proposals: Sequence[Proposal],
    locked: Mapping[int, Sequence[str]] = MappingProxyType({}),
    left: Sequence[str] = (),
) -> list[Round]:
    """Store proposals of a round and of later ones; none is published.

    The tables in `locked` stay locked in the first one, and `left` were taken out of it.
    """
    rounds = []
    for further, proposal in enumerate(proposals):
        tables = proposal.seating.tables
        stays = [at for at, table in enumerate(tables) if list(table) in locked.values()]
        seating = document_of(proposal.seating, stays, () if further else left)
        round_, _created = Round.objects.update_or_create(
            event=state.tournament.event,
            number=number + further,
            defaults={
                "seating": seating,
                "stage": stage_of(state, number + further),
                "drawn_from": digest_drawn_from(state, number + further),
            },
        )
        Draw.objects.filter(round=round_).delete()
        if proposal.draw is not None:
            Draw.objects.create(round=round_, document=proposal.draw)
        rounds.append(round_)
    return rounds


def unseat_dependants(tournament: Tournament, round_: Round, by: Actor, *, at: datetime) -> None:
    """Delete proposals that depend on results of a round. The tournament must be locked."""
    state = load_state(tournament)
    for seated in state.seated_rounds:
        row = seated.row
        depends = row.number > round_.number and needs_results(state, row.number)
        if depends and row.published_at is None:
            note(tournament, "unseat-round", by, at, before={"round": row.number})
            row.delete()


def lock_seated(round_pk: int) -> tuple[Tournament, Round]:
    """Lock and return an unpublished round, with its tournament.

    Raises: WrongState: the round is published.
    """
    tournament, round_ = lock_drawn(round_pk)
    if round_.published_at is not None:
        raise WrongState(round_.state)
    return tournament, round_


def lock_published(round_pk: int) -> tuple[Tournament, Round, TournamentState]:
    """Lock a published round that is not closed, with its tournament, people and tables.

    Writers lock the row of the game: no table begins or goes on during the change.

    Raises: WrongState: it is not published, or closed.
    """
    tournament, round_ = lock_drawn(round_pk)
    if round_.published_at is None or round_.closed_at is not None:
        raise WrongState(round_.state)
    lock_people(tournament.event.club_id)
    lock_tables_of(round_)
    return tournament, round_, load_state(tournament)


def lock_drawn(round_pk: int) -> tuple[Tournament, Round]:
    """Lock and return a round, with its tournament.

    Raises: Round.DoesNotExist: the seating was deleted.
    """
    tournament_pk = Round.objects.values_list("event__tournament", flat=True).get(pk=round_pk)
    tournament = lock_tournament(tournament_pk)
    round_ = lock_round(round_pk)
    round_.event = tournament.event
    return tournament, round_


def publish_round(
    round_pk: int,
    by: Actor,
    *,
    at: datetime,
    all_the_same: bool = False,
    accept_outdated: str = "",
) -> Round:
    """Create the tables and games of a seated round, visible to all. Idempotent.

    `all_the_same` publishes it even if it does not match the entrants present. `accept_outdated`
    is the digest of `Outdated` as a director saw it: publish a round, other than a final, although
    it was drawn from other results or settings.

    Raises: SeatingOutdated, DrawnFromOthers, NotWhoIsHere, RoundsLeft, WrongState.
    """
    with transaction.atomic():
        tournament, round_ = lock_drawn(round_pk)
        if round_.published_at is not None:
            return round_
        earlier = tournament.event.rounds.filter(number__lt=round_.number, published_at=None)
        if earlier.exists():
            raise WrongState(State.RUNNING)
        lock_people(tournament.event.club_id)
        state = load_state(tournament)
        check_results(state, round_.number)
        presence = presence_at(state, state.seating_of(round_))
        if presence.gone:
            gone = [HasLeft(data={"entrant": number_of(key)}) for key in presence.gone]
            raise SeatingOutdated(faults=gone)
        if presence and not all_the_same:
            moved = _("Somebody has moved to another section: seat again.")
            raise NotWhoIsHere(sentence=moved if presence.moved else "")
        _check_drawn_from(state, round_, accept_outdated)
        seating = round_.seating or {}
        lay_tables(state, round_, dict(enumerate(seating["tables"], 1)), at)
        out = [Sitting(round=round_, entrant=state.entrants[key]) for key in seating["byes"]]
        Sitting.objects.bulk_create(out)
        seated = Sitting.objects.filter(round=round_).values("entrant")
        late = tournament.entrants.filter(pk__in=seated, checked_in__lt=round_.number)
        before = {"checked_in": {f"e{n}": at for n, at in late.values_list("number", "checked_in")}}
        late.update(checked_in=round_.number)
        round_.published_at = at
        round_.save(update_fields=["published_at", "drawn_from"])
        touch(tournament)
        wake_notifications()
        note(tournament, "publish-round", by, at, before=before, after={"round": round_.number})
    return round_


def games_of(round_: Round) -> list[str]:
    games = Game.objects.filter(table__round=round_).order_by("pk")
    return list(games.values_list("public_id", flat=True))


def _check_drawn_from(state: TournamentState, round_: Round, accepted: str) -> None:
    """Check that nothing has changed since the draw, or that a director has accepted just that."""
    now = digest_drawn_from(state, round_.number)
    if round_.drawn_from in ("", now):
        return
    is_final = bool(round_.stage)
    if is_final or accepted != now:
        raise DrawnFromOthers(Outdated(now, is_final, ()))
    # Taken back, it can be published again.
    round_.drawn_from = now


def lay_tables(
    state: TournamentState, round_: Round, tables: Mapping[int, Sequence[str]], at: datetime
) -> None:
    """Create tables by number, each with its game, for entrants by key in order of sides.

    A table that was deleted gets its card back. The tournament must be locked.
    """
    unused = state.tournament.unused_cards.filter(round=round_.number, number__in=tables)
    cards = {card.number: {name: getattr(card, name) for name in CARD} for card in unused}
    unused.delete()
    rows = Table.objects.bulk_create(
        Table(round=round_, number=number, **cards.get(number, {})) for number in tables
    )
    sitting = {
        row.pk: [state.entrants[key] for key in keys]
        for row, keys in zip(rows, tables.values(), strict=True)
    }
    Sitting.objects.bulk_create(
        Sitting(round=round_, table_id=pk, side=side, entrant=entrant)
        for pk, entrants in sitting.items()
        for side, entrant in enumerate(entrants)
    )
    players = {pk: players_at(state, round_.number, entrants) for pk, entrants in sitting.items()}
    games = Game.objects.bulk_create(_game(state, pk, players[pk], at) for pk in sitting)
    Seat.objects.bulk_create(
        Seat(game=game, number=number, player=player)
        for game in games
        for number, player in enumerate(players[game.table_id or 0])
    )


def clear_tables(tournament: Tournament, tables: TableQuerySet) -> None:
    """Delete tables with their games; the cards stay with their rounds and numbers.

    The tournament must be locked.
    """
    rows = list(tables.select_related("round"))
    pks = [table.pk for table in rows]
    UnusedCard.objects.bulk_create(
        UnusedCard(
            tournament=tournament,
            round=table.round.number,
            number=table.number,
            **{name: getattr(table, name) for name in CARD},
        )
        for table in rows
    )
    Sitting.objects.filter(table__in=pks).delete()
    Game.objects.filter(table__in=pks).delete()
    Table.objects.filter(pk__in=pks).delete()


def players_at(state: TournamentState, number: int, entrants: Sequence[Entrant]) -> list[Player]:
    """Return the player at each seat of a table in round `number`, including substitutes."""
    waiting = [list(state.players_of(entrant, number)) for entrant in entrants]
    return [waiting[side].pop(0) for side in state.rules.sides]


def _game(state: TournamentState, table_pk: int, players: Sequence[Player], at: datetime) -> Game:
    event = state.tournament.event
    return Game(
        table_id=table_pk,
        ruleset=event.ruleset,
        document=state.tournament.document,
        options=event.options,
        players=names_at_table(players),
        title=event.name,
        played_at=at,
    )


LIFECYCLE = ("published_at", "opened_at", "clock_seconds", "clock_used", "clock_started_at")
"""The fields of a round that a take-back resets."""


class RuledAbout(Depended, code="ruled-about"):
    sentence = _("Somebody was ruled about in this round: withdraw the ruling first.")


def lost_with(round_: Round) -> dict[str, int]:
    """Return how many sheets with entries, and entries, taking a round back deletes (2 queries).

    Raises: Depended, RuledAbout.
    """
    later = Round.objects.filter(event=round_.event_id, number__gt=round_.number)
    if round_.closed_at is not None or later.filter(published_at__isnull=False).exists():
        raise Depended(sentence=_("It is closed, or a later round builds on it: it stays."))
    if round_.rulings.filter(withdrawn_at=None).exists():
        raise RuledAbout
    entries = [len(sheet.positions) for sheet in load_sheets(_written(round_))]
    return {"sheets": sum(map(bool, entries)), "entries": sum(entries)}


def take_back_round(round_pk: int, by: Actor, *, at: datetime, entries: int = 0) -> Round:
    """Turn a published round into a proposal again; delete its tables, but keep their cards.

    The proposal is the final seating, with late changes. Withdrawn rulings are deleted. `entries`
    is the number of entries that the director has agreed to delete; the audit keeps their records.

    Raises: Depended, RuledAbout.
    """
    with transaction.atomic():
        tournament, round_ = lock_drawn(round_pk)
        if round_.published_at is None:
            return round_
        # Merging two players locks seats, then games; here seats are deleted last.
        lock_people(tournament.event.club_id)
        # Writers lock the row of the game: with all of them locked no table begins.
        lock_tables_of(round_)
        if lost_with(round_)["entries"] != entries:
            raise Depended(sentence=_("A table has begun, or has gone on: look at it once more."))
        before = {"round": round_.number, "gone": games_of(round_)}
        sheets = load_sheets(_written(round_))
        records = [sheet.record for sheet in sheets if sheet.positions]
        for sheet in sheets:
            delete_locked(sheet.row)
        if records:
            before["records"] = records
        fields = {name: getattr(round_, name) for name in LIFECYCLE}
        before["lifecycle"] = {
            name: value.isoformat() if isinstance(value, datetime) else value
            for name, value in fields.items()
        }
        round_.seating = _seating_as_it_stands(tournament, round_)
        round_.rulings.all().delete()
        clear_tables(tournament, round_.tables.all())
        round_.sittings.all().delete()
        round_.published_at = round_.opened_at = round_.closed_at = None
        round_.clock_seconds, round_.clock_used, round_.clock_started_at = None, 0, None
        round_.save()
        touch(tournament)
        note(tournament, "take-back-round", by, at, before=before)
    return round_


def _written(round_: Round) -> Any:
    return Game.objects.filter(table__round=round_, revision__gt=0).order_by("pk")


def _seating_as_it_stands(tournament: Tournament, round_: Round) -> dict[str, Any]:
    """Return the seating of a published round; a table is locked unless it was changed."""
    state = load_state(tournament)
    seated_round = state.seating_of(round_)
    # Publishing it again must not bring back who was taken out.
    entrants, after = state.entrants.items(), round_.number + 1
    left = [key for key, each in entrants if state.absence(each, after) == "left"]
    before = round_.seating or {}
    tables = [list(table.entrants) for table in seated_round.tables]
    same = locked_tables(round_, before.get("locked", []))
    locked = [at for at, table in enumerate(tables) if same.get(at) == table]
    stands = {"tables": tables, "byes": list(seated_round.byes), "locked": locked}
    return stands | ({"left": left} if left else {})
