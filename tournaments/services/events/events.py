"""Events, the sealing of their sheets, and seasons."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from datetime import date, datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F, Max, Prefetch, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from tournaments.engine.documents.games import digest_of_round, digest_of_tournament
from tournaments.engine.documents.shapes import EventDetails
from tournaments.engine.rules.rulesets import Code, InvalidEntry, Problem, Ruleset
from tournaments.engine.standings.tournament_settings import TournamentSettings, read_settings
from tournaments.models import (
    AuditEntry,
    Club,
    Event,
    Game,
    Revision,
    Round,
    Ruling,
    Season,
    Sitting,
    Table,
    Tournament,
)
from tournaments.models.clubs import LeaguePoints
from tournaments.models.games import digest
from tournaments.queries.rulesets import find_ruleset_of_club
from tournaments.queries.sheets import record_digest
from tournaments.queries.standings import Added, added_by, added_text
from tournaments.services.audit import NOBODY, Actor, Change, note_change
from tournaments.services.base.writes import Fault, Refused
from tournaments.services.ratings.computing import rate_event_again, rate_round_again

EVENT = AuditEntry.Kind.EVENT


class EventHasTables(Refused, code="event-has-tables"):
    sentence = _("This evening has tables, so it cannot be removed.")


class RoundStillEmpty(Refused, code="round-still-empty"):
    sentence = _("The last round has no table yet: begin with that one.")


@dataclass(frozen=True, slots=True)
class EventPlan(EventDetails):
    """The director's settings of an evening; ruleset and options are defaults of its tables."""

    ruleset: str
    options: Mapping[str, Any] = field(default_factory=dict)
    season: Season | None = None


def create_event(
    club: Club, plan: EventPlan, by: Actor, *, at: datetime, key: str | None = None
) -> Event:
    """Create an evening with its first round open. Idempotent for one `key` and plan.

    Raises: InvalidEntry, Season.DoesNotExist.
    """
    check_plan(plan, club)
    with transaction.atomic():
        lock_season(plan)
        start_key = key and event_key("event", club, plan, key)
        event, made = start_event(club, plan, start_key, at)
        if not made:
            return event
        Round.objects.create(event=event, number=1, opened_at=at)
        note_change(club, _change(event, "add-event", after=details_of(plan)), by, at=at)
    return event


def event_key(kind: str, club: Club, plan: EventPlan, key: str) -> str:
    """Return the stored digest of a form's key and plan, by which a repeat finds its event."""
    return digest(json.dumps([kind, club.pk, key, details_of(plan)], sort_keys=True))


def start_event(
    club: Club, plan: EventPlan, start_key: str | None, at: datetime
) -> tuple[Event, bool]:
    """Return the event and whether it was created now; call it in a transaction."""
    values = {**_fields(plan), "club": club, "created_at": at}
    if not start_key:
        return Event.objects.create(**values), True
    return Event.objects.get_or_create(start_key=start_key, defaults=values)


def change_event(event_pk: int, plan: EventPlan, by: Actor, *, at: datetime) -> Event:
    """Change the settings of an evening; existing tables stay as they are.

    Raises: InvalidEntry, Season.DoesNotExist: as in `create_event`.
    """
    with transaction.atomic():
        lock_season(plan)
        event = _locked(event_pk)
        check_plan(plan, event.club)
        before, after = put_plan(event, plan)
        if after:
            note_change(event.club, _change(event, "change-event", before, after), by, at=at)
    return event


def put_plan(event: Event, plan: EventPlan) -> tuple[dict[str, Any], dict[str, Any]]:
    """Apply a plan to a locked event; return the changed values, before and after."""
    before, after = details_of(plan_of(event)), details_of(plan)
    changed = [name for name in after if after[name] != before[name]]
    if "held_on" in changed:
        rate_event_again(event)
    for name in changed:
        setattr(event, name, getattr(plan, name))
    event.save(update_fields=changed)
    if "held_on" in changed:
        rate_event_again(event)
    return {name: before[name] for name in changed}, {name: after[name] for name in changed}


