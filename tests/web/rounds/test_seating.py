import json
import re
from html import unescape
from itertools import chain

import pytest
from django.test import Client
from django.urls import reverse

from tests import tournament_builders as builders
from tests.api.conftest import Program
from tests.club_factories import MemberFactory
from tests.counting import queries_of
from tests.deals import WHOLE_GAME
from tests.factories import EVENING, record, record_all
from tests.rating_factories import PlayerRatingFactory, RatingPoolFactory
from tests.reports.asked import asked, file_of, report_of, silent
from tests.tournament_records import empty_server, exported, imported
from tests.web.members import member_of
from tournaments.engine.standings.tournament_settings import SECTIONS
from tournaments.models import AuditEntry, Draw, Entrant, Game, Round, Sitting, Tournament
from tournaments.queries.standings import standings_seen
from tournaments.queries.state import load_state
from tournaments.reports.hall import compose_certificates
from tournaments.reports.standings import compose_standings, seen_in
from tournaments.services.audit import NOBODY
from tournaments.services.entrants.registration import (
    Entry,
    check_in,
    register_entrants,
    withdraw_entrant,
)
from tournaments.services.games.tables import replace_address
from tournaments.services.rounds.running import changes_since_closing, close_round, open_round
from tournaments.services.rounds.seating import publish_round, seat_next_round
from tournaments.texts.labels import points_text


class Directed:
    def __init__(self, browser, row):
        self.browser, self.row = browser, row
        browser.become("director", row.event.club)

    def url(self, name, *number):
        return reverse(name, args=[self.row.event.club.slug, self.row.slug, *number])

    def send(self, name, *number, **data):
        return self.browser.post(self.url(name, *number), data)

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
    return lambda *names, **settings: Directed(
        visitor, builders.running(*(names or builders.NINE), **settings)
    )


@pytest.mark.parametrize(("rounds", "warned"), [(2, [False, True]), (3, [False, False])])
def test_director_is_warned_if_the_leaders_sit_apart_in_the_last_round(directed, rounds, warned):
    at = directed(*builders.NINE[:8], rounds=rounds, score_before_seats=True)
    builders.closed(at.row, WHOLE_GAME)
    at.send("seat_round")
    points = load_state(at.row).points_after(1)
    first, last = max(points, key=points.__getitem__), min(points, key=points.__getitem__)

    pages = [at.get("seating", 2)]
    at.send("swap_seats", 2, one=first, other=last, seen=at.revision)
    pages.append(at.get("seating", 2))

    assert [page.context["seating"]["leaders_apart"] for page in pages] == warned
    assert ["the leaders sit at different" in page.text for page in pages] == warned


def test_swap_shows_its_cost_and_is_made_once(directed):
    at = directed(*builders.NINE[:8], rounds=3)
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
    at.send("swap_seats", 2, one=one, other=other, seen=seen)
    again = at.post("swap_seats", 2, one=one, other=other, seen=seen).text

    assert "4 → 6" in asked
    round_.refresh_from_db()
    assert (round_.seating["tables"][0][0], round_.seating["tables"][1][2]) == (other, one)
    assert "The seating has changed meanwhile" in again


def test_a_round_that_would_be_as_by_lot_offers_others_and_one_tap_takes_one(directed):
    at = directed(*(f"Oyuncu {n}" for n in range(1, 19)), rounds=4, points="places")
    for entries in (builders.SHORT, WHOLE_GAME):
        builders.closed(at.row, entries)
    at.send("seat_round")
    page, queries = at.get("seating", 3), queries_of(lambda: at.get("seating", 3))
    names = re.findall(r'name="alternative" value="([^"]*)">([^<]*)<', page.text)
    (value,) = (value for value, text in names if text.startswith("Nobody meets again"))
    assert "another stands first" in page.text
    assert "Hardly nearer than by lot" not in page.text
    assert "Not with the next in the standings:" in page.text
    assert re.search(r"<b>Oyuncu \d+</b>: they met in round [12]; together: ", page.text)

    taken = at.post("take_alternative", 3, alternative=value).text

    assert re.search(r"<b>✓ Nobody meets again · points [\d.]+ apart, by lot it would be", taken)
    assert "Hardly nearer than by lot" in taken
    for spoiled in ("", "9", "1 2", "x y", f"{value}0", "-1 0"):
        again = at.post("take_alternative", 3, alternative=spoiled)
        assert again.status_code == 200
        assert "<b>✓ Nobody meets again" in again.text
    draw = Draw.objects.get(round__number=3)
    del draw.document["alternatives"]
    draw.save()
    assert queries_of(lambda: at.get("seating", 3)) == queries


