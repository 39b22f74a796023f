"""Deals begun before they are counted, at the table page: named blind, sealed, revealed."""

import re
from hashlib import sha256
from http import HTTPStatus

import pytest
from django.urls import reverse

from tests.deals import deal
from tests.factories import GameFactory, HeadFactory, record, reload
from tests.phones import TEMPLATES
from tests.web.scoring.test_scoring import fields_of, send, sentences, url, value_of

pytestmark = pytest.mark.django_db

MEN = deal("no-men", 2, 3, 1, 2)
QUEENS = deal("no-queens", 1, 2, 1, 0)
# Deal by deal as in docs/rules.md §1.5, in the order of its units.
ALL_UNITS = {
    "tricks": (4, 3, 5, 1),
    "hearts": (5, 2, 6, 0),
    "men": (3, 1, 3, 1),
    "queens": (1, 2, 1, 0),
    "heart_king": (1, 0, 0, 0),
    "last_two": (0, 1, 1, 0),
}


@pytest.fixture
def phone(client):
    """A browser in English that asks for fragments, as the table's scripts do."""
    client.defaults |= {"HTTP_ACCEPT_LANGUAGE": "en", "HTTP_HX_REQUEST": "true"}
    return client


@pytest.fixture
def plain(client):
    """A browser in English without scripts."""
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "en"
    return client


def table_of(ruleset, *entries):
    return reload(GameFactory(head=HeadFactory(ruleset=ruleset), entries=entries)).row


def blind(*entries):
    return table_of("turkish-king-blind", *entries)


def sealed(*entries):
    return table_of("turkish-king-sealed", *entries)


def page_of(client, game, *more):
    return client.get(url(game, *(more or ["write"]))).content.decode()


def seal(client, game, contract, **fields):
    return send(client, game, "seal", contract=contract, **fields)


def reveal(client, game, **fields):
    return send(client, game, "reveal", position=str(reload(game).positions[-1]), **fields)


def last(game):
    sheet = reload(game)
    return sheet.body(sheet.positions[-1])


def choices(page):
    """The contracts a page lets choose, and those it shows without."""
    radios = re.findall(r'<input type="radio" name="contract"[^>]*>', TEMPLATES.sub("", page))
    ids = {re.search(r'value="([^"]+)"', radio)[1]: " disabled" not in radio for radio in radios}
    return [name for name, possible in ids.items() if possible]


# Named blind.


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


def test_blind_deal_without_a_contract_is_refused(phone):
    game = blind()
    answer = send(phone, game, begun="yes")
    assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert "Contract: nothing is written here yet." in sentences(answer)


def test_contract_used_up_cannot_be_named_blind(phone):
    game = blind(MEN, MEN)
    assert "no-men" not in choices(page_of(phone, game))
    answer = send(phone, game, begun="yes", contract="no-men")
    assert "No men has been played 2 times already." in sentences(answer)
    assert len(reload(game).positions) == 2


def test_blind_contract_cannot_be_changed_by_the_counts(phone):
    game = blind({"type": "deal", "contract": "no-men"})
    answer = send(phone, game, **fields_of(QUEENS))
    assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert last(game) == {"type": "deal", "contract": "no-men"}


def test_impossible_counts_come_back_under_the_named_contract(phone):
    game = blind({"type": "deal", "contract": "no-men"})
    answer = send(phone, game, contract="no-men", **{"count-men-0": "5", "count-men-1": "5"})
    assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert value_of(answer, "count-men-0") == "5"
    assert 'class="contracts fixed"' in answer.content.decode()


def test_one_queen_each_is_played_again_under_the_named_contract(phone):
    game = blind({"type": "deal", "contract": "no-queens"})
    send(phone, game, type="void", contract="no-queens")
    assert last(game) == {"type": "void", "contract": "no-queens", "reason": "one-each"}


@pytest.mark.parametrize(
    "fields", [{"type": "void", "reason": "misdeal"}, {"type": "stopped", "reason": "time"}]
)
def test_deal_that_was_begun_ends_without_counts(phone, fields):
    game = blind({"type": "deal", "contract": "no-men"})
    assert send(phone, game, **fields).status_code == HTTPStatus.OK
    assert last(game)["type"] == fields["type"]
    assert len(reload(game).positions) == 1


def test_undo_takes_the_named_contract_back(phone):
    game = blind({"type": "deal", "contract": "no-men"})
    send(phone, game, "undo", position="0")
    assert reload(game).positions == ()
    assert 'name="begun"' in page_of(phone, game)


def test_two_phones_that_count_the_same_write_it_once(phone):
    game = blind({"type": "deal", "contract": "no-men"})
    record(game, MEN)
    answer = send(phone, game, revision="1", **fields_of(MEN))
    assert answer.status_code == HTTPStatus.CONFLICT
    assert 'data-same="2"' in answer.content.decode()


