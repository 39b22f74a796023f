import re
from datetime import timedelta
from fractions import Fraction

import pytest
from django.core.cache import caches
from django.test import Client
from django.urls import reverse

from tests.club_factories import MemberFactory
from tests.deals import WHOLE_GAME, deal
from tests.factories import EVENING, ContextFactory, record, record_all
from tests.tournament_builders import (
    PENALTY,
    decide,
    opened,
    published,
    register,
    running,
    seated,
)
from tests.web.members import member_of
from tests.web.standings.shown import lines, page, play
from tournaments.engine.documents.entries import parse_entry
from tournaments.models import Club, Entrant, Event, Game, Ruling
from tournaments.services.audit import NOBODY, Actor
from tournaments.services.entrants.registration import withdraw_entrant
from tournaments.services.games.playing import correct_entry
from tournaments.services.people.changes import rename_player
from tournaments.services.rounds.running import close_round

FIVE = ("Ayşe", "Burak", "Cem", "Deniz", "Elif")
HOUR = timedelta(hours=1)
STOPPED = {"type": "stopped", "reason": "time"}


@pytest.fixture
def row():
    return running(*FIVE, rounds=2)


@pytest.fixture
def looker(row):
    return member_of(row.event.club)


def sitting(place, side):
    return Entrant.objects.get(sittings__round=place, sittings__side=side).player.name


def test_finished_tables_count_before_the_round_is_closed(row, looker):
    place = play(row, *WHOLE_GAME, close=False)

    first, *rest = lines(looker, row)

    assert first == ("1", sitting(place, 0), "540")
    assert sorted(points for _place, _name, points in rest) == ["0", "−100", "−110", "−330"]


def test_tables_of_the_last_round_are_linked_while_the_next_is_a_proposal(row, looker):
    number = play(row, WHOLE_GAME[0], STOPPED).number
    seated(row)

    tables = reverse("running", args=[row.event.club.slug, row.slug, number])
    assert f'<a href="{tables}"' in page(looker, row).text


def test_round_that_is_half_played_is_live_and_the_closed_one_is_shown(row, looker):
    play(row, WHOLE_GAME[0], STOPPED)
    closed = lines(looker, row)
    second = play(row, *WHOLE_GAME, close=False)

    assert lines(looker, row) == closed
    live = lines(looker, row, after=2)
    assert live != closed
    text = page(looker, row, after=2).text
    assert text.count('class="live"') == 2
    assert page(looker, row).text.count('class="live"') == 1
    # A name leads to the sum of the same standings.
    number = Entrant.objects.get(sittings__round=second, sittings__side=0).number
    assert f'href="{number}/?after=2"' in text
    assert page(looker, row, "why_place", number).context["after"] == 1
    assert page(looker, row, "why_place", number, after=2).context["after"] == 2


def test_name_that_changes_changes_in_the_standings_that_are_kept(row, looker):
    lines(looker, row)
    player = Entrant.objects.get(number=1).player

    rename_player(player.pk, "Zeynep", NOBODY, at=EVENING)

    assert "Zeynep" in page(looker, row).text
    assert "Ayşe" not in page(looker, row).text


def test_page_that_follows_is_shown_when_nothing_has_changed(row, looker):
    play(row, WHOLE_GAME[0], close=False)
    url = reverse("standings", args=[row.event.club.slug, row.slug])
    etag = looker.get(url, headers={"hx-request": "true"})["ETag"]
    asked = {"hx-request": "true", "if-none-match": etag}

    assert looker.get(url, headers=asked).status_code == 304
    record(Game.objects.get(), STOPPED)
    assert looker.get(url, headers=asked).status_code == 200


