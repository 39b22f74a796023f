"""Who a visitor is, and what they may touch; whatever they may not is 404."""

from allauth.account.adapter import get_adapter
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django.shortcuts import get_object_or_404

from tournaments.models import Club, Game, User
from tournaments.models.play import GameQuerySet
from tournaments.services.auditing import Actor


def account_of(request: HttpRequest) -> User | None:
    """The account of whoever is signed in."""
    user: User | AnonymousUser = request.user
    return user if isinstance(user, User) and user.is_authenticated else None


def actor_of(request: HttpRequest, table: str = "") -> Actor:
    """Who does what is asked for; `table` is the public id of the table whose phone it may be."""
    user = account_of(request)
    return Actor(user, "" if user else table, address_of(request))


def address_of(request: HttpRequest) -> str:
    """The IP address a request came from, as far as the proxies in front are trusted."""
    return str(get_adapter().get_client_ip(request) or "")


def writable_game(request: HttpRequest, public_id: str, secret: str) -> GameQuerySet:
    """The game that this visitor may write at this address."""
    return Game.objects.writable_at(public_id, secret, request.user)


def directed_club(request: HttpRequest, slug: str) -> Club:
    """The club with this slug, for one of its directors or owners; 404 for all others."""
    return get_object_or_404(Club.objects.directed_by(request.user), slug=slug)


def owned_club(request: HttpRequest, slug: str) -> Club:
    """The club with this slug, for one of its owners; 404 for all others."""
    return get_object_or_404(Club.objects.owned_by(request.user), slug=slug)


def members_club(request: HttpRequest, slug: str) -> Club:
    """The club with this slug, for one of its members; 404 for all others."""
    return get_object_or_404(Club.objects.of_member(request.user), slug=slug)


def seen_club(request: HttpRequest, slug: str) -> Club:
    """The club with this slug, for its members and, where it is published, for everybody."""
    return get_object_or_404(Club.objects.seen_by(request.user), slug=slug)
