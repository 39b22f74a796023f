import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from tests.deals import WHOLE_GAME
from tests.factories import record_all
from tests.web.games.table import fields_of, last, send, totals, url
from tests.web.rounds.going import going, of_all, table
from tournaments.models import AuditEntry, DealReview, Table
from tournaments.web.base.phone import address

QUEENS = WHOLE_GAME[1]
OTHERWISE = QUEENS | {"counts": {"queens": [3, 0, 0, 1]}}


@pytest.fixture
def round_(club):
    return going(club, 2, confirm_deals=True, correct_minutes=10)


@pytest.fixture
def game(round_):
    return table(round_).games.get()


@pytest.fixture
def phone():
    return Client()


def write(phone, game, body=QUEENS):
    return send(phone, game, **fields_of(body))


def confirm(phone, game, seat, seen=1, position=0):
    return phone.post(url(game, "confirm_deal", position), {"seat": seat, "seen": seen})


def dispute(phone, game, body=OTHERWISE, seat=1, **fields):
    said = {"seat": seat, "seen": 1, "type": "deal", **fields_of(body), **fields}
    return phone.post(url(game, "dispute_deal", 0), said)


def correct(phone, game, body=OTHERWISE, **fields):
    said = {"action": "correct", **fields_of(body), **fields}
    return send(phone, game, "entry", 0, **said)


def settle(director, round_, counts, seen=1):
    fields = {"position": 0, "seen": seen, "counts": counts}
    return director.post(of_all("settle_deal", round_, round_.number, 1), fields)


def pass_time(minutes):
    before = timezone.now() - timedelta(minutes=minutes)
    DealReview.objects.update(at=before)


def kinds():
    return list(DealReview.objects.values_list("revision", "kind", "seat"))


def waiting(answer):
    return [(each["number"], each["deal"].state) for each in answer.context["deals"]]


def marks(answer):
    return [line.review for line in answer.context["sheet"].lines]


def test_opponent_confirms_a_deal_with_one_tap_next_declarer_first(phone, game):
    answer = write(phone, game)
    page = phone.get(url(game, "write"))
    followed = phone.get(address(game, "follow"), HTTP_HX_REQUEST="true")
    asked = page.context["deals"][0]

    assert answer.status_code == 302
    assert [seat for seat, _name in asked["seats"]] == [1, 2, 3]
    assert (waiting(page), marks(page)) == ([(1, "unconfirmed")], ["unconfirmed"])
    assert followed.text.count('class="unconfirmed"') == 1

    assert confirm(phone, game, seat=0).status_code == 409
    for seat in (2, 2, 3):
        assert confirm(phone, game, seat).status_code == 302

    page = phone.get(url(game, "write"))
    seen = {"HTTP_HX_REQUEST": "true", "HTTP_IF_NONE_MATCH": followed["ETag"]}
    again = phone.get(address(game, "follow"), **seen)
    assert again.text.count('class="unconfirmed"') == 0
    assert (kinds(), waiting(page), marks(page)) == ([(1, "confirmed", 2)], [], ["confirmed"])
    assert AuditEntry.objects.get(action="confirm-deal").after["seat"] == 2


def test_correction_takes_the_confirmation_away_and_ends_after_its_minutes(phone, director, game):
    write(phone, game)
    confirm(phone, game, 1)
    pass_time(9)
    assert correct(phone, game).status_code == 302
    assert waiting(phone.get(url(game, "write"))) == [(1, "unconfirmed")]

    confirm(phone, game, 1, seen=2)
    pass_time(10)
    for refused in (
        correct(phone, game, QUEENS),
        send(phone, game, "undo", position=0),
        correct(phone, game, action="withdraw", sure="yes"),
        send(phone, game, "head", **names(game), first_declarer=1),
    ):
        assert refused.status_code == 409
        assert "call the director" in refused.text
    assert last(game)["counts"] == OTHERWISE["counts"]
    assert "Save the correction" not in phone.get(url(game, "entry", 0)).text

    assert correct(director, game, QUEENS).status_code == 302
    assert last(game)["counts"] == QUEENS["counts"]


def names(game):
    return {f"name{seat}": name for seat, name in enumerate(game.players)}


