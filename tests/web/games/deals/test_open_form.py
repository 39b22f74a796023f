import re
from hashlib import sha256
from http import HTTPStatus

from tests.deals import deal
from tests.factories import record, reload
from tests.phones import TEMPLATES
from tests.web.games.deals.sealing import MEN, reveal, seal, sealed
from tests.web.games.table import fields_of, last, page_of, send, sentences, table_of


# Deal by deal as in docs/rules.md §1.5, in the order of its units.
def blind(*entries):
    return table_of("turkish-king-blind", *entries)


def choices(page):
    """The contracts a page lets choose, and those it shows without."""
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
