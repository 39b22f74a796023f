"""A tournament made, changed and led on its pages."""

import pytest
from django.urls import reverse

from tests.club_factories import (
    ClubFactory,
    EntrantFactory,
    EventFactory,
    RoundFactory,
    SeasonFactory,
    TableFactory,
    TournamentFactory,
)
from tests.factories import EVENING, WHOLE_GAME, HouseRulesetFactory
from tournaments.engine.tournament_settings import (
    PRESETS,
    TIE_BREAKS,
    TournamentSettings,
    write_settings,
)
from tournaments.models import AuditLine, Round, Tournament
from tournaments.tournament_queries import settings_of

pytestmark = pytest.mark.django_db

ANSWERS = {
    "name": "Moda Açık",
    "held_on": "2026-11-20",
    "season": "day",
    "ruleset": "turkish-king",
    "confirmations": "none",
    "rounds": "5",
    "seating": "swiss",
    "points": "places",
    "place_points": "4 2 1 0",
    "tie0": "wins",
    "tie1": "lot",
    "odd": "bye",
    "bye": "fixed",
    "bye_points": "1/2",
    "finals": "0",
    "overtime": "as-it-stands",
    "check_in": "once",
    "minutes": "75",
}


@pytest.fixture
def director(visitor, club):
    return visitor.become("director", club)


def tournament_of(club, **fields):
    settings = write_settings(TournamentSettings(**fields.pop("settings", {})))
    return TournamentFactory(event__club=club, slug="acik", settings=settings, **fields)


def at(name, *more):
    return reverse(name, args=["moda", "acik", *more])


def filled(director, preset, **typed):
    answers = ANSWERS | typed | {"preset": preset}
    return director.post(reverse("new_tournament", args=["moda"]), answers)


def sent_by(form):
    """What a browser sends of a form as it stands."""
    values = {name: form[name].value() for name in form.fields}
    return {name: v for name, v in values.items() if v is not None and v is not False}


# Making one.


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
    assert AuditLine.objects.filter(action="add-tournament").count() == 1


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
        ({"held_on": "soon"}, "held_on"),
        ({"rounds": "0"}, "rounds"),
        ({"rounds": "31"}, "rounds"),
        ({"seating": "somehow"}, "seating"),
        ({"place_points": "1 2"}, "place_points"),
        ({"place_points": "4"}, "place_points"),
        ({"place_points": "4 x"}, "place_points"),
        ({"place_points": "4 1/0"}, "place_points"),
        ({"place_points": ""}, "place_points"),
        ({"bye_points": ""}, "bye_points"),
        ({"bye_points": "10001"}, "bye_points"),
        ({"tie1": "wins"}, "tie1"),
        ({"tie1": "luck"}, "tie1"),
        ({"minutes": "0"}, "minutes"),
        ({"finals": "5"}, "finals"),
        ({"ruleset": "chess"}, "ruleset"),
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
    ("typed", "stored"),
    [("4-2-1-0", [4, 2, 1, 0]), ("5, 2", [5, 2]), ("1 1/2 −3", [1, "1/2", -3])],
)
def test_points_of_places_are_read_as_people_write_them(director, club, typed, stored):
    answers = ANSWERS | {"place_points": typed}
    director.post(reverse("new_tournament", args=["moda"]), answers)

    assert Tournament.objects.get().settings["place_points"] == stored


# Changing and removing one.


def test_form_comes_as_the_tournament_stands_and_stores_it_unchanged(director, club):
    row = tournament_of(
        club,
        state="registration",
        settings={"tie_breaks": TIE_BREAKS[:8], "bye": 3, "minutes": 40, "finals": 8},
    )
    form = director.get(at("change_tournament")).context["form"]

    page = director.post(at("change_tournament"), sent_by(form))

    assert page.status_code == 302
    assert Tournament.objects.get().settings == row.settings
    assert not AuditLine.objects.exists()


def test_running_tournament_keeps_its_game_and_changes_its_settings(director, club):
    tournament_of(club, state="running", event__options={"out": "mean"})
    page = director.get(at("change_tournament"))
    assert 'name="family"' not in page.text

    answers = ANSWERS | {"name": "Kış Kupası", "ruleset": "euchre"}
    director.post(at("change_tournament"), answers)

    row = Tournament.objects.get()
    assert (row.event.name, row.event.ruleset) == ("Kış Kupası", "turkish-king")
    assert row.event.options == {"out": "mean"}
    assert settings_of(row).minutes == 75


