"""Several names of one person, joined by whoever holds the tables on which they stand."""

from collections.abc import Iterable, Mapping

from django.utils.translation import gettext_lazy as _

from tournaments.models import Game, User
from tournaments.models.people import fold_name
from tournaments.services.base.refusals import Refused

Joined = Mapping[str, str]
"""The name that each folded name stands for."""

MOST_JOINED = 16
"""As many as a cookie holds."""


class NamesNotJoined(Refused, code="names-not-joined", status=422):
    sentence = _("These two have played in one game, so they are two people.")


def person_called(name: str, joined: Joined) -> str:
    """Return the name under which a person is counted."""
    seen: set[str] = set()
    while (key := fold_name(name)) in joined and key not in seen:
        seen.add(key)
        name = joined[key]
    return name


def players_of(row: Game, joined: Joined) -> list[str]:
    """Return the players of a game as people; by their own names if two would be one."""
    people = [person_called(name, joined) for name in row.players]
    return people if len({*map(fold_name, people)}) == len(people) else list(row.players)


def join_names(joined: Joined, name: str, into: str, games: Iterable[Game]) -> dict[str, str]:
    """Return `joined` with one name more that stands for another.

    Raises:
        NamesNotJoined: both have played in one of the games, or there is no room for another.
    """
    one, other = (person_called(each, joined) for each in (name, into))
    keys = {fold_name(one), fold_name(other)}
    if len(keys) == 1:
        return dict(joined)
    if len(joined) >= MOST_JOINED:
        full = _("No more names can be joined: separate some first.")
        raise NamesNotJoined(sentence=full)
    if any(keys <= {*map(fold_name, players_of(row, joined))} for row in games):
        raise NamesNotJoined
    return {**joined, fold_name(one): other}


def separate_name(joined: Joined, name: str) -> dict[str, str]:
    """Return `joined` without a name that was joined to another."""
    return {key: into for key, into in joined.items() if key != fold_name(name)}


def save_joined(user: User, joined: Joined) -> None:
    """Keep joined names in an account, in place of those kept before."""
    User.objects.filter(pk=user.pk).update(joined_names=joined)
    user.joined_names = dict(joined)
