import re
from http import HTTPStatus

import pytest
from django.db import connection
from django.template.backends.jinja2 import Template
from django.test.utils import CaptureQueriesContext

from tests.club_factories import TableFactory
from tests.deals import NAMES, WHOLE_GAME
from tests.factories import EVENING, record, reload
from tests.web.games.table import (
    KEYS,
    fields_of,
    game_with,
    send,
    sentences,
    table_of,
    ticked,
    totals,
    url,
    value_of,
)
from tournaments.models import Confirmation, Game
from tournaments.services.games import playing
from tournaments.web.base.phone import address

MOST_STATEMENTS = 9
LARGEST_ANSWER = 8400
"""Bytes of the answer to a deal, compressed."""
STALE = "Someone else has written meanwhile. Yours was not saved."
SAME = "Another phone has already written the same; it is on the sheet once."
ONE_KEY = {"key": "one-key-of-a-phone", "revision": 0}


# Writing.


@pytest.mark.parametrize(("deals", "asked"), [(3, True), (20, False)])
def test_stranger_is_asked_who_they_are_only_while_the_game_goes_on(client, deals, asked):
    page = client.get(address(game_with(deals), "write"))

    assert page.context["who"]["asks"] is asked


def test_whole_game_written_by_the_form_ends_as_in_the_rules(phone):
    game = game_with()
    for number, body in enumerate(WHOLE_GAME, 1):
        answer = send(phone, game, **fields_of(body))
        assert (answer.status_code, answer["Kingscore-Revision"]) == (HTTPStatus.OK, str(number))
        assert answer.content.decode().lstrip().startswith('<div id="table"')
    assert totals(game) == (540, -110, -330, -100)
    page = phone.get(url(game, "write")).content.decode()
    assert "Out: Ayşe" in page
    assert 'name="contract"' not in page.partition('<template id="to-correct">')[0]


def test_short_key_of_the_page_is_stored_once(phone):
    game = game_with()
    key = value_of(phone.get(url(game, "write")), "key")
    # The second time another one declares.
    typed = fields_of(WHOLE_GAME[0]) | {"key": key, "revision": 0, "declarer": 0}
    answers = [send(phone, game, **typed).status_code for _ in range(2)]

    assert answers == [HTTPStatus.OK] * 2
    # Each deal keeps its key for ever.
    assert [len(row.key) for row in reload(game).revisions] == [len(key)] == [8]


def test_answer_late_in_a_game_is_small(phone):
    game = game_with(deals=17)
    phone.defaults["HTTP_ACCEPT_ENCODING"] = "gzip"
    answer = send(phone, game, **fields_of(WHOLE_GAME[17]))
    assert answer["Content-Encoding"] == "gzip"
    assert len(answer.content) <= LARGEST_ANSWER


def test_record_without_scripts_goes_back_to_the_sheet(plain):
    game = game_with()
    answer = send(plain, game, holder="2", **fields_of(WHOLE_GAME[0]))
    assert (answer.status_code, answer["Location"]) == (HTTPStatus.FOUND, address(game, "write"))
    assert totals(game) == (0, 0, -320, 0)
    # The seat beside which the phone lies is not the author.
    assert reload(game).revisions[0].author == ""


@pytest.mark.parametrize("typed", [("", "", "1", ""), ("0", "0", "", "0"), (" 0 ", "0", "1", "0")])
def test_record_fills_in_blank_counts_and_reads_only_the_units_of_the_contract(phone, typed):
    game = game_with()
    counts = {f"count-heart_king-{seat}": text for seat, text in enumerate(typed)}
    counts |= {"count-tricks-0": "9", "trump": "spades"}
    send(phone, game, contract="heart-king", **counts)
    assert reload(game).body(0) == {
        "type": "deal",
        "contract": "heart-king",
        "counts": {"heart_king": [0, 0, 1, 0]},
    }


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"count-queens-0": "3"}, "Queens: must be 4 in all, 6 written."),
        ({"count-queens-0": "x"}, "This is not what belongs here; expected: a whole number."),
        ({"contract": ""}, "Choose the contract."),
        ({"contract": "trump", "trump": "stars"}, "This cannot be trump here."),
        ({"declarer": "3"}, "It is Burak’s turn to declare, not Deniz’s."),
    ],
)
def test_record_refuses_an_impossible_deal_and_keeps_it_in_the_form(phone, changes, sentence):
    game = game_with(1)
    typed = {"count-queens-1": "2", "count-queens-2": "1", "count-queens-3": "0"}
    typed |= {"contract": "no-queens", "count-queens-0": "1"} | changes
    answer = send(phone, game, **typed)
    assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert sentence in sentences(answer)
    for name, text in typed.items():
        if name.startswith("count"):
            assert value_of(answer, name) == text
    chosen = ticked(answer.content.decode(), "contract")
    assert ("no-queens" in chosen) == (typed["contract"] == "no-queens")
    assert reload(game).row.revision == 1


