import re

import pytest
from django.urls import reverse

from tests.club_factories import ClubFactory
from tests.factories import EVENING
from tests.tournament_builders import NINE, closed, plan, published, running
from tests.web.members import member_of
from tournaments.engine.ratings.ratings import Foretold, Rating, accuracy_of, expected_places
from tournaments.models import Club, Game, PlayerRating, RatingChange, RatingPool
from tournaments.queries.ratings import shown, shown_points
from tournaments.queries.state import load_state
from tournaments.services.audit import NOBODY
from tournaments.services.entrants.registration import Entry, register_entrants
from tournaments.services.ratings.computing import sweep_ratings
from tournaments.services.tournaments.lifecycle import create_tournament, move_tournament

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

    told = outlooks(member_of(row.event.club), row, 2)

    course = load_state(row)
    for table in course.seated_rounds[1].tables:
        names = [course.entrants[key].shown_name for key in table.entrants]
        places = expected_places([known[name] for name in names], range(4))
        assert [told[name][1] for name in names] == [f"{each:.1f}" for each in places]
        shown = [str(shown_points(known[name])) for name in names]
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


@pytest.mark.parametrize("tables", [1, 2])
def test_expecting_asks_the_same_whatever_the_number_of_tables(tables, django_assert_num_queries):
    row = played(running(*[f"Oyuncu {n}" for n in range(4 * tables)], rounds=3))
    published(row)
    browser = member_of(row.event.club)

    with django_assert_num_queries(12):
        assert len(outlooks(browser, row, 2)) == 4 * tables


def test_list_of_entrants_shows_who_has_which_rating():
    first = played(running(*NINE[:8], rounds=1))
    row = another(first.event.club, ["Yeni", NINE[0]])
    known = shown(PlayerRating.objects.get(player__name=NINE[0]).rating)

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


def test_pool_of_another_club_is_not_asked():
    row = played(running(*NINE[:8], rounds=3))
    RatingPool.objects.filter(club=row.event.club_id).update(club=ClubFactory())
    published(row)

    assert outlooks(member_of(row.event.club), row, 2) == {}