def remove_event(event_pk: int, by: Actor, *, at: datetime) -> None:
    """Remove an evening that has no tables. Idempotent.

    Raises: EventHasTables: it has one; nothing is removed.
    """
    with transaction.atomic():
        try:
            event = _locked(event_pk)
        except Event.DoesNotExist:
            return
        # With these locks a request that adds a table waits, and then finds no round.
        rounds = event.rounds.select_for_update().order_by("pk")
        list(rounds.values_list("pk"))
        if Table.objects.filter(round__event=event).exists():
            raise EventHasTables
        note_change(
            event.club, _change(event, "remove-event", details_of(plan_of(event))), by, at=at
        )
        rounds.delete()
        event.delete()


def open_round(event_pk: int, by: Actor, *, at: datetime) -> Round:
    """Open the next round; earlier ones stay as they are, since a slow table may play on.

    Raises: RoundStillEmpty: the last round has no table, as after a double tap.
    """
    with transaction.atomic():
        event = _locked(event_pk)
        last = event.rounds.order_by("number").last()
        if last is not None and not last.closed_at and not last.tables.exists():
            raise RoundStillEmpty
        number = (event.rounds.aggregate(last=Max("number"))["last"] or 0) + 1
        opened = Round.objects.create(event=event, number=number, opened_at=at)
        note_change(event.club, _of_round(event, "open-round", number), by, at=at)
    return opened


def close_round(round_pk: int, by: Actor, *, at: datetime) -> Round:
    """Close a round: afterwards only directors write its sheets. Idempotent.

    A write in progress is stored first; a later one finds the round closed.
    """
    with transaction.atomic():
        round_ = lock_round(round_pk)
        if round_.closed_at is None:
            # Writers lock the row of their game and only then look at the round: with all games
            # locked, nobody is between seeing the round open and storing an entry.
            lock_tables_of(round_)
            round_.closed_at = at
            round_.save(update_fields=["closed_at"])
            rate_round_again(round_)
            change = _of_round(round_.event, "close-round", round_.number)
            note_change(round_.event.club, change, by, at=at)
    return round_


def reopen_round(round_pk: int, by: Actor, *, at: datetime) -> Round:
    """Reopen a round: its tables can write again, at the addresses they had."""
    with transaction.atomic():
        round_ = lock_round(round_pk)
        if round_.closed_at is not None:
            rate_round_again(round_)
            round_.closed_at = None
            round_.save(update_fields=["closed_at"])
            change = _of_round(round_.event, "reopen-round", round_.number)
            note_change(round_.event.club, change, by, at=at)
    return round_


def lock_round(round_pk: int) -> Round:
    """Lock and return a round with its event and club; seating and closing queue up here.

    Rounds are locked before the people of the club, and those before games.
    """
    rows = Round.objects.select_for_update(of=("self",)).select_related("event__club")
    return rows.get(pk=round_pk)


def lock_tables_of(round_: Round) -> None:
    """Lock the tables of a locked round and then their games, as changes of one table do.

    To change seats too, lock the people of the club first.
    """
    tables = Table.objects.select_for_update(of=("self",)).filter(round=round_)
    list(tables.order_by("pk").values_list("pk"))
    # In separate queries: without `of`, PostgreSQL would also lock the rows of joined tables, and
    # only after the games.
    games = Game.objects.select_for_update(of=("self",)).filter(table__round=round_)
    list(games.order_by("pk").values_list("pk"))


def subject_of(event: Event) -> str:
    return f"event:{event.public_id}"


def _locked(event_pk: int) -> Event:
    rows = Event.objects.select_for_update(of=("self",)).select_related("club")
    return rows.get(pk=event_pk)


def lock_season(plan: EventPlan) -> None:
    if plan.season is not None:
        Season.objects.select_for_update().get(pk=plan.season.pk)


