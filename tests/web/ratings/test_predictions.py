import re

import pytest
from django.urls import reverse

from tests.deals import NAMES
from tests.factories import EVENING, record_all
from tests.rating_factories import PlayerRatingFactory, RatingPoolFactory
from tests.tournament_builders import NINE, SHORT, closed, opened, plan, play, published, running
from tests.web.members import member_of
from tournaments.engine.ratings.ratings import (
    LUCK,
    Foretold,
    Rating,
    accuracy_of,
    expected_places,
    scores_of,
)
from tournaments.models import Club, Entrant, Game, PlayerRating, RatedRound, RatingChange
from tournaments.queries.ratings import displayed, displayed_points
from tournaments.queries.state import load_state
from tournaments.services.audit import NOBODY
from tournaments.services.entrants.registration import Entry, register_entrants
from tournaments.services.ratings.computing import rebuild_ratings, sweep_ratings
from tournaments.services.rounds.running import close_round
from tournaments.services.tournaments.lifecycle import create_tournament, move_tournament
from tournaments.web.base.phone import address

TITLE = "How well the ratings predicted it"


def played(row, times=1):
    for _ in range(times):
        closed(row)
    sweep_ratings()
    return row


def url(row, name, *more):
    return reverse(name, args=[row.event.club.slug, row.slug, *more])


def outlooks(browser, row, number):
    page = browser.get(url(row, "seating", number)).text
    found = {}
    for chair in re.findall(r'<li class="seating-chair.*?</li>', page, re.DOTALL):
        words = [word.strip() for word in re.sub(r"<[^>]*>", "|", chair).split("|")]
        name, *rest = [word for word in words if word]
        if "Place expected" in rest:
            found[name] = (rest[: rest.index("Place expected")], rest[-1])
    return found


def ratings_of(club):
    return {row.player.name: row.rating for row in PlayerRating.objects.filter(pool__club=club)}


def test_tables_of_a_round_show_ratings_and_expected_places():
    row = played(running(*NINE[:8], rounds=3))
    round_ = published(row)
    known = ratings_of(row.event.club)
    # At another game they are as strong in the other order.
    pool = RatingPoolFactory(club=row.event.club, family="euchre")
    for each in PlayerRating.objects.select_related("player"):
        PlayerRatingFactory(pool=pool, player=each.player, mean=3000 - each.mean)

    told = outlooks(member_of(row.event.club), row, 2)

    course = load_state(row)
    for table in course.seated_rounds[1].tables:
        names = [course.entrants[key].shown_name for key in table.entrants]
        places = expected_places([known[name] for name in names], range(4))
        assert [told[name][1] for name in names] == [f"{each:.1f}" for each in places]
        shown = [str(displayed_points(known[name])) for name in names]
        assert [told[name][0][1] for name in names] == shown
        within = [told[name][0][2] for name in names]
        # As sure as today, some time after the last game.
        for name, said in zip(names, within, strict=True):
            assert said.startswith("± ")
            assert int(said[2:]) >= int(2 * known[name].deviation)
    assert len(told) == 8
    assert round_.number == 2


def test_newcomer_is_called_new_and_met_as_one():
    first = played(running(*NINE[:8], rounds=1))
    club = Club.objects.get(pk=first.event.club_id)
    row = another(club, [*NINE[:3], "Yeni"])
    published(row)

    told = outlooks(member_of(club), row, 1)

    course, known = load_state(row), ratings_of(club)
    names = [course.entrants[key].shown_name for key in course.seated_rounds[0].tables[0].entrants]
    places = expected_places([known.get(name, Rating()) for name in names], range(4))
    assert [told[name][1] for name in names] == [f"{each:.1f}" for each in places]
    assert told["Yeni"][0] == ["new"]


def another(club, names, **settings):
    row = create_tournament(club, plan(**settings), NOBODY, at=EVENING)
    move_tournament(row.pk, "registration", NOBODY, at=EVENING)
    register_entrants(row.pk, [Entry(name) for name in names], NOBODY, at=EVENING)
    return move_tournament(row.pk, "running", NOBODY, at=EVENING)


def test_ratings_are_shown_to_nobody_who_may_not_see_them(client):
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "en"
    row = played(running(*NINE[:8], rounds=3))
    published(row)
    Club.objects.filter(pk=row.event.club_id).update(published=True)
    row.event.published = True
    row.event.save()
    assert client.get(url(row, "seating", 2)).status_code == 200
    assert outlooks(client, row, 2) == {}

    Club.objects.update(in_server_ratings=True)

    assert len(outlooks(client, row, 2)) == 8


def test_list_of_entrants_shows_who_has_which_rating():
    first = played(running(*NINE[:8], rounds=1))
    row = another(first.event.club, ["Yeni", NINE[0]])
    known = displayed(PlayerRating.objects.get(player__name=NINE[0]).rating)

    page = member_of(first.event.club).get(url(row, "entrants")).text

    assert re.findall(r'class="rating">(\d+)<span class="soft"> ± ', page) == [str(known.points)]
    assert page.index("Yeni<") < page.index(NINE[0]) < page.index('class="rating"')


def accuracy(browser, row):
    page = browser.get(url(row, "tournament")).text
    if TITLE not in page:
        return []
    section = page[page.index(TITLE) :].split("</section>")[0]
    return re.findall(r"<p>(.*?)</p>", section)


