import re
from http import HTTPStatus

import pytest

from tests.deals import WHOLE_GAME
from tests.factories import record, reload
from tests.web.games.table import game_with, send, sentences, table_of, url, value_of

# Names and seats.


def test_line_that_moves_later_deals_is_taken_off_only_when_that_is_ticked(plain):
    game = game_with(3)
    answer = send(plain, game, "entry", 0, action="withdraw")
    assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert "Nothing was taken off: tick that the later deals may move." in sentences(answer)
    assert reload(game).positions == (0, 1, 2)
    answer = send(plain, game, "entry", 0, action="withdraw", sure="yes")
    assert answer.status_code == HTTPStatus.FOUND
    assert reload(game).positions == (1, 2)


def test_line_that_moves_no_later_deal_is_taken_off_at_once(plain):
    game = game_with(2)
    record(game, {"type": "redeal", "by": 1, "reason": "misdeal"})
    record(game, WHOLE_GAME[2])
    for position in (2, 3):
        page = plain.get(url(game, "entry", position)).content.decode()
        assert 'name="sure"' not in page
        answer = send(plain, game, "entry", position, action="withdraw")
        assert answer.status_code == HTTPStatus.FOUND
    assert reload(game).positions == (0, 1)


@pytest.mark.parametrize(
    ("typed", "stored"), [("1/2", "1/2"), ("−50/3", "-50/3"), ("0,5", "1/2"), ("- 4/2", -2)]
)
def test_adjustment_takes_points_as_people_write_them(plain, typed, stored):
    game = game_with(1)
    send(plain, game, type="adjustment", seat="2", points=typed, reason="tournament")
    assert reload(game).body(1)["points"] == stored


@pytest.mark.parametrize("typed", ["", "x", "1/0", "1e9", "1/2/3", "½", "9" * 10, "1/2000"])
def test_adjustment_with_points_that_are_none_is_refused_beside_the_field(plain, typed):
    game = game_with(1)
    answer = send(plain, game, type="adjustment", seat="2", points=typed, reason="revoke")
    page = answer.content.decode()
    assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert len(re.findall(r'<ul class="errors"', page)) == 1
    assert len(re.findall(r'<ul class="errors" id="errors-points"', page)) == 1
    assert value_of(answer, "points") == typed
    assert 'aria-invalid="true" aria-describedby="errors-points"' in page
    assert "<details open><summary>Penalty points" in page
    assert reload(game).row.revision == 1


def test_game_is_stopped_only_for_a_reason_that_was_chosen(plain):
    game = game_with(3)
    page = plain.get(url(game, "write")).content.decode()
    options = page[page.index("Stop the game early") :].partition("</select>")[0]
    assert re.findall(r'<option value="([a-z]*)"', options)[0] == ""
    assert " selected" not in options
    answer = send(plain, game, type="stopped", reason="")
    assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert re.findall(r'<ul class="errors"[^>]*>', answer.content.decode()) == [
        '<ul class="errors" id="errors-stop">'
    ]
    unsure = send(plain, game, type="stopped", reason="time")
    assert unsure.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert not reload(game).game.finished


def reasons(plain, deals, **head):
    page = plain.get(url(game_with(deals, **head), "write")).content.decode()
    listed = page[page.index('id="reasons"') :].partition("</ul>")[0]
    return re.findall(r"<li>([^<]+)</li>", listed)


def test_reasons_why_contracts_are_barred_are_shown_once_for_each_cause(plain):
    bloody = {"ruleset": "turkish-king-bloody", "options": {"order": "strict"}}
    assert reasons(plain, 0, **bloody) == [
        "Now: No tricks first.",
        "Trumps come after all penalties.",
    ]
    bloody["options"] = {"order": "ordered"}
    assert reasons(plain, 0, **bloody) == ["Now: No tricks first."]
    assert reasons(plain, 14) == [
        "Played out: No tricks, No men, No queens, Rıfkı (king of hearts)."
    ]


def test_corrected_line_is_marked_with_the_totals_before_and_after(plain):
    game = game_with(3)
    fields = {"type": "deal", "contract": "heart-king"}
    answer = send(plain, game, "entry", 0, action="correct", **fields, **{"count-heart_king-1": 1})
    assert answer.url.endswith("#corrected")
    mark = re.compile(
        r'<tr class="marks moved" id="corrected" data-position="0">(.*?)</tr>', re.DOTALL
    )
    page = plain.get(url(game, "write")).content.decode()
    moved = re.findall(r"<span>(\S+) (\S+) → <b>(\S+)</b>", mark.search(page)[1])
    assert moved == [("Burak", "−60", "−380"), ("Cem", "−700", "−380")]
    record(game, WHOLE_GAME[3])
    assert not mark.search(plain.get(url(game, "write")).content.decode())


def test_line_that_cannot_be_taken_off_says_why_and_asks_nothing(plain):
    game = game_with(19)
    page = plain.get(url(game, "entry", 3)).content.decode()
    assert "This line cannot be taken off the sheet; correct it instead." in page
    assert re.search(r"Then deal \d+ would no longer fit:", page)
    assert 'name="sure"' not in page
    assert 'value="withdraw"' not in page


def test_quota_of_a_pair_is_said_to_be_of_both(plain):
    shown = "<span>the pair:</span>"
    for ruleset, number in (("turkish-king-partners", 4), ("turkish-king", 0)):
        page = plain.get(url(table_of(ruleset), "write")).content.decode()
        assert page.count(shown) == number
