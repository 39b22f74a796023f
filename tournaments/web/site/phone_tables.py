"""The tables of this phone: what was played on them, and the way to another phone."""

from collections.abc import Sequence
from datetime import timedelta
from itertools import zip_longest
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from tournaments.models import Game, OpenTable, User
from tournaments.models.people import fold_name, name_order
from tournaments.permissions import account_of
from tournaments.queries.evenings import Joined, PhoneEvening, evenings_of, players_of, together_of
from tournaments.queries.sheets import Held, held_games, saved_games
from tournaments.services.games.seating import (
    NamesNotJoined,
    TransferGone,
    begin_transfer,
    count_transfer,
    join_names,
    save_games,
    save_joined,
    separate_name,
    take_transfer,
)
from tournaments.services.games.tables import TableFull, join_evenings
from tournaments.web.base.pages import access_link, out_of_reach, too_many
from tournaments.web.base.phone import (
    PhoneGame,
    address,
    evening_address,
    evening_games_address,
    phone_games,
    phone_names,
    remember_carried,
    remember_names,
)


def tables(request: HttpRequest) -> HttpResponse:
    """List the tables of this phone; a POST has the addresses that it holds, and gets the list.

    2 queries; 1 more if a game is in play, and 1 for somebody signed in.
    """
    if request.method == "POST" and (refused := too_many(request, "phone_tables")):
        return refused
    own = _on_phone(request)
    # What the account keeps must not stay on the phone.
    page = _page(_with_saved(request, own), _joined(request)) | {"held": _addresses(own)}
    if request.method == "POST":
        return render(request, "tournaments/site/_tables.html", page)
    return render(request, "tournaments/site/tables.html", page)


@require_POST
def carry(request: HttpRequest) -> HttpResponse:
    """Make a link with which another phone gets the tables of this one, once."""
    if refused := too_many(request, "carry_tables"):
        return refused
    held = _with_saved(request, _on_phone(request))
    if not held:
        return redirect("tables")
    writes = bool(request.POST.get("writes"))
    given = {(row.pk, "follow"): Held(row, "follow") for row, _ in held}
    if writes:
        # A finished game is only looked at: its address to write stays here.
        given |= {(each.row.pk, each.kind): each for each in held if each.row.result is None}
    key = begin_transfer(list(given.values()), _joined(request), at=timezone.now())
    page = {
        "link": access_link(request, reverse("carried_tables", args=[key])),
        "count": len({row.pk for row, _ in held}),
        "writes": writes,
        "out_of_reach": out_of_reach(request),
    }
    return render(request, "tournaments/site/carry.html", page)


def carried(request: HttpRequest, key: str) -> HttpResponse:
    """Ask whether to take the tables of another phone, and take them."""
    at = timezone.now()
    try:
        if request.method != "POST":
            count = count_transfer(key, at=at)
            return render(request, "tournaments/site/carried.html", {"count": count})
        taken, joined = take_transfer(key, at=at)
    except TransferGone as gone:
        ended = {"gone": str(gone)}
        return render(request, "tournaments/site/carried.html", ended, status=gone.status)
    # Scripts keep the addresses; the cookie has the latest also without them.
    response = HttpResponse()
    games = remember_carried(request, response, taken)
    if joined:
        remember_names(request, response, {**joined, **phone_names(request)})
    page = {"taken": len({game.row.pk for game in games}), "held": _addresses(_both(games))}
    answer = render(request, "tournaments/site/carried.html", page)
    answer.cookies = response.cookies
    return answer


@login_required
@require_POST
def save(request: HttpRequest) -> HttpResponse:
    """Keep the tables of this phone in the account, to follow them."""
    user = account_of(request)
    assert isinstance(user, User)
    number = save_games(user, _on_phone(request))
    save_joined(user, _joined(request))
    text = ngettext(
        "%(number)s game more is kept in your account.",
        "%(number)s games more are kept in your account.",
        number,
    )
    messages.success(request, text % {"number": number})
    return redirect("tables")


