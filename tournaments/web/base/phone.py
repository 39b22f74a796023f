"""Phones at tables: what they may, and how a link to them looks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from secrets import token_urlsafe
from typing import Any
from urllib.parse import urlencode

from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from tournaments.engine.rules.rulesets import Ruleset
from tournaments.engine.variants import RULESETS
from tournaments.models import Club, Game, OpenTable, Tournament
from tournaments.models.games import digest
from tournaments.origin import absolute
from tournaments.queries.evenings import Joined
from tournaments.services.games.seating import MOST_JOINED
from tournaments.texts.questions import answers_in


@dataclass(frozen=True)
class LinkPreview:
    """Title, a line of result, and absolute addresses of the page and its picture (1200 × 630).

    No page that shows an address to write has one: whoever reads the chat would see it.
    """

    title: str
    line: str
    address: str
    picture: str


def link_preview(request: HttpRequest, title: str, line: str, picture: str = "") -> LinkPreview:
    """Return the preview of the requested page; `picture` is the path of its own picture."""
    picture = absolute(request, picture or static("kingscore-wide.png"))
    return LinkPreview(title, line, absolute(request, request.path), picture)


def program_preview(request: HttpRequest, title: str) -> LinkPreview:
    """Return the preview of a page that says what the program does."""
    line = _(
        "Play with real cards; write each deal here. Kingscore refuses what cannot be right and"
        " adds up."
    )
    return link_preview(request, title, line)


def club_page_preview(
    request: HttpRequest, club: Club, title: str, line: str
) -> LinkPreview | None:
    """Return the preview of a page of a published club; `line` has a place for its name."""
    if not club.published:
        return None
    return link_preview(request, f"{title} · {club.name}", line % {"club": club.name})


def as_of(path: str, version: int) -> str:
    """Return the address of a picture, another one after each change, in the active language."""
    return f"{path}?{urlencode({'language': get_language(), 'revision': version})}"


GAMES = "games"
TABLE = "table"
PHONE = "phone"
JOINED = "joined"
ENTRANTS = "entrants"
A_YEAR = 365 * 24 * 60 * 60

MOST_GAMES = 40
"""The number of games that fits in 3 kB of a cookie; the oldest are forgotten first."""

MOST_NAMES = 16
MOST_PLAYED = 6

MATCHES = ("best-of.3", "best-of.5", "best-of.7", "first-to")
"""The lengths of a match; only the last asks for a number of games."""

MOST_TOURNAMENTS = 12

SALT = "kingscore.phone.{}.1"
"""Raise the number with each change of format, so that old cookies are not misread."""

Known = tuple[str, str, int]
"""A game in the cookie: its public id, the kind of address, the address's generation."""


@dataclass(frozen=True)
class PhoneGame:
    row: Game
    kind: str

    @property
    def address(self) -> str:
        return address(self.row, self.kind)


@dataclass(frozen=True)
class LastTable:
    """The table that this phone started last, and the names it knows, the latest first.

    `match` is the length of the match and its number, if games made one. `played` has the options
    with which each other ruleset was played last.
    """

    players: Sequence[str] = ()
    ruleset: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    names: Sequence[str] = ()
    match: tuple[str, int] | None = None
    played: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def without_players(self, ruleset: str) -> "LastTable":
        """Return a table of nobody yet for a ruleset, as this phone played that last."""
        if ruleset == self.ruleset:
            return replace(self, players=())
        options = self.played.get(ruleset, {})
        return replace(self, players=(), ruleset=ruleset, options=options, match=None)

    def initial(self, rulesets: Mapping[str, Ruleset] = RULESETS) -> dict[str, Any]:
        """Return the initial values of the form for the next table."""
        rules = rulesets.get(self.ruleset)
        known = {**self.played, self.ruleset: self.options}
        fields: dict[str, Any] = {f"name{seat}": name for seat, name in enumerate(self.players)}
        for id_, options in known.items():
            if id_ in rulesets:
                fields |= answers_in(rulesets[id_], options, f"{id_}.")
        if rules is None:
            return {"ruleset": next(iter(rulesets)), "first_declarer": 0, **fields}
        length, number = self.match or ("", 0)
        match = f"{length}.{number}" if f"{length}.{number}" in MATCHES else length
        matches = {"match": match, "match_to": number if match == "first-to" else None}
        return {"ruleset": rules.id, "first_declarer": 0, **fields, **matches}


