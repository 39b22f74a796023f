"""Pages of leaderboards, and of predictions."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.translation import get_language, ngettext, pgettext
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from tournaments.engine.play.games import only_totals
from tournaments.engine.ratings.ratings import COIN
from tournaments.models import Club, PlayerRating, RatingDue, RatingPool, Tournament
from tournaments.models.clubs import DIRECTING, Role
from tournaments.permissions import account_of, club_leaderboards, directed_club, directs_club
from tournaments.queries.leaderboards import (
    BoardReader,
    Leaderboard,
    calibration_view,
    pools_of_club,
    pools_of_server,
)
from tournaments.queries.player_pages import has_page
from tournaments.queries.ratings import (
    MOST_FOUND,
    CurrentRatings,
    Line,
    accuracy_of_tournament,
    is_to_be_rated,
    rating_of_account,
    seats_rated,
)
from tournaments.queries.sheets import Sheet
from tournaments.queries.watching import watched_ratings
from tournaments.reports.ratings import ratings_document
from tournaments.texts.labels import family_name, points_text
from tournaments.web.base.pages import HtmxRequest, cached_for_going_back, not_modified, tag_of
from tournaments.web.base.phone import LinkPreview, club_page_preview, program_preview

PAGE = 50


@dataclass(frozen=True)
class BoardQuery:
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
    def filters(self) -> list[tuple[str, str]]:
        fields = [
            ("game", self.game),
            ("season", self.season),
            ("active", "" if self.active else "all"),
            ("provisional", "yes" if self.provisional else ""),
        ]
        return [(name, value) for name, value in fields if value]

    @property
    def filters_with_name(self) -> list[tuple[str, str]]:
        return [*self.filters, *([("q", self.name)] if self.name else [])]

    def address(self, **changed: str) -> str:
        return "?" + urlencode({**dict(self.filters), **changed})


def board_of(
    query: BoardQuery,
    club: Club | None,
    pools: Sequence[RatingPool],
    reader: BoardReader,
    now: datetime,
) -> dict[str, Any]:
    """Return the requested page of a leaderboard, in a fixed number of queries."""
    pool = next((each for each in pools if each.family == query.game), pools[0])
    seasons = list(club.seasons.all()) if club is not None else []
    season = next((each for each in seasons if str(each.pk) == query.season), None)
    board = Leaderboard(pool, season, reader, now, query.active, query.provisional, query.name)
    if query.active and not query.provisional and not board.listed.ranks.total:
        # Nobody is both active and settled: everybody says more than an empty list.
        query = replace(query, active=False, provisional=True)
        board = replace(board, active=False, provisional=True)
    own = rating_of_account(pool, reader.user.pk) if reader.user is not None else None
    number = board.total
    part = Paginator(range(number), PAGE).get_page(query.page)
    lines = board.lines((part.number - 1) * PAGE, PAGE)
    players = ngettext("%(number)s player", "%(number)s players", number)
    first = _("Active players") if query.active else _("All players")
    second = _("with provisional") if query.provisional else _("settled ratings")
    return {
        "asked": query,
        "family": pool.family,
        "families": [(each.family, family_name(each.family)) for each in pools],
        "season": season,
        "seasons": seasons,
        "part": part,
        "players": players % {"number": number_format(number, force_grouping=True)},
        "rows": [_row(line, own, club, reader) for line in lines],
        # The length of the whole list, and whether more were found than are shown.
        "total": board.listed.ranks.total,
        "more": board.found is not None and len(board.found) > MOST_FOUND,
        "mine": _mine(query, board, own) if own is not None else None,
        "filter_text": f"{season.name if season is not None else first} · {second}",
    }


def _row(
    line: Line, own: PlayerRating | None, club: Club | None, reader: BoardReader
) -> dict[str, Any]:
    """Return a row for one visitor, with the club if the visitor may know it."""
    player, change = line.row.player, line.change
    games = ngettext("%(number)s game", "%(number)s games", line.games)
    moved = points_text(change or 0)
    if change is None:
        moved = pgettext("on the leaderboard", "new")
    elif change > 0:
        moved = f"+{change}"
    return {
        "line": line,
        "mine": own is not None and own.pk == line.row.pk,
        "linked": reader.knows(player) or has_page(player.club, player),
        "club": player.club.name if club is None and reader.may_see(player.club) else "",
        "games": games % {"number": number_format(line.games, force_grouping=True)},
        "change": moved,
    }


def _mine(query: BoardQuery, board: Leaderboard, own: PlayerRating) -> dict[str, Any]:
    """Return the visitor's place on the list; without one, a reason why there may be none."""
    place = board.listed.place(own)
    if place is not None:
        rank, before = place
        return {"rank": rank, "address": f"{query.address(page=str(before // PAGE + 1))}#me"}
    rests = CurrentRatings(own.pool, board.now).rests(own)
    shows = {"provisional": "yes" if own.provisional else "", "active": "all" if rests else ""}
    address = query.address(**{name: value for name, value in shows.items() if value})
    return {"rank": 0, "address": address, "provisional": own.provisional, "rests": rests}