def test_finished_tournament_shows_how_well_the_ratings_predicted_it():
    row = played(running(*NINE[:8], rounds=3), times=3)
    move_tournament(row.pk, "finished", NOBODY, at=EVENING)

    lines = accuracy(member_of(row.event.club), row)

    games = Game.objects.filter(table__round__event=row.event)
    told = accuracy_of(
        Foretold(
            [c.before for c in RatingChange.objects.filter(game=game).order_by("seat")],
            range(4),
            game.result["ranks"],
            [True] * 4,
        )
        for game in games
    )
    assert (told.pairs, games.count()) == (36, 6)
    assert f"were right for {100 * told.share:.0f} % of 36 pairs;" in lines[0]
    assert lines[1] == (
        f"Their log-loss is {told.log_loss:.2f}, that of a coin 0.69: the lower, the better."
    )


DUE = "For the ratings this game counts once the round is closed."
CHANGES = "What it changes in the ratings"


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
    if CHANGES not in page:
        return []
    table = page[page.index(CHANGES) :].split("</table>")[0]
    rows = re.findall(r"<tr><th scope=\"row\">(.*?)(?=<tr>|</tbody>)", table, re.DOTALL)
    return [re.sub(r"\s+", " ", re.sub(r"<[^>]*>", "|", row)).split("|") for row in rows]


def cells(page):
    return [[cell.strip() for cell in row if cell.strip()] for row in lines(page)]


def rating_text(rating):
    each = displayed(rating)
    return [str(each.points), f"± {each.within}", *(["?"] if each.provisional else [])]


def signed(number):
    return f"+{number}" if number > 0 else str(number).replace("-", "−")


def beyond(changes, scores):
    """Points beyond those expected, of four who all are rated, from what their ratings did."""
    gains = [each.variance_before / (each.variance_before + LUCK**2) for each in changes]
    did = [(c.mean - c.mean_before) / gain for c, gain in zip(changes, gains, strict=True)]
    came = [one + each.mean_before for one, each in zip(did, changes, strict=True)]
    best, worst = scores.index(max(scores)), scores.index(min(scores))
    unit = LUCK * (scores[best] - scores[worst]) / (came[best] - came[worst])
    return [one * unit / LUCK for one in did]


def in_words(number):
    way = "more" if number > 0 else "fewer"
    return f"{round(abs(number))} points {way} than expected"


def test_sheet_shows_what_its_game_has_changed(tournament):
    close(tournament)
    play(opened(tournament), SHORT)
    close(tournament)
    game = games_of(tournament).last()
    changes = list(RatingChange.objects.filter(game=game).order_by("seat"))
    expected = expected_places([change.before for change in changes], [0, 1, 2, 3])
    moved = [displayed_points(each.after) - displayed_points(each.before) for each in changes]
    more = beyond(changes, scores_of(game.result["totals"], game.result["ranks"]))

    page = sheet(member_of(tournament.event.club), game)

    ranks = game.result["ranks"]
    assert cells(page) == [
        [
            game.players[seat],
            *rating_text(changes[seat].before),
            "→",
            *rating_text(changes[seat].after),
            signed(moved[seat]),
            f"{expected[seat]:.1f}",
            str(ranks[seat]),
            f"{way} {abs(moved[seat])}: {in_words(more[seat])}.",
        ]
        for seat in sorted(range(4), key=lambda seat: ranks[seat])
        for way in ["Gained" if moved[seat] > 0 else "Lost"]
    ]

    # Rated by an earlier version: nothing is said that is not known.
    RatedRound.objects.update(units={})
    assert "than expected" not in sheet(member_of(tournament.event.club), game)


@pytest.mark.parametrize(("rated_by", "won"), [("points", "lost"), ("half-places", "gained")])
def test_favourite_who_wins_by_little_is_told_what_moved_the_rating(rated_by, won):
    row = running(*NAMES, rounds=4, points="places", rated_by=rated_by)
    favourite = row.entrants.get(number=1).player.name
    for points in (600, 600, 600, 60):
        round_ = opened(row)
        game = round_.tables.get().games.get()
        totals = [points if name == favourite else -points // 3 for name in game.players]
        record_all(game, [{"type": "totals", "totals": totals, "unchecked": True}])
        close(row)
    game.refresh_from_db()
    seat = game.players.index(favourite)
    change = RatingChange.objects.get(game=game, seat=seat, rating__pool__club=row.event.club)
    moved = displayed_points(change.after) - displayed_points(change.before)
    assert moved < 0 if won == "lost" else moved > 0

    [line] = [row for row in cells(sheet(member_of(row.event.club), game)) if row[0] == favourite]
    [why] = [cell for cell in line if "expected" in cell]
    if won == "lost":
        start = f"First at the table, but lost {-moved}: "
        assert re.fullmatch(f"{start}[0-9]+ points fewer than expected.", why)
    else:
        fewer, worth = map(int, re.findall("[0-9]+", why.partition(":")[2]))
        assert why == (
            f"Gained {moved}: {fewer} points fewer than expected;"
            f" the place, which counts half, worth {worth} more."
        )
        # Both count half, and what is left has moved the rating.
        unit, _width = RatedRound.objects.get(round=round_, pool__club=row.event.club).units[
            str(game.pk)
        ]
        gain = change.variance_before / (change.variance_before + LUCK**2)
        came = (worth - fewer) / 2 * LUCK / unit * gain
        assert came == pytest.approx(change.mean - change.mean_before, abs=0.5)


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
