import re
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from tests.club_factories import TableFactory
from tests.deals import WHOLE_GAME
from tests.factories import EVENING, GameFactory, SetupFactory, UserFactory, record_all, reload
from tournaments.models import Game, PhoneTransfer, Revision, SavedGame
from tournaments.services.games.playing import hand_over
from tournaments.services.games.tables import NextGame, start_rematch
from tournaments.web.base.phone import address, evening_address

NAMES = ("Işıl", "İnci", "Çağrı", "Deniz")
KEY = re.compile(r"/carried/([\w-]+)/")


@pytest.fixture(autouse=True)
def nobody_asked_before():
    cache.clear()


@pytest.fixture
def phone():
    return Client(headers={"accept-language": "tr"})


@pytest.fixture
def other_phone():
    return Client(headers={"accept-language": "tr"})


def played(*entries, players=NAMES, **head):
    return reload(GameFactory(head=SetupFactory(players=players, **head), entries=entries)).row


def evening():
    first = played(*WHOLE_GAME)
    head = SetupFactory(players=NAMES)
    second, _ = start_rematch(first.pk, NextGame(head), at=EVENING, key="key-of-a-rematch")
    record_all(second, WHOLE_GAME)
    return first, second


def ask(phone, *paths, name="tables", **fields):
    return phone.post(reverse(name), {"address": list(paths), **fields})


