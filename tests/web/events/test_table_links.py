import json
from importlib import import_module

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.test import Client
from django.urls import reverse

from tests import club_factories as make
from tests.counting import queries_of
from tests.deals import NAMES, WHOLE_GAME
from tests.evening_builders import audit, sitting
from tests.factories import EVENING, GameFactory, record_all
from tests.long_sheets import lines_run
from tournaments.models import AuditEntry, Confirmation, Event, Game, Player, Table, UnusedCard
from tournaments.models.events import MOST_WRONG_CODES
from tournaments.models.fields import derive
from tournaments.services.audit import NOBODY
from tournaments.services.events.events import close_round
from tournaments.web.base.phone import address


def browser(user=None):
    client = Client(headers={"accept-language": "en"})
    if user is not None:
        client.force_login(user)
    return client


@pytest.fixture
def phone():
    return browser()


@pytest.fixture
def table():
    return make.TableFactory()


@pytest.fixture
def with_code(table):
    Event.objects.update(table_codes=True)
    return table


def access_link(table):
    return reverse("table_link", args=[table.public_id, table.secret])


def under(name, game, kind="write"):
    return reverse(name, args=[game.public_id, game.secret(kind)])


def director_of(table):
    return browser(make.MemberFactory(club=table.round.event.club, role="director").user)


def wrong(table):
    return "0000" if table.code != "0000" else "0001"


def test_card_leads_to_the_sheet_which_the_phone_then_knows(phone, table):
    answer = phone.get(access_link(table))

    assert answer.url == address(table.games.get(), "write")
    sheet = phone.get(answer.url)
    assert sheet.context["who"]["asks"]
    assert not phone.get(answer.url).context["who"]["asks"]
    assert phone.get("/").context["games"][0]["sheet"].row == table.games.get()
    phone.post(f"{answer.url}entry/", {"type": "redeal", "reason": "misdeal", "by": "0"})


@pytest.mark.parametrize("kind", ["known", "unknown", "of an old card", "NUL"])
def test_card_of_no_table_takes_the_same_queries_in_any_number_of_tournaments(phone, kind):
    card = UnusedCard.objects.create(
        tournament=make.TournamentFactory(), round=1, number=1, public_id="2345678923", generation=3
    )
    now, old = (derive("table", card.public_id, generation) for generation in (3, 2))
    path, status = {
        "known": (f"/table/{card.public_id}/{now}/", 200),
        "unknown": (f"/table/zzzzzzzzzz/{now}/", 404),
        "of an old card": (f"/table/{card.public_id}/{old}/", 404),
        "NUL": (f"/table/%00/{now}/", 404),
    }[kind]

    def ask():
        assert phone.get(path).status_code == status

    few = queries_of(ask)
    for number in range(20):
        UnusedCard.objects.create(
            tournament=make.TournamentFactory(), round=1, number=1, public_id=f"22345678{number:02}"
        )
    many = lines_run(ask)

    assert queries_of(ask) == few <= 8
    UnusedCard.objects.exclude(pk=card.pk).delete()
    # Nor does a page read more rows.
    assert many < 1.1 * lines_run(ask)


def test_cards_stored_with_their_tournaments_before_get_rows():
    kept = {"public_id": "2345678923", "generation": 2, "wrong_codes": 1}
    cards = {"1": {"4": kept, "11": kept | {"public_id": "2345678924"}}, "2": {}}
    rows = [make.TournamentFactory(), make.TournamentFactory()]
    kind = "jsonb" if connection.vendor == "postgresql" else "text"
    with connection.cursor() as cursor:
        cursor.execute(
            f"ALTER TABLE tournaments_tournament ADD COLUMN cards {kind} NOT NULL DEFAULT '{{}}'"
        )
        cursor.execute(
            f"UPDATE tournaments_tournament SET cards = CAST(%s AS {kind}) WHERE id = %s",
            [json.dumps(cards), rows[0].pk],
        )
    migration = ("tournaments", "0051_unused_cards")
    apps = MigrationExecutor(connection).loader.project_state(migration).apps

    import_module(".".join(("tournaments.migrations", migration[1]))).copy_cards(apps, None)

    found = UnusedCard.objects.order_by("number").values_list("round", "number", *kept)
    assert list(found) == [(1, 4, "2345678923", 2, 1), (1, 11, "2345678924", 2, 1)]
    assert not rows[1].unused_cards.exists()


