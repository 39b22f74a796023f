"""Players, their names on sheets and kept sums, and no telephone numbers in names."""

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

from django.db import DatabaseError, IntegrityError, transaction
from django.db.models import Prefetch, QuerySet
from django.utils.translation import gettext_lazy as _

from tournaments.engine.rules.entries import clean_line
from tournaments.engine.rules.rulesets import LONGEST_NAME
from tournaments.models import AuditEntry, Club, Game, KeptSums, Player, Report, Revision, Seat
from tournaments.models.people import fold_name, plain_name
from tournaments.queries.players import (
    HistoryPart,
    PlayerSums,
    add_histories,
    read_histories,
    read_history,
    version_of,
    write_history,
)
from tournaments.services.audit import Actor, Change, note_change, note_changes
from tournaments.services.base.writes import Fault, Invalid, Refused
from tournaments.services.documents.reporting import throw_away

# “Team 7, 0532 …” has a number of its own before the comma.
_SEPARATORS = r"(?:[^\w,;]|_|,(?!\s)){0,6}"
_LABEL = (
    r"(?:(?<!\w)(?:tel|telefon|telefono|telephone|phone|gsm|cep|cell|cellulare|mobile|fax|whatsapp"
    r"|iban|mailto|mail|e-?mail|e-?posta)[.:\s]{0,3})?"
)
_ADDRESS = r"[^\s@＠﹫<>;,:]{1,64}[@＠﹫][^\s@＠﹫<>;,]{1,64}"
# Seven digits in a row but for separators, or three behind a plus sign.
_PHONE = (
    rf"{_LABEL}[+(＋（]{{0,2}}\d(?:{_SEPARATORS}\d){{6,}}[)）]?|[+＋]\s?\d(?:{_SEPARATORS}\d){{2,}}"
)
_CONTACT = re.compile(rf"{_LABEL}<?{_ADDRESS}>?|{_PHONE}", re.IGNORECASE)
_IBAN = re.compile(
    r"(?<!\w)[a-z]{2}\d{2}(?:\s?[a-z\d]{4}){2,7}(?:\s?[a-z\d]{1,3})?(?!\w)", re.IGNORECASE
)
# With a label before it, or as spreadsheets write a long number: 3,93331E+11.
_NUMBER = re.compile(rf"{_LABEL}[\d\s().+/-]+|[-+]?\d+(?:[.,]\d+)?e[-+]?\d+", re.IGNORECASE)

LONGEST = 300
"""Characters of a cell that are read: a longer one is no name."""


def without_contacts(text: str) -> str:
    """Return a text without telephone numbers and mail addresses; empty if only a number is left.

    A name may contain a number of a few digits: “3. Masa”, “Team 7”, “42 Kings”.
    """
    # What cannot be seen may stand between the digits.
    text = clean_line(text)[:LONGEST]
    rest = _CONTACT.sub(
        " ",
        _IBAN.sub(lambda found: " " if sum(map(str.isdigit, found[0])) >= 8 else found[0], text),
    )
    if rest != text:
        rest = " ".join(rest.split()).strip(" ,;:|/()<>[]-–—")
    if not any(map(str.isalpha, rest)):
        return "" if rest != text or any(map(str.isnumeric, rest)) else rest
    return "" if _NUMBER.fullmatch(rest) else rest


def has_contact(text: str) -> bool:
    """Return whether a text contains what `without_contacts` leaves out."""
    return without_contacts(text) != clean_line(text)[:LONGEST]


MOST_ADDED = 200
"""Maximum number of players added at once."""


class NameTaken(Refused, code="name-taken", in_lists=True):
    sentence = _("There is already a player called %(name)s.")

    def __init__(self, player: Player) -> None:
        self.player = player
        super().__init__({"name": player.name}, {"player": player.public_id})


class NoName(Fault, code="no-name", where="name"):
    sentence = _("A name has letters, and 80 of them at most.")


class NameTwice(Fault, code="name-twice"):
    sentence = _("It is the same name as on an earlier line.")


class NamesRefused(Invalid):
    """Problems of the lines of a list, by line number from 0."""

    def __init__(self, problems: dict[int, Refused]) -> None:
        self.problems = problems
        for number, problem in problems.items():
            problem.where = f"names.{number}"
        super().__init__(faults=list(problems.values()))


