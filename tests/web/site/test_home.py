import random
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from tests.club_factories import ClubFactory, EventFactory, MemberFactory, TournamentFactory
from tests.deals import WHOLE_GAME
from tests.factories import EVENING, GameFactory, SetupFactory, record_all
from tournaments.models import Game
from tournaments.queries.sheets import load_sheet
from tournaments.services.games import playing
from tournaments.web.base.phone import address

LETTERS = "abcçdefgğhıijklmnoöprsştuüvyzABCÇDEFGĞHIİJKLMNOÖPRSŞTUÜVYZ"


@pytest.fixture
def plain_home():
    """Send the form of a new table of the usual four, each time with another key."""

    def send(visitor, **fields):
        names = dict(zip(("name0", "name1", "name2", "name3"), SetupFactory().players, strict=True))
        return visitor.post(reverse("new"), {"ruleset": "turkish-king", **names, **fields})

    return send


def start(visitor, **fields):
    names = dict(zip(("name0", "name1", "name2", "name3"), SetupFactory().players, strict=True))
    data = {"ruleset": "turkish-king", "first_declarer": "0", **names, **fields}
    visitor.post(reverse("new"), data)
    return Game.objects.latest("pk")


def test_home_lists_the_games_of_this_phone_newest_first(visitor):
    first, second = start(visitor), start(visitor, name0="Ece")
    GameFactory()

    lines = visitor.get("/").context["games"]

    assert [line["game"].address for line in lines] == [
        address(second, "write"),
        address(first, "write"),
    ]
    assert [line["sheet"].row.players[0] for line in lines] == ["Ece", "Ayşe"]


def test_home_opens_a_game_whose_scoring_was_taken_over_to_follow(visitor):
    game = start(visitor)
    taken = playing.hand_over(
        game.pk, game.write_generation, "key-of-another-phone-123", at=EVENING
    )

    (line,) = visitor.get("/").context["games"]

    assert line["game"].address == address(taken, "follow")
    assert line["delete"] == ""


def test_home_ignores_a_forged_cookie(visitor):
    visitor.cookies["games"] = "forged"
    visitor.cookies["table"] = "forged"

    page = visitor.get("/")

    assert page.context["games"] == []
    assert "again" not in page.context


def finished(visitor, hours, **fields):
    """A game of four that this phone has written and finished so many hours ago."""
    game = start(visitor, **fields)
    at = timezone.now() - timedelta(hours=hours)
    record_all(game, WHOLE_GAME)
    Game.objects.filter(pk=game.pk).update(played_at=at)
    game.revisions.update(at=at)
    return game


def test_game_being_played_comes_first_and_no_tap_begins_another(visitor, plain_home):
    game = start(visitor)
    record_all(game, WHOLE_GAME[:1])

    page = visitor.get("/")

    going = page.context["going"]
    assert (going["game"].address, going["state"]) == (address(game, "write"), "deal 2 of 20")
    assert (going["turn"], going["who"]) == ("declares", "Burak")
    assert 'class="again"' not in page.text
    # The form of a start page that was drawn before, or the same four typed in another order.
    for names in ({}, {"name0": "Deniz", "name3": "Ayşe"}):
        again = plain_home(visitor, **names)
        assert again.status_code == 409
        assert again.context["playing"] == address(game, "write")
    assert Game.objects.count() == 1

    assert plain_home(visitor, another="yes").status_code == 302
    assert Game.objects.count() == 2


@pytest.mark.parametrize("way", ["start page", "new table"])
@pytest.mark.parametrize(("hours", "number"), [(1, 2), (9, 1)])
def test_same_four_go_on_with_their_evening_for_some_hours(visitor, plain_home, way, hours, number):
    before = finished(visitor, hours)
    if way == "start page":
        page = visitor.get("/").context
        sent = {field: value for name, field, value in page["starters"] if name == "Cem"}
        sent |= {f.html_name: f.value() or "" for f in page["again"].table() if number == 1}
        visitor.post(page["path"], {**sent, "key": page["again"].key})
    else:
        plain_home(visitor, first_declarer="2")

    game = Game.objects.exclude(pk=before.pk).get()
    before.refresh_from_db()
    assert (game.number, game.players, game.first_declarer) == (number, before.players, 2)
    assert (game.open_table == before.open_table) == (number == 2)