def test_fewer_rounds_than_are_drawn_are_refused_at_their_field(director, club):
    row = tournament_of(club, state="running")
    for number in (1, 2):
        RoundFactory(event=row.event, number=number)

    page = director.post(at("change_tournament"), ANSWERS | {"rounds": "1"})

    assert page.status_code == 422
    assert page.context["form"].errors["rounds"] == ["2 rounds were drawn already."]


def test_finished_tournament_is_changed_no_more(director, club):
    tournament_of(club, state="finished")

    for send in (director.get, director.post):
        page = send(at("change_tournament"), ANSWERS, follow=True)
        assert "what is said of it stands" in page.text

    assert Tournament.objects.get().event.name == "Moda Açık"


def test_tournament_is_removed_until_a_round_is_seated(director, club):
    row = tournament_of(club)
    assert at("remove_tournament") in director.get(at("change_tournament")).text
    place = RoundFactory(event=row.event, number=1, opened_at=None)

    assert at("remove_tournament") not in director.get(at("change_tournament")).text
    page = director.post(at("remove_tournament"), follow=True)
    assert "A round was seated" in page.text
    Round.objects.filter(pk=place.pk).delete()
    for _ in "ab":
        director.post(at("remove_tournament"))

    assert not Tournament.objects.exists()


def test_new_links_make_the_old_ones_worthless(director, club):
    before = tournament_of(club).secret("register")

    director.post(at("replace_links"))

    assert Tournament.objects.get().secret("register") != before


# The page of one.


def step_on(page):
    return page.context["step"] and page.context["step"].label


def back_on(page):
    return page.context["back"] and page.context["back"].label


def send(client, step):
    return client.post(step.url, step.sends, follow=True)


def test_director_leads_a_tournament_on_and_back_by_the_steps_of_its_page(director, club):
    row = tournament_of(club)
    labels = []
    for _ in range(3):
        page = director.get(at("tournament"))
        labels.append((step_on(page), back_on(page)))
        send(director, page.context["step"]) if _ < 2 else None

    assert labels == [
        ("Open registration", None),
        ("Start the tournament", "Back to the draft"),
        ("Seat round 1", "Back to registration"),
    ]
    send(director, page.context["back"])
    row.refresh_from_db()
    assert row.state == "registration"


def test_with_too_few_entrants_the_way_leads_to_their_list(director, club):
    row = tournament_of(club, state="registration")
    for _ in range(3):
        EntrantFactory(tournament=row)
    link = f'class="button wide" href="{at("entrants")}"'

    assert link in director.get(at("tournament")).text
    EntrantFactory(tournament=row)

    page = director.get(at("tournament"))
    assert link not in page.text
    assert "Start the tournament" in page.text


def test_way_leads_to_a_round_once_the_visitor_may_see_it(visitor, club):
    row = tournament_of(club, state="running")
    RoundFactory(event=row.event, number=1, published_at=EVENING, closed_at=EVENING)
    seating = {"tables": [], "byes": []}
    RoundFactory(event=row.event, number=2, seating=seating, opened_at=None)

    for role, number in (("director", 2), ("member", 1)):
        text = visitor.become(role, club).get(at("tournament")).text
        assert at("seating", number) in text
        assert at("seating", 3 - number) not in text


@pytest.mark.parametrize(
    ("rounds", "step", "back"),
    [
        ([{}], "Publish the seating", "Throw the proposal away"),
        ([{"published_at": EVENING}], "Open the round", "Take the seating back"),
        (
            [{"published_at": EVENING, "opened_at": EVENING}],
            "Close the round",
            "Take the seating back",
        ),
        (["closed"], "Seat round 2", "Open the last round again"),
        (["closed", {}], "Publish the seating", "Throw the proposal away"),
        (["closed", "closed"], "Seat the finals", "Open the last round again"),
        (["closed", "closed", "final"], "Finish the tournament", "Open the last round again"),
    ],
)
def test_next_step_and_the_one_back_follow_the_rounds(director, club, rounds, step, back):
    over = {"published_at": EVENING, "opened_at": EVENING, "closed_at": EVENING}
    known = {"closed": over, "final": over | {"stage": "final"}}
    row = tournament_of(club, state="running", settings={"rounds": 2, "finals": 4})
    for number, given in enumerate(rounds, start=1):
        fields = {"opened_at": None} | (known[given] if isinstance(given, str) else given)
        RoundFactory(event=row.event, number=number, seating={"tables": [], "byes": []}, **fields)

    page = director.get(at("tournament"))

    assert (step_on(page), back_on(page)) == (step, back)