def clean_name(text: str, where: str = "") -> str:
    """Return a name as stored, as by `clean_line`.

    Raises: NoName: the name is empty or too long.
    """
    cleaned = clean_line(text)
    if not any(map(str.isalnum, plain_name(cleaned))) or len(cleaned) > LONGEST_NAME:
        raise NoName(where=where)
    # Some characters of Unicode stand for a whole sentence.
    if len(fold_name(cleaned)) > 2 * LONGEST_NAME:
        raise NoName(where=where)
    return cleaned


def add_player(club: Club, name: str, by: Actor, *, at: datetime) -> Player:
    """Add a player to a club.

    Raises:
        NameTaken: a player has that name; nothing is written.
        NoName: the name is not valid.
    """
    name = clean_name(name)
    try:
        with transaction.atomic():
            player = Player.objects.create(club=club, name=name, created_at=at)
            change = Change(AuditEntry.Kind.PLAYER, "add", subject_of(player), after={"name": name})
            note_change(club, change, by, at=at)
    except IntegrityError as error:
        # The constraint decides, so that two people who type a name at once get one player.
        taken = find_player(club, name)
        if taken is None:
            raise
        raise NameTaken(taken) from error
    return player


def add_players(club: Club, names: Sequence[str], by: Actor, *, at: datetime) -> list[Player]:
    """Add several players, all or none.

    Raises: NamesRefused: contains every problem; nothing is written.
    """
    added: list[Player] = []
    problems: dict[int, Refused] = {}
    with transaction.atomic():
        for number, name in enumerate(names):
            try:
                added.append(add_player(club, name, by, at=at))
            except NameTaken as taken:
                earlier = [" ".join(each.split()) for each in names[:number]]
                problems[number] = NameTwice() if taken.player.name in earlier else taken
            except NoName as problem:
                problems[number] = problem
        if problems:
            # Roll back the players already added.
            raise NamesRefused(problems)
    return added


def find_player(club: Club, name: str) -> Player | None:
    """Return a club's player by name, up to case and dots; for a merged one, the kept player."""
    player = Player.objects.filter(club=club).called(name).select_related("merged_into").first()
    while player is not None and player.merged_into is not None:
        player = player.merged_into
    return player


def find_or_add_player(club: Club, name: str, by: Actor, *, at: datetime) -> Player:
    """Return the player with a name, added if there is none.

    Raises: NoName: the name is not valid.
    """
    found = find_player(club, name)
    if found is not None:
        return found
    try:
        return add_player(club, name, by, at=at)
    except NameTaken as taken:
        return taken.player


def add_all(club: Club, names: Sequence[str], by: Actor, *, at: datetime) -> list[Player]:
    """Add players by distinct names that were unknown when looked up, in a few queries.

    Players added meanwhile are found.

    Raises: NoName: a name is not valid.
    """
    cleaned = [clean_name(name) for name in names]
    rows = [
        Player(
            club=club,
            name=name,
            name_key=fold_name(name),
            search_key=plain_name(name),
            created_at=at,
        )
        for name in cleaned
    ]
    try:
        with transaction.atomic():
            Player.objects.bulk_create(rows)
            kind = AuditEntry.Kind.PLAYER
            added = (Change(kind, "add", subject_of(p), after={"name": p.name}) for p in rows)
            note_changes(club, added, by, at=at)
    except IntegrityError:
        return [find_or_add_player(club, name, by, at=at) for name in cleaned]
    return rows


def lock_people(club_pk: int) -> Club:
    """Lock the people of a club; other changes to them wait.

    One lock for all, since a merge, a removal and a claim each change several rows. To seat players
    by name, take it before reading the names, so that a player removed meanwhile is not written
    again.
    """
    # `no_key`, so that audit entries, which refer to the club, do not wait.
    return Club.objects.select_for_update(no_key=True).get(pk=club_pk)


def lock_player(pk: int) -> Player:
    """Return the current player, with the people of the club locked.

    Raises: Player.DoesNotExist: it was removed, or merged into another one.
    """
    club = lock_people(Player.objects.values_list("club_id", flat=True).get(pk=pk))
    player = Player.objects.present().get(pk=pk)
    player.club = club
    return player


