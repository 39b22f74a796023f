import re
from fractions import Fraction
from html import unescape

import pytest
from django.test import Client
from django.urls import reverse

from tests.deals import WHOLE_GAME
from tests.factories import EVENING, record
from tests.tournament_builders import (
    NINE,
    SHORT,
    change,
    closed,
    play,
    published,
    register,
    running,
    who_sits,
)
from tests.web.members import member_of
from tests.web.rounds.browsers import Directed
from tournaments.engine.pairing.judging import Quality
from tournaments.models import AuditEntry, Entrant, Game, Round
from tournaments.queries.tournaments.state import load_state
from tournaments.services.audit import NOBODY
from tournaments.services.entrants.registration import (
    Entry,
    check_in,
    register_entrants,
    withdraw_entrant,
)
from tournaments.services.games.tables import replace_address
from tournaments.services.rounds.rounds import close_round, open_round
from tournaments.services.rounds.seating import publish_round, seat_next_round
from tournaments.web.rounds.seating_view import praise


@pytest.fixture
def directed(visitor):
    return lambda *names, **settings: Directed(visitor, running(*(names or NINE), **settings))


def test_proposal_is_for_directors_until_it_is_published(directed):
    at = directed()
    at.post("seat_round")
    member = member_of(at.row.event.club)
    assert member.get(at.url("seating", 1)).status_code == 404
    assert at.get("seating", 1).text.count("Publish the seating") == 1

    at.post("publish_round", 1)

    page = member.get(at.url("seating", 1), {"by": "name"})
    assert page.status_code == 200
    assert page.text.index("Oyuncu 1<") < page.text.index("Oyuncu 2<")
    assert "Publish the seating" not in page.text


def words_of(repeats, bound, spread, imbalance, least):
    return list(praise(Quality(repeats, bound, Fraction(spread), imbalance, 0, 0), Fraction(least)))


def test_page_says_in_words_how_good_a_seating_is():
    assert words_of(0, 0, 240, 1, 210) == [
        "Nobody meets twice.",
        "Each has sat in each seat at most 1 time more than in another.",
        "Points at a table are 240 apart on average, at best possible 210.",
    ]
    assert words_of(2, 2, 210, 0, 210) == [
        "2 meetings are repeats: fewer are not possible.",
        "Each has sat in each seat equally often.",
        "Points at a table are 210 apart on average, the least possible.",
    ]
    assert words_of(3, 2, 0, 2, 0) == [
        "3 meetings are repeats.",
        "Each has sat in each seat at most 2 times more than in another.",
    ]


@pytest.mark.parametrize(("rounds", "warned"), [(2, [False, True]), (3, [False, False])])
def test_director_is_warned_if_the_leaders_sit_apart_in_the_last_round(directed, rounds, warned):
    at = directed(*NINE[:8], rounds=rounds, score_before_seats=True)
    closed(at.row, WHOLE_GAME)
    at.post("seat_round")
    points = load_state(at.row).points_after(1)
    first, last = max(points, key=points.__getitem__), min(points, key=points.__getitem__)

    pages = [at.get("seating", 2)]
    at.post("swap_seats", 2, one=first, other=last, seen=at.revision)
    pages.append(at.get("seating", 2))

    assert [page.context["seating"].leaders_apart for page in pages] == warned
    assert ["the leaders sit at different" in page.text for page in pages] == warned


def test_swap_shows_its_cost_and_is_made_once(directed):
    at = directed(*NINE[:8], rounds=3)
    first = seat_next_round(at.row.pk, NOBODY, at=EVENING)
    publish_round(first.pk, NOBODY, at=EVENING)
    round_ = Round.objects.create(
        event=at.row.event,
        number=2,
        seating={"tables": turned(first.seating["tables"]), "byes": [], "locked": []},
    )
    one, other = round_.seating["tables"][0][0], round_.seating["tables"][1][2]

    asked = at.get("seating", 2, one=one, other=other).text
    seen = at.revision
    at.post("swap_seats", 2, one=one, other=other, seen=seen)
    again = at.post("swap_seats", 2, one=one, other=other, seen=seen).text

    assert "4 → 6" in asked
    round_.refresh_from_db()
    assert (round_.seating["tables"][0][0], round_.seating["tables"][1][2]) == (other, one)
    assert "The seating has changed meanwhile" in again


def turned(tables):
    """Two of each table at the other one: each pair of them meets again."""
    one, other = tables
    return [[*one[:2], *other[2:]], [*one[2:], *other[:2]]]


