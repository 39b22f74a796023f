"""Many programs at the same moment, and one that is broken off before its answer was kept."""

from dataclasses import replace

import pytest
from django.db import connection
from django.test import Client

from tests.api.conftest import HEAD, phone_of
from tests.deals import WHOLE_GAME
from tests.factories import GameFactory
from tests.together import at_once
from tournaments.models import Game, IdempotencyRecord, Revision

pytestmark = pytest.mark.django_db(transaction=True)

PROGRAMS = 8


def test_start_sent_by_many_with_one_key_opens_one_game_and_all_are_answered_alike(program):
    def start():
        key = {"Idempotency_Key": "one-key-for-all"}
        answer = replace(program, client=Client()).post("games/", HEAD, **key)
        return answer.status_code, answer.content

    answers = at_once(*[start] * PROGRAMS)

    assert answers == [(201, answers[0][1])] * PROGRAMS
    assert Game.objects.count() == 1


def test_program_broken_off_before_its_answer_was_kept_leaves_neither_key_nor_entry(program):
    def break_off(execute, sql, *how):
        assert not sql.startswith('UPDATE "tournaments_idempotencyrecord"')
        return execute(sql, *how)

    phone, path = phone_of(program, GameFactory(), "entries/")
    asked = {"entry": WHOLE_GAME[0]}, {"Idempotency_Key": "broken-half-way"}
    phone.client.raise_request_exception = False
    with connection.execute_wrapper(break_off):
        assert phone.post(path, asked[0], **asked[1]).status_code == 500
    assert not IdempotencyRecord.objects.exists()
    assert not Revision.objects.exists()

    answers = [phone.post(path, asked[0], **asked[1]) for _ in range(2)]
    assert [(each.status_code, each.json()["revision"]) for each in answers] == [(201, 1)] * 2
