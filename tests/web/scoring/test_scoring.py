"""The table page without a browser: what is stored, refused, repeated, shown and followed."""

import re
from http import HTTPStatus

import pytest
from django.db import connection
from django.test.signals import template_rendered
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tests.club_factories import TableFactory
from tests.deals import WHOLE_GAME
from tests.factories import EVENING, GameFactory, HeadFactory, record, reload
from tournaments.models import Confirmation, Game, Write
from tournaments.services.play import playing
from tournaments.web.phone import address

pytestmark = pytest.mark.django_db

MOST_STATEMENTS = 9
STALE = (
    "Someone else has written meanwhile. Yours was not saved: here is the sheet as it stands now."
)
SAME = "Another phone has already written the same; it stands in the sheet once."
KEYS = (f"key-of-the-phone-{n:04}" for n in range(10_000))


@pytest.fixture
def phone(client):
    """A browser in English that asks for fragments, as the table's scripts do."""
    client.defaults |= {"HTTP_ACCEPT_LANGUAGE": "en", "HTTP_HX_REQUEST": "true"}
    return client


@pytest.fixture
def plain(client):
    """A browser in English without scripts."""
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "en"
    return client


def game_with(deals=0, **head):
    return reload(GameFactory(head=HeadFactory(**head), entries=WHOLE_GAME[:deals])).row


def url(game, name, *more):
    return reverse(name, args=[game.public_id, game.secret("write"), *more])


def fields_of(body):
    """What the form sends for a deal of a record."""
    fields = {name: body[name] for name in ("contract", "trump") if name in body}
    for unit, counts in body["counts"].items():
        fields |= {f"count-{unit}-{seat}": count for seat, count in enumerate(counts)}
    return fields


def send(phone, game, name="record", *more, **fields):
    """Post as the page does, with a fresh key at the revision the game is at."""
    game.refresh_from_db()
    pen = {"key": next(KEYS), "revision": game.revision, "type": "deal"}
    return phone.post(url(game, name, *more), pen | fields)


def totals(game):
    return reload(game).game.totals


def sentences(answer):
    """The errors and notices of a page."""
    page = answer.content.decode()
    found = re.findall(r"<li>([^<]+)</li>", page) + re.findall(r"<p>([^<]+)</p>", page)
    return [sentence.replace("&#x27;", "'") for sentence in found]


def value_of(answer, name):
    """What stands in an input of the page."""
    return re.search(rf'name="{name}" value="([^"]*)"', answer.content.decode())[1]


def is_checked(answer, value):
    radio = re.search(rf'<input type="radio"[^>]*value="{value}"[^>]*>', answer.content.decode())
    return " checked" in radio[0]


# Writing.


def test_whole_game_written_by_the_form_ends_as_in_the_rules(phone):
    game = game_with()
    for body in WHOLE_GAME:
        assert send(phone, game, **fields_of(body)).status_code == HTTPStatus.OK
    assert totals(game) == (540, -110, -330, -100)
    page = phone.get(url(game, "write")).content.decode()
    assert re.findall(r'data-badge="([a-z-]+)"', page) == [
        "flower",
        "dys",
        "dys",
        "ox-eye",
        "flower",
        "phone-plug",
    ]
    assert "Out: Ayşe" in page
    assert 'name="contract"' not in page


def test_record_without_scripts_goes_back_to_the_sheet(plain):
    game = game_with()
    answer = send(plain, game, **fields_of(WHOLE_GAME[0]))
    assert (answer.status_code, answer["Location"]) == (HTTPStatus.FOUND, address(game, "write"))
    assert totals(game) == (0, 0, -320, 0)


def test_record_answers_the_fragment_and_the_new_revision(phone):
    game = game_with(2)
    answer = send(phone, game, **fields_of(WHOLE_GAME[2]))
    assert answer["Kingscore-Revision"] == "3"
    assert answer.content.decode().lstrip().startswith('<div id="table"')


def test_record_takes_nobody_for_its_author_because_of_where_the_phone_lies(phone):
    game = game_with()
    send(phone, game, holder="2", **fields_of(WHOLE_GAME[0]))
    assert Write.objects.get().author == ""


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        (["", "", "1", ""], [0, 0, 1, 0]),
        (["0", "0", "", "0"], [0, 0, 1, 0]),
        ([" 0 ", "0", "1", "0"], [0, 0, 1, 0]),
    ],
)
def test_record_fills_in_what_was_left_blank(phone, typed, stored):
    game = game_with()
    counts = {f"count-heart_king-{seat}": text for seat, text in enumerate(typed)}
    send(phone, game, contract="heart-king", **counts)
    assert reload(game).body(0) == {
        "type": "deal",
        "contract": "heart-king",
        "counts": {"heart_king": stored},
    }


