import pytest

from tests.api.answers import faults
from tests.club_factories import TableFactory
from tests.deals import NAMES, WHOLE_GAME, deal
from tests.factories import GameFactory
from tournaments.api.access import token_of
from tournaments.engine.variants import RULESETS
from tournaments.models import Game, IdempotencyRecord

pytestmark = pytest.mark.django_db

RIFKI, QUEENS = WHOLE_GAME[:2]
OTHER_RIFKI = deal("heart-king", 1, 0, 0, 0)


def phone_of(program, row):
    return program.with_token(token_of(row, "write")), f"games/{row.public_id}/"


@pytest.fixture
def two_deals(program):
    return phone_of(program, GameFactory(entries=[RIFKI, QUEENS]))


def test_corrected_and_withdrawn_entries_stay_in_the_log(two_deals):
    phone, game = two_deals
    said = {"entry": OTHER_RIFKI, "reason": "wrong seat", "author": "Ayşe"}
    put = phone.put(f"{game}entries/0/", said, If_Match='"2"')
    phone.delete(f"{game}entries/1/?reason=misdealt&author=Cem", If_Match=put["ETag"])

    lines = phone.get(f"{game}log/").json()["results"]
    assert [(w["revision"], w["kind"], w["position"]) for w in lines] == [
        (1, "entry", 0),
        (2, "entry", 1),
        (3, "correction", 0),
        (4, "withdrawal", 1),
    ]
    assert [(w["author"], w["reason"]) for w in lines[2:]] == [
        ("Ayşe", "wrong seat"),
        ("Cem", "misdealt"),
    ]
    assert [w["entry"] for w in lines[2:]] == [OTHER_RIFKI, None]
    assert lines[0]["at"].endswith("Z")
    assert {"key"} & lines[0].keys() == set()


def test_log_is_filtered_ordered_and_paged(two_deals):
    phone, game = two_deals
    phone.put(f"{game}entries/0/", {"entry": OTHER_RIFKI}, If_Match='"2"')
    of_first = phone.get(f"{game}log/?position=0&ordering=-revision").json()["results"]
    assert [w["revision"] for w in of_first] == [3, 1]
    page = phone.get(f"{game}log/?page_size=2").json()
    rest = phone.get(page["next"].removeprefix("http://testserver")).json()
    assert [w["revision"] for w in page["results"] + rest["results"]] == [1, 2, 3]


def test_entry_is_shown_with_its_versions(two_deals):
    phone, game = two_deals
    phone.put(f"{game}entries/0/", {"entry": OTHER_RIFKI}, If_Match='"2"')
    entry = phone.get(f"{game}entries/0/").json()
    assert (entry["position"], entry["entry"]) == (0, OTHER_RIFKI)
    assert [w["entry"] for w in entry["versions"]] == [RIFKI, OTHER_RIFKI]
    gone = phone.get(f"{game}entries/7/")
    assert (gone.status_code, gone.json()["code"]) == (404, "no-such-entry")


def test_entry_that_makes_a_later_one_impossible_says_which(program):
    phone, game = phone_of(program, GameFactory(entries=[RIFKI, QUEENS, QUEENS]))
    refused = phone.put(f"{game}entries/0/", {"entry": QUEENS}, If_Match='"3"')
    assert refused.status_code == 422
    problem = refused.json()
    assert (problem["code"], problem["position"]) == ("later-entry-invalid", 2)


def test_totals_end_a_game_and_a_wrong_sum_says_which_it_must_be(program):
    phone, game = phone_of(program, GameFactory())
    refused = phone.post(f"{game}totals/", {"totals": [540, -110, -330, 0]})
    assert faults(refused) == [("bad-sum", "totals")]
    halves = [540, "-221/2", "-659/2", -100]
    ended = phone.post(f"{game}totals/", {"totals": halves})
    assert (ended.status_code, ended.json()["result"]["finished"]) == (201, True)
    assert ended.json()["result"]["totals"] == halves


