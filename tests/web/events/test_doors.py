"""The door of a table, the result that is confirmed behind it, and tables taken in."""

import pytest
from django.test import Client
from django.urls import reverse

from tests.club_factories import AccountFactory, MemberFactory, RoundFactory, TableFactory
from tests.deals import NAMES, WHOLE_GAME
from tests.factories import EVENING, GameFactory, record, record_all
from tests.services.play.test_matches import TWO, won_by
from tournaments.models import AuditLine, Confirmation, Event, Game, Player, Table
from tournaments.models.events import MOST_WRONG_CODES
from tournaments.services.auditing import NOBODY
from tournaments.services.clubs.events import close_round
from tournaments.services.play import matches
from tournaments.services.play.playing import Head
from tournaments.services.play.tables import replace_address
from tournaments.web.phone import address

pytestmark = pytest.mark.django_db


def browser(user=None):
    """A browser in English of its own."""
    client = Client(headers={"accept-language": "en"})
    if user is not None:
        client.force_login(user)
    return client


@pytest.fixture
def phone():
    return browser()


@pytest.fixture
def table():
    return TableFactory()


@pytest.fixture
def with_code(table):
    Event.objects.update(table_codes=True)
    return table


def door(table):
    return reverse("table_door", args=[table.public_id, table.secret])


def under(name, game, kind="write"):
    return reverse(name, args=[game.public_id, game.secret(kind)])


def director_of(table):
    return browser(MemberFactory(club=table.round.event.club, role="director").user)


def wrong(table):
    return "0000" if table.code != "0000" else "0001"


# The door.


def test_card_leads_to_the_sheet_which_the_phone_then_knows(phone, table):
    answer = phone.get(door(table))

    assert answer.url == address(table.games.get(), "write")
    assert phone.get("/").context["games"][0].sheet.row == table.games.get()
    phone.post(f"{answer.url}entry/", {"type": "redeal", "reason": "misdeal", "by": "0"})


def test_card_asks_for_the_code_first(phone, with_code):
    game = with_code.games.get()
    page = phone.get(door(with_code))

    assert (page.status_code, address(game, "write") in page.text) == (200, False)
    answer = phone.post(door(with_code), {"code": f" {with_code.code} "})

    assert answer.url == address(game, "write")
    # Who came in once is not asked again.
    assert phone.get(door(with_code)).url == address(game, "write")
    assert browser().get(door(with_code)).status_code == 200


def test_wrong_code_is_refused_and_says_how_many_tries_are_left(phone, with_code):
    page = phone.post(door(with_code), {"code": wrong(with_code)})

    assert page.status_code == 422
    assert "7 tries are left." in page.text
    assert Table.objects.get().wrong_codes == 1


def test_door_is_shut_after_too_many_wrong_codes(phone, with_code):
    for _ in range(MOST_WRONG_CODES):
        page = phone.post(door(with_code), {"code": wrong(with_code)})

    assert "this door is shut" in page.text
    page = phone.post(door(with_code), {"code": with_code.code})
    assert (page.status_code, "this door is shut" in page.text) == (422, True)
    assert "this door is shut" in phone.get(door(with_code)).text
    shown = director_of(with_code).get(
        reverse("event", args=[with_code.round.event.club.slug, with_code.round.event.public_id])
    )
    assert "The door is shut after too many wrong codes" in shown.text


def test_code_is_not_asked_of_an_address_that_is_wrong_or_was_replaced(phone, with_code):
    old = door(with_code)
    replace_address(with_code.pk, NOBODY, at=EVENING)

    for path in (old, old[:-2] + "A/", reverse("table_door", args=["nosuchname", "x" * 24])):
        assert phone.get(path).status_code == 404
        assert phone.post(path, {"code": with_code.code}).status_code == 404


def test_phone_that_came_in_before_the_address_was_replaced_is_out(phone, with_code):
    phone.post(door(with_code), {"code": with_code.code})
    new = replace_address(with_code.pk, NOBODY, at=EVENING)

    assert phone.get(door(new)).status_code == 200


def test_closed_round_lets_followers_in_only(phone, table):
    close_round(table.round_id, NOBODY, at=EVENING)
    game = table.games.get()

    answer = phone.get(door(table), follow=True)

    assert answer.redirect_chain == [(f"{address(game, 'follow')}?closed=1", 302)]
    assert "The round is closed" in answer.text
    assert director_of(table).get(door(table)).url == address(game, "write")


def test_card_leads_to_the_current_game_of_a_match(phone):
    table = TableFactory()
    first = matches.start_match(Head("krapet", TWO), "best-of", 3, at=EVENING)
    record(first, won_by(0))
    table.games.all().delete()
    Game.objects.filter(pk=first.pk).update(table=table)
    second, _ = matches.start_next_game(first.pk, at=EVENING, key="next-key", reason="")

    assert phone.get(door(table)).url == address(second, "write")


def test_club_game_is_neither_deleted_nor_played_again_from_the_phone(phone, table):
    game = table.games.get()
    record_all(game, WHOLE_GAME)
    page = phone.get(address(game, "write"))

    for name in ("delete", "rematch"):
        path = under(name, game)
        assert path not in page.text
        assert (phone.get(path).status_code, phone.post(path).status_code) == (404, 404)
    assert under("delete", game) not in phone.get(under("pen", game)).text
    assert under("delete", game) not in phone.get("/").text
    assert Game.objects.count() == 1


