"""A tournament as it happens: ten phones at ten tables at once, and a director, all over HTTP.

The server is gunicorn as `up` starts it; with KINGSCORE_DATABASE_URL it works on PostgreSQL.
"""

import json
import os
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from fractions import Fraction
from random import Random
from urllib.parse import urlsplit

import pytest
from django.urls import reverse

from tests.evening_by_hand import draw_deals, places_of, standings_of
from tests.phones import CSRF_FIELD, Phone, deal_fields, new_key
from tests.servers import prepared, serve

pytestmark = pytest.mark.slow

TABLES = 10
ROUNDS = 4
PLAYERS = [f"Oyuncu {number:02}" for number in range(1, 41)]
LATE = "Geç Gelen"
LEAVES = 7
"""The number of whoever goes home after the first round."""

PASSWORD = "sinek-iki-maça-kız"

PREPARE = f"""
from allauth.account.models import EmailAddress
from django.utils.timezone import now
from tournaments.models import User
from tournaments.services.audit import Actor
from tournaments.services.clubs.membership import create_club
user = User.objects.create_user("director", "director@example.org", {PASSWORD!r})
EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
create_club("Moda", Actor(user), at=now())
"""

PLAN = {
    "name": "Moda Açık",
    "held_on": "2026-11-20",
    "season": "day",
    "ruleset": "turkish-king",
    "confirmations": "two",
    "rounds": ROUNDS,
    "seating": "swiss",
    "points": "game",
    "place_points": "4 2 1 0",
    "tie0": "wins",
    "tie1": "lot",
    "odd": "bye",
    "bye": "average",
    "finals": "0",
    "objective": "new-opponents",
    "overtime": "as-it-stands",
    "check_in": "none",
}

TABLE = re.compile(r'id="table-(\d+)"')
CARD = re.compile(r'href="(/clubs/moda/events/[^/"]+/tables/[^/"]+/)"')
DOOR = re.compile(r'id="card-address"[^>]* value="([^"]+)"')


class Director(Phone):
    def sign_in(self):
        self.read_token(reverse("account_login"))
        login = {"login": "director@example.org", "password": PASSWORD}
        assert self.post(reverse("account_login"), login).status == 302
        self.read_token("/clubs/moda/")

    def read_token(self, path):
        self.token = CSRF_FIELD.search(self.ask("GET", path).text)[1]

    def make(self):
        made = self.post(reverse("new_tournament", args=["moda"]), PLAN | {"key": new_key()})
        assert made.status == 302, made
        self.slug = made.location.rstrip("/").rpartition("/")[2]

    def at(self, name, *more):
        return reverse(name, args=["moda", self.slug, *more])

    def does(self, name, *more, **fields):
        answer = self.post(self.at(name, *more), fields)
        assert answer.status == 302, (name, answer)
        return answer

    def enter(self, *names):
        self.does("add_entrants", what="sure", list="\n".join(names))

    def begin_round(self, number):
        self.does("seat_round")
        self.does("publish_round", number)
        self.does("open_tournament_round", number)

    def cards(self, number):
        tables = TABLE.findall(self.ask("GET", self.at("running", number)).text)
        return [self.card(number, table) for table in sorted(tables, key=int)]

    def card(self, number, table):
        page = self.ask("GET", self.at("running_table", number, table)).text
        card = self.ask("GET", CARD.search(page)[1]).text
        return urlsplit(DOOR.search(card)[1]).path


class TablePhone(Phone):
    """The phone of a table: it comes in by the card, and knows nothing but what is there."""

    def play(self, card, deals):
        page = self.ask("GET", card)
        assert page.status == 302, page
        self.path = page.location
        self.token = CSRF_FIELD.search(self.ask("GET", self.path).text)[1]
        for revision, deal in enumerate(deals):
            # As the form sends it where no script does.
            answer = self.post(f"{self.path}entry/", deal_fields(deal, revision, new_key()))
            assert answer.status == 302, answer
        for seat in (0, 1):
            said = {"seat": seat, "revision": len(deals)}
            assert self.post(f"{self.path}confirm/", said).status == 302


@dataclass
class Evening:
    """The deals played, the answer to the correction, and the stored records."""

    director: Director
    phones: list
    chance: Random = field(default_factory=lambda: Random(2026))
    games: dict = field(default_factory=dict)
    paths: dict = field(default_factory=dict)
    corrected: tuple = ()
    told: str = ""
    document: dict = field(default_factory=dict)

    def begin(self):
        self.director.sign_in()
        self.director.make()
        self.director.does("move_tournament", state="registration")
        self.director.enter(*PLAYERS)
        self.director.does("move_tournament", state="running")

    def play_round(self, number):
        self.director.begin_round(number)
        cards = self.director.cards(number)
        games = [draw_deals(self.chance) for _card in cards]
        if number == 2:
            # Too late for this round, which is under way.
            self.director.enter(LATE)
        with ThreadPoolExecutor(TABLES) as pool:
            list(pool.map(TablePhone.play, self.phones, cards, games))
        for phone in (self.director, *self.phones):
            # The server lets go of who has been silent for a while.
            phone.hang_up()
        self.games[number] = games
        self.paths[number] = [phone.path for phone in self.phones[: len(cards)]]
        self.director.does("close_tournament_round", number)

    def correct_second_round(self):
        deals = self.games[2][0]
        # A deal of the first declarer, as the phone says it at a table of twenty deals.
        position = next(n for n in range(0, 20, 4) if turned(deals[n]) != deals[n])
        self.corrected = (position, deals[position])
        self.director.path = self.paths[2][0]
        deal, key = turned(deals[position]), new_key()
        assert self.director.correct_deal(position, deal, len(deals), key).status == 302
        self.told = self.director.ask("GET", self.director.at("round_changes")).text


