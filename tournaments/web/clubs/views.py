"""The pages of a club, and the bar above them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.core.cache import caches
from django.core.paginator import Paginator
from django.db.models import Count, OuterRef, Q, Subquery
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language, ngettext, pgettext
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from tournaments.models import (
    Club,
    Event,
    Member,
    PlayerRating,
    RatedRound,
    Season,
    Seat,
    Tournament,
    User,
)
from tournaments.models.clubs import DIRECTING, Role
from tournaments.models.events import EventQuerySet
from tournaments.models.people import name_order
from tournaments.permissions import (
    account_of,
    actor_of,
    directed_club,
    members_club,
    owned_club,
    seen_club,
)
from tournaments.queries.site import (
    PlayingEvent,
    coming,
    coming_at_clubs,
    playing_now,
    version_of_games,
)
from tournaments.queries.standings import LeagueReader
from tournaments.queries.state import rules_of_tournament, settings_of
from tournaments.queries.states import A_TABLE, club_state, days_away, new_club_state
from tournaments.queries.statistics import (
    ClubFront,
    EveningWinner,
    FallenRecord,
    FrontReader,
    Milestone,
    front_of,
)
from tournaments.services.checks.nights import counts_of
from tournaments.services.clubs.membership import (
    ClubSettings,
    LastOwner,
    change_settings,
    create_club,
    leave_club,
)
from tournaments.services.events.events import EventPlan, dates_of, season_on
from tournaments.services.games.tables import start_evening
from tournaments.texts.labels import name_of, points_text
from tournaments.web.base.forms import warn_of_boxes
from tournaments.web.base.pages import cached_for_going_back, curve_of, show_refusal
from tournaments.web.base.phone import LinkPreview, link_preview
from tournaments.web.clubs.forms import ClubForm, LogoForm, SettingsForm
from tournaments.web.events.forms import WhoForm
from tournaments.web.events.views import evening_page, tell_who_rests, who_form
from tournaments.web.standings.tables import KEPT_SECONDS
from tournaments.web.tournaments.my_card import filling_of, playing_text, register_address

FURTHER_DOWN = {
    "club_ratings": "club_calibration",
    "events": "event new_event change_event new_event_table event_table remove_table"
    " event_documents new_tournament club_game",
    "players": "player new_players player_opponents player_against player_card remove_player"
    " merge_player",
    "people": "member new_invitation invitation",
    "imports": "import_players import_results import_records tournament_records",
    "club_settings": "webhooks new_webhook webhook change_webhook webhook_secret club_logo",
    "club_house_rules": "club_house_ruleset club_try_rules club_delete_rules",
    "seasons": "season",
}
BELOW = {below: page for page, pages in FURTHER_DOWN.items() for below in pages.split()}
"""The page of the bar that each page further down belongs to."""


@dataclass(frozen=True, slots=True)
class ClubBar:
    """The bar as a visitor sees it, and what the visitor may do in the club."""

    club: Club
    role: str
    season: int | None
    rated: bool
    at: str

    @property
    def directs(self) -> bool:
        return self.role in DIRECTING

    @property
    def owns(self) -> bool:
        return self.role == Role.OWNER

    @property
    def shows_records(self) -> bool:
        return bool(self.role) or self.club.shows_names

    @property
    def links(self) -> list[dict[str, str]]:
        links = [self._link(_("Evenings"), "events")]
        if self.season is not None:
            links.append(self._link(_("League"), "league", self.season))
        if self.role or (self.shows_records and self.rated):
            links.append(self._link(_("Ratings"), "club_ratings"))
        if self.shows_records:
            links.append(self._link(_("Records"), "club_records"))
        return links

    @property
    def more(self) -> list[dict[str, str]]:
        return list(self._more())

    def _more(self) -> Iterator[dict[str, str]]:
        if self.role:
            yield self._link(_("Players"), "players")
            yield self._link(_("Members"), "people")
        yield self._link(_("Seasons"), "seasons")
        yield self._link(_("All games"), "club_games")
        if self.directs:
            yield self._link(_("Import"), "imports")
            yield self._link(_("House rules"), "club_house_rules")
            yield self._link(_("What was changed"), "club_changes")
        if self.owns:
            yield self._link(_("Settings"), "club_settings")
        yield self._link(_("Calendar and embedding"), "share_club")
        if self.role:
            yield self._link(_("Leave the club"), "leave_club")

    @property
    def last(self) -> str:
        """Return the word that opens `more`."""
        return _("Manage") if self.directs else pgettext("pages", "More")

    def _link(self, text: str, page: str, *args: int) -> dict[str, str]:
        """Return a word of the bar; `current` is the value of `aria-current`, empty elsewhere."""
        current = "page" if self.at == page else "true" if BELOW.get(self.at) == page else ""
        url = reverse(page, args=[self.club.slug, *args])
        return {"text": text, "url": url, "current": current}


def club_bar(request: HttpRequest, club: Club) -> ClubBar | None:
    """Return the bar of a club (1 query); None for visitors who may not see its page."""
    user = account_of(request)
    members = Member.objects.filter(club=OuterRef("pk"), user=user)
    seasons = Season.objects.filter(club=OuterRef("pk"), starts_on__lte=timezone.localdate())
    ratings = PlayerRating.objects.filter(pool__club=OuterRef("pk"))
    found = (
        Club.objects.filter(pk=club.pk)
        .values(
            role=Subquery(members.values("role")[:1]),
            season=Subquery(seasons.values("pk")[:1]),
            rated=Subquery(ratings.values("pk")[:1]),
        )
        .get()
    )
    if not club.published and found["role"] is None:
        return None
    match = request.resolver_match
    return ClubBar(
        club=club,
        role=found["role"] or "",
        season=found["season"],
        rated=found["rated"] is not None,
        at=str(match.url_name) if match else "",
    )


WINNERS = 5
CURVE = (96, 28, 4)


def front_page(
    request: HttpRequest, bar: ClubBar, events: EventQuerySet, now: Sequence[PlayingEvent]
) -> dict[str, Any]:
    """Return the front page, cached by this process until a change (6 queries, or up to 23)."""
    # The type checker does not see the annotations.
    past: list[Any] = list(last_events(events, now)[:WINNERS])
    seasons = bar.club.seasons.select_related("club")
    season = seasons.filter(pk=bar.season).first() if bar.season else None
    key = _version(request, bar, season, past)
    page: dict[str, Any] | None = caches["pages"].get(key)
    if page is None:
        reader = FrontReader(request.user, LeagueReader.of(bar.role), bar.shows_records)
        front = front_of(bar.club, reader, season, past, timezone.localdate())
        winners = []
        for event in past:
            won = front.winners.get(event.pk) or EveningWinner((), 0, ())
            winners.append(
                {
                    "event": event,
                    "winners": _names(won.players, front, ", "),
                    "points": points_text(won.points),
                    "kings": _names(won.kings, front, ", "),
                    "tables": event.tables,
                }
            )
        seats = Seat.objects.filter(game__table__round__event__in=past[:1])
        page = {
            "players": bar.club.players.present().count(),
            "came": seats.aggregate(number=Count("player", distinct=True))["number"],
            "leaders": _leader_lines(front),
            "winners": winners,
            "record": _record_text(front.record, front) if front.record else None,
            "milestones": [
                (_milestone_text(milestone, front), milestone) for milestone in front.milestones
            ],
        }
        caches["pages"].set(key, page, KEPT_SECONDS)
    return page


def last_events(events: EventQuerySet, now: Sequence[PlayingEvent]) -> EventQuerySet:
    """Filter to what is over, the latest first, with the numbers of their tables."""
    rows = events.filter(held_on__lte=timezone.localdate()).exclude(
        Q(pk__in=[each.event.pk for each in now])
        | Q(tournament__state=Tournament.State.REGISTRATION)
    )
    counted = rows.annotate(tables=Count("rounds__tables"))
    return counted.filter(tables__gt=0).select_related("tournament").order_by("-held_on", "-pk")


def _version(request: HttpRequest, bar: ClubBar, season: Season | None, past: Sequence[Any]) -> str:
    evenings = [(each.pk, each.name, each.held_on, each.tables) for each in past]
    of_season = season and (season.pk, dates_of(season))
    rated = RatedRound.objects.filter(pool__club=bar.club).order_by("-pk").values_list("pk")
    version = (*version_of_games(bar.club, request.user), rated.first())
    who = (bar.role, bar.shows_records, get_language(), timezone.localdate())
    key = repr((bar.club.pk, of_season, evenings, version, who))
    return f"club-front-{sha256(key.encode()).hexdigest()}"


def _leader_lines(front: ClubFront) -> list[dict[str, Any]]:
    """Return the leaders, with their curves on one scale.

    The first curve stands beside the second, all others beside the first.
    """
    values = [0, *(points for leader in front.leaders for points in leader.course)]
    low, high = min(values), max(values)
    curves = [curve_of(each.course, low, high, CURVE) for each in front.leaders]
    lines = []
    for number, (each, (path, end)) in enumerate(zip(front.leaders, curves, strict=True)):
        beside = curves[0 if number else min(1, len(curves) - 1)][0]
        lines.append(
            {
                "place": each.place,
                "named": front.names[each.player],
                "points": points_text(each.points),
                "curve": path,
                "beside": beside,
                "end": end,
            }
        )
    return lines


def _record_text(record: FallenRecord, front: ClubFront) -> dict[str, str]:
    new, old = record.new, record.old
    names = _names(new.players, front, " + ")
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
        "name": _names(old.players, front, " + "),
    }
    return {"value": points_text(new.value), "text": text, "before": before}


def _names(players: Sequence[int], front: ClubFront, separator: str) -> str:
    return separator.join(front.names[player].name for player in players)


def _milestone_text(each: Milestone, front: ClubFront) -> str:
    name = front.names[each.player].name
    if each.kind == "king":
        return _("%(name)s made a first King") % {"name": name}
    return _("%(name)s played game number %(number)s") % {"name": name, "number": each.number}


def preview_of(request: HttpRequest, club: Club, front: dict[str, Any]) -> LinkPreview | None:
    """Return what a chat shows of a published club: who leads or has won."""
    if not club.published:
        return None
    names = [line["named"].name for line in front["leaders"][:3]]
    line = f"{_('Leading the season')}: {', '.join(names)}" if names else ""
    if not line and front["winners"]:
        last = front["winners"][0]
        line = f"{last['event'].name}: {last['winners']}"
    line = line or _("The evenings of the club, who leads, and its records.")
    return link_preview(request, club.name, line)


def next_event(event: Any, role: str) -> dict[str, Any]:
    """Return a coming event as a card, where its visitor with this role may register for it.

    `coming` says how many have registered, and how many more fill the last table.
    """
    at = reverse("event", args=[event.club.slug, event.public_id])
    card = {"event": event, "coming": "", "button": _("Open"), "url": at}
    tournament: Tournament | None = getattr(event, "tournament", None)
    if tournament is None:
        return card
    rules, settings = rules_of_tournament(tournament), settings_of(tournament)
    rounds = ngettext("%(number)s round", "%(number)s rounds", settings.rounds)
    card["game"] = f"{name_of(rules)}, {rounds % {'number': settings.rounds}}"
    if tournament.state != Tournament.State.REGISTRATION:
        return card
    register = "" if role in DIRECTING else register_address(tournament, member=bool(role))
    if register:
        card |= {"url": register, "button": _("Register")}
    if number := event.comers:
        text = ngettext("%(number)s registered.", "%(number)s registered.", number)
        card |= filling_of(number, rules.side_count, settings.capacity)
        card["coming"] = f"{text % {'number': number}} {card['filling']}".strip()
    return card


SHOWN_EVENTS, PAGE = 3, 50


def clubs(request: HttpRequest) -> HttpResponse:
    """List published clubs; those who are signed in also see theirs, and a form to create one."""
    user = account_of(request)
    if user is None and request.method == "POST":
        return redirect_to_login(request.path)
    form = ClubForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        made = create_club(form.cleaned_data["name"], actor_of(request), at=timezone.now())
        warn_of_boxes(request, made.name)
        return redirect("club", made.slug)
    others = Club.objects.filter(published=True).exclude(pk__in=Club.objects.of_member(user))
    in_order = sorted(others, key=lambda club: (name_order(club.name), club.pk))
    part = Paginator(in_order, PAGE).get_page(request.GET.get("page"))
    following: dict[int, Event] = {}
    events = Event.objects.listed_for(None).filter(club__in=list(part))
    for event in coming_at_clubs(events):
        following.setdefault(event.club_id, event)
    page = {
        "memberships": members_of(account_of(request)),
        "form": form if user else None,
        "part": part,
        "others": [(each, following.get(each.pk)) for each in part],
    }
    status = 422 if form.is_bound else 200
    return render(request, "tournaments/clubs/clubs.html", page, status=status)


def members_of(user: User | None) -> list[Member]:
    """Return the memberships of a user, each with its club (1 query)."""
    rows = Member.objects.filter(user=user).select_related("club") if user else ()
    return sorted(rows, key=lambda row: (name_order(row.club.name), row.club_id))


@cached_for_going_back
@require_safe
def club(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the front page of a club; visitors see its published parts."""
    return show_club(request, seen_club(request, slug))


