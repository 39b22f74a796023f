from contextlib import suppress
from dataclasses import replace
from datetime import timedelta

import pytest
from django.urls import NoReverseMatch, reverse
from django.utils import timezone

from tests.deals import WHOLE_GAME
from tests.factories import ContextFactory
from tests.tournament_builders import SHORT, play, register, seated, who_sits
from tests.web.access_table import PAGES
from tests.web.rounds.going import going, of_all
from tournaments.engine.documents.entries import parse_entry
from tournaments.models import AuditEntry, Entrant, Game, Round, Ruling, Table, Tournament
from tournaments.queries.sheets import load_sheets
from tournaments.queries.state import load_state
from tournaments.services.audit import NOBODY
from tournaments.services.entrants.registration import withdraw_entrant
from tournaments.services.games.playing import record_entry
from tournaments.services.rounds.rulings import RulingDecision, rule, withdraw_ruling
from tournaments.services.rounds.running import close_round, start_clock
from tournaments.services.tournaments.lifecycle import note
from tournaments.web.tournaments.steps import ACTS as TEXTS

ADJUSTED = RulingDecision("adjusted", 7, "late")


def stands():
    """Everything that an act can change: rounds, seats, cards, sheets, entrants, standings."""
    row = Tournament.objects.select_related("event").get()
    rounds = Round.objects.values_list(
        *("number", "seating", "published_at", "opened_at", "closed_at"),
        *("clock_seconds", "clock_used", "clock_started_at"),
    )
    cards = Table.objects.order_by("round", "number").values_list("public_id", "generation")
    entrants = Entrant.objects.values_list(
        "number", "joins_in", "checked_in", "withdrawn_at", "missed"
    )
    rulings = Ruling.objects.filter(withdrawn_at=None).order_by("entrant", "kind")
    sheets = load_sheets(Game.objects.order_by("table__number"))
    return [
        (row.state, *map(list, (rounds, cards, entrants))),
        list(rulings.values_list("entrant", "kind", "points", "reason")),
        [(sheet.row.players, [sheet.body(at) for at in sheet.positions]) for sheet in sheets],
        [who_sits(each) for each in Round.objects.order_by("number")],
        load_state(row).standings_before(9),
    ]


class Leading:
    def __init__(self, browser, place):
        self.browser, self.place = browser, place

    def post(self, name, *more, follow=False, **sends):
        return self.browser.post(of_all(name, self.place, *more), sends, follow=follow)

    def offered(self):
        return self.browser.get(of_all("entrants", self.place)).context["strip"]().act

    def undo(self, act):
        return self.post("undo_act", follow=True, entry=act.pk)

    def exchange(self, entries="chairs"):
        one, other, third = who_sits(self.place)[1][:3]
        sends = {"one": f"e{one}", "other": [f"e{other}", f"e{third}"], "entries": entries}
        return self.post("swap_seats", 1, seen=Tournament.objects.get().revision, **sends)


def opened_with_clock(round_):
    start_clock(round_.pk, NOBODY, at=timezone.now())


def next_seated(round_):
    finish(round_)
    close_round(round_.pk, NOBODY, at=timezone.now())
    seated(round_.event.tournament)


def finish(place):
    play(place, SHORT)


def begin(place):
    play(place, WHOLE_GAME[:2])


def close(round_):
    finish(round_)
    close_round(round_.pk, NOBODY, at=timezone.now())


def adjusted(round_):
    entrant = Entrant.objects.get(number=1)
    return rule(round_.pk, entrant.pk, ADJUSTED, NOBODY, at=timezone.now())


def adjusted_for_a_moment(round_):
    withdraw_ruling(adjusted(round_).pk, NOBODY, at=timezone.now())


def swap_in_proposal(at):
    tables = Round.objects.get(number=2).seating["tables"]
    sends = {"one": tables[0][0], "other": tables[1][1], "seen": Tournament.objects.get().revision}
    return at.post("swap_seats", 2, **sends)


def give(kind, points):
    def decide(at):
        said = {"kind": kind, "points": points, "reason": "revoke", "sure": f"e1 {kind} {points}"}
        return at.post("new_ruling", 1, entrant="e1", **said)

    return decide


def begin_open_deal(round_):
    play(round_, [*WHOLE_GAME[:2], {"type": "deal", "contract": WHOLE_GAME[2]["contract"]}])


def leaving(way, **more):
    def decide(at):
        number = who_sits(at.place)[1][1]
        return at.post("leave_table", number, way=way, for_good="1", **more)

    return decide


