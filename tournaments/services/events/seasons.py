"""Seasons of a club: named periods to which its evenings belong."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import date, datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext_lazy as _

from tournaments.engine.rules.rulesets import Points
from tournaments.engine.standings.tournament_settings import TournamentSettings, read_settings
from tournaments.models import AuditEntry, Club, Season, Tournament
from tournaments.models.clubs import LeaguePoints
from tournaments.services.audit import Actor, Change, note_change
from tournaments.services.base.refusals import Fault, Refused
from tournaments.texts.labels import POINTS, points_text

SETTINGS = AuditEntry.Kind.SETTINGS


class SeasonNameTaken(Refused, code="season-name-taken"):
    sentence = _("There is a season with this name.")


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
    """

    name: str
    starts_on: date
    ends_on: date
    league_best: int | None = None
    league_points: str = ""


def create_season(club: Club, dates: SeasonDates, by: Actor, *, at: datetime) -> Season:
    """Create a season; seasons may overlap.

    Raises:
        SeasonNameTaken: the club has a season with that name; nothing is written.
    """
    try:
        with transaction.atomic():
            season = Season.objects.create(club=club, **asdict(dates))
            change = Change(SETTINGS, "add-season", subject_of(season), after=_details(dates))
            note_change(club, change, by, at=at)
    except IntegrityError as error:
        raise SeasonNameTaken from error
    return season


def change_season(season_pk: int, dates: SeasonDates, by: Actor, *, at: datetime) -> Season:
    """Change name, dates or league of a season; its evenings stay with it.

    Raises:
        SeasonNameTaken: the club has another season with that name; nothing is written.
        SeasonCountsOthers: a tournament of it counts other points than its league shall add.
        Season.DoesNotExist: it was removed.
    """
    try:
        with transaction.atomic():
            season = _locked(season_pk)
            before, after = _details(dates_of(season)), _details(dates)
            if before == after:
                return season
            if dates.league_points != season.league_points:
                _check_points(season, dates.league_points)
            for name, value in asdict(dates).items():
                setattr(season, name, value)
            season.save(update_fields=list(asdict(dates)))
            change = Change(SETTINGS, "change-season", subject_of(season), before, after)
            note_change(season.club, change, by, at=at)
    except IntegrityError as error:
        raise SeasonNameTaken from error
    return season


def remove_season(season_pk: int, by: Actor, *, at: datetime) -> None:
    """Remove a season without evenings. Idempotent.

    Raises:
        SeasonInUse: the season has evenings.
    """
    with transaction.atomic():
        try:
            # With this lock a request that adds an evening waits, and then finds no season.
            season = _locked(season_pk)
        except Season.DoesNotExist:
            return
        if season.events.exists():
            raise SeasonInUse
        before = _details(dates_of(season))
        change = Change(SETTINGS, "remove-season", subject_of(season), before)
        note_change(season.club, change, by, at=at)
        season.delete()


def season_on(club: Club, day: date) -> Season | None:
    """Return the season of a club that contains a day; of several, the one that began last."""
    return club.seasons.filter(starts_on__lte=day, ends_on__gte=day).first()


Added = tuple[str, tuple[Points, ...]]
"""What a tournament adds to a league: its `points`, with the points of places if they count."""


def added_by(settings: TournamentSettings) -> Added:
    """Return what a tournament adds."""
    return settings.points, settings.place_points if settings.points == "places" else ()


def points_added(season: Season, but: int | None = None) -> set[Added]:
    """Return what the tournaments of a season add to its league, but for one of its events."""
    rows = Tournament.objects.filter(event__season=season).exclude(event=but)
    return {added_by(read_settings(each)) for each in rows.values_list("settings", flat=True)}


def check_league(season: Season | None, settings: TournamentSettings, but: int | None) -> None:
    """Refuse a tournament whose points the league of a locked season does not add.

    `but` is its event, if there is one.

    Raises:
        OtherLeaguePoints: the season, or other tournaments in it, say so.
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


def _check_points(season: Season, league_points: str) -> None:
    if league_points in (LeaguePoints.EVENING, LeaguePoints.OF_TOURNAMENTS):
        return
    others = {each for each in points_added(season) if each[0] != league_points}
    if others:
        raise SeasonCountsOthers({"theirs": added_text(others)})


def added_text(added: Iterable[Added]) -> str:
    """Return what leagues add, as text."""
    return ", ".join(
        f"{POINTS[points]} ({'-'.join(map(points_text, worth))})" if worth else str(POINTS[points])
        for points, worth in sorted(added)
    )


def subject_of(season: Season) -> str:
    """Return the season's subject in the audit."""
    return f"season:{season.pk}"


def _locked(season_pk: int) -> Season:
    rows = Season.objects.select_for_update(of=("self",)).select_related("club")
    return rows.get(pk=season_pk)


def dates_of(season: Season) -> SeasonDates:
    """Return the current values of a season."""
    return SeasonDates(
        *(season.name, season.starts_on, season.ends_on, season.league_best, season.league_points)
    )


def _details(dates: SeasonDates) -> dict[str, str | int | None]:
    days = {"starts_on": str(dates.starts_on), "ends_on": str(dates.ends_on)}
    league = {"league_best": dates.league_best, "league_points": dates.league_points}
    return {"name": dates.name, **days, **league}
