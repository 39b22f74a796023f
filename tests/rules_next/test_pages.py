"""Pages and documents of games with another pack and for two to six: none fails."""

import pytest
from django.urls import reverse

from tests.factories import HouseRulesetFactory, record_all, reload
from tests.reports.asked import silent
from tests.rules_next.test_rules_next import DOCUMENTS, PENDING, load
from tournaments.models import Game, Report
from tournaments.reports.documents import compose

READABLE = [name.removesuffix(".json") for name in DOCUMENTS if name not in PENDING]
NAMES = ("Ayşe", "Burak", "Cem", "Deniz", "Elif", "Fatma")
SIX = {
    "format": "kingscore-ruleset/1",
    "id": "six",
    "family": "six",
    "pack": {"without": ["clubs-2", "diamonds-2", "spades-2", "hearts-2"]},
    "sides": [0, 1, 2, 0, 1, 2],
    "contracts": [
        {
            "id": "all",
            "kind": "penalty",
            "values": {"aces": -1, "jacks": -2, "penultimate_trick": -3},
        },
        {
            "id": "places",
            "kind": "d",
            "values": {"places": 0},
            "scoring": "places",
            "prizes": [3, 2, 1],
        },
    ],
    "deals": 4,
    "settings": {"outcome": "highest-wins"},
}
COUNTS = {"aces": [4, 0, 0], "jacks": [2, 1, 1], "penultimate_trick": [0, 0, 1]}
SIX_PLAYED = {"entries": [{"type": "deal", "contract": "all", "counts": COUNTS}]}


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["six", *READABLE])
def test_game_is_begun_written_and_shown(client, tmp_path, name):
    document = SIX if name == "six" else load(f"rulesets/{name}.json")
    record = SIX_PLAYED if name == "six" else load(f"{name}.game.json")
    HouseRulesetFactory(slug=name, name="Ev oyunu", document={**document, "name": "Ev oyunu"})
    seats = {f"name{seat}": player for seat, player in enumerate(NAMES)}

    assert client.get(reverse("new")).status_code == 200
    first = record.get("first_declarer", 0)
    options = {f"{name}.{option}": value for option, value in record.get("options", {}).items()}
    client.post(reverse("new"), {"ruleset": name, **seats, "first_declarer": first, **options})
    game = Game.objects.get()
    own = [game.public_id, game.secret("write")]
    pages = [reverse(page, args=own) for page in ("write", "head", "history", "rules_at_table")]
    pages.append(reverse("rules_of_game", args=[name]))
    answers = [client.get(page) for page in pages]
    record_all(game, record["entries"])
    pages += [reverse("entry", args=[*own, 0])]
    answers += [client.get(page) for page in pages]
    answers.append(client.post(reverse("scoresheet", args=own)))

    assert {answer.status_code for answer in answers} <= {200, 302}
    compose(Report.objects.get(), silent).write(tmp_path / "sheet.pdf", silent)
    assert reload(game).game.finished == (name != "six")
