"""Several entries in one call: all or none, each once."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.api.answers import faults
from tests.deals import WHOLE_GAME, deal
from tests.factories import GameFactory
from tournaments.api.access import token_of
from tournaments.models import Game

pytestmark = pytest.mark.django_db

WRONG = deal("heart-king", 1, 1, 0, 0)


def keyed(bodies):
    return [{"key": f"of-deal-{number}", "entry": body} for number, body in enumerate(bodies)]


@pytest.fixture
def phone(program):
    row = GameFactory()
    return program.with_token(token_of(row, "write"))


@pytest.fixture
def path():
    return f"games/{Game.objects.get().public_id}/"


def written(phone, path):
    return [each["entry"] for each in phone.get(path).json()["entries"]]


def test_whole_game_is_written_in_one_call(phone, path):
    said = {"entries": [{"entry": body} for body in WHOLE_GAME], "author": "Ayşe"}
    answer = phone.post(f"{path}entries/batch/", said, If_Match='"0"')

    assert (answer.status_code, answer["ETag"]) == (201, f'"{len(WHOLE_GAME)}"')
    assert written(phone, path) == list(WHOLE_GAME)
    assert answer.json()["result"]["finished"] is True


def test_nothing_is_written_where_one_is_wrong_and_it_is_told_which(phone, path):
    said = {"entries": keyed([*WHOLE_GAME[:2], WRONG])}
    answer = phone.post(f"{path}entries/batch/", said)
    assert faults(answer)[0][1].startswith("entries.2.entry")
    misshapen = {"entries": keyed([{"type": "deal", "contract": 3}, WHOLE_GAME[0], {"type": "x"}])}
    places = {where for _code, where in faults(phone.post(f"{path}entries/batch/", misshapen))}
    assert {where.split(".")[1] for where in places} == {"0", "2"}

    assert written(phone, path) == []
    # A refused call uses up no key.
    said["entries"][2]["entry"] = WHOLE_GAME[2]
    assert phone.post(f"{path}entries/batch/", said).status_code == 201


def test_entries_whose_answer_was_lost_are_written_once(phone, path):
    entries = keyed(WHOLE_GAME[:4])
    phone.post(f"{path}entries/", {"entry": WHOLE_GAME[0]}, Idempotency_Key="of-deal-0")
    phone.post(f"{path}entries/batch/", {"entries": entries[1:3]})

    again = phone.post(f"{path}entries/batch/", {"entries": entries}, If_Match='"0"')
    assert (again.status_code, again["ETag"]) == (201, '"4"')
    assert phone.post(f"{path}entries/batch/", {"entries": entries}).status_code == 201
    assert written(phone, path) == list(WHOLE_GAME[:4])


def test_writes_of_others_and_keys_of_others_are_refused(phone, path):
    entries = keyed(WHOLE_GAME[:3])
    phone.post(f"{path}entries/", {"entry": WHOLE_GAME[0]}, Idempotency_Key="of-another-phone")
    stale = phone.post(f"{path}entries/batch/", {"entries": entries[1:]}, If_Match='"0"')
    assert (stale.status_code, stale.json()["code"]) == (412, "changed-meanwhile")
    phone.post(f"{path}entries/batch/", {"entries": entries[1:2]})
    other = [{"key": entries[1]["key"], "entry": WHOLE_GAME[2]}]
    for reused in (other, [entries[2]] * 2):
        answer = phone.post(f"{path}entries/batch/", {"entries": reused})
        assert (answer.status_code, answer.json()["code"]) == (422, "key-reused")
    swapped = keyed(WHOLE_GAME[:4])[:1:-1]
    phone.post(f"{path}entries/batch/", {"entries": swapped[1:]})
    assert phone.post(f"{path}entries/batch/", {"entries": swapped}).status_code == 412
    assert written(phone, path) == list(WHOLE_GAME[:3])


def test_many_entries_take_no_more_queries_than_two(program):
    counts = []
    for number in (2, 10):
        row = GameFactory()
        phone = program.with_token(token_of(row, "write"))
        said = {"entries": [{"entry": body} for body in WHOLE_GAME[:number]]}
        with CaptureQueriesContext(connection) as made:
            phone.post(f"games/{row.public_id}/entries/batch/", said)
        counts.append(len(made))
    assert counts[0] == counts[1]


@pytest.mark.parametrize("before", [0, 1])
def test_entry_that_is_sent_again_after_it_was_withdrawn_is_named_by_its_place(phone, path, before):
    bodies = keyed(WHOLE_GAME[: before + 1])
    phone.post(f"{path}entries/batch/", {"entries": bodies})
    phone.delete(f"{path}entries/{before}/", If_Match=f'"{before + 1}"')

    again = phone.post(
        f"{path}entries/", {"entry": bodies[before]["entry"]}, Idempotency_Key=bodies[before]["key"]
    )

    assert again.status_code == 201
    assert again["Location"].endswith(f"/entries/{before}/")
    assert written(phone, path) == list(WHOLE_GAME[:before])