def address(row: Game, kind: str) -> str:
    return reverse(kind, args=[row.public_id, row.secret(kind)])


def evening_address(table: OpenTable) -> str:
    return reverse("evening", args=[table.public_id, table.secret()])


def evening_games_address(table: OpenTable) -> str:
    """Return the path of the evening of an open table, which stays while a game is played."""
    return reverse("evening_games", args=[table.public_id, table.secret()])


def picture_address(row: Game, *, wide: bool = False) -> str:
    """Return the path of the picture of a game as it is now.

    It is below the address for followers, whoever asks: pictures are sent to others.
    """
    name = "follow_picture_wide" if wide else "follow_picture"
    return as_of(reverse(name, args=[row.public_id, row.secret("follow")]), row.revision)


def new_key() -> str:
    """Return a key for one form, so that sending it twice has one effect."""
    return token_urlsafe(18)


def new_write_key() -> str:
    """Return a key for one write on a sheet; static/send.js makes the same.

    It is stored with each deal. It gives access to nothing and only has to be unique in its game,
    so it is a third as long as the key that starts a game.
    """
    return token_urlsafe(6)


def phone_games(request: HttpRequest) -> list[PhoneGame]:
    """Return this phone's games that still exist, the newest first (1 query)."""
    known = _known_games(request)
    games_there = Game.objects.select_related("open_table", "table__round__event__club")
    found = games_there.filter(public_id__in=[public_id for public_id, _, _ in known])
    rows = {row.public_id: row for row in found} if known else {}
    games = (_open(rows.get(public_id), kind, gen) for public_id, kind, gen in known)
    return [game for game in games if game is not None]


def address_on_phone(request: HttpRequest, row: Game) -> str:
    """Return the address of a game on this phone: to write if it scores, else to follow."""
    return address(row, "write" if scores(request, row) else "follow")


def scores(request: HttpRequest, row: Game) -> bool:
    """Return whether this phone scores a game, or another at its open table (1 query at most)."""
    written = {(name, gen) for name, kind, gen in _known_games(request) if kind == "write"}
    if (row.public_id, row.write_generation) in written:
        return True
    if not written or row.open_table_id is None or row.table_id is not None:
        return False
    beside = Game.objects.filter(open_table=row.open_table_id, table=None)
    return not written.isdisjoint(beside.values_list("public_id", "write_generation"))


def writes_games(request: HttpRequest) -> bool:
    """Return whether this phone has an address to write, which pages of its games may show."""
    return any(kind == "write" for _, kind, _ in _known_games(request))


def knows_game(request: HttpRequest, row: Game) -> bool:
    """Return whether this phone has opened an address of a game before."""
    return any(public_id == row.public_id for public_id, _, _ in _known_games(request))


def remember_game(request: HttpRequest, response: HttpResponse, row: Game, kind: str) -> None:
    """Add a game to this phone's list; a phone that may write does not become a follower."""
    known = _known_games(request)
    game: Known = (row.public_id, kind, row.generation(kind))
    writes: Known = (row.public_id, "write", row.write_generation)
    if game not in known and writes not in known:
        others = [other for other in known if other[0] != row.public_id]
        _keep(request, response, GAMES, [game, *others][:MOST_GAMES])


def remember_phone(request: HttpRequest, response: HttpResponse) -> str:
    """Return the id that distinguishes this phone from others; a phone without one gets it."""
    phone: str | None = _read(request, PHONE)
    if phone is None:
        phone = token_urlsafe(16)
        _keep(request, response, PHONE, phone)
    return phone


def phone_at(request: HttpRequest, row: Game) -> str:
    phone = _read(request, PHONE)
    return "" if phone is None else in_game(phone, row)


def in_game(phone: str, row: Game) -> str:
    """Return the id of a phone in a game; it differs per game, so that games cannot be linked."""
    # Stored with each revision: 40 bits tell the phones of one game apart.
    return digest(f"{phone} at {row.public_id}")[:10]


def notified_phone(request: HttpRequest) -> str:
    """Return this phone's id for notifications; empty if it has none."""
    phone = _read(request, PHONE)
    return "" if phone is None else digest(f"{phone} is notified")