def test_record_does_not_guess_between_two_blanks(phone):
    game = game_with()
    answer = send(phone, game, contract="no-queens", **{"count-queens-0": "1"})
    assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert "Queens: must be 4 in all, 1 written." in sentences(answer)


def test_record_reads_only_the_units_of_the_contract(phone):
    game = game_with()
    send(phone, game, **fields_of(WHOLE_GAME[0]), **{"count-tricks-0": "9"}, trump="spades")
    assert reload(game).body(0) == WHOLE_GAME[0]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"count-queens-0": "3"}, "Queens: must be 4 in all, 6 written."),
        ({"count-queens-0": "-1"}, "Queens: a number below 0 cannot be."),
        ({"count-queens-0": "x"}, "This is not what belongs here; expected: a whole number."),
        ({"contract": ""}, "Contract: nothing is written here yet."),
        ({"contract": "trump", "trump": "stars"}, "This cannot be trump here."),
        ({"declarer": "3"}, "It is Burak’s turn to declare, not Deniz’s."),
    ],
)
def test_record_refuses_what_cannot_be_and_keeps_what_was_typed(phone, changes, sentence):
    game = game_with(1)
    typed = {"count-queens-1": "2", "count-queens-2": "1", "count-queens-3": "0"}
    typed |= {"contract": "no-queens", "count-queens-0": "1"} | changes
    answer = send(phone, game, **typed)
    assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert sentence in sentences(answer)
    assert {name: value_of(answer, name) for name in typed if name.startswith("count")} == {
        name: text for name, text in typed.items() if name.startswith("count")
    }
    assert is_checked(answer, "no-queens") == (typed["contract"] == "no-queens")
    assert reload(game).row.revision == 1


def test_record_puts_the_problem_beside_its_field(phone):
    game = game_with()
    answer = send(phone, game, contract="no-queens", **{"count-queens-0": "9"})
    page = answer.content.decode()
    beside = page[page.index('id="problems-queens"') :].partition("</ul>")[0]
    assert "Queens: at most 4, 9 written." in beside
    assert page.count('aria-invalid="true"') == 4


@pytest.mark.parametrize("king", [{}, {"king": "yes"}])
def test_record_of_all_hearts_is_a_king_only_where_the_table_says_so(phone, king):
    game = game_with()
    hearts = {f"count-hearts-{seat}": str(13 * (seat == 2)) for seat in range(4)}
    answer = send(phone, game, contract="no-hearts", **hearts, **king)
    assert answer.status_code == HTTPStatus.OK
    assert reload(game).game.finished == bool(king)


def test_record_refuses_a_king_of_a_part(phone):
    game = game_with()
    hearts = {f"count-hearts-{seat}": str(n) for seat, n in enumerate((0, 1, 12, 0))}
    answer = send(phone, game, contract="no-hearts", king="yes", **hearts)
    assert "This is no King: one player or pair must have taken everything." in sentences(answer)


def test_record_of_a_declared_king_that_failed_sinks_one(phone):
    game = game_with(options={"king": "declared"})
    typed = fields_of(WHOLE_GAME[3]) | {"king_declared_by": "1"}
    answer = send(phone, game, **typed)
    assert "Burak declared King and failed: sunk alone." in answer.content.decode()


def test_record_notes_the_holder_of_the_king_of_hearts(phone):
    game = game_with()
    answer = send(phone, game, **fields_of(WHOLE_GAME[0]), rifki_holder="1")
    assert 'data-badge="sold-rifki"' in answer.content.decode()


# Keys and revisions.