def check_plan(plan: EventPlan, club: Club) -> Ruleset:
    """Return the ruleset of a plan with its options.

    Raises: InvalidEntry: unknown ruleset, or invalid options.
    """
    rules = find_ruleset_of_club(plan.ruleset, club)
    if rules is None:
        raise InvalidEntry([Problem(Code.UNKNOWN_RULESET, "ruleset", {"ruleset": plan.ruleset})])
    return rules.with_options(plan.options)


def plan_of(event: Event) -> EventPlan:
    return EventPlan(**{each.name: getattr(event, each.name) for each in fields(EventPlan)})


def _fields(plan: EventPlan) -> dict[str, Any]:
    values = {each.name: getattr(plan, each.name) for each in fields(EventPlan)}
    return values | {"options": dict(plan.options)}


def details_of(plan: EventPlan) -> dict[str, Any]:
    """Return a plan as JSON for the audit."""
    season = plan.season and plan.season.name
    return _fields(plan) | {"held_on": str(plan.held_on), "season": season}


def _change(event: Event, action: str, before: Any = None, after: Any = None) -> Change:
    # A removed object cannot be referred to.
    stays = event if action != "remove-event" else None
    return Change(EVENT, action, subject_of(event), before, after, event=stays)


def _of_round(event: Event, action: str, number: int) -> Change:
    return Change(EVENT, action, subject_of(event), after={"round": number}, event=event)


def seal_rounds(tournament: Tournament, by: Actor, *, at: datetime) -> None:
    """Store the digests of a locked tournament that have changed, and note them in the audit."""
    fill_digests(Game.objects.filter(table__round__event=tournament.event_id))
    before: dict[str, str] = {}
    after: dict[str, str] = {}
    rounds = []
    for round_, right in digests_of_rounds(tournament):
        if round_.digest != right:
            before[str(round_.number)], after[str(round_.number)] = round_.digest, right
            round_.digest = right
        round_.sealed_at = at if right else None
        rounds.append(round_)
    if rounds:
        Round.objects.bulk_update(rounds, ["digest", "sealed_at"])
    whole = digest_of_all(tournament, [round_.digest for round_ in rounds])
    if tournament.digest != whole:
        before["tournament"], after["tournament"] = tournament.digest, whole
        tournament.digest = whole
        tournament.save(update_fields=["digest"])
    if after:
        event = tournament.event
        kind, subject = AuditEntry.Kind.EVENT, subject_of(event)
        change = Change(
            kind, "seal-rounds", subject, {"codes": before}, {"codes": after}, event=event
        )
        note_change(event.club, change, by, at=at)


def fill_digests(games: QuerySet[Game]) -> None:
    """Store the digests of written games that have none, from before there were any."""
    in_order = Prefetch("revisions", Revision.objects.order_by("revision"))
    for row in games.filter(digest="", revision__gt=0).prefetch_related(in_order):
        digest = record_digest(row, list(row.revisions.all()))
        # A revision stored meanwhile brings its own.
        Game.objects.filter(pk=row.pk, digest="").update(digest=digest)


def seal_after_commit(event: Event) -> None:
    """Seal the rounds of an event's tournament once the present transaction is committed.

    Only then: a writer holds the lock of a game, and the tournament is locked before games.
    """
    transaction.on_commit(lambda: seal_now(event.pk), robust=True)


def seal_now(event_pk: int) -> None:
    """Lock the tournament of an event, if it has one, and seal its rounds."""
    with transaction.atomic():
        rows = Tournament.objects.select_for_update(of=("self",)).filter(event=event_pk)
        for row in rows.select_related("event__club"):
            seal_rounds(row, NOBODY, at=timezone.now())


def seal_unsealed() -> None:
    """Seal what was closed before there were digests, or corrected just before a crash."""
    late = Revision.objects.filter(at__gt=F("game__table__round__sealed_at"))
    closed = Round.objects.filter(closed_at__isnull=False, event__tournament__isnull=False)
    waiting = Q(digest="") | Q(pk__in=late.values("game__table__round"))
    for event in closed.filter(waiting).values_list("event", flat=True).distinct():
        seal_now(event)


