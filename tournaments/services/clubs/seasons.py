"""The seasons of a club: named stretches of time to which its evenings belong."""

from dataclasses import asdict, dataclass
from datetime import date, datetime

from django.db import IntegrityError, transaction

from tournaments.models import AuditLine, Club, Season
from tournaments.services.auditing import Actor, Change, note_change

SETTINGS = AuditLine.Kind.SETTINGS


class SeasonNameTaken(Exception):
    """Another season of the club has this name."""


class SeasonInUse(Exception):
    """Evenings belong to the season, so that it stays."""


@dataclass(frozen=True, slots=True)
class SeasonDates:
    """A season's name, its first day and its last, which is part of it.

    `league_best` is how many of a player's best evenings count in its league; None for all.
    """

    name: str
    starts_on: date
    ends_on: date
    league_best: int | None = None


def create_season(club: Club, dates: SeasonDates, by: Actor, *, at: datetime) -> Season:
    """Give a club a season more; seasons may overlap.

    Raises:
        SeasonNameTaken: the club has one with that name; nothing is written.
    """
    try:
        with transaction.atomic():
            season = Season.objects.create(club=club, **asdict(dates))
            change = Change(SETTINGS, "add-season", subject_of(season), after=_told(dates))
            note_change(club, change, by, at=at)
    except IntegrityError as error:
        raise SeasonNameTaken from error
    return season


def change_season(season_pk: int, dates: SeasonDates, by: Actor, *, at: datetime) -> Season:
    """Give a season another name, other dates or another league; its evenings stay with it.

    Raises:
        SeasonNameTaken: the club has another one with that name; nothing is written.
        Season.DoesNotExist: it was removed.
    """
    try:
        with transaction.atomic():
            season = _locked(season_pk)
            before, after = _told(dates_of(season)), _told(dates)
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
    """Take a season away that no evening belongs to; taken away twice, it is no error.

    Raises:
        SeasonInUse: evenings belong to it.
    """
    with transaction.atomic():
        try:
            # The lock makes whoever puts an evening into it wait, and then find none.
            season = _locked(season_pk)
        except Season.DoesNotExist:
            return
        if season.events.exists():
            raise SeasonInUse
        before = _told(dates_of(season))
        change = Change(SETTINGS, "remove-season", subject_of(season), before)
        note_change(season.club, change, by, at=at)
        season.delete()


def season_on(club: Club, day: date) -> Season | None:
    """The season of a club in which a day falls; of several the one that began last."""
    return club.seasons.filter(starts_on__lte=day, ends_on__gte=day).first()


def subject_of(season: Season) -> str:
    """What the audit calls a season."""
    return f"season:{season.pk}"


def _locked(season_pk: int) -> Season:
    rows = Season.objects.select_for_update(of=("self",)).select_related("club")
    return rows.get(pk=season_pk)


def dates_of(season: Season) -> SeasonDates:
    """A season as it stands."""
    return SeasonDates(season.name, season.starts_on, season.ends_on, season.league_best)


def _told(dates: SeasonDates) -> dict[str, str | int | None]:
    days = {"starts_on": str(dates.starts_on), "ends_on": str(dates.ends_on)}
    return {"name": dates.name, **days, "league_best": dates.league_best}
