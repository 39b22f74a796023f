"""The clubs of `tests/web/access_world.py`, and the keys of every program that may come."""

from dataclasses import dataclass, field

from tests.counting import LONG_AFTER
from tests.web.access_world import make_world
from tournaments.api.access import token_of
from tournaments.engine.documents.games import letters_of
from tournaments.models import Entrant, Game, PersonalToken, Scope, Table

KEYS = (
    *("write", "follow", "pen", "table", "another", "another table", "closed", "closed table"),
    "evening",
)
"""Programs with an address of a table as key: the right one, another one, one of a closed round."""

ACCOUNTS = ("member", "director", "owner", "other", "staff")
"""Programs with a personal token for everything that the account may."""

LIMITED = {
    "director who reads": ("director", [Scope.READ]),
    "director who scores": ("director", [Scope.SCORE]),
    "owner who directs": ("owner", [Scope.READ, Scope.SCORE, Scope.DIRECT]),
}
"""Programs whose token lacks some of what the account may: whose, and for what."""

VISITORS = ("nobody", *KEYS, *ACCOUNTS)


@dataclass
class Programs:
    """`world` fills in the addresses, `tokens` are those of each visitor."""

    world: object
    tokens: dict = field(default_factory=dict)
    scopes: dict = field(default_factory=dict)

    def place(self, name, who):
        if who.startswith("closed") and name in self.world.closed:
            return self.world.closed[name]
        return self.world.right[name]


def make_programs():
    programs = Programs(make_world())
    _keys(programs)
    for who in ACCOUNTS:
        _token(programs, who, who, list(Scope))
    for name, (who, scopes) in LIMITED.items():
        _token(programs, name, who, scopes)
    _places(programs.world)
    return programs


def _keys(programs):
    world = programs.world
    right = Game.objects.get(public_id=world.right["write"]["public_id"])
    closed = Game.objects.get(public_id=world.closed["write"]["public_id"])
    another = Table.objects.get(public_id=world.links["phone of another table"]["public_id"])
    programs.tokens = {
        "nobody": "",
        **{kind: token_of(right, kind) for kind in ("write", "follow", "pen")},
        "table": token_of(right.table, "table"),
        "another": token_of(another.games.get(), "write"),
        "another table": token_of(another, "table"),
        "closed": token_of(closed, "write"),
        "closed table": token_of(closed.table, "table"),
        "evening": "evening.{public_id}.{secret}".format(**world.right["evening"]),
    }


def _token(programs, name, who, scopes):
    account = programs.world.accounts[who]
    row, token = PersonalToken.objects.create(account, name=name, scopes=scopes)
    # Used in this minute already, so that reading writes nothing.
    PersonalToken.objects.filter(pk=row.pk).update(last_used_at=LONG_AFTER)
    programs.tokens[name], programs.scopes[name] = token, scopes


def _places(world):
    """Return values for the placeholders of all addresses of the API."""
    written = Game.objects.exclude(digest="").first()
    world.right |= {
        "a schema": {"file": "kingscore-game-1.json"},
        "table of a round": world.right["round"] | {"table": world.right["table"]["public_id"]},
        "a code": {"code": letters_of(written.digest).replace(" ", "")},
        "a table": {"public_id": world.right["table"]["public_id"]},
        "evening of a season": world.right["season"] | {"event": world.right["event"]["public_id"]},
    }
    number = world.right["entrant"]["entrant"]
    entrant = Entrant.objects.get(tournament__slug="moda-acik", number=number)
    at = world.right["tournament"] | {"number": number}
    place = {"place": 3, "player": entrant.player.public_id}
    world.right |= {
        "an entrant": at,
        "an entrant replaced": at | place,
        "an evening": {"public_id": world.right["evening"]["public_id"]},
        "links": {"public_id": entrant.tournament.public_id},
    }
    for kind in ("join", "claim"):
        there = world.right[kind]["public_id"]
        world.right[f"wrong link to {kind}"] = {"public_id": there, "secret": "wrong"}
    world.closed["a table"] = {"public_id": world.closed["table"]["public_id"]}
