import re
from http import HTTPStatus

import pytest

from tests.deals import NAMES
from tests.factories import GameFactory, record, reload
from tests.phones import TEMPLATES
from tests.rules_next.test_rules_next import ALL, whole
from tests.rules_next.test_rules_next import load as load_next
from tests.sample_games import load, load_result
from tests.servers import ROOT
from tests.web.games.table import (
    last,
    page_of,
    send,
    sentences,
    table_of,
    table_of_record,
    ticked,
    totals,
)
from tournaments.engine.rules.rulesets import UNITS

PLAYED = (
    *("barbu-doubled", "double-whole", "honeymoon-whole", "italian-king-cappotto-plus14"),
    *("italian-king-choice-blind", "italian-king-choice-sales", "italian-king-pairs-choice-whole"),
    *("italian-king-pirandello-whole", "partners-whole", "portuguese-whole"),
)
NEXT = ("barbu-doubles", "portuguese-king-auction")

UNTYPED = {
    *("king at 10: another seat is named", "king at 12 is no choice of the game"),
    *("redeal by a player who need not trump", "redeal: the declarer only, by default"),
    *("four names for three", "four counts for three", "seat 5 of five"),
    *("thirteen tricks played of eight", "krapet: 60 and 60 cards of 104"),
}
"""Cases with a fault that the form of a deal has no field for."""

PLAIN = ("contract", "trump", "partner", "closed_by", "rifki_holder", "king_declared_by", "king")
PLAIN += ("maker", "bid", "tricks")
"""Fields of a record that have one field of the same name in the form."""

# The deals of docs/rules.md §2.1 before Domino.
PENALTIES = (
    ("no-men", "men", (3, 2, 2, 1)),
    ("no-queens", "queens", (1, 0, 2, 1)),
    ("diamond-eight", "diamond_eight", (0, 1, 0, 0)),
    ("heart-king", "heart_king", (0, 0, 0, 1)),
    ("no-hearts", "hearts", (2, 7, 0, 4)),
    ("last-two", "last_two", (1, 0, 1, 0)),
    ("no-tricks", "tricks", (3, 1, 6, 3)),
    ("domino", "cards_left", (0, 4, 2, 5)),
)


def deal(contract, unit, counts, **more):
    return {"type": "deal", "contract": contract, "counts": {unit: list(counts)}, **more}


def typed(body):
    fields = {name: body[name] for name in PLAIN if name in body}
    fields |= {name: "yes" for name in ("blind", "third", "refused") if body.get(name)}
    if "declarer" in body:
        fields["named_by"] = body["declarer"]
    for part, value in body.get("sale", {}).items():
        fields[f"sale_{part}"] = value
    for turn, contract in enumerate(body.get("offered", ()), 1):
        fields[f"offered{turn}"] = contract
    for double in body.get("doubles", ()):
        by = double.get("by")
        one, other = sorted(double["seats"], key=lambda seat, by=by: (seat != by, seat))
        fields[f"double-{one}-{other}"] = "redoubled" if double.get("redoubled") else "doubled"
    for unit, counts in body.get("counts", {}).items():
        fields |= {f"count-{unit}-{side}": count for side, count in enumerate(counts)}
    return fields


def stands(body, stored):
    """A deal of a record as the form stores it: what follows, or says nothing, is left out."""
    left_out = {"tricks_played"} | ({"declarer"} - stored.keys())
    return {
        name: value for name, value in body.items() if name not in left_out and value is not False
    }


def said(values):
    doubles = values.get("doubles")
    if doubles is None:
        return values
    plain = [({*d["seats"]}, d.get("by"), bool(d.get("redoubled"))) for d in doubles]
    return values | {"doubles": sorted(plain, key=str)}


def kind_of(body):
    """Return what the form has to ask for; one deal of each kind is written by it."""
    return body.get("contract"), frozenset(body), frozenset(body.get("counts", ()))


