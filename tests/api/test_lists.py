"""Lists: their queries, pages, filters and chosen fields, and exports of what they show."""

import json
from base64 import b64encode
from datetime import UTC, datetime
from urllib.parse import urlencode

import pytest

from tests import club_factories as make
from tests.api.conftest import described_parameters, faults
from tests.counting import queries_of
from tests.deals import NAMES, WHOLE_GAME
from tests.factories import EVENING, HouseRulesetFactory
from tests.program_factories import DeliveryFactory, WebhookFactory
from tests.rating_factories import RatingChangeFactory, RatingPoolFactory
from tests.web.ratings.ratings_world import rated
from tournaments.api.components import PLACEHOLDER
from tournaments.api.exports import views
from tournaments.models import (
    Event,
    Game,
    RatingPool,
    Tournament,
    Webhook,
)
from tournaments.services.audit import NOBODY
from tournaments.services.people.changes import rename_player

pytestmark = pytest.mark.django_db


def tournament(club):
    return Tournament.objects.filter(slug="acik").first() or make.TournamentFactory(
        event__club=club, slug="acik", state="running"
    )


def evening(club):
    return Event.objects.filter(public_id="friday").first() or make.EventFactory(
        club=club, public_id="friday"
    )


def table(event):
    round_ = event.rounds.first() or make.RoundFactory(event=event, number=1, published_at=EVENING)
    number = round_.tables.count() + 1
    names = [f"{name} {number}" for name in NAMES]
    return make.TableFactory(round=round_, number=number, players=names, entries=WHOLE_GAME)


def game(club):
    table(tournament(club).event)


def entrant(club):
    make.EntrantFactory(tournament=tournament(club))


def rating(club):
    pool = RatingPool.objects.filter(club=club).first() or RatingPoolFactory(club=club)
    rated(pool, 1500)


def renamed(club):
    player = make.TableFactory(round__event__club=club).games.get().seats.first().player
    rename_player(player.pk, f"Renamed {player.pk}", NOBODY, at=EVENING)


def delivery(club):
    hook = Webhook.objects.first() or WebhookFactory(club=club, public_id="hook")
    DeliveryFactory(webhook=hook)


LISTS = {
    "changes/": (9, renamed),
    "clubs/": (3, lambda _club: make.ClubFactory(published=True)),
    "clubs/moda/audit/": (
        4,
        lambda club: make.AuditEntryFactory(club=club, user=make.AccountFactory()),
    ),
    "clubs/moda/events/": (4, lambda club: make.TournamentFactory(event__club=club)),
    "clubs/moda/events/friday/rounds/1/tables/": (11, lambda club: table(evening(club))),
    "clubs/moda/house-rules/": (4, lambda club: HouseRulesetFactory(club=club)),
    "clubs/moda/members/": (5, lambda club: make.MemberFactory(club=club)),
    "clubs/moda/players/": (
        5,
        lambda club: make.PlayerFactory(club=club, account=make.AccountFactory()),
    ),
    "clubs/moda/ratings/": (8, rating),
    "clubs/moda/seasons/": (4, lambda club: make.SeasonFactory(club=club)),
    "clubs/moda/tournaments/": (4, lambda club: make.TournamentFactory(event__club=club)),
    "clubs/moda/tournaments/acik/entrants/": (7, entrant),
    "clubs/moda/tournaments/acik/rounds/1/tables/": (9, game),
    "clubs/moda/webhooks/hook/deliveries/": (5, delivery),
    "games/": (3, game),
}
"""Each list with its queries, and how a row comes to be on it."""


@pytest.mark.parametrize("path", LISTS)
def test_list_takes_as_many_queries_for_three_rows_as_for_one(program, path):
    queries, add = LISTS[path]
    club = make.ClubFactory(slug="moda")
    owner = program.role("owner", club)
    rows = []

    for more in (1, 2):
        for _ in range(more):
            add(club)
        assert queries_of(lambda: owner.get(path)) == queries
        rows.append(len(owner.get(path).json()["results"]))

    assert rows[1] == rows[0] + 2


def test_former_ways_to_page_go_on(club, owner):
    for _ in range(3):
        make.AuditEntryFactory(club=club)
        rating(club)
    [line] = owner.get("changes/?after=1&limit=1").json()["results"]
    assert line["number"] == 2
    board = owner.get("clubs/moda/ratings/?page=2&page_size=1").json()
    assert (board["page"], board["pages"], len(board["results"])) == (2, 3, 1)
    assert owner.get("changes/?limit=100000").status_code == 200


@pytest.mark.parametrize(
    ("query", "codes", "names"),
    [
        ("finised=true&club=a", ["unexpected-field"], ["finised"]),
        ("finished=perhaps", ["wrong-type"], ["finished"]),
        ("ordering=titel", ["unknown-order"], ["ordering"]),
        *((f"page_size={each}", ["wrong-type"], ["page_size"]) for each in ("0", "-1", "many")),
        (
            "club=&finished=&ordering=&page_size=",
            ["missing-field"] * 4,
            ["club", "finished", "ordering", "page_size"],
        ),
    ],
)
def test_slips_in_filters_orders_and_pages_are_shown_and_not_passed_over(
    program, query, codes, names
):
    assert faults(program.get(f"games/?{query}")) == [*zip(codes, names, strict=True)]


