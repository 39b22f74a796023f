"""The front page of a club: the next evening, who leads, the last winners, what was reached."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from zlib import crc32

from django.core.cache import caches
from django.db.models import Count, Q
from django.http import HttpRequest
from django.templatetags.static import static
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from tournaments.models import Club, Event, RatedRound, Season, Tournament
from tournaments.models.clubs import DIRECTING
from tournaments.models.events import EventQuerySet
from tournaments.presenters.people.players import NamedPlayer
from tournaments.presenters.standings.standings import LeagueReader
from tournaments.presenters.statistics.statistics import (
    ClubFront,
    EveningWinner,
    FallenRecord,
    FrontReader,
    Milestone,
    front_of,
)
from tournaments.queries.site import PlayingEvent, version_of_games
from tournaments.queries.tournaments.state import rules_of_tournament
from tournaments.services.events.events import dates_of
from tournaments.texts.labels import points_text
from tournaments.web.base.curves import curve_of
from tournaments.web.base.link_preview import LinkPreview, as_of, link_preview
from tournaments.web.clubs.bar import ClubBar
from tournaments.web.standings.view import KEPT_SECONDS
from tournaments.web.tournaments.overview import filling_text, playing_text, register_address

WINNERS = 5
CURVE = (96, 28, 4)


@dataclass(frozen=True, slots=True)
class NextEvent:
    """The next event as a card, or the one being played: who comes, and its one button."""

    event: Event
    coming: str
    button: str
    url: str
    playing: bool = False


@dataclass(frozen=True, slots=True)
class LeaderLine:
    place: int
    named: NamedPlayer
    points: str
    curve: str
    beside: str
    end: tuple[str, str]


@dataclass(frozen=True, slots=True)
class WinnerLine:
    """A past evening: its winners with their points, if any, and its tables and Kings."""

    event: Event
    names: tuple[NamedPlayer, ...]
    points: str
    kings: tuple[NamedPlayer, ...]
    tables: int

    @property
    def who(self) -> str:
        return ", ".join(named.name for named in self.names)

    @property
    def of_kings(self) -> str:
        return ", ".join(named.name for named in self.kings)


@dataclass(frozen=True, slots=True)
class RecordText:
    value: str
    text: str
    before: str


@dataclass(frozen=True, slots=True)
class FrontPage:
    leaders: tuple[LeaderLine, ...]
    winners: tuple[WinnerLine, ...]
    record: RecordText | None
    milestones: tuple[tuple[str, Milestone], ...]


def front_page(
    request: HttpRequest, bar: ClubBar, events: EventQuerySet, now: Sequence[PlayingEvent]
) -> FrontPage:
    """Return the front page, cached by this process until a change (6 queries, or up to 22)."""
    # The type checker does not see the annotations.
    past: list[Any] = list(last_events(events, now)[:WINNERS])
    seasons = bar.club.seasons.select_related("club")
    season = seasons.filter(pk=bar.season).first() if bar.season else None
    key = _version(request, bar, season, past)
    kept: FrontPage | None = caches["pages"].get(key)
    if kept is None:
        kept = _front(request, bar, season, past)
        caches["pages"].set(key, kept, KEPT_SECONDS)
    return kept


def last_events(events: EventQuerySet, now: Sequence[PlayingEvent]) -> EventQuerySet:
    """Filter to what is over, the latest first, with the numbers of their tables."""
    rows = events.filter(held_on__lte=timezone.localdate()).exclude(
        Q(pk__in=[each.event.pk for each in now])
        | Q(tournament__state=Tournament.State.REGISTRATION)
    )
    counted = rows.annotate(tables=Count("rounds__tables"))
    return counted.filter(tables__gt=0).select_related("tournament").order_by("-held_on", "-pk")


def _version(request: HttpRequest, bar: ClubBar, season: Season | None, past: Sequence[Any]) -> str:
    shown = [(each.pk, each.name, each.held_on, each.tables) for each in past]
    of_season = season and (season.pk, dates_of(season))
    rated = RatedRound.objects.filter(pool__club=bar.club).order_by("-pk").values_list("pk")
    version = (*version_of_games(bar.club, request.user), rated.first())
    who = (bar.role, bar.shows_records, get_language(), timezone.localdate())
    said = repr((bar.club.pk, of_season, shown, version, who))
    return f"club-front-{sha256(said.encode()).hexdigest()}"


def _front(
    request: HttpRequest, bar: ClubBar, season: Season | None, past: Sequence[Event]
) -> FrontPage:
    looker = LeagueReader(member=bool(bar.role), directs=bar.directs)
    reader = FrontReader(request.user, looker, bar.shows_records)
    front = front_of(bar.club, reader, season, past, timezone.localdate())
    return FrontPage(
        leaders=tuple(_leader_lines(front)),
        winners=tuple(_winner_line(event, front) for event in past),
        record=_record_text(front.record, front) if front.record else None,
        milestones=tuple((_milestone_text(each, front), each) for each in front.milestones),
    )


def _leader_lines(front: ClubFront) -> list[LeaderLine]:
    """Return the leaders, with their curves on one scale.

    The first curve stands beside the second, all others beside the first.
    """
    values = [0, *(points for leader in front.leaders for points in leader.course)]
    low, high = min(values), max(values)
    curves = [curve_of(each.course, low, high, CURVE) for each in front.leaders]
    lines = []
    for number, (each, (path, end)) in enumerate(zip(front.leaders, curves, strict=True)):
        beside = curves[0 if number else min(1, len(curves) - 1)][0]
        name = front.names[each.player]
        lines.append(LeaderLine(each.place, name, points_text(each.points), path, beside, end))
    return lines


def _winner_line(event: Any, front: ClubFront) -> WinnerLine:
    found = front.winners.get(event.pk) or EveningWinner((), 0, ())
    return WinnerLine(
        event=event,
        names=tuple(front.names[player] for player in found.players),
        points=points_text(found.points),
        kings=tuple(front.names[player] for player in found.kings),
        tables=event.tables,
    )


def _record_text(record: FallenRecord, front: ClubFront) -> RecordText:
    new, old = record.new, record.old
    names = _names(new.players, front)
    if record.kind == "runs":
        text = ngettext(
            "%(name)s has come out of %(number)s game in a row.",
            "%(name)s has come out of %(number)s games in a row.",
            int(new.value),
        ) % {"name": names, "number": new.value}
    else:
        text = _("%(name)s made the highest game of the club.") % {"name": names}
    before = _("%(value)s before: %(name)s") % {
        "value": points_text(old.value),
        "name": _names(old.players, front),
    }
    return RecordText(points_text(new.value), text, before)


def _names(players: Sequence[int], front: ClubFront) -> str:
    return " + ".join(front.names[player].name for player in players)


def _milestone_text(each: Milestone, front: ClubFront) -> str:
    name = front.names[each.player].name
    if each.kind == "king":
        return _("%(name)s made a first King") % {"name": name}
    return _("%(name)s played game number %(number)s") % {"name": name, "number": each.number}


def preview_of(request: HttpRequest, club: Club, front: FrontPage) -> LinkPreview | None:
    """Return what a chat shows of a published club: who leads or has won, and its picture."""
    if not club.published:
        return None
    names = [line.named.name for line in front.leaders[:3]]
    line = f"{_('Leading the season')}: {', '.join(names)}" if names else ""
    if not line and front.winners:
        line = f"{front.winners[0].event.name}: {front.winners[0].who}"
    picture = static("kingscore-wide.png")
    if front.leaders:
        version = crc32(repr([(each.named.name, each.points) for each in front.leaders]).encode())
        picture = as_of(reverse("club_picture", args=[club.slug]), version)
    line = line or _("The evenings of the club, who leads, and its records.")
    return link_preview(request, club.name, line, picture)


def playing_event(club: Club, playing: PlayingEvent) -> NextEvent:
    """Return what is being played as a card, with the tables of its round for its directors."""
    event = playing.event
    at = reverse("event", args=[club.slug, event.public_id])
    if event.is_tournament and playing.round:
        at = reverse("running", args=[club.slug, event.tournament.slug, playing.round])
    return NextEvent(event, playing_text(playing), _("Enter results"), at, playing=True)


def next_event(event: Event, role: str) -> NextEvent:
    """Return a coming event as a card, where its visitor with this role may register for it."""
    at, button = reverse("event", args=[event.club.slug, event.public_id]), _("Open")
    tournament: Tournament | None = getattr(event, "tournament", None)
    if tournament is None or tournament.state != Tournament.State.REGISTRATION:
        return NextEvent(event, "", button, at)
    register = "" if role in DIRECTING else register_address(tournament, member=bool(role))
    if register:
        at, button = register, _("Register")
    return NextEvent(event, coming_text(event), button, at)


def coming_text(event: Any) -> str:
    """Return how many have registered, and how many more fill the last table."""
    number, seats = event.comers, rules_of_tournament(event.tournament).side_count
    if not number:
        return ""
    text = ngettext("%(number)s comes.", "%(number)s come.", number) % {"number": number}
    return f"{text} {filling_text(number, seats)}".strip()
