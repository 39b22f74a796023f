import json
import re
from datetime import timedelta
from html import unescape
from pathlib import Path

import pytest
from django.urls import reverse
from django.utils import timezone

from tests.club_factories import ClubFactory, MemberFactory
from tests.deals import WHOLE_GAME
from tests.factories import (
    GameFactory,
    HouseRulesetFactory,
    SetupFactory,
    UserFactory,
    record_all,
    reload,
)
from tournaments import tasks
from tournaments.engine.play.ruleset_checks import FIXED, SETTINGS
from tournaments.engine.rules.rulesets import InvalidEntry
from tournaments.engine.variants import RULESETS
from tournaments.models import AuditEntry, Game, HouseRuleset, Report
from tournaments.texts.labels import OPTIONS
from tournaments.web.base.phone import address

RIFKI = "contracts.4.values.heart_king"


def form_of(page):
    html = page.content.decode()
    html = html[html.index('<form id="house"') : html.index("</form>")]
    fields = {}
    for tag in re.findall(r"<input[^>]*>", html):
        name = re.search(r'name="([^"]*)"', tag)
        if name and (" checked" in tag or not re.search("checkbox|radio", tag)):
            fields[name[1]] = unescape(re.search(r'value="([^"]*)"', tag)[1])
    for name, options in re.findall(r'<select[^>]*name="([^"]*)"[^>]*>(.*?)</select>', html):
        values = re.findall(r'value="([^"]*)"( selected)?', options)
        fields[name] = next((value for value, chosen in values if chosen), values[0][0])
    return fields


def text_of(page):
    return " ".join(re.sub(r"<[^>]*>", " ", page.content.decode()).split())


@pytest.fixture
def organiser(client):
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "en"
    client.user = UserFactory(username="Nil")
    client.force_login(client.user)
    return client


@pytest.fixture
def rules():
    return HouseRulesetFactory(slug="moda")


def edit(slug="moda"):
    return reverse("house_ruleset", args=[slug])


def send(client, changes, action="save", slug="moda", **headers):
    form = form_of(client.get(edit(slug)))
    form.update(changes)
    sent = {name: value for name, value in form.items() if value is not None}
    return client.post(edit(slug), {**sent, "action": action}, **headers)


def stored(slug="moda"):
    return HouseRuleset.objects.get(slug=slug).document


# From the list.


@pytest.mark.parametrize("ruleset", RULESETS)
def test_every_game_is_copied_and_saved_unchanged(organiser, ruleset):
    answer = organiser.post(reverse("copy_rules"), {"source": ruleset, "name": "Our game"})

    assert answer.url == edit("our-game")
    before = stored("our-game")
    without = {name: value for name, value in before.items() if name not in ("options", "implied")}
    # Also where the table may choose nothing.
    for document in (before, without):
        HouseRuleset.objects.update(document=document)
        saved = send(organiser, {}, slug="our-game")
        assert saved.status_code == 302, text_of(saved)
        assert stored("our-game") == document
    assert HouseRuleset.objects.get().revision == 3


def test_document_goes_out_and_comes_in_again(organiser, rules):
    out = organiser.get(reverse("export_rules", args=["moda"]))

    assert out["Content-Disposition"] == 'attachment; filename="moda.json"'
    answer = organiser.post(reverse("import_rules"), {"text": out.content.decode()})
    assert answer.url == edit("moda-rules")
    assert stored("moda-rules") == {**json.loads(out.content), "id": "moda-rules"}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "This is no JSON"),
        ('{"format": "kingscore-ruleset/1"}', "contracts: "),
        ("[]", "This is not what belongs here"),
    ],
)
def test_document_that_cannot_be_read_is_refused_with_the_reasons(organiser, text, says):
    answer = organiser.post(reverse("import_rules"), {"text": text})
    assert answer.status_code == 422
    assert says in text_of(answer)
    assert not HouseRuleset.objects.exists()


# Changing.


def look(client, changes):
    return send(client, changes, action="", HTTP_HX_REQUEST="true")


