import json
import re
from datetime import date, timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests import club_factories as make
from tests.deals import WHOLE_GAME
from tests.factories import EVENING, HouseRulesetFactory
from tests.tournament_builders import closed, running
from tests.web.tournaments.forms import ANSWERS, at, sent_by, tournament_of
from tournaments import models
from tournaments.engine.standings.tournament_settings import PRESETS, TournamentSettings
from tournaments.queries.players import games_of
from tournaments.queries.site import finished_games
from tournaments.queries.state import settings_of
from tournaments.services.audit import NOBODY
from tournaments.services.entrants.registration import withdraw_entrant
from tournaments.services.ratings.computing import sweep_ratings
from tournaments.web.base.phone import address


def filled(director, preset, **typed):
    answers = ANSWERS | typed | {"preset": preset}
    return director.post(reverse("new_tournament", args=["moda"]), answers)


def test_director_makes_a_tournament_with_settings_of_their_own(director, club):
    season = make.SeasonFactory(club=club)
    answers = ANSWERS | {"hide_last": "on", "turkish-king.out": "mean"}

    page = director.post(reverse("new_tournament", args=["moda"]), answers, follow=True)

    row = models.Tournament.objects.get()
    assert page.redirect_chain[-1][0] == reverse("tournament", args=["moda", row.slug])
    assert (row.event.name, row.event.season, row.state) == ("Moda Açık", season, "draft")
    assert row.event.options == {"out": "mean"}
    assert settings_of(row) == TournamentSettings(
        rounds=5,
        points="places",
        rated_by="points",
        tie_breaks=("wins", "lot"),
        bye=settings_of(row).bye,
        carry=False,
        minutes=75,
        check_in="once",
        hide_last=True,
    )
    assert row.settings["bye"] == "1/2"
    assert str(row.seed) in page.text


@pytest.mark.parametrize(
    ("ruleset", "problem"),
    [("turkish-king", ""), ("euchre", "The partner is missing: pairs play here.")],
)
def test_players_of_a_new_club_are_offered_and_take_part_once(director, club, ruleset, problem):
    page = reverse("new_tournament", args=["moda"])
    make.PlayerFactory.create_batch(5, club=club)
    form = director.get(page).context["form"]
    answers = sent_by(form) | {"name": "Moda Açık", "ruleset": ruleset, "key": form.key}

    for _twice in range(2):
        answer = director.post(page, answers)

    assert form["everybody"].value() is True
    rows = models.Tournament.objects.all()
    assert [(row.state, row.entrants.count()) for row in rows] == (
        [] if problem else [("registration", 5)]
    )
    assert (answer.status_code, problem in answer.text) == (422 if problem else 302, True)
    # Later ones have players of their own.
    again = director.get(page).context["form"]
    assert again["everybody"].value() is bool(problem)


@pytest.mark.parametrize("preset", PRESETS)
def test_preset_fills_the_settings_and_keeps_what_was_typed(director, club, preset):
    page = filled(director, preset, name="Kış Kupası", published="on")

    form = page.context["form"]
    assert page.status_code == 200
    assert not models.Tournament.objects.exists()
    assert (form["name"].value(), form["published"].value()) == ("Kış Kupası", True)
    director.post(reverse("new_tournament", args=["moda"]), sent_by(form))
    assert settings_of(models.Tournament.objects.get()) == PRESETS[preset]


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ({"rounds": "", "minutes": ""}, ""),
        (
            {"capacity": "22", "rounds": "4", "minutes": "75", "starts_at": "13:00"},
            "22 entrants: 5 tables, 2 sit out; 4 rounds, the last ends at about 18:30",
        ),
        (
            {"capacity": "8", "ruleset": "krapet", "finals": "4", "rounds": "1", "minutes": "60"},
            "8 entrants: 4 tables; 2 rounds, about 2 h 10 min",
        ),
    ],
)
def test_what_is_typed_says_how_many_tables_it_fills_and_when_it_ends(director, club, typed, says):
    answers = ANSWERS | typed
    page = director.post(
        reverse("new_tournament", args=["moda"]), answers, headers={"HX-Request": "true"}
    )

    assert re.findall(r"<output.*?>(.*?)</output>", page.text) == [says]
    assert not models.Tournament.objects.exists()


