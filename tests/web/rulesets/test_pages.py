import re
from dataclasses import replace

import pytest
from django.urls import reverse

from tests.factories import EVENING, GameFactory, SetupFactory
from tournaments.engine.documents.ruleset_records import write_ruleset
from tournaments.engine.rules.scoring import check_deal, deal_sum
from tournaments.engine.variants import RULESETS
from tournaments.models import HouseRuleset
from tournaments.queries.rulesets import describe
from tournaments.web.base.phone import address
from tournaments.web.rulesets.views import examples_of, rules_page, scored_examples


def house_ruleset(slug, like="turkish-king", **changes):
    rules = replace(RULESETS[like], id=slug, name=slug.title(), **changes)
    document = write_ruleset(rules)
    HouseRuleset.objects.create(slug=slug, name=rules.name, document=document, changed_at=EVENING)
    return rules


def open_rules(visitor, ruleset):
    return visitor.get(reverse("rules_of_game", args=[ruleset]))


@pytest.mark.parametrize(
    "path", ["/new/", "/rules/", "/rules/turkish-king/", "/guide/", "/ratings/"]
)
def test_a_chat_and_a_search_engine_are_told_what_a_page_is_about(visitor, path):
    page = visitor.get(path).text
    for name in ('name="description"', 'property="og:title"', 'property="og:image"'):
        assert re.search(f'<meta {name} content="[^"]+">', page)


@pytest.mark.parametrize("ruleset", RULESETS)
def test_every_game_has_its_rules(visitor, ruleset):
    page = open_rules(visitor, ruleset)

    assert page.status_code == 200
    assert page.context["how"].strip()
    assert page.context["rules"]["examples"]
    assert page.context["rules"]["ending"]


def test_contracts_say_units_values_sum_and_how_often():
    lines = rules_page(RULESETS["turkish-king"])["contracts"]

    said = [
        (
            *(c["symbol"], c["name"], [tuple(value.values()) for value in c["values"]]),
            *(c["sum"], c["often"]),
        )
        for c in lines
    ]
    assert said == [
        ("∅", "No tricks", [("Tricks", 13, -50)], -650, "2× a game"),
        ("♥", "No hearts", [("Hearts", 13, -30)], -390, "2× a game"),
        ("KJ", "No men", [("Kings and jacks", 8, -60)], -480, "2× a game"),
        ("Q", "No queens", [("Queens", 4, -100)], -400, "2× a game"),
        ("♥K", "Rıfkı (king of hearts)", [("King of hearts", 1, -320)], -320, "2× a game"),
        ("12·13", "Last two", [("Last two tricks", 2, -180)], -360, "2× a game"),
        ("+", "Trump", [("Tricks", 13, 50)], 650, ""),
    ]


@pytest.mark.parametrize(
    ("ruleset", "has", "lacks"),
    [
        ("turkish-king", "Çiçek, Ford", "There is no King"),
        ("rifki", "Kupa çekmek", "Outside King"),
        ("rifki", "There is no King in this game", "Çiçek, Ford"),
        ("euchre-two", "the other the defender", "partner"),
        ("euchre-three", "“I accept”", "partner"),
        ("portuguese-king", '<i class="soft" lang="pt">Copas</i>', "Rıfkı"),
    ],
)
def test_pages_have_the_words_of_their_game_and_no_others(visitor, ruleset, has, lacks):
    page = open_rules(visitor, ruleset).text
    assert (has in page, lacks in page) == (True, False)


# Only a player of a pair can play alone; all other examples are possible.
ALONE = {"euchre-two": 6, "euchre-three": 6}


@pytest.mark.parametrize("ruleset", RULESETS.values(), ids=list(RULESETS))
def test_every_contract_has_possible_examples_with_the_sum_of_its_table(ruleset):
    scored = scored_examples(ruleset)
    plain = {example["contract"].id: example for example in reversed(scored)}
    left_out = [e for e in examples_of(ruleset) if any(check_deal(*e[:3]))]

    assert plain.keys() == set(ruleset.by_id)
    assert all(sum(example["points"]) == example["sum"] for example in scored)
    for contract in ruleset.contracts:
        assert deal_sum(ruleset, contract) in (None, plain[contract.id]["sum"])
    assert len(left_out) == ALONE.get(ruleset.id, 0)


# Counted by hand from docs/rules.md.
@pytest.mark.parametrize(
    ("ruleset", "contract", "said", "points"),
    [
        ("turkish-king", "no-tricks", (), (-50, -300, -200, -100)),
        ("italian-king", "domino", (), (9, -3, -5, -1)),
        ("italian-king-pairs", "domino", ("out first: A + C",), (15, -15)),
        ("barbu", "no-tricks", ("A××B",), (18, -32, -8, -4)),
        ("euchre", "euchre", ("maker: A", "B defends alone"), (0, 2)),
    ],
)
def test_examples_are_scored_as_the_rules_say(ruleset, contract, said, points):
    examples = [e for e in scored_examples(RULESETS[ruleset]) if e["contract"].id == contract]

    assert points in [e["points"] for e in examples if tuple(e["marks"]) == said]


def test_rules_are_served_to_programs(visitor):
    answer = visitor.get(reverse("rules_json", args=["euchre"]))

    assert answer.json() == describe(RULESETS["euchre"])


def test_house_rules_have_their_page_with_the_prose_of_their_family(visitor):
    house_ruleset("club-king", deals=16)

    page = open_rules(visitor, "club-king")

    assert "<h1>Club-King</h1>" in page.text
    assert "These are house rules" in page.text
    assert dict(page.context["rules"]["facts"])["Length"] == "16 deals"
    assert page.context["how"] == open_rules(visitor, "turkish-king").context["how"]


@pytest.mark.parametrize(
    ("page", "kind"), [("rules_at_table", "write"), ("rules_followed", "follow")]
)
def test_table_shows_the_rules_as_it_plays_them(visitor, page, kind, django_assert_num_queries):
    head = SetupFactory(ruleset="krapet", players=("Ayşe", "Burak"), options={"scoring": "points"})
    game = GameFactory(head=head)
    sheet = visitor.get(address(game, kind))
    url = reverse(page, args=[game.public_id, game.secret(kind)])

    with django_assert_num_queries(2):
        rules = visitor.get(url)

    assert f'href="{url}"' in sheet.text
    assert f'href="{address(game, kind)}"' in rules.text
    options = {o["name"]: o["values"] for o in rules.context["rules"]["options"]}
    assert options["Scoring"] == [("points", True), ("games won", False)]
    assert options["Target"][0] == ("300", True)
