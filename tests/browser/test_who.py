"""Who are you: each phone is asked once, and shows the table from its player's seat."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.phone import game_with
from tests.browser.playing import asks_who, say_who
from tests.deals import WHOLE_GAME
from tests.factories import ContextFactory, SetupFactory, record
from tournaments.models import Game
from tournaments.queries.sheets import phone_seats
from tournaments.services.games.playing import change_head
from tournaments.web.base.phone import address

pytestmark = pytest.mark.browser

NAMES = ("Abdurrahman", "Zeynep", "İnci", "Gökçenaz")


def line(phone):
    return phone.page.locator(".who-line button")


def marked(phone):
    """The heads and cells of the marked column, by their numbers."""
    return phone.page.locator(".sheet").evaluate(
        """sheet => [...sheet.querySelectorAll("tr")].flatMap(row =>
             [...row.querySelectorAll(".of-player, .score")]
               .flatMap((cell, at) => cell.matches(".mine") ? [at] : []))"""
    )


def test_follower_answers_once_and_sees_their_own_first(new_phone):
    game = game_with(WHOLE_GAME[:2], players=NAMES)
    phone = new_phone(asked=True, locale="tr-TR")
    phone.open(address(game, "follow"))
    expect(asks_who(phone)).to_be_visible()
    assert phone.faults() == {}
    assert phone.misfits(360, 430) == {}
    say_who(phone, "İnci")
    expect(line(phone)).to_have_text("Siz: İnci")
    strip = phone.page.locator(".strip .who").all_inner_texts()
    # Long names may have soft hyphens.
    assert [name.replace("\xad", "") for name in strip] == ["İnci", "Gökçenaz", *NAMES[:2]]
    assert marked(phone) == [2, 2, 2]

    # The marks stay over the sheets that come, and a reload asks nothing.
    record(game, WHOLE_GAME[2])
    phone.wait_for(3)
    assert marked(phone) == [2, 2, 2, 2]
    phone.page.reload()
    expect(asks_who(phone)).to_have_count(0)
    assert marked(phone) == [2, 2, 2, 2]
    assert phone.faults() == {}

    # The answer is the person's: they are found again at another seat, in capitals, too.
    names = (NAMES[3], "inci", *NAMES[:2])
    change_head(
        game.pk, SetupFactory(ruleset=game.ruleset, players=names), ContextFactory(revision=3)
    )
    phone.wait_for(4)
    expect(line(phone)).to_have_text("Siz: inci")
    assert marked(phone)[0] == 1

    phone.tap(line(phone))
    say_who(phone, "Yalnız izliyorum")
    expect(line(phone)).to_have_text("Yalnız izliyorsunuz")
    assert marked(phone) == []
    phone.page.reload()
    expect(asks_who(phone)).to_have_count(0)


@pytest.mark.keeps_pages
def test_writer_sits_at_the_bottom_and_the_history_names_them(new_phone):
    phone = new_phone(asked=True, locale="tr-TR")
    phone.sit_down(players=NAMES)
    say_who(phone, "Zeynep")
    bottom = phone.page.locator(".drawing.seats .at-bottom")
    expect(bottom).to_contain_text("Zeynep")
    assert "mine" in bottom.get_attribute("class")
    phone.write_deal(WHOLE_GAME[0])
    assert phone.sheet().revisions[0].author == "Zeynep"

    # Turning the drawing for somebody else is not undone, and names nobody else.
    phone.tap(phone.page.locator(".turn").first)
    expect(bottom).to_contain_text("İnci")
    phone.page.reload()
    expect(bottom).to_contain_text("İnci")

    # Without a signal the writer goes with the entry.
    phone.lose_signal()
    phone.send(WHOLE_GAME[1])
    phone.page.reload()
    phone.find_signal()
    phone.wait_for(2)
    assert phone.sheet().revisions[1].author == "Zeynep"


def test_phone_that_starts_a_table_is_not_stopped_by_the_question(new_phone):
    phone = new_phone(asked=True, locale="tr-TR")
    phone.start_table(NAMES)
    expect(asks_who(phone)).to_have_count(0)
    quiet = phone.page.locator(".last .ask-who")
    expect(quiet).to_have_text("Hangisi sizsiniz?")
    assert phone.faults() == {}
    phone.tap(quiet)
    say_who(phone, "Gökçenaz")
    expect(quiet).to_have_count(0)
    expect(phone.page.locator(".drawing.seats .at-bottom")).to_contain_text("Gökçenaz")


def test_seat_on_another_phone_is_asked_for_there(new_phone):
    mine, other = (new_phone(asked=True, locale="tr-TR") for _ in range(2))
    mine.sit_down(players=NAMES)
    say_who(mine, "Zeynep")
    said, asked = (phone.page.locator("#seat") for phone in (other, mine))
    other.open(address(mine.sheet().row, "follow"))
    place = other.page.locator("#who .place-of", has_text="Zeynep")
    expect(place.locator("small")).to_have_text("başka telefonda")
    place.tap()
    assert other.faults() == {}
    say_who(other, "İzin iste")
    expect(said).to_contain_text("Yanıt gelmezse yer bir dakika sonra sizin olur.")
    # With the next poll, over the page.
    expect(asked).to_be_visible()
    assert mine.faults() == {}
    assert mine.misfits(360, 430) == {}
    asked.get_by_role("button", name="Hayır").tap()
    expect(said).to_have_text(re.compile("Zeynep öbür telefonda kalıyor."))
    said.get_by_role("button", name="Tamam").tap()

    other.tap(line(other))
    place.tap()
    say_who(other, "İzin iste")
    asked.get_by_role("button", name="Evet").tap()
    expect(line(other)).to_have_text("Siz: Zeynep")
    expect(said).to_be_hidden()
    expect(line(mine)).to_have_text("Yalnız izliyorsunuz")
    assert marked(mine) == []


def follows(new_phone, game, name):
    phone = new_phone(asked=True, locale="tr-TR")
    phone.game = game
    phone.open(address(game, "follow"))
    say_who(phone, name)
    expect(line(phone)).to_have_text(f"Siz: {name}")
    return phone


def test_renamed_player_keeps_their_seat_and_who_sits_out_is_not_asked(new_phone):
    game = game_with(WHOLE_GAME[:2], players=NAMES)
    phone = follows(new_phone, game, "Zeynep")
    asleep = follows(new_phone, game, "İnci")
    asleep.open("/")
    # At once renamed and moved, and twice while a phone is away.
    head = SetupFactory(ruleset=game.ruleset, players=(NAMES[3], "Zeyno", "Incilay", NAMES[0]))
    change_head(game.pk, head, ContextFactory(revision=2))
    expect(line(phone)).to_have_text("Siz: Zeyno")
    assert marked(phone)[0] == 1
    head = SetupFactory(ruleset=game.ruleset, players=(NAMES[3], "Zeyno", "İncilay", NAMES[0]))
    change_head(game.pk, head, ContextFactory(revision=3))
    asleep.open(address(game, "follow"))
    expect(asks_who(asleep)).to_have_count(0)
    expect(line(asleep)).to_have_text("Siz: İncilay")
    game.refresh_from_db()
    assert [bool(seat.phone) for seat in phone_seats(game)] == [False, True, True, False]

    # In the next game of the evening, which this phone does not know, another sits there.
    asleep.context.clear_cookies()
    order = (*game.players[:2], "Elif", game.players[3])
    Game.objects.filter(pk=game.pk).update(players=order, resting=["İncilay"])
    asleep.page.reload()
    expect(asks_who(asleep)).to_have_count(0)
    expect(line(asleep)).to_have_text("Siz: İncilay")


def test_follower_asks_for_the_scoring_and_the_writing_phone_gives_it(new_phone):
    mine = new_phone(asked=True, locale="tr-TR")
    mine.sit_down(WHOLE_GAME[0], players=NAMES)
    say_who(mine, "Abdurrahman")
    other = follows(new_phone, mine.game, "Zeynep")
    ask, question = other.page.locator(".ask-pen"), mine.page.locator("#pen")

    other.tap(ask)
    expect(other.page.locator("#pen")).to_contain_text("Yazan telefona soruldu.")
    expect(ask).to_be_hidden()
    expect(question).to_contain_text("Zeynep skoru yazmak istiyor.")
    # Over the page, wherever that is scrolled to.
    expect(question).to_be_in_viewport(ratio=1)
    assert (mine.faults(), other.faults()) == ({}, {})
    assert mine.misfits(360, 430) == {}
    question.get_by_role("button", name="Hayır").tap()
    expect(ask).to_be_visible()

    other.tap(ask)
    question.get_by_role("button", name="Yazsın").tap()
    other.page.wait_for_url(re.compile("/play/"))
    other.write_deal(WHOLE_GAME[1])
    # The phone that wrote before follows.
    mine.wake()
    mine.page.wait_for_url(re.compile("/follow/"))
    mine.wait_for(2)
    expect(mine.page.locator("p.notice", has_text="başka bir telefon yazıyor")).to_be_visible()


def test_two_players_go_on_after_the_writing_phone_has_died(new_phone):
    game = game_with(WHOLE_GAME[:14], players=NAMES)
    one, other = (follows(new_phone, game, name) for name in ("Zeynep", "İnci"))

    one.tap(one.page.locator(".ask-pen"))
    agree = other.page.locator("#pen")
    expect(agree).to_contain_text("Zeynep")
    agree.get_by_role("button", name="Evet").tap()
    expect(agree).to_be_hidden()
    assert "/follow/" in one.page.url
    # Two minutes later.
    game.refresh_from_db()
    game.phones = [{**each, "pen": each["pen"] and each["pen"] - 121} for each in game.phones]
    game.save()
    one.page.wait_for_url(re.compile("/play/"), timeout=20_000)

    for body in WHOLE_GAME[14:]:
        one.write_deal(body)
    assert one.sheet().game.finished
    other.wait_for(20)