def turned(deal):
    ((unit, counts),) = deal["counts"].items()
    return deal | {"counts": {unit: [*counts[1:], counts[0]]}}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("evening")
    database = os.environ.get("KINGSCORE_DATABASE_URL")
    with serve(folder, database, ready=prepared()) as server:
        server.run_python(PREPARE)
        yield server


@pytest.fixture(scope="module")
def evening(server):
    phones = [TablePhone(server.host, server.port) for _table in range(TABLES)]
    evening = Evening(Director(server.host, server.port), phones)
    try:
        evening.begin()
        for number in range(1, ROUNDS + 1):
            evening.play_round(number)
            if number == 1:
                evening.director.does("withdraw_entrant", LEAVES)
            if number == 3:
                evening.correct_second_round()
        evening.director.does("move_tournament", state="finished")
        evening.document = export(server, evening.director.slug)
        yield evening
    finally:
        for phone in (evening.director, *phones):
            phone.hang_up()


def export(server, slug):
    call = f"call_command('export_tournament', {slug!r})"
    return json.loads(server.run_python(f"from django.core.management import call_command\n{call}"))


def text_of(deals):
    return json.dumps(deals, sort_keys=True)


def kept(document, number):
    """The standings as the program had them when it closed a round: places and points."""
    standings = document["rounds"][number - 1]["standings"]
    places = {entrant: place for entrant, (place, _points) in standings.items()}
    return places, {entrant: Fraction(points) for entrant, (_place, points) in standings.items()}


def test_every_deal_is_on_the_sheets_as_it_was_written(evening):
    written = {}
    for number, games in evening.games.items():
        written |= dict(zip(evening.paths[number], games, strict=True))
    tables = [table for place in evening.document["rounds"] for table in place["tables"]]

    assert [len(place["tables"]) for place in evening.document["rounds"]] == [10, 9, 10, 10]
    assert len(written) == len(tables) == 39
    sheets = [
        [write["body"] for write in table["game"]["writes"] if write["kind"] == "entry"]
        for table in tables
    ]
    assert sorted(map(text_of, sheets)) == sorted(map(text_of, written.values()))


def test_standings_are_those_of_the_records_added_up_by_hand(evening):
    standings = standings_of(evening.document, ROUNDS)
    places, points = kept(evening.document, ROUNDS)

    assert points == standings
    for entrant, (first, last) in places_of(standings).items():
        assert first <= places[entrant] <= last


def test_correction_changes_what_came_before_it_and_tells_so(evening):
    position, before = evening.corrected
    document = evening.document
    table = next(
        each for each in document["rounds"][1]["tables"] if len(each["game"]["writes"]) == 21
    )
    _places, at_closing = kept(document, 3)
    now = standings_of(document, 3)
    table["game"]["record"]["entries"][position], stands = (
        before,
        table["game"]["record"]["entries"][position],
    )
    then = standings_of(document, 3)
    table["game"]["record"]["entries"][position] = stands

    assert at_closing == then != now
    changed = [entrant for entrant in now if now[entrant] != then[entrant]]
    assert set(changed) <= set(table["entrants"])
    names = {e["id"]: e["players"][0] for e in document["entrants"]}
    players = {player["id"]: player["name"] for player in document["players"]}
    for entrant in changed:
        assert players[names[entrant]] in evening.told


def test_nobody_is_seated_again_by_what_came_later(evening):
    for place in evening.document["rounds"]:
        laid = [table["entrants"] for table in place["tables"]]
        assert (laid, sorted(place["byes"])) == (
            place["seating"]["tables"],
            sorted(place["seating"]["byes"]),
        )


def test_late_entrant_and_whoever_left_play_their_rounds_only(evening):
    document = evening.document
    seated = {entrant["id"]: [] for entrant in document["entrants"]}
    for place in document["rounds"]:
        for entrant in [e for table in place["tables"] for e in table["entrants"]] + place["byes"]:
            seated[entrant].append(place["number"])

    assert seated.pop(f"e{LEAVES}") == [1]
    assert seated.pop("e41") == [3, 4]
    assert all(rounds == [1, 2, 3, 4] for rounds in seated.values())
    assert len(document["rounds"][1]["byes"]) == 3