def turned(tables):
    one, other = tables
    return [[*one[:2], *other[2:]], [*one[2:], *other[:2]]]


def test_cards_outlive_a_seating_that_is_taken_back_with_its_sheets(directed):
    at = directed()
    round_ = open_round(builders.published(at.row).pk, NOBODY, at=EVENING)
    one = round_.tables.get(number=1)
    first_secret = one.secret
    replace_address(one.pk, NOBODY, at=EVENING)
    cards = {table.number: table.secret for table in round_.tables.all()}
    for each in WHOLE_GAME[:2]:
        record(Game.objects.get(table=one), each)

    asked = at.post("take_back_round", 1)
    assert (asked.context["lost"]["sheets"], asked.context["lost"]["entries"]) == (1, 2)
    record(Game.objects.get(table=one), WHOLE_GAME[2])
    at.send("take_back_round", 1, entries=2)
    assert Round.objects.get().state == "open"
    at.send("take_back_round", 1, entries=3)
    assert (Round.objects.get().state, Game.objects.count()) == ("seated", 0)
    assert len(AuditEntry.objects.get(action="take-back-round").before["records"]) == 1

    at.send("unseat_round", 1)
    card = reverse("table_link", args=[one.public_id, cards[1]])
    assert "This card stays valid" in Client().get(card).text
    old = reverse("table_link", args=[one.public_id, first_secret])
    assert Client().get(old).status_code == 404
    at.send("seat_round")
    at.send("publish_round", 1)
    assert "has not begun yet" in Client().get(card).text
    assert {table.number: table.secret for table in Round.objects.get().tables.all()} == cards


def not_seated(page):
    return [(each.number, str(reason)) for each, reason in page.context["not_seated"]]


def test_who_was_put_into_a_round_or_added_while_it_runs_is_seated_in_the_next(directed):
    at = directed(*builders.NINE[:8], "Kerem", "Nobody", check_in="once")
    kerem, nobody = Entrant.objects.filter(number__gte=9)
    for entrant in Entrant.objects.filter(number__lt=9):
        check_in(entrant.pk, NOBODY, at=EVENING)
    round_ = builders.published(at.row)
    left = seated(1)
    builders.change(round_, arriving=[kerem], leaving=[left])
    builders.register(at.row, "Dilek")
    open_round(round_.pk, NOBODY, at=EVENING)
    builders.play(round_, builders.SHORT)
    close_round(round_.pk, NOBODY, at=EVENING)

    page = at.post("seat_round")

    proposal = Round.objects.get(number=2)
    assert {kerem.key, "e11"} < {*load_state(at.row).seated_rounds[1].names}
    assert not_seated(page) == [(left.number, "not checked in"), (nobody.number, "not checked in")]

    page = at.post("seat_again", 2, take_in=left.key)

    proposal.refresh_from_db()
    assert not_seated(page) == [(nobody.number, "not checked in")]
    assert left.key in str(proposal.seating)
    at.send("publish_round", 2)
    assert Round.objects.get(number=2).published_at is not None


