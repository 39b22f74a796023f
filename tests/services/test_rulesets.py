import pytest

from tests import factories
from tests.club_factories import ClubFactory
from tests.deals import WHOLE_GAME
from tournaments.engine.documents.games import read_game
from tournaments.engine.documents.ruleset_records import read_ruleset, write_ruleset
from tournaments.engine.rules.rulesets import Code, InvalidEntry
from tournaments.engine.variants import RULESETS
from tournaments.models import Game, HouseRuleset
from tournaments.queries.rulesets import find_ruleset
from tournaments.services.audit import NOBODY, Actor
from tournaments.services.games import playing
from tournaments.services.rulesets import change_rules, create_rules, remove_rules

pytestmark = pytest.mark.django_db

RIFKI = WHOLE_GAME[0]


def document(name="Moda", rifki=-320):
    rules = write_ruleset(RULESETS["turkish-king"]) | {"name": name}
    rules["contracts"][4]["values"] = {"heart_king": rifki}
    return rules


def create(rules=None, **more):
    return create_rules(
        rules or document(), Actor(factories.UserFactory()), at=factories.EVENING, **more
    )


def change(row, rifki, revision=1):
    by = Actor(factories.UserFactory())
    return change_rules(row.pk, document(rifki=rifki), revision, by, at=factories.EVENING)


def test_rules_are_kept_as_they_are_read_under_their_own_id():
    author = factories.UserFactory()

    row = create_rules({**document(), "clockwise": False}, Actor(author), at=factories.EVENING)

    assert (row.slug, row.name, row.revision, row.author) == ("moda", "Moda", 1, author)
    # A default that was stated is left out.
    assert HouseRuleset.objects.get().document == {**document(), "id": "moda"}
    # Rules of two clubs never share a slug.
    assert [create(club=ClubFactory()).slug for _ in range(2)] == ["moda-2", "moda-3"]


def test_change_of_rules_that_were_taken_away_says_so():
    row = create()
    remove_rules(row.pk, NOBODY, at=factories.EVENING)

    with pytest.raises(HouseRuleset.DoesNotExist):
        change(row, -400)
    # Twice is no error.
    remove_rules(row.pk, NOBODY, at=factories.EVENING)


def test_game_keeps_the_rules_it_began_with():
    row = create()
    game = factories.GameFactory(head=factories.SetupFactory(ruleset="moda"), entries=[RIFKI])

    change(row, -400)
    later = factories.GameFactory(head=factories.SetupFactory(ruleset="moda"), entries=[RIFKI])
    remove_rules(row.pk, NOBODY, at=factories.EVENING)

    assert factories.reload(game).game.totals == (0, 0, -320, 0)
    assert factories.reload(later).game.totals == (0, 0, -400, 0)
    # Both go on, and their heads can still be corrected.
    factories.record(game, WHOLE_GAME[1])
    playing.change_head(
        game.pk,
        factories.SetupFactory(ruleset="moda", place="Moda"),
        factories.ContextFactory(revision=2),
    )
    assert factories.reload(game).row.place == "Moda"


def test_start_asked_twice_opens_one_table_though_the_rules_changed_between():
    row = create()
    head = factories.SetupFactory(ruleset="moda")

    first = playing.start_game(head, at=factories.EVENING, key="the-same-key")
    change(row, -400)
    second = playing.start_game(head, at=factories.EVENING, key="the-same-key")

    assert (first.pk, first.document) == (second.pk, second.document)


def test_record_of_a_game_holds_its_rules_whole():
    create(document(rifki=-400))
    game = factories.GameFactory(
        head=factories.SetupFactory(ruleset="moda", options={"king": "off"}), entries=WHOLE_GAME
    )

    sheet = factories.reload(game)
    reading = read_game(sheet.record)

    assert read_ruleset(sheet.record["ruleset"]) == find_ruleset("moda")
    assert (reading.problems, reading.game) == ((), sheet.game)


@pytest.fixture
def club():
    return ClubFactory()


def test_game_by_rules_of_a_club_is_begun_with_a_copy_of_them_only(club):
    row = create(club=club)
    for slug in ("moda", "moda\0", "nobody-s"):
        with pytest.raises(InvalidEntry) as refusal:
            playing.start_game(factories.SetupFactory(ruleset=slug), at=factories.EVENING)
        assert [problem.code for problem in refusal.value.problems] == [Code.UNKNOWN_RULESET]
    assert not Game.objects.exists()

    head = factories.SetupFactory(ruleset="moda", document=row.document)
    game = playing.start_game(head, at=factories.EVENING)
    remove_rules(row.pk, NOBODY, at=factories.EVENING)

    assert factories.record(game, RIFKI).game.totals == (0, 0, -320, 0)
