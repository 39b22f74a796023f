"""The page that verifies a document or a printed code."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from tests.factories import EVENING
from tests.tournament_builders import NINE, SHORT, closed, running
from tests.tournament_records import exported
from tournaments.engine.documents.games import ALPHABET, digits_of, letters_of
from tournaments.models import Event, Game, Revision, Round, Tournament
from tournaments.services.audit import NOBODY
from tournaments.services.tournaments.lifecycle import move_tournament


@pytest.fixture
def finished():
    row = running(*NINE, rounds=1)
    closed(row, SHORT)
    Event.objects.update(published=True)
    return move_tournament(row.pk, "finished", NOBODY, at=EVENING)


def post(client, document=None, code=""):
    files = {}
    if document is not None:
        files["file"] = SimpleUploadedFile("tournament.json", document.encode())
    return client.post("/verify/", {"code": code, **files})


def text_of(answer):
    return " ".join(answer.content.decode().split())


def test_letters_are_the_digits_of_a_digest():
    digest = "0123456789abcdef" * 4

    assert letters_of(digest) == "ACDE FHJK MNPR"
    assert digits_of("acde-fhjk mnpr") == digest[:12]
    assert digits_of("ACDE") is None
    assert len(set(ALPHABET) & set("BGILOQSUVZ0158")) == 0


def test_an_export_is_verified_and_an_altered_one_is_not(client, finished):
    assert "is as published" in text_of(post(client, exported()))

    altered = json.loads(exported())
    altered["rounds"][0]["ranking"][0]["points"] += 10
    answer = text_of(post(client, json.dumps(altered)))

    assert "Something differs" in answer
    assert "rounds[0].ranking[0].points" in answer
    assert "Something differs" in text_of(post(client, "{"))


def test_a_row_changed_since_an_export_is_found_with_it(client, finished):
    text = exported()
    Revision.objects.filter(pk=Revision.objects.first().pk).update(
        body={"type": "deal", "contract": "no-tricks", "declarer": 0,
              "counts": {"tricks": [4, 3, 3, 3]}}
    )  # fmt: skip

    answer = text_of(post(client, text))

    assert "Something differs" in answer
    assert "rounds[0].tables[0].game" in answer


@pytest.mark.parametrize("model", [Game, Round, Tournament])
def test_a_code_is_that_of_what_is_stored_or_not(client, finished, model):
    row = model.objects.exclude(digest="").first()

    told = text_of(post(client, code=letters_of(row.digest)))

    assert "Yes." in told
    assert finished.event.name in told
    model.objects.filter(digest=row.digest).update(digest="0" * 64)
    assert "No." in text_of(post(client, code=letters_of(row.digest)))


def test_who_may_not_see_it_learns_no_more_than_yes(client, finished):
    Event.objects.update(published=False)

    told = text_of(post(client, code=letters_of(Tournament.objects.get().digest)))

    assert "Yes." in told
    assert finished.event.name not in told


def test_nothing_given_and_wrong_letters_are_refused(client):
    assert post(client).status_code == 422
    assert post(client, code="BBBB BBBB BBBB").status_code == 422


def test_standings_show_their_code_and_lead_here(client, finished):
    page = client.get(f"/clubs/{finished.event.club.slug}/tournaments/{finished.slug}/standings/")

    assert letters_of(Tournament.objects.get().digest) in page.content.decode()
    assert "/verify/?code=" in page.content.decode()