def test_change_is_looked_at_at_once_and_not_saved(organiser, rules):
    answer = look(organiser, {RIFKI: "−400"})

    assert "Not zero-sum: all scores of a whole game add up to −160." in text_of(answer)
    assert "Σ −400 Σ −360" in text_of(answer)
    assert stored() == rules.document


@pytest.mark.parametrize(
    ("changes", "field", "says"),
    [
        ({RIFKI: "many"}, RIFKI, "expected: a number"),
        ({"deals": ""}, "deals", "it needs a number of deals or a target"),
        ({"deals": "24"}, "deals", "a side that declares 6 times may find only 5 contracts left"),
        ({"contracts.4.quota": "0"}, "contracts.4.quota", "between 1 and 10000"),
    ],
)
def test_what_is_wrong_stands_beside_its_field(organiser, rules, changes, field, says):
    seen, saved = look(organiser, changes), send(organiser, changes)

    assert saved.status_code == 422
    for page in (seen, saved):
        html = page.content.decode()
        at = html.index(f'id="{field.replace(".", "-")}-errors"')
        assert says in html[at : html.index("</ul>", at)]
    assert stored() == rules.document
    # What was typed is still there.
    name, value = next(iter(changes.items()))
    assert form_of(saved)[name] == value


def test_changed_rules_are_saved_and_played(organiser, rules):
    changes = {RIFKI: "-400", "contracts.4.name": "Papaz", "name": "Moda, dear"}

    answer = send(organiser, changes)

    assert (answer.status_code, answer.url) == (302, edit())
    row = HouseRuleset.objects.get()
    assert (row.name, row.revision, row.author) == ("Moda, dear", 2, organiser.user)
    assert row.document["contracts"][4]["values"] == {"heart_king": -400}
    assert row.document["contracts"][4]["name"] == "Papaz"


def test_table_is_given_and_denied_choices(organiser, rules):
    send(organiser, {"choose.king": None, "settings.out": "mean"})
    document = stored()
    others = [o.setting for o in RULESETS["turkish-king"].options if o.setting != "king"]
    assert [option["setting"] for option in document["options"]] == others
    assert document["settings"]["out"] == "mean"
    send(organiser, {"choose.king": "on", "settings.king": "off"})
    assert stored()["options"][-1] == {
        "setting": "king",
        "values": ["off", "ends-game", "declared"],
    }


def test_contract_comes_and_goes(organiser, rules):
    page = send(organiser, {"unit": "diamond_eight"}, action="add")
    assert "Eight of diamonds" in text_of(page)
    assert form_of(page)["contracts.7.values.diamond_eight"] == "-10"
    assert stored() == rules.document

    form = form_of(page)
    form |= {"contracts.7.quota": "1", "deals": "20", "action": "save"}
    saved = organiser.post(edit(), form)
    assert saved.status_code == 302, text_of(saved)
    assert stored()["contracts"][7] == {
        "id": "diamond-eight",
        "kind": "penalty",
        "values": {"diamond_eight": -10},
        "quota": 1,
    }

    page = send(organiser, {}, action="remove:7")
    assert "Not saved yet." in text_of(page)
    organiser.post(edit(), {**form_of(page), "action": "save"})
    assert len(stored()["contracts"]) == 7


def test_contract_of_a_fixed_order_comes_and_goes_with_its_part(organiser):
    organiser.post(reverse("copy_rules"), {"source": "portuguese-king", "name": "Moda"})
    page = send(organiser, {}, action="remove:0")
    organiser.post(edit(), {**form_of(page), "action": "save"})
    document = stored()
    assert (document["deals"], len(document["stages"])) == (9, 6)
    page = send(organiser, {"unit": "tricks", "stages.5.deals": "2"}, action="add")
    organiser.post(edit(), {**form_of(page), "action": "save"})
    document = stored()
    assert document["deals"] == 8
    assert document["stages"][-1] == {"deals": 1, "contracts": ["no-tricks"]}


