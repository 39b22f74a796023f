"""Pages and documents of games with another pack and for two to six: none fails."""

import csv
from collections import Counter

import pytest
from django.urls import reverse

from tests.api.conftest import Program, phone_of
from tests.deals import WHOLE_GAME
from tests.factories import GameFactory, HouseRulesetFactory, SetupFactory, record_all, reload
from tests.match_builders import rematch
from tests.reports.asked import silent
from tests.reports.conftest import Pdf
from tests.rules_next.test_rules_next import DOCUMENTS, load
from tests.sample_games import load as read_record
from tests.sample_games import load_result as read_result
from tournaments.engine.variants import RULESETS
from tournaments.models import Game, Report
from tournaments.reports.documents import compose
from tournaments.texts.labels import points_text
from tournaments.web.base.phone import address, evening_address

READABLE = [name.removesuffix(".json") for name in DOCUMENTS]
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
LONG = ("Muhammetcan", "Sinemnurgülş", "Abdurrahmani", "Zeynepsultan", "Gülendamhanı")
LONG += ("Kahramanmert",)
COUNTS = {"aces": [4, 0, 0], "jacks": [2, 1, 1], "penultimate_trick": [0, 0, 1]}
SIX_PLAYED = {"entries": [{"type": "deal", "contract": "all", "counts": COUNTS}]}


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["six", *READABLE])
def test_game_is_begun_written_and_shown(client, tmp_path, name):
    document = SIX if name == "six" else load(f"rulesets/{name}.json")
    record = SIX_PLAYED if name == "six" else load(f"{name}.game.json")
    if name not in RULESETS:
        HouseRulesetFactory(slug=name, name="Ev oyunu", document={**document, "name": "Ev oyunu"})
    seats = {f"name{seat}": player for seat, player in enumerate(NAMES)}

    assert client.get(reverse("new")).status_code == 200
    first = record.get("first_declarer", 0)
    options = {f"{name}.{option}": value for option, value in record.get("options", {}).items()}
    client.post(reverse("new"), {"ruleset": name, **seats, "first_declarer": first, **options})
    game = Game.objects.get()
    own = [game.public_id, game.secret("write")]
    answers = [client.get(reverse("write", args=own))]
    record_all(game, record["entries"])
    pages = [reverse(page, args=own) for page in ("write", "head", "history", "rules_at_table")]
    pages += [reverse("rules_of_game", args=[name]), reverse("entry", args=[*own, 0])]
    answers += [client.get(page) for page in pages]
    answers.append(client.post(reverse("scoresheet", args=own)))

    assert {answer.status_code for answer in answers} <= {200, 302}
    compose(Report.objects.get(), silent).write(tmp_path / "sheet.pdf", silent)
    assert reload(game).game.finished == (name != "six")


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["honeymoon-king", "king-three", "king-36", "king-five", "six"])
def test_documents_hold_all_players_and_totals(client, tmp_path, name):
    if name == "honeymoon-king":
        record, result = (read("honeymoon-whole") for read in (read_record, read_result))
    elif name == "six":
        record, result = SIX_PLAYED, {"totals": [-8, -2, -5]}
    else:
        record, result = load(f"{name}.game.json"), load(f"{name}.expect.json")
    if name not in RULESETS:
        HouseRulesetFactory(
            slug=name, document=SIX if name == "six" else load(f"rulesets/{name}.json")
        )
    seats = len(record.get("players", NAMES))
    first, options = record.get("first_declarer", 0), record.get("options", {})
    setup = SetupFactory(ruleset=name, players=LONG[:seats], first_declarer=first, options=options)
    game = GameFactory(head=setup, entries=record["entries"])

    def build(form, **asked):
        path = tmp_path / form
        report = Report(format=form, language="tr", **asked)
        compose(report, silent).write(path, silent)
        return path.read_bytes()

    phone, path = phone_of(Program(), game)
    follow = [game.public_id, game.secret("follow")]
    whole = {"record": client.get(reverse("follow_record", args=follow)).json()}
    texts = {
        "page": client.get(address(game, "follow")).text.replace("\u00ad", ""),
        "pdf": Pdf(build("pdf", kind="scoresheet", parameters=whole)).text,
    }

    wanted = [*LONG[:seats], *map(points_text, result["totals"])]
    for kind, text in texts.items():
        assert [word for word in wanted if word not in text] == [], kind
    assert "…" not in texts["pdf"]
    file = build("csv", kind="scoresheet", parameters=whole).decode("utf-8-sig")
    rows = list(csv.DictReader(file.splitlines()))
    sides = [each for each in rows[0] if each.startswith(LONG[:seats])]
    assert [sum(int(row[side]) for row in rows) for side in sides] == result["totals"]
    assert phone.get(path).json()["result"]["totals"] == result["totals"]
    for wide in (False, True):
        assert build("png", kind="picture", game=game, parameters=whole | {"wide": wide})


@pytest.mark.django_db
def test_evening_of_three_five_and_four_counts_all_and_asks_who_sits_out(client):
    """A table of five: a game of three, one of all, and one of four."""
    people, game = NAMES[:5], None
    for number, (name, seats) in enumerate((("king-three", 3), ("king-five", 5))):
        record = load(f"{name}.game.json")
        head = {"ruleset": name, "players": people[:seats]}
        if game is None:
            game = GameFactory(head=SetupFactory(**head, first_declarer=record["first_declarer"]))
        else:
            head["first_declarer"] = record["first_declarer"]
            game, _ = rematch(game, key=f"key-of-the-game-{number:08}", **head)
        record_all(game, record["entries"])

    four = {"family": "turkish-king", "form.turkish-king": "turkish-king"}
    typed = {f"name{line}": player for line, player in enumerate(people)}
    page = reverse("rematch", args=[game.public_id, game.secret("write")])
    key = {"key": "a-key-of-at-least-22-letters"}
    answer = client.post(page, {**key, "first": "0", **four, **typed})

    assert answer.status_code == 302
    last = Game.objects.get(number=3)
    assert (last.ruleset, len(last.players), len(last.resting)) == ("turkish-king", 4, 1)
    record_all(last, WHOLE_GAME)
    evening = client.get(evening_address(last.open_table)).context["evening"]
    sums = Counter(dict(zip(last.players, (540, -110, -330, -100), strict=True)))
    for name in ("king-three", "king-five"):
        sums.update(dict(zip(people, load(f"{name}.expect.json")["totals"], strict=False)))
    points = {row.name: row.points for row, _ in evening.counted()}
    assert points == {player: points_text(total) for player, total in sums.items()}
