"""What the API makes of texts with control characters and with what is invisible."""

import pytest

from tests.club_factories import ClubFactory
from tests.hostile_texts import CLEAN, REFUSED, SOME
from tournaments.engine.rules.entries import clean_line

pytestmark = pytest.mark.django_db

DAY = {"held_on": "2026-11-20", "ruleset": "turkish-king"}


def test_clean_line_is_one_visible_line_and_stays_as_it_is():
    for text in CLEAN:
        assert text == clean_line(text) != ""
        assert not set(text) & set("\x01\x0b\x1b\x85\r\n\u2028\u2029\u202e\u200b\u200d\ufeff\ufffe")
    assert clean_line("e\u0301\u200b ç ❤\ufe0f") == "é ç ❤\ufe0f"


def texts_in(value):
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from texts_in(item)
    elif isinstance(value, str):
        yield value


def bodies(text, club):
    at = f"clubs/{club.slug}"
    deal = {"type": "adjustment", "seat": 0, "points": 1, "reason": text, "note": text}
    game = {"ruleset": "turkish-king", "players": [text, "B", "C", "D"], "entries": [deal]}
    yield "games/", game | {"title": text, "place": text}
    yield f"{at}/events/", DAY | {"name": text, "venue": text}
    yield f"{at}/tournaments/", DAY | {"name": text, "venue": text}
    yield f"{at}/seasons/", {"name": text, "starts_on": "2026-01-01", "ends_on": "2026-12-31"}
    yield f"{at}/players/", {"names": [text]}
    yield "clubs/", {"name": text}


@pytest.mark.parametrize("text", SOME, ids=ascii)
def test_texts_are_cleaned_in_every_field(program, text):
    club = ClubFactory(slug="moda")
    director = program.role("owner", club)
    for path, body in bodies(text, club):
        answer = director.post(path, body)

        assert answer.status_code == 201, (path, answer.text)
        found = list(texts_in(answer.json()))
        assert [each for each in found if clean_line(each) != each] == []
        assert clean_line(text) in found


@pytest.mark.parametrize("text", REFUSED, ids=ascii)
def test_what_no_database_stores_is_refused(program, text):
    club = ClubFactory(slug="moda")
    director = program.role("owner", club)

    assert {director.post(*each).status_code for each in bodies(text, club)} == {400}
