"""A tournament as a player sees it: the own card, notifications, and the overview."""

from collections.abc import Callable, Iterator
from hashlib import sha256
from itertools import accumulate, chain
from typing import Any

from django.contrib.auth.signals import user_logged_out
from django.core.cache import caches
from django.db.models import F, Q, QuerySet
from django.dispatch import receiver
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from tournaments.models import (
    Entrant,
    Event,
    Game,
    RatingChange,
    RatingPool,
    Subscription,
    Tournament,
    User,
)
from tournaments.permissions import account_of, seen_tournament
from tournaments.queries.overview import (
    Leader,
    Overview,
    RoundSeen,
    TableSeen,
    overview_of,
)
from tournaments.queries.ratings import displayed_points
from tournaments.queries.site import PlayingEvent, playing_now
from tournaments.queries.standings import standings_seen
from tournaments.queries.state import TournamentState, can_register, settings_of
from tournaments.queries.states import player_state
from tournaments.queries.steps import Version
from tournaments.services.notifications.subscriptions import (
    NoPushAddress,
    PushAddress,
    application_key,
    can_be_mailed,
    end_mails,
    is_mailed_at,
    renew_phone,
    subscribe_phone,
    switch_mail,
    unsubscribe_phone,
)
from tournaments.texts.labels import points_text
from tournaments.web.base.pages import curve_of, show_refusal, too_many
from tournaments.web.base.phone import (
    address,
    notified_phone,
    phone_entrant,
    remember_notified_phone,
    scores,
    writes_games,
)

PLACES = {2: ("bottom", "top"), 3: ("bottom", "right", "left")}
FOUR = ("bottom", "right", "top", "left")
"""The places on the drawn table from one's own, in the order of the seats."""

WIDTH, EDGE = 340, 16
"""Of the drawn way to the finals."""


def entrant_known(request: HttpRequest, row: Tournament) -> tuple[str, bool] | None:
    """Return the key of the entrant who asks, and whether this phone has chosen it.

    None if nobody is known (1 query with an account).
    """
    number = phone_entrant(request, row)
    if number is not None:
        return f"e{number}", True
    account = account_of(request)
    if account is None:
        return None
    own = row.entrants.filter(Q(player__account=account) | Q(partner__account=account))
    found = own.filter(waiting=False).values_list("number", flat=True).first()
    return None if found is None else (f"e{found}", False)


def card_of(
    request: HttpRequest, tournament: Tournament, seen: Overview, known: tuple[str, bool] | None
) -> dict[str, Any] | None:
    """Return the card of the entrant who asks, if they still take part (up to 3 queries).

    `chosen` on this phone, or known by the account. `table` is where they sit in the round that is
    on, `result` their place and points there once that game is over; `out` if they sit it out.
    `write` is the address of the sheet, if this phone writes it.
    """
    if known is None or known[0] not in seen.names:
        return None
    key, chosen = known
    row, now = seen.row_of(key), seen.current
    table = now.table_of(key) if now else None
    is_over = tournament.state == Tournament.State.FINISHED
    rating = _rating(request, tournament, key) if is_over else None
    card: dict[str, Any] = {
        "name": seen.names[key],
        "number": int(key[1:]),
        "chosen": chosen,
        "row": row,
        "table": table,
        "out": now is not None and key in now.byes,
        "path": seen.path_of(row) if row else (),
        "write": _write(request, tournament, now, table) if now and table else "",
        "rating": rating,
        "moved": rating[1] - rating[0] if rating else 0,
        "state": player_state(tournament, seen, key),
    }
    if table:
        # The reader's own place comes first.
        mine = seen.side_seats.index(table.entrants.index(key))
        players = [*table.players[mine:], *table.players[:mine]]
        seats = list(zip(PLACES.get(len(players), FOUR), players, strict=False))
        card |= {"result": table.result_of(key), "seats": seats}
    if row and not is_over:
        card["scale"] = _scale(seen, row)
    return card


def _scale(seen: Overview, row: Leader) -> dict[str, Any] | None:
    """Return the way to the finals; None without one, or where all have the same points.

    To scale: one's own points, those of the cut, and those of the first, if their text has room.
    """
    rival = seen.cut_of(row)
    if rival is None:
        return None
    best = next(each for each in seen.rows if each.section == row.section)
    low = min(row.points, rival.points)
    width = max(best.points, row.points) - low
    if width <= 0:
        return None

    scale: dict[str, Any] = {}
    for name, points in (("mine", row.points), ("cut", rival.points), ("best", best.points)):
        x = EDGE + round((WIDTH - 2 * EDGE) * (points - low) / width)
        # Where the text begins, so that it stays within the drawing.
        anchor = "start" if x < 90 else "end" if x > WIDTH - 90 else "middle"
        scale[name] = {"points": points, "x": x, "anchor": anchor, "shown": True}
    scale["best"]["shown"] = abs(scale["best"]["x"] - scale["mine"]["x"]) > WIDTH / 2
    return scale