def test_two_who_save_at_once_lose_nothing(organiser, rules):
    mine = {**form_of(organiser.get(edit())), RIFKI: "-400", "action": "save"}
    send(organiser, {"deals": "16"})

    answer = organiser.post(edit(), mine)

    assert answer.status_code == 409
    assert "Nil has changed these rules meanwhile, so nothing is saved." in text_of(answer)
    assert stored()["deals"] == 16
    # What was typed stands there, and can be saved again.
    again = form_of(answer)
    assert again[RIFKI] == "-400"
    assert organiser.post(edit(), {**again, "action": "save"}).status_code == 302
    assert stored()["contracts"][4]["values"] == {"heart_king": -400}


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"revision": "1", "document": "{"},
        {"revision": "1", "document": '{"contracts": [5]}'},
        {"revision": "1", "document": '{"contracts": []}', "action": "remove:x"},
    ],
)
def test_form_that_is_not_ours_is_refused(organiser, rules, form):
    assert organiser.post(edit(), form).status_code == 400


def deal(contract, more=None, **counts):
    return {"type": "deal", "contract": contract, "counts": counts, **(more or {})}


def whole_game(name):
    return json.loads(Path(f"tests/rules_next/{name}.game.json").read_text())["entries"]


FRENCH = [
    deal("salade", tricks=[2] * 4, hearts=[2] * 4, queens=[1] * 4, heart_king=[1, 0, 0, 0]),
    deal("no-tricks", {"doubles": [{"seats": [1, 2]}]}, tricks=[1, 3, 4, 0]),
    deal("reussite", places=[1, 2, 3, 4]),
]
RUSSIAN = [
    deal("no-tricks", tricks=[4, 3, 3, 3]),
    deal("no-hearts", {"doubles": [{"seats": [0, 3], "redoubled": True}]}, hearts=[5, 4, 4, 0]),
]
ITALIAN = [
    deal("no-men", men=[3, 2, 2, 1]),
    deal("no-queens", queens=[1, 0, 2, 1]),
    deal("diamond-eight", diamond_eight=[0, 1, 0, 0]),
    deal("heart-king", heart_king=[0, 0, 0, 1]),
    deal("no-hearts", hearts=[2, 7, 0, 4]),
    deal("last-two", last_two=[1, 0, 1, 0]),
    deal("no-tricks", tricks=[3, 1, 6, 3]),
    deal("domino", cards_left=[0, 4, 2, 5]),
    deal("declaration", {"trump": "clubs", "sale": {"buyer": 1, "tricks": 4}}, tricks=[2, 6, 3, 2]),
]


# The nearest game; what is changed after a contract is removed; deals, their totals, and a deal
# that cannot be the first.
OF_REAL_TABLES = {
    "four penalties first": (
        "turkish-king",
        {"settings.penalties_first": "4"},
        (WHOLE_GAME[:3], [-220, -60, -700, -220]),
        WHOLE_GAME[3],
    ),
    "Portuguese King with its auction": (
        "portuguese-king-auction",
        {},
        (whole_game("portuguese-king-auction"), [-225, 240, 30, -45]),
        deal("nulos", tricks=[6, 2, 4, 1]),
    ),
    "French Barbu with six contracts and doubles": (
        "barbu-french",
        {"action": "remove:4", "contracts.4.values.last_trick": "", "doubles": "on"},
        (FRENCH, [-45, -20, -75, -70]),
        deal("last-trick", last_trick=[1, 0, 0, 0]),
    ),
    "King for three": (
        "king-three",
        {},
        (whole_game("king-three"), [-620, 250, -130]),
        deal("no-tricks", tricks=[6, 4, 3]),
    ),
    "King for five": (
        "king-five",
        {},
        (whole_game("king-five"), [240, -510, -200, -490, -440]),
        deal("no-tricks", tricks=[6, 4, 3, 0, 0]),
    ),
    "Russian King with 52 cards and doubles": (
        "russian-king",
        {"cards": "2", "doubles": "on"},
        (RUSSIAN, [-38, -14, -14, 14]),
        deal("no-tricks", tricks=[2, 2, 2, 2]),
    ),
    "bid Euchre": (
        "bid-euchre",
        {},
        (whole_game("bid-euchre"), [34, 26]),
        {"type": "deal", "maker": 0, "bid": 3, "tricks": 7},
    ),
    "declarations at 2 a trick, sold": (
        "italian-king",
        {"contracts.8.values.tricks": "2", "settings.sale": "True"},
        (ITALIAN, [5, -20, -16, -21]),
        ITALIAN[8],
    ),
}


