from datetime import timedelta
from http import HTTPStatus

import pytest
from django.core.cache import caches
from django.test import Client

from tests.club_factories import TableFactory
from tests.deals import WHOLE_GAME
from tests.factories import EVENING, ContextFactory, GameFactory, UserFactory
from tournaments.engine.documents.entries import parse_entry
from tournaments.models import Round
from tournaments.queries import versions
from tournaments.queries.versions import VersionCache, mark_named
from tournaments.services.games.playing import hand_over, record_entry
from tournaments.web.base.phone import address
from tournaments.web.games.following import Etags, sheet_at, unchanged


@pytest.fixture
def phone(db):
    return Client(headers={"HX-Request": "true"})


def seen(phone, game, kind="follow"):
    return phone.get(address(game, kind))["ETag"]


def ask(phone, path, etag):
    return phone.get(path, headers={"If-None-Match": etag})


@pytest.mark.parametrize("kind", ["follow", "write"])
def test_unchanged_page_costs_one_query_and_sets_nothing(phone, kind, django_assert_num_queries):
    game = GameFactory(entries=WHOLE_GAME[:3])
    etag = seen(phone, game, kind)
    with django_assert_num_queries(1):
        answer = ask(phone, address(game, kind), etag)
    assert answer.status_code == HTTPStatus.NOT_MODIFIED
    assert (answer["ETag"], answer.cookies) == (etag, {})
    assert "no-store" in answer["Cache-Control"]


@pytest.mark.parametrize("kind", ["follow", "write"])
def test_address_that_was_revoked_is_shown_nothing(phone, kind):
    game = GameFactory(entries=WHOLE_GAME[:3])
    etag, path = seen(phone, game, kind), address(game, kind)
    assert ask(phone, path, etag).status_code == HTTPStatus.NOT_MODIFIED
    if kind == "write":
        hand_over(game.pk, game.write_generation, "key-of-the-taker", at=EVENING)
        assert ask(phone, path, etag).status_code == HTTPStatus.FOUND
    else:
        game.follow_generation += 1
        game.save()
        assert ask(phone, path, etag).status_code == HTTPStatus.NOT_FOUND


def test_phone_of_a_table_whose_round_was_closed_is_led_away(phone):
    game = TableFactory(entries=WHOLE_GAME[:3]).games.get()
    etag, path = seen(phone, game, "write"), address(game, "write")
    assert ask(phone, path, etag).status_code == HTTPStatus.NOT_MODIFIED
    opened = game.table.round.opened_at
    Round.objects.update(closed_at=opened + timedelta(hours=1))
    assert ask(phone, path, etag).status_code == HTTPStatus.FOUND


def test_answer_to_one_phone_is_not_given_to_one_that_sees_the_page_otherwise(phone):
    game = GameFactory(entries=WHOLE_GAME[:3])
    etag, path = seen(phone, game), address(game, "follow")
    assert ask(phone, path, etag).status_code == HTTPStatus.NOT_MODIFIED
    turkish = {"If-None-Match": etag, "Accept-Language": "tr"}
    assert phone.get(path, headers=turkish).status_code == HTTPStatus.OK
    phone.cookies["theme"] = "dark"
    dark = ask(phone, path, etag)
    assert dark.status_code == HTTPStatus.OK
    assert ask(phone, path, dark["ETag"]).status_code == HTTPStatus.NOT_MODIFIED


def test_wrong_secret_and_other_pages_are_answered_as_ever(phone):
    game = GameFactory(entries=WHOLE_GAME[:3])
    etag = seen(phone, game)
    for path in (f"/follow/{game.public_id}/x/", f"/play/{game.public_id}/x/", "/follow/a%00b/x/"):
        assert ask(phone, path, etag).status_code == HTTPStatus.NOT_FOUND
    assert ask(phone, f"{address(game, 'write')}log/", etag).status_code == HTTPStatus.OK


