"""The players of a club: list, search, add; each with their games."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Page, Paginator
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from tournaments.models import Club, Member, Player, Report, fields
from tournaments.models.people import PUBLIC, PlayerQuerySet
from tournaments.permissions import account_of, actor_of, directed_club, members_club
from tournaments.presenters.people.players import public_player
from tournaments.queries.people.players import account_name
from tournaments.services.documents.reporting import request_player_picture
from tournaments.services.people.players import NamesRefused, add_players
from tournaments.web.base.going_back import kept_for_going_back
from tournaments.web.base.htmx import HtmxRequest
from tournaments.web.base.pictures import language_of, picture_response
from tournaments.web.clubs.bar import club_bar
from tournaments.web.documents.asked import asking
from tournaments.web.people.forms import NameForm, NamesForm
from tournaments.web.people.view import player_page

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


@never_cache
@require_safe
def players(request: HtmxRequest, slug: str) -> HttpResponse:
    """List the players of a club for its members; htmx requests matches while one types."""
    club = members_club(request, slug)
    directs = directs_club(request, club)
    asked = request.GET.get("q", "").replace("\0", "").strip()
    # Names are unique in a club, so the order is total.
    keys = _found(club, asked, directs=directs).order_by("name_key").values_list("pk", flat=True)
    # A search stops after enough matches and runs once; only the whole list is counted.
    found = list(keys[: MOST_FOUND + 1]) if asked else []
    part, rows = _page_of(found[:MOST_FOUND] if asked else keys, request.GET.get("page"))
    page = {
        "club": club,
        "asked": asked,
        "part": part,
        "players": rows,
        "more": len(found) > MOST_FOUND,
        "directs": directs,
        "mine": account_of(request),
    }
    fragment = bool(request.htmx)
    template = "tournaments/people/_found.html" if fragment else "tournaments/people/players.html"
    return render(request, template, page)


def _found(club: Club, asked: str, *, directs: bool) -> PlayerQuerySet:
    present = Player.objects.present().filter(club=club)
    return present.matching(asked) if directs else present.matching_shown(asked)


def _page_of(
    keys: QuerySet[Player, int] | list[int], number: str | None
) -> tuple[Page[int], list[Player]]:
    """Return a page of a list: page through the index alone, then read the rows."""
    pages = Paginator(keys, PAGE) if isinstance(keys, list) else FromBothEnds(keys, PAGE)
    part = pages.get_page(number)
    rows = Player.objects.in_bulk(list(part))
    return part, [rows[pk] for pk in part if pk in rows]


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def new_players(request: HttpRequest, slug: str) -> HttpResponse:
    """Add one player, or all players of a pasted list."""
    club = directed_club(request, slug)
    form = NamesForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            added = add_players(
                club, form.cleaned_data["names"], actor_of(request), at=timezone.now()
            )
        except NamesRefused as refused:
            form.add_refusal(refused)
        else:
            return _after_adding(request, club, added)
    page = {"club": club, "form": form}
    status = 422 if form.is_bound else 200
    return render(request, "tournaments/people/new_players.html", page, status=status)


def _after_adding(request: HttpRequest, club: Club, added: list[Player]) -> HttpResponse:
    done = ngettext("%(number)s player is added.", "%(number)s players are added.", len(added))
    messages.success(request, done % {"number": len(added)})
    if len(added) == 1:
        return redirect("player", club.slug, added[0].public_id)
    return redirect("players", club.slug)


@kept_for_going_back
@require_safe
def player(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """Show a player with their games; show directors the possible actions."""
    seen = Q(club__in=Member.objects.of_user(request.user).values("club")) | PUBLIC
    rows = Player.objects.present().filter(seen, club__slug=slug)
    return show_player(request, _only_player(rows, public_id))


@never_cache
@require_safe
def player_picture(request: HttpRequest, slug: str, public_id: str) -> HttpResponseBase:
    """Return the picture of a player with a public page, for the preview of a link."""
    row = _only_player(Player.objects.with_page().filter(club__slug=slug), public_id)
    now = timezone.now()
    seen = public_player(row, now)
    if not seen.sums.games and seen.rating is None:
        raise Http404
    version = [seen.sums.games, seen.rating and seen.rating.points, seen.rank]
    language = language_of(request)
    return picture_response(request_player_picture(row, version, language=language, at=now))


def _only_player(rows: PlayerQuerySet, public_id: str) -> Player:
    return get_object_or_404(fields.named(rows, public_id).select_related("account", "club"))


def present_player(club: Club, public_id: str) -> Player:
    """Return a player of the club by public id; 404 if merged or removed."""
    row = _only_player(Player.objects.present().filter(club=club), public_id)
    row.club = club
    return row


def directed_player(request: HttpRequest, slug: str, public_id: str) -> Player:
    """Return a player of the club for one of its directors; 404 for all others."""
    return present_player(directed_club(request, slug), public_id)


def directs_club(request: HttpRequest, club: Club) -> bool:
    return Club.objects.directed_by(request.user).filter(pk=club.pk).exists()


def show_player(request: HttpRequest, row: Player, form: NameForm | None = None) -> HttpResponse:
    """Return the page of a player; with a refused `form`, 422."""
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
        "merges": _merges_of(row) if directs else (),
    }
    return render(request, "tournaments/people/player.html", page, status=422 if form else 200)


def _merges_of(row: Player) -> list[tuple[int, str]]:
    return list(row.merges.filter(undone_at=None).values_list("pk", "gone__name"))
