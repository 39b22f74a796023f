"""A club's Saturday, led by links alone in Turkish: two directors, a player's phone, a stranger."""

import re
import unicodedata
from collections import Counter
from fractions import Fraction
from urllib.parse import urlsplit

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from tests.browser.laptop import Laptop
from tests.club_factories import ClubFactory, MemberFactory, PlayerFactory
from tests.deals import WHOLE_GAME
from tests.factories import record, record_all
from tests.tournament_builders import play, who_sits
from tournaments.models import Entrant, Game, Round, Table, Tournament

pytestmark = pytest.mark.browser

NAMES = (
    *("Ada Su", "Burak Er", "Cem Ay", "Deniz Gül", "Ece Taş", "Fırat Can"),
    *("Gül Nur", "Hakan Öz", "İrem Ak", "Kerem Geç", "Leyla Tunç", "Mert Uz"),
)
LATE, WALK_IN = "Kerem Geç", "Zeynep Yeni"
PLACES = (4, 2, 1, 0)
BYE, PENALTY = 2, Fraction(1, 2)


def test_saturday_of_a_club_is_led_by_links_alone(new_laptop, new_phone):
    club = ClubFactory(published=True)
    for name in NAMES:
        PlayerFactory(club=club, name=name)
    laptop, player = new_laptop(club), new_phone(locale="tr-TR")
    helper = MemberFactory(club=club, role="director").user
    second = Laptop(new_phone(helper, locale="tr-TR"))

    make_tournament(laptop, club)
    tick_and_check_in(laptop)
    card = seat_first_round(laptop, player)
    walk_in_and_latecomer(second, club)
    play_first_round(laptop, player, card)
    correct_first_round(laptop)
    lose_one(laptop)
    play_second_round(laptop, second)
    play_final(laptop)
    look_as_a_stranger(Laptop(new_phone(locale="tr-TR")), club)

    assert laptop.complaints == second.complaints == []


def enter_club(screen, club):
    """Open the site; whatever follows is reached by links and buttons."""
    screen.phone.open("/")
    screen.press(screen.page.locator(f"main a[href='{reverse('club', args=[club.slug])}']"))


def manage(screen, name, *more):
    """Follow a link of the menu of a tournament's pages."""
    screen.page.locator(".nav summary").click()
    screen.follow(name, *more)


def go_on(screen, step, *digits):
    """Press the one next step of the strip; it is `step`, and the strip has these numbers."""
    strip = screen.page.locator(f"#strip:has([name=step][value='{step}'])")
    expect(strip.locator("p")).to_have_text(re.compile(r"\D*" + r"\D+".join(map(str, digits))))
    screen.press(strip.locator("#next-step"))


def make_tournament(laptop, club):
    """Two rounds by places and a final with all points, a check-in and a clock."""
    enter_club(laptop, club)
    page = laptop.page
    laptop.press(page.locator(f"main a[href='{reverse('new_tournament', args=[club.slug])}']"))
    page.fill("[name=name]", "Moda Cumartesi")
    page.fill("[name=starts_at]", "13:30")
    laptop.press(page.locator("[name=preset][value=league-night]"))
    # They are ticked one by one below.
    page.locator("[name=everybody]").uncheck()
    page.fill("[name=minutes]", "60")
    page.locator("details:has([name=odd]) > summary").click()
    page.locator("[name=odd]").select_option("bye")
    page.locator("[name=bye][value=fixed]").check()
    page.fill("[name=bye_points]", str(BYE))
    page.locator("[name=finals]").select_option("4")
    page.locator("[name=carry]").check()
    page.locator("[name=check_in]").select_option("once")
    page.locator("[name=published]").check()
    page.locator("[name=everybody]").uncheck()
    laptop.finish_form()
    laptop.row = Tournament.objects.get()
    assert "13:30" in page.locator("#strip").inner_text()
    go_on(laptop, "open-registration")


def tick_and_check_in(laptop):
    """All players of the club are ticked; one of them is not here yet."""
    laptop.follow("entrants")
    laptop.press(laptop.page.locator(f".actions a[href='{laptop.url('add_entrants')}']"))
    laptop.page.locator("#ticks [data-all]").first.check()
    laptop.press(laptop.page.locator("button[form=ticks]"))
    expect(laptop.page.locator(".entrants > li")).to_have_count(len(NAMES))
    go_on(laptop, "start", len(NAMES))
    laptop.press(laptop.page.locator("#next-step"))
    laptop.send("check_entrant", button="[value=all]")
    late = laptop.page.locator(".entrant", has_text=LATE).locator(".entrant-check")
    late.click()
    expect(late).to_have_attribute("aria-pressed", "false")
    go_on(laptop, "seat-round", len(NAMES), 13, 30, len(NAMES) - 1)