def _write(request: HttpRequest, tournament: Tournament, now: RoundSeen, table: TableSeen) -> str:
    """Return the address of the sheet of a table, if this phone writes it (up to 2 queries)."""
    if not writes_games(request):
        return ""
    games = Game.objects.filter(table__round__event=tournament.event_id)
    here = games.filter(table__round__number=now.number, table__number=table.number)
    game = here.order_by("-pk").first()
    return address(game, "write") if game is not None and scores(request, game) else ""


def _rating(request: HttpRequest, tournament: Tournament, key: str) -> tuple[int, int] | None:
    changes = RatingChange.objects.filter(
        rating__pool__club=F("game__table__round__event__club"),
        rating__pool__in=RatingPool.objects.seen_by(request.user),
        rating__player__entries__tournament=tournament,
        rating__player__entries__number=int(key[1:]),
        rating__player__entries__partner=None,
        game__table__round__event=tournament.event_id,
    )
    found = list(changes.order_by("number"))
    if not found:
        return None
    return displayed_points(found[0].before), displayed_points(found[-1].after)


MOST_LEADERS = 3
KEPT_SECONDS = 24 * 60 * 60


def leaders_of(version: Version, load: Callable[[], TournamentState]) -> str:
    """Return the first places as visitors see them, "" before any counts.

    `load` is called after a change only.
    """
    content = repr((version, get_language()))
    key = f"leaders-{sha256(content.encode()).hexdigest()}"
    cached: str | None = caches["pages"].get(key)
    if cached is None:
        state = load()
        seen = standings_seen(state, directs=False)
        rows = seen.rows[:MOST_LEADERS] if seen.after else ()
        names = ((row, state.entrants[row.entrant].shown_name) for row in rows)
        cached = " · ".join(f"{row.place}. {name} {points_text(row.points)}" for row, name in names)
        caches["pages"].set(key, cached, KEPT_SECONDS)
    return cached


OVERVIEW_MOST_LEADERS = 10
MOST_OF_SECTION = 5
MOST_FOUND = 6
MOST_COMERS = 40
CURVE = (320, 96, 6)


Highlight = dict[str, str]
"""A fact with its figure, as it stands in a list: name, text, figure."""


def overview_fragment(version: Version, load: Callable[[], TournamentState]) -> Overview:
    """Return the overview, cached by this process until a change; then `load` is called."""
    content = repr((version, get_language()))
    key = f"overview-{sha256(content.encode()).hexdigest()}"
    cached: Overview | None = caches["pages"].get(key)
    if cached is None:
        cached = overview_of(load())
        caches["pages"].set(key, cached, KEPT_SECONDS)
    return cached


def overview_page(seen: Overview, query: str, capacity: int | None) -> dict[str, Any]:
    """Return what leads on the page now; `query` is the name that is looked for."""
    coming, seats, sections = len(seen.here), len(set(seen.side_seats)), seen.sections
    # The first of each section; of more sections fewer each.
    most = OVERVIEW_MOST_LEADERS if len(sections) == 1 else MOST_OF_SECTION
    found = []
    for key in seen.found(query, MOST_FOUND) if query else ():
        table = seen.current.table_of(key) if seen.current else None
        line = {"number": int(key[1:]), "name": seen.names[key], "row": seen.row_of(key)}
        found.append(line | {"table": table.number if table else None})
    return {
        "seen": seen,
        "leaders": [(name, rows[:most]) for name, rows in sections],
        "asked": query,
        "found": found,
        "surprises": list(_surprises(seen)),
        "numbers": list(_numbers(seen)) if seen.rounds else [],
        "winner": winner_path(seen),
        "comers": [seen.names[key] for key in seen.here[:MOST_COMERS]],
        "more_comers": max(0, coming - MOST_COMERS),
        "free": None if capacity is None else max(0, capacity - coming),
    } | filling_of(coming, seats, capacity)


def register_address(row: Tournament, *, member: bool) -> str:
    """Return where a visitor registers; empty for those who need the link."""
    offered = member or settings_of(row).open_registration
    if not offered or not can_register(row, timezone.now()):
        return ""
    return reverse("register", args=[row.public_id, row.secret("register")])