@cached_for_going_back
@require_safe
def server_ratings(request: HtmxRequest) -> HttpResponse:
    return _show(request, None, pools_of_server())


@cached_for_going_back
@require_safe
def club_ratings(request: HtmxRequest, slug: str) -> HttpResponse:
    """Show the ratings of a club; members see the page before anybody is rated, too."""
    return _show(request, *club_leaderboards(request, slug))


@require_safe
def server_calibration(request: HttpRequest) -> HttpResponse:
    return _calibration(request, pools_of_server())


@require_safe
def club_calibration(request: HttpRequest, slug: str) -> HttpResponse:
    return _calibration(request, pools_of_club(slug, request.user))


@require_safe
def export(request: HttpRequest, slug: str) -> HttpResponse:
    """Download the club's ratings with all rated games as a document."""
    club = directed_club(request, slug)
    if RatingDue.objects.filter(club=club).exists():
        messages.error(request, _("The ratings are being computed: try again in a moment."))
        return redirect("club_ratings", slug)
    answer = JsonResponse(ratings_document(club), json_dumps_params={"ensure_ascii": False})
    answer["Content-Disposition"] = f'attachment; filename="{slug}-ratings.json"'
    return answer


def _calibration(request: HttpRequest, pools: list[RatingPool]) -> HttpResponse:
    if not pools:
        raise Http404
    seen = calibration_view(pools, request.GET.get("game", ""))
    club = pools[0].club
    page = {"club": club, "seen": seen, "directs": club and directs_club(request, club)}
    return render(request, "tournaments/ratings/calibration.html", page)


def _preview(request: HttpRequest, club: Club) -> LinkPreview | None:
    line = _("How strong the players of %(club)s are: their ratings, and how they have moved.")
    return club_page_preview(request, club, _("Ratings"), line)


def _show(request: HtmxRequest, club: Club | None, pools: list[RatingPool]) -> HttpResponse:
    """Show the requested leaderboard; htmx requests matches while one types, or changes."""
    query = BoardQuery.of(request)
    reader = BoardReader.of(account_of(request))
    key = str(club.pk if club else 0)
    seen = [key, watched_ratings([key]), query, reader, timezone.localdate(), get_language()]
    etag = tag_of([*seen, request.COOKIES.get("theme")])
    if request.htmx and (unchanged := not_modified(request, etag)):
        return unchanged
    board = board_of(query, club, pools, reader, timezone.now()) if pools else None
    page = {
        "club": club,
        "asked": query if board is None else board["asked"],
        "board": board,
        "preview": _preview(request, club) if club else program_preview(request, _("Ratings")),
        "headers": json.dumps({"If-None-Match": etag}),
        "owns": club is not None and reader.roles.get(club.pk) == Role.OWNER,
        "directs": club is not None and reader.roles.get(club.pk) in DIRECTING,
    }
    fragment = bool(request.htmx)
    template = "tournaments/ratings/_live.html" if fragment else "tournaments/ratings/ratings.html"
    response = render(request, template, page)
    response["ETag"] = etag
    return response


