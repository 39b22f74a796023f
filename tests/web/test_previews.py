"""Each public page of a club and of a tournament has a title and a description of its own."""

import re

from django.urls import reverse

from tests.club_factories import SeasonFactory
from tests.tournament_builders import NINE, closed, published, running
from tournaments.models import Club, Event

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
    season = SeasonFactory(club=club)
    pages = [
        *(reverse(name, args=[club.slug]) for name in ("club", "events", "club_records")),
        reverse("league", args=[club.slug, season.pk]),
    ]

    found = [said_of(client, address) for address in pages]

    for number in range(3):
        of_all = {each[number] for each in found}
        assert None not in of_all
        assert len(of_all) == len(pages)