def names_at_table(players: Sequence[Player]) -> list[str]:
    """Return the names on a sheet in seat order: as the players wish, no two alike."""
    names: list[str] = []
    for seat, player in enumerate(players):
        # A removed player keeps a seat without a name, in any language.
        name = player.shown_name or f"№ {seat + 1}"
        while name in names:
            name = f"{name} ({seat + 1})"
        names.append(name)
    return names


def subject_of(player: Player) -> str:
    return f"player:{player.pk}"


AT_ONCE = 400
"""Games rewritten in one batch: queries have a limit of parameters."""


def let_names_follow(seats: QuerySet[Seat], called: Collection[str]) -> list[Game]:
    """Write the current names of the players at `seats` into the games and their history.

    `called` are the former names. Documents with other names are deleted and rebuilt on request.
    Call it in a transaction with the people of the club locked.

    Returns: the games.
    """
    pks = list(seats.order_by("game_id").values_list("pk", flat=True))
    done: list[Game] = []
    for first in range(0, len(pks), AT_ONCE):
        some = pks[first : first + AT_ONCE]
        # Joined: with a thousand prefetched players SQLite rejects the query as too deep.
        sitting = Prefetch("seats", Seat.objects.select_related("player"))
        rows = Game.objects.filter(seats__in=some).order_by("pk").prefetch_related(sitting)
        games = list(rows.select_for_update(of=("self",)))
        # Names are read once the games are locked, so that nobody writes a setup meanwhile.
        alike: dict[tuple[frozenset[str], str], list[Game]] = defaultdict(list)
        for game in games:
            alike[_put_names(game, set(some), called)].append(game)
        Game.objects.bulk_update(games, ["players"], batch_size=100)
        for (old, new), renamed in alike.items():
            writes = Revision.objects.filter(game__in=renamed)
            writes.filter(author__in=old).update(author=new)
            heads = list(writes.filter(kind=Revision.Kind.HEAD))
            for write in heads:
                write.before = _with_name(write.before, old, new)
                write.body = _with_name(write.body, old, new)
            Revision.objects.bulk_update(heads, ["before", "body"], batch_size=100)
        throw_away(Report.objects.filter(game__in=games))
        done += games
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


def _put_names(
    game: Game, seats: Collection[int], called: Collection[str]
) -> tuple[frozenset[str], str]:
    """Change the names in the setup of a game; return its player's former names and the new one."""
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
    return frozenset({*forms, before[number]} - others), game.players[number]


def _with_name(
    head: Mapping[str, Any] | None, old: Collection[str], new: str
) -> dict[str, Any] | None:
    if head is None:
        return None
    return {**head, "players": [new if name in old else name for name in head.get("players", ())]}


def _named_in(head: Mapping[str, Any] | None) -> list[str]:
    names: list[str] = (head or {}).get("players", [])
    return names


FEWEST = 25
"""With fewer games, reading them is as fast as reading their sums."""


def sums_of_games(
    player: Player, seats: QuerySet[Seat], parts: Sequence[HistoryPart], *, keep: bool
) -> PlayerSums:
    """Return the sums of parts, from kept sums where these hold (2 queries).

    The others are computed (2 queries). With `keep` they are kept, if the database can be written
    (3 queries); a page for everybody must not write.
    """
    versions = version_of(player, parts)
    rows = KeptSums.objects.filter(player=player, part__in=list(versions))
    stored = {row.part: row.sums for row in rows if row.version == versions[row.part]}
    missing = [part for part in parts if part.key not in stored]
    found = read_histories(player, seats, missing) if missing else []
    new = [
        KeptSums(
            player=player, part=part.key, version=versions[part.key], sums=write_history(history)
        )
        for part, history in found
        if part.key and part.games >= FEWEST
    ]
    if keep and new:
        # A page that cannot store them is shown all the same.
        with suppress(DatabaseError), transaction.atomic():
            KeptSums.objects.bulk_create(
                # In one order, so that two requests do not wait for each other.
                sorted(new, key=lambda row: row.part),
                update_conflicts=True,
                unique_fields=["player", "part"],
                update_fields=["version", "sums"],
            )
    histories = [history for _part, history in found]
    return add_histories([*histories, *(read_history(sums) for sums in stored.values())])
