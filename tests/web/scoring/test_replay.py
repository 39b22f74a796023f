"""Every kept game is written once more through the pages, entry by entry, as a phone sends it."""

import json

import pytest
from django.utils import timezone

from tests.engine.test_records import NAMES, load
from tests.factories import reload
from tournaments.engine.records import read_game, write_result
from tournaments.services.play.playing import Head, start_game
from tournaments.web.deals.reading import typed_entry
from tournaments.web.phone import address

pytestmark = pytest.mark.django_db


def is_written_at_once(record):
    """Whether its deals are entered in one step: a sealed one is sealed first."""
    deals = [entry for entry in record["entries"] if entry["type"] == "deal"]
    sealed = any("sealed" in entry for entry in record["entries"])
    return not sealed and all({"counts", "maker", "winner"} & deal.keys() for deal in deals)


def fields_of(ruleset, body):
    """What the form sends for an entry."""
    typed = typed_entry(ruleset, body) if body["type"] == "deal" else {}
    if body["type"] != "deal":
        typed = {name: str(value) for name, value in body.items()}
    return typed | {"type": body["type"]}


def start(record):
    head = Head(
        record["ruleset"],
        record["players"],
        record.get("first_declarer", 0),
        record.get("options", {}),
    )
    return start_game(head, at=timezone.now())


@pytest.mark.parametrize("name", [name for name in NAMES if is_written_at_once(load(name))])
def test_record_replayed_through_the_pages_has_its_result(client, name):
    record = load(name)
    row = start(record)
    for revision, body in enumerate(record["entries"]):
        sheet = reload(row)
        fields = fields_of(sheet.game.ruleset, body)
        sent = {"key": f"key-of-entry-{revision}", "revision": revision, **fields}
        answer = client.post(address(row, "write") + "entry/", sent)
        assert answer.status_code == 302, (revision, body)

    kept = client.get(address(row, "follow") + "record.json").json()

    result = json.loads(json.dumps(write_result(read_game(kept))))
    assert result == load(f"{name}.result")


def test_most_records_are_replayed():
    replayed = {load(name)["ruleset"] for name in NAMES if is_written_at_once(load(name))}
    assert {load(name)["ruleset"] for name in NAMES} - replayed <= {"turkish-king-sealed"}
