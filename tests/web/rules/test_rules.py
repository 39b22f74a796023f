"""The rules pages: what a ruleset's data says, examples by the engine, prose."""

from dataclasses import replace

import pytest
from django.urls import reverse
from django.utils import translation

from tests.factories import EVENING, GameFactory, HeadFactory
from tournaments.engine.ruleset_records import write_ruleset
from tournaments.engine.scoring import check_deal, deal_sum
from tournaments.engine.variants import RULESETS
from tournaments.models import HouseRuleset
from tournaments.ruleset_json import describe
from tournaments.web.phone import address
from tournaments.web.rules.examples import examples_of, scored_examples
from tournaments.web.rules.pages import rules_page

pytestmark = pytest.mark.django_db


@pytest.fixture
def reader(client):
    """A browser in English."""
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "en"
    return client


@pytest.fixture
def in_english():
    """Words of the page outside of a request."""
    with translation.override("en"):
        yield


SEALED = "The declarer writes the contract down in secret; it is shown at the end of the deal."


def house_ruleset(slug, like="turkish-king", **changes):
    rules = replace(RULESETS[like], id=slug, name=slug.title(), **changes)
    document = write_ruleset(rules)
    HouseRuleset.objects.create(slug=slug, name=rules.name, document=document, changed_at=EVENING)
    return rules


def open_rules(reader, ruleset):
    return reader.get(reverse("rules_of_game", args=[ruleset]))


def test_rules_are_listed_by_family(reader):
    families = dict(reader.get(reverse("rules")).context["families"])

    assert list(families) == ["King", "Italian King", "Krapet", "Euchre", "Other games"]
    assert [id_ for id_, _, _ in families["Other games"]] == ["barbu", "portuguese-king"]
    assert sum(map(len, families.values())) == len(RULESETS)


@pytest.mark.parametrize("language", ["en", "tr", "it"])
@pytest.mark.parametrize("ruleset", RULESETS)
def test_every_game_has_its_rules_in_every_language(client, ruleset, language):
    url = reverse("rules_of_game", args=[ruleset])

    page = client.get(url, headers={"accept-language": language})

    assert page.status_code == 200
    assert page.context["how"].strip()
    assert page.context["rules"].examples
    assert page.context["rules"].ending
    assert f'<html lang="{language}"' in page.text


