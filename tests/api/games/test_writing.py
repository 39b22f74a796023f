"""Games written by programs: started, entered one by one and several at once, corrected, sealed."""

from dataclasses import replace

import pytest

from tests.api.conftest import HEAD, faults, phone_of, refused
from tests.club_factories import AccountFactory
from tests.deals import NAMES, WHOLE_GAME, deal
from tests.factories import GameFactory, HouseRulesetFactory
from tournaments.api.access import token_of
from tournaments.engine.variants import RULESETS
from tournaments.models import Game, IdempotencyRecord
from tournaments.queries.sheets import ruleset_of

pytestmark = pytest.mark.django_db


RIFKI, QUEENS = WHOLE_GAME[:2]
OTHER_RIFKI = deal("heart-king", 1, 0, 0, 0)
BEGUN = {"type": "deal", "contract": "no-queens"}


@pytest.fixture
def two_deals(program):
    return phone_of(program, GameFactory(entries=[RIFKI, QUEENS]))


def test_corrected_and_withdrawn_entries_stay_in_the_log_and_with_the_entry(two_deals):
    phone, game = two_deals
    said = {"entry": OTHER_RIFKI, "reason": "wrong seat", "author": "Ayşe"}
    put = phone.put(f"{game}entries/0/", said, If_Match='"2"')
    phone.delete(f"{game}entries/1/?reason=misdealt&author=Cem", If_Match=put["ETag"])

    lines = phone.get(f"{game}log/").json()["results"]
    told = [(w["revision"], w["kind"], w["position"], w["author"], w["reason"]) for w in lines]
    assert [each[:3] for each in told[:2]] == [(1, "entry", 0), (2, "entry", 1)]
    assert told[2:] == [
        (3, "correction", 0, "Ayşe", "wrong seat"),
        (4, "withdrawal", 1, "Cem", "misdealt"),
    ]
    assert [w["entry"] for w in lines[2:]] == [OTHER_RIFKI, None]
    assert lines[0]["at"].endswith("Z")
    assert {"key"} & lines[0].keys() == set()
    of_first = phone.get(f"{game}log/?position=0&ordering=-revision").json()["results"]
    assert [w["revision"] for w in of_first] == [3, 1]

    entry = phone.get(f"{game}entries/0/").json()
    assert (entry["position"], entry["entry"]) == (0, OTHER_RIFKI)
    assert [w["entry"] for w in entry["versions"]] == [RIFKI, OTHER_RIFKI]
    assert refused(phone.get(f"{game}entries/7/")) == (404, "no-such-entry")


def test_entry_that_makes_a_later_one_impossible_says_which(program):
    phone, game = phone_of(program, GameFactory(entries=[RIFKI, QUEENS, QUEENS]))
    denied = phone.put(f"{game}entries/0/", {"entry": QUEENS}, If_Match='"3"')
    assert refused(denied) == (422, "later-entry-invalid")
    assert denied.json()["position"] == 2


def test_totals_end_a_game_and_are_corrected_as_a_whole(program):
    phone, game = phone_of(program, GameFactory())
    denied = phone.post(f"{game}totals/", {"totals": [540, -110, -330, 0]})
    assert faults(denied) == [("bad-sum", "totals")]
    halves = {"totals": [540, "-221/2", "-659/2", -100]}
    key, later = {"Idempotency_Key": "of-the-totals-1"}, {"Idempotency_Key": "corrected-1"}
    ended = phone.post(f"{game}totals/", halves, **key)
    assert (ended.status_code, ended.json()["result"]["finished"]) == (201, True)
    assert ended.json()["result"]["totals"] == halves["totals"]

    right = {"totals": [0, 60, -40, -20], "reason": "misread"}
    assert refused(phone.post(f"{game}totals/", right)) == (428, "if-match-needed")
    stale = phone.post(f"{game}totals/", right, If_Match='"0"')
    assert refused(stale) == (412, "changed-meanwhile")
    done = phone.post(f"{game}totals/", right, If_Match=ended["ETag"], **later)
    assert (done.status_code, done["ETag"]) == (200, '"2"')
    IdempotencyRecord.objects.all().delete()
    for body, repeat in ((halves, key), (right, later)):
        again = phone.post(f"{game}totals/", body, **repeat)
        assert again.json()["result"]["totals"] == right["totals"]


