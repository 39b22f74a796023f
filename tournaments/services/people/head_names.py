"""The names on sheets: they follow how their players wish to be shown.

Heads of games hold names, so that a sheet, a document and a record need nothing else; the seats
say whose they are. What is written here is no write of the table: the revision stays.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Prefetch, QuerySet

from tournaments.models import Club, Game, Player, Report, Seat, Write
from tournaments.services.documents.reporting import throw_away
from tournaments.services.people.players import names_at_table

AT_ONCE = 400
"""So many games are rewritten in one go: a query takes only so many parameters."""


@dataclass(frozen=True, slots=True)
class Renaming:
    """What a player was called at a seat of a game, in every form, and is called now."""

    game: Game
    old: frozenset[str]
    new: str


def let_names_follow(seats: QuerySet[Seat], called: Collection[str]) -> list[Renaming]:
    """Put the names of the players at `seats` as they are now into the games and their history.

    `called` is what they were called before. Documents that show something else are thrown away
    and built anew when they are next asked for. The caller holds the transaction, and has locked
    the people of the club.
    """
    pks = list(seats.order_by("game_id").values_list("pk", flat=True))
    done: list[Renaming] = []
    for first in range(0, len(pks), AT_ONCE):
        done += _rename_at(pks[first : first + AT_ONCE], called)
    return done


def let_past_names_follow(club: Club, called: Collection[str], new: str) -> None:
    """Put `new` for the names of a player who sat at games of the club once, and left the seat.

    No seat says it any more, but the history of those games does. Whole names only: initials may
    be anybody's. The caller holds the transaction, and has locked the people of the club.
    """
    heads = Write.objects.filter(kind=Write.Kind.HEAD, game__table__round__event__club=club)
    left = [
        write
        for write in heads.iterator()
        if not set(called).isdisjoint(_named_in(write.before) + _named_in(write.body))
    ]
    for write in left:
        write.before = _with_name(write.before, called, new)
        write.body = _with_name(write.body, called, new)
    Write.objects.bulk_update(left, ["before", "body"], batch_size=100)
    games = sorted({write.game_id for write in left})
    for first in range(0, len(games), AT_ONCE):
        there = Write.objects.filter(game__in=games[first : first + AT_ONCE], author__in=called)
        there.update(author=new)


def let_typed_names_follow(game: Game, typed: Sequence[str]) -> None:
    """Put the names of a game as they are now for those `typed` before it was a club's, in order.

    The caller holds the transaction, and has locked the game.
    """
    called = dict(zip(typed, game.players, strict=True))
    writes = list(Write.objects.filter(game=game))
    for write in writes:
        write.author = called.get(write.author, write.author)
        for head in (write.before, write.body):
            if write.kind == Write.Kind.HEAD and head is not None:
                head["players"] = [called.get(name, name) for name in head["players"]]
    Write.objects.bulk_update(writes, ["author", "before", "body"], batch_size=100)
    throw_away(Report.objects.filter(game=game))


def _rename_at(seats: Sequence[int], called: Collection[str]) -> list[Renaming]:
    # Joined: of a thousand players prefetched SQLite finds the query too deep.
    sitting = Prefetch("seats", Seat.objects.select_related("player"))
    rows = Game.objects.filter(seats__in=seats).order_by("pk").prefetch_related(sitting)
    games = list(rows.select_for_update(of=("self",)))
    # What players are called is read once the games are locked: nobody writes a head meanwhile.
    renamings = [_put_names(game, set(seats), called) for game in games]
    Game.objects.bulk_update(games, ["players"], batch_size=100)
    _rewrite_history(renamings)
    throw_away(Report.objects.filter(game__in=games))
    return renamings


def _put_names(game: Game, seats: Collection[int], called: Collection[str]) -> Renaming:
    """Change the names in the head of a game; how its own player's name has changed."""
    sitting = {seat.number: seat for seat in game.seats.all()}
    before = list(game.players)
    # Who sits at no seat of the club's, as a guest of an adopted table, keeps the name written.
    players = [
        sitting[number].player if number in sitting else Player(name=name)
        for number, name in enumerate(before)
    ]
    game.players = names_at_table(players)
    number = next(seat.number for seat in sitting.values() if seat.pk in seats)
    others = {name for other, name in enumerate(before) if other != number}
    forms = {form for name in called for form in (name, f"{name} ({number + 1})")}
    return Renaming(game, frozenset({*forms, before[number]} - others), game.players[number])


def _rewrite_history(renamings: Iterable[Renaming]) -> None:
    """Put the new names into heads that stood once, and to the writes of their authors."""
    alike: dict[tuple[frozenset[str], str], list[Game]] = defaultdict(list)
    for renaming in renamings:
        alike[renaming.old, renaming.new].append(renaming.game)
    for (old, new), games in alike.items():
        writes = Write.objects.filter(game__in=games)
        writes.filter(author__in=old).update(author=new)
        heads = list(writes.filter(kind=Write.Kind.HEAD))
        for write in heads:
            write.before = _with_name(write.before, old, new)
            write.body = _with_name(write.body, old, new)
        Write.objects.bulk_update(heads, ["before", "body"], batch_size=100)


def _with_name(
    head: Mapping[str, Any] | None, old: Collection[str], new: str
) -> dict[str, Any] | None:
    if head is None:
        return None
    return {**head, "players": [new if name in old else name for name in head.get("players", ())]}


def _named_in(head: Mapping[str, Any] | None) -> list[str]:
    names: list[str] = (head or {}).get("players", [])
    return names
