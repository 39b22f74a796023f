import re

import pytest
from django.urls import reverse

from tests.club_factories import ClubFactory, SeasonFactory
from tests.web.members import member_of
from tests.web.standings.evenings import evening, play
from tournaments.models import AuditEntry, Club, Entrant, Player, Season, Tournament

FOUR = ("Ayşe", "Burak", "Cem", "Deniz")


@pytest.fixture
def season():
    return SeasonFactory(club=ClubFactory(slug="moda"), name="Kış", league_best=2)


def page(looker, season):
    return looker.get(reverse("league", args=[season.club.slug, season.pk]))


def lines(looker, season):
    answer = page(looker, season)
    assert answer.status_code == 200
    for row in re.findall(r"<tr><td.*?</tr>", answer.text):
        cells = re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row)
        place, name, points, *evenings = (re.sub(r"</?(?:a|span)\b.*?>", "", c) for c in cells)
        yield place, name, points, evenings


def by_name(looker, season):
    return {name: points for _place, name, points, _evenings in lines(looker, season)}


def test_best_evenings_are_added_up_and_the_others_struck_out(season):
    evening(season, [dict(zip(FOUR, (10, 20, 30, -60), strict=True))])
    evening(season, [dict(zip(FOUR, (5, 20, -30, 5), strict=True))])
    evening(season, [dict(zip(("Elif", *FOUR[:3]), (-50, 40, 10, 0), strict=True))])

    assert list(lines(member_of(season.club), season)) == [
        ("1", "Ayşe", "50", ["10", "<s>5</s>", "40"]),
        ("2", "Burak", "40", ["20", "20", "<s>10</s>"]),
        ("3", "Cem", "30", ["30", "<s>−30</s>", "0"]),
        ("4", "Elif", "−50", ["–", "–", "−50"]),
        ("5", "Deniz", "−55", ["−60", "5", "–"]),
    ]


def test_both_of_a_pair_have_its_points_and_house_players_none(season):
    evening(season, [{"Ayşe+Burak": 12, "Ev 1+Ev 2": 90}])
    evening(season, [dict(zip(("Ayşe", "Cem", "Deniz", "Elif"), (1, 2, 3, 4), strict=True))])

    assert by_name(member_of(season.club), season) == {
        "Ayşe": "13",
        "Burak": "12",
        "Elif": "4",
        "Deniz": "3",
        "Cem": "2",
    }


def test_running_evening_counts_up_to_its_last_closed_round(season):
    first = dict(zip(FOUR, (10, 20, 30, -60), strict=True))
    row = evening(season, [first], state="running")
    Tournament.objects.filter(pk=row.pk).update(settings={"rounds": 3})
    row.refresh_from_db()
    play(row, 2, dict.fromkeys(row.entrants.all(), 1000), closed=False)
    looker = member_of(season.club)

    assert by_name(looker, season)["Cem"] == "30"
    assert "so far 1 round" in page(looker, season).text


def test_finals_do_not_count(season):
    names = [*FOUR, "Elif"]
    row = evening(season, [dict(zip(names[:4], (10, 20, 30, -60), strict=True))], finals=4)
    play(row, 2, dict.fromkeys(row.entrants.all(), 500))
    looker = member_of(season.club)

    assert by_name(looker, season)["Cem"] == "30"
    assert "its finals do not" in page(looker, season).text


def test_last_round_that_is_hidden_does_not_count_yet_but_for_directors(season, visitor):
    points = [dict(zip(FOUR, (n, 2 * n, 3 * n, -6 * n), strict=True)) for n in (1, 100)]
    evening(season, points, state="running", hide_last=True)

    assert by_name(member_of(season.club), season)["Cem"] == "3"
    assert by_name(visitor.become("director", season.club), season)["Cem"] == "303"


def test_visitor_is_shown_what_is_published_alone(season, visitor):
    evening(season, [dict(zip(FOUR, (1, 2, 3, -6), strict=True))], published=True)
    evening(season, [dict(zip(FOUR, (100, 200, 300, -600), strict=True))])
    assert page(visitor, season).status_code == 404

    season.club.published = True
    season.club.save()

    assert by_name(visitor, season)["Cem"] == "3"
    assert "Only published evenings" in page(visitor, season).text
    assert by_name(member_of(season.club), season)["Cem"] == "303"


def test_visitor_follows_a_name_where_players_have_pages_for_everybody(season, visitor):
    evening(season, [dict(zip(FOUR, (1, 2, 3, -6), strict=True))], published=True)
    Player.objects.filter(name="Burak").update(initials=True)
    Club.objects.update(published=True)
    assert "/players/" not in page(visitor, season).text

    Club.objects.update(in_server_ratings=True)

    pages = re.findall(r"/players/(\w+)/", page(visitor, season).text)
    assert set(pages) == {row.public_id for row in Player.objects.exclude(name="Burak")}


def test_director_says_how_many_evenings_count(season, visitor):
    for _ in range(3):
        evening(season, [dict(zip(FOUR, (1, 2, 3, -6), strict=True))])
    director = visitor.become("director", season.club)
    assert by_name(director, season)["Cem"] == "6"
    days = {"name": "Kış", "starts_on": "2026-09-01", "ends_on": "2027-06-30"}

    refused = director.post(
        reverse("season", args=["moda", season.pk]), {**days, "league_best": "0"}
    )
    director.post(reverse("season", args=["moda", season.pk]), {**days, "league_best": ""})

    assert list(refused.context["form"].errors) == ["league_best"]
    assert Season.objects.get().league_best is None
    assert by_name(director, season)["Cem"] == "9"
    line = AuditEntry.objects.get(action="change-season")
    assert (line.before["league_best"], line.after["league_best"]) == (2, None)
    audit = director.get(reverse("club_changes", args=["moda"])).text
    assert "Best evenings that count in the league: 2 → all" in audit


@pytest.mark.parametrize("evenings", [1, 4])
def test_league_asks_the_same_whatever_the_size(season, evenings, django_assert_num_queries):
    for _ in range(evenings):
        evening(season, [dict(zip(FOUR, (1, 2, 3, -6), strict=True))] * evenings)
    assert Entrant.objects.count() == 4 * evenings
    looker = member_of(season.club)

    with django_assert_num_queries(11):
        page(looker, season)
    with django_assert_num_queries(6):
        page(looker, season)