def text_of(answer):
    page = re.sub(r"<script.*?</script>", "", answer.content.decode(), flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def test_list_says_who_played_and_how_it_ended(phone):
    over = played(*WHOLE_GAME, place="Moda")
    going = played(*WHOLE_GAME[:3])
    paths = [address(over, "follow"), address(going, "write")]

    page = ask(phone, *paths)

    assert page.status_code == 200
    text = text_of(page)
    assert "4. tur / 20 Işıl · İnci · Çağrı · Deniz" in text
    assert "Moda" in text
    links = re.findall(r'<a href="([^"]+)"', page.content.decode())
    assert sorted(links) == sorted(paths)


def test_people_are_one_whatever_the_case_of_their_names(phone):
    upper = ("IŞIL", "İNCİ", "ÇAĞRI", "DENİZ")
    games = [played(*WHOLE_GAME, players=names) for names in (NAMES, upper)]
    other = played(*WHOLE_GAME, players=("Isil", "Ece", "Mert", "Bora"))

    page = ask(phone, *(address(row, "follow") for row in [*games, other]))

    (together,) = page.context["together"]
    figures = {each.name: each for each in together.people}
    assert [figures[name].games for name in upper] == [2] * 4
    totals = reload(games[0]).game.totals
    outs = [2 * (side in games[0].result["out"]) for side in range(4)]
    assert [(figures[name].average, figures[name].best) for name in upper] == [
        (total, total) for total in totals
    ]
    assert [figures[name].outs for name in upper] == outs
    # All 20 deals: points a deal, times deals, are the totals.
    for seat, name in enumerate(upper):
        assert sum(points for _, points in figures[name].contracts.values()) == 2 * totals[seat]
        assert sum(deals for deals, _ in figures[name].contracts.values()) == 40


def test_nobody_is_first_in_a_drawn_game(phone):
    games = [played(*WHOLE_GAME), played({"type": "stopped", "reason": "time"})]

    page = ask(phone, *(address(row, "follow") for row in games))

    (together,) = page.context["together"]
    firsts = {each.name: each.firsts for each in together.people}
    assert together.games == 2
    assert firsts == dict.fromkeys(NAMES, 0) | {NAMES[0]: 1}


def test_evening_is_one_line_with_who_won_most(phone):
    first, second = evening()

    page = ask(phone, *(address(row, "follow") for row in (first, second)))

    (line,) = page.context["lines"]
    assert line["path"] == evening_address(first.open_table)
    assert "2 partide 2 birincilik" in text_of(page)


@pytest.mark.parametrize("number", [1, 3])
def test_list_asks_the_database_as_often_however_many_games(phone, number):
    paths = []
    for _ in range(number):
        rows = (*evening(), played(*WHOLE_GAME[:3]))
        paths += [address(row, kind) for row in rows for kind in ("follow", "write")]
    with CaptureQueriesContext(connection) as asked:
        page = ask(phone, *paths)
    # Games, and the revisions of those in play; the others count the visitor's attempts.
    assert len([each for each in asked if "tournaments_" in each["sql"]]) == 2
    assert len(page.context["lines"]) == 2 * number


def test_address_that_is_not_valid_shows_nothing(phone):
    row, other = played(*WHOLE_GAME), played()
    old = address(other, "write")
    hand_over(other.pk, other.write_generation, "key-of-another-phone", at=timezone.now())
    wrong = [
        address(row, "follow").replace(row.secret("follow"), row.secret("write")),
        *(old, "/follow/x/", f"/follow/{row.public_id}/\0/", "//", "x" * 10_000),
    ]
    assert ask(phone, *wrong).context["lines"] == []


def test_phone_asks_only_for_so_many_at_once_and_so_often(phone, monkeypatch, settings):
    settings.ACCOUNT_RATE_LIMITS = settings.ACCOUNT_RATE_LIMITS | {"phone_tables": "3/m/ip"}
    rows = [played() for _ in range(3)]
    monkeypatch.setattr("tournaments.queries.sheets.MOST_ADDRESSES", 2)
    page = ask(phone, *(address(row, "follow") for row in rows))
    assert len(page.context["lines"]) == 2
    assert [ask(phone).status_code for _ in range(3)] == [200, 200, 429]


def carried(phone, *paths, **fields):
    answer = ask(phone, *paths, name="carry_tables", **fields)
    return reverse("carried_tables", args=[KEY.search(answer.content.decode())[1]])


def test_link_carries_what_is_followed_once(phone, other_phone):
    over, going = played(*WHOLE_GAME), played()
    paths = [address(row, kind) for row in (over, going) for kind in ("follow", "write")]
    link = carried(phone, *paths)
    stored = str(PhoneTransfer.objects.values().get())
    assert not any(secret in stored for secret in (link.split("/")[2], going.secret("follow")))

    assert "2 parti" in text_of(other_phone.get(link))
    page = other_phone.post(link)
    assert page.context["held"] == {
        row.public_id: {"follow": address(row, "follow")} for row in (over, going)
    }
    lines = other_phone.get("/").context["games"]
    assert {line["game"].address for line in lines} == {address(r, "follow") for r in (over, going)}
    assert [other_phone.post(link).status_code, phone.get(link).status_code] == [404, 404]


def test_link_carries_writing_only_if_asked_and_only_of_games_in_play(phone, other_phone):
    over, going = played(*WHOLE_GAME), played()
    paths = [address(row, "write") for row in (over, going)]
    page = other_phone.post(carried(phone, *paths, writes="yes"))
    assert page.context["held"] == {
        over.public_id: {"follow": address(over, "follow")},
        going.public_id: {kind: address(going, kind) for kind in ("follow", "write")},
    }


def test_address_revoked_meanwhile_is_not_carried(phone, other_phone):
    row = played()
    link = carried(phone, address(row, "write"), writes="yes")
    hand_over(row.pk, row.write_generation, "key-of-another-phone", at=timezone.now())
    Game.objects.update(follow_generation=2)
    assert other_phone.post(link).context["held"] == {}


def test_link_expires_after_ten_minutes(phone, other_phone):
    link = carried(phone, address(played(), "follow"))
    PhoneTransfer.objects.update(created_at=timezone.now() - timedelta(minutes=10))
    assert [other_phone.get(link).status_code, other_phone.post(link).status_code] == [404, 404]
    carried(phone, address(played(), "follow"))
    assert PhoneTransfer.objects.count() == 1


def test_nothing_is_carried_from_a_phone_without_tables(phone):
    assert ask(phone, name="carry_tables").url == reverse("tables")
    assert not PhoneTransfer.objects.exists()


def join(phone, name, into, *paths):
    return phone.post(reverse("join_names"), {"name": name, "into": into, "address": paths})


def games_of(page):
    return {
        person.name: person.games for each in page.context["together"] for person in each.people
    }


def test_two_names_of_one_person_count_as_one_until_they_are_separated(phone, other_phone):
    guests = ("Işıl K.", *NAMES[1:])
    paths = [address(played(*WHOLE_GAME, players=names), "follow") for names in (NAMES, guests)]

    join(phone, "Işıl K.", "Işıl", *paths)

    page = ask(phone, *paths)
    assert games_of(page) == dict.fromkeys(NAMES, 2)
    assert "Işıl K. , Işıl sayılıyor" in text_of(page)
    # Found by either name.
    assert 'data-search="Işıl K.' in page.text
    taken = carried(phone, *paths)
    other_phone.post(taken)
    assert games_of(ask(other_phone, *paths)) == dict.fromkeys(NAMES, 2)

    phone.post(reverse("join_names"), {"separate": "Işıl K."})
    assert games_of(ask(phone, *paths)) == dict.fromkeys(NAMES[1:], 2) | {"Işıl": 1, "Işıl K.": 1}


def test_names_that_have_met_are_two_people(phone):
    path = address(played(*WHOLE_GAME), "follow")
    join(phone, NAMES[0], NAMES[1], path)
    join(phone, NAMES[0], "Nobody", path)
    page = ask(phone, path)
    assert (games_of(page), page.context["joined"]) == (dict.fromkeys(NAMES, 1), [])


def test_account_keeps_joined_names_where_it_keeps_the_tables(phone, other_phone):
    guests, user = ("Işıl K.", *NAMES[1:]), UserFactory()
    paths = [address(played(*WHOLE_GAME, players=names), "follow") for names in (NAMES, guests)]
    join(phone, "Işıl K.", "Işıl", *paths)
    phone.force_login(user)
    ask(phone, *paths, name="save_tables")

    other_phone.force_login(user)
    assert games_of(other_phone.get(reverse("tables"))) == dict.fromkeys(NAMES, 2)
    other_phone.post(reverse("join_names"), {"separate": "Işıl K."})
    other_phone.logout()
    assert ask(other_phone).context["joined"] == []
    user.refresh_from_db()
    assert user.joined_names == {}


def test_account_keeps_tables_to_follow_them(phone, other_phone):
    row, user = played(*WHOLE_GAME), UserFactory()
    phone.force_login(user)
    for _tap in range(2):
        ask(phone, address(row, "write"), name="save_tables")
    assert SavedGame.objects.count() == 1

    other_phone.force_login(user)
    page = other_phone.get(reverse("tables"))
    # They are shown where the account is signed in, and not left on that phone.
    assert page.context["held"] == {}
    (line,) = page.context["lines"]
    assert line["path"] == address(row, "follow")
    Game.objects.update(follow_generation=2)
    assert other_phone.get(reverse("tables")).context["lines"] == []


def split_evenings():
    """Return two games of one circle, each at a table of its own."""
    first = played(*WHOLE_GAME)
    later = played(*WHOLE_GAME[:5])
    Game.objects.filter(pk=later.pk).update(played_at=first.played_at + timedelta(hours=2))
    return first, reload(later).row


def join_evenings(phone, *rows):
    tables = [row.open_table.public_id for row in rows]
    paths = [address(row, "write") for row in rows]
    return phone.post(reverse("join_evenings"), {"evening": tables, "address": paths})


@pytest.mark.parametrize("turned", [False, True])
def test_split_evenings_are_joined_by_who_wrote_in_both(phone, other_phone, turned):
    first, later = split_evenings()
    old = evening_address(later.open_table)
    page = ask(phone, address(first, "write"), address(later, "write"))
    assert f'name="evening" value="{first.open_table.public_id}"' in page.content.decode()

    answer = join_evenings(phone, *([later, first] if turned else [first, later]))

    assert answer.url == f"{evening_address(first.open_table)}games/"
    games = Game.objects.order_by("number").values_list("pk", "open_table", "number")
    assert [*games] == [(first.pk, first.open_table_id, 1), (later.pk, first.open_table_id, 2)]
    # Whoever follows the evening that was split off is led to the joined one.
    assert other_phone.get(f"{old}games/").url == answer.url
    headers = {"hx-request": "true"}
    assert other_phone.get(f"{old}games/?from=1", headers=headers)["HX-Redirect"] == answer.url
    assert other_phone.get(old).url == address(later, "follow")
    text = other_phone.get(f"{old}text/").content.decode()
    assert "1. " in text
    assert "2. " in text
    # Sent twice, it changes nothing more.
    assert join_evenings(phone, first, later).url == reverse("tables")
    record_all(later, WHOLE_GAME[5:])
    assert other_phone.get(old).url == evening_address(first.open_table)


def test_evening_that_was_split_twice_has_its_page(phone):
    first, *later = [played(*WHOLE_GAME) for _ in range(3)]
    at = evening_address(first.open_table)
    for row in later:
        join_evenings(phone, first, row)
    assert [phone.get(f"{at}{page}").status_code for page in ("", "games/", "text/")] == [200] * 3


def test_game_that_is_still_written_leads_the_joined_evening(phone, other_phone):
    going, over = played(*WHOLE_GAME[:5]), played(*WHOLE_GAME)
    Game.objects.filter(pk=over.pk).update(played_at=going.played_at + timedelta(hours=1))
    Revision.objects.filter(game=going).update(at=EVENING + timedelta(hours=2))

    old = evening_address(over.open_table)
    join_evenings(phone, going, over)

    assert other_phone.get(old).url == address(going, "follow")
    record_all(going, WHOLE_GAME[5:])
    assert reload(going).row.number == 2


@pytest.mark.parametrize("refused", ["follow", "handed over", "at a club", "full"])
def test_evenings_stay_apart_without_the_right_to_both(phone, refused):
    first, later = split_evenings()
    stands = {first.pk: first.open_table_id, later.pk: later.open_table_id}
    if refused == "at a club":
        Game.objects.filter(pk=later.pk).update(table=TableFactory())
    elif refused == "full":
        more = GameFactory.create_batch(120)
        for number, row in enumerate(more, 2):
            Game.objects.filter(pk=row.pk).update(open_table=later.open_table, number=number)
    paths = [address(row, "follow" if refused == "follow" else "write") for row in (first, later)]
    if refused == "handed over":
        hand_over(later.pk, later.write_generation, "key-of-another-phone", at=EVENING)
    tables = [row.open_table.public_id for row in (first, later)]

    answer = phone.post(reverse("join_evenings"), {"evening": tables, "address": paths})

    assert answer.url == reverse("tables")
    assert dict(Game.objects.filter(pk__in=stands).values_list("pk", "open_table")) == stands