def test_cards_outlive_a_seating_that_is_taken_back_with_its_sheets(directed):
    at = directed()
    round_ = open_round(published(at.row).pk, NOBODY, at=EVENING)
    one = round_.tables.get(number=1)
    first_secret = one.secret
    replace_address(one.pk, NOBODY, at=EVENING)
    cards = {table.number: table.secret for table in round_.tables.all()}
    for each in WHOLE_GAME[:2]:
        record(Game.objects.get(table=one), each)

    asked = at.post("take_back_round", 1)
    assert (asked.context["lost"].sheets, asked.context["lost"].entries) == (1, 2)
    record(Game.objects.get(table=one), WHOLE_GAME[2])
    at.post("take_back_round", 1, entries=2)
    assert Round.objects.get().state == "open"
    at.post("take_back_round", 1, entries=3)
    assert (Round.objects.get().state, Game.objects.count()) == ("seated", 0)
    assert len(AuditEntry.objects.get(action="take-back-round").before["records"]) == 1

    at.post("unseat_round", 1)
    card = reverse("table_link", args=[one.public_id, cards[1]])
    assert "This card stays valid" in Client().get(card).text
    old = reverse("table_link", args=[one.public_id, first_secret])
    assert Client().get(old).status_code == 404
    at.post("seat_round")
    at.post("publish_round", 1)
    assert "has not begun yet" in Client().get(card).text
    assert {table.number: table.secret for table in Round.objects.get().tables.all()} == cards


def test_late_change_is_made_from_the_page(directed):
    at = directed()
    at.post("seat_round")
    at.post("publish_round", 1)
    late = register_entrants(at.row.pk, [Entry("Zeynep")], NOBODY, at=EVENING)[0]
    leaving = at.seating["tables"][0][0]

    page = at.post("change_late", 1, leaving=leaving, arriving=late.key).text

    assert "Changed tables: 1." in page
    round_ = Round.objects.get()
    assert not round_.sittings.filter(entrant__number=int(leaving[1:])).exists()
    assert round_.sittings.filter(entrant=late).exists()

    alone = register_entrants(at.row.pk, [Entry("Kerem")], NOBODY, at=EVENING)[0]
    assert "Kerem is number" in at.post("change_late", 1, arriving=alone.key).text
    assert round_.sittings.get(entrant=alone).table is None


def test_impossible_seating_says_why(directed):
    at = directed(*NINE, seating="round-robin")

    assert "9 cannot all meet each other once" in at.post("seat_round").text
    assert not Round.objects.exists()


def not_seated(page):
    """Return the players without a seat in the proposal, with the reason."""
    return [(each.number, str(reason)) for each, reason in page.context["not_seated"]]


def test_who_was_put_into_a_round_or_added_while_it_runs_is_seated_in_the_next(directed):
    at = directed(*NINE[:8], "Kerem", "Nobody", check_in="once")
    kerem, nobody = Entrant.objects.filter(number__gte=9)
    for entrant in Entrant.objects.filter(number__lt=9):
        check_in(entrant.pk, NOBODY, at=EVENING)
    round_ = published(at.row)
    left = seated(1)
    change(round_, arriving=[kerem], leaving=[left])
    register(at.row, "Dilek")
    open_round(round_.pk, NOBODY, at=EVENING)
    play(round_, SHORT)
    close_round(round_.pk, NOBODY, at=EVENING)

    page = at.post("seat_round")

    proposal = Round.objects.get(number=2)
    assert {kerem.key, "e11"} < {*load_state(at.row).seated_rounds[1].names}
    assert not_seated(page) == [
        (left.number, "not checked in"),
        (nobody.number, "not checked in"),
    ]

    page = at.post("seat_again", 2, take_in=left.key)

    proposal.refresh_from_db()
    assert not_seated(page) == [(nobody.number, "not checked in")]
    assert left.key in str(proposal.seating)
    at.post("publish_round", 2)
    assert Round.objects.get(number=2).published_at is not None


def test_who_was_taken_out_of_a_round_is_not_seated_until_taken_in(directed):
    at = directed()
    left, withdrawn = Entrant.objects.filter(number__lte=2)
    change(published(at.row), leaving=[left])
    at.post("take_back_round", 1, entries=0)
    assert not_seated(at.post("seat_again", 1)) == [(1, "did not play the last round")]
    at.post("publish_round", 1)
    withdraw_entrant(withdrawn.pk, NOBODY, at=EVENING)
    play(open_round(at.row.event.rounds.get().pk, NOBODY, at=EVENING), SHORT)
    close_round(at.row.event.rounds.get().pk, NOBODY, at=EVENING)

    page = at.post("seat_round")
    assert not_seated(page) == [(1, "did not play the last round"), (2, "withdrawn")]
    tables = len(Round.objects.get(number=2).seating["tables"])

    page = at.post("seat_again", 2, take_in=[left.key, withdrawn.key])

    assert not_seated(page) == []
    assert len(Round.objects.get(number=2).seating["tables"]) == tables + 1


