"""Planted secrets that no address shows to visitors who may not see them.

The addresses are those of both tables of access, which name every address of the project, and
those that answers link to. A new address is visited without further ado; a new kind of place needs
a line in `places_of`.
"""

import logging
import re
import zipfile
from dataclasses import dataclass, field
from html import unescape
from io import BytesIO
from itertools import product
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.core.cache import caches
from django.db import transaction
from django.test import Client, override_settings
from django.urls import Resolver404, resolve, reverse
from django.utils import translation
from pypdf import PdfReader

from tests import club_factories as make
from tests.api.addresses import OK, TABLE
from tests.api.addresses import path_of as path_in_api
from tests.api.test_access import FOR_ALL_ALIKE
from tests.factories import EVENING, ContextFactory, record_all, reload
from tests.tournament_builders import SHORT, opened, plan, register, seated
from tests.web.access_table import PAGES
from tests.web.access_world import WHOLE_NAME
from tests.web.test_access import path_of
from tournaments import models, tasks
from tournaments.api.access import token_of
from tournaments.engine.documents.games import letters_of
from tournaments.reports.documents import OFFERS, formats_of
from tournaments.services.audit import NOBODY
from tournaments.services.games.playing import reveal_contract, seal_contract
from tournaments.services.ratings.computing import rate_event_again, sweep_ratings
from tournaments.services.rounds.running import close_round
from tournaments.services.tournaments.lifecycle import create_tournament, move_tournament
from tournaments.web.base import answers
from tournaments.web.clubs.embed import PARTS

NAMES = (WHOLE_NAME, "Begonya", "Ceviz", "Defne", "Erguvan", "Fulya", "Gelincik", "Hatmi")
TABLES = ((1, 2, 3, 4), (5, 6, 7, 8))
"""The numbers of the entrants at the two tables of every round played."""

BEFORE, CLOSED, OPEN = 1001, 7677, 8783
"""The total of the first entrant in each first round, and in a hidden round: closed, still open."""

DRAFT = (7, 2, 8, 3)
SEALED = "last-two"

VISITORS = ("follower", "phone", "of no club", "neighbour")
"""Those who may see no secret. The follower is a stranger with the link of a sheet, the neighbour a
member; these two and the phone are at the second table of the hidden rounds."""

QUICK = "neighbour"
"""Of all these, the one who is shown most pages."""


def number(value):
    """Return a pattern of a number, however it is formatted, that matches no part of another."""
    digits = str(value)
    return rf"(?<![0-9A-Za-z]){digits[:-3]}[.,'\s]?{digits[-3:]}(?![0-9A-Za-z]|\.\d{{4}})"


def in_order(texts, among):
    """Return a pattern of texts one after another, without any other one of its kind between."""
    between = rf"(?:(?!{among})[\s\S]){{1,400}}"
    return between.join(texts)


@dataclass
class World:
    """`secrets` are patterns by name; `places` fill in the addresses, `own` those of a visitor."""

    secrets: dict = field(default_factory=dict)
    places: dict = field(default_factory=dict)
    own: dict = field(default_factory=dict)
    accounts: dict = field(default_factory=dict)
    keys: dict = field(default_factory=dict)


def make_world():
    """A club with a tournament in each state that hides something, and a sealed contract."""
    club = make.ClubFactory(slug="moda", published=True, in_server_ratings=True)
    make.PlayerFactory(club=club, name=WHOLE_NAME, initials=True)
    over, going, draft = (tournament(club) for _ in range(3))
    play_round(over, BEFORE)
    play_round(going, BEFORE)
    sweep_ratings()
    known = ratings()
    closed = play_round(over, CLOSED)
    still = play_round(going, OPEN, closing=False)
    others = [n for n in range(1, len(NAMES) + 1) if n not in DRAFT]
    seated(draft, tables=(DRAFT, others))
    evening = make.EventFactory(club=club)
    sealed = make.TableFactory(round__event=evening, round__number=1, players=NAMES[2:6], number=1)
    models.Event.objects.filter(club=club).update(
        published=True, season=make.SeasonFactory(club=club)
    )
    sweep_ratings()
    world = World()
    world.secrets = {
        "total of a closed round": number(CLOSED),
        "total of an open round": number(OPEN),
        "sum of the tournament": number(BEFORE + CLOSED),
        "sum of the player": number(2 * BEFORE + CLOSED),
        "name": "Gizlioğlu",
        "seating by name": in_order([NAMES[n - 1] for n in DRAFT], "|".join(NAMES)),
        "seating by number": in_order([rf'"entrant": ?{n}\b' for n in DRAFT], '"entrant"'),
        "seating by key": in_order([rf"\be{n}\b" for n in DRAFT], r"\be\d\b"),
        "rating": "|".join(map(number, ratings_to_come(over) - known)),
        **seal(sealed.games.get()),
    }
    _people(world, club, closed, still)
    _places(world, club, (over, going, draft), evening)
    return world


