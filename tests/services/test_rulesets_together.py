import pytest
from django.db import IntegrityError

from tests.club_factories import ClubFactory
from tests.factories import EVENING, HouseRulesetFactory, UserFactory
from tests.together import at_once
from tournaments.engine.documents.ruleset_records import write_ruleset
from tournaments.engine.variants import RULESETS
from tournaments.models import AuditEntry, HouseRuleset, User
from tournaments.services.audit import Actor
from tournaments.services.rulesets import change_rules, create_rules

pytestmark = pytest.mark.django_db(transaction=True)

ORGANISERS = 6
DOCUMENT = write_ruleset(RULESETS["rifki"]) | {"name": "Moda"}


def test_of_several_who_save_at_once_one_is_stored_and_the_others_are_told():
    rules = HouseRulesetFactory(club=ClubFactory())
    by = Actor(UserFactory())

    def save():
        return change_rules(rules.pk, DOCUMENT, 1, by, at=EVENING).revision

    told = at_once(*[save] * ORGANISERS)

    assert sorted(map(str, told)) == ["2", *["StaleRules"] * (ORGANISERS - 1)]
    assert HouseRuleset.objects.get().revision == 2
    assert AuditEntry.objects.count() == 1


def test_several_who_choose_one_name_at_once_all_get_their_rules():
    by, club = Actor(UserFactory()), ClubFactory()

    def create():
        return create_rules(DOCUMENT, by, at=EVENING, club=club).revision

    assert at_once(*[create] * ORGANISERS) == [1] * ORGANISERS
    assert len(set(HouseRuleset.objects.values_list("slug", flat=True))) == ORGANISERS
    assert AuditEntry.objects.count() == ORGANISERS


def test_account_deleted_meanwhile_leaves_no_rules_behind():
    author = UserFactory()
    by = Actor(User.objects.get(pk=author.pk))
    author.delete()

    with pytest.raises(IntegrityError):
        create_rules(DOCUMENT, by, at=EVENING)

    assert not HouseRuleset.objects.exists()
