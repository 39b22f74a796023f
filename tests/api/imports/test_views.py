import json
from pathlib import Path

import pytest

from tests.api.conftest import faults
from tests.club_factories import PlayerFactory
from tests.deals import NAMES
from tournaments.models import Game, Player

pytestmark = pytest.mark.django_db

IMPORTS = "clubs/moda/imports/"
TOTALS = (540, -110, -330, -100)
WHOLE = json.loads(Path("tests/records/turkish-king-whole.json").read_text(encoding="utf-8"))


def lines(names=NAMES, totals=TOTALS, **more):
    return [
        {"date": "2026-01-02", "player": name, "points": points, **more}
        for name, points in zip(names, totals, strict=True)
    ]


def results(**more):
    return {"ruleset": "turkish-king", "evening": "Cuma", "lines": lines()} | more


def test_players_are_looked_at_and_then_imported(director, club):
    own = PlayerFactory(club=club, name="Ayşe")
    body = {"lines": [{"name": "AYŞE"}, {"name": "Burak", "initials": True}]}
    plan = director.post(f"{IMPORTS}players/", body | {"dry_run": True})
    old, new = plan.json()["lines"]
    assert (plan.status_code, Player.objects.count()) == (200, 1)
    assert (old["is_new"], old["player"]) == (False, {"id": own.public_id, "name": "Ayşe"})
    assert (new["is_new"], new["player"]) == (True, None)

    for status, imported in ((201, 1), (200, 0)):
        done = director.post(f"{IMPORTS}players/", body)
        assert (done.status_code, done.json()["imported"]) == (status, imported)
    assert Player.objects.get(name="Burak").initials


def test_results_become_games(director, club):
    own = PlayerFactory(club=club, name="Cem")
    plan = director.post(f"{IMPORTS}results/", results(dry_run=True)).json()
    (game,) = plan["games"]
    assert (game["date"], game["evening"], game["round"]) == ("2026-01-02", "Cuma", 1)
    assert [seat["id"] for seat in game["players"]] == [None, None, own.public_id, None]
    assert (game["there"], plan["new_players"]) == (False, ["Ayşe", "Burak", "Deniz"])
    assert not Game.objects.exists()

    for status, imported in ((201, 1), (200, 0)):
        done = director.post(f"{IMPORTS}results/", results())
        assert (done.status_code, done.json()["imported"]) == (status, imported)
    assert Game.objects.get().result["totals"] == list(TOTALS)


def test_faults_of_results_are_shown_by_line_and_column(director):
    wrong = results(lines=lines(totals=(541, -110, -330, -100)))
    assert faults(director.post(f"{IMPORTS}results/", wrong)) == [("wrong-sum", "lines.0.points")]
    for day, code in (("2999-01-01", "day-to-come"), ("0001-01-01", "no-day")):
        denied = director.post(f"{IMPORTS}results/", results(lines=lines(date=day)))
        assert faults(denied)[0] == (code, "lines.0.date")
    broken = results(lines=lines(totals=(1, "1/3", 2.5, True)))
    assert faults(director.post(f"{IMPORTS}results/", broken)) == [
        ("no-points", f"lines.{number}.points") for number in (1, 2, 3)
    ]
    halves = results(lines=lines(totals=("1/2", "-1/2", 0, 0)), early=True)
    assert director.post(f"{IMPORTS}results/", halves).status_code == 201


def test_records_become_games_and_problems_are_shown_by_record(director):
    wrong = WHOLE | {"players": ["Ayşe", "Burak"]}
    denied = director.post(f"{IMPORTS}records/", {"records": [WHOLE, wrong, "no record"]})
    assert {where.split(".")[1] for _code, where in faults(denied)} == {"1", "2"}
    assert not Game.objects.exists()

    body = {"records": [WHOLE]}
    (game,) = director.post(f"{IMPORTS}records/", body | {"dry_run": True}).json()["games"]
    assert [seat["name"] for seat in game["players"]] == WHOLE["players"]
    for status, is_there in ((201, False), (200, True)):
        done = director.post(f"{IMPORTS}records/", body)
        assert (done.status_code, done.json()["games"][0]["there"]) == (status, is_there)
