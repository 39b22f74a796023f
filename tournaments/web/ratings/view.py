"""The page of a leaderboard: its players, and the visitor's place."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Page, Paginator
from django.http import HttpRequest
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from tournaments.models import Club, PlayerRating, RatingPool, Season
from tournaments.presenters.people.players import has_page
from tournaments.presenters.ratings.ratings import BoardReader, called, listed_in
from tournaments.queries.ratings.ratings import (
    MOST_FOUND,
    Line,
    Listed,
    ListedInSeason,
    rating_of_account,
)
from tournaments.texts.labels import family_name, points_text

PAGE = 50


@dataclass(frozen=True)
class BoardQuery:
    """The query of the page's address."""

    game: str
    season: str
    name: str
    page: str
    active: bool
    provisional: bool

    @staticmethod
    def of(request: HttpRequest) -> "BoardQuery":
        """Parse the address; ignore unknown values."""
        get = request.GET.get
        return BoardQuery(
            game=get("game", ""),
            season=get("season", ""),
            name=get("q", "").replace("\0", "").strip(),
            page=get("page", ""),
            active=get("active") != "all",
            provisional=get("provisional") == "yes",
        )

    @property
    def is_usual(self) -> bool:
        return self.active and not self.provisional

    @property
    def kept(self) -> list[tuple[str, str]]:
        return [(name, value) for name, value in self._sent if value]

    @property
    def kept_with_name(self) -> list[tuple[str, str]]:
        return [*self.kept, *([("q", self.name)] if self.name else [])]

    def address(self, **changed: str) -> str:
        """Return the address of this page with some changes, and without the search."""
        return "?" + urlencode({**dict(self.kept), **changed})

    @property
    def _sent(self) -> list[tuple[str, str]]:
        return [
            ("game", self.game),
            ("season", self.season),
            ("active", "" if self.active else "all"),
            ("provisional", "yes" if self.provisional else ""),
        ]


@dataclass(frozen=True)
class BoardRow:
    """A row of the leaderboard for one visitor, with the club if the visitor may know it."""

    line: Line
    mine: bool
    linked: bool
    club: str

    @property
    def games(self) -> str:
        number = self.line.games
        said = number_format(number, force_grouping=True)
        return ngettext("%(number)s game", "%(number)s games", number) % {"number": said}

    @property
    def change(self) -> str:
        change = self.line.change
        if change is None:
            return pgettext("on the leaderboard", "new")
        return f"+{change}" if change > 0 else points_text(change)


@dataclass(frozen=True)
class Mine:
    """The visitor's place on the list; with rank 0, a reason why there may be none."""

    address: str
    rank: int = 0
    provisional: bool = False
    rests: bool = False


@dataclass(frozen=True)
class BoardPage:
    """A leaderboard, one page of it."""

    asked: BoardQuery
    family: str
    families: Sequence[tuple[str, str]]
    season: Season | None
    seasons: Sequence[Season]
    part: "Page[Any]"
    rows: Sequence[BoardRow]
    # The length of the whole list, and whether more were found than are shown.
    total: int
    more: bool
    mine: Mine | None
    filter_text: str

    @property
    def players(self) -> str:
        number = self.part.paginator.count
        said = number_format(number, force_grouping=True)
        return ngettext("%(number)s player", "%(number)s players", number) % {"number": said}


def board_of(
    asked: BoardQuery,
    club: Club | None,
    pools: Sequence[RatingPool],
    looker: BoardReader,
    now: datetime,
) -> BoardPage:
    """Return the requested page of a leaderboard, in a fixed number of queries."""
    pool = next((each for each in pools if each.family == asked.game), pools[0])
    seasons = list(club.seasons.all()) if club is not None else []
    season = next((each for each in seasons if str(each.pk) == asked.season), None)
    listed = listed_in(pool, season, now, active=asked.active, provisional=asked.provisional)
    if asked.is_usual and not listed.ranks.total:
        # Nobody is both active and settled: everybody says more than an empty list.
        asked = replace(asked, active=False, provisional=True)
        listed = listed_in(pool, season, now, active=False, provisional=True)
    own = rating_of_account(pool, looker.user.pk) if looker.user is not None else None
    found = listed.keys_called(called(asked.name, looker, club)) if asked.name else None
    part, keys = _page_of(listed, found, asked.page)
    return BoardPage(
        asked=asked,
        family=pool.family,
        families=[(each.family, family_name(each.family)) for each in pools],
        season=season,
        seasons=seasons,
        part=part,
        rows=[_row(line, own, club, looker) for line in listed.lines(keys)],
        total=listed.ranks.total,
        more=found is not None and len(found) > MOST_FOUND,
        mine=_mine(asked, listed, own, now) if own is not None else None,
        filter_text=_filter_text(asked, season),
    )


def _filter_text(asked: BoardQuery, season: Season | None) -> str:
    if season is not None:
        first = season.name
    else:
        first = _("Active players") if asked.active else _("All players")
    second = _("with provisional") if asked.provisional else _("settled ratings")
    return f"{first} · {second}"


def _page_of(
    listed: Listed | ListedInSeason, found: list[int] | None, number: str
) -> "tuple[Page[Any], list[int]]":
    if found is not None:
        part = Paginator(found[:MOST_FOUND], PAGE).get_page(number)
        return part, list(part)
    # Only counted: the rows are read by the index.
    part = Paginator(range(listed.ranks.total), PAGE).get_page(number)
    return part, listed.keys((part.number - 1) * PAGE, PAGE)


def _row(line: Line, own: PlayerRating | None, club: Club | None, looker: BoardReader) -> BoardRow:
    player = line.row.player
    member = player.club_id in looker.roles
    known = club is None and (member or player.club.published)
    return BoardRow(
        line,
        mine=own is not None and own.pk == line.row.pk,
        linked=player.removed_at is None if member else has_page(player.club, player),
        club=player.club.name if known else "",
    )


def _mine(
    asked: BoardQuery, listed: Listed | ListedInSeason, own: PlayerRating, now: datetime
) -> Mine:
    place = listed.place(own)
    if place is not None:
        rank, before = place
        return Mine(f"{asked.address(page=str(before // PAGE + 1))}#me", rank)
    rests = Listed(own.pool, now).rests(own)
    shows = {"provisional": "yes" if own.provisional else "", "active": "all" if rests else ""}
    return Mine(asked.address(**{k: v for k, v in shows.items() if v}), 0, own.provisional, rests)