def test_round_that_has_begun_is_not_taken_back_and_shows_how_far_it_is(director, club):
    row = tournament_of(club, state="running")
    place = RoundFactory(event=row.event, number=1, published_at=EVENING)
    TableFactory(round=place, number=1, entries=WHOLE_GAME[:2])
    TableFactory(round=place, number=2, entries=WHOLE_GAME)

    page = director.get(at("tournament"))

    assert back_on(page) is None
    assert "1 of 2 tables are finished." in page.text


@pytest.mark.parametrize(
    ("state", "to", "said"),
    [
        ("running", "registration", "A round is seated"),
        ("running", "finished", "A round is not closed yet"),
        ("draft", "finished", "That is no next step: draft."),
    ],
)
def test_step_that_cannot_be_is_refused_in_words(director, club, state, to, said):
    row = tournament_of(club, state=state)
    RoundFactory(event=row.event, number=1)

    page = director.post(at("move_tournament"), {"state": to}, follow=True)

    assert said in page.text
    assert Tournament.objects.get().state == state


def test_nothing_is_moved_to_no_state(director, club):
    tournament_of(club)

    director.post(at("move_tournament"), {"state": "nowhere"})

    assert Tournament.objects.get().state == "draft"


def test_page_tells_members_how_it_is_played_and_offers_them_no_step(visitor, club):
    row = tournament_of(club, state="registration", settings={"points": "places", "minutes": 60})
    EntrantFactory(tournament=row)
    EntrantFactory(tournament=row, withdrawn_at=EVENING)
    EntrantFactory(tournament=row, house=True)
    member = visitor.become("member", club)

    page = member.get(at("tournament"))

    assert "1 entrant · 1 has withdrawn" in " ".join(page.text.split())
    told = dict(page.context["settings"])
    assert (told["Points of the places"], told["Minutes for a round"]) == (
        "4 · 2 · 1 · 0",
        "60 minutes",
    )
    assert "move/" not in page.text
    assert "change/" not in page.text


def test_page_that_follows_is_told_when_nothing_has_changed(director, club):
    tournament_of(club)
    headers = {"hx-request": "true"}
    first = director.get(at("tournament"), headers=headers)
    again = headers | {"if-none-match": first["ETag"]}

    assert director.get(at("tournament"), headers=again).status_code == 304
    director.post(at("move_tournament"), {"state": "registration"})

    page = director.get(at("tournament"), headers=again)
    assert page.status_code == 200
    assert "registration is open" in page.text
    assert "<h1>" not in page.text


def test_lists_show_how_far_a_tournament_is_and_drafts_to_directors_only(visitor, club):
    running, draft = EventFactory(club=club, name="Kış"), EventFactory(club=club, name="Bahar")
    TournamentFactory(event=running, state="running")
    TournamentFactory(event=draft)

    for role, seen in (("director", True), ("member", False)):
        client = visitor.become(role, club)
        for name in ("events", "club"):
            text = client.get(reverse(name, args=["moda"])).text
            assert "running" in text
            assert ("Bahar" in text) is seen, (role, name)
        draft_page = client.get(reverse("event", args=["moda", draft.public_id]))
        assert draft_page.status_code == (302 if seen else 404)


def test_list_of_changes_tells_steps_and_settings_in_words(director, club):
    tournament_of(club, state="registration")
    director.post(at("change_tournament"), ANSWERS | {"name": "Moda Açık"})
    director.post(at("move_tournament"), {"state": "running"})

    text = director.get(reverse("club_changes", args=["moda"])).text

    assert "Tournament led on or back" in text
    assert "registration is open → running" in text
    assert "Rounds: 3 → 5" in text
    assert "Minutes for a round: no limit → 75 minutes" in text
    assert "Who sits with whom" not in text


def test_table_of_a_tournament_has_its_card_and_is_not_removed_by_hand(director, club):
    row = tournament_of(club, state="running")
    place = RoundFactory(event=row.event, number=1, published_at=EVENING)
    table = TableFactory(round=place, number=1)
    here = {"slug": "moda", "public_id": row.event.public_id, "table": table.public_id}

    text = director.get(reverse("event_table", kwargs=here)).text

    assert reverse("table_door", args=[table.public_id, table.secret]) in text
    assert reverse("replace_address", kwargs=here) in text
    assert reverse("remove_table", kwargs=here) not in text
