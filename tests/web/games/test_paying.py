"""Who pays: chosen as a table begins or later, settled for each game and over the evening."""

import pytest
from django.urls import reverse

from tests.deals import NAMES, WHOLE_GAME
from tests.factories import EVENING, GameFactory, SetupFactory, record, record_all
from tests.match_builders import TWO, next_game, rematch, won_by
from tests.web.games.table import url
from tests.web.games.test_starting import FOUR, KEY, TABLE
from tournaments.models import Game, Revision
from tournaments.queries.sheets import load_sheet
from tournaments.reports.pictures import compose_picture
from tournaments.reports.sheets import compose_scoresheet
from tournaments.services.games.tables import start_table
from tournaments.web.base.phone import evening_address

TEA = {"per": "sinking", "amount": 1, "thing": "tea"}
SETUP = {**FOUR, "first_declarer": "0", "key": KEY}


def pays(per, amount="", thing=""):
    return {"pays": per, "pays_amount": amount, "pays_thing": thing}


@pytest.mark.parametrize(
    ("typed", "stake"),
    [
        ({}, None),
        (pays("", "5", "kahve"), None),
        (pays("", "5 TL", "x" * 21), None),
        (pays("point", "0,10"), {"per": "point", "amount": "1/10", "thing": ""}),
        (pays("point", "1/3", "TL"), {"per": "point", "amount": "1/3", "thing": "TL"}),
        (pays("sinking"), TEA),
        (pays("sinking", "0", "Çay"), TEA),
        (pays("last", "2", " kahve "), {"per": "last", "amount": 2, "thing": "kahve"}),
        (pays("place", "50", "TL"), {"per": "place", "amount": 50, "thing": "TL"}),
        (pays("pot", "5"), {"per": "pot", "amount": 5, "thing": ""}),
    ],
)
def test_table_begins_with_what_it_is_played_for(client, typed, stake):
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "tr"
    client.post(reverse("new"), {**TABLE, **typed})

    game = Game.objects.get()
    assert game.stake == stake
    assert load_sheet(game).record.get("stake") == stake


@pytest.mark.parametrize(
    ("typed", "field", "error"),
    [
        (pays("point", "ten"), "pays_amount", "An amount, like 1 or 0.10"),
        (pays("sinking", "-1"), "pays_amount", "An amount, like 1 or 0.10"),
        (pays("point"), "pays_amount", "How much is a point?"),
        (pays("last", "1", "x" * 21), "pays_thing", "at most 20 characters"),
        (pays("double"), "pays", "not one of the available choices"),
    ],
)
def test_what_cannot_be_paid_is_refused_beside_its_field(plain, typed, field, error):
    page = plain.post(reverse("new"), {**TABLE, **typed})

    assert page.status_code == 422
    ((where, (sentence,)),) = page.context["form"].errors.items()
    assert (where, error in sentence) == (field, True)
    assert f'value="{typed["pays_amount"]}"' in page.text
    assert not Game.objects.exists()


@pytest.mark.parametrize(("outbox", "status"), [("false", 302), ("true", 200)])
def test_a_stake_chosen_at_the_end_settles_the_whole_evening(plain, outbox, status):
    first = GameFactory(entries=WHOLE_GAME)
    second, _ = rematch(first)
    record_all(second, WHOLE_GAME)
    second.refresh_from_db()
    typed = {**SETUP, **pays("sinking"), "stake_of_all": "yes", "revision": second.revision}
    assert "Who pays whom" not in plain.get(url(second, "write")).text

    headers = {"hx-request": outbox}
    answers = [plain.post(url(second, "head"), typed, headers=headers) for _tap in range(2)]

    assert {answer.status_code for answer in answers} == {status}
    assert [game.stake for game in Game.objects.all()] == [TEA, TEA]
    assert Revision.objects.filter(kind="head").count() == 2
    sheet = plain.get(url(second, "write")).text
    assert "1 tea from each who sinks to each who is out" in sheet
    assert all(f"{name} pays Ayşe: 1 tea" in sheet for name in NAMES[1:])
    evening = plain.get(evening_address(second.open_table))
    assert evening.context["evening"].payments == [
        f"{name} pays Ayşe: 2 teas" for name in NAMES[1:]
    ]
    assert "Burak pays Ayşe: 2 teas" in plain.get(evening_address(second.open_table) + "text/").text
    assert "Who pays?" in plain.get(url(second, "history")).text
    # Whoever has not seen it is refused, and no other game is changed either.
    late = plain.post(url(second, "head"), {**typed, **pays("last"), "key": KEY + "-late"})
    assert late.status_code == 409
    assert [game.stake for game in Game.objects.all()] == [TEA, TEA]
    # And back to nothing, for this game only.
    second.refresh_from_db()
    undone = {**SETUP, **pays(""), "key": KEY + "-back", "revision": second.revision}
    plain.post(url(second, "head"), undone)
    assert [game.stake for game in Game.objects.order_by("pk")] == [TEA, None]