def tournament(club):
    row = create_tournament(club, plan(rounds=2, hide_last=True), NOBODY, at=EVENING)
    move_tournament(row.pk, "registration", NOBODY, at=EVENING)
    register(row, *NAMES)
    return move_tournament(row.pk, "running", NOBODY, at=EVENING)


def play_round(row, total, *, closing=True):
    round_ = opened(row, tables=TABLES)
    first, second = models.Game.objects.filter(table__round=round_).order_by("table__number")
    record_all(second, SHORT)
    record_all(first, SHORT[:-1])
    more = total - reload(first).game.totals[0]
    fine = {"type": "adjustment", "seat": 0, "points": more, "to": "none", "reason": "odd"}
    record_all(first, [fine, *(SHORT[-1:] if closing else ())])
    assert reload(first).game.totals[0] == total
    if closing:
        close_round(round_.pk, NOBODY, at=EVENING)
    return second.table


def seal(game):
    models.Game.objects.filter(pk=game.pk).update(ruleset="turkish-king-sealed")
    seal_contract(game.pk, SEALED, ContextFactory(revision=0))
    with transaction.atomic():
        salt = reveal_contract(game.pk, 0, ContextFactory(revision=1)).body(0)["salt"]
        transaction.set_rollback(True)
    return {"salt": salt, "contract": rf'"contract": ?"{SEALED}"'}


def ratings():
    return set(models.PlayerRating.objects.values_list("points", flat=True))


def ratings_to_come(row):
    """Return the ratings once everybody may see the hidden round."""
    with transaction.atomic():
        models.Tournament.objects.filter(pk=row.pk).update(state="finished")
        rate_event_again(row.event)
        sweep_ratings()
        then = ratings()
        transaction.set_rollback(True)
    return then


def _people(world, club, closed, still):
    """The accounts, and what follower and phone have of the second tables."""
    world.accounts = {
        "director": make.MemberFactory(club=club, role="director").user,
        "neighbour": make.MemberFactory(club=club).user,
    }
    world.accounts["of no club"] = make.AccountFactory()
    own = models.Player.objects.get(name=NAMES[DRAFT[0] - 1])
    models.Player.objects.filter(pk=own.pk).update(account=world.accounts["neighbour"])
    games = [table.games.get() for table in (closed, still)]
    first = models.Game.objects.get(table__round=closed.round, table__number=1)
    follow, write, pen = (
        [{"public_id": game.public_id, "secret": game.secret(kind)} for game in games]
        for kind in ("follow", "write", "pen")
    )
    world.own = {
        "follower": {"follow": follow},
        "phone": {
            "follow": follow,
            "write": write,
            "pen": pen,
            "entry": [each | {"position": 0} for each in write],
            "table": [
                {"public_id": table.public_id, "secret": table.secret} for table in (closed, still)
            ],
            "a table": [{"public_id": table.public_id} for table in (closed, still)],
        },
        "neighbour": {"own player": [{"public_id": own.public_id}]},
        "director": {"follow": [{"public_id": first.public_id, "secret": first.secret("follow")}]},
    }
    world.keys = {"follower": token_of(games[1], "follow"), "phone": token_of(games[1], "write")}
    for who, account in world.accounts.items():
        world.keys[who] = models.PersonalToken.objects.create(
            account, name=who, scopes=list(models.Scope)
        )[1]
        calendar = {"pk": account.pk, "secret": account.calendar_secret}
        world.own.setdefault(who, {})["calendar"] = [calendar]


