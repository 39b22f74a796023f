import re

import pytest
from django.urls import reverse

from tests.factories import EVENING
from tests.tournament_builders import NINE, SHORT, opened, play, running
from tests.web.members import member_of
from tournaments.engine.ratings.ratings import expected_places
from tournaments.models import Entrant, Game, RatingChange
from tournaments.queries.ratings import shown, shown_points
from tournaments.services.audit import NOBODY
from tournaments.services.ratings.computing import rebuild_ratings, sweep_ratings
from tournaments.services.rounds.running import close_round
from tournaments.web.base.phone import address

DUE = "For the ratings this game counts once the round is closed."
TITLE = "What it changes in the ratings"


@pytest.fixture
def tournament():
    row = running(*NINE[:8], rounds=3)
    play(opened(row), SHORT)
    return row


def close(row):
    close_round(row.event.rounds.get(closed_at=None).pk, NOBODY, at=EVENING)
    sweep_ratings()


def games_of(row):
    return Game.objects.filter(table__round__event=row.event).order_by("pk")


def sheet(browser, game):
    event = game.table.round.event
    return browser.get(reverse("club_game", args=[event.club.slug, game.public_id])).text


def lines(page):
    if TITLE not in page:
        return []
    table = page[page.index(TITLE) :].split("</table>")[0]
    rows = re.findall(r"<tr><th scope=\"row\">(.*?)</tr>", table, re.DOTALL)
    return [re.sub(r"\s+", " ", re.sub(r"<[^>]*>", "|", row)).split("|") for row in rows]


def cells(page):
    return [[cell.strip() for cell in row if cell.strip()] for row in lines(page)]


def rating_text(rating):
    each = shown(rating)
    return [str(each.points), f"± {each.within}", *(["?"] if each.provisional else [])]


def signed(number):
    return f"+{number}" if number > 0 else str(number).replace("-", "−")


def test_sheet_shows_what_its_game_has_changed(tournament):
    close(tournament)
    play(opened(tournament), SHORT)
    close(tournament)
    game = games_of(tournament).last()
    changes = list(RatingChange.objects.filter(game=game).order_by("seat"))
    expected = expected_places([change.before for change in changes], [0, 1, 2, 3])

    page = sheet(member_of(tournament.event.club), game)

    ranks = game.result["ranks"]
    assert cells(page) == [
        [
            game.players[seat],
            *rating_text(changes[seat].before),
            "→",
            *rating_text(changes[seat].after),
            signed(shown_points(changes[seat].after) - shown_points(changes[seat].before)),
            f"{expected[seat]:.1f}",
            str(ranks[seat]),
        ]
        for seat in sorted(range(4), key=lambda seat: ranks[seat])
    ]


def test_game_of_an_open_round_says_that_it_is_still_to_be_rated(tournament):
    page = sheet(member_of(tournament.event.club), games_of(tournament).first())

    assert DUE in page
    assert lines(page) == []


def test_game_known_by_its_totals_alone_promises_no_rating():
    round_ = opened(running(*NINE[:8], rounds=3))
    total = {"type": "adjustment", "seat": 0, "points": 100, "to": "others", "reason": "imported"}
    play(round_, [total, SHORT[-1]])
    club, game = round_.event.club, games_of(round_.event.tournament).first()

    page = sheet(member_of(club), game)
    close(round_.event.tournament)

    assert DUE not in page
    assert "does not count" in page
    assert not RatingChange.objects.exists()


def test_page_that_listens_is_shown_when_a_game_has_been_rated(tournament):
    browser, game = member_of(tournament.event.club), games_of(tournament).first()
    close_round(tournament.event.rounds.get().pk, NOBODY, at=EVENING)

    def ask(etag=""):
        headers = {"HX-Request": "true", "If-None-Match": etag}
        return browser.get(address(game, "follow"), headers=headers)

    closed = ask()["ETag"]
    assert ask(closed).status_code == 304

    sweep_ratings()
    rated = ask(closed)
    assert len(cells(rated.text)) == 4
    assert ask(rated["ETag"]).status_code == 304

    rebuild_ratings()
    assert len(cells(ask(rated["ETag"]).text)) == 4


def test_only_who_may_see_the_ratings_sees_what_changed(tournament, client):
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "en"
    club, game = tournament.event.club, games_of(tournament).first()
    assert DUE not in client.get(address(game, "follow")).text
    close(tournament)
    assert cells(client.get(address(game, "follow")).text) == []

    club.published = club.in_server_ratings = True
    club.save()

    assert len(cells(client.get(address(game, "follow")).text)) == 4


def test_guest_of_the_house_has_no_rating_and_is_met_as_a_newcomer(tournament):
    seat = games_of(tournament).first().seats.first()
    Entrant.objects.filter(tournament=tournament, player=seat.player).update(house=True)
    close(tournament)

    rows = cells(sheet(member_of(tournament.event.club), games_of(tournament).first()))

    (of_house,) = (row for row in rows if row[0] == seat.player.name)
    assert of_house[1:3] == ["not rated", "–"]
    assert len(of_house) == 5
    assert [len(row) for row in rows].count(5) == 1