def test_game_of_three_is_not_offered_and_house_rules_of_the_club_are(director, club):
    HouseRulesetFactory(slug="moda-rules", club=club, name="Moda içi kurallar")
    HouseRulesetFactory(slug="another", club=make.ClubFactory())

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
        ({"ruleset": "king-five"}, "ruleset"),
    ],
)
def test_what_cannot_be_is_said_at_its_field_and_what_was_typed_stays(director, club, typed, field):
    page = director.post(reverse("new_tournament", args=["moda"]), ANSWERS | typed)

    form = page.context["form"]
    assert (page.status_code, list(form.errors)) == (422, [field])
    assert form["minutes"].value() == {**ANSWERS, **typed}["minutes"]
    assert not models.Tournament.objects.exists()


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

    assert models.Tournament.objects.get().settings[name] == stored


def test_fewer_rounds_than_are_drawn_are_refused_at_their_field(director, club):
    row = tournament_of(club, state="running")
    for number in (1, 2):
        make.RoundFactory(event=row.event, number=number)

    page = director.post(at("change_tournament"), ANSWERS | {"rounds": "1"})

    assert page.status_code == 422
    assert page.context["form"].errors["rounds"] == ["2 rounds were drawn already."]


def test_tournament_is_removed_until_a_round_is_seated(director, club):
    row = tournament_of(club)
    round_ = make.RoundFactory(event=row.event, number=1, opened_at=None)

    refused = director.post(at("remove_tournament"))
    assert (refused.status_code, refused.context["owns"]) == (422, False)
    models.Round.objects.filter(pk=round_.pk).delete()
    assert at("remove_tournament") in director.get(at("tournament")).text
    assert director.get(at("remove_tournament")).context["rounds"] == 0
    assert models.Tournament.objects.exists()
    for _ in "ab":
        director.post(at("remove_tournament"))

    assert not models.Tournament.objects.exists()


def test_new_links_make_the_old_ones_worthless(director, club):
    row = tournament_of(club)
    links = {kind: [row.secret(kind)] for kind in ("register", "check-in")}

    director.post(at("replace_links"))

    for kind, secrets in links.items():
        secrets.append(models.Tournament.objects.get().secret(kind))
        pages = [reverse(kind.replace("-", "_"), args=[row.public_id, each]) for each in secrets]
        assert [director.get(page).status_code for page in pages] == [404, 200]


def step_on(page):
    return page.context["strip"]().button.label


def back_on(page):
    return page.context["back"] and page.context["back"].label


def test_way_leads_to_a_round_once_the_visitor_may_see_it(visitor, club):
    row = tournament_of(club, state="running")
    make.RoundFactory(event=row.event, number=1, published_at=EVENING, closed_at=EVENING)
    seating = {"tables": [], "byes": []}
    make.RoundFactory(event=row.event, number=2, seating=seating, opened_at=None)

    for role, page, number in (("director", "seating", 2), ("member", "running", 1)):
        text = visitor.become(role, club).get(at("tournament")).text
        assert at(page, number) in text
        assert at("seating", 3 - number) not in text
        # An open proposal hides neither the tables that were played nor the wall.
        assert f'"{at("running", 1)}"' in text
        assert at("wall") in text


@pytest.mark.parametrize(
    ("rounds", "step", "back"),
    [
        ([{}], "Publish the seating", "Throw the proposal away"),
        ([{"published_at": EVENING}], "Open the round", "Take the seating back"),
        (
            [{"published_at": EVENING, "opened_at": EVENING}],
            "Close round 1",
            "Take the seating back",
        ),
        (["closed"], "Seat round 2", "Open the last round again"),
        (["closed", {}], "Publish the seating", "Throw the proposal away"),
        (["closed", "closed"], "Seat the finals", "Open the last round again"),
        (
            ["closed", "closed", "final"],
            "Finish and publish the result",
            "Open the last round again",
        ),
        (
            ["closed", "closed", {"published_at": EVENING, "opened_at": EVENING, "stage": "final"}],
            "Close: Final",
            "Take the seating back",
        ),
    ],
)
def test_next_step_and_the_one_back_follow_the_rounds(director, club, rounds, step, back):
    over = {"published_at": EVENING, "opened_at": EVENING, "closed_at": EVENING}
    known = {"closed": over, "final": over | {"stage": "final"}}
    row = tournament_of(club, state="running", settings={"rounds": 2, "finals": 4})
    for _ in range(4):
        make.EntrantFactory(tournament=row)
    for number, given in enumerate(rounds, start=1):
        fields = {"opened_at": None} | (known[given] if isinstance(given, str) else given)
        make.RoundFactory(
            event=row.event, number=number, seating={"tables": [], "byes": []}, **fields
        )

    page = director.get(at("tournament"))

    assert (step_on(page), back_on(page)) == (step, back)