def _places(world, club, tournaments, evening):
    """The addresses of what holds a secret, and of one like it that holds none."""
    at = {"slug": club.slug}
    of = [at | {"tournament": row.slug} for row in tournaments]
    rounds = [of[0] | {"number": 2}, of[1] | {"number": 2}, of[2] | {"number": 1}]
    entrants = [(each, n) for each in of for n in (1, DRAFT[0])]
    players = [models.Player.objects.get(name=NAMES[n]).public_id for n in (0, 1, DRAFT[0] - 1)]
    hidden = models.Game.objects.filter(table__number=1, table__round__number=2)
    games = [*hidden, models.Game.objects.get(ruleset="turkish-king-sealed")]
    names = [{"public_id": game.public_id} for game in games]
    here = at | {"public_id": evening.public_id}
    table = evening.rounds.get().tables.get().public_id
    events = [row.event.public_id for row in tournaments]
    world.places = {
        "": [{}],
        "club": [at],
        "club part": [at | {"part": part} for part in (*PARTS, "games")],
        "keeper": [{"club": club.slug}],
        "season": [at | {"pk": club.seasons.get().pk}],
        "event": [*({**at, "public_id": each} for each in events), here],
        "round": [here | {"number": 1}],
        "event table": [here | {"table": table}],
        "table of a round": [here | {"number": 1, "table": table}],
        "tournament": of,
        # At some of these addresses the number is that of an entrant.
        "tournament round": [*rounds, of[0] | {"number": 1}],
        "seated round": rounds,
        "tournament table": [each | {"table": 1} for each in rounds],
        "entrant": [each | {"entrant": n} for each, n in entrants],
        "an entrant": [each | {"number": n} for each, n in entrants],
        "player": [at | {"public_id": each} for each in players],
        "two players": [at | {"public_id": players[0], "other": each} for each in players[1:]],
        "club game": [at | each for each in names],
        "game": names,
        "a code": [{"code": letters_of(games[0].digest).replace(" ", "")}],
        "links": [{"public_id": row.public_id} for row in tournaments],
        **{
            kind: [{"public_id": row.public_id, "secret": row.secret(kind)} for row in tournaments]
            for kind in ("register", "check-in")
        },
        "rules of the club": [{"ruleset": "turkish-king"}],
        "topic of the API": [{"name": "games"}],
        "form of the API": [{"name": "Problem"}],
        "a schema": [{"file": "kingscore-game-1.json"}],
    }


NOT_HERE = frozenset(
    (
        *("calendar", "claim", "club rules", "evening", "an evening", "invitation", "join", "key"),
        *("mails", "open table", "own application", "own player", "own token", "person", "report"),
        *("ruling", "server rules", "transfer", "webhook", "webhook call", "call of the server"),
        *("webhook of the server", "wrong link to claim", "wrong link to join", "stream"),
        *("write", "pen", "follow", "entry", "table", "a table"),
    )
)
"""Places at addresses of others, or of what this club does not have."""


class Walk:
    """One visitor on the way through all addresses, who notes which secrets they are shown."""

    def __init__(self, who, world):
        self.who, self.world = who, world
        self.places = dict.fromkeys(NOT_HERE, ()) | world.places | world.own.get(who, {})
        self.client = Client(headers={"accept-language": "en"}, raise_request_exception=False)
        if who in world.accounts:
            self.client.force_login(world.accounts[who])
        self.token = world.keys.get(who)
        self.found = []
        self.built = set()

    def everywhere(self):
        waiting = list(dict.fromkeys(self.addresses()))
        seen, followed = set(waiting), set()
        while waiting:
            for link in sorted(self.get(waiting.pop()) - seen):
                seen.add(link)
                name = name_of(link)
                # One of each kind: those that the tables of access name are seen anyway.
                if name and name not in followed:
                    followed.add(name)
                    waiting.append(link)

    def addresses(self):
        for name, page in PAGES.items():
            no_club = name.startswith(("admin:", "api_")) or page.place.startswith("office")
            if page.get and not no_club and self.may_see(page.published or page.get):
                yield from (path_of(name, place) for place in self.places[page.place])
        for name, row in TABLE.items():
            may_see = "GET" in row.by and self.may_see(row.published or row.by["GET"])
            if may_see and name not in FOR_ALL_ALIKE:
                yield from (path_in_api(name, place) for place in self.places[row.place])

    def may_see(self, by):
        """Whether an address is worth asking for: the walks of access see it refused to members."""
        return self.who != "neighbour" or by["member"] == OK

    def get(self, path):
        """Look at an answer, and return what it links to."""
        caches["throttles"].clear()
        headers = {}
        if self.token and path.startswith("/api/"):
            headers["Authorization"] = f"Bearer {self.token}"
        return self.look(path, self.client.get(path, headers=headers))

    def look(self, path, answer):
        assert answer.status_code < 500 or answer.status_code == 503, path
        text = text_of(answer)
        heads = {name: said for name, said in answer.headers.items() if name != "Content-Length"}
        heads = unescape(f"{heads} {answer.cookies.output()}")
        # The text of a page also without its tags, for names in a row.
        plain = re.sub(r"<[^>]*>", " ", text)
        for name, pattern in self.world.secrets.items():
            shown = [re.search(pattern, each) for each in (text, plain, heads)]
            self.found += [f"{name}: {path}: {around(each)}" for each in shown if each][:1]
        return set(links_of(text, answer))

    def documents(self):
        """Ask for each document in each form, let the worker make it, and look at the file."""
        for path, body in self.orders():
            caches["default"].clear()
            answer = self.client.post(path, body)
            if answer.status_code != 302 or "/reports/" not in answer["Location"]:
                continue
            report = models.Report.objects.latest("pk")
            tasks.build_report(report.pk)
            report.refresh_from_db()
            self.built.add(report.kind)
            at = reverse("report_file", args=answer["Location"].strip("/").split("/")[1:3])
            self.look(f"{path} {body}", self.client.get(at))

    def orders(self):
        of_tournaments = self.places["event"][:2]
        for place, offer in product(of_tournaments, OFFERS):
            for form in formats_of(offer.kind):
                path = reverse("event_documents", kwargs=place)
                for number in ("1", "2") if offer.of_round else ("",):
                    yield path, {"document": f"{offer.name}.{form}", "round": number}
        for form in formats_of(models.Report.Kind.PLAYER_SEASON):
            yield reverse("player_document", kwargs=self.places["player"][0]), {"format": form}
        for form in formats_of(models.Report.Kind.CLUB_MONTH):
            month = {"month": f"{EVENING:%Y-%m}", "format": form}
            yield reverse("club_month", kwargs=self.places["club"][0]), month
        for form in formats_of(models.Report.Kind.LEAGUE):
            yield reverse("league_document", kwargs=self.places["season"][0]), {"format": form}
        for kind, name in (("follow", "follow_scoresheet"), ("write", "scoresheet")):
            yield from ((reverse(name, kwargs=place), {}) for place in self.places[kind])