def test_long_names_of_players_stay_when_the_head_is_corrected(phone):
    long = "Ayşegül Karaosmanoğlu Yıldırımoğulları"
    game = TableFactory(players=(long, *NAMES[1:])).games.get()
    head = {"revision": "0", "first_declarer": "1", "key": "a-key-of-the-phone"}
    names = {f"name{seat}": name for seat, name in enumerate(game.players)}

    phone.post(under("head", game), {**head, **names})

    game.refresh_from_db()
    assert (game.players[0], game.first_declarer) == (long, 1)


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


# Confirming.


@pytest.fixture
def finished():
    table = TableFactory(entries=WHOLE_GAME)
    Event.objects.update(confirmations="two")
    return table.games.get()


def test_players_confirm_on_the_phone_of_the_table(phone, finished):
    assert "Confirm the result" in phone.get(address(finished, "write")).text

    for seat in (0, 2):
        answer = phone.post(under("confirm", finished), {"seat": seat, "revision": 20})

    assert answer.url == address(finished, "write")
    page = phone.get(answer.url)
    assert page.context["confirm"].agreement.confirmed == (0, 2)
    assert "The result is confirmed" in page.text
    line = AuditLine.objects.filter(action="confirm").latest("pk")
    assert line.table == finished.table.public_id


def test_nothing_is_to_be_confirmed_where_the_evening_asks_for_nothing(phone, finished):
    Event.objects.update(confirmations="none")

    assert "Confirm the result" not in phone.get(address(finished, "write")).text


def test_result_that_was_changed_meanwhile_is_shown_again(phone, finished):
    page = phone.post(under("confirm", finished), {"seat": 0, "revision": 19})

    assert (page.status_code, Confirmation.objects.count()) == (409, 0)
    assert "here is the sheet as it stands now" in page.text


def test_confirming_needs_the_address_to_write_and_a_seat(phone, finished):
    table = TableFactory()
    right = {"seat": 0, "revision": 20}

    assert phone.post(under("confirm", finished, "follow"), right).status_code == 404
    assert phone.post(under("confirm", finished), right | {"seat": 9}).status_code == 404
    assert phone.post(under("confirm", GameFactory()), right).status_code == 404
    unfinished = {"seat": 0, "revision": 0}
    assert phone.post(under("confirm", table.games.get()), unfinished).status_code == 302
    assert Confirmation.objects.count() == 0


def test_player_signed_in_confirms_from_where_they_follow(finished):
    account = AccountFactory()
    Player.objects.filter(name="Cem").update(account=account)
    follow, path = address(finished, "follow"), reverse("confirm_own", args=[finished.public_id])
    mine, other, nobody = browser(account), browser(AccountFactory()), browser()

    assert [path in who.get(follow).text for who in (mine, other, nobody)] == [True, False, False]
    for who in (other, nobody):
        assert who.post(path, {"revision": 20}).status_code == 404
    assert "changed" in mine.post(path, {"revision": 19}).url
    assert Confirmation.objects.count() == 0
    mine.post(path, {"revision": 20, "seat": 0})

    said = Confirmation.objects.get()
    assert (said.seat, said.user) == (2, account)


def test_follower_hears_of_a_confirmation(phone, finished):
    follow = address(finished, "follow")
    headers = {"HX-Request": "true"}
    etag = phone.get(follow, headers=headers)["ETag"]

    phone.post(under("confirm", finished), {"seat": 0, "revision": 20})

    listening = headers | {"If-None-Match": etag}
    assert phone.get(follow, headers=listening).status_code == 200


# Taking an open table in.


def adopt(who, game, place, names=NAMES):
    fields = {f"name{seat}": name for seat, name in enumerate(names)}
    return who.post(under("adopt", game), {"round": place.pk, **fields})


def test_director_takes_an_open_table_into_an_evening():
    place = RoundFactory()
    game = GameFactory(entries=WHOLE_GAME[:2])
    director = browser(MemberFactory(club=place.event.club, role="director").user)
    assert under("adopt", game) in director.get(address(game, "write")).text
    page = director.get(under("adopt", game))
    assert [field.value() for field in page.context["form"].seats()] == list(NAMES)

    answer = adopt(director, game, place)

    assert answer.url == address(game, "write")
    game.refresh_from_db()
    assert (game.table.round, game.seats.count()) == (place, 4)
    page = director.get(answer.url)
    assert under("adopt", game) not in page.text
    assert director.get(under("adopt", game)).status_code == 404


def test_others_are_not_offered_to_take_a_table_in(django_assert_num_queries):
    place = RoundFactory()
    game = GameFactory()
    member = browser(MemberFactory(club=place.event.club).user)

    for who in (browser(), member):
        assert under("adopt", game) not in who.get(address(game, "write")).text
        assert who.get(under("adopt", game)).status_code == 404
        assert adopt(who, game, place).status_code == 404
    # The page of a table asks no more than it did: game and writes.
    with django_assert_num_queries(3):
        browser().get(address(game, "write"))
    assert Table.objects.count() == 0


def test_table_is_taken_only_into_an_evening_that_one_directs():
    place, other = RoundFactory(), RoundFactory()
    closed = RoundFactory(event=place.event, closed_at=EVENING)
    director = browser(MemberFactory(club=place.event.club, role="director").user)
    game = GameFactory()

    for wrong_place in (other, closed):
        page = adopt(director, game, wrong_place)
        assert (page.status_code, list(page.context["form"].errors)) == (422, ["round"])

    page = adopt(director, game, place, ("Ayşe", "ayşe", "Cem", "Deniz"))
    assert (page.status_code, "Ayşe sits here twice." in page.text) == (422, True)
    assert Table.objects.count() == 0
