import pytest

from tests.api.answers import faults
from tests.api.games.start import HEAD
from tests.deals import WHOLE_GAME, deal
from tests.factories import GameFactory, HouseRulesetFactory
from tournaments.api.access import token_of
from tournaments.models import Game, Revision
from tournaments.queries.sheets import ruleset_of

pytestmark = pytest.mark.django_db


def test_record_is_taken_over_whole_with_its_moment(program):
    record = HEAD | {
        "format": "kingscore-game/1",
        "entries": list(WHOLE_GAME),
        "played_at": "2026-11-20T22:30:00+03:00",
    }
    game = program.post("games/", record).json()
    assert game["result"]["totals"] == [540, -110, -330, -100]
    assert (game["revision"], game["played_at"]) == (20, "2026-11-20T19:30:00Z")
    row = Game.objects.get()
    assert row.result["totals"] == [540, -110, -330, -100]


def test_record_with_one_impossible_entry_leaves_nothing_behind(program):
    wrong = [*WHOLE_GAME[:3], deal("heart-king", 1, 1, 0, 0)]
    answer = program.post("games/", HEAD | {"entries": wrong})
    assert (answer.status_code, faults(answer)) == (
        422,
        [("wrong-total", "entries.3.counts.heart_king")],
    )
    assert not Game.objects.exists()
    assert not Revision.objects.exists()


def test_record_of_house_rules_is_played_by_the_document_it_brings(program):
    document = HouseRulesetFactory.build().document
    game = program.post("games/", HEAD | {"ruleset": document}).json()
    row = Game.objects.get()
    assert (game["ruleset"], row.document["id"]) == (document["id"], document["id"])
    own_name = document | {"id": "turkish-king"}
    program.post("games/", HEAD | {"ruleset": own_name})
    assert Game.objects.get(ruleset="turkish-king").document["id"] == "turkish-king"


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        ({"ruleset": "no-such"}, ("unknown-ruleset", "ruleset")),
        ({"ruleset": {}}, ("missing-field", "ruleset.format")),
        ({"options": {"king": "maybe"}}, ("unknown-option", "options.king")),
        ({"played_at": "2126-01-01"}, ("wrong-type", "played_at")),
        ({"format": "kingscore-game/2"}, ("invalid-choice", "format")),
        ({"entries": [{}] * 201}, ("max-length", "entries")),
        ({"match": {"length": "best-of", "number": 0}}, ("min-value", "match.number")),
    ],
)
def test_impossible_setup_is_refused_at_its_place(program, said, fault):
    answer = program.post("games/", HEAD | said)
    assert answer.status_code == 422
    assert fault in faults(answer)
    assert not Game.objects.exists()


def form_of(program, row):
    return program.with_token(token_of(row, "follow")).get(f"games/{row.public_id}/form/").json()


def test_form_tells_the_rules_and_what_is_left(program):
    row = GameFactory(entries=WHOLE_GAME[:2])
    form = form_of(program, row)
    assert form["rules"] == program.get(f"rulesets/{row.ruleset}/").json()
    assert form["rules"]["settings"] == dict(ruleset_of(row).settings)
    assert form["rules"]["contracts"][-1]["name"] == "Trump"
    assert (form["revision"], form["finished"], form["open_deal"]) == (2, False, None)
    following = form["next"]
    assert (following["deal"], following["declarer"]) == (3, 2)
    assert following["left"][0] == {"penalty": 2, "trump": 2}
    assert following["declared"][0] == {"heart-king": 1}
    lefts = {c["id"]: c["left"] for c in form["contracts"]}
    assert (lefts["heart-king"], lefts["no-men"]) == (1, 2)
    assert {"deal", "adjustment", "stopped"} <= set(form["types"])


def test_form_says_why_a_contract_cannot_be_named(program):
    row = GameFactory(entries=[WHOLE_GAME[0], WHOLE_GAME[11]])
    rifki = next(c for c in form_of(program, row)["contracts"] if c["id"] == "heart-king")
    assert (rifki["legal"], rifki["left"]) == (False, 0)
    assert [p["code"] for p in rifki["problems"]] == ["contract-used-up"]
    assert rifki["problems"][0]["message"]


def test_form_of_a_deal_that_is_begun_and_of_a_game_that_is_over(program):
    begun = {"type": "deal", "contract": "no-queens"}
    blind = GameFactory(head__ruleset="turkish-king-blind", entries=[begun])
    form = form_of(program, blind)
    assert form["open_deal"] == begun
    assert "adjustment" not in form["types"]
    over = form_of(program, GameFactory(entries=WHOLE_GAME))
    assert (over["finished"], over["types"]) == (True, ["adjustment"])
    assert (over["contracts"], over["stops"]) == ([], [])
