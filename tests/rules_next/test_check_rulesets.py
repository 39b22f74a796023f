"""What an upgrade changes is listed first, and changes nothing yet."""

from io import StringIO

import pytest
from django.core.management import call_command

from tests.factories import GameFactory, HouseRulesetFactory, SetupFactory, reload
from tests.rules_next.test_rules_next import CASES
from tournaments.models import Game, HouseRuleset

SOLD = CASES["sale at 25 a trick: three tricks are 75 points"]["game"]


@pytest.mark.django_db
def test_refused_house_rules_and_changed_games_are_listed(client):
    document = {**SOLD["ruleset"], "deals": 1}
    head = SetupFactory(ruleset="house", document=document, players=SOLD["players"])
    game = GameFactory(head=head, entries=SOLD["entries"])
    before = {**game.result, "totals": [53, 147, 75, 50]}
    Game.objects.filter(pk=game.pk).update(result=before)
    HouseRulesetFactory(slug="fine")
    stuck = {**document, "id": "stuck", "name": "Stuck", "deals": 5}
    stuck["contracts"] = [{**document["contracts"][0], "quota_each": 1}]
    HouseRulesetFactory(slug="stuck", document=stuck)
    out = StringIO()

    call_command("check_rulesets", stdout=out)

    assert out.getvalue().splitlines() == [
        "house rules stuck: bad-ruleset at deals",
        f"game {game.public_id}, house, 2026-11-20: 53/147/75/50 becomes 125/75/75/50",
        "1 house rules refused, 1 finished games changed",
    ]
    assert reload(game).row.result == before
    # They can be read, and mended, as before.
    assert client.get("/new/").status_code == 200
    assert HouseRuleset.objects.get(slug="stuck").document == stuck