# Keys and revisions.


@pytest.mark.parametrize(
    ("context", "status"),
    [
        ({"key": ""}, HTTPStatus.UNPROCESSABLE_ENTITY),
        ({"key": "not a key at all!"}, HTTPStatus.UNPROCESSABLE_ENTITY),
        ({"revision": ""}, HTTPStatus.CONFLICT),
        ({"revision": "-1"}, HTTPStatus.CONFLICT),
        ({"revision": "9" * 5000}, HTTPStatus.CONFLICT),
        ({"type": "nonsense"}, HTTPStatus.UNPROCESSABLE_ENTITY),
    ],
)
def test_request_that_no_page_sends_is_refused(phone, context, status):
    game = game_with()
    assert send(phone, game, **(fields_of(WHOLE_GAME[0]) | context)).status_code == status
    assert reload(game).row.revision == 0


def test_stale_revision_shows_the_sheet_as_it_is_and_keeps_the_form(phone):
    game = game_with(1)
    answer = send(phone, game, **fields_of(WHOLE_GAME[2]), revision=0, declarer=0)
    page = answer.content.decode()
    assert answer.status_code == HTTPStatus.CONFLICT
    assert STALE in sentences(answer)
    assert [value_of(answer, f"count-men-{seat}") for seat in range(4)] == ["2", "1", "3", "2"]
    assert value_of(answer, "revision") == "1"
    assert "no-men" in ticked(page, "contract")
    bar = page[page.index('<div class="save">') :].partition("</form>")[0]
    assert f'href="{address(game, "write")}"' in bar
    assert "Write it as deal 2" in bar
    assert reload(game).row.revision == 1


@pytest.mark.parametrize("notes", [{}, {"rifki_holder": "1"}])
def test_deal_that_another_phone_has_written_meanwhile_leaves_the_form_empty(phone, notes):
    game = game_with(1)
    answer = send(phone, game, **fields_of(WHOLE_GAME[0]), **notes, revision=0)
    page = answer.content.decode()
    assert answer.status_code == HTTPStatus.CONFLICT
    assert SAME in sentences(answer)
    assert 'data-same="1"' in page
    assert ticked(page, "contract") == []
    assert reload(game).row.revision == 1


def test_same_deal_is_looked_for_only_where_the_phone_would_have_written_it(phone):
    game = game_with(2)
    # It has seen the first deal, and types the same for the second declarer.
    assert STALE in sentences(send(phone, game, **fields_of(WHOLE_GAME[0]), revision=1))
    # It has seen nothing: the second deal stands further down than its own would.
    assert STALE in sentences(send(phone, game, **fields_of(WHOLE_GAME[1]), revision=0))


def test_same_deal_is_found_after_it_was_undone_and_written_again(phone):
    game = game_with(1)
    send(phone, game, "undo", position=0)
    record(game, WHOLE_GAME[2])
    answer = send(phone, game, **fields_of(WHOLE_GAME[2]), revision=0)
    assert 'data-same="3"' in answer.content.decode()


# Entries that are no deal.


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


# Undo and corrections.


def test_undo_withdraws_the_last_entry_once_and_keeps_it_in_the_log(phone):
    game = game_with(2)
    for _ in range(2):
        context = ONE_KEY | {"revision": 2, "position": 1}
        assert send(phone, game, "undo", **context).status_code == HTTPStatus.OK
    sheet = reload(game)
    assert sheet.game.totals == (0, 0, -320, 0)
    assert [write.kind for write in sheet.versions(1)] == ["entry", "withdrawal"]
    page = phone.get(url(game, "entry", 1)).content.decode()
    assert "This line has been taken off the sheet; it stays in the log." in page
    off = send(phone, game, "entry", 1, **fields_of(WHOLE_GAME[1]))
    assert off.status_code == HTTPStatus.CONFLICT
    assert reload(game).positions == (0,)


@pytest.mark.parametrize(
    ("deals", "position", "typed", "reason"),
    [
        (
            16,
            2,
            {"contract": "no-queens", "count-queens-0": "4"},
            "Then deal 10 would no longer fit:",
        ),
        (16, 3, {"action": "withdraw", "sure": "yes"}, "Cem has used every penalty (3)."),
    ],
)
def test_change_that_a_later_entry_does_not_fit_is_refused_with_its_reason(
    plain, deals, position, typed, reason
):
    game = game_with(deals)
    answer = send(plain, game, "entry", position, **typed)
    assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert reason in sentences(answer)
    assert reload(game).row.revision == deals