@pytest.mark.parametrize("of_table", OF_REAL_TABLES.values(), ids=OF_REAL_TABLES)
def test_games_of_real_tables_are_made_by_the_form_and_played(director, club, of_table):
    source, changes, (entries, totals), refused = of_table
    page = director.post(at("copy_rules"), {"source": source, "name": "Bizim"})
    form = form_of(director.get(page.url))
    if "action" in changes:
        form = form_of(director.post(page.url, {**form, "action": changes["action"]}))
    saved = director.post(page.url, {**form, **changes, "action": "save"})
    assert saved.status_code == 302, text_of(saved)
    names = {f"name{seat}": name for seat, name in enumerate("ABCDE")}
    first = {"king-five": "2"}.get(source, "0")
    director.post(reverse("new"), {"ruleset": "bizim", "first_declarer": first, **names})
    game = Game.objects.get()

    with pytest.raises(InvalidEntry):
        record_all(game, [refused])
    record_all(game, entries)

    assert list(reload(game).game.totals) == totals


# Trying.


def try_out(client, text):
    return client.post(reverse("try_rules", args=["moda"]), {"text": text})


@pytest.mark.parametrize(
    ("text", "says"),
    [("{", "This is no JSON"), ('[{"type": "deal"}]', "Entry 0:"), ("7", "expected")],
)
def test_impossible_entries_are_refused_with_the_reason(organiser, rules, text, says):
    answer = try_out(organiser, text)
    assert answer.status_code == 422
    assert says in text_of(answer)


# At the table.


def test_contract_nobody_knows_is_played_and_printed(organiser):
    rules = HouseRulesetFactory(slug="moda")
    added = {"id": "black-ladies", "kind": "penalty", "values": {"queens": -13, "tricks": "1/2"}}
    document = rules.document | {"deals": 1, "quotas": {}}
    document["contracts"] = [*document["contracts"], added]
    organiser.post(reverse("import_rules"), {"text": json.dumps(document)})
    deal = {
        "type": "deal",
        "contract": "black-ladies",
        "counts": {"queens": [1, 1, 2, 0], "tricks": [5, 5, 3, 0]},
    }
    game = GameFactory(head=SetupFactory(ruleset="moda-rules"), entries=[deal])

    for name in ("write", "follow"):
        page = organiser.get(address(game, name))
        assert "black-ladies" in text_of(page)
    answer = organiser.post(reverse("scoresheet", args=[game.public_id, game.secret("write")]))
    assert answer.status_code in (200, 302)
    report = Report.objects.get()
    tasks.build_report(report.pk)
    report.refresh_from_db()
    assert (report.state, report.error) == ("done", "")


def test_whatever_a_table_may_choose_has_a_name():
    assert SETTINGS.keys() - set(FIXED) <= OPTIONS.keys()


@pytest.mark.parametrize(
    ("name", "slug"), [("Moda Kıraathanesi", "moda-kiraathanesi"), ("♠♥", "house")]
)
def test_slug_is_made_of_the_name_and_nobody_elses(organiser, name, slug):
    organiser.post(reverse("copy_rules"), {"source": "turkish-king", "name": name})
    assert stored(slug)["id"] == slug


# Of a club.


TABLE = {f"name{seat}": name for seat, name in enumerate(["Ada", "Bora", "Can", "Ece"])}


@pytest.fixture
def club_rules(club):
    return HouseRulesetFactory(slug="moda", club=club)


def at(page, *args, club="moda"):
    return reverse(f"club_{page}", args=[club, *args])


@pytest.mark.parametrize("keeper", ["server", "other"])
def test_rules_of_another_keeper_are_not_there(director, keeper):
    other = ClubFactory() if keeper == "other" else None
    HouseRulesetFactory(slug="theirs", club=other)

    for page in ("house_ruleset", "export_rules", "try_rules", "delete_rules"):
        assert director.get(at(page, "theirs")).status_code == 404
    assert director.post(at("delete_rules", "theirs")).status_code == 404
    assert "theirs" not in director.get(at("house_rules")).content.decode().split("<form")[0]
    assert HouseRuleset.objects.count() == 1