@require_POST
def tonight(request: HttpRequest, slug: str) -> HttpResponse:
    """Open the evening of today, with those who are here drawn to its tables."""
    row, today = directed_club(request, slug), timezone.localdate()
    form = who_form(row, request.POST)
    if form is not None and not form.is_valid():
        return show_club(request, row, form)
    if form is not None:
        plan = EventPlan(
            name=_("Evening"),
            held_on=today,
            ruleset=form.rules.id,
            season=season_on(row, today),
            table_codes=row.table_codes,
            confirmations=row.confirmations,
        )
        drawn = form.cleaned_data["player"]
        with show_refusal(request):
            event = start_evening(row, plan, drawn, actor_of(request), at=timezone.now())
            tell_who_rests(request, event.rounds.get(number=1), drawn)
    return redirect("club", slug)


def show_club(request: HttpRequest, row: Club, form: WhoForm | None = None) -> HttpResponse:
    """Return the front page of a club; with a refused `form` of who is here, 422.

    Until its first evening is played, its directors see what to do first, and that evening.
    """
    bar = club_bar(request, row)
    if bar is None:
        # Unpublished meanwhile.
        raise Http404
    events = Event.objects.listed_for(request.user).filter(club=row)
    today = timezone.localdate()
    now = playing_now(events, today)
    front = front_page(request, bar, events, now)
    playing = [each.event.pk for each in now]
    soon = list(coming(events, today).exclude(pk__in=playing)[: SHOWN_EVENTS + 1])
    lead = next_event(soon.pop(0), bar.role) if soon else None
    is_new, players = bar.directs and not front["winners"], front["players"]
    page: dict[str, Any] = {"is_new": is_new}
    state = club_state(players, front["came"])
    if is_new and now and not now[0].event.is_tournament:
        first = now.pop(0)
        page |= evening_page(request, first.event, directs=True) | {"evening": first.event}
        state = f"{first.event.name}: {playing_text(first)}"
    elif is_new:
        names = pgettext("players of the sample game", "Alice, Ben, Clara, David")
        page |= {"example": names.replace(", ", "\n"), "enough": players >= A_TABLE}
        if not lead and not now:
            state = new_club_state(players)
            page["who"] = form or who_form(row, None)
    page |= {
        "club": row,
        "bar": bar,
        "state": state,
        "away": lead and days_away(lead["event"].held_on, today),
        # Lazy, as only a new club asks for them.
        "director_count": row.members.filter(role__in=DIRECTING).count,
        "differences": counts_of(row.pk) if bar.owns else [],
        "now": [(each, playing_text(each)) for each in now],
        "next": lead,
        "soon": soon[:SHOWN_EVENTS],
        "front": front,
        "preview": preview_of(request, row, front),
    }
    return render(request, "tournaments/clubs/club.html", page, status=422 if form else 200)


def club_settings(request: HttpRequest, slug: str) -> HttpResponse:
    """Change the settings of a club, as an owner."""
    row = owned_club(request, slug)
    form = SettingsForm(row, request.POST if request.method == "POST" else None)
    if form.is_valid():
        chosen = ClubSettings(**form.cleaned_data)
        change_settings(row.pk, chosen, actor_of(request), at=timezone.now())
        messages.success(request, _("Saved."))
        warn_of_boxes(request, chosen.name)
        return redirect("club", row.slug)
    status = 422 if form.is_bound else 200
    page = {"club": row, "form": form, "logo_form": LogoForm()}
    return render(request, "tournaments/clubs/settings.html", page, status=status)


def leave(request: HttpRequest, slug: str) -> HttpResponse:
    """Leave a club, after a confirmation."""
    row = members_club(request, slug)
    problem, status = "", 200
    if request.method == "POST":
        try:
            leave_club(row.pk, actor_of(request), at=timezone.now())
        except LastOwner as error:
            problem, status = str(error), 422
        else:
            messages.success(request, _("You have left %(club)s.") % {"club": row.name})
            return redirect("me")
    page = {"club": row, "problem": problem}
    return render(request, "tournaments/clubs/leave.html", page, status=status)
