"""The life of a tournament: made, changed, started, finished, cancelled."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from tournaments.engine.rules.rulesets import Code, InvalidEntry, Problem, Ruleset
from tournaments.engine.standings.tournament_settings import (
    TournamentSettings,
    read_settings,
    read_stored_settings,
    write_settings,
)
from tournaments.models import (
    AuditEntry,
    Club,
    Entrant,
    Event,
    Game,
    Report,
    Round,
    Ruling,
    Season,
    Sitting,
    Table,
    Tournament,
)
from tournaments.queries.rulesets import find_ruleset_of_club, house_document
from tournaments.queries.standings import added_by
from tournaments.queries.state import rules_of_tournament, settings_of
from tournaments.services.audit import Actor, Change, note_change
from tournaments.services.base.writes import Fault, Refused, free_slugs
from tournaments.services.documents.reporting import throw_away
from tournaments.services.events.events import (
    EventPlan,
    change_event,
    check_league,
    check_plan,
    event_key,
    lock_season,
    plan_of,
    put_plan,
    seal_rounds,
    start_event,
)
from tournaments.services.events.events import details_of as plan_details
from tournaments.services.events.events import subject_of as event_subject
from tournaments.services.ratings.computing import rate_event_again
from tournaments.texts.labels import Text

State = Tournament.State
STATES = tuple(State)

CUT = ("rounds", "finals", "carry", "sections")
"""Settings that decide who plays the finals; fixed once a final is seated."""

TABLES = ((4, 4), (4, 2), (2, 2))
"""Seats and sides of tournament games: four or two single players, or two pairs."""


class WrongState(Refused, code="wrong-state", listed=True):
    """Not possible while the tournament or its round is in `state`."""

    sentence = _("Not possible in this state: look at how it stands now.")

    def __init__(self, state: str, sentence: Text = "") -> None:
        super().__init__(data={"state": state}, sentence=sentence)


class Depended(Refused, code="depended"):
    sentence = _("Something that came after it depends on it: it stays.")


@dataclass(frozen=True, slots=True)
class TournamentPlan:
    """The director's settings of a tournament: those of any event, and its own.

    The `seed` of all its random draws is fixed when the tournament is created.
    """

    event: EventPlan
    settings: TournamentSettings = field(default_factory=TournamentSettings)
    seed: int = 0


def create_tournament(
    club: Club, plan: TournamentPlan, by: Actor, *, at: datetime, key: str | None = None
) -> Tournament:
    """Create a draft tournament. Idempotent for one `key` and plan.

    Raises: InvalidEntry, OtherLeaguePoints, Season.DoesNotExist.
    """
    rules = _check(plan, club)
    with transaction.atomic():
        lock_season(plan.event)
        start_key = key and event_key("tournament", club, plan.event, key)
        event, made = start_event(club, plan.event, start_key, at)
        if not made:
            return event.tournament
        check_league(event.season, plan.settings, event.pk)
        tournament = _with_slug(
            Tournament(
                event=event,
                document=house_document(rules),
                settings=write_settings(plan.settings),
                seed=plan.seed,
            )
        )
        note(tournament, "add-tournament", by, at, after=_details(plan))
    return tournament


def change_tournament(
    tournament_pk: int, plan: TournamentPlan, by: Actor, *, at: datetime
) -> Tournament:
    """Change the settings of a tournament; its game cannot change once a round is drawn.

    Raises: InvalidEntry, OtherLeaguePoints, Season.DoesNotExist, WrongState.
    """
    with transaction.atomic():
        lock_season(plan.event)
        tournament = lock_tournament(tournament_pk)
        if tournament.state == State.FINISHED:
            raise WrongState(tournament.state)
        event = tournament.event
        _check_change(tournament, plan)
        if tournament.state != State.RUNNING:
            rules = _check(plan, event.club)
            _check_entrants(tournament, rules)
            tournament.document = house_document(rules)
        before, after = put_plan(event, plan.event)
        if "season" in after or added_by(plan.settings) != added_by(settings_of(tournament)):
            check_league(event.season, plan.settings, event.pk)
        settings = write_settings(plan.settings)
        if settings != tournament.settings:
            before["settings"], after["settings"] = tournament.settings, settings
            _rate_hidden_round(tournament, tournament.settings, settings)
            if plan.settings.rates_half_places != settings_of(tournament).rates_half_places:
                rate_event_again(event)
            tournament.settings = settings
        if after:
            touch(tournament)
            note(tournament, "change-tournament", by, at, before=before, after=after)
            let_in_waiting(tournament, by, at)
    return tournament


def put_in_season(event_pk: int, season_pk: int | None, by: Actor, *, at: datetime) -> None:
    """Put an evening or a tournament, even a finished one, into a season of its club.

    Without a season it is taken out of the one it is in. Idempotent.

    Raises: OtherLeaguePoints, Season.DoesNotExist, Event.DoesNotExist.
    """
    with transaction.atomic():
        row = Event.objects.select_related("tournament").get(pk=event_pk)
        season = None
        if season_pk is not None:
            seasons = Season.objects.select_for_update().filter(club=row.club_id)
            season = seasons.get(pk=season_pk)
        if not hasattr(row, "tournament"):
            change_event(event_pk, replace(plan_of(row), season=season), by, at=at)
            return
        tournament = lock_tournament(row.tournament.pk)
        before, after = put_plan(
            tournament.event, replace(plan_of(tournament.event), season=season)
        )
        if after:
            check_league(season, settings_of(tournament), event_pk)
            touch(tournament)
            note(tournament, "change-tournament", by, at, before=before, after=after)


def move_tournament(tournament_pk: int, state: str, by: Actor, *, at: datetime) -> Tournament:
    """Move a tournament one step forward or back, to `state`. Idempotent.

    Raises: WrongState, Depended.
    """
    with transaction.atomic():
        tournament = lock_tournament(tournament_pk)
        if tournament.state == state:
            return tournament
        steps = STATES.index(State(state)) - STATES.index(State(tournament.state))
        if abs(steps) != 1:
            raise WrongState(tournament.state)
        rounds = tournament.event.rounds
        depended = state == State.REGISTRATION and rounds.exists()
        if state == State.FINISHED:
            games = Game.objects.filter(table__round__event=tournament.event, result__isnull=True)
            depended = rounds.filter(closed_at=None).exists() or games.exists()
        if depended:
            raise Depended(sentence=DEPENDED[state])
        before, tournament.state = tournament.state, State(state)
        touch(tournament)
        _rate_hidden_round(tournament, tournament.settings)
        details = {"before": {"state": before}, "after": {"state": state}}
        note(tournament, "move-tournament", by, at, **details)
        seal_rounds(tournament, by, at=at)
    return tournament


def _rate_hidden_round(tournament: Tournament, *settings: Mapping[str, Any]) -> None:
    if any(each.get("hide_last") for each in settings):
        rate_event_again(tournament.event)


DEPENDED: Mapping[str, Text] = {
    State.REGISTRATION: _("A round is seated: it goes back to registration only without any."),
    State.FINISHED: _(
        "A round is not closed, or a correction has left a game unfinished: see to it first."
    ),
}
"""Reasons why a tournament cannot move to a state."""


def remove_tournament(tournament_pk: int, by: Actor, *, at: datetime) -> None:
    """Remove a tournament without seated rounds. Idempotent.

    Raises: Depended: a round was seated; nothing is removed.
    """
    with transaction.atomic():
        try:
            tournament = lock_tournament(tournament_pk)
        except Tournament.DoesNotExist:
            return
        event = tournament.event
        if event.rounds.exists():
            sentence = _("A round was seated in this tournament, so that it stays.")
            raise Depended(sentence=sentence)
        note(tournament, "remove-tournament", by, at, before=plan_details(plan_of(event)))
        tournament.entrants.all().delete()
        tournament.delete()
        event.delete()


def replace_links(tournament_pk: int, by: Actor, *, at: datetime) -> Tournament:
    """Replace the links to register and to check in; the old ones become invalid."""
    with transaction.atomic():
        tournament = lock_tournament(tournament_pk)
        tournament.link_generation += 1
        touch(tournament)
        note(tournament, "replace-links", by, at)
    return tournament


def lock_tournament(pk: int) -> Tournament:
    """Lock and return a tournament with its event and club; other changes queue up here.

    Tournaments are locked before rounds.

    Raises: Tournament.DoesNotExist: the tournament was removed.
    """
    rows = Tournament.objects.select_for_update(of=("self",)).select_related("event__club")
    return rows.get(pk=pk)


def touch(tournament: Tournament) -> None:
    """Save a locked tournament as its next revision."""
    tournament.revision += 1
    tournament.save()


def note(tournament: Tournament, action: str, by: Actor, at: datetime, **details: Any) -> None:
    """Add an audit entry to the club; `details` contains before, after and reason."""
    event = tournament.event
    # A removed object cannot be referred to.
    stays = event if action != "remove-tournament" else None
    change = Change(AuditEntry.Kind.EVENT, action, event_subject(event), event=stays, **details)
    note_change(event.club, change, by, at=at)


def places_left(tournament: Tournament) -> int | None:
    """Return how many may still register before others wait; None for no limit.

    From the start on only directors add entrants, and nobody waits.
    """
    capacity = read_settings(tournament.settings).capacity
    if capacity is None or tournament.state in (State.RUNNING, State.FINISHED):
        return None
    return max(0, capacity - tournament.entrants.playing().competing().count())


def let_in_waiting(tournament: Tournament, by: Actor, at: datetime) -> None:
    """Before the start, let in the first of the waiting list as far as there is room."""
    if tournament.state in (State.RUNNING, State.FINISHED):
        return
    rows = list(tournament.entrants.queued()[: places_left(tournament)])
    if rows:
        tournament.entrants.filter(pk__in=[row.pk for row in rows]).update(waiting=False)
        note(tournament, "let-in", by, at, after={"entrants": [row.key for row in rows]})


def _with_slug(tournament: Tournament) -> Tournament:
    event = tournament.event
    for slug in free_slugs(f"{event.name[:40]} {event.held_on}", "tournament", 60, ()):
        tournament.slug = slug
        try:
            with transaction.atomic():
                tournament.save(force_insert=True)
                return tournament
        except IntegrityError:
            # Two tournaments created at once get a slug each.
            if not Tournament.objects.filter(slug=slug).exists():
                raise
    raise AssertionError("there is always another slug")


def _check(plan: TournamentPlan, club: Club) -> Ruleset:
    played = check_plan(plan.event, club)
    if (played.seats, played.side_count) not in TABLES:
        where = {"ruleset": plan.event.ruleset, "why": "tables"}
        raise InvalidEntry([Problem(Code.UNKNOWN_RULESET, "ruleset", where)])
    # Validated again: a plan may have been made by hand.
    read_settings(write_settings(plan.settings))
    rules = find_ruleset_of_club(plan.event.ruleset, club)
    assert rules is not None
    return rules


def _check_change(tournament: Tournament, plan: TournamentPlan) -> None:
    """Refuse to change the game once a round is drawn."""
    event: Event = tournament.event
    if tournament.state != State.RUNNING:
        return
    problems = []
    if plan.event.ruleset != event.ruleset:
        problems.append(Problem(Code.UNKNOWN_RULESET, "ruleset", {"ruleset": plan.event.ruleset}))
    if dict(plan.event.options) != event.options:
        problems.append(Problem(Code.UNKNOWN_OPTION, "options", {"option": "options"}))
    seated = event.rounds.filter(stage="").count()
    if plan.settings.rounds < seated:
        params = {"expected": seated, "got": plan.settings.rounds}
        problems.append(Problem(Code.WRONG_TYPE, "settings.rounds", params))
    before = read_stored_settings(tournament.settings)
    moved = any(getattr(plan.settings, name) != getattr(before, name) for name in CUT)
    if plan.settings.tie_break_version != before.tie_break_version:
        where = "settings.tie_break_version"
        problems.append(Problem(Code.UNKNOWN_OPTION, where, {"option": "tie_break_version"}))
    if moved and event.rounds.exclude(stage="").exists():
        problems.append(Problem(Code.UNKNOWN_OPTION, "settings.finals", {"option": "finals"}))
    if problems:
        raise InvalidEntry(problems)


def _check_entrants(tournament: Tournament, rules: Ruleset) -> None:
    as_many = rules.seats_in_a_side == rules_of_tournament(tournament).seats_in_a_side
    if not as_many and tournament.entrants.exists():
        raise InvalidEntry([Problem(Code.UNKNOWN_RULESET, "entrants", {"ruleset": rules.id})])


def _details(plan: TournamentPlan) -> dict[str, Any]:
    return plan_details(plan.event) | {"settings": write_settings(plan.settings)}


class WrongName(Fault, code="wrong-name", where="name"):
    sentence = _("That is not the name of the tournament.")


def cancel_tournament(tournament_pk: int, by: Actor, *, at: datetime) -> Tournament:
    """Hide a tournament from all but directors, and its games from ratings and statistics.

    Idempotent; nothing is deleted.
    """
    return _mark(tournament_pk, at, "cancel-tournament", by, at)


def restore_tournament(tournament_pk: int, by: Actor, *, at: datetime) -> Tournament:
    """Take back that a tournament was cancelled. Idempotent."""
    return _mark(tournament_pk, None, "restore-tournament", by, at)


def _mark(
    tournament_pk: int, cancelled_at: datetime | None, action: str, by: Actor, at: datetime
) -> Tournament:
    with transaction.atomic():
        tournament = lock_tournament(tournament_pk)
        if (tournament.cancelled_at is None) == (cancelled_at is None):
            return tournament
        tournament.cancelled_at = cancelled_at
        touch(tournament)
        rate_event_again(tournament.event)
        note(tournament, action, by, at)
    return tournament


def delete_tournament(tournament_pk: int, name: str, by: Actor, *, at: datetime) -> None:
    """Delete a tournament with its rounds, sheets and entrants; its players stay. Idempotent.

    Raises: WrongName: `name` is not that of the tournament; nothing is deleted.
    """
    with transaction.atomic():
        try:
            tournament = lock_tournament(tournament_pk)
        except Tournament.DoesNotExist:
            return
        event = tournament.event
        if name.split() != event.name.split():
            raise WrongName
        rate_event_again(event)
        note(tournament, "remove-tournament", by, at, before=plan_details(plan_of(event)))
        games = Game.objects.filter(table__round__event=event)
        throw_away(Report.objects.filter(Q(event=event) | Q(game__in=games)))
        # From the leaves to the root: most of these rows protect those they refer to.
        games.delete()
        for rows in (
            Ruling.objects.filter(round__event=event),
            Sitting.objects.filter(round__event=event),
            Table.objects.filter(round__event=event),
            Round.objects.filter(event=event),
            Entrant.objects.filter(tournament=tournament),
        ):
            rows.delete()
        tournament.delete()
        event.delete()