def digests_of_rounds(tournament: Tournament) -> Iterator[tuple[Round, str]]:
    """Yield the rounds of a tournament with their digests; those not closed have none (4 queries).

    They are computed from the stored digests of games.
    """
    event = tournament.event_id
    entrants: dict[int | None, list[str]] = defaultdict(list)
    byes: dict[int, list[str]] = defaultdict(list)
    sat = Sitting.objects.filter(round__event=event).select_related("entrant")
    for row in sat.order_by("side", "entrant__number"):
        (byes[row.round_id] if row.table_id is None else entrants[row.table_id]).append(
            row.entrant.key
        )
    games: dict[int, list[tuple[int, int | None, str]]] = defaultdict(list)
    at_tables = Game.objects.filter(table__round__event=event).order_by("table__number", "pk")
    fields = ("table__round", "table__number", "table", "digest")
    for round_pk, *of_table in at_tables.values_list(*fields):
        games[round_pk].append(tuple(of_table))
    rulings: dict[int, list[dict[str, object]]] = defaultdict(list)
    ruled = Ruling.objects.filter(round__event=event).select_related("entrant").order_by("pk")
    for each in ruled:
        document = {"entrant": each.entrant.key, "kind": str(each.kind), "points": each.points}
        rulings[each.round_id].append(document | {"withdrawn_at": each.withdrawn_at})
    before = ""
    for round_ in Round.objects.filter(event=event).order_by("number"):
        if round_.closed_at is None:
            yield round_, ""
            continue
        place = {
            "number": round_.number,
            "stage": round_.stage,
            "tables": [
                {"number": number, "entrants": entrants[table]}
                for number, table, _digest in games[round_.pk]
            ],
            "byes": byes[round_.pk],
            "standings": round_.standings,
        }
        digests = [digest for _number, _table, digest in games[round_.pk]]
        before = digest_of_round(place, digests, rulings[round_.pk], before)
        yield round_, before


def digest_of_all(tournament: Tournament, rounds: list[str]) -> str:
    """Return the digest of a finished tournament; empty for another."""
    if tournament.state != Tournament.State.FINISHED:
        return ""
    return digest_of_tournament(tournament.seed, [round_ for round_ in rounds if round_])


SETTINGS = AuditEntry.Kind.SETTINGS


class SeasonNameTaken(Refused, code="season-name-taken"):
    sentence = _("There is a season with this name.")


class EndsBeforeItStarts(Fault, code="ends-before-it-starts", where="ends_on"):
    sentence = _("The last day is before the first.")


class SeasonInUse(Refused, code="season-in-use"):
    sentence = _("Evenings belong to this season, so that it stays.")


class OtherLeaguePoints(Fault, code="other-league-points", where="season"):
    """The league of the season adds other points than a tournament counts."""

    sentence = _(
        "The league of %(season)s adds other points: %(theirs)s. This tournament counts %(own)s."
        " Choose the same points, another season or none, or let the season count the places of"
        " the evenings."
    )


class SeasonCountsOthers(Fault, code="season-counts-others", where="league_points"):
    sentence = _(
        "Tournaments of this season count other points: %(theirs)s. Take them out of it first, or"
        " count the places of the evenings."
    )


@dataclass(frozen=True, slots=True)
class SeasonDates:
    """A season's name, first day and last day (inclusive).

    `league_best` is the number of a player's best evenings that count in its league; None for all.
    `league_points` is one of `LeaguePoints`.

    Raises: EndsBeforeItStarts.
    """

    name: str
    starts_on: date
    ends_on: date
    league_best: int | None = None
    league_points: str = ""

    def __post_init__(self) -> None:
        if self.ends_on < self.starts_on:
            raise EndsBeforeItStarts


