"""Every address of the API, and what each visitor gets there, from what its view declares.

A new address needs no line here. A new permission needs one in `LETS_IN`: the visitors of
`access_world.py` whom it lets in. A new kind of object in an address needs one in `PLACES`.
`test_access.py` holds all of it against what each visitor really gets.
"""

import re
from dataclasses import dataclass, field

from django.test import RequestFactory
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from tests.api.access_world import ACCOUNTS, VISITORS
from tournaments import permissions
from tournaments.api import access
from tournaments.api.accounts import views as accounts
from tournaments.api.clubs.views import visible_clubs
from tournaments.api.components import PLACEHOLDER, renamed
from tournaments.api.documents import views as documents
from tournaments.api.entrants.views import tournament_at_link
from tournaments.api.events.views import seen_evening
from tournaments.api.games import entries, tables
from tournaments.api.games.views import game_to_take_over
from tournaments.api.people.members import invitations_at_link
from tournaments.api.ratings.views import club_leaderboards
from tournaments.api.rulesets.views import ruleset_to_play
from tournaments.api.statistics.views import club_with_ratings

OK = "ok"
"""Let in: an answer, or a problem with what was sent, which is as good as nothing."""

UNKNOWN, FORBIDDEN, MISSING, NO_METHOD = "401", "403", "404", "405"
REFUSED = frozenset({UNKNOWN, FORBIDDEN, MISSING, NO_METHOD})
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
SAFE = ("GET",)


def only(*who, others=MISSING):
    return {visitor: OK if visitor in who else others for visitor in VISITORS}


EVERYBODY, NOBODY = only(*VISITORS), only()
MEMBERS, DIRECTORS = only("member", "director", "owner"), only("director", "owner")
WITH_ACCOUNT = only(*ACCOUNTS, others=UNKNOWN)
OF_A_CLUB = (
    *(permissions.seen_club, permissions.seen_event, permissions.seen_tournament),
    *(seen_evening, visible_clubs, club_with_ratings, club_leaderboards),
)
"""Permissions that let anybody read once the club and the evening are published."""

LETS_IN = {
    access.anybody: EVERYBODY,
    access.account_needed: WITH_ACCOUNT,
    accounts.personal_token: WITH_ACCOUNT,
    **dict.fromkeys(OF_A_CLUB, MEMBERS),
    permissions.members_club: MEMBERS,
    **dict.fromkeys(
        (
            *(permissions.directed_club, permissions.directed_event),
            *(permissions.directed_evening, permissions.directed_tournament),
        ),
        DIRECTORS,
    ),
    permissions.owned_club: only("owner"),
    permissions.check_staff: only("staff"),
    accounts.own_players: only("member"),
    # Those in the address are a club's.
    ruleset_to_play: MEMBERS,
    access.game_to_read: only("write", "closed", "follow", "member", "director", "owner"),
    entries.game_to_write: only("write", "director", "owner"),
    # One's own: only the member has sat there.
    entries.game_to_confirm: only("member"),
    game_to_take_over: only("pen"),
    tables.table_to_enter: only("table", "closed table", "director", "owner"),
    tables.table_to_write: only("write", "director", "owner"),
    access.evening_of_key: only("evening"),
    documents.game_with_scoresheet: only("write", "follow", "closed", "director", "owner"),
    # Everybody has the right secret; of the links everybody has a wrong one, or no key.
    documents.report_to_read: EVERYBODY,
    tournament_at_link: NOBODY,
    invitations_at_link: NOBODY,
    accounts.players_at_link: NOBODY,
}

NOTHING_THERE = {
    # The game is of no match, of no open table, not finished, with nothing sealed, no tournament's.
    *(("game-match", "GET"), ("game-next-game", "POST"), ("game-ratings", "GET")),
    *(("game-rematch", "POST"), ("entry-reveal", "POST"), ("call-director", "POST")),
    # A club's game goes with its table.
    ("game-detail", "DELETE"),
    # Whom to merge is said with what is asked.
    ("player-preview-merge", "GET"),
}
"""Addresses of objects that do not exist here: 404 for everybody."""

PLACES = {
    "claim/<public_id>/<secret>": "wrong link to claim",
    "clubs/<club>": "keeper",
    "clubs/<club>/house-rules/<slug>": "club rules",
    "clubs/<slug>": "club",
    "clubs/<slug>/events/<public_id>": "event",
    "clubs/<slug>/events/<public_id>/rounds/<number>": "round",
    "clubs/<slug>/events/<public_id>/rounds/<number>/tables/<table>": "table of a round",
    "clubs/<slug>/invitations/<public_id>": "invitation",
    "clubs/<slug>/members/<user>": "person",
    "clubs/<slug>/players/<public_id>": "player",
    "clubs/<slug>/players/<public_id>/against/<other>": "two players",
    "clubs/<slug>/players/<public_id>/merges/<pk>": "merge",
    "clubs/<slug>/seasons/<pk>": "season",
    "clubs/<slug>/seasons/<pk>/events/<event>": "evening of a season",
    "clubs/<slug>/tournaments/<tournament>": "tournament",
    "clubs/<slug>/tournaments/<tournament>/entrants/<number>": "an entrant",
    "clubs/<slug>/tournaments/<tournament>/entrants/<number>/substitutes/<place>/<player>": (
        "an entrant replaced"
    ),
    "clubs/<slug>/tournaments/<tournament>/rounds/<number>": "tournament round",
    "clubs/<slug>/tournaments/<tournament>/rounds/<number>/tables/<table>": "tournament table",
    "clubs/<slug>/tournaments/<tournament>/rulings/<pk>": "ruling",
    "clubs/<slug>/tournaments/<tournament>/standings/<number>": "an entrant",
    "clubs/<slug>/webhooks/<public_id>": "webhook",
    "clubs/<slug>/webhooks/<public_id>/deliveries/<delivery>": "webhook call",
    "codes/<code>": "a code",
    "documents/<pk>/<secret>": "report",
    "evenings/<public_id>": "an evening",
    "games/<public_id>": "game",
    "games/<public_id>/entries/<position>": "entry",
    "house-rules/<slug>": "server rules",
    "join/<public_id>/<secret>": "wrong link to join",
    "me/clubs/<slug>": "club",
    "me/players/<public_id>": "own player",
    "rulesets/<ruleset>": "rules of the club",
    "rulesets/<ruleset>/documents/": "ruleset",
    "schemas/<file>": "a schema",
    "tables/<public_id>": "a table",
    "tokens/<public_id>": "own token",
    "tournaments/<public_id>": "links",
    "webhooks/<public_id>": "webhook of the server",
    "webhooks/<public_id>/deliveries/<delivery>": "call of the server",
}
"""The place of `access_world.py` that fills in an address, by its route up to the last object."""