def remember_notified_phone(request: HttpRequest, response: HttpResponse) -> str:
    """Return this phone's id for notifications; a phone without one gets it."""
    return digest(f"{remember_phone(request, response)} is notified")


def remember_carried(
    request: HttpRequest, response: HttpResponse, carried: Sequence[Known]
) -> list[PhoneGame]:
    """Add the games of another phone to this one's list; return those that it may open (1 query).

    A list with a game to write and to follow keeps the former.
    """
    known = _known_games(request)
    found = Game.objects.in_bulk({each[0] for each in carried}, field_name="public_id")
    games = [
        PhoneGame(found[name], kind)
        for name, kind, generation in carried
        if name in found and found[name].generation(kind) == generation
    ]
    writes = {each[0] for each in known if each[1] == "write"}
    new = {
        game.row.public_id: (game.row.public_id, game.kind, game.row.generation(game.kind))
        for game in sorted(games, key=lambda game: game.kind == "write")
        if game.row.public_id not in writes
    }
    others = [each for each in known if each[0] not in new]
    _keep(request, response, GAMES, [*others, *new.values()][:MOST_GAMES])
    return games


def forget_game(request: HttpRequest, response: HttpResponse, row: Game) -> None:
    others = [other for other in _known_games(request) if other[0] != row.public_id]
    _keep(request, response, GAMES, others)


def remember_table(request: HttpRequest, response: HttpResponse, row: Game) -> None:
    """Store names, ruleset, options and match for the next table."""
    last = phone_table(request)
    names = list(dict.fromkeys([*row.players, *last.names]))[:MOST_NAMES]
    match = row.match and (row.match.length, row.match.number)
    before = {last.ruleset: last.options, **last.played}
    others = [each for each in before.items() if each[0] != row.ruleset and each[1]]
    stored = [row.players, row.ruleset, row.options, names, match, dict(others[:MOST_PLAYED])]
    _keep(request, response, TABLE, stored)


def phone_names(request: HttpRequest) -> Joined:
    return _read(request, JOINED) or {}


def remember_names(request: HttpRequest, response: HttpResponse, joined: Joined) -> None:
    _keep(request, response, JOINED, dict(list(joined.items())[:MOST_JOINED]))


def phone_entrant(request: HttpRequest, tournament: Tournament) -> int | None:
    """Return the number of the entrant whose phone this is in a tournament; None if unknown."""
    known = dict(_read(request, ENTRANTS) or [])
    number: int | None = known.get(tournament.public_id)
    return number


def remember_entrant(
    request: HttpRequest, response: HttpResponse, tournament: Tournament, number: int | None
) -> None:
    """Store whose phone this is in a tournament; None forgets it."""
    others = [each for each in _read(request, ENTRANTS) or [] if each[0] != tournament.public_id]
    new = [] if number is None else [(tournament.public_id, number)]
    _keep(request, response, ENTRANTS, [*new, *others][:MOST_TOURNAMENTS])


def phone_table(request: HttpRequest) -> LastTable:
    stored = _read(request, TABLE)
    return LastTable(*stored) if stored else LastTable()


def suggested_names(request: HttpRequest) -> Sequence[str]:
    return phone_table(request).names


def _open(row: Game | None, kind: str, generation: int) -> PhoneGame | None:
    """Return the game with its current access; a phone that no longer scores may still follow."""
    if row is None:
        return None
    if generation == row.generation(kind):
        return PhoneGame(row, kind)
    return PhoneGame(row, "follow") if kind == "write" else None


def _known_games(request: HttpRequest) -> list[Known]:
    stored = _read(request, GAMES) or []
    return [(public_id, kind, generation) for public_id, kind, generation in stored]


def _read(request: HttpRequest, name: str) -> Any:
    try:
        return signing.loads(request.COOKIES.get(name, ""), salt=SALT.format(name))
    except signing.BadSignature:
        return None


def _keep(request: HttpRequest, response: HttpResponse, name: str, value: Any) -> None:
    response.set_cookie(
        name,
        signing.dumps(value, salt=SALT.format(name), compress=True),
        max_age=A_YEAR,
        httponly=True,
        samesite="Lax",
        secure=request.is_secure(),
    )
