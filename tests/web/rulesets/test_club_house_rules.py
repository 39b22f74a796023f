import json

import pytest
from django.urls import reverse

from tests.club_factories import AccountFactory, ClubFactory, MemberFactory
from tests.deals import WHOLE_GAME
from tests.factories import GameFactory, HouseRulesetFactory, SetupFactory, UserFactory
from tests.web.rulesets.form import RIFKI, form_of, text_of
from tournaments.models import AuditEntry, Game, HouseRuleset
from tournaments.web.base.phone import address

TABLE = {f"name{seat}": name for seat, name in enumerate(["Ada", "Bora", "Can", "Ece"])}


@pytest.fixture
def rules(club):
    return HouseRulesetFactory(slug="moda", club=club)


def at(page, *args, club="moda"):
    return reverse(f"club_{page}", args=[club, *args])


def visitor(who, club):
    if who == "staff":
        return UserFactory(is_superuser=True)
    if who == "stranger":
        return AccountFactory()
    if who == "other":
        return MemberFactory(role="owner").user
    return MemberFactory(club=club, role=who).user


@pytest.mark.parametrize("keeper", ["server", "other"])
def test_rules_of_another_keeper_are_not_there(director, keeper):
    other = ClubFactory() if keeper == "other" else None
    HouseRulesetFactory(slug="theirs", club=other)

    for page in ("house_ruleset", "export_rules", "try_rules", "delete_rules"):
        assert director.get(at(page, "theirs")).status_code == 404
    assert director.post(at("delete_rules", "theirs")).status_code == 404
    assert "theirs" not in director.get(at("house_rules")).content.decode().split("<form")[0]
    assert HouseRuleset.objects.count() == 1


def test_staff_keeps_the_rules_of_the_server_only(client, rules):
    client.force_login(UserFactory())
    assert client.get(reverse("house_ruleset", args=["moda"])).status_code == 404
    assert "moda" not in client.get(reverse("house_rules")).content.decode()


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


def test_every_link_of_the_pages_stays_with_the_club(director, rules):
    of_server = reverse("house_rules")
    for page in (
        at("house_rules"),
        *(at(page, "moda") for page in ("house_ruleset", "try_rules", "delete_rules")),
    ):
        assert f'"{of_server}' not in director.get(page).content.decode()


@pytest.mark.parametrize(
    ("who", "seen"),
    [
        *[(who, False) for who in ("nobody", "stranger", "other", "staff")],
        *[(who, True) for who in ("member", "director", "owner")],
    ],
)
def test_rules_are_there_for_the_members_of_the_club(client, club, rules, who, seen):
    if who != "nobody":
        client.force_login(visitor(who, club))

    for page in ("rules_of_game", "rules_json"):
        status = client.get(reverse(page, args=["moda"])).status_code
        assert status == (200 if seen else 404)
    for page in ("rules", "new"):
        html = client.get(reverse(page) + "?ruleset=moda").content.decode()
        assert ("Moda rules" in html) == seen
    answer = client.post(reverse("new"), {**TABLE, "ruleset": "moda", "first_declarer": "0"})
    assert answer.status_code == (302 if seen else 422)
    assert Game.objects.filter(ruleset="moda").exists() == seen


@pytest.mark.parametrize("name", ["rules_of_game", "rules_json"])
def test_rules_of_a_club_are_kept_by_no_cache(director, rules, name):
    HouseRulesetFactory(slug="of-the-server")

    def cached(slug):
        return "no-store" not in director.get(reverse(name, args=[slug])).get("Cache-Control", "")

    assert [cached(slug) for slug in ("moda", "of-the-server", "rifki")] == [False, True, True]


@pytest.mark.parametrize("gone", [False, True])
def test_table_once_begun_is_played_on_by_a_phone_without_account(client, club, rules, gone):
    game = GameFactory(head=SetupFactory(ruleset="moda", document=rules.document))
    if gone:
        rules.delete()

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


def test_phone_that_is_signed_out_is_offered_the_rules_of_the_club_no_more(director, rules):
    director.post(reverse("new"), {**TABLE, "ruleset": "moda", "first_declarer": "0"})
    for page in ("home", "new"):
        assert 'value="moda"' in director.get(reverse(page) + "?again").content.decode()

    # Only the account is gone; the phone still remembers its table.
    del director.cookies["sessionid"]

    for page in ("home", "new"):
        answer = director.get(reverse(page) + "?again")
        assert answer.status_code == 200
        assert 'value="moda"' not in answer.content.decode()