def test_page_that_was_told_of_a_change_is_not_answered_from_an_older_look(
    rf, db, django_assert_num_queries
):
    game, etags, watch = GameFactory(entries=WHOLE_GAME[:3]), Etags(), VersionCache(60)
    path = address(game, "follow")
    etag = Client(headers={"HX-Request": "true"}).get(path)["ETag"]
    asks = {"HX-Request": "true", "If-None-Match": etag}
    assert unchanged(rf.get(path, headers=asks), watch, etags).status_code == 304
    told = asks | {"Kingscore-News": mark_named(game.public_id).digest}
    assert unchanged(rf.get(path, headers=told), watch, etags).status_code == 304
    record_entry(game.pk, parse_entry(WHOLE_GAME[3]), ContextFactory(revision=3))
    assert unchanged(rf.get(path, headers=asks), watch, etags).status_code == 304
    digest = mark_named(game.public_id).digest
    told = asks | {"Kingscore-News": digest}
    assert unchanged(rf.get(path, headers=told), watch, etags) is None
    told["If-None-Match"] = Client(headers=told).get(path)["ETag"]
    # Only the first question takes a query, for as long as a version may be old.
    for seconds, queries in ((60, 0), (0, 1)):
        watch.seconds = seconds
        with django_assert_num_queries(queries):
            assert unchanged(rf.get(path, headers=told), watch, etags).status_code == 304


def test_sheet_is_drawn_once_for_all_who_see_it_alike(phone, django_assert_num_queries):
    game = GameFactory(entries=WHOLE_GAME[:3])
    etag, path = seen(phone, game), address(game, "follow")
    record_entry(game.pk, parse_entry(WHOLE_GAME[3]), ContextFactory(revision=3))
    drawn = ask(phone, path, etag)
    assert "−650" in drawn.content.decode()
    news = {"Kingscore-News": "0", "If-None-Match": etag}
    for headers in ({"If-None-Match": etag}, news):
        with django_assert_num_queries(2 - ("Kingscore-News" in headers)):
            other = Client(headers={"HX-Request": "true"}).get(path, headers=headers)
        assert (other.content, other["ETag"]) == (drawn.content, drawn["ETag"])
        assert other["ETag"] != etag
        assert "no-store" in other["Cache-Control"]
    # The page of the table has the same ETag; what an account sees may be another sheet.
    caches["sheets"].set(drawn["ETag"], "drawn for others")
    assert phone.get(path, headers=news).content == b"drawn for others"
    assert b"drawn for others" not in phone.get(address(game, "write"), headers=news).content
    phone.force_login(UserFactory())
    assert b"drawn for others" not in phone.get(path, headers=news).content


def test_who_knows_no_address_of_a_game_fills_no_memory(rf, db):
    game, etags, watch = GameFactory(), Etags(), VersionCache(0)
    asks = {"HX-Request": "true", "If-None-Match": '"x"'}
    for secret in ("x", "y", game.secret("follow")):
        unchanged(rf.get(f"/follow/{game.public_id}/{secret}/", headers=asks), watch, etags)
    cached, long = sheet_at.cache_info().currsize, f"/follow/{game.public_id}/{'x' * 100}/"
    assert unchanged(rf.get(long, headers=asks), watch, etags) is None
    assert (len(etags.answered), sheet_at.cache_info().currsize) == (1, cached)


def test_watch_looks_at_all_games_that_are_asked_for_at_once(db, django_assert_num_queries):
    games = [GameFactory(entries=WHOLE_GAME[:3]) for _ in range(4)]
    watch = VersionCache(0)
    for game in games:
        watch.mark(game.public_id)
    record_entry(games[1].pk, parse_entry(WHOLE_GAME[3]), ContextFactory(revision=3))
    with django_assert_num_queries(1):
        assert watch.mark(games[0].public_id).revision == 3
    watch.seconds = 60
    with django_assert_num_queries(0):
        marks = [watch.mark(game.public_id) for game in games]
    assert [mark.revision for mark in marks] == [3, 4, 3, 3]


def test_versions_that_streams_announce_fill_no_memory(db, monkeypatch):
    monkeypatch.setattr(versions, "MOST_ANNOUNCED", 2)
    watch = VersionCache(60)
    for game in [GameFactory() for _ in range(5)]:
        assert watch.mark_announced(game.public_id, "x") == mark_named(game.public_id)
    assert len(watch.announced) <= 2


def test_game_that_was_deleted_is_forgotten(db):
    game = GameFactory()
    watch = VersionCache(0)
    watch.mark(game.public_id)
    game.delete()
    assert watch.mark(game.public_id) is None
    assert watch.mark("nothing-like") is None
    assert "nothing-like" not in watch.asked_at
