from fractions import Fraction
from pathlib import Path

import pytest
from babel.messages.pofile import read_po
from django.utils import translation

from tournaments.engine.rules.fields import FIELDS
from tournaments.engine.rules.rulesets import PENALTY, TRUMP
from tournaments.engine.variants import RULESETS
from tournaments.queries.scoresheets import TAKEN
from tournaments.texts import labels

LOCALE = Path(__file__).parents[2] / "locale"


def texts_of(rules):
    """Every text that is needed to speak of a ruleset."""
    yield from labels.RULESETS[rules.id]
    for contract in rules.contracts:
        yield from labels.CONTRACTS[contract.id][:2]
        yield from (labels.UNITS[unit] for unit in contract.values)
        yield from (labels.SUITS[suit][0] for suit in contract.trumps)
        yield from (labels.BADGES[badge][0] for badge in contract.badges)
        if contract.kind not in labels.CONTRACTS:
            yield labels.KINDS[contract.kind]
    for name in (*rules.quotas, PENALTY, TRUMP):
        yield labels.MUST[name]
    yield from (labels.REASONS["void", reason] for reason in rules.voids)
    yield from (labels.REASONS["redeal", reason] for reason in rules.redeals)
    for option in rules.options:
        yield from labels.OPTIONS[option.setting]
        for value in option.values:
            if isinstance(value, str):
                yield labels.OPTION_VALUES[option.setting, value]


@pytest.fixture(scope="module")
def catalogues():
    """The translations of each language but English, which the texts are written in."""
    found = {}
    for language in ("tr", "it"):
        with (LOCALE / language / "LC_MESSAGES" / "django.po").open("rb") as source:
            found[language] = read_po(source, locale=language)
    return found


@pytest.mark.parametrize("ruleset", RULESETS)
def test_every_word_of_a_game_is_there_in_three_languages(catalogues, ruleset):
    with translation.override("en"):
        texts = [str(text) for text in texts_of(RULESETS[ruleset])]
    assert all(texts)
    for language, catalogue in catalogues.items():
        known = {message.id for message in catalogue if message.id and message.string}
        assert [text for text in texts if text not in known] == [], language


@pytest.mark.parametrize("ruleset", RULESETS)
def test_every_field_of_a_deal_has_a_name_and_says_something(ruleset):
    rules = RULESETS[ruleset]
    fields = {*rules.fields, *(field for contract in rules.contracts for field in contract.fields)}
    # A double is written with the players' initials, and a proof not at all.
    assert {name for name in fields if not FIELDS[name].mark} <= {"doubles", "salt"}
    assert fields - labels.FIELDS.keys() <= {"tricks"}


def test_numbers_of_every_strategy_are_told():
    strategies = {contract.scoring for rules in RULESETS.values() for contract in rules.contracts}
    without_units = {
        contract.scoring
        for rules in RULESETS.values()
        for contract in rules.contracts
        if not contract.values
    }
    assert without_units == TAKEN.keys()
    assert strategies >= without_units


def test_points_are_written_exactly():
    for points, text in (
        *(("-9/2", "−4½"), ("1/2", "½"), ("-1/2", "−½"), ("100/3", "33⅓"), ("-119/6", "−19⅚")),
        *(("417/5", "83⅖"), ("5/12", "⁵⁄₁₂"), ("-1009/84", "−12¹⁄₈₄"), (-320, "−320"), (0, "0")),
    ):
        assert labels.points_text(points) == text


def test_money_is_written_to_the_coin_as_the_language_does():
    for amount, language, text in (
        *((130, "en", "1.30"), (130, "tr", "1,30"), (130, "it", "1,30")),
        *((123456789, "en", "1,234,567.89"), (123456789, "tr", "1.234.567,89")),
        (10**40 + 1, "it", ".".join(["100", *["000"] * 12]) + ",01"),
    ):
        with translation.override(language):
            assert labels.money_text(Fraction(amount, 100)) == text
    for value, text in (("1/10", "0.10"), ("1/200", "0.005"), ("1/3", "⅓"), (2, "2")):
        assert labels.option_value_name("stake", value) == text


@pytest.mark.parametrize(
    ("language", "ruleset", "contract", "names"),
    [
        ("en", "turkish-king", "heart-king", ("Rıfkı (king of hearts)", "Rıfkı", "♥K")),
        ("en", "barbu", "heart-king", ("King of hearts", "♥K", "♥K")),
        ("tr", "rifki", "heart-king", ("Rıfkı", "Rıfkı", "♥K")),
        ("tr", "italian-king", "heart-king", ("Kupa papazı", "No K♥", "No K♥")),
        ("it", "italian-king", "no-men", ("No Re e Fante", "No K J", "No K J")),
        ("it", "italian-king-pairs", "no-tricks", ("Misère (−P)", "Mis", "Mis")),
        ("it", "turkish-king", "no-tricks", ("Niente prese", "Prese", "∅")),
        ("en", "king-five", "last-two", ("Last two", "Last 2", "9·10")),
    ],
)
def test_contracts_have_the_names_and_signs_of_their_family(language, ruleset, contract, names):
    rules = RULESETS[ruleset]
    with translation.override(language):
        found = (labels.contract_title, labels.contract_short, labels.contract_symbol)
        assert tuple(name_of(rules, contract) for name_of in found) == names


@pytest.mark.parametrize(
    ("ruleset", "contract", "name"),
    [
        ("barbu-french-five", "heart-king", ("fr", "Barbu")),
        # It is the same in English.
        ("barbu-french", "salade", ("", "")),
        ("barbu-french", "reussite", ("", "")),
        ("barbu", "no-tricks", ("", "")),
        ("portuguese-king", "no-hearts", ("pt", "Copas")),
        ("russian-king", "take-last-two", ("ru", "Две последние")),
    ],
)
def test_games_have_their_own_names_beside_the_translated_ones(ruleset, contract, name):
    assert labels.name_at_home(RULESETS[ruleset], contract) == name