def test_change_after_which_the_game_would_have_been_over_says_with_which_deal(plain):
    deals = [{"type": "deal", "winner": side} for side in (0, 1, 0, 0)]
    game = table_of("krapet", *deals, players=NAMES[:2], target=3)
    answer = send(plain, game, "entry", 1, winner="0")
    assert "Then the game would end with deal 3" in " ".join(sentences(answer))


# Whose turn, who sits where.


# Following; `test_unchanged.py` says when nothing is answered.


def test_phone_that_has_just_written_is_not_shown_the_same_again(phone):
    game = game_with(3)
    seen = send(phone, game, **fields_of(WHOLE_GAME[3]))["ETag"]
    answer = phone.get(address(game, "write"), HTTP_IF_NONE_MATCH=seen)
    assert answer.status_code == HTTPStatus.NOT_MODIFIED
    record(game, WHOLE_GAME[4])
    answer = phone.get(address(game, "write"), HTTP_IF_NONE_MATCH=seen)
    assert (answer.status_code, answer["Kingscore-Revision"]) == (HTTPStatus.OK, "5")


def test_change_that_comes_in_while_the_answer_is_drawn_is_shown_next(phone, monkeypatch):
    game, draw = game_with(19), Template.render

    def confirm(*drawn):
        Confirmation.objects.create(game=game, seat=0, revision=20, at=EVENING)
        return draw(*drawn)

    monkeypatch.setattr(Template, "render", confirm)
    written = send(phone, game, **fields_of(WHOLE_GAME[19]))
    monkeypatch.undo()

    answer = phone.get(address(game, "write"), HTTP_IF_NONE_MATCH=written["ETag"])
    assert Confirmation.objects.count() == 1
    assert answer.status_code == HTTPStatus.OK


@pytest.mark.parametrize("writes", [False, True])
def test_table_deleted_while_it_is_read_is_not_found(phone, writes):
    game = game_with(19)

    def delete(execute, sql, *more):
        if "MAX(" in sql:
            Game.objects.filter(pk=game.pk).delete()
        return execute(sql, *more)

    with connection.execute_wrapper(delete):
        answer = (
            send(phone, game, **fields_of(WHOLE_GAME[19]))
            if writes
            else phone.get(address(game, "write"))
        )

    assert not Game.objects.filter(pk=game.pk).exists()
    assert answer.status_code == HTTPStatus.NOT_FOUND


# Addresses.


def test_address_whose_scoring_was_handed_over_leads_to_the_follow_page(plain):
    game = game_with(2)
    old = {name: url(game, name) for name in ("write", "record")}
    playing.hand_over(game.pk, game.write_generation, "key-of-the-taker", at=EVENING)
    answer = plain.get(old["write"], follow=True)
    assert answer.redirect_chain == [(f"{address(game, 'follow')}?handed-over=1", 302)]
    assert "The scoring has been handed over" in answer.content.decode()
    gone = plain.post(old["record"], fields_of(WHOLE_GAME[2]), HTTP_HX_REQUEST="true")
    assert gone.status_code == HTTPStatus.GONE
    assert reload(game).row.revision == 2


# How much is asked of the database.


@pytest.mark.parametrize("deals", [1, 20])
@pytest.mark.parametrize("kind", ["write", "follow"])
def test_page_asks_the_same_number_of_queries_for_any_game(
    plain, django_assert_num_queries, deals, kind
):
    game = game_with(deals)
    # Of a finished game, also whether another followed; to write there, its version besides.
    finished = (deals == 20) * (1 + (kind == "write"))
    with django_assert_num_queries(2 + (kind == "follow") + finished):
        plain.get(address(game, kind))


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("deals", "of_club"), [(0, False), (19, False), (3, True)])
def test_written_entry_takes_few_statements_in_all(phone, deals, of_club):
    game = TableFactory(entries=WHOLE_GAME[:deals]).games.get() if of_club else game_with(deals)
    context = {"key": next(KEYS), "revision": game.revision, "type": "deal", "declarer": deals % 4}
    with CaptureQueriesContext(connection) as statements:
        answer = phone.post(url(game, "record"), context | fields_of(WHOLE_GAME[deals]))
    assert answer.status_code == HTTPStatus.OK
    # A club's game asks for its round twice; a finished one, what followed.
    notify = connection.vendor == "postgresql"
    assert len(statements) <= MOST_STATEMENTS + notify + 2 * of_club + (deals == 19)
    assert any("BEGIN" in statement["sql"] for statement in statements)