def test_why_this_place_opens_the_sum_with_bye_penalty_and_neighbour(row, looker):
    place = play(row, *WHOLE_GAME)
    best = Entrant.objects.get(sittings__round=place, sittings__side=0)
    Ruling.objects.create(
        round=place, entrant=best, kind="penalty", points=40, reason="late", at=EVENING
    )

    text = page(looker, row, "why_place", best.number).text

    assert "Points of the game: 540" in text
    assert "Penalty: −40" in text
    out = Entrant.objects.get(sittings__round=place, sittings__table=None)
    assert f"Before {out.player.name}. Points: 500 against 0." in text
    bye = page(looker, row, "why_place", out.number).text
    assert "Sat out: the average of 0 rounds played, 0" in bye


def test_tie_break_that_decided_is_opened_by_round_with_the_opponents():
    ties = ("total-points", "opponents")
    row = running("Ayşe", "Burak", "Cem", "Deniz", points="places", tie_breaks=ties)
    for points in (
        {"Ayşe": 90, "Burak": 30, "Cem": -20, "Deniz": -100},
        {"Burak": 40, "Ayşe": 30, "Deniz": -20, "Cem": -50},
    ):
        round_ = opened(row)
        game = Game.objects.get(table__round=round_)
        totals = [points[name] for name in game.players]
        record_all(game, [{"type": "totals", "totals": totals, "unchecked": True}])
        close_round(round_.pk, NOBODY, at=EVENING)
    member = member_of(row.event.club, role="director")

    text = re.sub(r"\s+", " ", page(member, row, "why_place", 1).text)

    assert "Before Burak. Points of the games: 120 against 70." in text
    # The number in its address is that of an entrant, not of an earlier round.
    assert "This page is about" not in text
    cells = re.findall(r"<td>(.*?)</td>", text[text.index("Before Burak") :])
    found = [" ".join(re.sub(r"<[^>]*>", " ", cell).split()) for cell in cells]
    rounds = [sorted(cell.replace(",", "").split()) for cell in found[:4]]
    assert rounds[:2] == [["90", "Burak", "Cem", "Deniz"], ["30", "Ayşe", "Cem", "Deniz"]]
    assert [each[0] for each in rounds[2:]] == ["30", "40"]
    assert found[4:] == ["120", "70"]


def marks_in(html):
    return re.findall(r'<span class="mark [\w-]+">(.*?)<', html)


def test_byes_rulings_late_entries_withdrawals_and_corrections_are_marked():
    row = running(*FIVE, rounds=2, bye=Fraction(1, 3))
    place = play(row, *WHOLE_GAME)
    out = Entrant.objects.get(sittings__table=None)
    there = [Entrant.objects.get(player__name=sitting(place, side)) for side in range(4)]
    decide(place, there[1].number, PENALTY)
    register(row, "Fatma")
    withdraw_entrant(there[2].pk, NOBODY, at=EVENING)
    game = Game.objects.get()
    other = parse_entry(deal("heart-king", 1, 0, 0, 0))
    director = Actor(MemberFactory(club=row.event.club, role="director").user)
    later = ContextFactory(revision=game.revision, at=EVENING + HOUR, by=director)
    correct_entry(game.pk, 0, other, "x", later)

    text = page(member_of(row.event.club), row).text

    rows = dict(re.findall(r'<tr id="(e\d+)(.*?)</tr>', text))
    changed = "corrected: round 1"
    assert {key: marks_in(each) for key, each in rows.items()} == {
        out.key: ["bye: round 1"],
        there[0].key: [changed],
        there[1].key: ["penalty −50", changed],
        there[2].key: [changed, "withdrawn"],
        there[3].key: [changed],
        "e6": ["joined in round 2"],
    }
    assert [key for key, each in rows.items() if "<i>⅓</i>" in each] == [out.key]
    assert len(marks_in(text[text.index("standings-marks") :])) == 5


def test_teams_are_added_up(row, looker):
    Entrant.objects.filter(number__lte=2).update(team="Kadıköy")
    Entrant.objects.filter(number__gte=3).update(team="Moda")
    play(row, WHOLE_GAME[0], STOPPED)

    text = page(looker, row).text

    teams = re.findall(r'<th scope="row">(\w+) <span class="soft small">(\d)<', text)
    assert sorted(teams) == [("Kadıköy", "2"), ("Moda", "3")]
    points = re.findall(r'points">(\S+?)<', text[text.index("Teams") :])
    assert points == ["0", "−320"]
    assert "Teams" not in page(looker, row, only=1).text