@pytest.mark.parametrize("name", [*PLAYED, *NEXT])
def test_game_written_by_the_form_is_that_of_the_record_and_comes_back_into_it(phone, name):
    if name in NEXT:
        document, result = (load_next(f"{name}.{kind}.json") for kind in ("game", "expect"))
    else:
        document, result = load(name), load_result(name)
    game, written = table_of_record(document | {"entries": []}), set()
    by_id = reload(game).game.ruleset.by_id
    for body in document["entries"]:
        if body["type"] != "deal" or "counts" not in body or kind_of(body) in written:
            record(game, body)
            continue
        written.add(kind_of(body))
        # The form asks for the suit, which records may leave out.
        has_suit = by_id[body["contract"]].trumps and "refused" not in body
        suit = {"trump": "spades"} if has_suit else {}
        answer = send(phone, game, **typed(suit | body))
        assert (sentences(answer), answer.status_code) == (sentences(answer), HTTPStatus.OK)
        assert said(last(game)) == said(stands(suit | body, last(game)))
        position = reload(game).positions[-1]
        if position < 6:
            form = values_of(page_of(phone, game, "entry", position))
            wanted = {name: str(value) for name, value in typed(last(game)).items()}
            wanted.pop("king", None)
            if "named_by" not in form:
                wanted.pop("named_by", None)
            assert {name: form.get(name) for name in wanted} == wanted
    totals = [str(total) for total in reload(game).game.totals]
    assert totals == [str(total) for total in result["totals"]]


@pytest.mark.parametrize("name", [name for name in ALL if name not in {*UNTYPED, *NEXT}])
def test_case_is_scored_by_the_form(phone, name):
    document, expected = ALL[name]
    document, problem = whole(document), expected.get("problem", {}).get("entry")
    house = isinstance(document["ruleset"], dict)
    named = ("players", "first_declarer", "options")
    head = {f"head__{each}": document[each] for each in named if each in document}
    if house:
        head["head__document"] = document["ruleset"]
    head["head__ruleset"] = document["ruleset"]["id"] if house else document["ruleset"]
    game, written = GameFactory(**head), set()
    for at, body in enumerate(document["entries"]):
        typable = body["type"] == "deal" and {"counts", "maker"} & body.keys()
        if not typable or (at != problem and kind_of(body) in written):
            record(game, body)
            continue
        written.add(kind_of(body))
        played = reload(game).game
        contract = played.ruleset.contract_named(body.get("contract"))
        has_suit = contract.trumps and "refused" not in body and "maker" not in body
        # The form asks who doubled; records may leave it out.
        doubles = [
            {"by": next(seat for seat in each["seats"] if seat != played.declarer), **each}
            for each in body.get("doubles", ())
        ]
        suit = {"trump": "spades"} if has_suit else {}
        answer = send(phone, game, **typed(suit | body | {"doubles": doubles}))
        assert answer.status_code == (200 if at != problem else 422), sentences(answer)
        if at == problem:
            return
    totals = [str(total) for total in reload(game).game.totals]
    assert totals == [str(total) for total in expected["totals"]]


def values_of(page):
    values = {}
    page = TEMPLATES.sub("", page)
    for tag in re.findall(r"<input[^>]*>", page):
        name = re.search(r'name="([^"]*)"', tag)
        value = re.search(r'value="([^"]*)"', tag)
        ticks = 'type="radio"' in tag or 'type="checkbox"' in tag
        if name and value and (not ticks or " checked" in tag):
            values[name[1]] = value[1]
    for name, options in re.findall(r'<select name="([^"]*)"[^>]*>(.*?)</select>', page, re.DOTALL):
        chosen = re.search(r'<option(?: value="([^"]*)")? selected[^>]*>([^<]*)', options)
        if chosen:
            values[name] = chosen[1] or chosen[2]
    return values


# What each table is asked.


def test_fixed_order_has_its_contract_chosen_and_says_which_deal_it_is(phone):
    game = table_of("italian-king", *(deal(*each) for each in PENALTIES[:4]))
    page = page_of(phone, game)
    assert values_of(page)["contract"] == "no-hearts"
    assert re.search(r"<span data-number-of-deal>5</span> · No hearts", page)
    assert len(re.findall(r'name="contract"[^>]*disabled', page)) == 9