def test_round_that_has_begun_is_not_taken_back_and_shows_how_far_it_is(director, club):
    row = tournament_of(club, state="running")
    round_ = make.RoundFactory(event=row.event, number=1, published_at=EVENING)
    make.TableFactory(round=round_, number=1, entries=WHOLE_GAME[:2])
    make.TableFactory(round=round_, number=2, entries=WHOLE_GAME)

    page = director.get(at("tournament"))

    assert (step_on(page), back_on(page)) == ("Look at the tables", None)
    assert "only table 1 is still playing (deal 3)." in page.text


def test_page_tells_members_how_it_is_played_and_offers_them_no_step(visitor, club):
    row = tournament_of(club, state="registration", settings={"points": "places", "minutes": 60})
    make.EntrantFactory(tournament=row)
    make.EntrantFactory(tournament=row, withdrawn_at=EVENING)
    make.EntrantFactory(tournament=row, house=True)
    member = visitor.become("member", club)

    page = member.get(at("tournament"))

    assert "1 entrant; 1 has withdrawn." in " ".join(page.text.split())
    told = dict(page.context["settings"])
    assert (told["Points of the places"], told["Minutes for a round"]) == (
        "4 · 2 · 1 · 0",
        "60 minutes",
    )
    assert "move/" not in page.text
    assert at("next_step") not in page.text
    assert "change/" not in page.text


def test_lists_show_how_far_a_tournament_is_and_drafts_to_directors_only(visitor, club):
    running, draft = (
        make.EventFactory(club=club, name="Kış"),
        make.EventFactory(club=club, name="Bahar"),
    )
    make.TournamentFactory(event=running, state="running")
    models.Event.objects.filter(pk=draft.pk).update(
        held_on=timezone.localdate() + timedelta(days=1)
    )
    make.TournamentFactory(event=draft)

    for role, seen in (("director", True), ("member", False)):
        client = visitor.become(role, club)
        for name in ("events", "club"):
            text = client.get(reverse(name, args=["moda"])).text
            assert "Kış" in text
            assert ("Bahar" in text) is seen, (role, name)
        draft_page = client.get(reverse("event", args=["moda", draft.public_id]))
        assert draft_page.status_code == (302 if seen else 404)


def test_table_of_a_tournament_has_its_card_and_is_not_removed_by_hand(director, club):
    row = tournament_of(club, state="running")
    round_ = make.RoundFactory(event=row.event, number=1, published_at=EVENING)
    table = make.TableFactory(round=round_, number=1)
    here = {"slug": "moda", "public_id": row.event.public_id, "table": table.public_id}

    text = director.get(reverse("event_table", kwargs=here)).text

    assert reverse("table_link", args=[table.public_id, table.secret]) in text
    assert reverse("replace_address", kwargs=here) in text
    assert "/clock." in text
    assert "/clock." in director.get(at("change_tournament")).text
    # The way back is the tournament's bar.
    assert "Look at the tables" in text
    assert re.search(r'id="nav-tables"\s+href="([^"]+)"', text)[1] == at("running", 1)
    assert reverse("remove_table", kwargs=here) not in text


def test_round_is_seated_from_its_page_once_enough_have_checked_in(director, club):
    row = tournament_of(club, state="running", settings={"check_in": "round"})
    make.RoundFactory(event=row.event, number=1, published_at=EVENING, closed_at=EVENING)
    for checked_in in (2, 2, 2, 1):
        make.EntrantFactory(tournament=row, checked_in=checked_in)
    make.EntrantFactory(tournament=row, checked_in=2, joins_in=3)

    page = director.get(at("tournament"))
    assert step_on(page) == "Look at the entrants"
    assert "closed; here: 3; a table needs 4 entrants." in page.text
    make.EntrantFactory(tournament=row, checked_in=2, joins_in=2)

    assert step_on(director.get(at("tournament"))) == "Seat round 2"


FOUR = ("Ayşe", "Burak", "Cem", "Deniz")


@pytest.fixture
def row():
    row = running(*FOUR)
    closed(row)
    sweep_ratings()
    return row


def url(name, row):
    return reverse(name, args=[row.event.club.slug, row.slug])


def rated():
    sweep_ratings()
    return list(models.RatingChange.objects.order_by("pk").values_list("game", "seat", "mean"))


def counted(row, user):
    club = row.event.club
    played = games_of(models.Player.objects.get(name="Ayşe"), None)
    return len(rated()), finished_games(club, user).count(), len(played)


