import re
from datetime import timedelta

import pytest
from django.core.cache import caches
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests import club_factories as make
from tests.browser.playing import FAMILIES
from tests.counting import queries_of
from tests.deals import WHOLE_GAME
from tests.factories import EVENING, ContextFactory, record, record_all, reload
from tests.paper_totals import totals_of
from tests.tournament_builders import play
from tests.web.members import member_of
from tests.web.rounds.going import going, next_round, of_all, play_at, table
from tournaments import models
from tournaments.engine.documents.entries import parse_entry
from tournaments.engine.variants import RULESETS
from tournaments.services.audit import NOBODY, Actor
from tournaments.services.games import playing
from tournaments.services.ratings.computing import sweep_ratings
from tournaments.services.rounds.running import RoundNotReady, close_round, start_clock
from tournaments.web.base.pages import access_link
from tournaments.web.base.phone import address
from tournaments.web.rounds.views import typed_points

HTMX = {"HTTP_HX_REQUEST": "true"}


def url(name, round_, *more):
    tournament = round_.event.tournament
    return reverse(name, args=[round_.event.club.slug, tournament.slug, round_.number, *more])


def order(page):
    """The numbers of the tables in the order of the page, with what is wrong at each."""
    return [
        (line.table.number, [trouble["text"] for trouble in line.troubles])
        for line in page.context["tables"]
    ]


def marks(page):
    """The lines of the tables that play, and which are silent."""
    return [(line.table.number, line.silent) for line in page.context["playing"]]


def withdraw_last(director, game):
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
        playing.record_entry(
            game.pk, parse_entry(body), ContextFactory(revision=revision, author=writer)
        )

    before = timezone.now()
    page = director.get(url("running", round_))

    lines = {line.table.number: line for line in page.context["tables"]}
    assert (lines[1].state, lines[2].state) == ("deal 3 of 20", "deal 1 of 20")
    # A day may be full between the two.
    days = {(moment - EVENING).days for moment in (before, timezone.now())}
    assert lines[1].last in {f"{each} days ago, by {writer}" for each in days}
    assert lines[2].last == "nothing written yet"
    assert lines[1].totals == (-100, 0, -520, -100)
    assert "2 tables are playing, table 2 last (deal 1)" in page.text


def test_tables_that_need_a_director_come_first(director, club):
    round_ = going(club, 5, at=timezone.now() - timedelta(minutes=30), confirmations="two")
    now = timezone.now()
    models.Table.objects.filter(round=round_, number=5).update(
        called_at=now - timedelta(minutes=90)
    )
    play_at(round_, 4, WHOLE_GAME)
    for number in (1, 3):
        play_at(round_, number, WHOLE_GAME[:1])
    models.Revision.objects.filter(game__table__number__in=(1, 3, 5)).update(at=now)
    play_at(round_, 5, WHOLE_GAME[:1])
    models.Revision.objects.filter(game__table__number=5).update(at=now)
    game = table(round_, 3).games.get()
    playing.hand_over(game.pk, game.write_generation, "key-of-the-new-phone", at=now)

    page = director.get(url("running", round_))

    assert order(page) == [
        (5, ["called 1 h 30 min ago"]),
        (2, ["nothing written for 30 min"]),
        (4, ["confirmed by nobody"]),
        (3, ["another phone took over the scoring just now"]),
        (1, []),
    ]
    kinds = [
        (str(name), [each.table.number for each in lines]) for name, lines in page.context["kinds"]
    ]
    assert kinds == [("Called you", [5]), ("To be confirmed", [4]), ("New phone", [3])]
    # Silence is a mark on the line, and none once the time is over.
    assert marks(page) == [(2, True), (1, False)]
    models.Round.objects.update(clock_seconds=60, clock_started_at=now - timedelta(minutes=2))
    late = director.get(url("running", round_))
    assert marks(late) == [(2, False), (1, False)]
    # A table with several problems stands where the most urgent puts it.
    models.Table.objects.filter(round=round_, number=2).update(called_at=now)
    assert [number for number, _texts in order(director.get(url("running", round_)))][:2] == [2, 5]

    # The director's word confirms for all of a table, once however often the button is pressed.
    game, going_on = (table(round_, number).games.get() for number in (4, 1))
    for _twice in range(2):
        director.post(url("confirm_table", round_, 4), {"revision": game.revision})
    assert [each.seat for each in game.confirmations.order_by("seat")] == [0, 1, 2, 3]
    director.post(url("confirm_table", round_, 1), {"revision": going_on.revision})
    assert not going_on.confirmations.exists()


