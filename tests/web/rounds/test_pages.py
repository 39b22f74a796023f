import re
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests.deals import WHOLE_GAME
from tests.factories import EVENING, ContextFactory, record
from tests.tournament_builders import play
from tests.web.members import member_of
from tests.web.rounds.going import going, of_all, play_at, table
from tournaments.engine.documents.entries import parse_entry
from tournaments.models import AuditEntry, Game, Revision, Round, Ruling, Sitting, Table, Tournament
from tournaments.services.audit import NOBODY
from tournaments.services.games.playing import hand_over, record_entry
from tournaments.services.rounds.rounds import close_round
from tournaments.services.rounds.seating import publish_round, seat_next_round
from tournaments.web.base.access_links import access_link
from tournaments.web.base.phone import address

HOUR = timedelta(hours=1)
HTMX = {"HTTP_HX_REQUEST": "true"}


def url(name, round_, *more):
    tournament = round_.event.tournament
    return reverse(name, args=[round_.event.club.slug, tournament.slug, round_.number, *more])


def order(page):
    """The numbers of the tables in the order of the page, with what is wrong at each."""
    return [
        (line.table.number, [trouble.text for trouble in line.troubles])
        for line in page.context["tables"]
    ]


def withdraw_last(director, game):
    """Withdraw the last deal of a whole game, as the page of a sheet does it."""
    return director.post(
        reverse("entry", args=[game.public_id, game.secret("write"), 19]),
        {
            "type": "deal", "action": "withdraw", "why": "not played", "sure": "yes",
            "key": "k" * 24, "revision": str(game.revision),
        },
    )  # fmt: skip


