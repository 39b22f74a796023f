"""The expected answer to each visitor at every address of the project, for GET and POST.

`docs/access.md` says it in sentences. Each line of `access_table.txt` names a place that fills in
an address (`access_world.py`), and who is let in; all others get what the rule for them says. An
address with a secret is tried with the right one, with that of a table whose round is closed, and
with a wrong one, which lets in nobody.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from tests.web.access_world import PHONES, SIGNED_IN, VISITORS

OK = "ok"
"""Let in: the page, or an answer to the form, be it that the form was empty."""

LOGIN, MISSING, FORBIDDEN, NO_METHOD = "login", "404", "403", "405"
AGAIN = "again"
"""Asked for the password, the code or the passkey once more."""

FOLLOW = "follow"
"""Led to where the sheet is followed, which whoever has the address may."""

REFUSED = frozenset({LOGIN, MISSING, FORBIDDEN, NO_METHOD, FOLLOW})

WITHOUT_ACCOUNT = ("nobody", *PHONES)


def only(*who, others=MISSING, then=OK):
    return {visitor: then if visitor in who else others for visitor in VISITORS}


EVERYBODY = only(*VISITORS)
NOBODY = only()
MEMBERS = only("member", "director", "owner")
DIRECTORS = only("director", "owner")
OWNERS = only("owner")
OF_ANY_CLUB = only("director", "owner", "other")
ACCOUNTS = only(*SIGNED_IN, others=LOGIN)
STAFF = only("staff", others=LOGIN)
ACCOUNT_OF_STAFF = {**only("staff"), **dict.fromkeys(WITHOUT_ACCOUNT, LOGIN)}
OFFICE_READ_ONLY = {**only(others=LOGIN), "staff": FORBIDDEN}
OFFICE_LEFT = {**EVERYBODY, "staff": NO_METHOD}
OFFICE_NOTHING = {**only(others=LOGIN), "staff": MISSING}
TO_THE_OFFICE = {**only("staff", others=FORBIDDEN), **dict.fromkeys(WITHOUT_ACCOUNT, LOGIN)}
PLAYER_FOLLOWS = {**NOBODY, "member": FOLLOW}
DIRECTORS_WRITE = only("director", "owner", others=FOLLOW)
NO_DIRECTOR_FOLLOWS = {**only(others=FOLLOW), **dict.fromkeys(("director", "owner"), MISSING)}
OWN = {**only(*SIGNED_IN, others=LOGIN), **dict.fromkeys(SIGNED_IN, MISSING), "member": OK}
TO_SIGN_IN = only(others=LOGIN)
PROVED_AGAIN = only(*SIGNED_IN, others=LOGIN, then=AGAIN)


@dataclass(frozen=True)
class Page:
    """The expected status of each visitor at an address; without `post` nobody may send anything.

    `closed_get` and `closed_post` are for the table of a closed round, and `published` is for GET
    where club and evening are published.
    """

    place: str
    get: dict | None = None
    post: dict | None = None
    published: dict | None = None
    closed_get: dict | None = None
    closed_post: dict | None = None


PLAYERS = only("member")
WHO = {name: rule for name, rule in globals().items() if name.isupper()} | {"-": None}


def pages(rows):
    """The pages of `access_table.txt`: a place, the rules for it, the names of the addresses.

    The rules are for GET, POST, GET where club and evening are published, and GET and POST at the
    table of a closed round.
    """
    for row in re.sub(r"\n(?= )|#.*\n", "", rows).strip().splitlines():
        place, rights, names = row.split("|")
        rules = [WHO[rule] for rule in rights.split()]
        yield from dict.fromkeys(names.split(), Page(place.strip(), *rules)).items()


AS_WRITTEN = dict(pages(Path(__file__).with_suffix(".txt").read_text()))


OF_A_TOURNAMENT = (
    *("tournament", "entrants", "seating", "running", "live_board", "rulings"),
    *("standings", "standings_picture", "why_place", "wall"),
    "table_sheet",
)
OF_AN_EVENING = ("event", "event_calendar", "event_documents", "club_game", *OF_A_TOURNAMENT)
"""Pages that everybody sees of a published evening in a club that is not published."""


KEPT = (
    *("account_emailaddress", "admin_logentry", "mfa_authenticator", "usersessions_usersession"),
    *(
        f"tournaments_{name}"
        for name in (
            *("auditentry", "club", "event", "game", "houseruleset", "invitation", "match"),
            *("member", "merge", "player", "report", "round", "season", "table", "user"),
            *("entrant", "ruling", "sitting", "substitute", "tournament"),
            *("playerrating", "ratingdue", "check", "difference", "email"),
            *("personaltoken", "idempotencyrecord", "webhook", "delivery", "changefeed"),
        )
    ),
)

OFFICE = {}
for kept in KEPT:
    row = f"office {kept.partition('_')[2]}"
    OFFICE |= {
        f"admin:{kept}_changelist": Page("", STAFF, STAFF),
        f"admin:{kept}_change": Page(row, STAFF, OFFICE_READ_ONLY),
        f"admin:{kept}_history": Page(row, STAFF, STAFF),
        f"admin:{kept}_add": Page("", OFFICE_READ_ONLY, OFFICE_READ_ONLY),
        f"admin:{kept}_delete": Page(row, OFFICE_READ_ONLY, OFFICE_READ_ONLY),
        f"office/{kept.replace('_', '/', 1)}/<path:object_id>/": Page(row, STAFF, STAFF),
    }

PAGES = AS_WRITTEN | OFFICE
