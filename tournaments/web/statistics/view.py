"""The statistics of a club, cached until a game, a name or a season changes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from hashlib import sha256
from typing import Any

from django.core.cache import caches
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from tournaments.engine.rules.rulesets import Points
from tournaments.engine.statistics import ClubSums, Record
from tournaments.models import Club, Game, RatedRound, Season, Visitor
from tournaments.presenters.people.players import NamedPlayer, named_players
from tournaments.presenters.standings.standings import LeagueReader
from tournaments.presenters.statistics.statistics import Champion, NumbersFilter, Wanted, numbers_of
from tournaments.queries.site import version_of_games
from tournaments.services.events.events import dates_of
from tournaments.texts.labels import points_text
from tournaments.web.standings.view import KEPT_SECONDS
from tournaments.web.statistics.play_times import months_of, week_of, years_of


@dataclass(frozen=True, slots=True)
class StatisticsFragment:
    """The page as a fragment, and its filters."""

    html: SafeString
    scope: NumbersFilter


@dataclass(frozen=True, slots=True)
class RecordLine:
    """A record: the value, its holders, and the game."""

    value: str
    names: tuple[NamedPlayer, ...]
    url: str
    day: date


@dataclass(frozen=True, slots=True)
class ActiveLine:
    """A frequent player, with the length of the bar; the longest bar is 100."""

    named: NamedPlayer
    games: int
    evenings: int
    bar: int


def numbers_shown(club: Club, visitor: Visitor, wanted: Wanted) -> StatisticsFragment:
    """Return the statistics, cached by this process until a change (4 queries, then none)."""
    seasons = list(club.seasons.all())
    details = [(s.pk, dates_of(s)) for s in seasons]
    rated = RatedRound.objects.filter(pool__club=club).order_by("-pk").values_list("pk", flat=True)
    version = (*version_of_games(club, visitor), rated.first())
    day = timezone.localdate()
    said = repr((club.pk, details, version, wanted, day, get_language()))
    key = f"club-numbers-{sha256(said.encode()).hexdigest()}"
    kept: StatisticsFragment | None = caches["pages"].get(key)
    if kept is None:
        kept = _shown(club, visitor, wanted, seasons)
        caches["pages"].set(key, kept, KEPT_SECONDS)
    return kept


def _shown(
    club: Club, visitor: Visitor, wanted: Wanted, seasons: Sequence[Season]
) -> StatisticsFragment:
    numbers = numbers_of(club, visitor, wanted, seasons)
    page = _page(club, numbers.sums, wanted.looker, numbers.champion)
    return StatisticsFragment(
        render_to_string("tournaments/statistics/_numbers.html", page), numbers.scope
    )


def _page(
    club: Club, sums: ClubSums, looker: LeagueReader, champion: Champion | None
) -> Mapping[str, Any]:
    records = (*sums.highest, *sums.lowest, *sums.kings, *sums.runs)
    crowned = champion.players if champion else ()
    keys = {player for record in records for player in record.players}
    keys |= {each.player for each in sums.active} | {*crowned}
    names = named_players(club, keys, member=looker.member)
    urls = _sheets(club, {record.key for record in records})
    most = max((each.games for each in sums.active), default=1)
    return {
        "club": club,
        "sums": sums,
        "champion": champion,
        "crowned": [names[player] for player in crowned],
        "records": list(_records(sums, names, urls)),
        "active": [
            ActiveLine(names[a.player], a.games, a.evenings, max(1, 100 * a.games // most))
            for a in sums.active
        ],
        "week": week_of(sums.hours),
        "months": months_of(sums.months),
        "years": years_of(sums.months),
    }


def _sheets(club: Club, keys: Iterable[int]) -> dict[int, str]:
    """Return the addresses of the sheets of games (1 query)."""
    rows = Game.objects.filter(pk__in=list(keys)).values_list("pk", "public_id")
    return {pk: reverse("club_game", args=[club.slug, public_id]) for pk, public_id in rows}


def _records(
    sums: ClubSums, names: Mapping[int, NamedPlayer], urls: Mapping[int, str]
) -> Iterator[tuple[str, list[RecordLine]]]:
    """Yield each record by its name, with its best holders; omit records without a holder."""
    held = (
        (_("Highest game"), sums.highest, points_text),
        (_("Lowest game"), sums.lowest, points_text),
        (_("Most Kings"), sums.kings, str),
        (_("Longest run out"), sums.runs, _games_in_a_row),
    )
    for title, records, text in held:
        if records:
            yield title, [_line(record, text(record.value), names, urls) for record in records]


def _line(
    record: Record, value: str, names: Mapping[int, NamedPlayer], urls: Mapping[int, str]
) -> RecordLine:
    players = tuple(names[player] for player in record.players)
    return RecordLine(value, players, urls[record.key], record.at.date())


def _games_in_a_row(number: Points) -> str:
    return ngettext("%(number)s game", "%(number)s games", int(number)) % {"number": number}