def _surprises(seen: Overview) -> Iterator[Highlight]:
    """Yield what surprised in the last closed round: nothing if nobody stands out."""
    if seen.last is None:
        return
    wins = [
        (lead, table.number, key)
        for table in seen.last.tables
        if (best := table.best()) is not None
        for key, lead in [best]
        if key in seen.names
    ]
    if wins:
        lead, number, key = max(wins)
        text = _("the clearest win, at table %(table)s") % {"table": number}
        yield {"name": seen.names[key], "text": text, "figure": f"+{points_text(lead)}"}
    risen = max(seen.rows, key=lambda row: row.change or 0, default=None)
    if risen is not None and (risen.change or 0) > 1:
        places = {"before": risen.place + (risen.change or 0), "place": risen.place}
        text = _("from place %(before)s to place %(place)s") % places
        yield {"name": risen.name, "text": text, "figure": f"▲{risen.change}"}
    kings = seen.kings(seen.last)
    if kings:
        text = ngettext("made a King", "made Kings", len(kings))
        figure = "♛" if len(kings) == 1 else f"♛ {len(kings)}"
        yield {"name": ", ".join(dict.fromkeys(kings)), "text": text, "figure": figure}


def _numbers(seen: Overview) -> Iterator[Highlight]:
    games = seen.games()
    yield {"text": ngettext("game", "games", games), "figure": str(games)}
    kings = seen.kings(*seen.rounds)
    if kings:
        text = ngettext("King: %(names)s", "Kings: %(names)s", len(kings))
        names = ", ".join(dict.fromkeys(kings))
        yield {"text": text % {"names": names}, "figure": str(len(kings))}
    highest = seen.highest()
    if highest:
        text = _("highest game: %(name)s") % {"name": highest[1]}
        yield {"text": text, "figure": points_text(highest[0])}
    closest = seen.closest()
    if closest and closest[0]:
        points, label, table = closest
        text = _("points apart at the closest table: round %(round)s, table %(table)s")
        yield {"text": text % {"round": label, "table": table}, "figure": points_text(points)}


def playing_text(playing: PlayingEvent) -> str:
    if playing.round is None:
        return _("between two rounds")
    return _("Round %(number)s, %(finished)s of %(tables)s tables finished") % {
        "number": playing.round,
        "finished": playing.finished,
        "tables": playing.tables,
    }


