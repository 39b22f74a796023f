import re
from datetime import UTC, datetime

import pytest
from django.conf import settings
from django.template import engines
from django.test import Client
from django.urls import reverse
from django.utils import translation

from tests import club_factories as make
from tests.deals import WHOLE_GAME
from tests.factories import GameFactory, UserFactory
from tests.rating_factories import RatingPoolFactory
from tests.tournament_builders import NINE, closed, published, running
from tournaments.models import Club, Event
from tournaments.web.base.answers import TOPIC
from tournaments.web.base.phone import address


def topic(visitor, path):
    answer = visitor.get(f"{path}events")
    return answer.get(TOPIC, answer.status_code)


def visitor_of(club, role):
    visitor = Client()
    visitor.force_login(make.MemberFactory(club=club, role=role).user)
    return visitor


def test_pages_of_a_club_tell_those_who_may_see_them(club):
    tournament = make.TournamentFactory(event__club=club, state="running")
    RatingPoolFactory(club=club)
    member, director = visitor_of(club, "member"), visitor_of(club, "director")
    stranger = Client()
    stranger.force_login(UserFactory())
    at = ["moda", tournament.slug]
    of_club, of_round = f"club {club.pk}", f"round {club.pk}"
    for page, *wanted in (
        (reverse("tournament", args=at), of_club, of_round),
        (reverse("running", args=[*at, 1]), of_round, of_round),
        (reverse("wall", args=at), of_club, of_round),
        (reverse("standings", args=at), f"standings {tournament.pk}", of_round),
        (reverse("event", args=["moda", make.EventFactory(club=club).public_id]), of_club, of_club),
        (reverse("club_ratings", args=["moda"]), *[f"ratings {club.pk}"] * 2),
    ):
        assert [topic(each, page) for each in (member, director, stranger)] == [*wanted, 404]
    assert topic(Client(), reverse("server_ratings")) == "ratings 0"
    assert topic(member, reverse("club", args=["moda"])) == 404


def test_sheet_tells_those_who_have_its_address():
    game, visitor = GameFactory(), Client()
    evening = game.open_table
    path = reverse("evening", args=[evening.public_id, evening.secret()])
    assert topic(visitor, path) == f"evening {evening.public_id}"
    for kind in ("follow", "write"):
        assert topic(visitor, address(game, kind)) == f"game {game.public_id}"
        assert topic(visitor, address(game, kind)[:-3] + "xx/") == 404


def drawn(source, **values):
    return engines["fragments"].from_string(source).render(values)


def test_values_are_escaped_also_in_texts():
    source = "{{ name }} {% trans name=name %}Sealed by {{ name }}{% endtrans %}"
    assert drawn(source, name="<b>") == "&lt;b&gt; Sealed by &lt;b&gt;"


def test_days_are_those_of_the_local_time():
    moment = datetime(2026, 11, 27, 22, tzinfo=UTC)
    assert drawn("{{ moment|date('Y-m-d') }}", moment=moment) == "2026-11-28"


def test_part_is_rendered_once_for_the_same_values():
    source = '{% call kept("test", line) %}{{ line }} {{ other }}{% endcall %}'

    assert drawn(source, line="a", other=1) == "a 1"
    assert drawn(source, line="a", other=2) == "a 1"
    assert drawn(source, line="b", other=2) == "b 2"
    with translation.override("tr"):
        assert drawn(source, line="a", other=3) == "a 3"


def test_page_of_django_shows_a_fragment_with_its_context(rf):
    page = engines["django"].from_string(
        '{% load fragments %}{% fragment "tournaments/games/_members.html" %}'
    )
    shown = page.render({"members": [(0, "A&B"), (1, "C")]}, rf.get("/"))

    assert '<span class="who seat-0">A&amp;B</span> + <span' in shown


def is_stored(client, path, **headers):
    return "no-store" not in client.get(path, headers=headers)["Cache-Control"]


