"""Several organisers at the same house rules at the same moment."""

from types import SimpleNamespace

import pytest

from tests.factories import EVENING, HouseRulesetFactory, UserFactory
from tests.services.test_playing_together import at_once
from tournaments.engine.ruleset_records import write_ruleset
from tournaments.engine.variants import RULESETS
from tournaments.models import HouseRuleset
from tournaments.services.house_rules import change_rules, create_rules

pytestmark = pytest.mark.django_db(transaction=True)

ORGANISERS = 6
DOCUMENT = write_ruleset(RULESETS["rifki"]) | {"name": "Moda"}


def test_of_several_who_save_at_once_one_is_stored_and_the_others_are_told():
    HouseRulesetFactory(slug="moda")
    author = UserFactory()

    def save():
        return SimpleNamespace(row=change_rules("moda", DOCUMENT, 1, author, at=EVENING))

    told = at_once(*[save] * ORGANISERS)

    assert sorted(map(str, told)) == ["2", *["StaleRules"] * (ORGANISERS - 1)]
    assert HouseRuleset.objects.get().revision == 2


def test_several_who_choose_one_name_at_once_all_get_their_rules():
    author = UserFactory()

    def create():
        return SimpleNamespace(row=create_rules(DOCUMENT, author, at=EVENING))

    assert at_once(*[create] * ORGANISERS) == [1] * ORGANISERS
    assert len(set(HouseRuleset.objects.values_list("slug", flat=True))) == ORGANISERS