@pytest.mark.parametrize("number", [1, 3])
def test_pages_of_a_round_ask_as_much_for_one_table_as_for_three(
    director, club, number, django_assert_num_queries
):
    round_ = going(club, number)
    for each in round_.tables.all():
        record(each.games.get(), WHOLE_GAME[0])
    if number > 1:
        play_at(round_, number, WHOLE_GAME[1:])
    models.Event.objects.update(published=True)

    for browser, path, queries in (
        (director, url("running", round_), 15),
        (member_of(club), url("running", round_), 11),
        (member_of(club), of_all("live_board", round_), 11),
        (Client(), of_all("wall", round_), 8),
    ):
        caches["pages"].clear()
        with django_assert_num_queries(queries):
            browser.get(path)


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
    assert (changed.status_code, order(changed)[0]) == (200, (1, ["called just now"]))


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
    assert models.Round.objects.get(pk=round_.pk).closed_at is not None
    director.post(url("reopen_tournament_round", round_))
    assert models.Round.objects.get(pk=round_.pk).closed_at is None


def test_strip_says_how_a_round_stands_and_takes_its_one_next_step(director, club):
    round_ = going(club, confirmations="all", minutes=60)
    said = []

    def look():
        strip = director.get(of_all("entrants", round_)).context["strip"]()
        said.append((strip.sentence, strip.clock and strip.clock.text, strip.button.label))
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
    withdraw_last(director, models.Game.objects.get(table__round=round_, table__number=1))
    look()

    assert said == [
        ("2 tables are playing; clock not started", None, "Start the clock"),
        ("2 tables are playing", "1 h", "Look at the tables"),
        ("2 tables are playing; table 1 has called you", "1 h", "Go to table 1"),
        ("all tables have finished; table 1 is not confirmed", "1 h", "Go to table 1"),
        ("all tables have finished", "1 h", "Close round 1"),
        ("closed", None, "Look at the correction"),
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
    offer = "+5 min for all"
    assert offer not in director.get(of_all("entrants", round_)).text
    models.Round.objects.update(clock_started_at=timezone.now() - timedelta(hours=2))
    assert offer in director.get(of_all("entrants", round_)).text
    models.Round.objects.update(clock_seconds=None)
    assert clock not in director.get(url("running", round_)).text


def test_one_table_is_given_time_and_its_phone_sees_it(director, club):
    round_ = going(club, minutes=60)

    director.post(url("table_time", round_, 2), {"minutes": "3", "seen": "0"})

    phone = Client(headers={"accept-language": "en"})
    pages = {n: phone.get(address(table(round_, n).games.get(), "write")).text for n in (1, 2)}
    assert 'data-left="3600"' in pages[1]
    assert 'data-left="3780"' in pages[2]
    assert ">1 h 3 min</span>" in pages[2]


def call(place, number=1, **headers):
    game = table(place, number).games.get()
    path = reverse("call_director", args=[game.public_id, game.secret("write")])
    return Client(headers={"accept-language": "en"}).post(path, **headers)


def test_phone_asks_no_more_once_its_round_is_closed(club):
    round_ = going(club)
    game = table(round_).games.get()
    bar = reverse("table_round", args=[game.public_id, game.secret("write")])
    assert Client().get(bar, **HTMX).status_code == 200

    models.Round.objects.filter(pk=round_.pk).update(closed_at=timezone.now())

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
    ruling = models.Ruling.objects.get()
    assert (ruling.entrant.key, ruling.points, ruling.reason) == ("e1", 50, "revoke")
    director.post(of_all("withdraw_ruling", round_, ruling.pk))
    ruling.refresh_from_db()
    assert ruling.withdrawn_at is not None


def test_ruling_shows_the_sum_and_asks_again_when_larger_than_any_so_far(director, club):
    round_ = going(club, 1, points="places")
    play(round_)
    where = url("new_ruling", round_)
    best = models.Sitting.objects.get(side=0).entrant.key

    typed = director.get(where, ask(round_, entrant=best, points="2,5"), **HTMX)
    refused = director.post(where, ask(round_, points="100"))
    sure = re.search(r'name="sure" value="(.*?)"', refused.text)[1]
    changed = director.post(where, ask(round_, points="1000", sure=sure))

    assert "in place points: 4 → 1½" in typed.text
    assert (refused.status_code, changed.status_code, models.Ruling.objects.count()) == (
        422,
        422,
        0,
    )
    assert director.post(where, ask(round_, points="100", sure=sure)).status_code == 302
    assert models.Ruling.objects.get().points == 100


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
    assert models.Ruling.objects.count() == 0


@pytest.mark.parametrize(
    ("typed", "read"), [("−50", -50), ("2,5", "5/2"), ("1/3", "1/3"), ("+7", 7), (" 12 ", 12)]
)
def test_points_are_typed_as_people_write_them(typed, read):
    assert typed_points(typed) == read


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


FINE = {"type": "adjustment", "seat": 2, "points": -100, "to": "none", "reason": "revoke"}


def sent(place, number, totals, **more):
    page = {f"total-{number}-{side}": str(points) for side, points in enumerate(totals)}
    stamps = {f"key-{number}": f"key-of-{number}", f"revision-{number}": 0}
    return {**page, **stamps, **more}


@pytest.mark.parametrize("ruleset", list(FAMILIES)[::3])
def test_totals_from_paper_count_as_those_from_a_phone(director, club, ruleset):
    round_, rules = going(club, confirmations="all", ruleset=ruleset), RULESETS[ruleset]
    totals = totals_of(rules)
    wrong = [points - 1 for points in totals]
    page = url("round_totals", round_)

    refused = director.post(page, sent(round_, 1, wrong))
    assert (refused.status_code, models.Game.objects.exclude(result=None).count()) == (422, 0)
    (line,) = [line for line in refused.context["lines"] if line.errors]
    assert (line.number, list(line.typed)) == (1, [str(points) for points in wrong])

    for _twice in range(2):
        entered = director.post(page, sent(round_, 1, totals), follow=True)
    assert (entered.context["at"], entered.context["finished"][0].number) == (2, 1)
    # Ended early, any sum goes; those who signed have confirmed.
    director.post(page, sent(round_, 2, wrong, signed=1, **{"early-2": 1}))

    first, second = (table(round_, number).games.get() for number in (1, 2))
    assert (first.result["totals"], second.result["totals"]) == (totals, wrong)
    assert [first.confirmations.count(), second.confirmations.count()] == [0, rules.seats]
    assert [write.user for write in first.revisions.all()] == [director.user] * first.revision
    for seat in range(rules.seats):
        playing.confirm_result(first.pk, seat, first.revision, NOBODY, at=timezone.now())
    close_round(round_.pk, NOBODY, at=timezone.now())
    sweep_ratings()
    assert set(models.RatingChange.objects.values_list("game", flat=True)) == {first.pk, second.pk}


def entered(round_, number, totals, **more):
    game = table(round_, number).games.get()
    playing.record_totals(game.pk, tuple(totals), ContextFactory(revision=0), **more)
    return game


def on_sheet(game, name, *more):
    return reverse(name, args=[game.public_id, game.secret("write"), *more])


def means_after(game):
    return list(models.RatingChange.objects.filter(game=game).order_by("seat").values_list("mean"))


def boxes(page, number):
    return dict(
        re.findall(rf'name="((?:total|key|revision|why)-{number}(?:-\d)?)" value="([^"]*)"', page)
    )


@pytest.mark.parametrize(
    ("ruleset", "is_closed"), [(each, bool(n % 2)) for n, each in enumerate([*FAMILIES][::3])]
)
def test_totals_open_again_in_their_boxes_and_are_corrected_as_a_whole(
    director, club, ruleset, is_closed
):
    round_, rules = going(club, tables=1, ruleset=ruleset), RULESETS[ruleset]
    totals = totals_of(rules)
    game, page = entered(round_, 1, totals), url("round_totals", round_)
    if is_closed:
        close_round(round_.pk, NOBODY, at=timezone.now())
        sweep_ratings()
    rated = means_after(game)
    assert "?table=1" in director.get(page).content.decode()

    # Also a total of 0 has its box.
    form = boxes(director.get(page, {"table": 1}).content.decode(), 1)
    assert [form.pop(f"total-1-{side}") for side in range(rules.side_count)] == list(
        map(str, totals)
    )
    assert "totals" not in form["why-1"]

    def send(numbers, **more):
        typed = {f"total-1-{side}": str(points) for side, points in enumerate(numbers)}
        return director.post(page, form | typed | {"why-1": "misread"} | more)

    impossible = [points - 1 for points in totals] if rules.target else [7000, *totals[1:]]
    refused = send(impossible)
    assert (refused.status_code, len(reload(game).revisions)) == (422, 1)
    assert boxes(refused.content.decode(), 1)["total-1-0"] == str(impossible[0])
    assert boxes(refused.content.decode(), 1)["why-1"] == "misread"
    empty = send([""] * rules.side_count)
    assert (empty.status_code, len(reload(game).revisions)) == (422, 1)

    swapped = totals[::-1]
    for _twice in range(2):
        assert send(swapped).status_code == 302
    sheet = reload(game)
    assert [(each.kind, each.reason) for each in sheet.revisions] == [
        ("entry", ""),
        ("correction", "misread"),
    ]
    assert (sheet.row.result["totals"], len(sheet.game.entries)) == (swapped, 1)
    history = director.get(on_sheet(game, "history")).content.decode()
    assert history.count("Totals from paper") == 3
    # What it changed in a closed round follows on the sheet and on the standings.
    changes = reverse("round_changes", args=page.split("/")[2:5:2])
    for where in (address(game, "write"), reverse("standings", args=page.split("/")[2:5:2])):
        assert (changes in director.get(where).text.split("<main")[1]) == is_closed
    if is_closed:
        sweep_ratings()
        assert means_after(game) != rated


@pytest.mark.parametrize("htmx", [{}, {"HX-Request": "true"}])
@pytest.mark.parametrize("keeps", [False, True])
def test_second_of_two_directors_sees_what_the_first_has_written(director, club, keeps, htmx):
    round_ = going(club)
    page, first = url("round_totals", round_), table(round_).games.get()
    other = make.MemberFactory(club=club, role="director", user__first_name="Sevgi").user
    by = ContextFactory(revision=0, by=Actor(other))
    playing.record_totals(first.pk, (100, -60, -20, -20), by)

    typed = sent(round_, 1, [90, -60, -20, -10], **{"key-1": "another-key-1"})
    late = director.post(page, typed, headers=htmx)
    shown = " ".join(late.text.split())
    assert (late.status_code, reload(first).game.totals) == (422, (100, -60, -20, -20))
    assert f"Sevgi (director) has written:<span>{first.players[0]} <b>100</b>" in shown
    assert ("total-2-0" in shown) == (not htmx)
    # Whoever presses again corrects it, and knows; or leaves it.
    assert "why-1" in boxes(shown, 1)
    again = boxes(shown, 1) | {"why-1": "read once more"} | ({"keep": 1} if keeps else {})
    assert again["total-1-0"] == "90"
    done = director.post(page, again, headers=htmx)
    assert reload(first).game.totals == ((100 if keeps else 90), -60, -20, (-20 if keeps else -10))
    assert done.status_code == (200 if htmx else 302)
    assert not htmx or 'id="table-1" hx-swap-oob="delete"' in done.text


def test_totals_of_a_game_that_was_written_deal_by_deal_meanwhile_lead_to_its_sheet(director, club):
    round_ = going(club, tables=1)
    game = table(round_).games.get()
    record_all(game, WHOLE_GAME)
    late = director.post(url("round_totals", round_), sent(round_, 1, [90, -60, -20, -10]))
    (line,) = re.findall("<fieldset.*?</fieldset>", late.text, re.DOTALL)
    assert [points for _name, points in late.context["lines"][0].other[1]] == [
        540,
        -110,
        -330,
        -100,
    ]
    assert on_sheet(game, "write") in line
    assert re.findall("<button(?! type).*?>", line) == [
        '<button class="button-quiet" name="keep" value="1">'
    ]


@pytest.mark.parametrize("tables", [2, 6])
def test_line_of_totals_takes_as_many_queries_in_a_large_round(director, club, tables):
    round_, numbers = going(club, tables=tables), iter([1, 2])

    def send():
        typed = sent(round_, next(numbers), [100, -60, -20, -20])
        answer = director.post(url("round_totals", round_), typed, headers={"HX-Request": "true"})
        assert answer.text.count("<fieldset") == 1

    assert queries_of(send) == 17


@pytest.mark.parametrize("before", [[], [FINE]])
def test_ruling_beside_totals_stays_when_they_are_corrected(director, club, before):
    round_ = going(club, tables=1)
    game, page = table(round_).games.get(), url("round_totals", round_)
    record_all(game, before)
    typed = {"key-1": "a-key-of-this", "revision-1": len(before)}
    director.post(page, sent(round_, 1, [100, -60, -20, -20]) | typed)
    if not before:
        record_all(game, [FINE])
    form = boxes(director.get(page, {"table": 1}).content.decode(), 1)
    assert form["total-1-2"] == "-20"
    director.post(page, form | {"total-1-0": "110", "total-1-2": "-30"})

    sheet = reload(game)
    assert (sheet.game.totals, sheet.game.expected_sum) == ((110, -60, -130, -20), -100)
    close_round(round_.pk, NOBODY, at=timezone.now())


@pytest.mark.parametrize("wrong", [7000, 90])
def test_totals_corrected_before_corrections_were_checked_keep_a_round_open(director, club, wrong):
    round_ = going(club, tables=1)
    game = table(round_).games.get()
    unchecked = {"type": "totals", "totals": [wrong, -60, -20, -20], "unchecked": True}
    record_all(game, [unchecked])
    sheet = director.get(address(game, "write")).content.decode()
    assert "✗" in sheet
    assert f"{wrong - 100}, must be 0".replace("-", "−") in " ".join(sheet.split())
    with pytest.raises(RoundNotReady):
        close_round(round_.pk, NOBODY, at=timezone.now())

    page = url("round_totals", round_)
    form = boxes(director.get(page, {"table": 1}).content.decode(), 1)
    director.post(page, form | {"total-1-0": "100"})
    assert reload(game).body(0) == {"type": "totals", "totals": [100, -60, -20, -20]}
    close_round(round_.pk, NOBODY, at=timezone.now())


@pytest.mark.parametrize(
    ("typed", "status"),
    [
        ({"total-0": "7000"}, 422),
        ({"total-0": "7000", "early": "1"}, 302),
        ({"total-0": "x"}, 422),
        ({"total-0": "100", "total-1": "-60", "total-3": "0", "total-2": "-40"}, 302),
    ],
)
def test_line_of_the_sheet_is_corrected_in_the_same_boxes_with_the_same_checks(
    director, club, typed, status
):
    game = entered(going(club, tables=1), 1, [0, 60, -40, -20])
    page = on_sheet(game, "entry", 0)
    shown = director.get(page).content.decode()
    form = dict(re.findall(r'name="(total-\d|key|revision|type)"\s+value="([^"]*)"', shown))
    assert [form[f"total-{side}"] for side in range(4)] == ["0", "60", "-40", "-20"]

    answer = director.post(page, form | {"action": "correct", "why": "misread"} | typed)

    assert answer.status_code == status
    assert len(reload(game).revisions) == (2 if status == 302 else 1)
    director.post(
        page,
        {**form, "revision": reload(game).row.revision, "key": "taken-off-1", "action": "withdraw"},
    )
    assert not reload(game).game.finished
    redo = director.get(address(game, "write")).context["redo"]
    assert redo["fields"]["type"] == "totals"


def test_only_points_that_tell_of_a_game_promise_a_rating(director, club):
    round_ = going(club, confirmations="all")
    fined, on_paper = (table(round_, number).games.get() for number in (1, 2))
    record_all(fined, [FINE, {"type": "stopped", "reason": "other"}])
    director.post(url("round_totals", round_), sent(round_, 2, totals_of(RULESETS["turkish-king"])))

    rated = [director.get(address(game, "write")).context["rated"] for game in (fined, on_paper)]

    assert [each["is_due"] for each in rated] == [False, True]


@pytest.fixture
def wall(visitor):
    """The screens of a published tournament, each as the one before it leads there."""

    def show(place):
        models.Event.objects.update(published=True)
        shown, path = [], of_all("wall", place)
        while True:
            page = visitor.get(path, HTTP_HX_REQUEST="true")
            shown.append(page)
            path = page.context["next"]
            if path.endswith("screen=0"):
                return shown

    return show


def kinds(screens):
    return [
        (each.context["screen"]["kind"], len(each.context["screen"]["rows"])) for each in screens
    ]


def test_everybody_sees_who_sits_where_and_who_still_plays(club, wall):
    round_ = going(club, 13, minutes=60)
    play_at(round_, 3, WHOLE_GAME)

    screens = wall(round_)

    assert kinds(screens) == [("seating", 7), ("seating", 6), ("going", 12)]
    shown = [table for each in screens[:2] for table in each.context["screen"]["rows"]]
    assert [table["number"] for table in shown if table["finished"]] == [3]
    sittings = models.Sitting.objects.filter(table__number=11).order_by("side")
    seats = [(each.side + 1, each.entrant.shown_name) for each in sittings]
    assert list(shown[10]["players"]) == seats
    assert all(
        f'<b>{seat}</b><span class="wall-name">{name}<' in screens[1].text for seat, name in seats
    )
    assert 3 not in screens[2].context["screen"]["rows"]
    assert all("clock not started" in each.text for each in screens)
    start_clock(round_.pk, NOBODY, at=timezone.now())
    assert "clock not started" not in wall(round_)[0].text


def standings_on(screens):
    shown = [each.context["screen"] for each in screens]
    return [list(screen["rows"]) for screen in shown if screen["kind"] == "standings"]


def test_wall_names_the_stage_that_puts_fewer_points_in_front(club, wall):
    round_ = going(club, 2, rounds=1, finals=4)
    play(round_)
    assert [table["finished"] for table in wall(round_)[0].context["screen"]["rows"]] == [True] * 2
    close_round(round_.pk, NOBODY, at=timezone.now())
    assert [(each["stage"], each["through"]) for each in standings_on(wall(round_))[0][3:5]] == [
        ("final", True),
        ("", False),
    ]
    final = next_round(models.Tournament.objects.get())
    play(final)
    close_round(final.pk, NOBODY, at=timezone.now())

    shown = wall(final)[0]

    assert [each["stage"] for each in standings_on([shown])[0]] == ["final"] * 4 + [""] * 4
    assert shown.text.count("<small>Final</small>") == 4


def test_wall_has_the_clock_and_follows_without_scripts(club, visitor):
    round_ = going(club, 1, minutes=60)
    models.Event.objects.update(published=True)
    start_clock(round_.pk, NOBODY, at=timezone.now())

    page = visitor.get(of_all("wall", round_))

    left = int(re.search(r'data-left="(\d+)" data-running', page.text)[1])
    assert 3590 < left <= 3600
    assert f'content="10;url={of_all("wall", round_)}?screen=1"' in page.text


def test_page_left_open_says_that_its_round_is_over_before_anything_is_decided_there(
    director, club
):
    round_ = going(club, 1)
    tables, where = url("running", round_), url("new_ruling", round_)
    strip = f"{of_all('next_step', round_)}?at={tables}"
    models.Event.objects.update(published=True)
    assert 'name="newest" value="1"' in director.get(where).text
    assert "This page is about" not in director.get(strip, **HTMX).text
    play(round_)
    close_round(round_.pk, NOBODY, at=timezone.now())
    second = url("running", next_round(round_.event.tournament))

    heard = director.get(strip, **HTMX).text
    assert re.search(rf'id="nav-tables" hx-swap-oob="true"\s+href="{second}"', heard)
    assert "This page is about Round 1." in heard
    asked = director.post(where, ask(round_, newest="1"))
    assert (asked.status_code, models.Ruling.objects.count()) == (422, 0)
    assert "This ruling is about Round 1; now it is Round 2." in asked.text
    assert 'value="50"' in asked.text
    assert director.post(where, ask(round_, newest="2")).status_code == 302
    seen = Client().get(tables, **HTMX).text
    assert of_all("live_board", round_) in seen
    assert of_all("live_board", round_) not in Client().get(second, **HTMX).text