@pytest.mark.parametrize("place", [["2026-11-20"], [{}, []], {"a": 1}, 7, ["x", "1"], [None, "x"]])
def test_made_up_places_in_a_list_are_none(program, place):
    cursor = b64encode(urlencode({"p": json.dumps(place)}).encode()).decode()
    assert program.get(f"games/?{urlencode({'cursor': cursor})}").status_code == 404


def test_lists_take_all_that_their_description_names(program):
    owner = program.role("owner", make.ClubFactory(slug="kadife"))
    places = {"club": "kadife"}
    lists = [(path, names) for path, names in described_parameters() if "page_size" in names]
    tried = [each for each in lists if {*PLACEHOLDER.findall(each[0])} <= {*places}]
    assert len(tried) > 8
    for path, names in tried:
        asked = "&".join(f"{name}=" for name in names - {"cursor"})
        answer = owner.get(f"{path.format(**places)}?{asked}")
        if answer.status_code not in {200, 404}:
            codes = {code for code, _where in faults(answer)}
            assert codes <= {"missing-field", "wrong-type"}, path


@pytest.mark.parametrize("order", ["-created_at", "created_at", "-name"])
def test_rows_added_meanwhile_move_no_page_even_among_rows_alike(program, order):
    club = make.ClubFactory(slug="kadife")
    at = datetime(2026, 11, 22, 18, tzinfo=UTC)
    make.PlayerFactory.create_batch(5, club=club, created_at=at)
    member, seen = program.role("member", club), []
    path = f"clubs/kadife/players/?page_size=2&ordering={order}"
    while path:
        page = member.get(path.removeprefix("http://testserver")).json()
        seen.append([row["id"] for row in page["results"]])
        for name, moment in ((f"A {len(seen)}", 17), (f"Ş {len(seen)}", 19)):
            make.PlayerFactory(club=club, name=name, created_at=at.replace(hour=moment))
        path = page["next"] if len(seen) < 4 else None
    rows = [one for each in seen for one in each]
    assert len(rows) == len(set(rows))
    back = member.get(page["previous"].removeprefix("http://testserver")).json()
    assert back["results"][-1]["id"] == seen[-2][-1]


def player(club):
    rating(club)
    make.PlayerFactory(club=club, account=make.AccountFactory())


WORLDS = {
    "games/": (game, {"id", "players", "totals"}, "event"),
    "clubs/moda/players/": (player, {"id", "shown_name"}, "ratings"),
    "clubs/moda/tournaments/acik/standings/": (entrant, {"rank", "name"}, "entrant"),
}


@pytest.mark.parametrize("path", WORLDS)
def test_list_has_the_fields_that_were_chosen_and_more_where_it_is_expanded(club, director, path):
    build, names, more = WORLDS[path]
    build(club)
    whole = director.get(path).json()["results"]
    ask = f"{path}?fields={','.join(names)}"

    chosen = director.get(ask).json()["results"]
    expanded = director.get(f"{ask}&expand={more}").json()["results"]

    assert chosen == [{name: row[name] for name in names} for row in whole]
    assert {frozenset(row) for row in expanded} == {frozenset({*names, "expanded"})}
    assert {frozenset(row["expanded"]) for row in expanded} <= {frozenset({more}), frozenset()}
    first = queries_of(lambda: director.get(f"{path}?expand={more}"))
    build(club)
    assert queries_of(lambda: director.get(f"{path}?expand={more}")) == first


def lines(answer):
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/x-ndjson")
    assert answer.streaming
    return [json.loads(line) for line in answer.getvalue().splitlines()]


def test_games_are_exported_with_their_records(club, director):
    for _ in range(3):
        game(club)
    found = lines(director.get("clubs/moda/exports/games/"))

    listed = director.get("games/?club=moda&ordering=played_at").json()["results"]
    assert {row["id"] for row in found} == {row["id"] for row in listed}
    for row in found:
        record = row.pop("record")
        assert row in listed
        assert record == director.get(f"games/{row['id']}/record/").json()


def test_entrants_are_exported_with_their_tournament(club, director):
    for _ in range(3):
        entrant(club)
    listed = director.get("clubs/moda/tournaments/acik/entrants/").json()["results"]
    found = lines(director.get("clubs/moda/exports/entrants/"))
    assert found == [{"tournament": "acik", **row} for row in listed]


def test_rated_history_is_exported_for_members(club, member):
    game(club)
    game(club)
    rating(club)
    row, played = club.rating_pools.get().ratings.get(), Game.objects.order_by("pk")
    for number, one in enumerate(played, 1):
        RatingChangeFactory(rating=row, game=one, seat=number, number=number)
    found = lines(member.get("clubs/moda/exports/ratings/"))

    assert [(each["number"], each["game"], each["seat"]) for each in found] == [
        (number, one.public_id, number) for number, one in enumerate(played, 1)
    ]
    assert (found[0]["before"]["points"], found[0]["after"]["points"]) == (1500, 1512)


@pytest.mark.parametrize(("what", "build"), [("games", game), ("entrants", entrant)])
def test_more_rows_take_as_many_queries_and_are_read_in_parts(
    club, director, what, build, monkeypatch
):
    def ask():
        return director.get(f"clubs/moda/exports/{what}/").getvalue()

    build(club)
    first = queries_of(ask)
    build(club)
    build(club)
    assert queries_of(ask) == first
    monkeypatch.setattr(views, "AT_ONCE", 1)
    # What belongs to each part is read with it, so no more is held than one.
    assert queries_of(ask) == first + {"games": 2, "entrants": 4}[what]
