import html
import logging
import re
from hashlib import sha256
from http import HTTPStatus

import pytest
from django.apps import apps
from django.urls import reverse
from pypdf import PdfReader

from tests.deals import deal
from tests.factories import ContextFactory, record, reload
from tests.phones import TEMPLATES
from tests.web.games.table import fields_of, last, page_of, send, sentences, table_of, url
from tournaments import tasks
from tournaments.models import Report
from tournaments.services.games import playing


# Deal by deal as in docs/rules.md §1.5, in the order of its units.
def blind(*entries):
    return table_of("turkish-king-blind", *entries)


def choices(page):
    radios = re.findall(r'<input type="radio" name="contract"[^>]*>', TEMPLATES.sub("", page))
    ids = {re.search(r'value="([^"]+)"', radio)[1]: " disabled" not in radio for radio in radios}
    return [name for name, possible in ids.items() if possible]


def test_blind_deal_is_named_first_and_counted_later(phone):
    game = blind()
    page = page_of(phone, game)
    assert 'name="count-' not in TEMPLATES.sub("", page)
    assert len(choices(page)) == 7

    answer = send(phone, game, begun="yes", contract="trump", trump="hearts")

    assert last(game) == {"type": "deal", "contract": "trump", "trump": "hearts"}
    page = answer.content.decode()
    assert 'name="count-tricks-0"' in page
    assert 'class="contracts fixed"' in page
    assert "Being played" in page

    counts = {f"count-tricks-{seat}": n for seat, n in enumerate((6, 4, 1, 2))}
    send(phone, game, contract="trump", **counts)
    assert last(game) == deal("trump", 6, 4, 1, 2, trump="hearts")
    assert 'name="begun"' in page_of(phone, game)


def test_deal_that_is_being_played_can_only_be_taken_off_on_its_own_page(plain):
    game = blind({"type": "deal", "contract": "no-men"})
    page = page_of(plain, game, "entry", 0)
    assert 'value="correct"' not in page
    assert 'value="withdraw"' in page


def test_sealing_shows_the_hash_and_who_sealed(phone):
    game = sealed()
    assert "Hand the phone to Ayşe" in page_of(phone, game)

    answer = seal(phone, game, "no-men")

    published = last(game)["sealed"]
    page = answer.content.decode()
    assert "Sealed by Ayşe" in page
    assert published in page
    assert f"<code>{published[:8]}</code>" in page
    assert choices(page) == []


def test_reveal_shows_the_contract_with_its_proof_and_asks_for_the_counts(phone):
    game = sealed()
    seal(phone, game, "no-men")
    published = last(game)["sealed"]

    page = reveal(phone, game).content.decode()

    salt = last(game)["salt"]
    assert sha256(f"no-men:{salt}".encode()).hexdigest() == published
    assert f"printf %s no-men:{salt} | sha256sum" in page
    assert published in page
    send(phone, game, **fields_of(MEN))
    assert reload(game).game.totals == (-120, -180, -60, -120)
    assert last(game)["salt"] == salt


def test_proof_stays_on_the_page_of_the_deal(plain):
    game = sealed()
    seal(plain, game, "no-men")
    assert "sha256sum" not in page_of(plain, game, "entry", 0)
    reveal(plain, game)
    record(game, MEN)
    assert f"no-men:{last(game)['salt']}" in page_of(plain, game, "entry", 0)


def test_refused_seal_brings_no_choice_back(phone):
    game = sealed(MEN)
    for fields in ({"revision": "0"}, {"key": "short"}):
        page = seal(phone, game, "last-two", **fields).content.decode()
        radio = re.search(r'<input type="radio" name="contract" value="last-two"[^>]*>', page)[0]
        assert " checked" not in radio


def test_nothing_is_sealed_without_a_contract(phone):
    game = sealed()
    for contract in ("", "no-such"):
        answer = seal(phone, game, contract)
        assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
        assert any("ontract" in sentence for sentence in sentences(answer))
    assert reload(game).positions == ()


GUESSES = ("no-queens", "trump", "no-men", "last-two")


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
        for guess in (*GUESSES, "", "no-such")
    ]

    assert answers[0][0] == (HTTPStatus.OK if asked else HTTPStatus.FOUND)
    assert answers == answers[:1] * len(answers)
    assert len(reload(game).revisions) == 2


def answers_to_guesses(client, game):
    fields = {"type": "void", "reason": "over-quota"}
    return [
        seen_of(answer, game)
        for guess in GUESSES
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


MEN = deal("no-men", 2, 3, 1, 2)
QUEENS = deal("no-queens", 1, 2, 1, 0)


def sealed(*entries):
    return table_of("turkish-king-sealed", *entries)


def seal(client, game, contract, **fields):
    return send(client, game, "seal", contract=contract, **fields)


def reveal(client, game, **fields):
    return send(client, game, "reveal", position=str(reload(game).positions[-1]), **fields)