def comes_late(do):
    def decide(at):
        return at.post("arrive_late", Entrant.objects.get(joins_in=2).number, do=do, missed="half")

    return decide


def late_one(round_):
    register(round_.event.tournament, "Geç Kalan")


def late_one_for_a_house_player(round_):
    begin(round_)
    house = who_sits(round_)[1][1]
    Entrant.objects.filter(number=house).update(house=True)
    late_one(round_)


ACTS = {
    "leaves for a substitute": (begin, leaving("substitute", who="Yedek"), ("undo-coming",)),
    "leaves for a house player": (begin, leaving("house"), ("undo-coming",)),
    "leaves before the start": (late_one, leaving("reseat"), ("undo-coming",)),
    "leaves for a house player before the start": (late_one, leaving("house"), ("undo-coming",)),
    "leaves, the game counts": (begin, leaving("counts"), ("undo-coming",)),
    "leaves in a deal": (begin_open_deal, leaving("counts"), ("undo-coming",)),
    "leaves, nothing counts": (begin, leaving("void"), ("undo-coming",)),
    "leaves, forfeit": (begin, leaving("forfeit"), ("undo-coming",)),
    "comes and sits out": (late_one, comes_late("out"), ("undo-coming",)),
    "comes for a house player": (
        late_one_for_a_house_player,
        lambda at: comes_late(f"chair e{who_sits(at.place)[1][1]}")(at),
        ("undo-coming",),
    ),
    "publish": (
        next_seated,
        lambda at: at.post("publish_round", 2),
        ("publish-round", "take-back-round"),
    ),
    "take-back": (
        opened_with_clock,
        lambda at: at.post("take_back_round", 1, entries=0),
        ("take-back-round", "publish-round"),
    ),
    "close": (
        finish,
        lambda at: at.post("close_tournament_round", 1),
        ("close-round", "reopen-round"),
    ),
    "withdraw": (
        begin,
        lambda at: at.post("withdraw_entrant", Entrant.objects.get(number=3).number),
        ("withdraw-entrant", "return-entrant"),
    ),
    "penalty": (close, give("penalty", 5), ("rule", "withdraw-ruling")),
    "other result": (adjusted, give("adjusted", 9), ("rule", "withdraw-ruling", "rule")),
    "result after a withdrawn one": (
        adjusted_for_a_moment,
        give("adjusted", 9),
        ("rule", "withdraw-ruling"),
    ),
    "withdrawn ruling": (
        adjusted,
        lambda at: at.post("withdraw_ruling", Ruling.objects.get().pk),
        ("withdraw-ruling", "rule"),
    ),
    "exchange": (begin, Leading.exchange, ("exchange-seats", "exchange-seats")),
    "exchange with entries": (
        begin,
        lambda at: at.exchange("people"),
        ("exchange-seats", "exchange-seats"),
    ),
    "exchange when closed": (close, Leading.exchange, ("exchange-seats", "exchange-seats")),
    "swap": (next_seated, swap_in_proposal, ("change-seating", "change-seating")),
}


@pytest.mark.parametrize("name", ACTS)
def test_act_is_undone_once_and_the_audit_shows_both(director, club, name):
    before, act, actions = ACTS[name]
    round_ = going(club, minutes=60)
    before(round_)
    at, stood = Leading(director, round_), stands()

    act(at)
    changed, offered = stands(), at.offered()
    first = at.undo(offered)
    undone = stands()
    second = at.undo(offered)

    assert changed != stood
    assert undone == stood == stands()
    acts = AuditEntry.objects.filter(kind="event").exclude(action="seal-rounds").order_by("pk")
    assert tuple(acts.values_list("action", flat=True))[-len(actions) :] == actions
    assert "Undone" in first.text
    assert "It is undone already" in second.text


def publish_and_open(at, _written):
    at.post("take_back_round", 1, entries=0)
    at.post("publish_round", 1)
    at.post("open_tournament_round", 1)


DEPENDED = {
    "published": (publish_and_open, "publish-round"),
    "exchanged": (lambda at, _written: at.exchange(), "exchange-seats"),
    "taken back": (
        lambda at, written: at.post("take_back_round", 1, entries=int(written)),
        "take-back-round",
    ),
}