def test_who_was_taken_out_of_a_round_is_not_seated_until_taken_in(directed):
    at = directed()
    left, withdrawn = Entrant.objects.filter(number__lte=2)
    builders.change(builders.published(at.row), leaving=[left])
    at.send("take_back_round", 1, entries=0)
    assert not_seated(at.post("seat_again", 1)) == [(1, "did not play the last round")]
    at.send("publish_round", 1)
    withdraw_entrant(withdrawn.pk, NOBODY, at=EVENING)
    builders.play(open_round(at.row.event.rounds.get().pk, NOBODY, at=EVENING), builders.SHORT)
    close_round(at.row.event.rounds.get().pk, NOBODY, at=EVENING)

    page = at.post("seat_round")
    assert not_seated(page) == [(1, "did not play the last round"), (2, "withdrawn")]
    tables = len(Round.objects.get(number=2).seating["tables"])

    page = at.post("seat_again", 2, take_in=[left.key, withdrawn.key])

    assert not_seated(page) == []
    assert len(Round.objects.get(number=2).seating["tables"]) == tables + 1


def test_proposal_says_who_is_here_without_a_seat_and_asks_once(directed):
    at = directed(*builders.NINE[:8])
    at.send("seat_round")
    register_entrants(at.row.pk, [Entry("Zeynep")], NOBODY, at=EVENING)
    withdrawn = register_entrants(at.row.pk, [Entry("Gone")], NOBODY, at=EVENING)[0]
    withdraw_entrant(withdrawn.pk, NOBODY, at=EVENING)

    # As from the page of the tournament, where nobody has been named yet.
    asked = at.post("publish_round", 1)
    assert not_seated(asked) == [(9, "came after this seating was drawn"), (10, "withdrawn")]
    assert "Look who is here: the seating is not of them." in asked.text
    assert Round.objects.get().state == "seated"
    assert 'name="all_the_same"' in asked.text

    at.send("publish_round", 1, all_the_same="1")
    assert Round.objects.get().state == "published"


@pytest.fixture
def seating_at(visitor):
    row = builders.running(*builders.NINE)
    open_round(builders.published(row).pk, NOBODY, at=EVENING)
    return Directed(visitor, row)


def seated(number):
    return Entrant.objects.filter(sittings__table__number=number).order_by("-number").first()


def test_page_of_who_has_withdrawn_tells_of_the_seat_and_leads_to_the_change(seating_at):
    entrant = seated(2)
    asked = seating_at.url("leave_table", entrant.number)
    assert asked in seating_at.get("running_table", 1, 2).text
    assert "still sits" not in seating_at.get("entrant", entrant.number).text

    page = seating_at.post("withdraw_entrant", entrant.number).text

    assert f"{entrant.player.name} still sits at table 2 of round 1." in page
    assert asked in page
    late = seating_at.get("seating", 1)
    assert 'id="missing"' in late.text
    assert late.context["late"]["leaving"][0] == entrant
    seating_at.send("change_late", 1, leaving=entrant.key)
    assert asked not in seating_at.get("entrant", entrant.number).text


@pytest.mark.parametrize("over", ["finished", "closed", "substituted"])
def test_seat_of_who_has_withdrawn_is_shown_as_long_as_something_follows(seating_at, over):
    entrant = seated(2)
    withdraw_entrant(entrant.pk, NOBODY, at=EVENING)
    record(Game.objects.get(table__number=2), WHOLE_GAME[0])
    pages = [("entrant", entrant.number), ("running", 1), ("running_table", 1, 2), ("seating", 1)]
    says = [["still sits" in seating_at.get(*page).text for page in pages]]

    if over == "finished":
        builders.play(Round.objects.get(), WHOLE_GAME[1:])
    elif over == "substituted":
        builders.stand_in(entrant, "Yedek")
    else:
        Round.objects.update(closed_at=EVENING)

    says.append(["still sits" in seating_at.get(*page).text for page in pages])
    assert says == [[True] * 4, [False] * 4]


def link_to(page, name):
    return unescape(re.search(f'href="([^"]*)"[^>]*>{name}</a>', page.text)[1])


def sent(page, to):
    form = page.text.partition(f'action="{to}"')[2].partition("</form>")[0]
    return dict(re.findall('type="hidden" name="([^"]*)" value="([^"]*)"', form))


