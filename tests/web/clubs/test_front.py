import re
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests import club_factories
from tests.web.standings.evenings import evening
from tests.web.statistics.played import FOUR, games
from tournaments.services.audit import NOBODY
from tournaments.services.people.merging import merge_players

CLUB = "/clubs/moda/"
DAY = timedelta(days=1)


def on(days):
    return timezone.localdate() + days * DAY


def played(club, *totals, days=-1, **rest):
    # At noon: a game of the small hours is of the evening before, perhaps of another month.
    at = timezone.localtime().replace(hour=12) + days * DAY
    return games(club, *totals, at=at, held_on=on(days), **rest)


def front(browser):
    return browser.get(CLUB).context["front"]


def test_club_opens_with_its_players_and_how_many_came_last(member, club):
    club_factories.PlayerFactory.create_batch(2, club=club)
    assert "2 players." in member.get(CLUB).text
    played(club, (100, -50, -30, -20))
    one, other = club_factories.PlayerFactory.create_batch(2, club=club)
    merge_players(one.pk, other.pk, NOBODY, at=timezone.now())

    assert "7 players; 4 came to the last evening." in member.get(CLUB).text


def test_winner_of_an_evening_is_who_made_most_points_in_all_its_games(member, club):
    played(club, (100, -50, -30, -20), (-90, 60, 20, 10), name="First", days=-9)
    made = played(club, (10, -50, 50, -10), name="Second", kings=[2])

    second, first = front(member)["winners"]

    assert (second["event"], second["points"], second["tables"]) == (made, "50", 1)
    assert (second["winners"], second["kings"]) == ("Cem", "Cem")
    assert (first["winners"], first["points"]) == ("Ayşe, Burak", "10")
    assert first["tables"] == 2


def test_season_s_leaders_have_a_curve_of_what_counts(member, club):
    season = club_factories.SeasonFactory(club=club, starts_on=on(-60), ends_on=on(60))
    for points in ((10, 20, 30, -60), (5, 20, -30, 5)):
        evening(season, [dict(zip(FOUR, points, strict=True))])

    page = front(member)

    assert [(line["place"], line["named"].name, line["points"]) for line in page["leaders"]] == [
        (1, "Burak", "40"),
        (2, "Ayşe", "15"),
        (3, "Cem", "0"),
        (4, "Deniz", "−55"),
    ]
    assert page["leaders"][0]["curve"] == "M4.0 12.0L48.0 8.0L92.0 4.0"
    assert page["leaders"][0]["named"].url
    # A finished tournament tells its first, too.
    assert [line["winners"] for line in page["winners"]] == ["Burak", "Cem"]


@pytest.mark.parametrize(("last", "told"), [(91, "91"), (90, "")])
def test_record_fallen_this_month_is_told_beside_the_old_one(member, club, last, told):
    for _ in range(5):
        played(club, *[(90, -30, -30, -30)] * 4, days=-70)
    played(club, (-100, last, 9, 0), days=0)

    record = front(member)["record"]

    assert (record["value"] if record else "") == told
    if record:
        assert (record["text"], record["before"]) == (
            "Burak made the highest game of the club.",
            "90 before: Ayşe",
        )


def test_milestones_are_round_numbers_of_games_and_first_kings(member, club):
    for _ in range(8):
        played(club, *[(90, -30, -30, -30)] * 3, days=-70)
    played(club, (9, 9, 9, -27), names=("Ayşe", "Elif", "Fuat", "Gül"), kings=[1])

    texts = [text for text, _each in front(member)["milestones"]]

    assert texts == ["Ayşe played game number 25", "Elif made a first King"]


def test_chats_show_who_leads_a_published_club(client, club):
    season = club_factories.SeasonFactory(club=club, starts_on=on(-60), ends_on=on(60))
    evening(season, [dict(zip(FOUR, (10, 20, 30, -60), strict=True))], published=True)
    type(club).objects.update(published=True)

    text = client.get(CLUB).text

    assert '"og:description" content="Leading the season: Cem, Burak, Ayşe"' in text
    type(club).objects.update(published=False)
    assert "og:" not in client.get(CLUB).text


@pytest.mark.parametrize("rated", [True, False])
def test_records_and_milestones_are_told_where_names_are_public(client, club, rated):
    type(club).objects.update(published=True, in_server_ratings=rated)
    played(club, (9, 9, 9, -27), kings=[1], published=True)

    page = front(client)

    assert bool(page["milestones"]) is rated


def card(browser):
    text = browser.get(CLUB).text
    found = re.search(r'class="event-card".*?href="([^"]*)">(.*?)<', text, re.DOTALL)
    return found and found.groups()