def test_rules_are_copied_changed_tried_and_taken_away_in_the_club(director, club):
    answer = director.post(at("copy_rules"), {"source": "turkish-king", "name": "Moda"})
    assert answer.url == at("house_ruleset", "moda")
    assert HouseRuleset.objects.get().club == club

    form = form_of(director.get(answer.url)) | {RIFKI: "-400", "action": "save"}
    answer = director.post(answer.url, form)
    assert answer.url == at("house_ruleset", "moda")

    tried = director.post(at("try_rules", "moda"), {"text": json.dumps(WHOLE_GAME[:1])})
    assert "−400" in text_of(tried)

    assert director.post(at("delete_rules", "moda")).url == at("house_rules")
    lines = AuditEntry.objects.order_by("pk")
    assert [(line.user, line.club, line.action, line.address) for line in lines] == [
        (director.user, club, action, "127.0.0.1")
        for action in ("add-rules", "change-rules", "remove-rules")
    ]


def test_every_link_of_the_pages_stays_with_the_club(director, club_rules):
    of_server = reverse("house_rules")
    for page in (
        at("house_rules"),
        *(at(page, "moda") for page in ("house_ruleset", "try_rules", "delete_rules")),
    ):
        assert f'"{of_server}' not in director.get(page).content.decode()


@pytest.mark.parametrize("who", ["nobody", "staff", "owner of another", "member"])
def test_rules_are_there_for_the_members_of_the_club(client, club, club_rules, who):
    seen = who == "member"
    if who == "staff":
        client.force_login(UserFactory(is_superuser=True))
    elif who != "nobody":
        client.force_login(MemberFactory(**({"club": club} if seen else {"role": "owner"})).user)

    for page in ("rules", "new"):
        html = client.get(reverse(page) + "?ruleset=moda").content.decode()
        assert ("Moda rules" in html) == seen
    answer = client.post(reverse("new"), {**TABLE, "ruleset": "moda", "first_declarer": "0"})
    assert answer.status_code == (302 if seen else 422)
    assert Game.objects.filter(ruleset="moda").exists() == seen


@pytest.mark.parametrize("name", ["rules_of_game", "rules_json"])
def test_rules_of_a_club_are_kept_by_no_cache(director, club_rules, name):
    HouseRulesetFactory(slug="of-the-server")

    def cached(slug):
        return "no-store" not in director.get(reverse(name, args=[slug])).get("Cache-Control", "")

    assert [cached(slug) for slug in ("moda", "of-the-server", "rifki")] == [False, True, True]


@pytest.mark.parametrize("gone", [False, True])
def test_table_once_begun_is_played_on_by_a_phone_without_account(client, club, club_rules, gone):
    game = GameFactory(head=SetupFactory(ruleset="moda", document=club_rules.document))
    if gone:
        club_rules.delete()

    for page in (
        address(game, "write"),
        address(game, "follow"),
        reverse("rules_at_table", args=[game.public_id, game.secret("write")]),
    ):
        assert client.get(page).status_code == 200
    again = {"seats": "kept", "first": "1"}
    client.post(reverse("rematch", args=[game.public_id, game.secret("write")]), again)

    first, second = Game.objects.order_by("pk")
    assert second.document == first.document


def test_phone_that_is_signed_out_is_offered_the_rules_of_the_club_no_more(director, club_rules):
    director.post(reverse("new"), {**TABLE, "ruleset": "moda", "first_declarer": "0"})
    # Another evening.
    Game.objects.update(played_at=timezone.now() - timedelta(hours=9))
    for page in ("home", "new"):
        assert 'value="moda"' in director.get(reverse(page) + "?again").content.decode()

    # Only the account is gone; the phone still remembers its table.
    del director.cookies["sessionid"]

    for page in ("home", "new"):
        answer = director.get(reverse(page) + "?again")
        assert answer.status_code == 200
        assert 'value="moda"' not in answer.content.decode()
