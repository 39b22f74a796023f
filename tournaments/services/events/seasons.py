"""Seasons of a club: named periods to which its evenings belong."""

from dataclasses import asdict, dataclass
from datetime import date, datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext_lazy as _

from tournaments.models import AuditEntry, Club, Season
from tournaments.services.audit import Actor, Change, note_change
from tournaments.services.base.refusals import Refused

SETTINGS = AuditEntry.Kind.SETTINGS


class SeasonNameTaken(Refused, code="season-name-taken"):
    sentence = _("There is a season with this name.")


class SeasonInUse(Refused, code="season-in-use"):
    sentence = _("Evenings belong to this season, so that it stays.")


@dataclass(frozen=True, slots=True)
class SeasonDates:
    """A season's name, first day and last day (inclusive).

    `league_best` is the number of a player's best evenings that count in its league; None for all.
    """

    name: str
    starts_on: date
    ends_on: date
    league_best: int | None = None


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
        Season.DoesNotExist: it was removed.
    """
    try:
        with transaction.atomic():
            season = _locked(season_pk)
            before, after = _details(dates_of(season)), _details(dates)
            if before == after:
                return season
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


def subject_of(season: Season) -> str:
    """Return the season's subject in the audit."""
    return f"season:{season.pk}"


def _locked(season_pk: int) -> Season:
    rows = Season.objects.select_for_update(of=("self",)).select_related("club")
    return rows.get(pk=season_pk)


def dates_of(season: Season) -> SeasonDates:
    """Return the current values of a season."""
    return SeasonDates(season.name, season.starts_on, season.ends_on, season.league_best)


def _details(dates: SeasonDates) -> dict[str, str | int | None]:
    days = {"starts_on": str(dates.starts_on), "ends_on": str(dates.ends_on)}
    return {"name": dates.name, **days, "league_best": dates.league_best}