def test_deal_that_is_being_played_can_only_be_taken_off_on_its_own_page(plain):
    game = blind({"type": "deal", "contract": "no-men"})
    page = page_of(plain, game, "entry", 0)
    assert 'value="correct"' not in page
    assert 'value="withdraw"' in page


def test_completed_deal_does_not_look_corrected(phone):
    game = blind({"type": "deal", "contract": "no-men"}, MEN)
    assert "✎" not in page_of(phone, game)


# Sealed.


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


@pytest.mark.parametrize(
    ("contract", "points"), [("no-men", (-180, -60, -180, -60)), ("trump", (200, 150, 250, 50))]
)
def test_all_units_of_the_rules_are_written_after_the_reveal(phone, contract, points):
    game = sealed()
    seal(phone, game, contract)
    reveal(phone, game)
    counts = {
        f"count-{unit}-{seat}": number
        for unit, numbers in ALL_UNITS.items()
        for seat, number in enumerate(numbers)
    }
    answer = send(phone, game, contract=contract, all_units="yes", **counts)
    assert answer.status_code == HTTPStatus.OK
    assert reload(game).game.totals == points


def test_contract_over_quota_becomes_void_with_its_explanation(phone):
    game = sealed(MEN, MEN)
    assert "no-men" in choices(page_of(phone, game))
    seal(phone, game, "no-men")

    page = reveal(phone, game).content.decode()

    assert (last(game)["type"], last(game)["reason"]) == ("void", "over-quota")
    assert "No men had been sealed: this deal is played again." in page
    assert "No men has been played 2 times already." in page
    assert last(game)["salt"] in page
    assert "Hand the phone to Cem" in page


def test_proof_stays_on_the_page_of_the_deal(plain):
    game = sealed()
    seal(plain, game, "no-men")
    assert "sha256sum" not in page_of(plain, game, "entry", 0)
    reveal(plain, game)
    record(game, MEN)
    assert f"no-men:{last(game)['salt']}" in page_of(plain, game, "entry", 0)


def test_corrected_deal_keeps_its_seal(plain):
    game = sealed()
    seal(plain, game, "no-men")
    reveal(plain, game)
    record(game, MEN)
    proof = {name: last(game)[name] for name in ("sealed", "salt")}
    corrected = deal("no-men", 3, 2, 1, 2)
    send(plain, game, "entry", 0, action="correct", **fields_of(corrected))
    assert last(game) == {**corrected, **proof}
    send(plain, game, "entry", 0, action="correct", **fields_of(QUEENS))
    assert last(game) == {**corrected, **proof}


def test_nothing_is_sealed_without_a_contract(phone):
    game = sealed()
    for contract in ("", "no-such"):
        answer = seal(phone, game, contract)
        assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
        assert any("ontract" in sentence for sentence in sentences(answer))
    assert reload(game).positions == ()


def test_refused_seal_brings_no_choice_back(phone):
    game = sealed(MEN)
    for fields in ({"revision": "0"}, {"key": "short"}):
        page = seal(phone, game, "last-two", **fields).content.decode()
        radio = re.search(r'<input type="radio" name="contract" value="last-two"[^>]*>', page)[0]
        assert " checked" not in radio


def test_contract_is_sealed_and_revealed_without_scripts(plain):
    game = sealed()
    assert seal(plain, game, "no-men").status_code == HTTPStatus.FOUND
    assert reveal(plain, game).status_code == HTTPStatus.FOUND
    assert last(game)["contract"] == "no-men"


def test_second_reveal_finds_it_revealed(phone):
    game = sealed()
    seal(phone, game, "no-men")
    reveal(phone, game)
    answer = send(phone, game, "reveal", position="0", revision="1")
    assert answer.status_code == HTTPStatus.CONFLICT
    assert [write.kind for write in reload(game).writes] == ["entry", "reveal"]


def test_seal_made_elsewhere_is_not_revealed_here(phone):
    game = sealed({"type": "deal", "sealed": "0a" * 32})
    answer = reveal(phone, game)
    assert answer.status_code == HTTPStatus.CONFLICT
    assert "This seal was not made here: whoever made it has to prove it." in sentences(answer)


def test_whoever_only_follows_can_neither_seal_nor_reveal(client):
    game = sealed()
    for name in ("seal", "reveal"):
        path = reverse(name, args=[game.public_id, game.secret("follow")])
        answer = client.post(path, {"contract": "no-men", "key": "key-of-a-guest", "revision": 0})
        assert answer.status_code == HTTPStatus.NOT_FOUND
    assert reload(game).positions == ()


def test_address_to_seal_leads_back_to_the_sheet(plain):
    game = sealed()
    for name in ("seal", "reveal"):
        assert plain.get(url(game, name)).status_code == HTTPStatus.FOUND