def test_partners_are_asked_which_of_them_named_the_contract(phone):
    game = table_of("turkish-king-partners")
    page = page_of(phone, game)
    assert re.findall(r'name="named_by" value="(\d)"( checked)?', page) == [
        ("0", " checked"),
        ("2", ""),
    ]
    fields = {"contract": "no-men", "count-men-0": "5", "declarer": "0"}
    send(phone, game, **fields, named_by="2")
    assert last(game)["declarer"] == 2
    assert reload(game).game.declarer == 1


def test_last_two_contracts_are_offered_by_themselves_and_the_last_is_chosen(phone):
    document = load("italian-king-pairs-choice-whole")
    entries = document["entries"]
    values = values_of(page_of(phone, table_of(document["ruleset"], *entries[:11])))
    left = {values["offered1"], values["offered2"]}
    assert left == {body["contract"] for body in entries[11:]}
    page = page_of(phone, table_of(document["ruleset"], *entries[:12]))
    assert values_of(page)["contract"] == entries[12]["contract"]
    assert re.search(r'class="ask offer"[^>]* hidden', page)


def test_sealed_contract_takes_its_own_unit_or_all_of_them(phone):
    game = table_of("turkish-king-sealed")
    own = {"contract": "no-men", "count-men-0": "3", "count-men-1": "5", "count-tricks-0": "9"}
    send(phone, game, **own)
    assert last(game)["counts"] == {"men": [3, 5, 0, 0]}
    everything = {
        "tricks": (4, 3, 5, 1),
        "hearts": (5, 2, 6, 0),
        "men": (3, 1, 3, 1),
        "queens": (1, 2, 0, 1),
        "heart_king": (1, 0, 0, 0),
        "last_two": (0, 1, 1, 0),
    }
    fields = typed({"contract": "trump", "counts": everything})
    send(phone, game, **fields, all_units="yes")
    assert last(game)["counts"] == {unit: list(counts) for unit, counts in everything.items()}
    assert values_of(page_of(phone, game, "entry", 1))["all_units"] == "yes"


def test_last_place_is_filled_in(phone):
    game = table_of("barbu")
    send(phone, game, contract="domino", **{f"count-places-{s}": p for s, p in enumerate("314")})
    assert last(game)["counts"] == {"places": [3, 1, 4, 2]}


# Refused, with the problem beside its field and all that was typed.

REFUSED = (
    (
        "turkish-king",
        {"contract": "trump", "count-tricks-0": "13"},
        "contracts",
        "Choose the trump suit.",
    ),
    (
        "italian-king-pirandello",
        {"contract": "no-men", "count-men-0": "8"},
        "partner",
        "Choose the partner.",
    ),
    (
        "italian-king-choice",
        {
            "contract": "declaration",
            "trump": "hearts",
            "count-tricks-0": "13",
            "sale_buyer": "0",
            "sale_tricks": "4",
        },
        "sale",
        "This sale is not possible: the buyer is another player.",
    ),
    (
        "italian-king-pairs-choice",
        {"contract": "no-men", "count-men-0": "8", "offered1": "no-men", "offered2": "no-men"},
        "offer",
        "This offer is not possible: two contracts that are left are offered.",
    ),
    (
        "italian-king-pairs-choice",
        {
            "contract": "domino",
            "count-cards_left-0": "3",
            "count-cards_left-1": "4",
            "offered1": "domino",
            "offered2": "no-men",
        },
        "closed_by",
        "Choose who went out first.",
    ),
    (
        "italian-king-choice",
        {"contract": "domino", "count-cards_left-0": "3", "count-cards_left-1": "4"},
        "unit-cards_left",
        "exactly one player has no card left",
    ),
    (
        "barbu",
        {"contract": "domino", "count-places-0": "1", "count-places-1": "1"},
        "unit-places",
        "each place is taken once",
    ),
)


@pytest.mark.parametrize(("ruleset", "fields", "where", "sentence"), REFUSED)
def test_problem_stands_beside_its_field_and_all_stays_typed(
    phone, ruleset, fields, where, sentence
):
    game = table_of(ruleset, **({"sale": True} if where == "sale" else {}))
    answer = send(phone, game, **fields)
    page = answer.content.decode()
    assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    group = re.search(rf'<fieldset class="[^"]*\b{where}\b.*?</fieldset>', page, re.DOTALL)[0]
    errors = re.findall(r"<li>([^<]*)</li>", group.partition('class="errors"')[2])
    assert len(errors) == 1
    assert sentence in errors[0]
    shown = values_of(page)
    assert {name: shown[name] for name in fields if name in shown} == {
        name: value for name, value in fields.items() if name in shown
    }
    assert reload(game).positions == ()


