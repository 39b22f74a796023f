"""Finals in the standings: who is in which stage, who is through, and how their sums are told."""

import re

import pytest

from tests.deals import WHOLE_GAME
from tests.factories import EVENING, record_all
from tests.services.tournaments.test_tournaments import running
from tests.web.rounds.test_drawing import member_of
from tests.web.standings.test_standings import lines, page, play
from tournaments.models import Entrant, Game, Ruling
from tournaments.services.auditing import NOBODY
from tournaments.services.tournaments.drawing import publish_round, seat_next_round
from tournaments.services.tournaments.rounds import open_round

pytestmark = pytest.mark.django_db

STOPPED = {"type": "stopped", "reason": "time"}
SHORT = (*WHOLE_GAME[:2], STOPPED)
EIGHT = [f"Oyuncu {n}" for n in range(1, 9)]


def stages(looker, row, **query):
    """Each name with the stage that stands beside it, in order of place."""
    rows = re.findall(r'<tr id="e.*?</tr>', page(looker, row, **query).text)
    told = [re.search(r'<a [^>]*>(.*?)</a>(?: <span class="stage.*?>(.*?)<)?', r) for r in rows]
    return [(each[1], each[2]) for each in told]


def publish(row):
    place = seat_next_round(row.pk, NOBODY, at=EVENING)
    publish_round(place.pk, NOBODY, at=EVENING)
    return place


def test_stages_stand_beside_the_names_and_the_last_rounds_are_called_by_theirs():
    row = running(*EIGHT, rounds=1, finals=8)
    looker = member_of(row.event.club)
    play(row, *SHORT, close=False)
    assert {stage for _name, stage in stages(looker, row)} == {None}

    row.event.rounds.update(closed_at=EVENING)
    row.refresh_from_db()
    row.revision += 1
    row.save()
    assert [stage for _name, stage in stages(looker, row)] == ["→ Semi-final"] * 8

    play(row, *SHORT)
    after = stages(looker, row)
    assert [stage for _name, stage in after] == ["→ Final"] * 4 + ["Semi-final"] * 4
    final = publish(row)
    assert [stage for _name, stage in stages(looker, row)] == ["Final"] * 4 + ["Semi-final"] * 4
    there = {sitting.entrant.player.name for sitting in final.sittings.all()}
    assert {name for name, stage in after if stage == "→ Final"} == there
    assert stages(looker, row, after=2) == after

    heads = re.findall(r'<th scope="col" class="num round">(.*?)<', page(looker, row).text)
    assert heads == ["1", "Semi-final", "Final"]
    assert {stage for _name, stage in stages(looker, row, only=1)} == {None}


@pytest.mark.parametrize("carry", [True, False])
def test_sum_of_a_finalist_is_one_or_starts_from_zero(carry):
    row = running(*EIGHT, rounds=1, finals=4, carry=carry)
    looker = member_of(row.event.club)
    first = play(row, *SHORT)
    final = publish(row)
    open_round(final.pk, NOBODY, at=EVENING)
    record_all(Game.objects.get(table__round=final), SHORT)
    best = Entrant.objects.get(sittings__round=final, sittings__side=0)
    for place in (first, final):
        Ruling.objects.create(
            round=place, entrant=best, kind="penalty", points=40, reason="late", at=EVENING
        )

    text = page(looker, row, "why_place", best.number).text

    feet = re.findall(r"<tfoot>(.*?)</tfoot>", text, re.DOTALL)
    told = [re.findall(r'class="num">(?:<b>)?(.*?)<', foot) for foot in feet]
    titles = re.findall(r"<h3>(.*?)</h3>", text)
    sums = {name: points for _place, name, points in lines(looker, row)}
    if carry:
        assert (titles, told) == ([], [["−80", sums[best.player.name]]])
    else:
        assert titles == ["Before the finals", "The finals, from zero"]
        assert [penalty for penalty, _points in told] == ["−40", "−40"]
        assert told[1][1] == sums[best.player.name]
    assert "Whoever came further in the finals" in text
    assert ("all points decide" in text) == carry


def test_who_is_not_in_the_finals_is_told_how_it_stood_at_the_cut():
    row = running(*EIGHT, rounds=1, finals=4)
    looker = member_of(row.event.club)
    play(row, *SHORT)
    play(row, *SHORT)
    last = stages(looker, row)[-1][0]
    number = Entrant.objects.get(player__name=last).number

    text = page(looker, row, "why_place", number).text

    assert "Behind " in text or "shared with" in text
    assert "Whoever came further" not in text
    assert len(re.findall(r'<th scope="row" class="num">', text)) == 1