def create_season(club: Club, dates: SeasonDates, by: Actor, *, at: datetime) -> Season:
    """Create a season; seasons may overlap.

    Raises: SeasonNameTaken: the club has a season with that name; nothing is written.
    """
    try:
        with transaction.atomic():
            season = Season.objects.create(club=club, **asdict(dates))
            change = Change(
                SETTINGS, "add-season", subject_of_season(season), after=_details(dates)
            )
            note_change(club, change, by, at=at)
    except IntegrityError as error:
        raise SeasonNameTaken from error
    return season


def change_season(season_pk: int, dates: SeasonDates, by: Actor, *, at: datetime) -> Season:
    """Change name, dates or league of a season; its evenings stay with it.

    Raises: SeasonNameTaken, SeasonCountsOthers, Season.DoesNotExist.
    """
    try:
        with transaction.atomic():
            season = _seasons_locked(season_pk)
            before, after = _details(dates_of(season)), _details(dates)
            if before == after:
                return season
            points = dates.league_points
            any_points = (LeaguePoints.EVENING, LeaguePoints.OF_TOURNAMENTS)
            if points != season.league_points and points not in any_points:
                others = {added for added in points_added(season) if added[0] != points}
                if others:
                    raise SeasonCountsOthers({"theirs": added_text(others)})
            for name, value in asdict(dates).items():
                setattr(season, name, value)
            season.save(update_fields=list(asdict(dates)))
            change = Change(SETTINGS, "change-season", subject_of_season(season), before, after)
            note_change(season.club, change, by, at=at)
    except IntegrityError as error:
        raise SeasonNameTaken from error
    return season


def remove_season(season_pk: int, by: Actor, *, at: datetime) -> None:
    """Remove a season without evenings. Idempotent.

    Raises: SeasonInUse: the season has evenings.
    """
    with transaction.atomic():
        try:
            # With this lock a request that adds an evening waits, and then finds no season.
            season = _seasons_locked(season_pk)
        except Season.DoesNotExist:
            return
        if season.events.exists():
            raise SeasonInUse
        before = _details(dates_of(season))
        change = Change(SETTINGS, "remove-season", subject_of_season(season), before)
        note_change(season.club, change, by, at=at)
        season.delete()


def season_on(club: Club, day: date) -> Season | None:
    """Return the season of a club that contains a day; of several, the one that began last."""
    return club.seasons.filter(starts_on__lte=day, ends_on__gte=day).first()


def points_added(season: Season, but: int | None = None) -> set[Added]:
    rows = Tournament.objects.filter(event__season=season).exclude(event=but)
    return {added_by(read_settings(each)) for each in rows.values_list("settings", flat=True)}


def check_league(season: Season | None, settings: TournamentSettings, but: int | None) -> None:
    """Refuse a tournament whose points the league of a locked season does not add.

    `but` is its event, if there is one.

    Raises: OtherLeaguePoints: the season, or other tournaments in it, say so.
    """
    if season is None or season.league_points == LeaguePoints.EVENING:
        return
    own, others = added_by(settings), points_added(season, but)
    if season.league_points and season.league_points != settings.points:
        others = others or {(season.league_points, ())}
    elif not others - {own}:
        return
    raise OtherLeaguePoints(
        {"season": season.name, "theirs": added_text(others), "own": added_text({own})}
    )


def subject_of_season(season: Season) -> str:
    return f"season:{season.pk}"


def _seasons_locked(season_pk: int) -> Season:
    rows = Season.objects.select_for_update(of=("self",)).select_related("club")
    return rows.get(pk=season_pk)


def dates_of(season: Season) -> SeasonDates:
    return SeasonDates(**{each.name: getattr(season, each.name) for each in fields(SeasonDates)})


def _details(dates: SeasonDates) -> dict[str, str | int | None]:
    return {n: str(v) if isinstance(v, date) else v for n, v in asdict(dates).items()}
