"""The expected answer to each visitor at every address of the API, for each method.

Each line names an address (`reverse("api:…")`), the place that fills it in (`access_world.py`), the
scope that a personal token needs for what is not read, and who is let in by which method; whoever
is not let in gets what `others` says, and a method that is not named is 405 for everybody.
"""

from dataclasses import dataclass, field

from tests.api.access_world import ACCOUNTS, KEYS, VISITORS

OK = "ok"
"""Let in: an answer, or a problem with what was sent, which is as good as nothing."""

UNKNOWN, FORBIDDEN, MISSING, NO_METHOD = "401", "403", "404", "405"
REFUSED = frozenset({UNKNOWN, FORBIDDEN, MISSING, NO_METHOD})


def only(*who, others=MISSING):
    return {visitor: OK if visitor in who else others for visitor in VISITORS}


EVERYBODY = only(*VISITORS)
NOBODY = only()
MEMBERS = only("member", "director", "owner")
DIRECTORS = only("director", "owner")
OWNERS = only("owner")
OF_ANY_CLUB = only("director", "owner", "other")
ITS_OWN = only("member")
WITH_ACCOUNT = only(*ACCOUNTS, others=UNKNOWN)
"""The visitors with a personal token; all others are told that they need one."""

OWN_TOKEN = {**WITH_ACCOUNT, **dict.fromkeys(ACCOUNTS, MISSING), "member": OK}

READERS = only("write", "closed", "follow", "member", "director", "owner")
WRITERS = only("write", "director", "owner")
"""Of a sheet: by its own key while the round is open, or as director of the club."""
TOLD = only("closed")
"""Whose key wrote the sheet until its round was closed is told so, and goes on reading."""
WRITING = only("write", "closed", "director", "owner")


@dataclass(frozen=True)
class Row:
    """The expected status of each visitor at an address by each method.

    `published` is for GET where club and evening are published, and `read` the scope to read.
    """

    place: str = ""
    scope: str | None = "direct"
    by: dict = field(default_factory=dict)
    published: dict | None = None
    read: str | None = "read"


def row(place="", scope="direct", published=None, read="read", **by):
    """A line of the table: `row("club", GET=MEMBERS, PATCH=OWNERS, scope="manage")`."""
    return Row(place, scope, by, published, read)


GAMES = {
    "game-list": row(scope=None, GET=EVERYBODY, POST=EVERYBODY),
    # A club's game goes with its table.
    "game-detail": row(
        "game", scope="score", GET=READERS, PATCH=WRITING, DELETE=TOLD, published=EVERYBODY
    ),
    "game-record": row("game", GET=READERS, published=EVERYBODY),
    "game-result": row("game", GET=READERS, published=EVERYBODY),
    "game-form": row("game", GET=READERS, published=EVERYBODY),
    "log-list": row("game", GET=WRITERS),
    "game-keys": row("game", read="score", GET=WRITERS),
    "entry-list": row("game", scope="score", POST=WRITING),
    "entry-batch": row("game", scope="score", POST=WRITING),
    "totals": row("game", scope="score", POST=WRITING),
    "entry-detail": row("entry", scope="score", GET=WRITERS, PUT=WRITING, DELETE=WRITING),
    # An evening confirms no deals.
    "reviews": row("game", GET=READERS, published=EVERYBODY),
    "entry-confirm": row("entry", scope="score", POST=WRITING),
    "entry-dispute": row("entry", scope="score", POST=WRITING),
    "seal": row("game", scope="score", POST=WRITING),
    # Nothing is sealed there.
    "entry-reveal": row("entry", scope="score", POST=TOLD),
    "game-pen": row("game", scope="score", POST=only("pen")),
    # It is a game of no match.
    "game-match": row("game", GET=NOBODY),
    "game-next-game": row("game", scope="score", POST=TOLD),
    # It is a club's.
    "game-rematch": row("game", scope="score", POST=TOLD),
    # One's own: only the member has sat there.
    "confirmations": row(
        "game", scope="score", GET=READERS, POST=only("member"), published=EVERYBODY
    ),
    "game-adopt": row("game", POST=WITH_ACCOUNT),
    "evening": row("an evening", GET=only("evening")),
    "evening-documents": row("an evening", scope=None, POST=only("evening")),
}

RULES = {
    "ruleset-list": row(GET=EVERYBODY),
    "ruleset-detail": row("rules of the club", GET=MEMBERS),
    "ruleset-record": row("rules of the club", GET=MEMBERS),
    "describe": row(scope=None, POST=EVERYBODY),
    "schemas": row(GET=EVERYBODY),
    "schema": row("a schema", GET=EVERYBODY),
    "house-rules-list": row(GET=only("staff"), POST=only("staff")),
    "house-rules-detail": row(
        "server rules", GET=only("staff"), PATCH=only("staff"), DELETE=only("staff")
    ),
    "club-house-rules-list": row("keeper", GET=DIRECTORS, POST=DIRECTORS),
    "club-house-rules-detail": row("club rules", GET=DIRECTORS, PATCH=DIRECTORS, DELETE=DIRECTORS),
}

