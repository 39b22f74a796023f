import re

import pytest

from tests.factories import EVENING
from tests.tournament_builders import (
    SHORT,
    closed,
    opened,
    play,
    published,
    register,
    running,
    who_sits,
)
from tests.web.members import member_of
from tests.web.rounds.browsers import Directed
from tournaments.models import AuditEntry, Entrant, Game, Sitting
from tournaments.presenters.standings.standings import standings_seen
from tournaments.queries.tournaments.state import load_state
from tournaments.services.audit import NOBODY
from tournaments.services.entrants.lists import Entry
from tournaments.services.entrants.registration import withdraw_entrant
from tournaments.services.rounds.rounds import close_round
from tournaments.texts.labels import points_text

TEAMS = ("Bostancı", "Cadde", "Moda", "Yel")
SIX = [Entry(f"{team} {n}", team=team) for team in TEAMS for n in range(1, 7)]
"""Four teams of six: 1 to 6, 7 to 12, 13 to 18, 19 to 24."""


@pytest.fixture
def league(visitor):
    def begin(*entries, **settings):
        row = running(*(entries or SIX), **{"line_up": 4, "rounds": 3} | settings)
        return Directed(visitor, row)

    return begin


def seated_in(place):
    return sorted(n for table in who_sits(place).values() for n in table)


def line_up(at, number, team):
    keys = load_state(type(at.row).objects.get(pk=at.row.pk)).line_ups(number)[team]
    return [int(key[1:]) for key in keys]


def tap(at, number, team, seen, **tapped):
    said = {"team": team, "seen": " ".join(f"e{n}" for n in seen)}
    keys = {name: f"e{n}" for name, n in tapped.items()}
    return at.post("line_ups", number, **said, **keys)


def test_first_of_each_team_play_and_their_reserves_are_named(league):
    at = league()
    at.post("seat_round")

    page = at.get("seating", 1)

    seating = page.context["seating"]
    names = [[c.entrant.team for c in table.chairs] for table in seating.tables]
    assert [sorted(teams) for teams in names] == [list(TEAMS)] * 4
    assert "Nobody sits with a teammate." in seating.praise
    reserves = page.context["reserves"]
    assert {team: [e.number for e in members] for team, members in reserves.items()} == dict(
        zip(TEAMS, ([5, 6], [11, 12], [17, 18], [23, 24]), strict=True)
    )
    assert (page.context["not_seated"], seating.byes) == ([], ())
    assert not page.context["presence"]
    round_ = published(at.row)
    assert not Sitting.objects.filter(round=round_, table=None).exists()
    assert seated_in(round_) == [1, 2, 3, 4, 7, 8, 9, 10, 13, 14, 15, 16, 19, 20, 21, 22]


def test_line_up_is_changed_by_taps_and_stays_for_the_next_round(league):
    at = league()
    tap(at, 1, "Moda", (13, 14, 15, 16), out=14)
    tap(at, 1, "Moda", (13, 15, 16), **{"in": 17})
    full = tap(at, 1, "Moda", (13, 15, 16, 17), **{"in": 18})

    assert "Moda has 4 players in this round already" in full.text
    assert line_up(at, 1, "Moda") == [13, 15, 16, 17]
    closed(at.row)
    assert line_up(at, 2, "Moda") == [13, 15, 16, 17]
    withdraw_entrant(Entrant.objects.get(number=13).pk, NOBODY, at=EVENING)
    assert line_up(at, 2, "Moda") == [14, 15, 16, 17]
    assert "is published" in tap(at, 1, "Moda", (13, 15, 16, 17), out=13).text
    assert AuditEntry.objects.filter(action="put-line-up").count() == 2


def test_of_two_directors_the_second_sees_what_the_first_has_named(league):
    at = league()
    tap(at, 1, "Yel", (19, 20, 21, 22), out=19)
    again = tap(at, 1, "Yel", (19, 20, 21, 22), out=19)
    late = tap(at, 1, "Yel", (19, 20, 21, 22), out=22)

    assert "Another director" not in again.text
    assert "Another director has changed this line-up" in late.text
    assert line_up(at, 1, "Yel") == [20, 21, 22]
    at.post("undo_act", entry=AuditEntry.objects.latest("pk").pk)
    assert line_up(at, 1, "Yel") == [19, 20, 21, 22]


@pytest.mark.parametrize("played", [0, 1])
def test_every_page_is_shown_after_a_line_up_was_changed_before_its_round(league, played):
    at = league()
    for _round in range(played):
        closed(at.row)
    number = played + 1
    tap(at, number, "Moda", (13, 14, 15, 16), out=14)
    tap(at, number, "Moda", (13, 15, 16), **{"in": 17})

    pages = [at.get(name) for name in ("tournament", "entrants", "standings", "rulings")]
    pages.append(at.get("line_ups", number))

    assert [page.status_code for page in pages] == [200] * 5
    strips = [page.context["strip"]() for page in pages]
    assert {strip.act_text for strip in strips} == {f"Line-up of Moda, Round {number}"}
    assert all(strip.button.label for strip in strips)
    at.post("seat_round")
    assert seated_in(published(at.row))[8:12] == [13, 15, 16, 17]


def test_player_of_another_team_is_refused(league):
    at = league()
    refused = tap(at, 1, "Moda", (13, 14, 15), **{"in": 19})
    assert "Yel 1 is not of the team Moda" in refused.text
    assert line_up(at, 1, "Moda") == [13, 14, 15, 16]
    assert "no such team" in tap(at, 1, "Göztepe", ()).text