def test_same_key_and_deal_is_stored_once(phone):
    game = game_with()
    typed = fields_of(WHOLE_GAME[0]) | {"key": "one-key-of-a-phone", "revision": 0}
    answers = [send(phone, game, **typed) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [HTTPStatus.OK] * 2
    assert reload(game).row.revision == 1


def test_same_key_is_repeated_although_the_declarer_has_moved_on(phone):
    game = game_with()
    typed = fields_of(WHOLE_GAME[0]) | {"key": "one-key-of-a-phone", "revision": 0, "declarer": 0}
    answers = [send(phone, game, **typed) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [HTTPStatus.OK] * 2


def test_same_key_with_another_deal_is_refused(phone):
    game = game_with()
    pen = {"key": "one-key-of-a-phone", "revision": 0}
    send(phone, game, **fields_of(WHOLE_GAME[0]), **pen)
    answer = send(phone, game, **fields_of(WHOLE_GAME[2]), **pen)
    assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert "This was not written: please send it once more." in sentences(answer)


@pytest.mark.parametrize("key", ["", "short", "not a key at all!"])
def test_key_that_is_none_is_refused(phone, key):
    answer = send(phone, game_with(), **fields_of(WHOLE_GAME[0]), key=key)
    assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY


def test_stale_revision_shows_the_sheet_as_it_is_and_keeps_what_was_typed(phone):
    game = game_with(1)
    answer = send(phone, game, **fields_of(WHOLE_GAME[2]), revision=0, declarer=0)
    assert answer.status_code == HTTPStatus.CONFLICT
    assert STALE in sentences(answer)
    assert [value_of(answer, f"count-men-{seat}") for seat in range(4)] == ["2", "1", "3", "2"]
    assert value_of(answer, "revision") == "1"
    assert is_checked(answer, "no-men")
    assert reload(game).row.revision == 1


def test_stale_deal_is_written_only_after_a_choice_that_names_its_number(phone):
    game = game_with(1)
    page = send(phone, game, **fields_of(WHOLE_GAME[2]), revision=0).content.decode()
    bar = page[page.index('<div class="save">') :].partition("</div>")[0]
    assert re.findall(r">([^<]+)</(?:a|button)>", bar)[:2] == [
        "Discard what I typed",
        "Write it as deal 2",
    ]
    assert f'href="{address(game, "write")}"' in bar


@pytest.mark.parametrize("notes", [{}, {"rifki_holder": "1"}])
def test_deal_that_another_phone_has_written_meanwhile_leaves_the_form_empty(phone, notes):
    game = game_with(1)
    answer = send(phone, game, **fields_of(WHOLE_GAME[0]), **notes, revision=0)
    assert answer.status_code == HTTPStatus.CONFLICT
    assert SAME in sentences(answer)
    assert 'data-same="1"' in answer.content.decode()
    assert not is_checked(answer, "heart-king")
    assert ">Save</button>" in answer.content.decode()
    assert reload(game).row.revision == 1


def test_same_deal_is_looked_for_only_where_the_phone_would_have_written_it(phone):
    game = game_with(2)
    # It has seen the first deal, and types the same for the second declarer.
    answer = send(phone, game, **fields_of(WHOLE_GAME[0]), revision=1)
    assert STALE in sentences(answer)
    # It has seen nothing: the second deal stands further down than its own would.
    answer = send(phone, game, **fields_of(WHOLE_GAME[1]), revision=0)
    assert STALE in sentences(answer)


def test_same_deal_is_found_after_it_was_undone_and_written_again(phone):
    game = game_with(1)
    send(phone, game, "undo", position=0)
    record(game, WHOLE_GAME[2])
    answer = send(phone, game, **fields_of(WHOLE_GAME[2]), revision=0)
    assert 'data-same="3"' in answer.content.decode()


@pytest.mark.parametrize("revision", ["", "x", "-1", "9" * 5000])
def test_revision_that_is_none_counts_as_stale(phone, revision):
    answer = send(phone, game_with(), **fields_of(WHOLE_GAME[0]), revision=revision)
    assert answer.status_code == HTTPStatus.CONFLICT


# What is no deal.


def test_one_queen_each_is_refused_and_played_again_with_one_tap(phone):
    game = game_with()
    typed = {"contract": "no-queens"} | {f"count-queens-{seat}": "1" for seat in range(4)}
    refused = send(phone, game, **typed)
    assert refused.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    again = re.search(r'<button class="button wide replay"[^>]*>', refused.content.decode())[0]
    assert 'value="void"' in again
    assert "hidden" not in again
    assert send(phone, game, **(typed | {"type": "void"})).status_code == HTTPStatus.OK
    assert reload(game).body(0) == {"type": "void", "contract": "no-queens", "reason": "one-each"}


def test_misdeal_is_written_without_a_contract(phone):
    game = game_with()
    send(phone, game, type="void", reason="misdeal")
    assert reload(game).body(0) == {"type": "void", "reason": "misdeal"}


def test_redeal_is_written_and_an_impossible_one_explained(phone):
    game = game_with()
    send(phone, game, type="redeal", by="3", reason="misdeal")
    assert reload(game).body(0) == {"type": "redeal", "by": 3, "reason": "misdeal"}
    answer = send(phone, game, type="redeal", by="0", reason="no-high-card")
    assert "New cards cannot be asked for here." in sentences(answer)


def test_adjustment_is_written_with_a_real_minus_sign(phone):
    game = game_with(1)
    fields = {"seat": "2", "points": "−100", "reason": " revoke ", "to": "others"}
    assert send(phone, game, type="adjustment", **fields).status_code == HTTPStatus.OK
    assert reload(game).body(1) == {
        "type": "adjustment",
        "seat": 2,
        "points": -100,
        "to": "others",
        "reason": "revoke",
    }


def test_adjustment_refused_keeps_its_fields(phone):
    game = game_with(1)
    answer = send(phone, game, type="adjustment", seat="2", points="0", reason="revoke")
    assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert "An adjustment needs points other than 0 and a reason." in sentences(answer)
    assert value_of(answer, "reason") != ""


def test_stopped_game_says_so(phone):
    game = game_with(3)
    answer = send(phone, game, type="stopped", reason="time")
    assert "Stopped: no time left" in answer.content.decode()
    assert reload(game).game.finished


def test_unknown_type_of_entry_is_refused(phone):
    answer = send(phone, game_with(), type="nonsense")
    assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY


# Undo and corrections.


def test_undo_withdraws_the_last_entry_and_keeps_it_in_the_log(phone):
    game = game_with(2)
    answer = send(phone, game, "undo", position=1)
    assert answer.status_code == HTTPStatus.OK
    sheet = reload(game)
    assert sheet.game.totals == (0, 0, -320, 0)
    assert [write.kind for write in sheet.versions(1)] == ["entry", "withdrawal"]


def test_undo_tapped_twice_takes_one_entry(phone):
    game = game_with(2)
    pen = {"key": "one-key-of-a-phone", "revision": 2, "position": 1}
    for _ in range(2):
        assert send(phone, game, "undo", **pen).status_code == HTTPStatus.OK
    assert reload(game).positions == (0,)


def test_entry_shows_who_wrote_it_and_when_and_what_stands(plain):
    game = game_with(2)
    page = plain.get(url(game, "entry", 1)).content.decode()
    assert "<strong>written</strong> · Ayşe" in page
    assert "No queens · 1 0 2 1" in page
    assert 'name="count-queens-2" value="2"' in page


def test_correction_folds_the_game_again_and_shows_on_the_sheet(plain):
    game = game_with(3)
    typed = fields_of(WHOLE_GAME[1]) | {"count-queens-2": "1", "count-queens-0": "2"}
    answer = send(plain, game, "entry", 1, why="Cem took one", holder="1", **typed)
    assert answer.status_code == HTTPStatus.FOUND
    assert totals(game) == (-320, -60, -600, -220)
    page = plain.get(url(game, "entry", 1)).content.decode()
    assert "<strong>corrected</strong>" in page
    assert "Cem took one" in page
    assert plain.get(url(game, "write")).content.decode().count('class="corrected"') == 1


def test_correction_that_cannot_be_is_explained_beside_its_field(plain):
    game = game_with(3)
    typed = fields_of(WHOLE_GAME[1]) | {"count-queens-2": "3"}
    answer = send(plain, game, "entry", 1, **typed)
    assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert "Queens: must be 4 in all, 5 written." in sentences(answer)
    assert value_of(answer, "count-queens-2") == "3"


def test_correction_that_a_later_entry_does_not_fit_is_refused_with_its_reason(plain):
    game = game_with(16)
    typed = fields_of(WHOLE_GAME[2]) | {"contract": "no-queens"}
    typed |= {f"count-queens-{seat}": n for seat, n in enumerate((4, 0, 0, 0))}
    answer = send(plain, game, "entry", 2, **typed)
    assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert "Then deal 10 would no longer fit:" in sentences(answer)
    assert "No queens has been played 2 times already." in sentences(answer)
    assert reload(game).row.revision == 16


def test_withdrawal_of_an_earlier_entry_is_refused_when_the_turns_no_longer_fit(plain):
    game = game_with(16)
    answer = send(plain, game, "entry", 3, action="withdraw", sure="yes")
    assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert "Cem has used every penalty (3)." in sentences(answer)
    assert reload(game).row.revision == 16


def test_correction_of_an_entry_taken_off_meanwhile_is_told(plain):
    game = game_with(2)
    send(plain, game, "undo", position=1)
    page = plain.get(url(game, "entry", 1)).content.decode()
    assert "This line has been taken off the sheet; it stays in the log." in page
    assert send(plain, game, "entry", 1, **fields_of(WHOLE_GAME[1])).status_code == HTTPStatus.OK
    assert reload(game).positions == (0,)


def test_correction_with_a_stale_revision_is_a_conflict(plain):
    game = game_with(2)
    answer = send(plain, game, "entry", 1, revision=1, **fields_of(WHOLE_GAME[1]))
    assert answer.status_code == HTTPStatus.CONFLICT


def test_adjustment_can_be_corrected(plain):
    game = game_with(1)
    record(game, {"type": "adjustment", "seat": 2, "points": -100, "reason": "revoke"})
    fields = {"type": "adjustment", "seat": "1", "points": "-50", "reason": "revoke"}
    send(plain, game, "entry", 1, **fields)
    assert totals(game) == (0, -50, -320, 0)


# The head.


def head_fields(game, **changes):
    names = {f"name{seat}": name for seat, name in enumerate(game.players)}
    return names | {"first_declarer": game.first_declarer} | changes


def test_head_corrects_seats_and_first_declarer_of_a_game_under_way(plain):
    game = game_with(3)
    answer = send(plain, game, "head", **head_fields(game, name0="Burak", name1="Ayşe"))
    assert answer.status_code == HTTPStatus.FOUND
    game.refresh_from_db()
    send(plain, game, "head", **head_fields(game, first_declarer=2, king="off"))
    sheet = reload(game)
    assert sheet.row.players == ["Burak", "Ayşe", "Cem", "Deniz"]
    assert [played.declarer for played in sheet.game.deals] == [2, 3, 0]
    assert sheet.row.options == {"king": "off"}


def test_head_refuses_a_name_twice_and_a_name_left_out(plain):
    game = game_with(1)
    for name in ("Ayşe", ""):
        answer = send(plain, game, "head", **head_fields(game, name1=name))
        assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert reload(game).row.revision == 1


def test_head_refuses_an_option_that_a_later_entry_does_not_fit(plain):
    game = game_with(0)
    hearts = {"hearts": [13, 0, 0, 0]}
    king = {"type": "deal", "contract": "no-hearts", "counts": hearts, "king": 0}
    record(game, king)
    answer = send(plain, game, "head", **head_fields(game, king_deals="trump"))
    assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert "Then deal 1 would no longer fit:" in sentences(answer)


# Whose turn, who sits where.


def test_page_says_who_declares_deals_and_cuts(plain):
    page = plain.get(address(game_with(7), "write")).content.decode()
    assert re.findall(r"data-(declarer|dealer|cutter)>([^<]+)<", page) == [
        ("declarer", "Deniz"),
        ("dealer", "Cem"),
        ("cutter", "Ayşe"),
    ]


def test_page_tells_who_must_trump_and_greys_the_penalties_with_the_reason(plain):
    page = plain.get(address(game_with(16), "write")).content.decode()
    assert re.search(r"data-must>([^<]+)<", page)[1] == "must name trump"
    assert re.findall(r'name="contract" value="([a-z-]+)"[^>]* disabled', page) == [
        "no-tricks",
        "no-hearts",
        "no-men",
        "no-queens",
        "heart-king",
        "last-two",
    ]
    assert "<li>Ayşe has used every penalty (3).</li>" in page


def test_page_draws_the_table_counter_clockwise_from_the_holder_of_the_phone(plain):
    game = game_with()
    plain.post(url(game, "holder"), {"holder": "1"})
    page = plain.get(address(game, "write")).content.decode()
    seats = re.search(r'<div class="drawing seats".*?<fieldset', page, re.DOTALL)[0]
    assert re.findall(r'at-([a-z]+)[^"]*" data-seat="(\d)"', seats) == [
        ("bottom", "1"),
        ("right", "2"),
        ("top", "3"),
        ("left", "0"),
    ]


def test_bloody_king_advises_the_dearest_penalty(plain):
    game = game_with(ruleset="turkish-king-bloody")
    page = plain.get(address(game, "write")).content.decode()
    advised = re.search(r'value="no-tricks".*?</label>', page, re.DOTALL)[0]
    assert 'class="hint"' in advised
    assert page.count('class="hint"') == 1


# Following.


def follow(phone, game, etag=None):
    headers = {"HTTP_IF_NONE_MATCH": etag} if etag else {}
    return phone.get(address(game, "follow"), **headers)


def test_follower_is_answered_304_until_something_is_written(phone):
    game = game_with(3)
    etag = follow(phone, game)["ETag"]
    assert follow(phone, game, etag).status_code == HTTPStatus.NOT_MODIFIED
    record(game, WHOLE_GAME[3])
    answer = follow(phone, game, etag)
    assert answer.status_code == HTTPStatus.OK
    assert "−650" in answer.content.decode()
    assert answer["ETag"] != etag


def test_phone_that_writes_as_well_is_answered_304_until_something_is_written(
    phone, django_assert_num_queries
):
    game = game_with(3)
    etag = phone.get(address(game, "write"))["ETag"]
    with django_assert_num_queries(1):
        answer = phone.get(address(game, "write"), HTTP_IF_NONE_MATCH=etag)
    assert answer.status_code == HTTPStatus.NOT_MODIFIED
    record(game, WHOLE_GAME[3])
    answer = phone.get(address(game, "write"), HTTP_IF_NONE_MATCH=etag)
    assert answer.status_code == HTTPStatus.OK
    assert answer["Kingscore-Revision"] == "4"


def test_phone_that_has_just_written_is_not_shown_the_same_again(phone):
    game = game_with(3)
    pen = {"key": next(KEYS), "revision": 3, "type": "deal"}
    written = phone.post(url(game, "record"), pen | fields_of(WHOLE_GAME[3]))
    seen = written["ETag"]
    answer = phone.get(address(game, "write"), HTTP_IF_NONE_MATCH=seen)
    assert answer.status_code == HTTPStatus.NOT_MODIFIED
    record(game, WHOLE_GAME[4])
    answer = phone.get(address(game, "write"), HTTP_IF_NONE_MATCH=seen)
    assert answer.status_code == HTTPStatus.OK


def test_what_comes_in_while_the_answer_is_drawn_is_shown_next(phone):
    game = game_with(19)

    def confirm(template, **_):
        if template.name == "tournaments/_table.html":
            Confirmation.objects.create(game=game, seat=0, revision=20, at=EVENING)

    template_rendered.connect(confirm)
    try:
        written = send(phone, game, **fields_of(WHOLE_GAME[19]))
    finally:
        template_rendered.disconnect(confirm)

    answer = phone.get(address(game, "write"), HTTP_IF_NONE_MATCH=written["ETag"])
    assert Confirmation.objects.count() == 1
    assert answer.status_code == HTTPStatus.OK


@pytest.mark.parametrize("writes", [False, True])
def test_table_taken_away_before_it_is_looked_at_again_is_not_there(phone, writes):
    game = game_with()

    def take_away(execute, sql, *more):
        if "MAX(" in sql:
            Game.objects.filter(pk=game.pk).delete()
        return execute(sql, *more)

    with connection.execute_wrapper(take_away):
        answer = (
            send(phone, game, **fields_of(WHOLE_GAME[0]))
            if writes
            else phone.get(address(game, "write"))
        )

    assert not Game.objects.filter(pk=game.pk).exists()
    assert answer.status_code == HTTPStatus.NOT_FOUND


def test_follower_in_another_language_is_not_told_that_nothing_changed(phone):
    game = game_with(3)
    etag = follow(phone, game)["ETag"]
    phone.defaults["HTTP_ACCEPT_LANGUAGE"] = "tr"
    assert follow(phone, game, etag).status_code == HTTPStatus.OK


def test_follower_finds_nothing_that_writes(plain):
    game = game_with(3)
    page = follow(plain, game).content.decode()
    assert "/play/" not in page
    assert game.secret("write") not in page


# Addresses.


def test_unknown_addresses_are_not_found(phone):
    game = game_with(2)
    for name in ("write", "follow"):
        for secret in ("x", game.secret("follow" if name == "write" else "write")):
            path = reverse(name, args=[game.public_id, secret])
            assert phone.get(path).status_code == HTTPStatus.NOT_FOUND
    for name in ("record", "undo", "holder", "head"):
        path = reverse(name, args=[game.public_id, game.secret("follow")])
        assert phone.post(path).status_code == HTTPStatus.NOT_FOUND
    assert phone.get(url(game, "entry", 7)).status_code == HTTPStatus.NOT_FOUND


@pytest.mark.parametrize("name", ["record", "undo", "holder"])
def test_address_that_only_writes_leads_back_to_the_sheet_when_it_is_opened(plain, name):
    game = game_with(1)
    answer = plain.get(url(game, name))
    assert (answer.status_code, answer["Location"]) == (HTTPStatus.FOUND, address(game, "write"))
    assert plain.put(url(game, name)).status_code == HTTPStatus.METHOD_NOT_ALLOWED


def test_deleted_game_is_not_found(phone):
    game = game_with(1)
    playing.delete_game(game.pk)
    assert phone.get(url(game, "write")).status_code == HTTPStatus.NOT_FOUND
    pen = {"key": next(KEYS), "revision": 1, "type": "deal"}
    answer = phone.post(url(game, "record"), pen | fields_of(WHOLE_GAME[1]))
    assert answer.status_code == HTTPStatus.NOT_FOUND


def test_address_whose_pen_was_taken_leads_to_the_follow_page(plain):
    game = game_with(2)
    old = {name: url(game, name) for name in ("write", "record")}
    playing.hand_over(game.pk, game.write_generation, "key-of-the-taker", at=EVENING)
    answer = plain.get(old["write"], follow=True)
    assert answer.redirect_chain == [(f"{address(game, 'follow')}?handed-over=1", 302)]
    assert "The pen has been handed over" in answer.content.decode()
    gone = plain.post(old["record"], fields_of(WHOLE_GAME[2]), HTTP_HX_REQUEST="true")
    assert gone.status_code == HTTPStatus.GONE
    assert reload(game).row.revision == 2


def test_service_worker_is_served_from_the_root_and_asked_for_each_time(plain):
    answer = plain.get("/sw.js")
    assert answer["Content-Type"] == "text/javascript; charset=utf-8"
    assert "no-cache" in answer["Cache-Control"]
    assert b"addEventListener" in b"".join(answer.streaming_content)


# How much is asked of the database.


@pytest.mark.parametrize("deals", [1, 3, 20])
@pytest.mark.parametrize(("kind", "queries"), [("write", 3), ("follow", 3)])
def test_page_asks_the_same_number_of_queries_for_any_game(
    plain, django_assert_num_queries, deals, kind, queries
):
    game = game_with(deals)
    with django_assert_num_queries(queries):
        plain.get(address(game, kind))


def test_unchanged_follower_asks_one_query(phone, django_assert_num_queries):
    game = game_with(3)
    etag = follow(phone, game)["ETag"]
    with django_assert_num_queries(1):
        follow(phone, game, etag)


def test_sheet_drawn_for_one_follower_is_shown_to_the_others(phone, django_assert_num_queries):
    game = game_with(3)
    drawn = follow(phone, game)
    with django_assert_num_queries(2):
        shown = follow(phone, game)
    assert (shown.content, shown["ETag"]) == (drawn.content, drawn["ETag"])
    record(game, WHOLE_GAME[3])
    assert "−650" in follow(phone, game).content.decode()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("deals", [0, 19])
def test_written_entry_takes_few_statements_in_all(phone, deals):
    game = game_with(deals)
    pen = {"key": next(KEYS), "revision": game.revision, "type": "deal", "declarer": deals % 4}
    with CaptureQueriesContext(connection) as statements:
        answer = phone.post(url(game, "record"), pen | fields_of(WHOLE_GAME[deals]))
    assert answer.status_code == HTTPStatus.OK
    assert len(statements) <= MOST_STATEMENTS
    assert any("BEGIN" in statement["sql"] for statement in statements)


@pytest.mark.django_db(transaction=True)
def test_entry_of_a_club_asks_for_its_round_and_adds_a_line_besides(phone):
    game = TableFactory(entries=WHOLE_GAME[:3]).games.get()
    pen = {"key": next(KEYS), "revision": game.revision, "type": "deal", "declarer": 3}
    with CaptureQueriesContext(connection) as statements:
        answer = phone.post(url(game, "record"), pen | fields_of(WHOLE_GAME[3]))
    assert answer.status_code == HTTPStatus.OK
    assert len(statements) <= MOST_STATEMENTS + 2