def test_wrong_chairs_are_exchanged_from_the_sheet_of_a_closed_round_in_four_taps(seating_at):
    round_ = Round.objects.get()
    builders.play(round_)
    close_round(round_.pk, NOBODY, at=EVENING)
    game = Game.objects.get(table__number=1)
    (one, other), players = builders.who_sits(round_)[1][:2], game.players

    setup = seating_at.browser.get(reverse("head", args=[game.public_id, game.secret("write")]))
    chosen = seating_at.browser.get(link_to(setup, players[0]))
    asked = seating_at.browser.get(seating_at.url("seating", 1) + link_to(chosen, players[1]))
    form = sent(asked, seating_at.url("swap_seats", 1))
    page = seating_at.browser.post(seating_at.url("swap_seats", 1), form, follow=True)

    assert 'name="name0"' not in setup.text
    assert 'name="pays"' not in setup.text
    assert page.redirect_chain[-1][0] == seating_at.url("round_changes")
    assert {line["name"] for line in page.context["rounds"]["Round 1"]} >= {*players[:2]}
    assert builders.who_sits(round_)[1][:2] == [other, one]
    again = seating_at.browser.post(seating_at.url("swap_seats", 1), form, follow=True)
    assert "The seating has changed meanwhile" in again.text
    apart = seating_at.get("seating", 1, one=f"e{one}", other=f"e{seated(2).number}").text
    assert ('value="people"' in asked.text, 'value="people"' in apart) == (True, False)


@pytest.mark.parametrize("begun", [False, True])
def test_partners_of_a_pair_change_seats_from_the_page_once(directed, begun):
    pairs = [Entry("Ayşe", partner="Burak"), Entry("Cem", partner="Deniz")]
    at = directed(*pairs, ruleset="turkish-king-partners")
    builders.opened(at.row)
    before = Game.objects.get().players
    deal = {
        "type": "deal",
        "contract": "heart-king",
        "counts": {"heart_king": [1, 0]},
        "declarer": 0,
    }
    record_all(Game.objects.get(), [deal] * begun)

    page = at.get("seating", 1, one="e1")
    assert ("Exchange: entries go with the people" in page.text) == begun
    form = sent(page, at.url("swap_seats", 1))
    for _twice in range(2):
        at.browser.post(at.url("swap_seats", 1), form)

    seat = before.index("Ayşe")
    other = before.index("Burak")
    after = Game.objects.get().players
    assert (after[seat], after[other]) == ("Burak", "Ayşe")


TEAMS = ("Bostancı", "Cadde", "Moda", "Yel")
SIX = [Entry(f"{team} {n}", team=team) for team in TEAMS for n in range(1, 7)]
"""Four teams of six: 1 to 6, 7 to 12, 13 to 18, 19 to 24."""


@pytest.fixture
def league(visitor):
    def begin(*entries, **settings):
        row = builders.running(*(entries or SIX), **{"line_up": 4, "rounds": 3} | settings)
        return Directed(visitor, row)

    return begin


def seated_in(place):
    return sorted(n for table in builders.who_sits(place).values() for n in table)


def line_up(at, number, team):
    keys = load_state(type(at.row).objects.get(pk=at.row.pk)).line_ups(number)[team]
    return [int(key[1:]) for key in keys]


def tap(at, number, team, seen, **tapped):
    said = {"team": team, "seen": " ".join(f"e{n}" for n in seen)}
    keys = {name: f"e{n}" for name, n in tapped.items()}
    return at.post("line_ups", number, **said, **keys)


def test_first_of_each_team_play_and_their_reserves_are_named(league):
    at = league()
    at.send("seat_round")

    page = at.get("seating", 1)

    seating = page.context["seating"]
    names = [[c["entrant"].team for c in table["chairs"]] for table in seating["tables"]]
    assert [sorted(teams) for teams in names] == [list(TEAMS)] * 4
    assert "Nobody sits with a teammate." in seating["praise"]
    reserves = page.context["reserves"]
    assert {team: [e.number for e in members] for team, members in reserves.items()} == dict(
        zip(TEAMS, ([5, 6], [11, 12], [17, 18], [23, 24]), strict=True)
    )
    assert (page.context["not_seated"], seating["byes"]) == ([], [])
    assert not page.context["presence"]
    round_ = builders.published(at.row)
    assert not Sitting.objects.filter(round=round_, table=None).exists()
    assert seated_in(round_) == [1, 2, 3, 4, 7, 8, 9, 10, 13, 14, 15, 16, 19, 20, 21, 22]


