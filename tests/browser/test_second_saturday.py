"""A Saturday beside the straight road: who comes and leaves, a wrong paper, a league of two days.

Each job of its director takes so many clicks and no more, counted from a page of the tournament.
"""

from contextlib import contextmanager

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from tests.browser.laptop import Laptop
from tests.browser.test_saturday import points_shown, worth
from tests.club_factories import ClubFactory, MemberFactory, PlayerFactory
from tests.deals import WHOLE_GAME
from tests.factories import record_all
from tests.tournament_builders import closed, who_sits
from tournaments.models import Game, Report, Season, Tournament

pytestmark = pytest.mark.browser

NAMES = tuple(f"Oyuncu {number:02}" for number in range(1, 22))
LATE = NAMES[-1]
RIGHT, WRONG = (100, -60, -40, 0), (0, -60, -40, 100)


class Counting(Laptop):
    """A laptop that counts the clicks of its director."""

    clicks = 0

    def press(self, button):
        self.clicks += 1
        super().press(button)

    def click(self, selector):
        self.clicks += 1
        self.page.locator(selector).first.click()

    @contextmanager
    def at_most(self, clicks):
        before = self.clicks
        yield
        assert self.clicks - before <= clicks


@pytest.mark.usefixtures("worker")
def test_saturday_goes_on_when_people_come_and_leave_and_papers_are_wrong(new_laptop, new_phone):
    club = ClubFactory(published=True)
    for name in NAMES:
        PlayerFactory(club=club, name=name)
    laptop = new_laptop(club, Counting)
    helper = MemberFactory(club=club, role="director").user
    second = Counting(new_phone(helper, locale="tr-TR"))

    make_season(laptop, club)
    make_tournament(laptop, club)
    second.row = laptop.row
    take_in(laptop)
    play_first_round(laptop)
    play_second_round(laptop, second)
    play_third_round(laptop)
    correct_first_round(second)
    laptop.open("running", 3)
    go_on(laptop, "close-round")
    play_next_month(laptop)

    assert laptop.complaints == second.complaints == []


def go_on(laptop, *steps):
    for step in steps:
        button = f"#strip:has([name=step][value='{step}']) #next-step"
        laptop.press(laptop.page.locator(button))


def make_season(laptop, club):
    laptop.phone.open(reverse("seasons", args=[club.slug]))
    for name, value in (("name", "Kış"), ("starts_on", "2026-01-01"), ("ends_on", "2028-12-31")):
        laptop.page.fill(f"[name={name}]", value)
    laptop.press(laptop.page.locator("main form button").last)
    assert Season.objects.get().name == "Kış"


def make_tournament(laptop, club):
    page = laptop.page
    laptop.phone.open(reverse("new_tournament", args=[club.slug]))
    page.fill("[name=name]", "Moda Cumartesi")
    laptop.press(page.locator("[name=preset][value=swiss-day]"))
    page.fill("[name=rounds]", "3")
    page.locator("details:has([name=fee]) > summary").click()
    page.fill("[name=fee]", "200")
    page.locator("[name=hide_last]").uncheck()
    page.locator("[name=everybody]").uncheck()
    laptop.finish_form()
    laptop.row = Tournament.objects.get()
    assert laptop.row.event.season.name == "Kış"


def take_in(laptop):
    """Twenty are here and pay, one of them comes late."""
    page = laptop.page
    go_on(laptop, "open-registration")
    laptop.open("add_entrants")
    page.locator("#ticks [data-all]").first.check()
    page.locator(f"#ticks label:has-text('{LATE}') input").uncheck()
    laptop.press(page.locator("button[form=ticks]"))
    go_on(laptop, "start")
    with laptop.at_most(3):
        laptop.press(page.locator(".nav a[href$='/entrants/']"))
        laptop.click("[name=paid][value=all]")
        expect(page.locator("#entrant-counts [role=status]")).to_contain_text("20 / 20")
    laptop.click("[name=here][value=all]")
    assert laptop.row.entrants.filter(paid=True).count() == 20


def play_first_round(laptop):
    """One table is typed wrong from its paper; all papers of the round are one document."""
    page = laptop.page
    go_on(laptop, "seat-round", "publish-seating")
    laptop.press(page.locator(".nav a >> text=Belgeler").first)
    with laptop.at_most(1), page.expect_download():
        laptop.click("[name=document][value='round-papers-of-round.pdf']")
    assert Report.objects.get().state == "done"
    go_on(laptop, "start-clock")
    laptop.open("round_totals", 1)
    page.locator("[name=total-1-0]").fill(" ".join(map(str, WRONG)))
    page.locator("[name=total-1-3]").press("Enter")
    expect(page.locator("#paper-done li")).to_have_count(1)
    play_others(1)
    laptop.open("running", 1)
    go_on(laptop, "close-round")


