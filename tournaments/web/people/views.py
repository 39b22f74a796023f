"""Pages of players: their numbers, their games against others, and merging."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from hashlib import sha256
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.core.cache import caches
from django.core.paginator import Page, Paginator
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.timezone import localdate
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from tournaments.engine.rules.rulesets import Points
from tournaments.models import Club, Member, Player, PlayerRating, Report, Seat, fields
from tournaments.models.people import PUBLIC, PlayerQuerySet, name_order
from tournaments.permissions import (
    account_of,
    actor_of,
    directed_club,
    directs_club,
    in_its_time,
    members_club,
)
from tournaments.queries.leaderboards import draw_curve
from tournaments.queries.player_pages import (
    RESULT_FIELDS,
    average,
    badges_of,
    contracts_of,
    facts_of,
    figures_of,
    has_page,
    listed_games,
    opponents_of,
    percent,
    places_of,
    rows_of,
    rows_with,
    rulesets_of,
)
from tournaments.queries.players import (
    HistoryPart,
    ListedGames,
    PlayerGame,
    PlayerSums,
    account_name,
    game_at_seat,
    games_of,
    head_to_head,
    in_name_order,
    limited_seats,
    meetings_with,
    newest_of,
    parts_of,
    players_found,
    rating_details,
    rating_row,
    ratings_of,
    seats_of,
    steps_by,
    steps_of,
)
from tournaments.queries.statistics import NumbersFilter, filter_of
from tournaments.services.imports.files import FileRefused
from tournaments.services.people.merging import (
    WHY_NOT,
    MergedFurther,
    NotOnePerson,
    StillPlaying,
    Unlike,
    merge_players,
    undo_merge,
    why_not_one,
)
from tournaments.services.people.players import NameTaken, NoName, add_player, sums_of_games
from tournaments.web.base.forms import NameField, warn_of_boxes
from tournaments.web.base.pages import HtmxRequest, cached_for_going_back
from tournaments.web.base.phone import LinkPreview, link_preview
from tournaments.web.clubs.views import club_bar
from tournaments.web.documents.views import ask_for_members, asking
from tournaments.web.imports.reading import PLAYERS, read_list
from tournaments.web.imports.views import added_sentence, import_players
from tournaments.web.standings.tables import KEPT_SECONDS

GAMES = 25
OPPONENTS = 6
"""The number of frequent opponents; the others have a page of their own."""


def curve_of(
    own: PlayerRating,
    games: ListedGames | None,
    parts: Sequence[HistoryPart],
    until: datetime | None,
) -> str:
    """Return the curve of a rating as HTML, by all its games or only some (1 or 2 queries).

    This process keeps it until tomorrow, another game, or a change of these `parts`.
    """
    rated = (own.pk, own.games, own.mean, own.variance, own.last_at)
    version = games is not None and [(part_.key, part_.checksum) for part_ in parts]
    version_key = repr((rated, version, until and localdate(until), get_language()))
    key = f"curve-{sha256(version_key.encode()).hexdigest()}"
    html: str | None = caches["pages"].get(key)
    if html is None:
        keys = None if games is None else games.keys()
        steps = [each for each in steps_of(own) if keys is None or each.game in keys]
        curve = draw_curve(steps, until)
        html = (
            render_to_string("tournaments/ratings/_curve.html", {"curve": curve}) if curve else ""
        )
        caches["pages"].set(key, html, KEPT_SECONDS)
    return html


def preview_of(
    request: HttpRequest, row: Player, rating: dict[str, Any] | None, sums: PlayerSums
) -> LinkPreview | None:
    """Return what a chat shows of a player with a public page."""
    if not has_page(row.club, row):
        return None
    rank = (rating["rank"], rating["ranked"]) if rating and rating["rank"] else None
    facts = facts_of(rating["now"] if rating else None, rank, sums)
    line = " · ".join([*(f"{name}: {value}" for name, value in facts), row.club.name])
    return link_preview(request, row.shown_name, line)


def chosen_games(
    request: HttpRequest, seats: QuerySet[Seat], rated: str = ""
) -> tuple[NumbersFilter, list[HistoryPart], ListedGames]:
    """Return the filter of the address, and the parts and games of a player in it (2 queries).

    Without games it is the `rated` family.
    """
    every, number = parts_of(seats, timezone.localdate())
    counted = Counter[tuple[str, int | None]]()
    for each in every:
        counted[each.family, each.season] += each.games
    scope = filter_of(counted, *_wanted(request), rated)
    parts = scope.select(every)
    listed = sum(part_.games for part_ in parts)
    if listed < number:
        seats = limited_seats(seats, scope.family, scope.season)
    return scope, parts, ListedGames(seats, listed)


def _wanted(request: HttpRequest) -> tuple[str, str]:
    return request.GET.get("game", ""), request.GET.get("season", "")


def player_page(request: HttpRequest, row: Player, *, member: bool) -> dict[str, Any]:
    """Return the context of a player's page, in a fixed number of queries.

    Others than members see published games.
    """
    at = timezone.now()
    ratings = ratings_of(row)
    rated = next((each.pool.family for each in ratings if each.pool.club_id), "")
    seats = seats_of(row, request.user, published=not member)
    scope, parts, games = chosen_games(request, seats, rated)
    sums = sums_of_games(row, seats, parts, keep=member)
    listed = cast("Sequence[tuple[int, int]]", games)
    part = Paginator(listed, GAMES).get_page(request.GET.get("page"))
    keys = [pk for pk, _seat in part]
    ends = [game for game in (sums.best, sums.worst) if game is not None]
    rows = rows_with(RESULT_FIELDS, [*keys, *(game.pk for game in ends)])
    own = rating_row(ratings, scope.family)
    rating, steps = None, []
    if own is not None:
        some, until = (None, at) if scope.season is None else (games, None)
        curve = curve_of(own, some if member else games, parts, until)
        rating, steps = {**rating_details(own, ratings, at), "curve": curve}, steps_by(own, rows)
    return {
        "scope": scope,
        "rating": rating,
        "preview": preview_of(request, row, rating, sums),
        "sums": sums,
        "figures": figures_of(sums),
        "places": places_of(sums),
        "contracts": contracts_of(sums, rulesets_of(newest_of(parts))),
        "badges": badges_of(sums),
        "opponents": opponents_of(sums.met, OPPONENTS),
        "extremes": listed_games(ends, steps, rows) if sums.games > 1 else [],
        "part": part,
        # One may have been deleted since.
        "games": listed_games(
            [game_at_seat(rows[pk], seat) for pk, seat in part if pk in rows], steps, rows
        ),
    }


PAGE = 50
MOST_FOUND = 500


class FromBothEnds(Paginator):  # type: ignore[type-arg]  # Django has no type there at run time
    """Pages of an ordered query; pages in its second half are read from the end."""

    def page(self, number: int | str) -> Page[Any]:
        """Return one page, in the order of the query."""
        number = self.validate_number(number)
        first = (number - 1) * self.per_page
        if first <= self.count // 2:
            return super().page(number)
        last = min(first + self.per_page, self.count)
        assert isinstance(self.object_list, QuerySet)
        backwards = self.object_list.reverse()[self.count - last : self.count - first]
        return Page(list(backwards)[::-1], number, self)


@require_safe
def players(request: HtmxRequest, slug: str) -> HttpResponse:
    """List the players of a club for its members; htmx requests matches while one types."""
    club = members_club(request, slug)
    directs = directs_club(request, club)
    query = request.GET.get("q", "").replace("\0", "").strip()
    keys = in_name_order(players_found(club, query, directs=directs))
    # A search stops after enough matches and runs once; only the whole list is counted.
    found = list(keys[: MOST_FOUND + 1]) if query else []
    part, rows = _page_of(found[:MOST_FOUND] if query else keys, request.GET.get("page"))
    page = {
        "club": club,
        "asked": query,
        "part": part,
        "players": rows,
        "more": len(found) > MOST_FOUND,
        "directs": directs,
        "mine": account_of(request),
    }
    fragment = bool(request.htmx)
    template = "tournaments/people/_found.html" if fragment else "tournaments/people/players.html"
    return render(request, template, page)


def _page_of(
    keys: QuerySet[Player, int] | list[int], number: str | None
) -> tuple[Page[int], list[Player]]:
    """Return a page of a list: page through the index alone, then read the rows."""
    pages = Paginator(keys, PAGE) if isinstance(keys, list) else FromBothEnds(keys, PAGE)
    part = pages.get_page(number)
    rows = Player.objects.in_bulk(list(part))
    return part, [rows[pk] for pk in part if pk in rows]


def new_players(request: HttpRequest, slug: str) -> HttpResponse:
    """Add one player, or preview a list of players."""
    club = directed_club(request, slug)
    with suppress(FileRefused, NameTaken, NoName):
        read = read_list(request.POST.get("list", ""), PLAYERS)
        if len(read.lines) == 1 and not (read.lines[0].fault or read.left_out or read.contacts):
            name = read.lines[0].name
            added = add_player(club, name, actor_of(request), at=timezone.now())
            messages.success(request, added_sentence(1))
            warn_of_boxes(request, name)
            if not club.events.exists():
                return redirect("club", club.slug)
            return redirect("player", club.slug, added.public_id)
    return import_players(request, slug)


@cached_for_going_back
@require_safe
def player(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """Show a player with their games; show directors the possible actions."""
    seen = Q(club__in=Member.objects.of_user(request.user).values("club")) | PUBLIC
    rows = Player.objects.present().filter(seen, club__slug=slug)
    row = _only_player(rows, public_id)
    in_its_time(row.club)
    return show_player(request, row)


def _only_player(rows: PlayerQuerySet, public_id: str) -> Player:
    return get_object_or_404(fields.named(rows, public_id).select_related("account", "club"))


def present_player(club: Club, public_id: str) -> Player:
    """Return a player of the club by public id; 404 if merged or removed."""
    row = _only_player(Player.objects.present().filter(club=club), public_id)
    row.club = club
    return row


def directed_player(request: HttpRequest, slug: str, public_id: str) -> Player:
    return present_player(directed_club(request, slug), public_id)


class NameForm(forms.Form):
    name = NameField(label=gettext_lazy("Name"))

    def __init__(self, player: Player, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data, initial={"name": player.name})


def show_player(request: HttpRequest, row: Player, form: NameForm | None = None) -> HttpResponse:
    bar = club_bar(request, row.club)
    if bar is None:
        # Unpublished meanwhile.
        raise Http404
    directs, member = bar.directs, bool(bar.role)
    seen = player_page(request, row, member=member)
    if not member and not seen["part"].paginator.count and seen["rating"] is None:
        raise Http404
    page = seen | {
        "club": row.club,
        "bar": bar,
        "player": row,
        "member": member,
        "asking": asking(Report.Kind.PLAYER_SEASON),
        "name": row.name if directs else row.shown_name,
        "directs": directs,
        "mine": row.account_id is not None and row.account == account_of(request),
        "form": form or NameForm(row),
        "account": account_name(row.account) if directs and row.account else "",
        "merges": list(row.merges.filter(undone_at=None).values_list("pk", "gone__name"))
        if directs
        else (),
    }
    return render(request, "tournaments/people/player.html", page, status=422 if form else 200)


@require_safe
def opponents(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """List a player's opponents, the most frequent first, optionally by name."""
    club = members_club(request, slug)
    row = present_player(club, public_id)
    directs = directs_club(request, club)
    query = request.GET.get("q", "").replace("\0", "").strip()
    seats = seats_of(row, request.user)
    scope, parts, _games = chosen_games(request, seats)
    met = sums_of_games(row, seats, parts, keep=True).met
    more = False
    if query:
        others = players_found(club, query, directs=directs).exclude(pk=row.pk)
        met, more = meetings_with(others, met)
    part = Paginator(sorted(met, key=lambda pk: (-met[pk].games, pk)), PAGE).get_page(
        request.GET.get("page")
    )
    page = {
        "club": club,
        "player": row,
        "name": row.name if directs else row.shown_name,
        "directs": directs,
        "asked": query,
        "scope": scope,
        "part": part,
        "more": more,
        "opponents": opponents_of({pk: met[pk] for pk in part}, PAGE),
    }
    return render(request, "tournaments/people/opponents.html", page)