def test_proposal_is_seated_again_with_the_line_up_named_after_it(league):
    at = league()
    at.post("seat_round")
    tap(at, 1, "Moda", (13, 14, 15, 16), out=16)
    tap(at, 1, "Moda", (13, 14, 15), **{"in": 18})

    presence = at.get("seating", 1).context["presence"]
    assert [e.number for e in presence.absent] == [16]
    assert [e.number for e in presence.unseated] == [18]
    at.post("publish_round", 1)
    assert not at.row.event.rounds.get(number=1).published_at

    at.post("seat_again", 1)
    at.post("publish_round", 1)
    assert 18 in seated_in(at.row.event.rounds.get(number=1))


@pytest.mark.parametrize(("odd", "byes", "tables", "house"), [("bye", 3, 3, 0), ("house", 0, 4, 1)])
def test_short_team_is_shown_before_the_draw_with_what_happens(league, odd, byes, tables, house):
    at = league(odd=odd)
    tap(at, 1, "Cadde", (7, 8, 9, 10), out=7)

    page = at.get("line_ups", 1)
    assert page.context["filling"].byes == byes
    assert page.context["filling"].house == house
    missing = {team.team: team.missing for team, _lines in page.context["teams"]}
    assert missing == {"Bostancı": 0, "Cadde": 1, "Moda": 0, "Yel": 0}
    assert "1 seat stays empty" in page.text

    at.post("seat_round")
    proposal = at.get("seating", 1)
    assert [team.team for team in proposal.context["short"]] == ["Cadde"]
    assert len(proposal.context["seating"].tables) == tables
    at.post("seat_again", 1, take_in="e11")
    assert line_up(at, 1, "Cadde") == [8, 9, 10, 11]
    full = at.post("seat_again", 1, take_in="e12")
    assert "Cadde has 4 players in this round already" in full.text


def test_reserve_takes_a_chair_before_the_table_begins(league):
    at = league()
    round_ = opened(at.row)
    page = at.get("line_ups", 1)
    assert page.context["published"]
    sat = who_sits(round_)
    at.post("line_ups", 1, replace="e1:e5")
    at.post("line_ups", 1, replace="e1:e5")

    after = {t: [5 if n == 1 else n for n in table] for t, table in sat.items()}
    assert who_sits(round_) == after
    game = Game.objects.get(table__sittings__entrant__number=5)
    assert "Bostancı 5" in game.players
    assert "not of the team" in at.post("line_ups", 1, replace="e2:e13").text
    late = at.post("change_late", 1, arriving="e6")
    assert "Bostancı has 4 players in this round already" in late.text
    play(round_, SHORT[:1])
    assert "has begun" in at.post("line_ups", 1, replace="e5:e1").text
    assert who_sits(round_) == after
    assert AuditEntry.objects.filter(action="change-late").count() == 1


def made(row):
    """What each team made in each round, from the sheets alone."""
    sums = {team: [0, 0, 0] for team in TEAMS}
    for game in Game.objects.filter(table__round__event=row.event).select_related("table__round"):
        for sitting in game.table.sittings.select_related("entrant"):
            points = game.result["totals"][sitting.side]
            sums[sitting.entrant.team][game.table.round.number - 1] += points
    return sums


def test_teams_stand_by_what_their_line_ups_made(league):
    at = league()
    closed(at.row)
    tap(at, 2, "Moda", (13, 14, 15, 16), out=13)
    tap(at, 2, "Moda", (14, 15, 16), **{"in": 18})
    closed(at.row)
    round_ = opened(at.row)
    at.post("line_ups", 3, replace="e7:e12")
    play(round_, SHORT)
    close_round(round_.pk, NOBODY, at=EVENING)

    page = at.get("standings")
    state = load_state(at.row)
    sums = made(at.row)
    assert 18 in seated_in(at.row.event.rounds.get(number=2))
    assert 12 in seated_in(round_)
    rows = {row.team: row for row in standings_seen(state, directs=True).teams}
    assert {team: list(row.by_round) for team, row in rows.items()} == sums
    assert {team: row.points for team, row in rows.items()} == {
        team: sum(points) for team, points in sums.items()
    }
    shown = page.text[page.text.index('id="teams"') :]
    cells = re.findall(r'class="num[^"]*">([^<]*)</td>', shown)
    best = max(rows.values(), key=lambda row: row.points)
    assert cells[1:5] == [points_text(each) for each in (*best.by_round, best.points)]
    reserve = next(row for row in state.standings_before(4) if row.entrant == "e6")
    assert (reserve.points, reserve.by_round) == (0, (None, None, None))


def test_strip_leads_to_the_line_ups_before_the_draw(league):
    at = league()
    hub = at.get("tournament").context["strip"]()
    there = at.get("line_ups", 1).context["strip"]()
    assert (hub.button.is_link, hub.button.url) == (True, at.url("line_ups", 1))
    assert there.button.sends["step"] == "seat-round"


def test_late_member_and_one_without_a_team_are_shown(league):
    at = league(*SIX[:23])
    register(at.row, "Yalnız")
    page = at.get("line_ups", 1)
    assert [e.number for e in page.context["without"]] == [24]
    at.post("seat_round")
    reasons = {e.number: str(why) for e, why in at.get("seating", 1).context["not_seated"]}
    assert reasons[24] == "is in no team"
    assert "Yalnız is in no team" in at.post("seat_again", 1, take_in="e24").text
    assert member_of(at.row.event.club).get(at.url("line_ups", 1)).status_code == 404