def test_line_up_is_changed_by_taps_and_stays_for_the_next_round(league):
    at = league()
    tap(at, 1, "Moda", (13, 14, 15, 16), out=14)
    tap(at, 1, "Moda", (13, 15, 16), **{"in": 17})
    full = tap(at, 1, "Moda", (13, 15, 16, 17), **{"in": 18})

    assert "Moda has 4 players in this round already" in full.text
    assert line_up(at, 1, "Moda") == [13, 15, 16, 17]
    builders.closed(at.row)
    shown = at.get("standings").text.partition('id="teams"')[2]
    best = standings_seen(load_state(at.row), directs=True).teams[0]
    cells = re.findall(r'class="num[^"]*">([^<]*)</td>', shown)
    assert cells[1:3] == [points_text(each) for each in (*best.by_round, best.points)]
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
    at.send("undo_act", entry=AuditEntry.objects.latest("pk").pk)
    assert line_up(at, 1, "Yel") == [19, 20, 21, 22]


def test_every_page_is_shown_after_a_line_up_was_changed_before_its_round(league):
    at = league()
    hub = at.get("tournament").context["strip"]()
    assert (hub.button.is_link, hub.button.url) == (True, at.url("line_ups", 1))
    tap(at, 1, "Moda", (13, 14, 15, 16), out=14)
    tap(at, 1, "Moda", (13, 15, 16), **{"in": 17})

    pages = [at.get(name) for name in ("tournament", "entrants", "standings", "rulings")]
    pages.append(at.get("line_ups", 1))

    assert [page.status_code for page in pages] == [200] * 5
    strips = [page.context["strip"]() for page in pages]
    assert {strip.act_text for strip in strips} == {"Line-up of Moda, Round 1"}
    assert strips[-1].button.sends["step"] == "seat-round"
    at.send("seat_round")
    assert seated_in(builders.published(at.row))[8:12] == [13, 15, 16, 17]


def test_proposal_is_seated_again_with_the_line_up_named_after_it(league):
    at = league()
    at.send("seat_round")
    tap(at, 1, "Moda", (13, 14, 15, 16), out=16)
    tap(at, 1, "Moda", (13, 14, 15), **{"in": 18})

    presence = at.get("seating", 1).context["presence"]
    assert [e.number for e in presence.absent] == [16]
    assert [e.number for e in presence.unseated] == [18]
    at.send("publish_round", 1)
    assert not at.row.event.rounds.get(number=1).published_at

    at.send("seat_again", 1)
    at.send("publish_round", 1)
    assert 18 in seated_in(at.row.event.rounds.get(number=1))


@pytest.mark.parametrize(("odd", "byes", "tables", "house"), [("bye", 3, 3, 0), ("house", 0, 4, 1)])
def test_short_team_is_shown_before_the_draw_with_what_happens(league, odd, byes, tables, house):
    at = league(odd=odd)
    tap(at, 1, "Cadde", (7, 8, 9, 10), out=7)

    page = at.get("line_ups", 1)
    assert page.context["filling"]["byes"] == byes
    assert page.context["filling"]["house"] == house
    missing = {team.team: team.missing for team, _lines in page.context["teams"]}
    assert missing == {"Bostancı": 0, "Cadde": 1, "Moda": 0, "Yel": 0}
    assert "1 seat stays empty" in page.text

    at.send("seat_round")
    proposal = at.get("seating", 1)
    assert [team.team for team in proposal.context["short"]] == ["Cadde"]
    assert len(proposal.context["seating"]["tables"]) == tables
    at.send("seat_again", 1, take_in="e11")
    assert line_up(at, 1, "Cadde") == [8, 9, 10, 11]
    full = at.post("seat_again", 1, take_in="e12")
    assert "Cadde has 4 players in this round already" in full.text