def test_doubled_pair_that_is_none_is_read_from_no_field(phone):
    game = table_of("barbu")
    fields = {"contract": "no-queens", "count-queens-0": "4", "double-0-0": "doubled"}
    send(phone, game, **fields, **{"double-1-3": "redoubled"})
    assert last(game)["doubles"] == [{"seats": [1, 3], "redoubled": True}]


@pytest.mark.parametrize(
    ("deals", "option", "field"),
    [
        (8, "sale", "sale_buyer"),
        (8, "blind_declaration", "blind"),
        (8, "no_trump_declaration", 'trump" value="none'),
        (7, "domino_redeal", 'reason" value="four-extremes'),
    ],
)
def test_field_is_offered_only_where_the_table_plays_it(phone, deals, option, field):
    entries = [deal(*each) for each in PENALTIES[:deals]]
    for chosen in (True, False):
        game = table_of("italian-king", *entries, **{option: chosen})
        assert (f'name="{field}"' in page_of(phone, game)) is chosen


def hand(maker, tricks, **more):
    return {"type": "deal", "maker": maker, "tricks": tricks, **more}


def won(winner, **more):
    return {"type": "deal", "winner": winner, **more}


def places(page):
    return dict(re.findall(r'class="tile pick at-(\w+)[^"]*" data-seat="(\d)"', page))


def test_sequence_of_the_rules_is_written_by_the_form(phone):
    game = table_of("euchre")
    for fields in (
        {"maker": "0", "tricks": "4", "defender_alone": ""},
        {"maker": "1", "tricks": "5-alone", "defender_alone": ""},
        {"maker": "0", "tricks": "2", "defender_alone": "3"},
        {"type": "passed"},
    ):
        assert send(phone, game, **fields).status_code == HTTPStatus.OK
    assert totals(game) == (1, 6)
    assert last(game) == {"type": "passed"}
    assert (
        "<strong>Ayşe</strong>" in page_of(phone, game).partition('class="declares-now"')[2][:200]
    )


LEFT = {"reserve": [0, 4], "stock": [0, 9], "waste": [0, 6]}


def left_fields(left):
    return {
        f"left-{pile}-{seat}": str(number)
        for pile, numbers in left.items()
        for seat, number in enumerate(numbers)
    }


def krapet(*entries, **options):
    return table_of("krapet", *entries, players=NAMES[:2], **options)


def euchre():
    return table_of("euchre")


@pytest.mark.parametrize(
    ("table", "typed", "stored"),
    [
        (euchre, {"maker": "2", "tricks": "3", "trump": "clubs"}, hand(2, 3, trump="clubs")),
        (euchre, {"maker": "2", "tricks": "0-alone"}, hand(2, 0, alone=True)),
        (euchre, {"maker": "2", "tricks": "0", "alone": "yes"}, hand(2, 0, alone=True)),
        (
            euchre,
            {"maker": "2", "tricks": "5-alone", "defender_alone": "1", "trump": "hearts"},
            hand(2, 5, alone=True, defender_alone=1, trump="hearts"),
        ),
        (krapet, {"winner": "none"}, won(None)),
        (krapet, {"winner": "0", "calls-0": "2", "calls-1": ""}, won(0, calls=[2, 0])),
        (krapet, {"winner": "0", **left_fields(LEFT)}, won(0, left=LEFT)),
        (
            # Typed before it was clear who won: the winner's piles are empty.
            krapet,
            {"winner": "0", "left-reserve-0": "3", "left-reserve-1": "4"},
            won(0, left={"reserve": [0, 4], "stock": [0, 0], "waste": [0, 0]}),
        ),
        (
            krapet,
            {"winner": "none", **left_fields({"reserve": [2, 5], "stock": [8, 10]})},
            won(None, left={"reserve": [2, 5], "stock": [8, 10], "waste": [0, 0]}),
        ),
    ],
)
def test_hand_is_stored_as_a_record_has_it(phone, table, typed, stored):
    game = table()
    assert send(phone, game, **typed).status_code == HTTPStatus.OK
    assert last(game) == stored