def test_contracts_say_units_values_sum_and_how_often(in_english):
    lines = rules_page(RULESETS["turkish-king"]).contracts

    said = [
        (c.symbol, c.name, [(v.name, v.total, v.each) for v in c.values], c.sum, c.often)
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


def test_contract_without_units_says_its_prizes(in_english):
    *_, domino = rules_page(RULESETS["barbu"]).contracts

    assert (domino.name, domino.values, domino.prizes) == ("Domino", (), (45, 20, 5, -5))


@pytest.mark.parametrize(
    ("ruleset", "order"),
    [
        ("turkish-king", ("Everyone declares: 3 × penalty, 2 × trump.",)),
        ("turkish-king-partners", ("Each pair declares: 6 × penalty, 4 × trump.",)),
        ("italian-king", ()),
        (
            "turkish-king-sealed",
            (
                "Everyone declares: 3 × penalty, 2 × trump.",
                SEALED,
            ),
        ),
    ],
)
def test_order_says_who_declares_what(in_english, ruleset, order):
    assert rules_page(RULESETS[ruleset]).order == order


def test_stages_say_what_comes_when(in_english):
    stages = rules_page(RULESETS["italian-king"]).stages

    assert stages[0] == ("1", "No men")
    assert stages[-2:] == (("9–12", "Declaration"), ("13", "No trump"))


def test_options_show_their_values_and_the_default(in_english):
    options = {option.name: option.values for option in rules_page(RULESETS["krapet"]).options}

    assert options == {
        "Scoring": (("games won", True), ("points", False)),
        "Target": (("1", True), ("points: 300", False)),
    }


def test_facts_say_who_plays_how_long(in_english):
    assert dict(rules_page(RULESETS["euchre"]).facts) == {
        "Players": "4 players, in pairs that sit opposite",
        "Direction": "clockwise",
        "Length": "first to 10",
        "Beginning": "Draw by lot who deals first.",
    }


@pytest.mark.parametrize(
    ("ruleset", "options", "length", "ending"),
    [
        ("krapet", {}, "one game decides", "It is over when someone has won."),
        (
            "krapet",
            {"target": 3},
            "first to 3 games",
            "It is over when someone has won 3 games.",
        ),
        (
            "krapet",
            {"scoring": "points"},
            "first to 300",
            "The game ends as soon as someone has 300 or more.",
        ),
        ("rifki", {}, "20 deals", "The game ends after deal 20."),
    ],
)
def test_end_of_a_game_is_told_by_what_it_counts(in_english, ruleset, options, length, ending):
    page = rules_page(RULESETS[ruleset].with_options(options))

    assert dict(page.facts)["Length"] == length
    assert page.ending == (ending, "The highest total wins; equal totals win together.")


def test_stake_is_none_as_a_rule(in_english):
    options = {
        option.name: option.values for option in rules_page(RULESETS["italian-king"]).options
    }

    assert options["Stake per point"] == (("none", True),)


@pytest.mark.parametrize("ruleset", RULESETS.values(), ids=list(RULESETS))
def test_every_contract_has_an_example_that_can_be(ruleset):
    scored = scored_examples(ruleset)

    assert {example.contract.id for example in scored} == set(ruleset.by_id)
    for example in scored:
        assert sum(example.points) == example.sum


@pytest.mark.parametrize("ruleset", RULESETS.values(), ids=list(RULESETS))
def test_plain_examples_sum_to_what_the_contracts_table_says(ruleset):
    plain = {example.contract.id: example for example in reversed(scored_examples(ruleset))}

    for contract in ruleset.contracts:
        if deal_sum(contract) is not None:
            assert plain[contract.id].sum == deal_sum(contract)


# Only a player of a pair can play alone; the other examples all have to stand.
ALONE = {"euchre-two": 6, "euchre-three": 6}


@pytest.mark.parametrize("ruleset", RULESETS.values(), ids=list(RULESETS))
def test_no_example_is_left_out_but_for_want_of_a_partner(ruleset):
    left_out = [
        example
        for example in examples_of(ruleset)
        if any(check_deal(example.rules, example.contract, example.deal))
    ]

    assert len(left_out) == ALONE.get(ruleset.id, 0)


# Counted by hand from docs/rules.md.
@pytest.mark.parametrize(
    ("ruleset", "contract", "said", "points"),
    [
        ("turkish-king", "no-tricks", (), (-50, -300, -200, -100)),
        ("italian-king", "domino", (), (9, -3, -5, -1)),
        ("italian-king", "declaration", ("♠", "sold to B for 3"), (4, 3, 4, 2)),
        ("italian-king-pairs", "domino", ("out first: A + C",), (15, -15)),
        ("italian-king-pairs-choice", "no-men", ("third choice",), (-16, 16)),
        ("barbu", "no-tricks", ("A××B",), (18, -32, -8, -4)),
        ("euchre", "euchre", ("maker: A", "alone"), (1, 0)),
        ("euchre", "euchre", ("maker: A", "B defends alone"), (0, 2)),
        ("krapet", "krapet", ("no winner",), (8, 0)),
    ],
)
def test_examples_are_scored_as_the_rules_say(in_english, ruleset, contract, said, points):
    examples = [e for e in scored_examples(RULESETS[ruleset]) if e.contract.id == contract]

    assert points in [example.points for example in examples if example.said == said]


def test_rules_are_served_to_programs(reader):
    answer = reader.get(reverse("rules_json", args=["euchre"]))

    assert answer.json() == describe(RULESETS["euchre"])


@pytest.mark.parametrize("page", ["rules_of_game", "rules_json"])
def test_game_that_does_not_exist_has_no_rules(reader, page):
    assert reader.get(reverse(page, args=["bridge"])).status_code == 404


def test_house_rules_have_their_page_with_the_prose_of_their_family(reader):
    house_ruleset("club-king", deals=16)

    page = open_rules(reader, "club-king")

    assert "<h1>Club-King</h1>" in page.text
    assert "These are house rules" in page.text
    assert dict(page.context["rules"].facts)["Length"] == "16 deals"
    assert page.context["how"] == open_rules(reader, "turkish-king").context["how"]


def test_house_rules_of_no_known_family_have_no_prose(reader):
    house_ruleset("club-king", family="clubs")

    page = open_rules(reader, "club-king")

    assert (page.status_code, page.context["how"]) == (200, "")


@pytest.mark.parametrize(
    ("page", "kind"), [("rules_at_table", "write"), ("rules_followed", "follow")]
)
def test_table_shows_the_rules_as_it_plays_them(reader, page, kind, django_assert_num_queries):
    head = HeadFactory(ruleset="krapet", players=("Ayşe", "Burak"), options={"scoring": "points"})
    game = GameFactory(head=head)
    sheet = reader.get(address(game, kind))
    url = reverse(page, args=[game.public_id, game.secret(kind)])

    with django_assert_num_queries(2):
        rules = reader.get(url)

    assert f'href="{url}"' in sheet.text
    assert f'href="{address(game, kind)}"' in rules.text
    options = {option.name: option.values for option in rules.context["rules"].options}
    assert options["Scoring"] == (("games won", False), ("points", True))
    assert options["Target"][0] == ("300", True)


def test_table_of_house_rules_keeps_them_when_they_are_gone(reader):
    house_ruleset("club-king", deals=16)
    game = GameFactory(head=HeadFactory(ruleset="club-king"))

    HouseRuleset.objects.all().delete()

    url = reverse("rules_at_table", args=[game.public_id, game.secret("write")])
    assert dict(reader.get(url).context["rules"].facts)["Length"] == "16 deals"


def test_rules_of_a_table_are_for_whoever_has_its_address(reader):
    game = GameFactory()

    for page, kind in (("rules_at_table", "follow"), ("rules_followed", "write")):
        url = reverse(page, args=[game.public_id, game.secret(kind)])
        assert reader.get(url).status_code == 404


@pytest.mark.parametrize("number", [1, 3])
@pytest.mark.parametrize("page", ["rules", "new"])
def test_rulesets_are_listed_in_one_query(reader, page, number, django_assert_num_queries):
    for index in range(number):
        house_ruleset(f"club-king-{index}")

    with django_assert_num_queries(1):
        text = reader.get(reverse(page)).text

    assert f"Club-King-{number - 1}" in text


@pytest.mark.parametrize(("ruleset", "queries"), [("turkish-king", 0), ("club-king", 1)])
def test_rules_of_one_game_ask_the_database_for_house_rules_only(
    reader, ruleset, queries, django_assert_num_queries
):
    house_ruleset("club-king")

    with django_assert_num_queries(queries):
        assert open_rules(reader, ruleset).status_code == 200


def test_rules_lead_to_a_new_table_of_that_game(reader):
    page = reader.get(f"{reverse('new')}?ruleset=italian-king-pairs")

    assert page.context["form"]["ruleset"].value() == "italian-king-pairs"
    assert f'href="{reverse("rules_of_game", args=["italian-king-pairs"])}"' in page.text
