"""The seating of a round on its page: proposed, changed, published, read by all."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests.club_factories import MemberFactory
from tests.deals import WHOLE_GAME
from tests.factories import EVENING, record
from tests.services.tournaments.test_drawing import closed, opened
from tests.services.tournaments.test_tournaments import NINE, running
from tournaments.models import Entrant, Game, Round, Tournament
from tournaments.services.auditing import NOBODY
from tournaments.services.tournaments.drawing import publish_round, seat_next_round
from tournaments.services.tournaments.entering import (
    Entry,
    register_entrants,
    withdraw_entrant,
)
from tournaments.services.tournaments.rounds import open_round
from tournaments.services.tournaments.rulings import Decision, rule

pytestmark = pytest.mark.django_db


class Directed:
    """A tournament, and a director's browser at it."""

    def __init__(self, browser, row):
        self.browser, self.row = browser, row
        browser.become("director", row.event.club)

    def url(self, name, *number):
        return reverse(name, args=[self.row.event.club.slug, self.row.slug, *number])

    def post(self, name, *number, **data):
        return self.browser.post(self.url(name, *number), data, follow=True)

    def get(self, name, *number, **query):
        return self.browser.get(self.url(name, *number), query)

    @property
    def seating(self):
        return self.row.event.rounds.get(number=1).seating

    @property
    def revision(self):
        return Tournament.objects.get(pk=self.row.pk).revision


@pytest.fixture
def directed(visitor):
    return lambda *names, **settings: Directed(visitor, running(*(names or NINE), **settings))


def test_proposal_says_how_good_it_is_and_why_everybody_sits_there(directed):
    at = directed()

    page = at.post("seat_round").text

    assert "Meetings again" in page
    assert page.count("Has met nobody of this table before.") == 8
    assert "Sat out 0 times so far: nobody less often." in page


def test_proposal_is_for_directors_until_it_is_published(directed):
    at = directed()
    at.post("seat_round")
    member = member_of(at.row.event.club)
    assert member.get(at.url("seating", 1)).status_code == 404

    at.post("publish_round", 1)

    page = member.get(at.url("seating", 1), {"by": "name"})
    assert page.status_code == 200
    assert page.text.index("Oyuncu 1<") < page.text.index("Oyuncu 2<")
    assert "Publish the seating" not in page.text


def member_of(club):
    browser = Client(headers={"accept-language": "en"})
    browser.force_login(MemberFactory(club=club).user)
    return browser


def test_swap_shows_its_cost_and_is_made_once(directed):
    at = directed(*NINE[:8], rounds=3)
    first = seat_next_round(at.row.pk, NOBODY, at=EVENING)
    publish_round(first.pk, NOBODY, at=EVENING)
    place = Round.objects.create(
        event=at.row.event,
        number=2,
        seating={"tables": turned(first.seating["tables"]), "byes": [], "locked": []},
    )
    one, other = place.seating["tables"][0][0], place.seating["tables"][1][2]

    asked = at.get("seating", 2, one=one, other=other).text
    seen = at.revision
    at.post("swap_seats", 2, one=one, other=other, seen=seen)
    again = at.post("swap_seats", 2, one=one, other=other, seen=seen).text

    assert "4 → 6" in asked
    place.refresh_from_db()
    assert (place.seating["tables"][0][0], place.seating["tables"][1][2]) == (other, one)
    assert "The seating has changed meanwhile" in again


def test_swap_with_a_bye_says_how_often_both_have_sat_out(directed):
    at = directed(*NINE, rounds=3, seating="fixed")
    at.post("seat_round")
    at.post("publish_round", 1)
    second = Round.objects.get(number=2).seating
    was_out = at.seating["byes"][0]
    out = second["byes"][0]

    asked = at.get("seating", 2, one=was_out, other=out).text

    names = {each.key: each.shown_name for each in Entrant.objects.all()}
    assert f"{names[was_out]} <b>1</b>, {names[out]} <b>0</b>" in asked


def turned(tables):
    """Two of each table at the other one: each pair of them meets again."""
    one, other = tables
    return [[*one[:2], *other[2:]], [*one[2:], *other[:2]]]


def test_somebody_who_has_withdrawn_keeps_a_seating_from_being_published(directed):
    at = directed()
    at.post("seat_round")
    gone = Entrant.objects.get(number=int(at.seating["tables"][0][0][1:]))
    withdraw_entrant(gone.pk, NOBODY, at=EVENING)

    refused = at.post("publish_round", 1)
    assert "Somebody of this seating has withdrawn: seat again." in refused.text

    at.post("seat_again", 1)
    at.post("publish_round", 1)
    assert Round.objects.get().state == "published"