def test_reserve_takes_a_chair_before_the_table_begins(league):
    at = league()
    round_ = builders.opened(at.row)
    page = at.get("line_ups", 1)
    assert page.context["published"]
    sat = builders.who_sits(round_)
    at.send("line_ups", 1, replace="e1:e5")
    at.send("line_ups", 1, replace="e1:e5")

    after = {t: [5 if n == 1 else n for n in table] for t, table in sat.items()}
    assert builders.who_sits(round_) == after
    game = Game.objects.get(table__sittings__entrant__number=5)
    assert "Bostancı 5" in game.players
    assert "not of the team" in at.post("line_ups", 1, replace="e2:e13").text
    late = at.post("change_late", 1, arriving="e6")
    assert "Bostancı has 4 players in this round already" in late.text
    builders.play(round_, builders.SHORT[:1])
    assert "has begun" in at.post("line_ups", 1, replace="e5:e1").text
    assert builders.who_sits(round_) == after
    assert AuditEntry.objects.filter(action="change-late").count() == 1


def test_late_member_and_one_without_a_team_are_shown(league):
    at = league(*SIX[:23])
    builders.register(at.row, "Yalnız")
    page = at.get("line_ups", 1)
    assert [e.number for e in page.context["without"]] == [24]
    at.send("seat_round")
    reasons = {e.number: str(why) for e, why in at.get("seating", 1).context["not_seated"]}
    assert reasons[24] == "is in no team"
    assert "Yalnız is in no team" in at.post("seat_again", 1, take_in="e24").text
    assert member_of(at.row.event.club).get(at.url("line_ups", 1)).status_code == 404


def sectioned(*sizes, **settings):
    letters = [letter for letter, size in zip(SECTIONS, sizes, strict=False) for _ in range(size)]
    entries = [Entry(f"Oyuncu {n}", section=letter) for n, letter in enumerate(letters, 1)]
    return builders.running(
        *entries, sections=len(sizes), **{"rounds": 2, "tie_breaks": ("lot",)} | settings
    )


def finish(round_):
    builders.play(round_, builders.SHORT)
    return close_round(round_.pk, NOBODY, at=EVENING)


def sections_at(round_):
    """The sections of those at each table, and of those who sit out."""
    of = dict(round_.event.tournament.entrants.values_list("number", "section"))
    tables = [
        "".join(sorted({of[n] for n in names})) for names in builders.who_sits(round_).values()
    ]
    out = round_.sittings.filter(table=None).values_list("entrant__section", flat=True)
    return tables, sorted(out)


def ranked(row):
    standings = load_state(Tournament.objects.get(pk=row.pk)).standings_before(99)
    return [(each.section, each.place) for each in standings]


def places_of(*sizes):
    return [
        (section, n + 1) for section, size in zip("ABC", sizes, strict=False) for n in range(size)
    ]


@pytest.mark.parametrize("seating", ["swiss", "fixed", "manual"])
def test_each_section_is_drawn_and_ranked_by_itself(visitor, seating):
    row = sectioned(8, 4, 6, seating=seating)
    leads = Directed(visitor, row)
    for number in (1, 2):
        leads.send("seat_round")
        page = leads.get("seating", number)
        assert len(page.context["seating"]["praise"]) == 3
        leads.send("seat_again", number, locked=[2])
        leads.send("publish_round", number)
        leads.send("open_tournament_round", number)
        place = Round.objects.get(number=number)
        assert sections_at(place) == (["A", "A", "B", "C"], ["C", "C"])
        finish(place)

    assert ranked(row) == places_of(8, 4, 6)
    alone = leads.get("standings", section="B").text
    assert (alone.count('id="e'), leads.get("standings").text.count('id="e')) == (4, 18)
    assert leads.get("why_place", 9).context["of"] == 4
    walls = [leads.get("wall", screen=at).context["screen"] for at in range(3)]
    assert ["".join({place["section"] for place in wall["rows"]}) for wall in walls] == [
        "A",
        "B",
        "C",
    ]