@require_POST
def names(request: HttpRequest) -> HttpResponse:
    """Count two names as one person from now on, or `separate` a name again.

    Kept on this phone; in the account of somebody signed in, whose tables are not left here.
    """
    if refused := too_many(request, "phone_tables"):
        return refused
    response, before = redirect("tables"), _joined(request)
    separate = request.POST.get("separate")
    if separate is None:
        rows = _rows(_with_saved(request, _on_phone(request)))
        name, into = (request.POST.get(field, "") for field in ("name", "into"))
        if not {name, into} <= {*_people(rows, before)}:
            return response
        try:
            joined = join_names(before, name, into, rows)
        except NamesNotJoined as error:
            messages.error(request, str(error))
            return response
    else:
        joined = separate_name(before, separate)
        remember_names(request, response, separate_name(phone_names(request), separate))
    user = account_of(request)
    if user is not None:
        save_joined(user, joined)
    else:
        remember_names(request, response, joined)
    return response


def _joined(request: HttpRequest) -> Joined:
    user = account_of(request)
    return {**phone_names(request), **(user.joined_names if user is not None else {})}


def _on_phone(request: HttpRequest) -> list[Held]:
    """Return the games of this phone: by its cookie, and by the addresses that it sent."""
    held = _both(phone_games(request))
    if request.method == "POST":
        held += held_games(request.POST.getlist("address"))
    return held


def _with_saved(request: HttpRequest, own: Sequence[Held]) -> list[Held]:
    held = list(own)
    user = account_of(request)
    if user is not None:
        held += [Held(row, "follow") for row in saved_games(user)]
    found = {(each.row.pk, each.kind): each for each in held}
    return sorted(found.values(), key=lambda each: (each.row.played_at, each.row.pk), reverse=True)


def _both(games: Sequence[PhoneGame]) -> list[Held]:
    return [Held(game.row, game.kind) for game in games]


def _rows(held: Sequence[Held]) -> list[Game]:
    return list({row.pk: row for row, _ in held}.values())


def _page(held: Sequence[Held], joined: Joined) -> dict[str, Any]:
    rows = _rows(held)
    writes = {row.pk for row, kind in held if kind == "write"}
    # The latest spelling of a name that stands for another.
    written = {fold_name(name): name for row in reversed(rows) for name in row.players}
    evenings = evenings_of(rows, joined)
    return {
        "lines": [
            {"evening": each, "path": _path(each, writes), "before": _split(before, each, writes)}
            for each, before in zip_longest(evenings, evenings[1:])
        ],
        "together": together_of(rows, joined),
        "people": _people(rows, joined),
        "joined": [(written.get(key, key), into) for key, into in joined.items()],
    }


def _people(rows: Sequence[Game], joined: Joined) -> list[str]:
    people = {fold_name(name): name for row in reversed(rows) for name in players_of(row, joined)}
    return sorted(people.values(), key=name_order)


A_DAY = timedelta(days=1)


def _split(
    before: PhoneEvening | None, evening: PhoneEvening, writes: set[int]
) -> PhoneEvening | None:
    """Return the evening before if it may be the same, of the same circle, and both are written."""
    if before is None or evening.at - before.at > A_DAY:
        return None
    if len({*map(fold_name, before.people)} & {*map(fold_name, evening.people)}) < 2:
        return None
    both = (before, evening)
    own = all(each.last.open_table_id and _is_written(each, writes) for each in both)
    return before if own else None


def _is_written(evening: PhoneEvening, writes: set[int]) -> bool:
    """Return whether this phone writes a game of an evening that no club has taken in."""
    games = evening.games
    return any(row.pk in writes for row in games) and not any(row.table_id for row in games)


@require_POST
def join(request: HttpRequest) -> HttpResponse:
    """Join two evenings that were split, both written on this phone, and lead to them."""
    if refused := too_many(request, "phone_tables"):
        return refused
    written = {
        row.open_table.public_id: row.open_table.pk
        for row, kind in _on_phone(request)
        if kind == "write" and row.open_table is not None
    }
    chosen = [written.get(public_id) for public_id in request.POST.getlist("evening")]
    try:
        first, second = filter(None, chosen)
        return redirect(evening_games_address(join_evenings(first, second)))
    except (ValueError, OpenTable.DoesNotExist):
        # Joined already, or handed over meanwhile: the list says how it is.
        pass
    except TableFull as error:
        messages.error(request, str(error))
    return redirect("tables")


def _path(evening: PhoneEvening, writes: set[int]) -> str:
    last = evening.last
    if len(evening.games) > 1 and not evening.going and last.open_table is not None:
        return evening_address(last.open_table)
    return address(last, "write" if last.pk in writes else "follow")


def _addresses(held: Sequence[Held]) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for row, kind in held:
        of_game = found.setdefault(row.public_id, {"follow": address(row, "follow")})
        of_game[kind] = address(row, kind)
    return found