def test_dispute_calls_the_director_who_sees_both_versions(phone, director, round_, game):
    write(phone, game)
    for _twice in range(2):
        assert dispute(phone, game).status_code == 302

    page = phone.get(url(game, "write"))
    assert (waiting(page), marks(page)) == ([(1, "disputed")], ["disputed"])
    assert kinds() == [(1, "disputed", 1)]
    assert totals(game) == (-100, 0, -200, -100)
    assert (confirm(phone, game, 2).status_code, correct(phone, game).status_code) == (409, 409)
    assert dispute(phone, game, seat=2).status_code == 409

    tables = director.get(of_all("running", round_, round_.number))
    first = tables.context["tables"][0]
    assert (first.table.number, len(first.troubles), first.kind) == (1, 2, "called")
    assert game.players[1] in first.troubles[1]["text"]
    director.post(of_all("answer_call", round_, round_.number, 1))
    page = director.get(of_all("running", round_, round_.number))
    assert page.context["tables"][0].disputed
    page = director.get(of_all("entrants", round_))
    assert of_all("running_table", round_, round_.number, 1) in page.text.partition("next-step")[2]
    shown = director.get(of_all("running_table", round_, round_.number, 1)).context["disputes"]
    counts = [
        re.findall(" ([0-9])(?:,|$)", each[which])
        for each in shown
        for which in ("written", "said")
    ]
    assert [each["name"] for each in shown] == [game.players[1]]
    assert counts == [["1", "0", "2", "1"], ["3", "0", "0", "1"]]


def test_director_settles_with_one_tap_for_either_version(phone, director, round_, game):
    write(phone, game)
    dispute(phone, game)

    for _twice in range(2):
        settle(director, round_, "disputed")

    assert last(game)["counts"] == OTHERWISE["counts"]
    assert kinds() == [(1, "disputed", 1), (2, "settled", None)]
    assert Table.objects.exclude(called_at=None).count() == 0
    assert marks(phone.get(url(game, "write"))) == ["settled"]
    assert correct(phone, game, QUEENS).status_code == 409

    other = table(round_, 2).games.get()
    write(phone, other)
    dispute(phone, other)
    fields = {"position": 0, "seen": 1, "counts": "written"}
    for _twice in range(2):
        director.post(of_all("settle_deal", round_, round_.number, 2), fields)
    assert last(other)["counts"] == QUEENS["counts"]
    assert DealReview.objects.filter(game=other, kind="settled").count() == 1
    # The other version no longer counts by a late tap of another director.
    director.post(of_all("settle_deal", round_, round_.number, 2), fields | {"counts": "disputed"})
    assert last(other)["counts"] == QUEENS["counts"]


def test_directors_own_correction_settles_a_dispute(phone, director, round_, game):
    write(phone, game)
    dispute(phone, game)
    other = QUEENS | {"counts": {"queens": [2, 2, 0, 0]}}

    correct(director, game, other)

    assert marks(phone.get(url(game, "write"))) == ["settled"]
    assert (
        director.get(of_all("running", round_, round_.number)).context["tables"][0].disputed
        is False
    )


def test_call_for_something_else_stays_after_settling(phone, director, round_, game):
    before = timezone.now() - timedelta(minutes=3)
    Table.objects.filter(pk=game.table_id).update(called_at=before)
    write(phone, game)
    dispute(phone, game)

    settle(director, round_, "written")

    assert Table.objects.get(pk=game.table_id).called_at == before


@pytest.mark.parametrize(
    "fields",
    [
        {"seat": ""},
        {"body": QUEENS},
        {"body": QUEENS | {"counts": {"queens": [3, 3, 0, 1]}}},
        {"seen": 0},
    ],
    ids=["nobody", "the same", "too many", "another revision"],
)
def test_wrong_dispute_changes_nothing_and_keeps_what_was_typed(phone, game, fields):
    write(phone, game)

    answer = dispute(phone, game, **fields)

    assert answer.status_code in (409, 412, 422)
    assert kinds() == []
    assert 'role="alert"' in answer.text or "error" in answer.text


def test_final_confirmation_covers_deals_and_the_end_of_the_game_does_not(phone, club, director):
    round_ = going(club, 1, confirmations="two", confirm_deals=True)
    game = table(round_).games.get()
    record_all(game, WHOLE_GAME)
    page = phone.get(url(game, "write"))
    assert len(waiting(page)) == 20

    for seat in (0, 1):
        game.refresh_from_db()
        phone.post(url(game, "confirm"), {"seat": seat, "revision": game.revision})

    assert waiting(phone.get(url(game, "write"))) == []


def test_where_it_is_not_asked_nobody_confirms(phone, club):
    round_ = going(club, 1)
    game = table(round_).games.get()
    write(phone, game)

    assert waiting(phone.get(url(game, "write"))) == []
    assert confirm(phone, game, 1).status_code == 404
    assert dispute(phone, game).status_code == 404


def test_deals_cost_as_much_for_one_as_for_ten(phone, game, django_assert_num_queries):
    phone.get(url(game, "write"))
    for number in (1, 10):
        record_all(game, WHOLE_GAME[game.revision : number])
        game.refresh_from_db()
        with django_assert_num_queries(7):
            phone.get(url(game, "write"))