def test_late_change_is_made_from_the_page(directed):
    at = directed()
    at.post("seat_round")
    at.post("publish_round", 1)
    late = register_entrants(at.row.pk, [Entry("Zeynep")], NOBODY, at=EVENING)[0]
    leaving = at.seating["tables"][0][0]

    page = at.post("change_late", 1, leaving=leaving, arriving=late.key).text

    assert "Changed tables: 1." in page
    place = Round.objects.get()
    assert not place.sittings.filter(entrant__number=int(leaving[1:])).exists()
    assert place.sittings.filter(entrant=late).exists()


def test_table_that_has_begun_keeps_its_players(directed):
    at = directed()
    at.post("seat_round")
    at.post("publish_round", 1)
    open_round(Round.objects.get().pk, NOBODY, at=timezone.now())
    record(Game.objects.get(table__number=1), WHOLE_GAME[0])

    page = at.post("change_late", 1, leaving=at.seating["tables"][0][0]).text

    assert "Table 1 has begun: nobody leaves it any more." in page


@pytest.mark.parametrize(
    ("names", "ways", "sentence"),
    [
        (NINE[:3], {}, "Too few are here to fill a table."),
        (NINE, {"seating": "round-robin"}, "9 cannot all meet each other once"),
        (NINE, {"seating": "round-robin"}, "Change “Who sits with whom” in the settings."),
    ],
)
def test_seating_that_cannot_be_had_says_why(directed, names, ways, sentence):
    at = directed(*names, **ways)

    assert sentence in at.post("seat_round").text
    assert not Round.objects.exists()


@pytest.mark.parametrize("tables", [1, 3])
def test_seating_asks_the_same_whatever_the_number_of_tables(
    directed, tables, django_assert_num_queries
):
    at = directed(*[f"Oyuncu {n}" for n in range(4 * tables)])
    at.post("seat_round")
    at.post("publish_round", 1)

    with django_assert_num_queries(12):
        at.get("seating", 1)


def test_proposal_says_who_is_here_without_a_seat_and_asks_once(directed):
    at = directed(*NINE[:8])
    at.post("seat_round")
    register_entrants(at.row.pk, [Entry("Zeynep")], NOBODY, at=EVENING)

    # As from the page of the tournament, where nobody has been named yet.
    asked = at.post("publish_round", 1).text
    assert "Here, but not seated: <b>Zeynep</b>" in asked
    assert "Look who is here: the seating is not of them." in asked
    assert Round.objects.get().state == "seated"
    assert 'name="all_the_same"' in asked

    at.post("publish_round", 1, all_the_same="1")
    assert Round.objects.get().state == "published"


def test_proposal_says_who_has_a_seat_and_is_not_here_until_it_is_seated_again(directed):
    at = directed(*NINE, check_in="round")
    Entrant.objects.update(checked_in=1)
    at.post("seat_round")
    Entrant.objects.filter(number=4).update(checked_in=0)

    page = at.get("seating", 1)
    assert "Seated, but not here: <b>Oyuncu 4</b>" in page.text

    again = at.post("seat_again", 1).text
    assert "not here" not in again
    assert "Publish the seating" in again


def test_late_comer_gets_a_seat_in_all_rounds_of_a_schedule_that_are_left(directed):
    at = directed(*NINE[:8], rounds=3, seating="fixed")
    at.post("seat_round")
    at.post("publish_round", 1)
    late = register_entrants(at.row.pk, [Entry("Zeynep")], NOBODY, at=EVENING)[0]

    assert "Here, but not seated: <b>Zeynep</b>" in at.get("seating", 2).text
    at.post("seat_again", 2)

    for place in Round.objects.filter(number__gt=1):
        named = [*place.seating["byes"], *(n for t in place.seating["tables"] for n in t)]
        assert late.key in named, place.number


def test_final_has_no_tables_to_lock(directed):
    at = directed(*NINE[:8])
    at.post("seat_round")
    assert 'name="locked"' in at.get("seating", 1).text

    Round.objects.update(stage="final")
    assert 'name="locked"' not in at.get("seating", 1).text


def test_finals_that_cannot_be_filled_are_refused_with_a_way_out(directed):
    at = directed(*NINE[:6], rounds=1, finals=8)
    closed(at.row)

    page = at.post("seat_round")

    assert page.status_code == 200
    assert "Change “Finals” in the settings while none is seated." in page.text


def test_round_with_a_ruling_says_what_to_do_before_it_is_taken_back(directed):
    at = directed(*NINE[:8])
    place = opened(at.row)
    decision = Decision("penalty", 10, "Geç kaldı")
    rule(place.pk, at.row.entrants.first().pk, decision, NOBODY, at=EVENING)

    assert "withdraw the ruling first" in at.post("take_back_round", 1).text