CLUBS = {
    "club-list": row(scope="manage", GET=EVERYBODY, POST=WITH_ACCOUNT),
    "club-detail": row("club", GET=MEMBERS, published=EVERYBODY),
    "club-settings": row("club", scope="manage", GET=OWNERS, PATCH=OWNERS),
    "club-logo": row(
        "club", scope="manage", GET=MEMBERS, PUT=OWNERS, DELETE=OWNERS, published=EVERYBODY
    ),
    "club-leave": row("club", scope="manage", POST=MEMBERS),
    "member-list": row("club", scope="manage", GET=MEMBERS),
    "member-detail": row("person", scope="manage", GET=MEMBERS, PATCH=OWNERS, DELETE=OWNERS),
    "invitation-list": row("club", scope="manage", GET=DIRECTORS, POST=DIRECTORS),
    "invitation-detail": row(
        "invitation", scope="manage", read="manage", GET=DIRECTORS, DELETE=DIRECTORS
    ),
    # Whoever has the right link is told of the club: `people/test_views.py` follows it.
    "join": row("wrong link to join", scope="manage", GET=NOBODY, POST=NOBODY),
    "season-list": row("club", GET=MEMBERS, POST=DIRECTORS, published=EVERYBODY),
    "season-detail": row(
        "season", GET=MEMBERS, PATCH=DIRECTORS, DELETE=DIRECTORS, published=EVERYBODY
    ),
    "audit-list": row("club", GET=DIRECTORS),
    "my-month": row("club", scope="manage", GET=DIRECTORS, PUT=DIRECTORS),
}

WEBHOOKS = {
    "changes": row(GET=EVERYBODY),
    "webhook-list": row("club", scope="manage", read="manage", GET=OWNERS, POST=OWNERS),
    "webhook-detail": row(
        "webhook", scope="manage", read="manage", GET=OWNERS, PATCH=OWNERS, DELETE=OWNERS
    ),
    "webhook-secret": row("webhook", scope="manage", read="manage", GET=OWNERS, POST=OWNERS),
    "webhook-test": row("webhook", scope="manage", POST=OWNERS),
    "delivery-list": row("webhook", scope="manage", read="manage", GET=OWNERS),
    "delivery-detail": row("webhook call", scope="manage", read="manage", GET=OWNERS),
    "delivery-again": row("webhook call", scope="manage", POST=OWNERS),
    "server-webhook-list": row(
        scope="manage", read="manage", GET=only("staff"), POST=only("staff")
    ),
    "server-webhook-detail": row(
        *("webhook of the server", "manage"),
        read="manage",
        **{method: only("staff") for method in ("GET", "PATCH", "DELETE")},
    ),
    "server-webhook-secret": row(
        *("webhook of the server", "manage"),
        read="manage",
        **{method: only("staff") for method in ("GET", "POST")},
    ),
    "server-webhook-test": row("webhook of the server", scope="manage", POST=only("staff")),
    "server-delivery-list": row(
        "webhook of the server", scope="manage", read="manage", GET=only("staff")
    ),
    "server-delivery-detail": row(
        "call of the server", scope="manage", read="manage", GET=only("staff")
    ),
    "server-delivery-again": row("call of the server", scope="manage", POST=only("staff")),
}

TABLES = {
    "table": row("a table", GET=only("table", "closed table", "director", "owner")),
    "enter-table": row(
        "a table", scope="score", POST=only("table", "closed table", "director", "owner")
    ),
    "game-table": row("game", GET=WRITERS),
    # At an evening nobody is called.
    "call-director": row("game", scope="score", POST=NOBODY),
}

RECORDS = {
    "score": row(scope=None, POST=EVERYBODY),
    "pair": row(scope=None, POST=EVERYBODY),
    "verify": row(scope=None, POST=EVERYBODY),
    "code": row("a code", GET=EVERYBODY, published=EVERYBODY),
}

EVENTS = {
    "event-list": row("club", GET=MEMBERS, POST=DIRECTORS, published=EVERYBODY),
    "event-detail": row(
        "event", GET=MEMBERS, PATCH=DIRECTORS, DELETE=DIRECTORS, published=EVERYBODY
    ),
    "event-round-list": row("event", GET=MEMBERS, POST=DIRECTORS, published=EVERYBODY),
    "event-round-detail": row("round", GET=MEMBERS, published=EVERYBODY),
    "event-round-close": row("round", POST=DIRECTORS),
    "event-round-reopen": row("round", POST=DIRECTORS),
    "event-table-list": row("round", GET=MEMBERS, POST=DIRECTORS, published=EVERYBODY),
    "event-table-detail": row(
        "table of a round", GET=MEMBERS, DELETE=DIRECTORS, published=EVERYBODY
    ),
    "event-table-replace": row("table of a round", POST=DIRECTORS),
}