@require_safe
def against(request: HttpRequest, slug: str, public_id: str, other: str) -> HttpResponse:
    """Compare two players of a club, in a fixed number of queries."""
    club = members_club(request, slug)
    row, beside = present_player(club, public_id), present_player(club, other)
    if row.pk == beside.pk:
        raise Http404
    directs = directs_club(request, club)
    every = games_of(row, request.user, beside)
    scope = filter_of(Counter((game.family, game.season) for game in every), *_wanted(request))
    games = scope.select(every)
    both = head_to_head(row, beside, games, scope.family, timezone.now())
    meeting, chance = both["meeting"], both["chance"]
    if chance is not None:
        above = chance["above"]
        chance |= {"above": percent(above, 100), "below": percent(100 - above, 100)}
    part = Paginator(games, GAMES).get_page(request.GET.get("page"))
    page = {
        "club": club,
        "player": row,
        "other": beside,
        "name": row.name if directs else row.shown_name,
        "other_name": beside.name if directs else beside.shown_name,
        "scope": scope,
        "meeting": meeting,
        "compared": _means(both["compared"]) if meeting.against else None,
        "chance": chance,
        "part": part,
        "games": _together(list(part), both["seats"]),
    }
    return render(request, "tournaments/people/against.html", page)


def _means(sums: Mapping[str, Points]) -> dict[str, str]:
    """Return the means of both over the games in which they were not partners."""
    games = int(sums["games"])
    return {
        "points": average(sums["points"], games),
        "other_points": average(sums["other_points"], games),
        "place": average(sums["places"], games),
        "other_place": average(sums["other_places"], games),
    }


