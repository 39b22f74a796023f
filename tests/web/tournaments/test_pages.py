import pytest
from django.urls import reverse

from tests.club_factories import ClubFactory, RoundFactory, SeasonFactory
from tests.factories import HouseRulesetFactory
from tests.web.tournaments.forms import ANSWERS, at, sent_by, tournament_of
from tournaments.engine.standings.tournament_settings import PRESETS, TournamentSettings
from tournaments.models import AuditEntry, Round, Tournament
from tournaments.queries.state import settings_of


def filled(director, preset, **typed):
    answers = ANSWERS | typed | {"preset": preset}
    return director.post(reverse("new_tournament", args=["moda"]), answers)


def test_director_makes_a_tournament_with_settings_of_their_own(director, club):
    season = SeasonFactory(club=club)
    answers = ANSWERS | {"hide_last": "on", "turkish-king.out": "mean"}

    page = director.post(reverse("new_tournament", args=["moda"]), answers, follow=True)

    row = Tournament.objects.get()
    assert page.redirect_chain[-1][0] == reverse("tournament", args=["moda", row.slug])
    assert (row.event.name, row.event.season, row.state) == ("Moda Açık", season, "draft")
    assert row.event.options == {"out": "mean"}
    assert settings_of(row) == TournamentSettings(
        rounds=5,
        points="places",
        tie_breaks=("wins", "lot"),
        bye=settings_of(row).bye,
        carry=False,
        minutes=75,
        check_in="once",
        hide_last=True,
    )
    assert row.settings["bye"] == "1/2"
    assert str(row.seed) in page.text


def test_form_sent_twice_makes_one_tournament(director, club):
    page = director.get(reverse("new_tournament", args=["moda"]))
    answers = ANSWERS | {"key": page.context["form"].key}

    first, again = (director.post(reverse("new_tournament", args=["moda"]), answers) for _ in "ab")

    assert Tournament.objects.count() == 1
    assert first["Location"] == again["Location"]
    assert AuditEntry.objects.filter(action="add-tournament").count() == 1


@pytest.mark.parametrize("preset", PRESETS)
def test_preset_fills_the_settings_and_keeps_what_was_typed(director, club, preset):
    page = filled(director, preset, name="Kış Kupası", published="on")

    form = page.context["form"]
    assert page.status_code == 200
    assert not Tournament.objects.exists()
    assert (form["name"].value(), form["published"].value()) == ("Kış Kupası", True)
    director.post(reverse("new_tournament", args=["moda"]), sent_by(form))
    assert settings_of(Tournament.objects.get()) == PRESETS[preset]


def test_game_of_three_is_not_offered_and_house_rules_of_the_club_are(director, club):
    HouseRulesetFactory(slug="moda-rules", club=club, name="Moda içi kurallar")
    HouseRulesetFactory(slug="another", club=ClubFactory())

    page = director.get(reverse("new_tournament", args=["moda"]))

    offered = page.context["form"].rulesets
    assert {"moda-rules", "turkish-king", "euchre", "krapet"} <= set(offered)
    assert {(r.seats, r.side_count) for r in offered.values()} == {(4, 4), (4, 2), (2, 2)}
    assert "another" not in offered


@pytest.mark.parametrize(
    ("typed", "field"),
    [
        ({"name": ""}, "name"),
        ({"rounds": "0"}, "rounds"),
        ({"seating": "somehow"}, "seating"),
        ({"place_points": "1 2"}, "place_points"),
        ({"bye_points": ""}, "bye_points"),
        ({"tie1": "wins"}, "tie1"),
        ({"minutes": "0"}, "minutes"),
        ({"finals": "5"}, "finals"),
        ({"capacity": "0"}, "capacity"),
        ({"fee": "12.345"}, "fee"),
        ({"prizes": "60% 50%"}, "prizes"),
        ({"prizes": "50% 100"}, "prizes"),
        ({"line_up": "17"}, "line_up"),
        ({"line_up": "4", "seating": "round-robin"}, "line_up"),
        ({"ruleset": "barbu-3"}, "ruleset"),
    ],
)
def test_what_cannot_be_is_said_at_its_field_and_what_was_typed_stays(director, club, typed, field):
    page = director.post(reverse("new_tournament", args=["moda"]), ANSWERS | typed)

    form = page.context["form"]
    assert (page.status_code, list(form.errors)) == (422, [field])
    assert form["minutes"].value() == {**ANSWERS, **typed}["minutes"]
    assert not Tournament.objects.exists()


@pytest.mark.parametrize(
    ("name", "typed", "stored"),
    [
        ("place_points", "4-2-1-0", [4, 2, 1, 0]),
        ("place_points", "5, 2", [5, 2]),
        ("place_points", "1 1/2 −3", [1, "1/2", -3]),
        ("fee", "12,50", "12.50"),
        ("prizes", "%62,5 % 30 5 %", ["62.5%", "30%", "5%"]),
        ("prizes", "300 200/100", ["300", "200", "100"]),
        ("line_up", "4", 4),
    ],
)
def test_points_and_prizes_are_read_as_people_write_them(director, club, name, typed, stored):
    answers = ANSWERS | {name: typed}
    director.post(reverse("new_tournament", args=["moda"]), answers)

    assert Tournament.objects.get().settings[name] == stored


def test_fewer_rounds_than_are_drawn_are_refused_at_their_field(director, club):
    row = tournament_of(club, state="running")
    for number in (1, 2):
        RoundFactory(event=row.event, number=number)

    page = director.post(at("change_tournament"), ANSWERS | {"rounds": "1"})

    assert page.status_code == 422
    assert page.context["form"].errors["rounds"] == ["2 rounds were drawn already."]


def test_tournament_is_removed_until_a_round_is_seated(director, club):
    row = tournament_of(club)
    round_ = RoundFactory(event=row.event, number=1, opened_at=None)

    refused = director.post(at("remove_tournament"))
    assert (refused.status_code, refused.context["owns"]) == (422, False)
    Round.objects.filter(pk=round_.pk).delete()
    assert at("remove_tournament") in director.get(at("tournament")).text
    assert director.get(at("remove_tournament")).context["rounds"] == 0
    assert Tournament.objects.exists()
    for _ in "ab":
        director.post(at("remove_tournament"))

    assert not Tournament.objects.exists()


def test_new_links_make_the_old_ones_worthless(director, club):
    before = tournament_of(club).secret("register")

    director.post(at("replace_links"))

    assert Tournament.objects.get().secret("register") != before