def test_house_players_come_and_go_in_each_section():
    row = sectioned(5, 6, odd="house")
    round_ = builders.opened(row)
    assert sections_at(round_) == (["A", "A", "B", "B"], [])
    house = row.entrants.filter(house=True).values_list("section", flat=True)
    assert list(house) == [*"AAABB"]
    before = builders.who_sits(round_)

    builders.change(round_, leaving=[Entrant.objects.get(number=1)])

    after = builders.who_sits(round_)
    assert [n for n in before if before[n] == after.get(n)] == [3, 4]
    assert sections_at(round_) == (["A", "B", "B"], [])


def test_too_few_in_a_section_are_named(visitor):
    row = sectioned(4, 3)
    refused = Directed(visitor, row).post("seat_round")

    assert not Round.objects.exists()
    assert "section B" in str(next(iter(refused.context["messages"])))


def test_somebody_moved_keeps_points_and_plays_there_from_the_next_round(visitor):
    row = sectioned(4, 5)
    leads = Directed(visitor, row)
    finish(builders.opened(row))
    points = load_state(row).points_after(1)
    leads.send("seat_round")
    seated = Round.objects.get(number=2)
    mover = next(n for n in range(5, 10) if f"e{n}" not in seated.seating["byes"])

    leads.send("sections", entrant=[mover], to="A")

    state = load_state(Tournament.objects.get())
    assert (state.points_after(1), changes_since_closing(state)) == (points, [])
    assert ranked(row) == places_of(5, 4)
    leads.send("publish_round", 2)
    seated.refresh_from_db()
    assert seated.published_at is None
    page = leads.get("seating", 2)
    assert [each.number for each in page.context["presence"].moved] == [mover]
    act = page.context["strip"]().act
    assert act.action == "move-section"
    leads.send("undo_act", entry=act.pk)
    assert Entrant.objects.get(number=mover).section == "B"
    leads.send("sections", entrant=[mover], to="A")
    leads.send("seat_again", 2)
    leads.send("publish_round", 2)
    assert sections_at(Round.objects.get(number=2)) == (["A", "B"], ["A"])


def test_late_players_change_only_their_section():
    row = sectioned(9, 9, 8)
    round_ = builders.opened(row)
    before = builders.who_sits(round_)
    leaver = Entrant.objects.get(sittings__table__number=3, sittings__side=0)

    builders.change(round_, arriving=builders.register(row, "Geç Gelen"), leaving=[leaver])

    after = builders.who_sits(round_)
    assert {n for n in before if before[n] != after[n]} == {3}
    assert sections_at(round_) == (["A", "A", "B", "B", "C", "C"], ["", "A"])


@pytest.mark.parametrize("stage", ["proposal", "published"])
def test_chairs_are_exchanged_only_within_a_section(visitor, stage):
    row = sectioned(8, 8)
    leads = Directed(visitor, row)
    leads.send("seat_round")
    if stage == "published":
        leads.send("publish_round", 1)

    def swap(one, other):
        seen = Tournament.objects.get().revision
        leads.send("swap_seats", 1, one=f"e{one}", other=f"e{other}", seen=seen)
        return [set(table.entrants) for table in load_state(row).seated_rounds[0].tables]

    tables = [set(table.entrants) for table in load_state(row).seated_rounds[0].tables]
    first, second, third = (next(int(k[1:]) for k in sorted(tables[at])) for at in range(3))
    assert swap(first, third) == tables
    assert f"e{second}" in swap(first, second)[0]