def test_card_asks_for_the_code_first(phone, with_code):
    game = with_code.games.get()
    page = phone.get(access_link(with_code))

    assert (page.status_code, address(game, "write") in page.text) == (200, False)
    answer = phone.post(access_link(with_code), {"code": f" {with_code.code} "})

    assert answer.url == address(game, "write")
    phone.get(answer.url)
    # Who came in once is not asked again.
    assert phone.get(access_link(with_code)).url == address(game, "write")
    assert browser().get(access_link(with_code)).status_code == 200


def test_access_is_closed_after_too_many_wrong_codes(phone, with_code):
    for _ in range(MOST_WRONG_CODES):
        page = phone.post(access_link(with_code), {"code": wrong(with_code)})

    assert "access is closed" in page.text
    page = phone.post(access_link(with_code), {"code": with_code.code})
    assert (page.status_code, "access is closed" in page.text) == (422, True)
    assert "access is closed" in phone.get(access_link(with_code)).text
    shown = director_of(with_code).get(
        reverse("event", args=[with_code.round.event.club.slug, with_code.round.event.public_id])
    )
    assert "Access is closed after too many wrong codes" in shown.text


def test_closed_round_lets_followers_in_only(phone, table):
    close_round(table.round_id, NOBODY, at=EVENING)
    game = table.games.get()

    answer = phone.get(access_link(table), follow=True)

    assert answer.redirect_chain == [(f"{address(game, 'follow')}?closed=1", 302)]
    assert "The round is closed" in answer.text
    assert director_of(table).get(access_link(table)).url == address(game, "write")


def go_on(phone, game, **fields):
    sent = {"key": "a-key-of-the-phone", "first": "2"} | fields
    return phone.post(under("rematch", game), sent)


def test_same_players_go_on_with_another_game_at_their_table(phone, table):
    first = table.games.get()
    record_all(first, WHOLE_GAME)
    assert under("rematch", first) in phone.get(address(first, "write")).text

    assert go_on(phone, first, name0="Elif").status_code == 422
    assert go_on(phone, first, ruleset="krapet").status_code == 422
    assert Game.objects.get() == first
    answer = go_on(phone, first)

    second = table.games.latest("pk")
    assert answer.url == address(second, "write")
    assert (second.players, second.first_declarer, second.ruleset) == (
        first.players, 2, first.ruleset,
    )  # fmt: skip
    assert sitting(second) == sitting(first)
    first.refresh_from_db()
    assert (first.open_table, first.number, second.number) == (second.open_table, 1, 2)
    assert audit()[-1][:2] == ("next-game", f"game:{second.public_id}")
    # The old sheet, a second tap and the card lead there.
    assert phone.get(address(first, "write")).context["goes_on"]["address"] == answer.url
    assert (go_on(phone, first).url, phone.get(access_link(table)).url) == (answer.url, answer.url)


@pytest.mark.parametrize("state", ["unfinished", "unconfirmed", "of a tournament", "closed"])
def test_no_other_game_begins_at_a_table_that_is(phone, table, state):
    game = table.games.get()
    record_all(game, WHOLE_GAME[: 19 if state == "unfinished" else 20])
    if state == "unconfirmed":
        Event.objects.update(confirmations="two")
    elif state == "of a tournament":
        make.TournamentFactory(event=table.round.event)
    elif state == "closed":
        close_round(table.round_id, NOBODY, at=EVENING)

    shown = phone.get(address(game, "write"), follow=True)
    go_on(phone, game)

    assert under("rematch", game) not in shown.text
    assert Game.objects.get() == game