TOTALS = {"type": "totals", "totals": [100, -60, -20, -20]}
WRONG = {"type": "totals", "totals": [7000, -60, -20, -20]}
OLD = {"type": "adjustment", "seat": 0, "points": 7000, "to": "none", "reason": "totals"}


@pytest.mark.parametrize(
    ("entry", "fault"),
    [
        (WRONG, ("bad-sum", "entry.totals")),
        ({**TOTALS, "totals": [100, -100]}, ("wrong-seats", "entry.totals")),
        ({**WRONG, "unchecked": True}, ("unexpected-field", "entry.unchecked")),
        ({**TOTALS, "imported": True}, ("unexpected-field", "entry.imported")),
        (OLD, ("bad-adjustment", "entry.reason")),
        ({**OLD, "reason": "imported"}, ("bad-adjustment", "entry.reason")),
    ],
)
def test_no_way_leads_around_the_check_of_totals(program, entry, fault):
    phone, game = phone_of(program, GameFactory())
    code, where = fault
    alone = phone.post(f"{game}entries/", {"entry": entry})
    several = phone.post(f"{game}entries/batch/", {"entries": [{"entry": entry}]})
    ended = phone.post(f"{game}entries/", {"entry": TOTALS})
    corrected = phone.put(f"{game}entries/0/", {"entry": entry}, If_Match=ended["ETag"])
    assert [faults(each) for each in (alone, several, corrected)] == [
        [fault],
        [(code, f"entries.0.{where}")],
        [fault],
    ]
    assert phone.get(f"{game}result/").json()["totals"] == TOTALS["totals"]


def test_stale_write_is_answered_with_the_revision_there_is(two_deals):
    phone, game = two_deals
    for answer in (
        phone.post(f"{game}entries/", {"entry": RIFKI}, If_Match='"1"'),
        phone.put(f"{game}entries/0/", {"entry": OTHER_RIFKI}, If_Match='"1"'),
        phone.delete(f"{game}entries/0/", If_Match='"nonsense"'),
        phone.patch(game, {"title": "Friday"}, If_Match='"1"'),
        phone.delete(game, If_Match='"1"'),
    ):
        assert refused(answer) == (412, "changed-meanwhile")
        assert (answer.json()["revision"], answer["ETag"]) == (2, '"2"')


def test_correction_has_to_say_of_which_revision_it_is_and_its_key_is_for_no_other(two_deals):
    phone, game = two_deals
    body, key = {"entry": OTHER_RIFKI}, {"Idempotency_Key": "abcdefgh-1"}
    assert refused(phone.put(f"{game}entries/0/", body)) == (428, "if-match-needed")
    first, again = (phone.put(f"{game}entries/0/", body, If_Match='"2"', **key) for _ in range(2))
    assert (again.status_code, again.json()) == (200, first.json())
    other = phone.put(f"{game}entries/1/", {"entry": QUEENS}, If_Match='"3"', **key)
    assert refused(other) == (422, "key-reused")


@pytest.mark.parametrize("entry", ["deal", None])
def test_entry_that_is_no_object_is_a_problem_even_while_a_deal_is_open(program, entry):
    row = GameFactory(head__ruleset="turkish-king-blind", entries=[BEGUN])
    phone, game = phone_of(program, row)
    for answer in (
        phone.post(f"{game}entries/", {"entry": entry}),
        phone.put(f"{game}entries/0/", {"entry": entry}, If_Match='"1"'),
    ):
        assert [where for _code, where in faults(answer)] == ["entry"]


def test_contract_is_sealed_and_revealed(program):
    phone, game = phone_of(program, GameFactory(head__ruleset="turkish-king-sealed"))
    sealed = phone.post(f"{game}seal/", {"contract": "no-queens"})
    assert sealed.status_code == 201
    assert "no-queens" not in str(sealed.json()["entries"])
    revealed = phone.post(f"{game}entries/0/reveal/", {})
    assert revealed.status_code == 200
    assert revealed.json()["entries"][0]["entry"]["contract"] == "no-queens"
    assert refused(phone.post(f"{game}entries/0/reveal/", {})) == (404, "no-such-entry")