def test_final_names_who_had_played_on_but_has_left(directed):
    at = directed(*NINE[:8], rounds=1, finals=4)
    closed(at.row, WHOLE_GAME)
    best = load_state(at.row).standings_before(2)[0].entrant
    gone = Entrant.objects.get(number=best[1:])
    withdraw_entrant(gone.pk, NOBODY, at=EVENING)

    page = at.post("seat_round")
    assert not_seated(page) == [(gone.number, "withdrawn")]
    page = at.post("seat_again", 2, take_in=[best])

    assert not_seated(page) == []
    assert best in str(Round.objects.get(number=2).seating)


def test_proposal_says_who_is_here_without_a_seat_and_asks_once(directed):
    at = directed(*NINE[:8])
    at.post("seat_round")
    register_entrants(at.row.pk, [Entry("Zeynep")], NOBODY, at=EVENING)
    withdrawn = register_entrants(at.row.pk, [Entry("Gone")], NOBODY, at=EVENING)[0]
    withdraw_entrant(withdrawn.pk, NOBODY, at=EVENING)

    # As from the page of the tournament, where nobody has been named yet.
    asked = at.post("publish_round", 1)
    assert not_seated(asked) == [(9, "came after this seating was drawn"), (10, "withdrawn")]
    assert "Look who is here: the seating is not of them." in asked.text
    assert Round.objects.get().state == "seated"
    assert 'name="all_the_same"' in asked.text

    at.post("publish_round", 1, all_the_same="1")
    assert Round.objects.get().state == "published"


@pytest.fixture
def at(visitor):
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
def test_seat_that_cannot_be_cleared_is_not_shown(at, over):
    entrant = seated(2)
    withdraw_entrant(entrant.pk, NOBODY, at=EVENING)
    assert "still sits" in at.get("entrant", entrant.number).text

    if over == "begun":
        record(Game.objects.get(table__number=2), WHOLE_GAME[0])
    else:
        Round.objects.update(closed_at=EVENING)

    assert "still sits" not in at.get("entrant", entrant.number).text


def link_to(page, name):
    """The address that somebody's name leads to."""
    return unescape(re.search(f'href="([^"]*)"[^>]*>{name}</a>', page.text)[1])


def sent(page, to):
    """The hidden fields of the form that goes to an address."""
    form = page.text.partition(f'action="{to}"')[2].partition("</form>")[0]
    return dict(re.findall('type="hidden" name="([^"]*)" value="([^"]*)"', form))


def test_wrong_chairs_are_exchanged_from_the_sheet_of_a_closed_round_in_four_taps(at):
    round_ = Round.objects.get()
    play(round_)
    close_round(round_.pk, NOBODY, at=EVENING)
    game = Game.objects.get(table__number=1)
    (one, other), players = who_sits(round_)[1][:2], game.players

    setup = at.browser.get(reverse("head", args=[game.public_id, game.secret("write")]))
    chosen = at.browser.get(link_to(setup, players[0]))
    asked = at.browser.get(at.url("seating", 1) + link_to(chosen, players[1]))
    form = sent(asked, at.url("swap_seats", 1))
    page = at.browser.post(at.url("swap_seats", 1), form, follow=True)

    assert 'name="name0"' not in setup.text
    assert page.redirect_chain[-1][0] == at.url("round_changes")
    assert {line["name"] for line in page.context["rounds"]["Round 1"]} >= {*players[:2]}
    assert who_sits(round_)[1][:2] == [other, one]
    again = at.browser.post(at.url("swap_seats", 1), form, follow=True)
    assert "The seating has changed meanwhile" in again.text
    apart = at.get("seating", 1, one=f"e{one}", other=f"e{seated(2).number}").text
    assert ('value="people"' in asked.text, 'value="people"' in apart) == (True, False)


def test_partners_of_a_pair_change_seats_from_the_page_once(directed):
    pairs = [Entry("Ayşe", partner="Burak"), Entry("Cem", partner="Deniz")]
    at = directed(*pairs, ruleset="turkish-king-partners")
    published(at.row)
    before = Game.objects.get().players

    form = sent(at.get("seating", 1, one="e1"), at.url("swap_seats", 1))
    for _twice in range(2):
        at.browser.post(at.url("swap_seats", 1), form)

    seat = before.index("Ayşe")
    other = before.index("Burak")
    after = Game.objects.get().players
    assert (after[seat], after[other]) == ("Burak", "Ayşe")
