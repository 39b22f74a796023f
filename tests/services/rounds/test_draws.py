import pytest

from tests.deals import WHOLE_GAME
from tests.factories import EVENING
from tests.tournament_builders import SHORT, closed, published, running, seated
from tests.tournament_records import exported
from tournaments.engine.documents.tournaments import read_tournament
from tournaments.engine.documents.verify import redraw
from tournaments.engine.pairing.field import PlayedRound
from tournaments.models import Draw, Entrant
from tournaments.queries.tournaments.state import load_state
from tournaments.reports.tournament_document import tournament_document
from tournaments.services.audit import NOBODY
from tournaments.services.rounds.proposals import fewest_repeats
from tournaments.services.rounds.seating import seat_again
from tournaments.web.rounds.seating_view import seating_page

pytestmark = pytest.mark.django_db

NAMES = [f"Oyuncu {n}" for n in range(1, 19)]


def drawn_again(row):
    """Whether each draw in the exported document gives the tables that it names."""
    rounds = read_tournament(tournament_document(row)).document["rounds"]
    asked = [place["draw"] for place in rounds]
    earlier = [
        PlayedRound(tuple(tuple(t["entrants"]) for t in place["tables"]), tuple(place["byes"]))
        for place in rounds
    ]
    drawn = [PlayedRound(tuple(map(tuple, d["tables"])), tuple(d["byes"])) for d in asked]
    return [
        redraw(draw, [*earlier[: draw["first"] - 1], *drawn[draw["first"] - 1 : at]])
        == (list(drawn[at].tables), list(drawn[at].byes))
        for at, draw in enumerate(asked)
    ]


@pytest.mark.parametrize(
    "chosen",
    [
        {"seating": "swiss"},
        {"seating": "fixed"},
        {"seating": "rank-spread", "odd": "house"},
        {"sections": 2},
    ],
)
def test_each_round_keeps_what_it_was_drawn_with(chosen):
    row = running(*NAMES, rounds=3, **chosen)
    halves = Entrant.objects.filter(tournament=row, number__lte=9)
    halves.update(section="A" if row.settings["sections"] else "")
    closed(row)
    row.refresh_from_db()
    seated(row)

    assert drawn_again(row)[:2] == [True, True]


def test_a_draw_with_locked_tables_is_kept_too_and_replaces_the_one_before():
    row = running(*NAMES)
    first = seated(row)
    before = first.draw.document

    seat_again(first.pk, [1], NOBODY, at=EVENING)

    (draw,) = Draw.objects.all()
    assert draw.document["sections"][0]["kept"] == [{"place": 1, "entrants": before["tables"][1]}]
    assert draw.document["seed"] != before["seed"]
    assert drawn_again(row) == [True]


def test_a_seating_by_hand_has_no_draw():
    published(running(*NAMES, seating="manual"))

    assert '"draw"' not in exported()


def test_a_proposal_says_what_repeats_bring():
    row = running(*NAMES, rounds=3, leaders_last=True)
    for entries in (SHORT, WHOLE_GAME):
        closed(row, entries)

    last = seated(row)

    row.refresh_from_db()
    fewest, seating = fewest_repeats(load_state(row), last), seating_page(load_state(row), last)
    assert fewest["repeat_meetings"] < seating.quality.repeat_meetings
    assert fewest["score_spread"] > seating.quality.score_spread
    assert "With as few repeats as possible (0)" in seating.praise[-1]
    assert drawn_again(row) == [True, True, True]