@pytest.mark.parametrize(
    ("sent", "hours"), [(timedelta(hours=5), 5), (timedelta(days=31), 0), (timedelta(hours=-1), 0)]
)
def test_game_begun_without_a_signal_keeps_its_time_if_that_can_be(visitor, sent, hours):
    now = timezone.now()

    game = start(visitor, at=(now - sent).isoformat())

    assert abs(now - timedelta(hours=hours) - game.played_at) < timedelta(minutes=1)


def test_cookie_of_the_names_stays_small_with_the_longest_names(visitor):
    # Letters drawn by chance, so that nothing is gained by compressing them.
    letters = random.Random(7)
    for _ in range(30):
        names = {f"name{seat}": "".join(letters.choices(LETTERS, k=30)) for seat in range(4)}
        start(visitor, **names)

    assert len(visitor.cookies["table"].value) < 3000


@pytest.mark.parametrize(("language", "first"), [("en", "Alice"), ("tr", "Ayşe"), ("it", "Anna")])
def test_sample_is_half_way_with_names_of_the_language(client, language, first):
    answer = client.post(reverse("sample"), headers={"accept-language": language})

    game = Game.objects.get()
    sheet = load_sheet(game)
    assert answer.url == address(game, "write")
    assert game.players[0] == first
    assert sheet.game.totals == (0, -140, -620, -290)
    assert len(sheet.game.deals) == 10
    # Whoever has tried it begins a table of their own.
    assert "going" not in client.get("/").context


def test_home_shows_own_clubs_with_their_next_evening_and_public_ones_now_and_soon(visitor, club):
    today = timezone.localdate()
    visitor.become("member", club)
    MemberFactory(club=ClubFactory(name="Quiet"), user=visitor.user)
    days = {"held_on": today + timedelta(days=3)}
    own = EventFactory(club=club, **days)
    EventFactory(club=club, held_on=today + timedelta(days=9))
    public = ClubFactory(published=True)
    soon = EventFactory(club=public, published=True, **days)
    EventFactory(club=public, published=True, held_on=today + timedelta(days=15))
    EventFactory(club=public, name="Members only", **days)
    EventFactory(club=ClubFactory(), published=True, **days)
    running = TournamentFactory(event__club=public, event__published=True, state="running")

    page = visitor.get("/").context

    assert [(club.name, next_ and next_["event"]) for club, next_ in page["clubs"]] == [
        ("Moda King", own),
        ("Quiet", None),
    ]
    assert [(each.event, text) for each, text in page["now"]] == [
        (running.event, "between two rounds")
    ]
    assert list(page["soon"]) == [soon]


def test_home_shows_the_sample_sheet_until_a_table_was_started(visitor):
    sheet = visitor.get("/").context["sample"]

    assert [total for total, _declares in sheet["deals"][-1]["totals"]] == [0, -140, -620, -290]
    declarers = [[own for _total, own in deal["totals"]].index(True) for deal in sheet["deals"]]
    assert declarers == [0, 1, 2, 3, 0, 1, 2, 3, 0, 1]
    start(visitor)
    assert visitor.get("/").context["sample"] is None


def test_preferences_are_remembered_and_lead_back_and_nowhere_else(visitor):
    def choose(referer, **choice):
        return visitor.post(reverse("preferences"), choice, headers={"referer": referer}).url

    assert choose("https://elsewhere.example/", theme='"><script>') == "/"
    assert "theme" not in visitor.cookies
    before = "http://testserver/new/?again=1"
    assert choose(before, theme="dark") == before
    visitor.post(reverse("preferences"), {"suits": "four"})

    page = visitor.get("/").text
    assert 'data-theme="dark"' in page
    assert 'data-suits="four"' in page