@pytest.mark.parametrize("options", [{}, {"stake": "1/10"}])
def test_setup_that_does_not_change_who_pays_leaves_every_game_alone(plain, options):
    ruleset = "italian-king" if options else "turkish-king"
    stake = None if options else TEA
    head = SetupFactory(ruleset=ruleset, options=options, stake=stake)
    first = GameFactory(head=head)
    second, _ = rematch(first, ruleset=ruleset, options=options, stake=stake)
    page = plain.get(url(second, "head"))
    form = page.context["form"]
    typed = {name: form[name].value() for name in ("pays", "pays_amount", "pays_thing")}

    plain.post(
        url(second, "head"),
        {**SETUP, **typed, "name0": "Elif", "stake_of_all": "yes", "revision": second.revision},
    )

    first.refresh_from_db()
    second.refresh_from_db()
    assert (second.players[0], first.revision) == ("Elif", 0)
    assert [(game.options, game.stake) for game in (first, second)] == [(options, stake)] * 2


@pytest.mark.parametrize("address", ["rematch", "new"])
@pytest.mark.parametrize("nobody", [False, True])
def test_next_game_of_the_evening_is_played_for_the_same(plain, address, nobody):
    simit = {"per": "last", "amount": 1, "thing": "simit"}
    plain.post(reverse("new"), {**TABLE, **pays("last", "1", "simit")})
    game = Game.objects.get()
    record_all(game, WHOLE_GAME)
    key = {"key": KEY + "-next"} | ({"pays": ""} if nobody else {})

    if address == "rematch":
        plain.post(url(game, "rematch"), {**key, "first": "1"})
    else:
        form = plain.get(reverse("new")).context["form"]
        assert "checked" not in str(form["pays"])
        plain.post(reverse("new"), {**TABLE, **key})

    assert [(row.open_table_id, row.stake) for row in Game.objects.order_by("number")] == [
        (game.open_table_id, simit),
        (game.open_table_id, None if nobody else simit),
    ]


def test_next_game_of_a_match_is_played_for_the_same():
    head = SetupFactory(ruleset="krapet", players=TWO, stake=TEA)
    game = start_table(head, ("best-of", 3), at=EVENING)
    record(game, won_by(0))

    assert next_game(game)[0].stake == TEA


@pytest.mark.parametrize("address", ["rematch", "new"])
def test_stake_of_earlier_versions_goes_on_in_the_next_game(plain, address):
    table = {**TABLE, "ruleset": "italian-king"}
    plain.post(reverse("new"), table)
    game = Game.objects.get()
    Game.objects.update(options={"stake": "1/10"})
    record(game, {"type": "stopped", "reason": "other"})

    if address == "rematch":
        plain.post(url(game, "rematch"), {"key": KEY + "-next", "first": "1"})
    else:
        plain.post(reverse("new"), {**table, "key": KEY + "-next"})

    after = Game.objects.get(number=2)
    assert (after.options, after.stake) == ({}, {"per": "point", "amount": "1/10", "thing": ""})


def test_nobody_pays_any_more_although_earlier_versions_had_a_stake(plain):
    rules = {"ruleset": "italian-king", "options": {"stake": "1/10"}}
    first = GameFactory(head=SetupFactory(**rules))
    second, _ = rematch(first, **rules)

    plain.post(url(second, "head"), {**SETUP, **pays(""), "stake_of_all": "yes", "revision": "0"})

    assert [load_sheet(game).game.stake for game in Game.objects.all()] == [None, None]


def test_names_alone_leave_everything_else_as_it_was(plain):
    rules = {"ruleset": "italian-king", "options": {"blind_declaration": True}}
    game = GameFactory(head=SetupFactory(**rules, title="Cuma", stake=TEA))
    others = ("options", "title", "stake")
    before = [getattr(game, name) for name in others]

    names = {**SETUP, "name0": "Elif", "only": "names"}
    plain.post(url(game, "head"), {**names, "revision": game.revision})

    game.refresh_from_db()
    assert (game.players[0], [getattr(game, name) for name in others]) == ("Elif", before)


def test_paper_and_picture_say_who_pays(plain):
    head = SetupFactory(stake={**TEA, "amount": "1/2"})
    game = load_sheet(GameFactory(head=head, entries=WHOLE_GAME)).record

    paper, picture = compose_scoresheet(game, ""), compose_picture(game, wide=False)

    assert paper["payments"]["paid"] == [f"{name} pays Ayşe: ½ tea" for name in NAMES[1:]]
    assert [(line["name"], line["number"]) for line in picture["badges"][:3]] == [
        (f"{name} → Ayşe", "½ tea") for name in NAMES[1:]
    ]