def play_others(number):
    for game in Game.objects.filter(table__round__number=number, result__isnull=True):
        record_all(game, WHOLE_GAME)


def play_second_round(laptop, second):
    """One leaves in mid-game, a house player sits down, and who comes late takes over."""
    go_on(laptop, "seat-round", "publish-seating", "start-clock")
    round_ = laptop.row.event.rounds.get(number=2)
    record_all(Game.objects.get(table__round=round_, table__number=3), WHOLE_GAME[:8])
    page, gone = second.page, who_sits(round_)[3][1]
    second.open("tournament")
    with second.at_most(3):
        second.press(page.locator(f".dots a[href='{second.url('running_table', 2, 3)}']"))
        second.press(page.locator(f"a[href='{second.url('leave_table', gone)}']"))
        expect(page.locator(".comings-effect").first).to_contain_text("→")
        second.press(page.locator("[name=way][value=house]"))
    house = laptop.row.entrants.get(house=True)
    assert house.number in who_sits(round_)[3]

    second.open("tournament")
    with second.at_most(4):
        second.press(page.locator(".nav a >> text=Katılanlar").first)
        second.press(page.locator(f"main a[href='{second.url('add_entrants')}']").first)
        page.fill("form:has([value=one]) [name=name]", LATE)
        second.press(page.locator("form:has([value=one]) [name=seat]"))
        assert page.locator("[name=missed]:checked").input_value() == "nothing"
        second.press(page.locator("[name=do][value^=chair]"))
    late = laptop.row.entrants.get(player__name=LATE)
    assert late.number in who_sits(round_)[3]
    record_all(Game.objects.get(table__round=round_, table__number=3), WHOLE_GAME[8:])
    play_others(2)
    laptop.open("running", 2)
    go_on(laptop, "close-round")


def play_third_round(laptop):
    """Who meets again is chosen with one click."""
    page = laptop.page
    go_on(laptop, "seat-round")
    offered = page.locator(".seating-alternatives button")
    text = offered.first.inner_text()
    with laptop.at_most(1):
        laptop.press(offered.first)
    expect(page.locator(".seating-alternatives b")).to_have_text(f"✓ {text}")
    go_on(laptop, "publish-seating", "start-clock")
    play_others(3)


def correct_first_round(second):
    """On the phone of the second director: two totals of round 1 were mixed up on the paper."""
    page = second.page
    second.open("tournament")
    with second.at_most(4):
        second.press(page.locator(".nav a >> text=Masalar").first)
        second.press(page.locator(".round-numbers a >> text=1").first)
        second.press(page.locator("#table-1 a >> text=Düzelt").first)
        for box, total in enumerate(RIGHT):
            page.locator(f"[name=total-1-{box}]").fill(str(total))
        page.locator("[name=why-1]").fill("iki oyuncu karışmış")
        second.press(page.locator(".paper-line button:not([type])"))
    game = Game.objects.get(table__round__number=1, table__number=1)
    assert (game.result["totals"], game.revision) == ([*RIGHT], 2)
    expect(page.locator(".running-changes tbody tr").first).to_contain_text("Oyuncu")
    assert second.phone.faults() == {}
    second.open("standings")
    expect(page.locator("main .notice a")).to_have_attribute("href", second.url("round_changes"))


def play_next_month(laptop):
    """The copy of next month asks for its name; the league adds both evenings."""
    page = laptop.page
    laptop.press(page.locator(f"#next-step[href='{laptop.url('round_changes')}']"))
    laptop.press(page.locator("main form button"))
    go_on(laptop, "finish")
    first = points_of(laptop)
    laptop.open("copy_tournament")
    page.fill("[name=name]", "Moda Cumartesi, ocak")
    page.locator("[name=entrants]").check()
    laptop.finish_form()
    laptop.row = Tournament.objects.exclude(pk=laptop.row.pk).get()
    go_on(laptop, "open-registration", "start")
    laptop.open("entrants")
    laptop.click("[name=here][value=all]")
    expect(page.locator("#entrant-counts [role=status]")).to_be_visible()
    closed(laptop.row)
    second = points_of(laptop)
    laptop.phone.open(reverse("league", args=[laptop.row.event.club.slug, Season.objects.get().pk]))
    shown = {
        row.locator("th").inner_text(): worth(row.locator(".points").inner_text().strip())
        for row in page.locator(".standings-frame tbody tr").all()
    }
    assert shown == {name: first.get(name, 0) + second.get(name, 0) for name in first | second}


def points_of(laptop):
    laptop.open("standings")
    return points_shown(laptop)
