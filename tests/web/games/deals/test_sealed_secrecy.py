import html
import logging
import re
from http import HTTPStatus

import pytest
from django.apps import apps
from django.urls import reverse
from pypdf import PdfReader

from tests.factories import ContextFactory, reload
from tests.web.games.deals.sealing import MEN, QUEENS, reveal, seal, sealed
from tests.web.games.table import last, page_of, send, url
from tournaments import tasks
from tournaments.engine.variants import RULESETS
from tournaments.models import Report
from tournaments.services.games import playing

CONTRACTS = tuple(RULESETS["turkish-king-sealed"].by_id)


def everything_seen(client, game):
    """Every page, fragment, record and document of a game, without what names the game itself."""
    game.refresh_from_db()
    own = [url(game, name) for name in ("write", "head", "pen", "history", "delete")]
    own.append(url(game, "entry", reload(game).positions[-1]))
    shown = [reverse(n, args=[game.public_id, game.secret("follow")]) for n in FOLLOWED]
    seen = []
    for path in (*own, *shown, "/"):
        for fragment in ({}, {"HTTP_HX_REQUEST": "true"}):
            answer = client.get(path, **fragment)
            assert answer.status_code == HTTPStatus.OK, path
            seen += [path, b"".join(answer).decode()]
    seen += [str(client.get(own[0]).headers), *document_of(client, game)]
    return seen


FOLLOWED = ("follow", "follow_record")


def document_of(client, game):
    client.post(reverse("follow_scoresheet", args=[game.public_id, game.secret("follow")]))
    row = Report.objects.get(game=game)
    tasks.build_report(row.pk)
    row.refresh_from_db()
    with row.file.open() as file:
        text = "".join(page.extract_text() for page in PdfReader(file).pages)
    return text, repr(row.parameters)


def without_names(text, game):
    """A page without what is different from one table, or from one moment, to the next."""
    text = html.unescape(text)
    published = last(game)["sealed"]
    own = [game.secret(kind) for kind in ("write", "pen", "follow")]
    own += [game.open_table.public_id, game.open_table.secret()]
    for name in (published, published[:8], game.public_id, *own):
        text = text.replace(name, "…")
    text = re.sub(r'name="(csrfmiddlewaretoken|key)" value="[^"]*"', r"\1", text)
    text = re.sub(r"(?s)<svg.*?</svg>|csrftoken=[^;]*|reports/\d+/[^/]+", "", text)
    return re.sub(r"nonce-[^']+|[0-9a-f]{32,}|\d\d:\d\d(:\d\d)?(\.\d+)?|pk=\d+", "", text)


def sealed_with(contract, number):
    game = sealed(MEN)
    context = ContextFactory(revision=1, key=f"the-key-of-the-seal-{number}")
    playing.seal_contract(game.pk, contract, context)
    return game


def test_nothing_that_can_be_seen_tells_what_was_sealed(client, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    seen = []
    for number, contract in enumerate(("no-queens", "trump", "no-queens")):
        guest = client.__class__(HTTP_ACCEPT_LANGUAGE="en")
        game = sealed_with(contract, number)
        texts = everything_seen(guest, game)
        seen.append([without_names(text, game) for text in texts])
        salt = playing.reveal_contract(game.pk, 1, ContextFactory(revision=2)).body(1)["salt"]
        assert not [text for text in texts if salt in text]
    for one, other, again in zip(*seen, strict=True):
        assert one == other == again


def test_no_row_and_no_log_holds_contract_or_salt_before_the_reveal(phone, caplog, tmp_path):
    caplog.set_level(logging.DEBUG)
    game = sealed(QUEENS)
    page_of(phone, game)
    seal(phone, game, "last-two", key="the-key-of-the-seal")
    send(phone, game, "seal", contract="last-two", revision="0")
    page_of(phone, game)
    rows = repr([list(model.objects.values()) for model in apps.get_models() if model.objects])
    logs = caplog.text

    reveal(phone, game)

    assert game.public_id in rows
    for secret in ("last-two", last(game)["salt"]):
        assert secret not in rows
        assert secret not in logs


# Whoever knows the key of the sealing can send it again, with a guess.


def seen_of(answer, game):
    """Status, headers, length and text of an answer, without what is another one each time."""
    headers = {name: re.sub(r"nonce-[^']+", "", text) for name, text in answer.headers.items()}
    headers |= {"X-Request-ID": "", "Expires": ""}
    text = answer.content.decode()
    return answer.status_code, headers, len(text), without_names(text, game)


@pytest.mark.parametrize("asked", [{}, {"HTTP_HX_REQUEST": "true"}], ids=["page", "fragment"])
def test_repeat_of_a_key_is_answered_alike_whatever_contract_it_carries(client, asked):
    game = sealed_with("no-queens", 1)
    fields = {"key": "the-key-of-the-seal-1", "revision": "1"}

    answers = [
        seen_of(client.post(url(game, "seal"), {**fields, "contract": guess}, **asked), game)
        for guess in (*CONTRACTS, "", "no-such")
    ]

    assert answers[0][0] == (HTTPStatus.OK if asked else HTTPStatus.FOUND)
    assert answers == answers[:1] * len(answers)
    assert len(reload(game).revisions) == 2


def answers_to_guesses(client, game):
    """Return the answer to every guess at every address that takes a contract."""
    fields = {"type": "void", "reason": "over-quota"}
    return [
        seen_of(answer, game)
        for guess in CONTRACTS
        for answer in (
            seal(client, game, guess),
            seal(client, game, guess, revision="1"),
            send(client, game, contract=guess),
            send(client, game, contract=guess, **fields),
            send(client, game, "entry", 1, action="correct", contract=guess),
        )
    ]


def test_no_guess_is_answered_by_what_was_sealed(phone):
    one, other = (answers_to_guesses(phone, sealed_with(each, 1)) for each in ("trump", "no-men"))
    assert one == other
