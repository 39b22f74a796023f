"""Identifies visitors and checks their permissions; a refused object is a 404."""

from allauth.account.adapter import get_adapter
from allauth.core.internal.ratelimit import get_ip
from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone

from tournaments.models import Club, Event, Game, RatingPool, Round, Tournament, User
from tournaments.models.events import EventQuerySet
from tournaments.models.games import GameQuerySet
from tournaments.models.tournaments import TournamentQuerySet
from tournaments.queries.leaderboards import pools_of_club
from tournaments.services.audit import Actor


def account_of(request: HttpRequest) -> User | None:
    user: User | AnonymousUser = request.user
    return user if isinstance(user, User) and user.is_authenticated else None


def actor_of(request: HttpRequest, table: str = "") -> Actor:
    """The author of a request; `table` is the public id of a table whose phone asks."""
    user = account_of(request)
    return Actor(user, "" if user else table, address_of(request))


def address_of(request: HttpRequest) -> str:
    """The IP address a request came from, as far as the proxies in front are trusted."""
    return str(get_adapter().get_client_ip(request) or "")


def network_of(request: HttpRequest) -> str:
    """Return the key of rate limits: the IP address, of IPv6 the first 64 bits."""
    return str(get_ip(request))


def writable_game(request: HttpRequest, public_id: str, secret: str) -> GameQuerySet:
    """The game that this visitor may write at this address, with its table."""
    games = Game.objects.writable_at(public_id, secret, request.user)
    return games.select_related("table__round__event__tournament", "open_table")


def in_its_time(club: Club) -> Club:
    """Show and read the times of this request in the time zone of a club."""
    timezone.activate(club.zone)
    return club


def directed_club(request: HttpRequest, slug: str) -> Club:
    """The club with this slug, for one of its directors or owners; 404 for all others."""
    return in_its_time(get_object_or_404(Club.objects.directed_by(request.user), slug=slug))


def owned_club(request: HttpRequest, slug: str) -> Club:
    """The club with this slug, for one of its owners; 404 for all others."""
    return in_its_time(get_object_or_404(Club.objects.owned_by(request.user), slug=slug))


def check_staff(request: HttpRequest) -> None:
    """Answer 404 to everybody but the staff of the server."""
    user = account_of(request)
    if user is None or not (user.is_active and user.is_staff):
        raise Http404


def members_club(request: HttpRequest, slug: str) -> Club:
    """The club with this slug, for one of its members; 404 for all others."""
    return in_its_time(get_object_or_404(Club.objects.of_member(request.user), slug=slug))


def seen_club(request: HttpRequest, slug: str) -> Club:
    """The club with this slug, for its members and, where it is published, for everybody."""
    return in_its_time(get_object_or_404(Club.objects.seen_by(request.user), slug=slug))


def directs_club(request: HttpRequest, club: Club) -> bool:
    """Whether this visitor directs a club (1 query for somebody signed in)."""
    return Club.objects.directed_by(request.user).filter(pk=club.pk).exists()


def club_with_ratings(request: HttpRequest, slug: str) -> Club:
    """The club with this slug, for whoever may see its ratings; 404 for all others."""
    clubs = Club.objects.showing_ratings_to(request.user)
    return in_its_time(get_object_or_404(clubs, slug=slug))


def club_leaderboards(request: HttpRequest, slug: str) -> tuple[Club | None, list[RatingPool]]:
    """A club and its leaderboards, for whoever may see them; 404 for all others.

    Its members see the list before anybody is rated, too.
    """
    pools = pools_of_club(slug, request.user)
    club = pools[0].club if pools else members_club(request, slug)
    return (club and in_its_time(club)), pools


def role_in(request: HttpRequest, club: Club) -> str | None:
    """Return the visitor's role in a club, None if no member (1 query if signed in)."""
    user = account_of(request)
    if user is None:
        return None
    return club.members.filter(user=user).values_list("role", flat=True).first()


def seen_event(request: HttpRequest, slug: str, public_id: str) -> Event:
    """The event of a club, for whoever may see it; 404 for all others."""
    return _event(Event.objects.seen_by(request.user), slug, public_id)


def directed_event(request: HttpRequest, slug: str, public_id: str) -> Event:
    """The event of a club, for one of its directors or owners; 404 for all others."""
    return _event(Event.objects.directed_by(request.user), slug, public_id)


def directed_evening(request: HttpRequest, slug: str, public_id: str) -> Event:
    """An evening that its directors lead by hand, no tournament; 404 for all others."""
    events = Event.objects.directed_by(request.user).filter(tournament=None)
    return _event(events, slug, public_id)


def seen_tournament(request: HttpRequest, slug: str, tournament: str) -> Tournament:
    """The tournament of a club, for whoever may see it; 404 for all others."""
    return _tournament(Tournament.objects.seen_by(request.user), slug, tournament)


def directed_tournament(request: HttpRequest, slug: str, tournament: str) -> Tournament:
    """The tournament of a club, for one of its directors or owners; 404 for all others."""
    return _tournament(Tournament.objects.directed_by(request.user), slug, tournament)


def directed_tournament_round(
    request: HttpRequest, slug: str, tournament: str, number: int
) -> tuple[Tournament, Round]:
    """A tournament and one of its rounds, for one of its directors; 404 for all others."""
    row = directed_tournament(request, slug, tournament)
    return row, get_object_or_404(Round, event=row.event, number=number)


def may_adopt(request: HttpRequest, row: Game) -> bool:
    """Whether whoever writes an open table directs a club (no query for nobody signed in)."""
    if row.table_id is not None or account_of(request) is None:
        return False
    return Club.objects.directed_by(request.user).exists()


def _event(events: EventQuerySet, slug: str, public_id: str) -> Event:
    rows = events.select_related("club", "season", "tournament")
    event = get_object_or_404(rows, club__slug=slug, public_id=public_id)
    in_its_time(event.club)
    return event


def _tournament(rows: TournamentQuerySet, slug: str, tournament: str) -> Tournament:
    found = rows.select_related("event__club", "event__season")
    row = get_object_or_404(found, event__club__slug=slug, slug=tournament)
    in_its_time(row.event.club)
    return row
