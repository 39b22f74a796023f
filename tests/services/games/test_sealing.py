from hashlib import sha256

import pytest

from tests.deals import deal
from tests.factories import ContextFactory, GameFactory, SetupFactory, record, reload
from tournaments.engine.documents.entries import parse_entry
from tournaments.engine.rules.rulesets import InvalidEntry
from tournaments.queries.sheets import LaterEntryInvalid
from tournaments.services.games import playing, writing

pytestmark = pytest.mark.django_db

BLIND = {"type": "deal", "contract": "no-men"}
MEN = deal("no-men", 2, 3, 1, 2)
QUEENS = deal("no-queens", 1, 2, 1, 0)


def blind_game(*entries):
    return GameFactory(head=SetupFactory(ruleset="turkish-king-blind"), entries=entries)


def sealed_game(*entries):
    return GameFactory(head=SetupFactory(ruleset="turkish-king-sealed"), entries=entries)


def context(game, **fields):
    game.refresh_from_db()
    return ContextFactory(revision=game.revision, **fields)


def seal(game, contract, **fields):
    return playing.seal_contract(game.pk, contract, context(game, **fields))


def reveal(game, position=None, **fields):
    position = reload(game).positions[-1] if position is None else position
    return playing.reveal_contract(game.pk, position, context(game, **fields))


def kinds(game):
    return [write.kind for write in reload(game).revisions]


def where(refused):
    return [(str(problem.code), problem.where) for problem in refused.value.problems]


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        ({"type": "void", "reason": "misdeal"}, {"contract": "no-men"}),
        ({"type": "stopped", "reason": "time"}, {}),
    ],
)
def test_deal_that_was_begun_can_end_without_counts(body, kept):
    game = blind_game(BLIND)
    sheet = record(game, body)
    assert sheet.body(0) == body | kept
    assert sheet.game.open_deal is None


def test_correction_of_an_open_deal_cannot_change_its_contract():
    game = blind_game(BLIND)
    with pytest.raises(LaterEntryInvalid) as refused:
        playing.correct_entry(game.pk, 0, parse_entry(QUEENS), "", context(game))
    assert where(refused) == [("open-deal", "contract")]


def test_open_deal_taken_back_frees_the_choice():
    game = blind_game(BLIND)
    playing.withdraw_entry(game.pk, 0, "", context(game))
    record(game, {"type": "deal", "contract": "no-queens"})
    assert record(game, QUEENS).positions == (1,)


def test_completion_sent_twice_is_stored_once():
    game = blind_game(BLIND)
    sent = context(game)
    playing.record_entry(game.pk, parse_entry(MEN), sent)
    playing.record_entry(game.pk, parse_entry(MEN), sent)
    assert kinds(game) == ["entry", "completion"]
    for other in (deal("no-men", 3, 2, 1, 2), QUEENS):
        with pytest.raises(writing.KeyReused):
            playing.record_entry(game.pk, parse_entry(other), sent)


def test_counts_and_their_correction_keep_the_proof():
    game = sealed_game()
    seal(game, "no-men")
    proof = reveal(game).body(0)
    assert record(game, MEN).body(0) == {**proof, "counts": MEN["counts"]}
    assert kinds(game) == ["entry", "reveal", "completion"]
    corrected = deal("no-men", 3, 2, 1, 2)
    sent = context(game)
    for _ in range(2):
        playing.correct_entry(game.pk, 0, parse_entry(corrected), "", sent)
    assert reload(game).body(0) == {**proof, "counts": corrected["counts"]}
    with pytest.raises(LaterEntryInvalid) as refused:
        playing.correct_entry(game.pk, 0, parse_entry(QUEENS), "", context(game))
    assert ("bad-seal", "sealed") in where(refused)


def test_whoever_made_a_seal_elsewhere_proves_it_with_the_counts():
    salt = "0f" * 16
    sealed = sha256(f"no-men:{salt}".encode()).hexdigest()
    game = sealed_game({"type": "deal", "sealed": sealed})
    with pytest.raises(playing.SealNotOurs):
        reveal(game)
    assert record(game, {**MEN, "salt": salt}).game.totals == (-120, -180, -60, -120)


def test_misdeal_under_a_seal_tells_nothing():
    game = sealed_game()
    seal(game, "no-men")
    assert record(game, {"type": "void", "reason": "misdeal"}).body(0) == {
        "type": "void",
        "reason": "misdeal",
    }


def test_contract_over_quota_is_void_at_the_reveal():
    game = sealed_game(MEN, MEN)
    seal(game, "no-men")

    sheet = reveal(game)

    body = sheet.body(2)
    assert (body["type"], body["reason"], body["contract"]) == ("void", "over-quota", "no-men")
    assert sha256(f"no-men:{body['salt']}".encode()).hexdigest() == body["sealed"]
    assert (sheet.game.declarer, sheet.game.open_deal) == (2, None)
    record(game, QUEENS)


def test_only_what_is_sealed_is_revealed():
    game = sealed_game()
    with pytest.raises(writing.NoSuchEntry):
        playing.reveal_contract(game.pk, 0, context(game))
    seal(game, "no-men")
    reveal(game)
    for position in (0, 1, 70000):
        with pytest.raises(writing.NoSuchEntry):
            playing.reveal_contract(game.pk, position, context(game))


@pytest.mark.parametrize(
    ("contract", "code"),
    [("no-such", "unknown-contract"), ("no-men:", "unknown-contract"), ("", "missing-field")],
)
def test_only_contracts_of_the_game_are_sealed(contract, code):
    with pytest.raises(InvalidEntry) as refused:
        seal(sealed_game(), contract)
    assert where(refused) == [(code, "contract")]
    with pytest.raises(InvalidEntry):
        seal(blind_game(), "no-men")


def test_contract_sealed_before_a_new_secret_is_revealed_with_the_old_one_beside_it(settings):
    game = sealed_game()
    seal(game, "no-men")

    old, settings.SECRET_KEY = settings.SECRET_KEY, "another server"
    with pytest.raises(playing.SealNotOurs):
        reveal(game)
    settings.SECRET_KEY_FALLBACKS = [old]
    sheet = reveal(game)

    assert sheet.game.open_deal.contract == "no-men"