def live(browser):
    text = browser.get(CLUB).text
    line = r'class="now" href="([^"]*)".*?<small>([^<]*) finished</small>.*?"go">(\w+)<'
    found = re.search(line, text, re.DOTALL)
    return found and found.groups()


def row_page(row):
    return reverse("tournament", args=[row.event.club.slug, row.slug])


def test_members_register_for_the_next_tournament_and_others_open_it(visitor, club):
    type(club).objects.update(published=True)
    row = club_factories.TournamentFactory(
        event__club=club, event__held_on=on(3), event__published=True, state="registration"
    )
    for number in range(1, 7):
        club_factories.EntrantFactory(tournament=row, number=number)
    opened = (reverse("event", args=["moda", row.event.public_id]), "Open")
    assert "/register/" not in visitor.get(row_page(row)).text

    text = visitor.get(CLUB).text
    assert "6 registered. 2 more fill table 2." in text
    assert "Next evening · in 3 days" in text
    assert text.count('<i class="taken">') == 6
    assert card(visitor) == opened
    register = reverse("register", args=[row.public_id, row.secret("register")])
    assert card(visitor.become("member", club)) == (register, "Register")
    assert card(visitor.become("director", club)) == opened

    row.settings["open_registration"] = True
    row.save()
    stranger = Client()
    assert card(stranger) == (register, "Register")
    assert f'href="{register}"' in stranger.get(row_page(row)).text


def test_evening_being_played_is_a_line_that_its_directors_manage(visitor, club):
    event = club_factories.EventFactory(club=club, held_on=on(0), name="Tonight")
    round_ = club_factories.RoundFactory(event=event, number=1)
    club_factories.TableFactory(round=round_, number=1)
    address = reverse("event", args=["moda", event.public_id])

    assert live(visitor.become("member", club)) == (address, "Round 1, 0 of 1 tables", "Watch")
    assert card(visitor) is None
    director = visitor.become("director", club)
    # The first evening of a club is played on its page.
    assert director.get(CLUB).context["evening"] == event
    played(club, (100, -50, -30, -20))
    assert live(director) == (address, "Round 1, 0 of 1 tables", "Manage")


def test_directors_come_from_the_club_to_the_round_being_played(visitor, club):
    row = club_factories.TournamentFactory(
        event__club=club, event__held_on=on(0), event__published=True, state="running"
    )
    round_ = club_factories.RoundFactory(event=row.event, number=2, published_at=timezone.now())
    club_factories.TableFactory(round=round_, number=1)
    text = "Round 2, 0 of 1 tables"

    at = reverse("event", args=["moda", row.event.public_id])
    assert live(visitor.become("member", club)) == (at, text, "Watch")
    assert live(visitor.become("director", club)) == (
        reverse("running", args=["moda", row.slug, 2]),
        text,
        "Manage",
    )


def bar(browser, path):
    text = browser.get(path).text
    nav = re.search(r'<nav class="nav.*?</nav>', text, re.DOTALL)
    words, more = nav[0].split("<summary>")
    here = re.findall(r'aria-current="(\w+)">(.*?)</a>', nav[0])
    return re.findall(r">([^<]+)</a>", words), re.findall(r"([^<>\n]+)</(?:a|summary)>", more), here


def test_bar_is_the_same_on_every_page_of_a_club_and_says_where_one_is(visitor, club):
    club_factories.SeasonFactory(club=club, starts_on=on(-60), ends_on=on(60))
    words = ["Evenings", "League", "Ratings", "Records"]
    event = club_factories.EventFactory(club=club)
    # The last word stands a second time among the further ones, for the narrowest phones.
    owners = [
        "Manage",
        "Records",
        "Players",
        "Members",
        "Seasons",
        "All games",
        "Import",
        "House rules",
    ]

    assert bar(visitor.become("member", club), CLUB) == (
        words,
        ["More", *owners[1:6], "Calendar and embedding", "Leave the club"],
        [],
    )
    visitor.become("owner", club)
    more = [*owners, "What was changed", "Settings", "Calendar and embedding", "Leave the club"]
    for path, here in (
        (reverse("event", args=["moda", event.public_id]), [("true", "Evenings")]),
        (reverse("club_records", args=["moda"]), [("page", "Records")] * 2),
        (reverse("new_players", args=["moda"]), [("true", "Players")]),
        (reverse("club_house_rules", args=["moda"]), [("page", "House rules")]),
    ):
        assert bar(visitor, path) == (words, more, here)


def test_event_of_a_club_that_strangers_do_not_see_has_no_bar(client):
    event = club_factories.EventFactory(
        club=club_factories.ClubFactory(slug="other"), published=True
    )

    text = client.get(reverse("event", args=["other", event.public_id])).text

    assert '<nav class="nav' not in text
    assert '/clubs/other/"' not in text