def test_round_shows_how_far_each_table_is_and_whose_phone_wrote_last(director, club):
    round_ = going(club)
    game = table(round_).games.get()
    writer = game.players[2]
    for revision, body in enumerate(WHOLE_GAME[:2]):
        record_entry(game.pk, parse_entry(body), ContextFactory(revision=revision, author=writer))

    before = timezone.now()
    page = director.get(url("running", round_))

    lines = {line.table.number: line for line in page.context["tables"]}
    assert (lines[1].state, lines[2].state) == ("deal 3 of 20", "deal 1 of 20")
    # An hour may be full between the two.
    hours = {(moment - EVENING) // HOUR for moment in (before, timezone.now())}
    assert lines[1].last in {f"{each} hours ago, by {writer}" for each in hours}
    assert lines[2].last == "nothing written yet"
    assert lines[1].totals == (-100, 0, -520, -100)
    assert "0 of 2 tables done" in page.text


def test_tables_that_need_a_director_come_first(director, club):
    round_ = going(club, 5, at=timezone.now() - timedelta(minutes=30), confirmations="two")
    now = timezone.now()
    Table.objects.filter(round=round_, number=5).update(called_at=now - timedelta(minutes=2))
    play_at(round_, 4, WHOLE_GAME)
    for number in (1, 3):
        play_at(round_, number, WHOLE_GAME[:1])
    Revision.objects.filter(game__table__number__in=(1, 3, 5)).update(at=now)
    play_at(round_, 5, WHOLE_GAME[:1])
    Revision.objects.filter(game__table__number=5).update(at=now)
    game = table(round_, 3).games.get()
    hand_over(game.pk, game.write_generation, "key-of-the-new-phone", at=now)

    page = director.get(url("running", round_))

    assert order(page) == [
        (5, ["called the director 2 minutes ago"]),
        (2, ["nothing written for 30 min"]),
        (4, [f"not confirmed by {', '.join(table(round_, 4).games.get().players)}"]),
        (3, ["another phone took over the scoring just now"]),
        (1, []),
    ]
    assert "4 tables need you" in page.text

    # The director's word confirms for all of a table, once however often the button is pressed.
    game, going_on = (table(round_, number).games.get() for number in (4, 1))
    for _twice in range(2):
        director.post(url("confirm_table", round_, 4), {"revision": game.revision})
    assert [each.seat for each in game.confirmations.order_by("seat")] == [0, 1, 2, 3]
    director.post(url("confirm_table", round_, 1), {"revision": going_on.revision})
    assert not going_on.confirmations.exists()


@pytest.mark.parametrize("number", [1, 3])
def test_page_of_a_round_asks_as_much_for_one_table_as_for_three(
    director, club, number, django_assert_num_queries
):
    round_ = going(club, number)
    for each in round_.tables.all():
        record(each.games.get(), WHOLE_GAME[0])
    if number > 1:
        play_at(round_, number, WHOLE_GAME[1:])

    with django_assert_num_queries(14):
        director.get(url("running", round_))
    of_members = member_of(club)
    with django_assert_num_queries(10):
        of_members.get(url("running", round_))


@pytest.mark.parametrize("role", ["director", "member"])
def test_page_is_sent_again_only_after_a_change(visitor, club, role):
    round_ = going(club)
    browser = visitor.become(role, club)
    first = browser.get(url("running", round_), **HTMX)

    again = browser.get(url("running", round_), HTTP_IF_NONE_MATCH=first["ETag"], **HTMX)
    call(round_)
    changed = browser.get(url("running", round_), HTTP_IF_NONE_MATCH=first["ETag"], **HTMX)

    # Somebody may look while a minute begins.
    assert again.status_code == 304 or again["ETag"] != first["ETag"]
    assert (changed.status_code, order(changed)[0]) == (200, (1, ["called the director just now"]))


def test_round_is_not_closed_before_all_is_ready_and_the_page_says_where(director, club):
    round_ = going(club, confirmations="all")
    play_at(round_, 2, WHOLE_GAME)

    refused = director.post(url("close_tournament_round", round_))

    assert refused.status_code == 409
    assert list(map(str, refused.context["unready"])) == [
        "Table 1 is still played.",
        "Table 2 is not confirmed.",
    ]
    assert url("running_table", round_, 1) in refused.text
    # Without scripts the page asks again too, where it can be asked for.
    assert f'content="15;url={url("running", round_)}"' in refused.text
    round_.event.confirmations = "none"
    round_.event.save()
    play_at(round_, 1, WHOLE_GAME)
    director.post(url("close_tournament_round", round_))
    assert Round.objects.get(pk=round_.pk).closed_at is not None
    director.post(url("reopen_tournament_round", round_))
    assert Round.objects.get(pk=round_.pk).closed_at is None


def test_strip_says_how_a_round_stands_and_takes_its_one_next_step(director, club):
    round_ = going(club, confirmations="all", minutes=60)
    said = []

    def look():
        strip = director.get(of_all("entrants", round_)).context["strip"]()
        said.append((*strip.parts[1:], strip.clock and strip.clock.text, strip.button.label))
        return strip

    def press():
        button = look().button
        return director.post(button.url, button.sends, follow=True)

    press()
    look()
    call(round_)
    director.get(look().button.url)
    director.post(url("answer_call", round_, 1))
    play(round_)
    look()
    round_.event.confirmations = "none"
    round_.event.save()
    assert press().context["strip"]().button.label == "Seat round 2"
    withdraw_last(director, Game.objects.get(table__round=round_, table__number=1))
    look()

    assert said == [
        ("0 of 2 tables done", "clock not started", None, "Start the clock"),
        ("0 of 2 tables done", "60 min", "Look at the tables"),
        ("0 of 2 tables done", "60 min", "Go to table 1: called the director"),
        ("2 of 2 tables done", "60 min", "Go to table 1: not confirmed"),
        ("2 of 2 tables done", "60 min", "Close round 1"),
        ("closed", "a correction moves 7 entrants", None, "Look at the correction"),
    ]


def test_director_starts_stops_and_sets_the_clock(director, club):
    round_ = going(club, minutes=60)
    clock = url("round_clock", round_)

    assert clock in director.get(url("running", round_)).text
    director.post(clock, {"do": "add", "minutes": "5", "seen": "3600"})
    director.post(clock, {"do": "add", "minutes": "5", "seen": "3600"})
    director.post(clock, {"do": "add", "less": "1", "seen": "3900"})
    director.post(clock, {"do": "start"})
    round_.refresh_from_db()
    assert (round_.clock_seconds, round_.clock_started_at is not None) == (3840, True)
    director.post(clock, {"do": "pause"})
    director.post(clock, {"do": "eat"})
    round_.refresh_from_db()
    assert (round_.clock_seconds, round_.clock_started_at) == (3840, None)
    offer = "Time is up: give all 5 minutes more"
    assert offer not in director.get(url("running", round_)).text
    Round.objects.update(clock_started_at=timezone.now() - 2 * HOUR)
    assert offer in director.get(url("running", round_)).text
    Round.objects.update(clock_seconds=None)
    assert clock not in director.get(url("running", round_)).text


def test_one_table_is_given_time_and_its_phone_sees_it(director, club):
    round_ = going(club, minutes=60)

    director.post(url("table_time", round_, 2), {"minutes": "3", "seen": "0"})

    phone = Client(headers={"accept-language": "en"})
    pages = {n: phone.get(address(table(round_, n).games.get(), "write")).text for n in (1, 2)}
    assert 'data-left="3600"' in pages[1]
    assert 'data-left="3780"' in pages[2]
    assert ">63 min</span>" in pages[2]


def call(place, number=1, **headers):
    game = table(place, number).games.get()
    path = reverse("call_director", args=[game.public_id, game.secret("write")])
    return Client(headers={"accept-language": "en"}).post(path, **headers)


def test_phone_calls_the_director_who_comes(director, club):
    round_ = going(club)

    answer = call(round_, **HTMX)
    assert "The director was called" in answer.text
    page = director.get(url("running", round_))
    assert order(page)[0] == (1, ["called the director just now"])
    director.post(url("answer_call", round_, 1))

    assert order(director.get(url("running", round_)))[0] == (1, [])
    game = table(round_).games.get()
    bar = reverse("table_round", args=[game.public_id, game.secret("write")])
    assert "Call the director" in Client(headers={"accept-language": "en"}).get(bar, **HTMX).text
    line = AuditEntry.objects.get(action="call-director")
    assert line.table == table(round_).public_id


def test_phone_asks_no_more_once_its_round_is_closed(club):
    round_ = going(club)
    game = table(round_).games.get()
    bar = reverse("table_round", args=[game.public_id, game.secret("write")])
    assert Client().get(bar, **HTMX).status_code == 200

    Round.objects.filter(pk=round_.pk).update(closed_at=timezone.now())

    # htmx stops at this answer.
    assert Client().get(bar, **HTMX).status_code == 286


def test_director_ends_a_game_for_time(director, club):
    round_ = going(club, overtime="last-deal-void")
    play_at(round_, 1, WHOLE_GAME[:3])
    assert "the last whole one do not count" in director.get(url("running_table", round_, 1)).text

    for _tap in range(2):
        director.post(url("finish_table", round_, 1))

    game = table(round_).games.get()
    assert (game.result is not None, game.revision) == (True, 5)
    history = director.get(reverse("history", args=[game.public_id, game.secret("write")]))
    assert "the time was over" in history.text


def ask(place, **said):
    return {"entrant": "e1", "kind": "penalty", "points": "50", "reason": "revoke", **said}


def test_director_rules_and_takes_it_back(director, club):
    round_ = going(club, 1)
    where = url("new_ruling", round_) + "?table=1"

    done = director.post(where, ask(round_))

    assert done.url == url("running_table", round_, 1)
    assert "Oyuncu 001" in director.get(of_all("rulings", round_)).text
    ruling = Ruling.objects.get()
    assert (ruling.entrant.key, ruling.points, ruling.reason) == ("e1", 50, "revoke")
    director.post(of_all("withdraw_ruling", round_, ruling.pk))
    ruling.refresh_from_db()
    assert ruling.withdrawn_at is not None


def test_ruling_shows_the_sum_and_asks_again_when_larger_than_any_so_far(director, club):
    round_ = going(club, 1, points="places")
    play(round_)
    where = url("new_ruling", round_)
    best = Sitting.objects.get(side=0).entrant.key

    typed = director.get(where, ask(round_, entrant=best, points="2,5"), **HTMX)
    refused = director.post(where, ask(round_, points="100"))
    sure = re.search(r'name="sure" value="(.*?)"', refused.text)[1]
    changed = director.post(where, ask(round_, points="1000", sure=sure))

    assert "in place points: 4 → 1½" in typed.text
    assert (refused.status_code, changed.status_code, Ruling.objects.count()) == (422, 422, 0)
    assert director.post(where, ask(round_, points="100", sure=sure)).status_code == 302
    assert Ruling.objects.get().points == 100


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"points": "fifty"}, "A number, as 50, −50, 2,5 or 1/2."),
        ({"points": "0"}, "A penalty takes points: a number above 0."),
        ({"reason": " "}, "Say why: everybody will ask."),
        ({"entrant": "e9"}, "e9 is not one of the available choices."),
    ],
)
def test_ruling_that_cannot_be_is_explained_beside_its_field(director, club, said, sentence):
    round_ = going(club, 1)

    refused = director.post(url("new_ruling", round_), ask(round_, **said))

    assert (refused.status_code, sentence in refused.text) == (422, True)
    assert Ruling.objects.count() == 0