NO_NUMBER = "This is not what belongs here; expected: a whole number."


@pytest.mark.parametrize(
    ("table", "typed", "sentence"),
    [
        (euchre, {"maker": "1"}, "Choose the number of tricks."),
        (euchre, {"maker": "7", "tricks": "3"}, "There is no such seat at this table."),
        (
            euchre,
            {"maker": "1", "tricks": "3", "defender_alone": "3"},
            "Only one of the other side can defend alone.",
        ),
        (euchre, {"maker": "x", "tricks": "3"}, NO_NUMBER),
        (krapet, {}, "Choose who won."),
        (krapet, {"winner": "²"}, NO_NUMBER),
        (krapet, {"winner": "9" * 5000}, NO_NUMBER),
        (lambda: krapet(scoring="points"), {"winner": "0"}, "Write the number of cards left."),
        (
            krapet,
            {"winner": "none", "left-stock-0": "3"},
            "Whoever wins has no card left, and everyone else at least one.",
        ),
        (krapet, {"winner": "0", "left-stock-1": "many"}, NO_NUMBER),
    ],
)
def test_impossible_hand_comes_back_with_what_is_wrong(phone, table, typed, sentence):
    game = table()
    answer = send(phone, game, **typed)
    assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert sentence in sentences(answer)
    assert reload(game).positions == ()


def test_refused_hand_keeps_what_was_typed(phone):
    game = table_of("euchre")
    typed = {"maker": "1", "tricks": "3-alone", "defender_alone": "3", "trump": "spades"}
    page = send(phone, game, **typed).content.decode()
    assert {name: ticked(page, name) for name in typed} == {
        name: [value] for name, value in typed.items()
    }


@pytest.mark.parametrize(
    ("ruleset", "seats", "drawn"),
    [
        ("euchre", 4, {"bottom": "0", "left": "1", "top": "2", "right": "3"}),
        ("euchre-three", 3, {"bottom": "0", "left": "1", "right": "2"}),
        ("euchre-two", 2, {"bottom": "0", "top": "1"}),
    ],
)
def test_table_is_drawn_clockwise(phone, ruleset, seats, drawn):
    game = table_of(ruleset, players=NAMES[:seats])
    page = page_of(phone, game)
    assert places(page) == drawn
    assert 'class="clockwise"' in page


def test_hand_is_corrected(plain):
    game = table_of("euchre", hand(1, 5, alone=True, trump="clubs"), hand(2, 3))
    page = page_of(plain, game, "entry", 0)
    assert [ticked(page, name) for name in ("maker", "tricks", "trump")] == [
        ["1"],
        ["5-alone"],
        ["clubs"],
    ]
    answer = send(
        plain, game, "entry", 0, action="correct", maker="1", tricks="4", why="miscounted"
    )
    assert answer.status_code == HTTPStatus.FOUND
    assert reload(game).body(0) == hand(1, 4)
    assert totals(game) == (1, 1)


def test_game_is_corrected(plain):
    game = krapet(won(0, left=LEFT, calls=[2, 1]), target=3)
    page = page_of(plain, game, "entry", 0)
    assert ticked(page, "winner") == ["0"]
    for name, value in {**left_fields(LEFT), "calls-0": "2", "calls-1": "1"}.items():
        assert re.search(rf'name="{name}" value="([^"]*)"', page)[1] == value
    send(plain, game, "entry", 0, action="correct", winner="1", why="wrong player")
    assert reload(game).body(0) == won(1)


def test_style_sheet_can_show_a_row_for_every_unit_and_names_none():
    rules = (ROOT / "static" / "entry.css").read_text()
    shown = re.findall(r":has\(\.counts-no-(\d+):checked\) \.unit-no-(\d+)", rules)
    assert shown[: len(UNITS)] == [(str(number), str(number)) for number in range(len(UNITS))]
    assert [unit for unit in UNITS if re.search(rf"-{unit}\b", rules)] == []