def seat_first_round(laptop, player):
    """The seating is published, taken back and published again: the card stays valid."""
    page = laptop.page
    expect(page.locator(".seating-without li")).to_have_count(1)
    expect(page.locator(".seating-without")).to_contain_text(LATE)
    go_on(laptop, "publish-seating", 1)
    laptop.follow("running_table", 1, 1)
    laptop.press(page.locator(f"main a[href*='{Table.objects.get(number=1).public_id}']"))
    card = urlsplit(page.input_value("#card-address")).path
    player.open(card)
    expect(player.page.locator(".event-totals > li")).to_have_count(4)

    laptop.press(page.locator(".masthead a.crumb").last)
    manage(laptop, "seating", 1)
    laptop.send("take_back_round", 1)
    laptop.finish_form()
    player.page.reload()
    expect(player.page.locator(".event-totals")).to_have_count(0)
    expect(player.page.locator("main [role=status]")).to_be_visible()
    go_on(laptop, "publish-seating", 1)
    player.page.reload()
    expect(player.page.locator(".event-totals > li")).to_have_count(4)
    go_on(laptop, "start-clock", 1)
    return card


def walk_in_and_latecomer(second, club):
    """On the phone of the second director: a third table is filled, and one more sits out."""
    enter_club(second, club)
    second.row = Tournament.objects.get()
    second.press(second.page.locator("a.now"))
    second.follow("entrants")
    second.press(second.page.locator(f".actions a[href='{second.url('add_entrants')}']"))
    second.page.fill("form:has([value=one]) [name=name]", WALK_IN)
    second.press(second.page.locator("form:has([value=one]) [name=seat]"))
    second.press(second.page.locator("[name=do][value=plays]"))
    assert Table.objects.count() == 3

    manage(second, "seating", 1)
    second.page.locator(".seating-late > summary").click()
    second.page.locator("#missing label", has_text=LATE).locator("input").check()
    second.send("change_late", 1)
    expect(second.page.locator(".seating-byes > li")).to_have_text(re.compile(LATE))
    second.follow("running", 1)
    expect(second.page.locator(".running-tables > li")).to_have_count(3)
    assert second.phone.faults() == {}


def play_first_round(laptop, player, card):
    """One table writes on its phone, from its card; two are entered from paper."""
    player.open(card)
    player.write_deal(WHOLE_GAME[0])
    player.tap(player.page.locator("#round-bar button"))
    expect(player.page.locator(".round-called")).to_be_visible()
    laptop.skip(5)
    laptop.send("answer_call", 1, 1)
    expect(laptop.page.locator(".called")).to_have_count(0)
    look_at_the_wall(laptop)
    record_all(Game.objects.get(table__number=1), WHOLE_GAME[1:])
    laptop.skip(10)
    laptop.follow("round_totals", 1)
    for number, totals in ((2, "-220-160-150 530"), (3, "100 0 -40 -60")):
        field = laptop.page.locator(f"[name=total-{number}-0]")
        field.fill(totals)
        field.press("Enter")
        expect(field).to_have_count(0)
    laptop.press(laptop.page.locator("main p a.button"))
    go_on(laptop, "close-round", 1, 2)


def look_at_the_wall(laptop):
    """It shows the clock, then one thing after another by itself."""
    wall = laptop.phone.context.new_page()
    wall.goto(laptop.phone.base + laptop.url("wall"))
    expect(wall.locator(".clock[data-running]")).to_be_visible()
    expect(wall.locator(".wall-seating > li")).to_have_count(4)
    laptop.skip(10)
    expect(wall.locator(".wall-going > li")).to_have_text(["1", "2", "3"])
    wall.close()


def correct_first_round(laptop):
    """Queens were counted for the wrong player of a closed round."""
    before = Game.objects.get(table__number=1).result["totals"]
    laptop.follow("standings")
    laptop.press(laptop.page.locator("#standings a[href$='/rounds/1/tables/1/sheet/']").first)
    laptop.press(laptop.page.locator(".sheet tbody a").nth(1))
    for seat, number in ((2, 1), (0, 2)):
        laptop.page.locator(".unit-queens .tile").nth(seat).click()
        laptop.phone.key(number).click()
    laptop.page.fill("[name=why]", "Yanlış yazıldı")
    laptop.press(laptop.page.locator("button[value=correct]"))
    assert Game.objects.get(table__number=1).result["totals"] != before
    laptop.press(laptop.page.locator("#round-bar a"))
    laptop.press(laptop.page.locator(f"#next-step[href='{laptop.url('round_changes')}']"))
    assert laptop.phone.faults() == {}
    laptop.press(laptop.page.locator("main form button"))