def filling_of(coming: int, seats: int, capacity: int | None) -> dict[str, Any]:
    """Return the chairs of each table, taken or free, and how many more fill the last one."""
    missing, text = -coming % seats, ""
    if coming and missing:
        text = ngettext(
            "%(number)s more fills table %(table)s.",
            "%(number)s more fill table %(table)s.",
            missing,
        ) % {"number": missing, "table": coming // seats + 1}
    tables = max(1, -(-coming // seats), min(capacity or 0, MOST_COMERS) // seats)
    chairs = [[at * seats + chair < coming for chair in range(seats)] for at in range(tables)]
    return {"filling": text, "chairs": chairs}


def winner_path(seen: Overview) -> dict[str, Any] | None:
    """Return the rounds of the only winner, with their curve beside that of an only second.

    There are no curves after one round.
    """
    first, second = ([row for row in seen.podium if row.place == place] for place in (1, 2))
    if len(first) != 1:
        return None
    rows = [*first, *(second if len(second) == 1 else ())]
    courses = [list(accumulate(points or 0 for points in row.by_round)) for row in rows]
    values = [0, *chain(*courses)]
    low, high = min(values), max(values)
    lines = []
    if len(rows) > 1 and len(courses[0]) > 1:
        for row, course in zip(rows, courses, strict=True):
            curve, end = curve_of(course, low, high, CURVE)
            line = {"name": row.name, "points": points_text(row.points), "curve": curve, "end": end}
            lines.append(line)
    return {"path": seen.path_of(first[0]), "lines": lines}


MOST_OFFERED = 4
PLAIN = "text/plain; charset=utf-8"


def switches_of(
    request: HttpRequest, to: str, about: Entrant | User | None
) -> dict[str, str | bool | None]:
    """Return the switches of this phone about an entrant or an account (up to 3 queries).

    They are for this phone, and for e-mail (None: no account, or no verified address), and sent
    `to` an address; `key` is what browsers subscribe for.
    """
    account = account_of(request)
    own = {"user": about} if isinstance(about, User) else {"entrant": about}
    rows = _of_phone(request)
    mailed = account is not None and can_be_mailed(account)
    return {
        "to": to,
        "phone": rows.filter(**own).exists() if about else rows.exists(),
        "mail": Subscription.objects.filter(user=account, phone="").exists() if mailed else None,
        "key": application_key(),
    }


def card_switches(
    request: HttpRequest, row: Tournament, known: tuple[str, bool] | None
) -> dict[str, str | bool | None] | None:
    """Return the switches of an entrant's card; None for a hidden player, or before and after."""
    if known is None or row.state not in (Tournament.State.REGISTRATION, Tournament.State.RUNNING):
        return None
    entrant = row.entrants.select_related("player").filter(number=int(known[0][1:])).first()
    if entrant is None or entrant.player.initials:
        return None
    to = reverse("notify_me", args=[row.event.club.slug, row.slug])
    return switches_of(request, to, entrant if known[1] else account_of(request))


@require_POST
def notify_me(request: HttpRequest, slug: str, tournament: str) -> HttpResponse:
    """Switch what is on for the entrant whose card this phone shows."""
    row = seen_tournament(request, slug, tournament)
    known = entrant_known(request, row)
    if known is None:
        raise Http404
    about = row.entrants.filter(number=int(known[0][1:])).first() if known[1] else None
    return _switched(request, redirect("tournament", slug, tournament), about)


def notifications(request: HttpRequest) -> HttpResponse:
    """Show what this phone and this account are notified of, and switch it."""
    if request.method == "POST":
        return _switched(request, redirect("notifications"), None)
    rows = _of_phone(request).select_related("entrant__tournament__event__club")
    # On the pages of tournaments that are on, one is found, and told (1 query).
    seen = Event.objects.listed_for(request.user).exclude(tournament=None)
    playing = playing_now(seen, timezone.localdate())[:MOST_OFFERED]
    page = {
        "switches": switches_of(request, reverse("notifications"), None),
        "entrants": [row.entrant for row in rows if row.entrant],
        "account": account_of(request),
        "now": [(each, playing_text(each)) for each in playing],
    }
    return render(request, "tournaments/accounts/notifications.html", page)


# A service worker has no form with a token; browsers send the phone's cookie from this site alone.
@csrf_exempt
def renew_subscription(request: HttpRequest) -> HttpResponse:
    """Give the key to subscribe for; store what a phone's browser has subscribed anew."""
    if request.method != "POST":
        return HttpResponse(application_key(), content_type=PLAIN)
    if refused := too_many(request, "notify"):
        return refused
    try:
        renew_phone(_push_address(request, notified_phone(request)))
    except NoPushAddress as error:
        return HttpResponse(str(error), status=error.status, content_type=PLAIN)
    return HttpResponse(status=204)


# Programs that read mail send the POST without a cookie, as RFC 8058 has it; the address is secret.
@csrf_exempt
def end_subscription(request: HttpRequest, pk: int, secret: str) -> HttpResponse:
    """End the e-mails of an account with one tap; programs that only look at the link end none."""
    there = is_mailed_at(pk, secret)
    if there is None:
        raise Http404
    if there and request.method == "POST":
        end_mails(pk)
        there = False
    page = {"there": there}
    return render(request, "tournaments/accounts/end_notifications.html", page)


@receiver(user_logged_out)
def stop_notifying(request: HttpRequest | None, user: User | None, **_more: Any) -> None:
    """Notify a phone of an account no more once it signs out: somebody else may have it then."""
    if request is not None and user is not None:
        unsubscribe_phone(notified_phone(request), user)


def _switched(request: HttpRequest, response: HttpResponse, about: Entrant | None) -> HttpResponse:
    if refused := too_many(request, "notify"):
        return refused
    does, account = request.POST.get("does", ""), account_of(request)
    whom = about or account
    with show_refusal(request):
        if does == "push" and whom is not None:
            push = _push_address(request, remember_notified_phone(request, response))
            subscribe_phone(whom, push, get_language() or "", at=timezone.now())
        elif does == "off":
            unsubscribe_phone(notified_phone(request))
        elif does in ("mail", "no-mail") and account is not None:
            wanted, language = does == "mail", get_language() or ""
            switch_mail(account, language, wanted=wanted, at=timezone.now())
    return response


def _push_address(request: HttpRequest, phone: str) -> PushAddress:
    data = request.POST
    return PushAddress(
        phone, data.get("endpoint", ""), data.get("p256dh", ""), data.get("auth", "")
    )


def _of_phone(request: HttpRequest) -> QuerySet[Subscription]:
    phone = notified_phone(request)
    if not phone:
        return Subscription.objects.none()
    return Subscription.objects.filter(Q(user=account_of(request)) | Q(user=None), phone=phone)
