"""Every whole game that is kept as a record, written through the API in both ways."""

import pytest

from tests.engine.test_records import NAMES, load


def stored(phone, game):
    """A game as a program that follows it reads it back."""
    return phone.get(f"games/{game}/record/").json(), phone.get(f"games/{game}/result/").json()


@pytest.mark.parametrize("name", NAMES)
def test_game_written_entry_by_entry_comes_to_the_result_kept_beside_it(program, name):
    record, result = load(name), load(f"{name}.result")
    # The field above a sheet holds 80 letters.
    head = record | {"title": record.get("title", "")[:80], "entries": []}
    started = program.post("games/", head).json()
    phone = program.with_token(started["keys"]["write"])
    game, tag = started["id"], '"0"'

    for entry in record["entries"]:
        written = phone.post(f"games/{game}/entries/", {"entry": entry}, If_Match=tag)
        assert written.status_code == 201
        tag = written["ETag"]

    read, came_to = stored(phone, game)
    assert came_to == result
    whole = program.post("games/", read).json()
    assert whole["result"] == result
    assert stored(program.with_token(whole["keys"]["follow"]), whole["id"]) == (read, result)