FEW_PAIRS = 30
"""The minimum of pairs, those of five tables of four: below it, chance dominates."""


def rated_part(request: HttpRequest, sheet: Sheet) -> str:
    """Draw the rating changes of a game in its club (up to 3 queries).

    Empty for an open table, for an unrated one, and for visitors who may not see the ratings.
    """
    row, game = sheet.row, sheet.game
    if row.table_id is None or not game.finished or not any(game.totals):
        return ""
    rated: dict[str, Any] = {}
    seats = seats_rated(row, game.ruleset.sides, sheet.outcome.ranks, request.user)
    if seats:
        # The first place first, as above the sheet.
        last = max(seat["place"] for seat in seats)
        lines = [
            (name, seat, _why_moved(seat, last))
            for name, seat in zip(row.players, seats, strict=True)
        ]
        rated = {"seats": sorted(lines, key=lambda line: line[1]["place"])}
    elif is_to_be_rated(row, request.user):
        # When its round is closed; a game without a deal is rated only by totals from paper.
        rated = {"is_due": bool(game.deals) or only_totals(game, rated=True)}
    return render_to_string("tournaments/ratings/_rated.html", {"rated": rated}) if rated else ""


def _why_moved(seat: dict[str, Any], last: int) -> str:
    """Say in words what moved a rating; empty where that is not known."""
    change, more, worth = seat["change"], seat["more"], seat["worth"]
    if seat["after"] is None or more is None:
        return ""
    number = round(abs(more))
    if not number:
        why = _("as many points as expected")
    elif more > 0:
        why = ngettext(
            "%(points)s point more than expected", "%(points)s points more than expected", number
        )
    else:
        why = ngettext(
            "%(points)s point fewer than expected", "%(points)s points fewer than expected", number
        )
    why %= {"points": points_text(number)}
    if worth is not None:
        number = round(abs(worth))
        if worth > 0:
            text = _("%(why)s; the place, which counts half, worth %(points)s more")
        else:
            text = _("%(why)s; the place, which counts half, worth %(points)s less")
        why = text % {"why": why, "points": points_text(number)}
    if change < 0 and seat["place"] == 1:
        text = _("First at the table, but lost %(change)s: %(why)s.")
    elif change > 0 and seat["place"] == last:
        text = _("Last at the table, but gained %(change)s: %(why)s.")
    elif change:
        text = _("Gained %(change)s: %(why)s.") if change > 0 else _("Lost %(change)s: %(why)s.")
    else:
        text = _("No change: %(why)s.")
    return text % {"change": points_text(abs(change)), "why": why}


def accuracy_lines(request: HttpRequest, row: Tournament, *, directs: bool) -> list[str]:
    """Return sentences on how well ratings predicted a tournament's places (up to 2 queries).

    While it is played, for its directors only; empty if there are no predictions.
    """
    details = accuracy_of_tournament(row, request.user, directs=directs)
    if not details.pairs:
        return []

    figures = {
        # Rounded first, since the format cuts off extra digits.
        "share": number_format(round(100 * details.share)),
        "pairs": number_format(details.pairs, force_grouping=True),
        "loss": number_format(Decimal(f"{details.log_loss:.2f}"), 2),
        "coin": number_format(Decimal(f"{COIN:.2f}"), 2),
    }
    lines = [
        ngettext(
            "Who of two at a table ends above the other: the ratings were right for"
            " %(share)s %% of %(pairs)s pair; a coin is right for half.",
            "Who of two at a table ends above the other: the ratings were right for"
            " %(share)s %% of %(pairs)s pairs; a coin is right for half.",
            details.pairs,
        )
        % figures,
        _("Their log-loss is %(loss)s, that of a coin %(coin)s: the lower, the better.") % figures,
    ]
    if details.pairs < FEW_PAIRS:
        lines.append(_("That is still too few to say much."))
    elif details.log_loss > COIN:
        lines.append(_("This time a coin would have done better."))
    return lines