PEOPLE = {
    "games-export": row("club", GET=MEMBERS, published=EVERYBODY),
    "ratings-export": row("club", GET=MEMBERS),
    "entrants-export": row("club", GET=MEMBERS, published=EVERYBODY),
    "player-list": row("club", GET=MEMBERS, POST=DIRECTORS),
    "player-detail": row("player", GET=MEMBERS, PATCH=DIRECTORS, DELETE=DIRECTORS),
    "player-numbers": row("player", GET=MEMBERS),
    "player-game-list": row("player", GET=MEMBERS),
    "player-opponents": row("player", GET=MEMBERS),
    "head-to-head": row("two players", GET=MEMBERS),
    "player-card": row("player", read="direct", GET=DIRECTORS),
    "player-renew-card": row("player", POST=DIRECTORS),
    "player-unlink": row("player", POST=DIRECTORS),
    "player-data": row("player", POST=DIRECTORS),
    # Whom to merge is said with what is asked: nobody is found where it is not.
    "player-preview-merge": row("player", GET=NOBODY, POST=DIRECTORS),
    "player-undo-merge": row("merge", POST=DIRECTORS),
    "me": row(GET=WITH_ACCOUNT),
    "my-player-detail": row(
        "own player", scope="manage", GET=ITS_OWN, PATCH=ITS_OWN, DELETE=ITS_OWN
    ),
    "my-player-data": row("own player", scope="manage", POST=ITS_OWN),
    "my-player-release": row("own player", scope="manage", POST=ITS_OWN),
    "token-list": row(scope="manage", read="manage", GET=WITH_ACCOUNT, POST=WITH_ACCOUNT),
    "token-detail": row(
        *("own token", "manage"),
        read="manage",
        **dict.fromkeys(("GET", "DELETE"), OWN_TOKEN),
    ),
    "claim-code": row(scope="manage", POST=WITH_ACCOUNT),
    # Whoever has the right link is told the name: `accounts/test_views.py` follows it.
    "claim": row("wrong link to claim", scope="manage", GET=NOBODY, POST=NOBODY),
}

DOCUMENTS = {
    "event-documents": row("event", scope="read", GET=MEMBERS, POST=MEMBERS, published=EVERYBODY),
    "player-documents": row("player", scope="read", POST=MEMBERS),
    "club-documents": row("club", scope="read", GET=MEMBERS, POST=MEMBERS),
    # The scoresheet says where the sheet is followed: it is for whoever may write or follows.
    "game-documents": row(
        "game", scope="read", POST=only("write", "follow", "closed", "director", "owner")
    ),
    "ruleset-documents": row("ruleset", scope=None, POST=EVERYBODY),
    "document": row("report", GET=EVERYBODY),
    "document-cancel": row("report", scope="read", POST=EVERYBODY),
    "document-again": row("report", scope="read", POST=EVERYBODY),
    "document-file": row("report", GET=EVERYBODY),
}

TOURNAMENTS = {
    "tournament-list": row("club", GET=MEMBERS, POST=DIRECTORS, published=EVERYBODY),
    "tournament-records": row("club", scope="manage", POST=OWNERS),
    "tournament-detail": row(
        "tournament", GET=MEMBERS, PATCH=DIRECTORS, DELETE=DIRECTORS, published=EVERYBODY
    ),
    "tournament-move": row("tournament", POST=DIRECTORS),
    "tournament-copy": row("tournament", POST=DIRECTORS),
    "tournament-cancel": row("tournament", POST=DIRECTORS),
    "tournament-restore": row("tournament", POST=DIRECTORS),
    "tournament-links": row("tournament", read="direct", GET=DIRECTORS),
    "tournament-replace-links": row("tournament", POST=DIRECTORS),
    "tournament-record": row("tournament", read="direct", GET=DIRECTORS),
    "entrant-list": row("tournament", GET=MEMBERS, POST=DIRECTORS, published=EVERYBODY),
    "entrant-detail": row(
        "an entrant", GET=MEMBERS, PATCH=DIRECTORS, DELETE=DIRECTORS, published=EVERYBODY
    ),
    "entrant-withdraw": row("an entrant", POST=DIRECTORS),
    "entrant-take-back": row("an entrant", POST=DIRECTORS),
    "entrant-let-in": row("an entrant", POST=DIRECTORS),
    "entrant-divide": row("tournament", POST=DIRECTORS),
    "entrant-check-in": row("an entrant", POST=DIRECTORS),
    "substitute": row("an entrant replaced", PUT=DIRECTORS, DELETE=DIRECTORS),
    # By the links of a tournament: `entrants/test_views.py` follows them.
    "registrations": row("links", scope=None, GET=NOBODY, POST=NOBODY),
    "check-ins": row("links", scope=None, GET=NOBODY, POST=NOBODY),
    "standings": row("tournament", GET=MEMBERS, published=EVERYBODY),
    "explanation": row("an entrant", GET=MEMBERS, published=EVERYBODY),
    "league": row("season", GET=MEMBERS, published=EVERYBODY),
    "season-event-detail": row("evening of a season", PUT=DIRECTORS, DELETE=DIRECTORS),
    "season-documents": row("season", scope="read", POST=MEMBERS),
}

