import re

import pytest
from django.urls import reverse

from tests.club_factories import ClubFactory, SeasonFactory
from tests.web.members import member_of
from tests.web.standings.evenings import evening, play
from tests.web.tournaments.forms import ANSWERS
from tournaments.models import AuditEntry, Club, Event, Player, Report, Season, Tournament
from tournaments.reports.documents import compose

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
    assert "its finals don’t" in page(looker, season).text


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


OTHERS = [("places", "game"), ("places", "out"), ("", "places")]


def others_counted(season, points, adds):
    """Let the league add points of `adds`, or of a tournament that counts others than `points`."""
    season.league_points = adds
    season.save()
    if not adds:
        other = "places" if points == "game" else "game"
        evening(season, [dict(zip(FOUR, (1, 2, 3, -6), strict=True))], points=other)


@pytest.mark.parametrize(("adds", "points"), OTHERS)
def test_tournament_that_counts_others_than_the_league_adds_is_refused(
    season, visitor, adds, points
):
    others_counted(season, points, adds)
    before = Tournament.objects.count()
    director = visitor.become("director", season.club)
    answers = ANSWERS | {"points": points}

    refused = director.post(reverse("new_tournament", args=["moda"]), answers)

    assert refused.status_code == 422
    assert list(refused.context["form"].errors) == ["season"]
    assert refused.context["form"]["name"].value() == answers["name"]
    assert Tournament.objects.count() == before == Event.objects.count()
    director.post(reverse("new_tournament", args=["moda"]), answers | {"season": ""})
    row = Tournament.objects.latest("pk")
    director.post(
        reverse("put_in_season", args=["moda", season.pk]), {"event": row.event.public_id}
    )
    row.event.refresh_from_db()
    assert row.event.season is None


@pytest.mark.parametrize("adds", ["places", "", "evening"])
def test_tournament_of_the_league_is_taken_and_cannot_count_others_later(season, visitor, adds):
    others_counted(season, "game", adds)
    director = visitor.become("director", season.club)
    director.post(reverse("new_tournament", args=["moda"]), ANSWERS)
    row = Tournament.objects.latest("pk")
    assert row.event.season == season

    where = reverse("change_tournament", args=["moda", row.slug])
    changed = director.post(where, ANSWERS | {"season": str(season.pk), "points": "game"})

    row.refresh_from_db()
    assert (changed.status_code, row.settings["points"]) == (
        (302, "game") if adds == "evening" else (422, "places")
    )


@pytest.mark.parametrize("worth", [[5, 3, 1, 0], [4, 2, 1, 0]])
def test_points_of_places_have_to_be_alike(season, visitor, worth):
    evening(season, [dict(zip(FOUR, (1, 2, 3, -6), strict=True))], points="places")
    director = visitor.become("director", season.club)

    answers = ANSWERS | {"place_points": " ".join(map(str, worth))}
    made = director.post(reverse("new_tournament", args=["moda"]), answers)

    assert made.status_code == (302 if worth == [4, 2, 1, 0] else 422)


@pytest.mark.parametrize("totals", [(1250, -850, 30, -430), (4, 0, 2, 1)])
def test_league_counts_places_of_evenings_whatever_they_counted(season, totals):
    season.league_points, season.league_best = "evening", None
    season.save()
    evening(season, [dict(zip(FOUR, totals, strict=True))], points="game")
    evening(season, [dict(zip(("Elif", *FOUR[:3]), (7, 7, 1, 0), strict=True))], points="places")

    found = list(lines(member_of(season.club), season))

    # Ayşe 4 and a half of 4 + 3; Elif the other half.
    places = dict(zip(FOUR, ("4", "1", "3", "2"), strict=True))
    assert {name: evenings for _place, name, _points, evenings in found} == {
        "Ayşe": [places["Ayşe"], "3½"],
        "Burak": [places["Burak"], "2"],
        "Cem": [places["Cem"], "1"],
        "Deniz": [places["Deniz"], "–"],
        "Elif": ["–", "3½"],
    }
    assert "count different points" not in page(member_of(season.club), season).text


def test_places_of_an_evening_are_those_after_its_finals(season):
    season.league_points = "evening"
    season.save()
    row = evening(
        season,
        [dict(zip(FOUR, (40, 30, 20, 10), strict=True))],
        finals=4,
        carry=False,
        rounds=1,
        state="running",
    )
    entrants = {each.player.name: each for each in row.entrants.all()}
    play(row, 2, {entrants[name]: n for n, name in enumerate(FOUR)})

    assert by_name(member_of(season.club), season)["Deniz"] == "4"


@pytest.mark.parametrize(("first", "second"), [("game", "places"), ("places", "pair-difference")])
def test_league_of_different_points_is_flagged_until_it_counts_places(
    season, visitor, first, second
):
    for points in (first, second):
        evening(season, [dict(zip(FOUR, (1, 2, 3, -6), strict=True))], points=points)
    director = visitor.become("director", season.club)
    where = reverse("season", args=["moda", season.pk])
    days = {"name": "Kış", "starts_on": "2026-09-01", "ends_on": "2027-06-30"}

    assert "count different points" in page(director, season).text
    assert director.get(where).context["mixed"]
    refused = director.post(where, days | {"league_points": first})
    assert list(refused.context["form"].errors) == ["league_points"]
    director.post(where, days | {"league_points": "evening"})

    assert Season.objects.get().league_points == "evening"
    assert "count different points" not in page(director, season).text
    assert not director.get(where).context["mixed"]


@pytest.mark.parametrize("count", [1, 3])
def test_evenings_of_before_the_season_are_offered_and_put_in_as_they_are(season, visitor, count):
    rows = [evening(season, [dict(zip(FOUR, (1, 2, 3, -6), strict=True))]) for _ in range(count)]
    Event.objects.update(season=None)
    director = visitor.become("director", season.club)
    assert f"{count} evening" in page(director, season).text
    offered = director.get(reverse("season", args=["moda", season.pk])).context["offered"]
    assert {each.pk for each in offered} == {row.event_id for row in rows}

    director.post(
        reverse("put_in_season", args=["moda", season.pk]),
        {"event": [row.event.public_id for row in rows]},
    )

    assert set(Tournament.objects.values_list("state", "event__season")) == {
        ("finished", season.pk)
    }
    assert by_name(director, season)["Cem"] == str(3 * min(count, 2))
    assert "not in the season" not in page(director, season).text
    director.post(
        reverse("take_from_season", args=["moda", season.pk]), {"event": rows[0].event.public_id}
    )
    assert Event.objects.filter(season=season).count() == count - 1


@pytest.mark.parametrize(("form", "evenings"), [("csv", 0), ("csv", 2), ("xlsx", 2), ("pdf", 25)])
def test_league_is_a_document_for_members(season, visitor, form, evenings, tmp_path):
    for _ in range(evenings):
        evening(season, [dict(zip(FOUR, (1, 2, 3, -6), strict=True))])
    member = visitor.become("member", season.club)

    answer = member.post(
        reverse("league_document", args=["moda", season.pk]), {"format": form, "language": "tr"}
    )

    assert answer.status_code == 302
    report = Report.objects.get()
    assert (report.kind, report.format, report.audience) == ("league", form, "members")
    path = tmp_path / f"league.{form}"
    compose(report, silent).write(path, silent)
    assert path.stat().st_size
    if form == "csv":
        lines = path.read_text("utf-8-sig").splitlines()
        assert sum(line.startswith(("1", "2", "3", "4")) for line in lines) == min(evenings, 1) * 4
    assert page(member, season).status_code == 200


def silent(*_steps):
    pass