@pytest.mark.parametrize("carry", [True, False])
def test_each_section_has_finals_of_its_own(carry):
    row = sectioned(8, 9, rounds=1, finals=8, carry=carry)
    finish(builders.opened(row))
    for tables in (["A", "A", "B", "B"], ["A", "B"]):
        round_ = builders.opened(row)
        assert sections_at(round_) == (tables, [])
        finish(round_)

    assert ranked(row) == places_of(8, 9)
    finalists = set(chain(*builders.who_sits(round_).values()))
    standings = load_state(row).standings_before(99)
    assert {int(each.entrant[1:]) for each in standings if each.place < 5} == finalists


def test_document_carries_sections():
    finish(builders.opened(sectioned(8, 4, 5)))
    before = exported()
    empty_server()
    row = imported(before)

    assert exported() == before
    assert list(row.entrants.values_list("section", flat=True)) == [*"A" * 8, *"B" * 4, *"C" * 5]


def test_all_are_divided_by_rating(visitor):
    row = builders.running(*(f"Oyuncu {n}" for n in range(1, 19)), sections=3)
    pool = RatingPoolFactory(club=row.event.club)
    best = [12, 3, 7, 5, 1, 2, 4, 6, 8]
    for at, number in enumerate(best):
        player = row.entrants.get(number=number).player
        PlayerRatingFactory(pool=pool, player=player, mean=1900 - at, points=1900 - at)
    leads = Directed(visitor, row)

    leads.send("sections", divide="1")
    leads.send("sections", divide="1")

    groups = {name: lines for name, lines, _ in leads.get("sections").context["groups"]}
    found = {name: {line.entrant.number for line in lines} for name, lines in groups.items()}
    assert found == {"A": {*best[:8]}, "B": {8, 9, 10, 11}, "C": {13, 14, 15, 16, 17, 18}}
    assert AuditEntry.objects.filter(action="move-section").count() == 1


def test_program_moves_divides_and_reads_sections():
    row = sectioned(4, 4)
    program = Program().as_(MemberFactory(club=row.event.club, role="director").user)
    base = f"clubs/{row.event.club.slug}/tournaments/{row.slug}"

    assert program.ask("PATCH", f"{base}/entrants/1/", {"section": "C"}).status_code == 422
    assert program.ask("PATCH", f"{base}/entrants/1/", {"section": "B"}).json()["section"] == "B"
    added = {"entrants": [{"name": "Ali", "section": "A"}, {"name": "Ece"}]}
    found = program.ask("POST", f"{base}/entrants/", added).json()["results"]
    assert [each["section"] for each in found] == ["A", "B"]
    wrong = {"entrants": [{"name": "Can", "section": "D"}]}
    assert program.ask("POST", f"{base}/entrants/", wrong).status_code == 422
    rows = program.ask("GET", f"{base}/standings/?section=B").json()["results"]
    assert {each["section"] for each in rows} == {"B"}
    assert {each["entrant"] for each in rows} == {1, 5, 6, 7, 8, 10}
    program.ask("POST", f"{base}/entrants/divide/")
    found = program.ask("GET", f"{base}/entrants/").json()["results"]
    assert "".join(each["section"] for each in found) == "AAAABBBBBB"


def test_documents_and_prizes_are_of_each_section(visitor, tmp_path):
    row = sectioned(4, 4, fee="10", prizes=("50%",))
    finish(builders.opened(row))
    Entrant.objects.filter(number__in=(1, 5, 6)).update(paid=True)

    report = report_of(row)
    data = compose_standings(report, seen_in(report))
    assert [line["cells"][0] for line in data["rows"]] == [
        *("A 1", "A 2", "A 3", "A 4", "B 1", "B 2", "B 3", "B 4")
    ]
    assert [line["rule"] for line in data["rows"]].index(True) == 3
    found = compose_certificates(asked(row.event, "certificates"), silent)["items"]
    assert [each["place"] for each in found][::3] == [f"Section {s}: First place" for s in "AB"]
    document = json.loads(file_of(tmp_path, row, "json").read_text())
    assert [each["section"] for each in document["standings"]] == [*"AAAABBBB"]
    prizes = Directed(visitor, row).get("fees").context["prizes"]
    assert [(each[0], each[2], each[3]) for each in prizes] == [(1, "5", "A"), (1, "10", "B")]