def test_start_page_is_kept_until_it_lists_a_table_of_the_phone(client):
    assert is_stored(client, "/")
    client.get(address(GameFactory(), "follow"))
    assert not is_stored(client, "/")


def test_sheet_is_kept_where_it_is_followed_and_not_where_it_is_written(client):
    game = GameFactory(entries=WHOLE_GAME)
    follow = address(game, "follow")
    assert is_stored(client, follow)
    # A fragment at the same address would be shown in place of the page.
    assert not is_stored(client, follow, **{"HX-Request": "true"})
    assert not is_stored(client, address(game, "write"))
    # This phone is shown addresses to write now.
    assert not is_stored(client, follow)


def test_nothing_is_kept_for_an_account(client):
    paths = "/", "/guide/", "/rules/"
    assert [is_stored(client, path) for path in paths] == [True] * 3
    client.force_login(make.AccountFactory())
    assert [is_stored(client, path) for path in paths] == [False] * 3


TITLE = re.compile(r"<title>(.*?) · Kingscore</title>", re.DOTALL)
SAID = re.compile(r'<meta (?:name|property)="(description|og:title)" content="([^"]*)">')


def said_of(client, address):
    text = client.get(address).text
    found = dict(SAID.findall(text))
    return " ".join(TITLE.search(text)[1].split()), found.get("og:title"), found.get("description")


def world():
    row = running(*NINE[:8])
    Event.objects.update(published=True)
    Club.objects.update(published=True, in_server_ratings=True)
    closed(row)
    published(row)
    return row


def of_tournament(row):
    at = [row.event.club.slug, row.slug]
    return {
        "tournament": reverse("tournament", args=at),
        "standings": reverse("standings", args=at),
        "why": reverse("why_place", args=[*at, 1]),
        "entrants": reverse("entrants", args=at),
        "round": reverse("running", args=[*at, 2]),
        "seating": reverse("seating", args=[*at, 2]),
    }


def test_pages_below_a_tournament_say_what_they_are(client):
    row = world()

    found = {page: said_of(client, address) for page, address in of_tournament(row).items()}

    name = row.event.name
    titles = {page: title for page, (_shown, title, _line) in found.items()}
    assert titles == {
        "tournament": name,
        "standings": f"Standings · {name}",
        "why": f"Oyuncu 1 · {name}",
        "entrants": f"Entrants · {name}",
        "round": f"Round 2 · {name}",
        "seating": f"Round 2: seating · {name}",
    }
    assert len({line for _shown, _title, line in found.values()}) == len(found)
    assert len({shown for shown, _title, _line in found.values()}) == len(found)


def test_pages_below_a_club_say_what_they_are_once_it_is_published(client):
    club = world().event.club
    season = make.SeasonFactory(club=club)
    pages = [
        *(reverse(name, args=[club.slug]) for name in ("club", "events", "club_records")),
        reverse("league", args=[club.slug, season.pk]),
    ]

    found = [said_of(client, address) for address in pages]

    for number in range(3):
        of_all = {each[number] for each in found}
        assert None not in of_all
        assert len(of_all) == len(pages)


TEMPLATES, STATIC = settings.BASE_DIR / "templates", settings.BASE_DIR / "static"
SCRIPT = re.compile(r"\{% static '([^/']+\.js)' %\}")
NAMED = {name for page in TEMPLATES.rglob("*.html") for name in SCRIPT.findall(page.read_text())}


@pytest.mark.parametrize("name", sorted(NAMED))
def test_script_that_imports_others_is_in_a_bundle(name):
    assert "\nimport " not in (STATIC / name).read_text()


GUIDE = reverse("guide")


@pytest.mark.parametrize(
    ("language", "shown"), [*((each, each) for each in ("en", "tr", "it")), ("fr", "en")]
)
def test_guide_shows_pictures_of_the_readers_language_or_the_first(settings, language, shown):
    settings.LANGUAGES = [*settings.LANGUAGES, ("fr", "French")]

    page = Client(headers={"accept-language": language}).get(GUIDE).content.decode()

    assert page.count(f"guide/{shown}/") == 9
