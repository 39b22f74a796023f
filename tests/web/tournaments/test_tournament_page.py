import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from tests.club_factories import (
    EntrantFactory,
    EventFactory,
    RoundFactory,
    TableFactory,
    TournamentFactory,
)
from tests.deals import WHOLE_GAME
from tests.factories import EVENING
from tests.web.tournaments.forms import at, tournament_of
from tournaments.models import Event, Tournament


def strip_on(page):
    return page.context["strip"]()


def step_on(page):
    return strip_on(page).button.label


def back_on(page):
    return page.context["back"] and page.context["back"].label


def send(client, step):
    return client.post(step.url, step.sends, follow=True)


def test_director_leads_a_tournament_on_and_back_by_the_steps_of_its_page(director, club):
    row = tournament_of(club)
    for _ in range(4):
        EntrantFactory(tournament=row)
    row.event.starts_at = "13:30"
    row.event.save()
    labels = []
    assert "starts at 13:30" in strip_on(director.get(at("tournament"))).parts
    for _ in range(3):
        page = director.get(at("tournament"))
        labels.append((step_on(page), back_on(page)))
        last = send(director, strip_on(page).button)

    assert labels == [
        ("Open registration", None),
        ("Close entries, seat round 1", "Back to the draft"),
        ("Publish the seating", "Throw the proposal away"),
    ]
    assert (last.context["round"].state, step_on(last)) == ("published", "Open the round")
    # Another director saw the same button: the step is taken once, and the page says so.
    again = send(director, strip_on(page).button)
    assert "this is how it stands now" in again.text
    row.refresh_from_db()
    assert (row.state, row.event.rounds.get().state) == ("running", "published")


def test_way_leads_to_a_round_once_the_visitor_may_see_it(visitor, club):
    row = tournament_of(club, state="running")
    RoundFactory(event=row.event, number=1, published_at=EVENING, closed_at=EVENING)
    seating = {"tables": [], "byes": []}
    RoundFactory(event=row.event, number=2, seating=seating, opened_at=None)

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
        EntrantFactory(tournament=row)
    for number, given in enumerate(rounds, start=1):
        fields = {"opened_at": None} | (known[given] if isinstance(given, str) else given)
        RoundFactory(event=row.event, number=number, seating={"tables": [], "byes": []}, **fields)

    page = director.get(at("tournament"))

    assert (step_on(page), back_on(page)) == (step, back)


def test_round_that_has_begun_is_not_taken_back_and_shows_how_far_it_is(director, club):
    row = tournament_of(club, state="running")
    round_ = RoundFactory(event=row.event, number=1, published_at=EVENING)
    TableFactory(round=round_, number=1, entries=WHOLE_GAME[:2])
    TableFactory(round=round_, number=2, entries=WHOLE_GAME)

    page = director.get(at("tournament"))

    assert (step_on(page), back_on(page)) == ("Look at the tables", None)
    assert "1 of 2 tables are finished." in page.text


def test_step_that_cannot_be_is_refused_in_words(director, club):
    row = tournament_of(club, state="draft", event__published=True)
    assert " · published" not in director.get(reverse("tournament", args=["moda", row.slug])).text

    page = director.post(at("move_tournament"), {"state": "finished"}, follow=True)

    assert "Not possible in this state: look at how it stands now." in page.text
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
    assert at("next_step") not in page.text
    assert "change/" not in page.text


def test_lists_show_how_far_a_tournament_is_and_drafts_to_directors_only(visitor, club):
    running, draft = EventFactory(club=club, name="Kış"), EventFactory(club=club, name="Bahar")
    TournamentFactory(event=running, state="running")
    Event.objects.filter(pk=draft.pk).update(held_on=timezone.localdate() + timedelta(days=1))
    TournamentFactory(event=draft)

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
    round_ = RoundFactory(event=row.event, number=1, published_at=EVENING)
    table = TableFactory(round=round_, number=1)
    here = {"slug": "moda", "public_id": row.event.public_id, "table": table.public_id}

    text = director.get(reverse("event_table", kwargs=here)).text

    assert reverse("table_link", args=[table.public_id, table.secret]) in text
    assert reverse("replace_address", kwargs=here) in text
    assert "/clock." in text
    assert "/clock." in director.get(at("change_tournament")).text
    strip = re.search(r'hx-get="([^"]*/next/[^"]*)"', text)[1]
    assert "Look at the tables" in director.get(strip, HTTP_HX_REQUEST="true").text
    assert reverse("remove_table", kwargs=here) not in text


def test_round_is_seated_from_its_page_once_enough_have_checked_in(director, club):
    row = tournament_of(club, state="running", settings={"check_in": "round"})
    RoundFactory(event=row.event, number=1, published_at=EVENING, closed_at=EVENING)
    for checked_in in (2, 2, 2, 1):
        EntrantFactory(tournament=row, checked_in=checked_in)
    EntrantFactory(tournament=row, checked_in=2, joins_in=3)

    page = director.get(at("tournament"))
    assert (step_on(page), page.context["here"]) == ("Look at the entrants", 3)
    EntrantFactory(tournament=row, checked_in=2, joins_in=2)

    assert step_on(director.get(at("tournament"))) == "Seat round 2"