@pytest.mark.parametrize("kept", [True, False], ids=["answer-kept", "answer-forgotten"])
def test_repeat_of_a_key_is_answered_alike_whatever_contract_it_carries(program, kept):
    row = GameFactory(head__ruleset="turkish-king-sealed")
    phone, game = phone_of(program, row)
    key = {"Idempotency_Key": "key-of-the-seal"}
    first = phone.post(f"{game}seal/", {"contract": "no-queens"}, **key)
    answers = []
    for guess in (*RULESETS["turkish-king-sealed"].by_id, "no-such"):
        if not kept:
            IdempotencyRecord.objects.all().delete()
        again = phone.post(f"{game}seal/", {"contract": guess}, **key)
        headers = dict(again.headers) | {"X-Request-ID": "", "RateLimit": ""}
        answers.append((again.status_code, headers, again.content))

    assert (answers[0][0], answers[0][2]) == (201, first.content)
    assert answers == answers[:1] * len(answers)


def test_setup_is_corrected_and_the_table_deleted(two_deals):
    phone, game = two_deals
    head = phone.patch(game, {"title": "Friday"}, If_Match='"2"').json()
    assert (head["title"], head["players"], head["revision"]) == ("Friday", list(NAMES), 3)
    assert phone.delete(game, If_Match='"3"').status_code == 204
    assert not Game.objects.exists()


def test_stake_is_chosen_changed_and_given_up(program):
    stake = {"per": "sinking", "amount": "1/2", "thing": "çay"}
    started = program.post("games/", HEAD | {"stake": stake}).json()
    phone, game = program.with_token(started["keys"]["write"]), f"games/{started['id']}/"
    assert (started["stake"], phone.get(f"{game}record/").json()["stake"]) == (stake, stake)
    # What else is changed leaves it.
    assert phone.patch(game, {"title": "Friday"}, If_Match='"0"').json()["stake"] == stake
    money = {"per": "point", "amount": 2}
    changed = phone.patch(game, {"stake": money}, If_Match='"1"').json()
    assert changed["stake"] == money | {"thing": ""}
    wrong = [{**money, **part} for part in ({"per": "odds"}, {"amount": 0}, {"thing": "x" * 21})]
    assert [faults(phone.patch(game, {"stake": s}, If_Match='"2"'))[0][1] for s in wrong] == [
        "stake.per",
        "stake.amount",
        "stake.thing",
    ]
    assert phone.patch(game, {"stake": None}, If_Match='"2"').json()["stake"] is None
    assert "stake" not in phone.get(f"{game}record/").json()


def test_record_is_taken_over_whole_with_its_moment(program):
    more = {"format": "kingscore-game/1", "played_at": "2026-11-20T22:30:00+03:00"}
    game = program.post("games/", HEAD | more | {"entries": list(WHOLE_GAME)}).json()
    assert game["result"]["totals"] == [540, -110, -330, -100]
    assert (game["revision"], game["played_at"]) == (20, "2026-11-20T19:30:00Z")


def test_record_of_house_rules_is_played_by_the_document_it_brings(program):
    document = HouseRulesetFactory.build().document
    # A ruleset of the program may have the same name.
    for name in (document["id"], "turkish-king"):
        game = program.post("games/", HEAD | {"ruleset": document | {"id": name}}).json()
        assert game["ruleset"] == name
        assert Game.objects.get(public_id=game["id"]).document["id"] == name


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        ({"ruleset": "no-such"}, ("unknown-ruleset", "ruleset")),
        ({"ruleset": {}}, ("missing-field", "ruleset.format")),
        ({"options": {"king": "maybe"}}, ("unknown-option", "options.king")),
        ({"played_at": "2126-01-01"}, ("wrong-type", "played_at")),
        ({"format": "kingscore-game/2"}, ("invalid-choice", "format")),
        ({"entries": [{}] * 201}, ("max-length", "entries")),
        (
            {"entries": [*WHOLE_GAME[:3], deal("heart-king", 1, 1, 0, 0)]},
            ("wrong-total", "entries.3.counts.heart_king"),
        ),
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
    row = GameFactory(entries=[WHOLE_GAME[0], WHOLE_GAME[11]])
    form = form_of(program, row)
    assert form["rules"] == program.get(f"rulesets/{row.ruleset}/").json()
    assert form["rules"]["settings"] == dict(ruleset_of(row).settings)
    assert (form["revision"], form["finished"], form["open_deal"]) == (2, False, None)
    following = form["next"]
    assert (following["deal"], following["declarer"]) == (3, 2)
    assert following["declared"][0] == {"heart-king": 1}
    assert {"deal", "adjustment", "stopped"} <= set(form["types"])
    contracts = {contract["id"]: contract for contract in form["contracts"]}
    assert contracts["no-men"]["left"] == 2
    rifki = contracts["heart-king"]
    assert (rifki["legal"], rifki["left"]) == (False, 0)
    assert [p["code"] for p in rifki["problems"]] == ["contract-used-up"]
    assert rifki["problems"][0]["message"]


