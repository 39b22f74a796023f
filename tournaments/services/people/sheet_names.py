"""Names on sheets follow their players' wishes.

The setup of a game contains names, so that sheets, documents and records need nothing else; the
seats say who they are. These updates add no revision.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Prefetch, QuerySet

from tournaments.models import Club, Game, Player, Report, Revision, Seat
from tournaments.services.documents.reporting import throw_away
from tournaments.services.people.players import names_at_table

AT_ONCE = 400
"""Games rewritten in one batch: queries have a limit of parameters."""


@dataclass(frozen=True, slots=True)
class Renaming:
    """All former forms of a player's name at a seat, and the current name."""

    game: Game
    old: frozenset[str]
    new: str


def let_names_follow(seats: QuerySet[Seat], called: Collection[str]) -> list[Renaming]:
    """Write the current names of the players at `seats` into the games and their history.

    `called` are the former names. Documents with other names are deleted and rebuilt on request.
    Call it in a transaction with the people of the club locked.
    """
    pks = list(seats.order_by("game_id").values_list("pk", flat=True))
    done: list[Renaming] = []
    for first in range(0, len(pks), AT_ONCE):
        done += _rename_at(pks[first : first + AT_ONCE], called)
    return done


def let_past_names_follow(club: Club, called: Collection[str], new: str) -> None:
    """Replace the names of a player in games of the club whose seat they have left.

    No seat refers to the player any more, but the history of those games does. Whole names only:
    initials may be anybody's. Call it in a transaction with the people of the club locked.
    """
    heads = Revision.objects.filter(kind=Revision.Kind.HEAD, game__table__round__event__club=club)
    left = [
        write
        for write in heads.iterator()
        if not set(called).isdisjoint(_named_in(write.before) + _named_in(write.body))
    ]
    for write in left:
        write.before = _with_name(write.before, called, new)
        write.body = _with_name(write.body, called, new)
    Revision.objects.bulk_update(left, ["before", "body"], batch_size=100)
    games = sorted({write.game_id for write in left})
    for first in range(0, len(games), AT_ONCE):
        there = Revision.objects.filter(game__in=games[first : first + AT_ONCE], author__in=called)
        there.update(author=new)


def let_typed_names_follow(game: Game, typed: Sequence[str]) -> None:
    """Replace the names `typed` in an open game, in seat order, after it was adopted by a club.

    Call it in a transaction with the game locked.
    """
    called = dict(zip(typed, game.players, strict=True))
    writes = list(Revision.objects.filter(game=game))
    for write in writes:
        write.author = called.get(write.author, write.author)
        for head in (write.before, write.body):
            if write.kind == Revision.Kind.HEAD and head is not None:
                head["players"] = [called.get(name, name) for name in head["players"]]
    Revision.objects.bulk_update(writes, ["author", "before", "body"], batch_size=100)
    throw_away(Report.objects.filter(game=game))


def _rename_at(seats: Sequence[int], called: Collection[str]) -> list[Renaming]:
    # Joined: with a thousand prefetched players SQLite rejects the query as too deep.
    sitting = Prefetch("seats", Seat.objects.select_related("player"))
    rows = Game.objects.filter(seats__in=seats).order_by("pk").prefetch_related(sitting)
    games = list(rows.select_for_update(of=("self",)))
    # Names are read once the games are locked, so that nobody writes a setup meanwhile.
    renamings = [_put_names(game, set(seats), called) for game in games]
    Game.objects.bulk_update(games, ["players"], batch_size=100)
    _rewrite_history(renamings)
    throw_away(Report.objects.filter(game__in=games))
    return renamings


def _put_names(game: Game, seats: Collection[int], called: Collection[str]) -> Renaming:
    """Change the names in the setup of a game; return the renaming of its own player."""
    sitting = {seat.number: seat for seat in game.seats.all()}
    before = list(game.players)
    # A guest of an adopted table without a seat of the club keeps the typed name.
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
    """Write the new names into former setups and to the revisions of their authors."""
    alike: dict[tuple[frozenset[str], str], list[Game]] = defaultdict(list)
    for renaming in renamings:
        alike[renaming.old, renaming.new].append(renaming.game)
    for (old, new), games in alike.items():
        writes = Revision.objects.filter(game__in=games)
        writes.filter(author__in=old).update(author=new)
        heads = list(writes.filter(kind=Revision.Kind.HEAD))
        for write in heads:
            write.before = _with_name(write.before, old, new)
            write.body = _with_name(write.body, old, new)
        Revision.objects.bulk_update(heads, ["before", "body"], batch_size=100)


def _with_name(
    head: Mapping[str, Any] | None, old: Collection[str], new: str
) -> dict[str, Any] | None:
    if head is None:
        return None
    return {**head, "players": [new if name in old else name for name in head.get("players", ())]}


def _named_in(head: Mapping[str, Any] | None) -> list[str]:
    names: list[str] = (head or {}).get("players", [])
    return names