@pytest.mark.parametrize("written", [False, True])
@pytest.mark.parametrize("name", DEPENDED)
def test_act_stays_once_an_entry_depends_on_it(director, club, name, written):
    act, action = DEPENDED[name]
    at = Leading(director, going(club))
    if name != "taken back":
        act(at, written)
    if written:
        game, context = Game.objects.get(table__number=1), ContextFactory(at=timezone.now())
        record_entry(game.pk, parse_entry(WHOLE_GAME[0]), replace(context, revision=game.revision))
    if name == "taken back":
        act(at, written)
    last, stood = AuditEntry.objects.filter(action=action)[0], stands()

    assert (at.offered() is None) == written
    assert ("depends on it" in at.undo(last).text) == written
    assert (stands() == stood) == written


def test_closing_stays_once_a_later_round_is_published(director, club):
    round_ = going(club, tables=4, seating="fixed", rounds=2)
    at = Leading(director, round_)
    at.post("publish_round", 2)
    finish(round_)
    at.post("close_tournament_round", 1)
    closing, stood = AuditEntry.objects.filter(action="close-round")[0], stands()

    assert at.offered() is None
    assert "depends on it" in at.undo(closing).text
    assert stands() == stood


def test_act_stays_once_another_one_has_followed(director, club):
    at = Leading(director, going(club))
    for number in (3, 4):
        at.post("withdraw_entrant", number)
    first, stood = AuditEntry.objects.filter(action="withdraw-entrant").last(), stands()

    assert "something else was done after it" in at.undo(first).text
    assert stands() == stood


@pytest.mark.parametrize(("minutes", "stays"), [(9, False), (11, True)])
def test_act_stays_after_ten_minutes(director, club, minutes, stays):
    at = Leading(director, going(club))
    then = timezone.now() - timedelta(minutes=minutes)
    withdraw_entrant(Entrant.objects.get(number=3).pk, NOBODY, at=then)

    assert (at.offered() is None) == stays
    withdrawal = AuditEntry.objects.get(action="withdraw-entrant")
    assert ("ten minutes are over" in at.undo(withdrawal).text) == stays
    assert Entrant.objects.filter(withdrawn_at=None).count() == 8 - stays


def addresses_of(round_):
    event, found = round_.event, []
    places = ([event.tournament.slug], [event.tournament.slug, 1], [event.public_id])
    for name, page in PAGES.items():
        for args in places if page.get else ():
            with suppress(NoReverseMatch):
                found.append(reverse(name, args=[event.club.slug, *args]))
    return [each for each in found if each.split("/")[3] in ("tournaments", "events")]


@pytest.mark.slow
def test_pages_are_shown_where_rows_of_the_last_act_are_gone(director, club):
    round_ = going(club, minutes=60)
    row = round_.event.tournament
    before = {at: director.get(at).status_code for at in addresses_of(round_)}
    details = {"round": 7, "entrants": ["e1", "e70"], "lifecycle": {}, "ruling": "penalty"}
    at = Leading(director, round_)

    for number, action in enumerate(TEXTS):
        note(row, action, NOBODY, timezone.now(), after=details | {"points": 5, "team": "Moda"})
        # Each act with some of the pages, and each page with some of the acts.
        some = list(before)[number % 4 :: 4]
        assert [director.get(each).status_code for each in some] == [before[each] for each in some]
        strip = director.get(of_all("tournament", round_)).context["strip"]()
        assert strip.button is not None
        if strip.act is not None:
            assert any(name in strip.act_text for name in ("Round 7", "Oyuncu 001, № 70"))
            if action not in ("move-section", "put-line-up", "withdraw-entrant"):
                assert "It cannot be undone" in at.undo(strip.act).text
    assert list(before.values()).count(200) > 25


def test_strip_that_fails_says_so_on_every_page_and_is_logged(director, club, caplog):
    round_ = going(club, minutes=60)
    names = ("tournament", "entrants", "standings", "rulings", "sections", "wall")
    pages = [of_all(name, round_) for name in names]
    pages += [of_all(name, round_, 1) for name in ("running", "seating", "line_ups")]

    for action in ("publish-round", "put-line-up", "rule"):
        note(round_.event.tournament, action, NOBODY, timezone.now(), after={"entrants": 5})
        caplog.clear()
        shown = [director.get(page) for page in pages]

        assert [page.status_code for page in shown] == [200] * len(pages)
        told = ["The next step could not be shown" in page.text for page in shown]
        logged = [each for each in caplog.records if "strip" in each.getMessage()]
        assert (sum(told), len(logged)) == (len(pages) - 1, len(pages) - 1)
        assert all(each.exc_info for each in logged)