def test_form_of_a_deal_that_is_begun_and_of_a_game_that_is_over(program):
    form = form_of(program, GameFactory(head__ruleset="turkish-king-blind", entries=[BEGUN]))
    assert form["open_deal"] == BEGUN
    assert form["types"] == ["deal", "void", "stopped"]
    over = form_of(program, GameFactory(entries=WHOLE_GAME))
    assert (over["finished"], over["types"]) == (True, ["adjustment"])
    assert (over["contracts"], over["stops"]) == ([], [])


def test_same_key_of_another_token_or_place_is_not_shown_what_the_first_was(program):
    user, key = AccountFactory(), {"Idempotency_Key": "abcdefgh-3"}
    elsewhere = replace(program, client=type(program.client)(REMOTE_ADDR="192.0.2.7"))
    askers = program.as_(user), program.as_(user, "read"), program, elsewhere
    started = [asker.post("games/", HEAD, **key).json() for asker in askers]
    assert len({game["id"] for game in started}) == len(askers)
    assert [asker.post("games/", HEAD, **key).json() for asker in askers] == started


TWO_KINGS = deal("heart-king", 1, 1, 0, 0)


def keyed(bodies):
    return [{"key": f"of-deal-{number}", "entry": body} for number, body in enumerate(bodies)]


@pytest.fixture
def phone(program):
    return program.with_token(token_of(GameFactory(), "write"))


@pytest.fixture
def path(phone):
    return f"games/{Game.objects.get().public_id}/"


def written(phone, path):
    return [each["entry"] for each in phone.get(path).json()["entries"]]


def test_nothing_is_written_where_one_is_wrong_and_it_is_told_which(phone, path):
    said = {"entries": keyed([*WHOLE_GAME[:2], TWO_KINGS])}
    assert faults(phone.post(f"{path}entries/batch/", said))[0][1].startswith("entries.2.entry")
    misshapen = {"entries": keyed([{"type": "deal", "contract": 3}, WHOLE_GAME[0], {"type": "x"}])}
    places = {where for _code, where in faults(phone.post(f"{path}entries/batch/", misshapen))}
    assert {where.split(".")[1] for where in places} == {"0", "2"}
    assert written(phone, path) == []


@pytest.mark.parametrize("base", [0, 2, 3])
def test_entries_whose_answer_was_lost_are_written_once(phone, path, base):
    entries = keyed(WHOLE_GAME[:4])
    phone.post(f"{path}entries/", {"entry": WHOLE_GAME[0]}, Idempotency_Key="of-deal-0")
    phone.post(f"{path}entries/batch/", {"entries": entries[1:3]})

    again = phone.post(f"{path}entries/batch/", {"entries": entries}, If_Match=f'"{base}"')
    assert (again.status_code, again["ETag"]) == (201, '"4"')
    # Its response is gone, and others were written since.
    IdempotencyRecord.objects.all().delete()
    repeated = phone.post(
        f"{path}entries/", {"entry": WHOLE_GAME[0]}, If_Match='"0"', Idempotency_Key="of-deal-0"
    )
    assert (repeated.status_code, repeated["Location"]) == (201, f"/api/v1/{path}entries/0/")
    assert phone.post(f"{path}entries/batch/", {"entries": entries}).status_code == 201
    assert written(phone, path) == list(WHOLE_GAME[:4])


def test_writes_of_others_and_keys_of_others_are_refused(phone, path):
    second, third, fourth = keyed(WHOLE_GAME[:4])[1:]
    batch = f"{path}entries/batch/"
    phone.post(f"{path}entries/", {"entry": WHOLE_GAME[0]}, Idempotency_Key="of-another-phone")
    stale = phone.post(batch, {"entries": [second, third]}, If_Match='"0"')
    assert refused(stale) == (412, "changed-meanwhile")
    phone.post(batch, {"entries": [second]})
    for reused in ([second | {"entry": third["entry"]}], [third] * 2):
        assert refused(phone.post(batch, {"entries": reused})) == (422, "key-reused")
    phone.post(batch, {"entries": [third]})
    assert phone.post(batch, {"entries": [fourth, third]}).status_code == 412
    assert written(phone, path) == list(WHOLE_GAME[:3])
