"""Games written by programs: started, entered one by one and several at once, corrected, sealed."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.api.conftest import HEAD, faults, refused
from tests.club_factories import AccountFactory, TableFactory
from tests.deals import NAMES, WHOLE_GAME, deal
from tests.factories import GameFactory, HouseRulesetFactory
from tournaments.api.access import token_of
from tournaments.engine.variants import RULESETS
from tournaments.models import Game, IdempotencyRecord, Revision
from tournaments.queries.sheets import ruleset_of

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
    assert refused(phone.get(f"{game}entries/7/")) == (404, "no-such-entry")


def test_entry_that_makes_a_later_one_impossible_says_which(program):
    phone, game = phone_of(program, GameFactory(entries=[RIFKI, QUEENS, QUEENS]))
    denied = phone.put(f"{game}entries/0/", {"entry": QUEENS}, If_Match='"3"')
    assert denied.status_code == 422
    problem = denied.json()
    assert (problem["code"], problem["position"]) == ("later-entry-invalid", 2)


def test_totals_end_a_game_and_a_wrong_sum_says_which_it_must_be(program):
    phone, game = phone_of(program, GameFactory())
    denied = phone.post(f"{game}totals/", {"totals": [540, -110, -330, 0]})
    assert faults(denied) == [("bad-sum", "totals")]
    halves = [540, "-221/2", "-659/2", -100]
    ended = phone.post(f"{game}totals/", {"totals": halves})
    assert (ended.status_code, ended.json()["result"]["finished"]) == (201, True)
    assert ended.json()["result"]["totals"] == halves


def test_totals_are_corrected_as_a_whole_and_never_by_two_at_once(program):
    phone, game = phone_of(program, GameFactory())
    key = {"Idempotency_Key": "of-the-totals-1"}
    first = phone.post(f"{game}totals/", {"totals": [100, -60, -20, -20]}, **key)
    right = {"totals": [0, 60, -40, -20], "reason": "misread"}

    assert refused(phone.post(f"{game}totals/", right)) == (428, "if-match-needed")
    stale = phone.post(f"{game}totals/", right, If_Match='"0"')
    assert refused(stale) == (412, "changed-meanwhile")
    wrong = phone.post(f"{game}totals/", {"totals": [7000, 60, -40, -20]}, If_Match=first["ETag"])
    assert faults(wrong) == [("bad-sum", "totals")]

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
        assert refused(answer) == (412, "changed-meanwhile")
        assert (answer.json()["revision"], answer["ETag"]) == (2, '"2"')


def test_correction_has_to_say_of_which_revision_it_is(two_deals):
    phone, game = two_deals
    answer = phone.put(f"{game}entries/0/", {"entry": OTHER_RIFKI})
    assert refused(answer) == (428, "if-match-needed")


def test_key_of_a_write_is_not_for_another_one(two_deals):
    phone, game = two_deals
    key = {"Idempotency_Key": "abcdefgh-1"}
    first = phone.put(f"{game}entries/0/", {"entry": OTHER_RIFKI}, If_Match='"2"', **key)
    again = phone.put(f"{game}entries/0/", {"entry": OTHER_RIFKI}, If_Match='"2"', **key)
    assert (again.status_code, again.json()) == (200, first.json())
    other = phone.put(f"{game}entries/1/", {"entry": QUEENS}, If_Match='"3"', **key)
    assert refused(other) == (422, "key-reused")
    bad = phone.put(f"{game}entries/0/", {"entry": RIFKI}, If_Match='"3"', Idempotency_Key="?")
    assert refused(bad) == (422, "bad-key")


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
    denied = phone.patch(game, {"players": ["Ayşe", "Burak", "Cem", "Nobody"]})
    assert faults(denied) == [("not-of-club", "players")]
    denied = phone.patch(game, {"players": ["Ayşe", "Burak", "Cem", "Cem"]})
    assert denied.status_code == 422


def test_open_table_is_deleted_and_a_clubs_game_stays(two_deals):
    phone, game = two_deals
    assert phone.delete(game, If_Match='"2"').status_code == 204
    assert not Game.objects.exists()
    phone, game = phone_of(phone, TableFactory().games.get())
    assert phone.delete(game).status_code == 404
    assert Game.objects.count() == 1


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


def test_same_key_of_another_token_of_an_account_is_not_shown_what_the_first_was(program):
    user, key = AccountFactory(), {"Idempotency_Key": "abcdefgh-3"}
    directing, reading = program.as_(user), program.as_(user, "read")
    first, other = (each.post("games/", HEAD, **key) for each in (directing, reading))
    assert first.json()["id"] != other.json()["id"]
    assert directing.post("games/", HEAD, **key).json() == first.json()


def test_same_key_of_somebody_without_a_token_elsewhere_opens_a_table_of_their_own(program):
    key = {"Idempotency_Key": "example-game-1"}
    mine = program.post("games/", HEAD, **key).json()
    program.client = type(program.client)(REMOTE_ADDR="192.0.2.7")
    theirs = program.post("games/", HEAD, **key).json()
    assert theirs["id"] != mine["id"]
    assert theirs["keys"] != mine["keys"]


TWO_KINGS = deal("heart-king", 1, 1, 0, 0)


def keyed(bodies):
    return [{"key": f"of-deal-{number}", "entry": body} for number, body in enumerate(bodies)]


@pytest.fixture
def phone(program):
    row = GameFactory()
    return program.with_token(token_of(row, "write"))


@pytest.fixture
def path():
    return f"games/{Game.objects.get().public_id}/"


def written(phone, path):
    return [each["entry"] for each in phone.get(path).json()["entries"]]


def test_whole_game_is_written_in_one_call(phone, path):
    said = {"entries": [{"entry": body} for body in WHOLE_GAME], "author": "Ayşe"}
    answer = phone.post(f"{path}entries/batch/", said, If_Match='"0"')

    assert (answer.status_code, answer["ETag"]) == (201, f'"{len(WHOLE_GAME)}"')
    assert written(phone, path) == list(WHOLE_GAME)
    assert answer.json()["result"]["finished"] is True


def test_nothing_is_written_where_one_is_wrong_and_it_is_told_which(phone, path):
    said = {"entries": keyed([*WHOLE_GAME[:2], TWO_KINGS])}
    answer = phone.post(f"{path}entries/batch/", said)
    assert faults(answer)[0][1].startswith("entries.2.entry")
    misshapen = {"entries": keyed([{"type": "deal", "contract": 3}, WHOLE_GAME[0], {"type": "x"}])}
    places = {where for _code, where in faults(phone.post(f"{path}entries/batch/", misshapen))}
    assert {where.split(".")[1] for where in places} == {"0", "2"}

    assert written(phone, path) == []
    # A denied call uses up no key.
    said["entries"][2]["entry"] = WHOLE_GAME[2]
    assert phone.post(f"{path}entries/batch/", said).status_code == 201


def test_entries_whose_answer_was_lost_are_written_once(phone, path):
    entries = keyed(WHOLE_GAME[:4])
    phone.post(f"{path}entries/", {"entry": WHOLE_GAME[0]}, Idempotency_Key="of-deal-0")
    phone.post(f"{path}entries/batch/", {"entries": entries[1:3]})

    again = phone.post(f"{path}entries/batch/", {"entries": entries}, If_Match='"0"')
    assert (again.status_code, again["ETag"]) == (201, '"4"')
    assert phone.post(f"{path}entries/batch/", {"entries": entries}).status_code == 201
    assert written(phone, path) == list(WHOLE_GAME[:4])


def test_writes_of_others_and_keys_of_others_are_refused(phone, path):
    entries = keyed(WHOLE_GAME[:3])
    phone.post(f"{path}entries/", {"entry": WHOLE_GAME[0]}, Idempotency_Key="of-another-phone")
    stale = phone.post(f"{path}entries/batch/", {"entries": entries[1:]}, If_Match='"0"')
    assert refused(stale) == (412, "changed-meanwhile")
    phone.post(f"{path}entries/batch/", {"entries": entries[1:2]})
    other = [{"key": entries[1]["key"], "entry": WHOLE_GAME[2]}]
    for reused in (other, [entries[2]] * 2):
        answer = phone.post(f"{path}entries/batch/", {"entries": reused})
        assert refused(answer) == (422, "key-reused")
    swapped = keyed(WHOLE_GAME[:4])[:1:-1]
    phone.post(f"{path}entries/batch/", {"entries": swapped[1:]})
    assert phone.post(f"{path}entries/batch/", {"entries": swapped}).status_code == 412
    assert written(phone, path) == list(WHOLE_GAME[:3])


def test_many_entries_take_no_more_queries_than_two(program):
    counts = []
    for number in (2, 10):
        row = GameFactory()
        phone = program.with_token(token_of(row, "write"))
        said = {"entries": [{"entry": body} for body in WHOLE_GAME[:number]]}
        with CaptureQueriesContext(connection) as made:
            phone.post(f"games/{row.public_id}/entries/batch/", said)
        counts.append(len(made))
    assert counts[0] == counts[1]


@pytest.mark.parametrize("before", [0, 1])
def test_entry_that_is_sent_again_after_it_was_withdrawn_is_named_by_its_place(phone, path, before):
    bodies = keyed(WHOLE_GAME[: before + 1])
    phone.post(f"{path}entries/batch/", {"entries": bodies})
    phone.delete(f"{path}entries/{before}/", If_Match=f'"{before + 1}"')

    again = phone.post(
        f"{path}entries/", {"entry": bodies[before]["entry"]}, Idempotency_Key=bodies[before]["key"]
    )

    assert again.status_code == 201
    assert again["Location"].endswith(f"/entries/{before}/")
    assert written(phone, path) == list(WHOLE_GAME[:before])