def _together(
    games: Sequence[PlayerGame], beside: Iterable[tuple[int, int, int]]
) -> list[dict[str, Any]]:
    seats: Mapping[int, int] = {pk: seat for pk, seat, _player in beside}
    lines = []
    for one in listed_games(games, [], rows_of(games)):
        game, seat = one.game, seats[one.game.pk]
        lines.append(
            {
                "played": one,
                "pair": game.sides[seat] == game.side,
                "other_place": game.place_of(seat) if game.finished else None,
                "other_points": game.points_of(seat) if game.finished else None,
            }
        )
    return lines


@require_POST
def player_document(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """Request the season shown on the page of a player, or all time."""
    club = members_club(request, slug)
    player = present_player(club, public_id)
    parameters: dict[str, object] = {}
    if chosen := request.POST.get("season"):
        season = next((row for row in club.seasons.all() if str(row.pk) == chosen), None)
        if season is None:
            raise Http404
        parameters = {"season": season.pk, "season_name": season.name}
    if game := request.POST.get("game"):
        parameters["game"] = game[:40]
    return ask_for_members(request, Report.Kind.PLAYER_SEASON, player, parameters)


MERGING_MOST_FOUND = 20


def merge(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """Search the other player, preview the merge, and merge."""
    kept = directed_player(request, slug, public_id)
    others = Player.objects.present().filter(club=kept.club).exclude(pk=kept.pk)
    name = (request.POST if request.method == "POST" else request.GET).get("other", "")
    if not name:
        query = request.GET.get("q", kept.name.split()[0]).replace("\0", "").strip()
        named = others.matching(query).order_by("name_key") if query else others.none()
        found = list(named[: MERGING_MOST_FOUND + 1])
        page = {
            "club": kept.club,
            "player": kept,
            "asked": query,
            "found": sorted(found[:MERGING_MOST_FOUND], key=lambda row: name_order(row.name)),
            "more": len(found) > MERGING_MOST_FOUND,
        }
        return render(request, "tournaments/people/merge.html", page)
    gone = get_object_or_404(fields.named(others, name))
    if request.method != "POST":
        return _ask_page(request, kept, gone, why_not_one(kept, gone))
    try:
        merge_players(kept.pk, gone.pk, actor_of(request), at=timezone.now())
    except NotOnePerson as problem:
        return _ask_page(request, kept, gone, problem.why, status=422)
    done = _("%(gone)s is now %(kept)s.") % {"gone": gone.name, "kept": kept.name}
    messages.success(request, done)
    return redirect("player", slug, public_id)


@require_POST
def part(request: HttpRequest, slug: str, public_id: str, pk: int) -> HttpResponse:
    kept = directed_player(request, slug, public_id)
    row = get_object_or_404(kept.merges.select_related("gone"), pk=pk)
    try:
        undo_merge(row.pk, actor_of(request), at=timezone.now())
    except MergedFurther as error:
        # The page of a merged player does not exist either.
        raise Http404 from error
    except StillPlaying as error:
        messages.error(request, str(error))
        return redirect("player", slug, public_id)
    done = _("%(gone)s is a player of their own again.") % {"gone": row.gone.name}
    messages.success(request, done)
    return redirect("player", slug, public_id)


def _ask_page(
    request: HttpRequest, kept: Player, gone: Player, why: Unlike | None, status: int = 200
) -> HttpResponse:
    page = {
        "club": kept.club,
        "kept": kept,
        "gone": gone,
        "games": gone.seats.count(),
        "problem": WHY_NOT[why] if why else "",
    }
    return render(request, "tournaments/people/merge_ask.html", page, status=status)