def lose_one(laptop):
    """One is withdrawn by mistake, which is undone, and another one for good."""
    for name in (NAMES[0], NAMES[1]):
        laptop.follow("entrants")
        number = Entrant.objects.get(player__name=name).number
        laptop.follow("entrant", number)
        laptop.send("withdraw_entrant", number)
        if name == NAMES[0]:
            laptop.send("undo_act")
    gone = Entrant.objects.exclude(withdrawn_at=None).get()
    assert gone.player.name == NAMES[1]


def play_second_round(laptop, second):
    """Two sat on wrong chairs, a table calls, and somebody is ruled about."""
    go_on(laptop, "seat-round", 1, 2)
    go_on(laptop, "publish-seating", 2)
    go_on(laptop, "start-clock", 2, 2, 3)
    round_ = Round.objects.get(number=2)
    for game in Game.objects.filter(table__round=round_):
        record(game, WHOLE_GAME[0])

    one, other = who_sits(round_)[1][0], who_sits(round_)[2][3]
    laptop.press(laptop.page.locator(f"main a[href^='{laptop.url('seating', 2)}']:visible").first)
    for number in (one, other):
        name = Entrant.objects.get(number=number).player.name
        laptop.page.locator(".seating-chair > a", has_text=name).click()
        expect(laptop.page.locator("#swap").first).to_contain_text(name)
    laptop.send("swap_seats", 2)
    assert (who_sits(round_)[1][0], who_sits(round_)[2][3]) == (other, one)

    second.skip(10)
    second.press(second.page.locator(f"#next-step[href='{second.url('running', 2)}']"))
    second.follow("running_table", 2, 1)
    second.press(second.page.locator(f"a[href='{second.url('new_ruling', 2)}?table=1']"))
    second.page.locator("[name=entrant]").select_option(f"e{other}")
    second.page.locator("[name=kind][value=penalty]").check()
    second.page.fill("[name=points]", "1/2")
    second.page.fill("[name=reason]", "Telefonla konuştu")
    second.finish_form()

    play(round_, WHOLE_GAME[1:])
    laptop.follow("running", 2)
    go_on(laptop, "close-round", 2, 2)


def play_final(laptop):
    """The strip speaks of the final, to the end."""
    go_on(laptop, "seat-finals", 2, 2)
    go_on(laptop, "publish-seating")
    go_on(laptop, "start-clock")
    play(Round.objects.get(number=3))
    laptop.skip(10)
    assert "Final" in laptop.page.locator("#next-step").inner_text()
    go_on(laptop, "close-round")
    go_on(laptop, "finish")
    assert Tournament.objects.get().state == "finished"


def look_as_a_stranger(stranger, club):
    """Somebody with the address of the club sees the standings, tables, a sheet and the wall."""
    stranger.phone.open(reverse("club", args=[club.slug]))
    stranger.row = Tournament.objects.get()
    stranger.press(stranger.page.locator("main a.line").first)
    stranger.follow("standings")
    assert points_shown(stranger) == points_due()
    assert stranger.phone.faults() == {}
    stranger.press(stranger.page.locator("#standings tbody tr").first.locator("th a"))
    *parts, total = map(worth, stranger.page.locator(".why td.num").all_inner_texts())
    assert sum(parts) == total
    assert stranger.phone.faults() == {}
    stranger.follow("running", 3)
    stranger.follow("running", 1)
    expect(stranger.page.locator(".running-tables > li")).to_have_count(3)
    stranger.press(stranger.page.locator(".running-links a").first)
    expect(stranger.page.locator(".sheet tbody tr").first).to_be_visible()
    stranger.page.go_back()
    manage(stranger, "wall")
    expect(stranger.page.locator("#wall h1")).to_have_text(stranger.row.event.name)
    assert stranger.complaints == []


def points_shown(screen):
    rows = screen.page.locator("#standings tbody tr").all()
    return {
        row.locator("th a").inner_text(): worth(row.locator(".points").inner_text().strip())
        for row in rows
    }


def worth(text):
    """Points as they are written, as a number: −4½ is −9/2."""
    sign, whole, part = re.fullmatch(r"(−?)(\d*)(.*)", text).groups()
    parts = Fraction(unicodedata.numeric(part)).limit_denominator(12) if part else 0
    return (int(whole or 0) + parts) * (-1 if sign else 1)


def points_due():
    """The points by the sheets alone: places at each table, byes, and the penalty."""
    points = Counter()
    for game in Game.objects.exclude(table=None):
        totals = game.result["totals"]
        for name, total in zip(game.players, totals, strict=True):
            above, level = sum(t > total for t in totals), totals.count(total)
            points[name] += Fraction(sum(PLACES[above : above + level]), level)
    for entrant in Entrant.objects.filter(sittings__table=None, sittings__isnull=False):
        points[entrant.player.name] += BYE
    points[Entrant.objects.get(rulings__isnull=False).player.name] -= PENALTY
    return dict(points)