@pytest.mark.parametrize("tables", [1, 3])
def test_standings_ask_the_same_whatever_the_size(tables, django_assert_num_queries):
    row = running(*[f"Oyuncu {n}" for n in range(4 * tables)])
    play(row, WHOLE_GAME[0], STOPPED)
    looker = member_of(row.event.club)

    with django_assert_num_queries(12):
        page(looker, row)
    with django_assert_num_queries(6):
        page(looker, row)
    # The first line of a chat's preview shows the same standings.
    Club.objects.update(published=True)
    Event.objects.update(published=True)
    caches["pages"].clear()
    with django_assert_num_queries(9):
        page(Client(), row)


def test_standings_are_read_in_the_language_of_each_reader(row, looker):
    play(row, *WHOLE_GAME)
    url = reverse("standings", args=[row.event.club.slug, row.slug])

    heads = [
        re.search("<thead.*?</thead>", looker.get(url, headers={"accept-language": code}).text)[0]
        for code in ("en", "tr", "it")
    ]

    assert len({*heads}) == len(heads)


SHORT = (*WHOLE_GAME[:2], STOPPED)
EIGHT = [f"Oyuncu {n}" for n in range(1, 9)]


def stages(looker, row, **query):
    rows = re.findall(r'<tr id="e.*?</tr>', page(looker, row, **query).text)
    told = [re.search(r'<a [^>]*>(.*?)</a>(?: <span class="stage.*?>(.*?)<)?', r) for r in rows]
    return [(each[1], each[2]) for each in told]


def test_line_is_below_those_who_would_play_the_final_until_it_is_reached():
    row = running(*EIGHT, rounds=2, finals=4)
    looker = member_of(row.event.club)
    for cuts in ([4], []):
        play(row, *SHORT)
        lines = re.findall(
            r'<tr (?:id="e.*?|role="row" class="cut".*?)</tr>', page(looker, row).text
        )
        found = {n: line for n, line in enumerate(lines) if "cut" in line}
        assert list(found) == cuts
        assert all("The first 4 go to the final<" in line for line in found.values())


def test_places_say_how_many_one_has_moved_since_the_round_before():
    row = running(*EIGHT, rounds=3)
    looker = member_of(row.event.club)

    def moves(**query):
        cells = re.findall(
            r'<tr id="(e\d+)".*?rank">(\d+)(.*?)</td>', page(looker, row, **query).text
        )
        moved = {key: re.findall(r"[▲▼=]\d*(?=</span>)", rest) for key, _place, rest in cells}
        return {key: int(place) for key, place, _rest in cells}, moved

    play(row, *SHORT)
    first, none = moves()
    play(row, *WHOLE_GAME)
    second, moved = moves()

    apart = {key: first[key] - place for key, place in second.items()}
    assert moved == {k: [f"▲{n}" if n > 0 else f"▼{-n}" if n else "="] for k, n in apart.items()}
    assert any(apart.values())
    for signs in (none, moves(only=2)[1]):
        assert not any(signs.values())


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
    final = published(row)
    playing = stages(looker, row, after=3)
    assert [stage for _name, stage in playing] == ["Final"] * 4 + ["Semi-final"] * 4
    there = {sitting.entrant.player.name for sitting in final.sittings.all()}
    assert {name for name, stage in after if stage == "→ Final"} == there
    assert stages(looker, row) == after

    text = page(looker, row, after=3).text
    heads = re.findall(r'<th role="columnheader" class="num round">(.*?)<', text)
    assert heads == ["1", "Semi-final", "Final"]
    assert {stage for _name, stage in stages(looker, row, only=1)} == {None}