ROUNDS = {
    "seat-next": row("tournament", POST=DIRECTORS),
    "tournament-round-list": row("tournament", GET=MEMBERS, published=EVERYBODY),
    "tournament-round-detail": row(
        "seated round", GET=DIRECTORS, DELETE=DIRECTORS, published=DIRECTORS
    ),
    "tournament-round-open": row("tournament round", POST=DIRECTORS),
    "tournament-round-close": row("tournament round", POST=DIRECTORS),
    "tournament-round-reopen": row("tournament round", POST=DIRECTORS),
    "tournament-round-start-clock": row("tournament round", POST=DIRECTORS),
    "tournament-round-pause-clock": row("tournament round", POST=DIRECTORS),
    "tournament-round-add-time": row("tournament round", POST=DIRECTORS),
    "tournament-round-outlook": row("tournament round", GET=MEMBERS, published=EVERYBODY),
    "seating": row("seated round", GET=DIRECTORS, PUT=DIRECTORS, published=DIRECTORS),
    "seating-preview-swap": row("seated round", GET=DIRECTORS, POST=DIRECTORS),
    "seating-exchange": row("seated round", POST=DIRECTORS),
    "seating-again": row("seated round", POST=DIRECTORS),
    "seating-publish": row("seated round", POST=DIRECTORS),
    "seating-take-back": row("tournament round", POST=DIRECTORS),
    "seating-preview-late": row("tournament round", GET=DIRECTORS, POST=DIRECTORS),
    "line-ups": row("tournament round", GET=MEMBERS, PATCH=DIRECTORS, published=EVERYBODY),
    "line-ups-replace": row("tournament round", POST=DIRECTORS),
    "round-table-list": row("tournament round", GET=MEMBERS, published=EVERYBODY),
    "round-table-detail": row("tournament table", GET=MEMBERS, published=EVERYBODY),
    "round-table-add-time": row("tournament table", POST=DIRECTORS),
    "round-table-finish": row("tournament table", POST=DIRECTORS),
    # Nothing is disputed there.
    "round-table-settle": row("tournament table", POST=DIRECTORS),
    "round-table-answer": row("tournament table", POST=DIRECTORS),
    "round-ruling": row("tournament round", POST=DIRECTORS),
    "ruling-list": row("tournament", GET=MEMBERS, published=EVERYBODY),
    "ruling-detail": row("ruling", GET=MEMBERS, published=EVERYBODY),
    "ruling-withdraw": row("ruling", POST=DIRECTORS),
    "correction": row("tournament", GET=DIRECTORS),
    "correction-accept": row("tournament", POST=DIRECTORS),
    "wall": row("tournament", GET=MEMBERS, published=EVERYBODY),
}

RATINGS = {
    "server-ratings": row(GET=EVERYBODY),
    "club-ratings": row("club", GET=MEMBERS, published=EVERYBODY),
    "player-ratings": row("player", GET=MEMBERS),
    # It is not finished.
    "game-ratings": row("game", GET=NOBODY),
    "club-records": row("club", GET=MEMBERS, published=EVERYBODY),
    "accuracy": row("tournament", GET=MEMBERS, published=EVERYBODY),
}

IMPORTS = {
    f"import-{what}": row("club", POST=DIRECTORS) for what in ("players", "results", "records")
}

OF_ALL = {
    "index": row(GET=EVERYBODY),
    "openapi": row(scope=None, read=None, GET=EVERYBODY),
}

TABLE = (
    CLUBS
    | WEBHOOKS
    | PEOPLE
    | IMPORTS
    | EVENTS
    | GAMES
    | RULES
    | TABLES
    | RECORDS
    | DOCUMENTS
    | RATINGS
    | OF_ALL
    | TOURNAMENTS
    | ROUNDS
)
"""All of them; each topic its own part. `KEYS` are the visitors who come with an address as key."""

assert {*KEYS, *ACCOUNTS} <= set(VISITORS)