def name_of(link):
    try:
        return resolve(urlsplit(link).path).view_name
    except Resolver404:
        return ""


def around(shown):
    begin, end = shown.span()
    return " ".join(shown.string[max(0, begin - 60) : end + 60].split())


LINKS = re.compile(r'(?:href|src|hx-get|content)="([^"]+)"|"(https?://[^"]+|/[^"]+)"')
LEAD_ELSEWHERE = (
    *("/static/", "/accounts/", "/office/", "/oauth/", "/language/", "/media/"),
    *("/api/v1/docs/", "/api/v1/openapi"),
)


def links_of(text, answer):
    found = [one or other for one, other in LINKS.findall(text)]
    for link in [*found, answer.headers.get("Location", "")]:
        parts = urlsplit(unescape(link))
        here = parts.netloc in ("", "testserver") and parts.path.startswith("/")
        if here and not parts.path.startswith(LEAD_ELSEWHERE) and "{" not in link:
            yield f"{parts.path}?{parts.query}" if parts.query else parts.path


def text_of(answer):
    body, kind = answer.getvalue(), answer.headers.get("Content-Type", "")
    if kind.startswith("image/"):
        return ""
    if kind == "application/pdf":
        return "\n".join(page.extract_text() for page in PdfReader(BytesIO(body)).pages)
    if "openxmlformats" in kind:
        with zipfile.ZipFile(BytesIO(body)) as book:
            return "\n".join(book.read(name).decode("utf-8", "replace") for name in book.namelist())
    text = unescape(body.decode())
    return re.sub(r"\\u([0-9a-f]{4})", lambda found: chr(int(found[1], 16)), text)


@pytest.fixture(scope="module")
def world_of_all(django_db_setup, django_db_blocker, tmp_path_factory):
    """One world for all visitors: what a walk leaves in it is taken back after its test."""
    folder = tmp_path_factory.mktemp("files")
    with (
        django_db_blocker.unblock(),
        transaction.atomic(),
        override_settings(MEDIA_ROOT=folder),
        translation.override("en"),
    ):
        yield make_world(), folder
        transaction.set_rollback(True)


@pytest.fixture
def world(files_of_this_test_only, world_of_all, db, monkeypatch):
    world, settings.MEDIA_ROOT = world_of_all
    # No worker draws pictures here.
    monkeypatch.setattr(answers, "LONGEST_WAIT", 0)
    logging.disable(logging.WARNING)
    yield world
    logging.disable(logging.NOTSET)


@pytest.mark.parametrize(
    "who", [who if who == QUICK else pytest.param(who, marks=pytest.mark.slow) for who in VISITORS]
)
def test_no_address_shows_a_secret(who, world):
    walk = Walk(who, world)
    walk.everywhere()
    assert not walk.found, "\n".join(walk.found)


@pytest.mark.slow
@pytest.mark.parametrize("who", VISITORS)
def test_no_document_shows_a_secret(who, world):
    walk = Walk(who, world)
    walk.documents()
    assert not walk.found, "\n".join(walk.found)


@pytest.mark.slow
def test_director_is_shown_what_is_looked_for(world):
    walk = Walk("director", world)
    walk.everywhere()
    # A sealed contract is nobody's to know, and ratings wait until everybody may see the round.
    shown = {line.partition(":")[0] for line in walk.found}
    assert shown == set(world.secrets) - {"salt", "contract", "rating"}


@pytest.mark.slow
def test_director_is_shown_in_each_kind_of_document_what_is_looked_for(world):
    walk = Walk("director", world)
    walk.documents()
    shown = {line.partition(":")[0] for line in walk.found}
    assert {"total of a closed round", "sum of the tournament"} <= shown
    alone = {"empty-sheet", "photo-sheet", "evening", "picture"}
    assert set(models.Report.Kind) - walk.built == alone