ROUTE_START, PARAMETER = "/api/v1/", re.compile(r"<(?:\w+:)?(\w+)>")


@dataclass(frozen=True)
class Address:
    """What each visitor gets by each method, the scope that a token needs, and the body's form.

    `published` is for GET where club and evening are published.
    """

    name: str
    route: str
    permissions: dict = field(default_factory=dict)
    scopes: dict = field(default_factory=dict)
    bodies: dict = field(default_factory=dict)

    @property
    def parameters(self):
        return PARAMETER.findall(self.route)

    @property
    def place(self):
        if not self.parameters:
            return ""
        above = re.match(r".*>", self.route)[0]
        found = PLACES.get(self.route) or PLACES.get(above)
        assert found, f"say in PLACES of tests/api/addresses.py what is at {above}"
        return found

    @property
    def by(self):
        return {method: self.who(method) for method in self.permissions}

    @property
    def published(self):
        found = self.permissions.get("GET")
        is_public = found in (*OF_A_CLUB, access.game_to_read)
        return EVERYBODY if is_public and (self.name, "GET") not in NOTHING_THERE else None

    @property
    def path(self):
        """As the description of the API names it."""
        path = ROUTE_START + re.sub(r"<(\w+)>", r"{\1}", self.route)
        return renamed(path.replace("{pk}", "{id}"))

    def let_in(self, method):
        """Somebody who is let in, and not only told why not; None where nobody is."""
        who = self.who(method) | {"closed": MISSING}
        return next((each for each in ("owner", "staff", *VISITORS) if who[each] == OK), None)

    def who(self, method):
        """What each visitor gets by a method, as its permission says."""
        found = self.permissions[method]
        assert found in LETS_IN, f"say in tests/api/addresses.py whom {found.__name__} lets in"
        who = LETS_IN[found]
        if (self.name, method) in NOTHING_THERE:
            who = dict.fromkeys(VISITORS, MISSING)
        if found is entries.game_to_write and method not in SAFE:
            # Whose key wrote the sheet until its round was closed is told so.
            who = who | {"closed": OK}
        if self.place == "own token":
            who = who | dict.fromkeys(ACCOUNTS, MISSING) | {"member": OK}
        return who


def patterns(resolver=None, before="/", *, within=False):
    """Each named address of the API with its route."""
    for pattern in (resolver or get_resolver()).url_patterns:
        route = f"{before}{pattern.pattern}"
        if isinstance(pattern, URLResolver):
            yield from patterns(pattern, route, within=within or pattern.namespace == "api")
        elif isinstance(pattern, URLPattern) and within and pattern.name:
            yield pattern, route


def address_of(pattern, route):
    callback = pattern.callback
    address = Address(pattern.name, PARAMETER.sub(r"<\1>", route.removeprefix(ROUTE_START)))
    if not hasattr(callback, "cls"):
        # The description of the API: a page of Django.
        address.permissions["GET"], address.scopes["GET"] = access.anybody, None
        return address
    actions = getattr(callback, "actions", None)
    for method in METHODS:
        if actions is None and not hasattr(callback.cls, method.lower()):
            continue
        if actions is not None and method.lower() not in actions:
            continue
        view = callback.cls(**callback.initkwargs)
        view.request = RequestFactory().generic(method, "/")
        view.kwargs = dict.fromkeys(address.parameters, "")
        if actions is not None:
            view.action = actions[method.lower()]
        address.permissions[method] = view.get_permission()
        address.scopes[method] = view.scope_for(method)
        if method in ("POST", "PUT", "PATCH"):
            address.bodies[method] = view.get_request_serializer_class()
    return address


TABLE = {pattern.name: address_of(pattern, route) for pattern, route in patterns()}
"""All of them, by name."""


def places_of(world):
    """Return the values of each address: by its path as `/api/v1/clubs/{club}/`, by parameter."""
    found = {}
    for address in TABLE.values():
        place, wanted = world.right.get(address.place, {}), address.parameters
        if wanted and place.keys() >= set(wanted):
            names = PLACEHOLDER.findall(address.path)
            found[address.path] = {
                name: place[key] for name, key in zip(names, wanted, strict=True)
            }
    return found


def path_of(name, place):
    """Where an address is; of what fills in a place it takes what it needs."""
    wanted = TABLE[name].parameters
    lacking = set(wanted) - set(place)
    assert not lacking, f"api:{name} wants {lacking} of its place: see tests/api/access_world.py"
    return reverse(f"api:{name}", kwargs={key: place[key] for key in wanted})