def test_cancelled_tournament_counts_nowhere_until_it_is_taken_back(visitor, row):
    club = row.event.club
    member = visitor.become("member", club).user
    director = visitor.become("director", club)
    before = rated()

    page = director.post(url("cancel_tournament", row), follow=True)

    assert reverse("restore_tournament", args=[club.slug, row.slug]) in page.text
    assert counted(row, director.user) == (0, 0, 0)
    link = reverse("register", args=[row.public_id, row.secret("register")])
    assert director.get(link).status_code == 404
    assert not models.Event.objects.listed_for(member).exists()
    models.Event.objects.update(published=True)
    phone = Client(headers={"accept-language": "en"})
    assert phone.get(url("tournament", row)).status_code == 404
    looks = visitor.become("member", club)
    assert "tournament is cancelled" in looks.get(url("tournament", row)).text
    assert "tournaments/" not in looks.get(reverse("events", args=[club.slug])).text
    models.Round.objects.update(closed_at=None)
    game = models.Game.objects.get()
    said = {"type": "redeal", "reason": "misdeal", "by": "0", "key": "k" * 24}
    path = address(game, "write") + "entry/"
    refused = phone.post(path, {**said, "revision": game.revision})
    models.Round.objects.update(closed_at=EVENING)
    assert "The tournament is cancelled" in refused.text
    director = visitor.become("director", club)
    assert "cancelled" in director.get(reverse("events", args=[club.slug])).text
    director.post(url("restore_tournament", row))
    assert rated() == before
    assert (counted(row, member)[1:], models.Event.objects.listed_for(member).count()) == (
        (1, 1),
        1,
    )


def test_only_an_owner_who_types_the_name_deletes_a_tournament_with_rounds(visitor, row):
    club, said = row.event.club, {"name": row.event.name}
    for role, typed in (("director", said), ("owner", {"name": "Moda"})):
        refused = visitor.become(role, club).post(url("remove_tournament", row), typed)
        assert (refused.status_code, models.Game.objects.count()) == (422, 1)

    visitor.post(url("remove_tournament", row), said)

    assert (models.Event.objects.count(), models.Game.objects.count(), rated()) == (0, 0, [])
    assert not models.PlayerRating.objects.exists()
    assert models.Player.objects.count() == len(FOUR)


def test_copy_has_the_settings_and_who_still_plays_and_takes_over_the_links(visitor, row):
    director = visitor.become("director", row.event.club)
    withdraw_entrant(row.entrants.get(number=2).pk, NOBODY, at=EVENING)
    link = reverse("register", args=[row.public_id, row.secret("register")])
    form = director.get(url("copy_tournament", row)).context["form"]
    unnamed = {"held_on": form["held_on"].value(), "name": form["name"].value() or ""}
    assert director.post(url("copy_tournament", row), unnamed).status_code == 422
    answers = {"name": "Moda Aralık", "held_on": form["held_on"].value(), "key": "k" * 22}

    for _twice in range(2):
        director.post(url("copy_tournament", row), answers | {"entrants": "on", "links": "on"})

    copy = models.Tournament.objects.exclude(pk=row.pk).get()
    assert (copy.event.held_on, copy.state) == (date(2026, 12, 18), "draft")
    assert (copy.settings, copy.event.ruleset) == (row.settings, row.event.ruleset)
    names = copy.entrants.values_list("number", "player__name")
    assert list(names) == [(1, "Ayşe"), (2, "Cem"), (3, "Deniz")]
    assert director.get(link).context["tournament"] == copy


def test_exported_tournament_is_imported_again_under_another_address(visitor, row):
    owner = visitor.become("owner", row.event.club)
    exported = owner.get(url("tournament_record", row)).content

    def sent(browser, club, **more):
        page = reverse("tournament_records", args=[club.slug])
        return browser.post(page, {"file": SimpleUploadedFile("moda.json", exported), **more})

    assert sent(owner, row.event.club).status_code == 422
    # Its games are here: they are not rated a second time.
    assert sent(owner, row.event.club, elsewhere="on").status_code == 422
    assert models.Tournament.objects.count() == 1
    there = make.ClubFactory(slug="kadife")
    other = visitor.become("owner", there)
    assert sent(other, there, elsewhere="on").status_code == 302
    second = models.Tournament.objects.exclude(pk=row.pk).get()
    again = json.loads(other.get(url("tournament_record", second)).content)
    before = json.loads(exported)
    assert again["rounds"] == before["rounds"]
    assert again["tournament"] == {**before["tournament"], "slug": f"{row.slug}-2"}
