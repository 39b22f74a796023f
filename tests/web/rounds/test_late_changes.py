"""Somebody withdraws, or comes late, when the seating hangs on the wall: what the pages say."""

import pytest

from tests.deals import WHOLE_GAME
from tests.factories import EVENING, record
from tests.services.tournaments.test_tournaments import NINE, published, running
from tests.web.rounds.test_drawing import Directed
from tournaments.models import Entrant, Game, Round
from tournaments.services.auditing import NOBODY
from tournaments.services.tournaments.entering import (
    Entry,
    register_entrants,
    withdraw_entrant,
)
from tournaments.services.tournaments.rounds import open_round
from tournaments.services.tournaments.substituting import Place, put_substitute

pytestmark = pytest.mark.django_db


@pytest.fixture
def at(visitor):
    """A director at a tournament whose first round is open."""
    row = running(*NINE)
    open_round(published(row).pk, NOBODY, at=EVENING)
    return Directed(visitor, row)


def seated(number):
    return Entrant.objects.filter(sittings__table__number=number).order_by("-number").first()


def test_page_of_who_has_withdrawn_tells_of_the_seat_and_leads_to_the_change(at):
    entrant = seated(2)
    asked = at.url("seating", 1) + "#missing"
    assert asked not in at.get("entrant", entrant.number).text

    page = at.post("withdraw_entrant", entrant.number).text

    assert f"{entrant.player.name} still sits at table 2 of round 1." in page
    assert asked in page
    late = at.get("seating", 1)
    assert 'id="missing"' in late.text
    assert late.context["late"]["leaving"][0] == entrant
    at.post("change_late", 1, leaving=entrant.key)
    assert asked not in at.get("entrant", entrant.number).text


@pytest.mark.parametrize("over", ["begun", "closed"])
def test_seat_that_cannot_be_cleared_is_not_told(at, over):
    entrant = seated(2)
    withdraw_entrant(entrant.pk, NOBODY, at=EVENING)
    assert "still sits" in at.get("entrant", entrant.number).text

    if over == "begun":
        record(Game.objects.get(table__number=2), WHOLE_GAME[0])
    else:
        Round.objects.update(closed_at=EVENING)

    assert "still sits" not in at.get("entrant", entrant.number).text


def test_who_stands_in_for_another_is_not_offered_and_refused_by_name(at):
    (late,) = register_entrants(at.row.pk, [Entry("Geç")], NOBODY, at=EVENING)
    sitting = seated(1)
    put_substitute(Place(sitting.pk, 1, sitting.player_id), "Geç", NOBODY, at=EVENING)

    page = at.post("change_late", 1, arriving=late.key)

    assert "Geç plays this round already." in page.text
    assert page.context["late"]["arriving"] == []