def test_closed_round_opens_again_until_the_next_is_published(director, club):
    round_ = going(club, 2, rounds=2)
    play(round_)
    close_round(round_.pk, NOBODY, at=timezone.now())
    seat_next_round(Tournament.objects.get().pk, NOBODY, at=EVENING)
    again = url("reopen_tournament_round", round_)
    assert again in director.get(url("running", round_)).text
    publish_round(Round.objects.get(number=2).pk, NOBODY, at=EVENING, all_the_same=True)
    assert again not in director.get(url("running", round_)).text


@pytest.mark.parametrize(
    ("typed", "stored"), [("−50", -50), ("2,5", "5/2"), ("1/3", "1/3"), ("+7", 7), (" 12 ", 12)]
)
def test_points_are_typed_as_people_write_them(director, club, typed, stored):
    round_ = going(club, 1)

    director.post(url("new_ruling", round_), ask(round_, kind="adjusted", points=typed))

    assert Ruling.objects.get().points == stored


def test_codes_of_all_tables_are_on_one_page_that_the_seating_leads_to(director, club):
    round_ = going(club, 3)
    path = url("round_codes", round_)
    assert path in director.get(url("seating", round_)).text

    page = director.get(path)

    cards = [
        reverse("table_link", args=[each.public_id, each.secret]) for each in round_.tables.all()
    ]
    assert [code for _number, code in page.context["codes"]] == [
        access_link(page.wsgi_request, card)["code"] for card in cards
    ]
    assert all(code in page.text for _number, code in page.context["codes"])