def test_totals_are_corrected_as_a_whole_and_never_by_two_at_once(program):
    phone, game = phone_of(program, GameFactory())
    key = {"Idempotency_Key": "of-the-totals-1"}
    first = phone.post(f"{game}totals/", {"totals": [100, -60, -20, -20]}, **key)
    right = {"totals": [0, 60, -40, -20], "reason": "misread"}

    blind = phone.post(f"{game}totals/", right)
    assert (blind.status_code, blind.json()["code"]) == (428, "if-match-needed")
    stale = phone.post(f"{game}totals/", right, If_Match='"0"')
    assert (stale.status_code, stale.json()["code"]) == (412, "changed-meanwhile")
    wrong = phone.post(f"{game}totals/", {"totals": [7000, 60, -40, -20]}, If_Match=first["ETag"])
    assert (wrong.status_code, faults(wrong)) == (422, [("bad-sum", "totals")])

    done = phone.post(
        f"{game}totals/", right, If_Match=first["ETag"], Idempotency_Key="corrected-1"
    )
    assert (done.status_code, done["ETag"]) == (200, '"2"')
    IdempotencyRecord.objects.all().delete()
    for repeat, body in (
        (key, {"totals": [100, -60, -20, -20]}),
        ({"Idempotency_Key": "corrected-1"}, right),
    ):
        again = phone.post(f"{game}totals/", body, **repeat)
        assert again.json()["result"]["totals"] == right["totals"]
    lines = phone.get(f"{game}log/").json()["results"]
    assert [(w["kind"], w["entry"]["totals"], w["reason"]) for w in lines] == [
        ("entry", [100, -60, -20, -20], ""),
        ("correction", right["totals"], "misread"),
    ]


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
        assert (answer.status_code, answer.json()["code"]) == (412, "changed-meanwhile")
        assert (answer.json()["revision"], answer["ETag"]) == (2, '"2"')


def test_correction_has_to_say_of_which_revision_it_is(two_deals):
    phone, game = two_deals
    answer = phone.put(f"{game}entries/0/", {"entry": OTHER_RIFKI})
    assert (answer.status_code, answer.json()["code"]) == (428, "if-match-needed")


def test_key_of_a_write_is_not_for_another_one(two_deals):
    phone, game = two_deals
    key = {"Idempotency_Key": "abcdefgh-1"}
    first = phone.put(f"{game}entries/0/", {"entry": OTHER_RIFKI}, If_Match='"2"', **key)
    again = phone.put(f"{game}entries/0/", {"entry": OTHER_RIFKI}, If_Match='"2"', **key)
    assert (again.status_code, again.json()) == (200, first.json())
    other = phone.put(f"{game}entries/1/", {"entry": QUEENS}, If_Match='"3"', **key)
    assert (other.status_code, other.json()["code"]) == (422, "key-reused")
    bad = phone.put(f"{game}entries/0/", {"entry": RIFKI}, If_Match='"3"', Idempotency_Key="?")
    assert (bad.status_code, bad.json()["code"]) == (422, "bad-key")


@pytest.mark.parametrize("entry", ["deal", None])
def test_entry_that_is_no_object_is_a_problem_even_while_a_deal_is_open(program, entry):
    begun = {"type": "deal", "contract": "no-queens"}
    row = GameFactory(head__ruleset="turkish-king-blind", entries=[begun])
    phone, game = phone_of(program, row)
    for answer in (
        phone.post(f"{game}entries/", {"entry": entry}),
        phone.put(f"{game}entries/0/", {"entry": entry}, If_Match='"1"'),
    ):
        assert answer.status_code == 422
        assert [p["where"] for p in answer.json()["problems"]] == ["entry"]


def test_contract_is_sealed_and_revealed(program):
    phone, game = phone_of(program, GameFactory(head__ruleset="turkish-king-sealed"))
    sealed = phone.post(f"{game}seal/", {"contract": "no-queens"})
    assert sealed.status_code == 201
    assert "no-queens" not in str(sealed.json()["entries"])
    revealed = phone.post(f"{game}entries/0/reveal/", {})
    assert revealed.status_code == 200
    assert revealed.json()["entries"][0]["entry"]["contract"] == "no-queens"
    again = phone.post(f"{game}entries/0/reveal/", {})
    assert (again.status_code, again.json()["code"]) == (404, "no-such-entry")


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


def test_setup_is_corrected_and_other_fields_stay(two_deals):
    phone, game = two_deals
    answer = phone.patch(game, {"title": "Friday", "first_declarer": 1}, If_Match='"2"')
    assert answer.status_code == 200
    head = answer.json()
    assert (head["title"], head["first_declarer"], head["players"]) == ("Friday", 1, list(NAMES))
    lines = phone.get(f"{game}log/?kind=head").json()["results"]
    assert (lines[0]["before"]["first_declarer"], lines[0]["head"]["title"]) == (0, "Friday")


def test_names_at_a_clubs_table_are_those_of_its_players(program):
    row = TableFactory().games.get()
    phone, game = phone_of(program, row)
    refused = phone.patch(game, {"players": ["Ayşe", "Burak", "Cem", "Nobody"]})
    assert (refused.status_code, faults(refused)) == (422, [("not-of-club", "players")])
    refused = phone.patch(game, {"players": ["Ayşe", "Burak", "Cem", "Cem"]})
    assert refused.status_code == 422


def test_open_table_is_deleted_and_a_clubs_game_stays(two_deals):
    phone, game = two_deals
    assert phone.delete(game, If_Match='"2"').status_code == 204
    assert not Game.objects.exists()
    phone, game = phone_of(phone, TableFactory().games.get())
    assert phone.delete(game).status_code == 404
    assert Game.objects.count() == 1