def test_names_typed_at_the_table_are_players_of_the_club(phone, table):
    game = table.games.get()
    head = {"revision": "0", "first_declarer": "0", "key": "a-key-of-the-phone"}
    names = {f"name{seat}": name for seat, name in enumerate(("Elif", *NAMES[1:]))}

    page = phone.post(under("head", game), {**head, **names})

    assert page.status_code == 422
    assert "The club has no player called Elif." in page.text
    assert page.context["form"]["name0"].value() == "Elif"
    director_of(table).post(under("head", game), {**head, **names})
    assert Player.objects.filter(name="Elif").count() == 1


@pytest.fixture
def finished():
    table = make.TableFactory(entries=WHOLE_GAME)
    Event.objects.update(confirmations="two")
    return table.games.get()


def test_players_confirm_on_the_phone_of_the_table(phone, finished):
    assert "Confirm the result" in phone.get(address(finished, "write")).text

    for seat in (0, 2):
        answer = phone.post(under("confirm", finished), {"seat": seat, "revision": 20})

    assert answer.url == address(finished, "write")
    page = phone.get(answer.url)
    assert page.context["confirm"]["agreement"].confirmed == (0, 2)
    assert "The result is confirmed" in page.text
    line = AuditEntry.objects.filter(action="confirm").latest("pk")
    assert line.table == finished.table.public_id


def test_result_that_was_changed_meanwhile_is_shown_again(phone, finished):
    page = phone.post(under("confirm", finished), {"seat": 0, "revision": 19})

    assert (page.status_code, Confirmation.objects.count()) == (409, 0)
    assert "Someone else has written meanwhile." in page.text


def test_player_signed_in_confirms_from_where_they_follow(finished):
    account = make.AccountFactory()
    Player.objects.filter(name="Cem").update(account=account)
    follow, path = address(finished, "follow"), reverse("confirm_own", args=[finished.public_id])
    mine, other, nobody = browser(account), browser(make.AccountFactory()), browser()

    assert [path in who.get(follow).text for who in (mine, other, nobody)] == [True, False, False]
    for who in (other, nobody):
        assert who.post(path, {"revision": 20}).status_code == 404
    assert "changed" in mine.post(path, {"revision": 19}).url
    assert Confirmation.objects.count() == 0
    mine.post(path, {"revision": 20, "seat": 0})

    said = Confirmation.objects.get()
    assert (said.seat, said.user) == (2, account)


def adopt(who, game, round_, names=NAMES):
    fields = {f"name{seat}": name for seat, name in enumerate(names)}
    return who.post(under("adopt", game), {"round": round_.pk, **fields})


def test_director_takes_an_open_table_into_an_evening():
    round_ = make.RoundFactory()
    game = GameFactory(entries=WHOLE_GAME[:2])
    director = browser(make.MemberFactory(club=round_.event.club, role="director").user)
    assert under("adopt", game) in director.get(address(game, "write")).text
    page = director.get(under("adopt", game))
    assert [field.value() for field in page.context["form"].seats()] == list(NAMES)

    answer = adopt(director, game, round_)

    assert answer.url == address(game, "write")
    game.refresh_from_db()
    assert (game.table.round, game.seats.count()) == (round_, 4)
    page = director.get(answer.url)
    assert under("adopt", game) not in page.text
    assert director.get(under("adopt", game)).status_code == 404


def test_table_is_taken_only_into_an_evening_that_one_directs():
    round_, other = make.RoundFactory(), make.RoundFactory()
    closed = make.RoundFactory(event=round_.event, closed_at=EVENING)
    director = browser(make.MemberFactory(club=round_.event.club, role="director").user)
    game = GameFactory()

    for wrong_place in (other, closed):
        page = adopt(director, game, wrong_place)
        assert (page.status_code, list(page.context["form"].errors)) == (422, ["round"])

    page = adopt(director, game, round_, ("Ayşe", "ayşe", "Cem", "Deniz"))
    assert (page.status_code, "Ayşe sits here twice." in page.text) == (422, True)
    assert Table.objects.count() == 0
