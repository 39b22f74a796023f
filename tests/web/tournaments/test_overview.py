import re
from itertools import product

import pytest
from django.test import Client
from django.urls import reverse

from tests.club_factories import ClubFactory, EntrantFactory, EventFactory
from tests.deals import NAMES, WHOLE_GAME
from tests.factories import EVENING, record_all
from tests.tournament_builders import (
    PENALTY,
    SHORT,
    closed,
    decide,
    one_table,
    opened,
    play,
    register,
    running,
    seated,
)
from tests.web.games.table import totals
from tests.web.members import member_of
from tests.web.standings.shown import page
from tests.web.tournaments.forms import tournament_of
from tournaments.models import Entrant, Event, Game, Report, Round, Tournament
from tournaments.reports.hall import compose_certificates
from tournaments.reports.standings import compose_standings_picture
from tournaments.services.audit import NOBODY
from tournaments.services.rounds.running import close_round
from tournaments.services.tournaments.lifecycle import move_tournament

EIGHT = [f"Oyuncu {n}" for n in range(1, 9)]


def hub(looker, row, **query):
    return page(looker, row, "tournament", **query)


def words(response):
    return " ".join(response.text.split())


def chooses(looker, row, number):
    at = reverse("choose_entrant", args=[row.event.club.slug, row.slug])
    return looker.post(at, {"number": number})


def seat_of(place, side, number=1):
    return Entrant.objects.get(sittings__table__number=number, sittings__side=side)


def test_leaders_are_those_after_the_last_closed_round_with_their_table_now():
    row = running(*EIGHT, rounds=3)
    looker = member_of(row.event.club)
    closed(row, WHOLE_GAME)
    round_ = opened(row)
    before = hub(looker, row)
    play(round_)
    after = hub(looker, row)

    ((_section, leaders),) = before.context["leaders"]
    assert [line.place for line in leaders] == [1, 1, 3, 3, 5, 5, 7, 7]
    assert {line.table for line in leaders} == {1, 2}
    assert after.context["leaders"] == before.context["leaders"]
    assert after.context["state"] == ("Round 2 of 3", "all tables have finished")
    assert after.text.count('class="done"') == 2


def test_tables_of_the_leaders_come_first_with_their_scores_so_far():
    row = running(*EIGHT, rounds=2)
    looker = member_of(row.event.club)
    closed(row, WHOLE_GAME)
    round_ = opened(row)
    ((_section, leaders),) = hub(looker, row).context["leaders"]
    games = {game.table.number: game for game in Game.objects.filter(table__round=round_)}
    first, second = leaders[0].table, ({1, 2} - {leaders[0].table}).pop()
    record_all(games[first], WHOLE_GAME[:5])
    record_all(games[second], WHOLE_GAME)

    shown = hub(looker, row).context["top_tables"]

    assert [table["number"] for table in shown] == [first, second]
    assert [table["state"] for table in shown] == ["deal 6 of 20", "finished"]
    for table in shown:
        game = games[table["number"]]
        sides = sorted(zip(game.players, totals(game), strict=True), key=lambda side: -side[1])
        assert table["sides"] == sides


def test_surprises_of_the_last_closed_round():
    row = running(*EIGHT, rounds=3)
    closed(row, WHOLE_GAME)
    closed(row, WHOLE_GAME)

    told = {each["text"]: each for each in hub(member_of(row.event.club), row).context["surprises"]}

    assert told.pop("the clearest win, at table 2")["figure"] == "+640"
    (climb,) = told.values()
    assert climb["text"].startswith("from place ")


def picture_of(row):
    event = row.event
    report = Report(kind="picture", club=event.club, event=event, audience="visitors")
    return compose_standings_picture(report)


def test_picture_shows_the_last_closed_round_while_another_is_played():
    row = running(*EIGHT, rounds=3)
    opened(row)
    assert picture_of(row)["sides"][0]["members"][0]["place"] == "Day"
    play(Round.objects.get())
    close_round(Round.objects.get().pk, NOBODY, at=EVENING)
    before = picture_of(row)

    play(opened(row))

    assert before["foot"].endswith("After round 1 of 3")
    assert picture_of(row) == before


def test_picture_before_the_first_round_says_when_and_where(club):
    row = tournament_of(club, state="registration", event__starts_at="19:30", event__venue="Lokal")
    EntrantFactory.create_batch(2, tournament=row)

    lines = [side["members"][0] for side in picture_of(row)["sides"]]

    day, *others = [(line["place"], line["name"]) for line in lines]
    assert (day[0], others) == ("Day", [("Start", "19:30"), ("Place", "Lokal"), ("Entrants", "2")])


@pytest.mark.parametrize(("capacity", "free", "tables"), [(None, None, 2), (12, 7, 3), (4, 0, 2)])
def test_page_before_the_start_says_the_way_and_how_many_places_are_free(
    club, capacity, free, tables
):
    row = tournament_of(club, state="registration", event__venue="Çay & Kahve")
    Tournament.objects.update(settings={"capacity": capacity})
    EntrantFactory.create_batch(5, tournament=row)

    shown = hub(member_of(club), row)

    assert "query=%C3%87ay+%26+Kahve" in shown.text
    assert re.findall(r"(\d+) places? free", shown.text) == ([] if free is None else [str(free)])
    assert shown.text.count("taken") == 5
    assert shown.text.count("<span><i") == tables


def test_finished_tournament_says_what_the_club_plays_next_in_public(client):
    row = tournament_of(ClubFactory(published=True), state="finished", event__published=True)
    at = {"club": row.event.club, "held_on": row.event.held_on.replace(year=2100)}
    EventFactory(**at)
    assert hub(client, row).context["afterwards"] is None

    after = EventFactory(**at, published=True)
    assert hub(client, row).context["afterwards"] == after


def test_phone_that_chose_its_name_opens_on_its_seat_and_forgets_it_again():
    round_ = one_table(rounds=2)
    row = round_.event.tournament
    looker = member_of(row.event.club)
    me = round_.tables.get().sittings.get(side=1).entrant
    stranger = member_of(row.event.club)

    found = hub(looker, row, find=me.player.name)
    assert "That is me" in found.text
    sheet = [row.event.club.slug, row.slug, 1, 1]
    assert reverse("table_sheet", args=sheet) in found.text
    assert hub(looker, row).context["card"] is None
    chooses(looker, row, me.number)
    card = hub(looker, row).context["card"]

    sat = [each.entrant.player.name for each in round_.tables.get().sittings.order_by("side")]
    assert (card["name"], card["table"].number) == (me.player.name, 1)
    assert card["seats"] == [
        ("bottom", sat[1]),
        ("right", sat[2]),
        ("top", sat[3]),
        ("left", sat[0]),
    ]
    assert hub(stranger, row).context["card"] is None
    chooses(looker, row, "")
    assert hub(looker, row).context["card"] is None


def test_card_says_what_came_of_ones_game_while_others_play_on():
    round_ = opened(running(*EIGHT, rounds=2))
    row, me = round_.event.tournament, seat_of(round_, 1)
    looker = member_of(row.event.club)
    chooses(looker, row, me.number)
    assert hub(looker, row).context["card"].get("result") is None

    record_all(Game.objects.get(table__round=round_, table__number=1), WHOLE_GAME)

    assert hub(looker, row).context["card"]["result"] == (3, -110)


def test_card_says_how_far_the_next_place_and_the_final_are_and_the_way_at_the_end():
    row = running(*EIGHT, rounds=2, finals=4)
    looker = member_of(row.event.club)
    round_ = closed(row, WHOLE_GAME)
    last = round_.tables.get(number=1).sittings.order_by("side")
    last = min((each.entrant for each in last), key=lambda each: points_of(row, each))
    chooses(looker, row, last.number)
    seated(row)

    card = hub(looker, row).context["card"]
    assert (card["table"], card["row"].place) == (None, 7)
    assert card["state"] == "You are in place 7 of 8 with −330 points; 230 points to the final"
    marks = (card["scale"]["mine"], card["scale"]["cut"], card["scale"]["best"])
    points = [mark["points"] for mark in marks]
    assert points[1] - points[0] == 230
    # To scale, from one's own points to those of the first.
    shares = [(mark["x"] - 16) / (324 - 16) for mark in marks]
    assert shares[1] == pytest.approx(230 / (points[2] - points[0]), abs=0.005)
    assert (shares[0], shares[2]) == (0, 1)
    assert [(step["table"], step["place"]) for step in card["path"]] == [(1, 4)]
    sheet = reverse("table_sheet", args=[row.event.club.slug, row.slug, 1, 1])
    assert f'href="{sheet}"' in hub(looker, row).text


def test_path_tells_a_bye_from_a_final_and_from_before_the_entry():
    row = running(*EIGHT, "Dokuz", rounds=2, finals=4, bye="average")
    looker = member_of(row.event.club)
    first = closed(row, WHOLE_GAME)
    register(row, "Geç")
    closed(row, WHOLE_GAME)
    final = closed(row, WHOLE_GAME)
    out = first.sittings.get(table=None).entrant.number

    def path_of(number):
        chooses(looker, row, number)
        page = hub(looker, row)
        found = re.search(r'<ol class="path">.*?</ol>', page.text, re.DOTALL)
        words = re.findall("bye|not in the final|absent|Table", found[0])
        return words[: len(page.context["card"]["path"])]

    assert path_of(out)[0] == "bye"
    assert path_of(Entrant.objects.get(player__name="Geç").number)[0] == "absent"
    watching = row.entrants.exclude(sittings__round=final).first()
    assert path_of(watching.number)[2] == "not in the final"


def points_of(row, entrant):
    result = Game.objects.get(seats__player=entrant.player).result
    side = entrant.sittings.get().side
    return result["totals"][side]


def test_account_is_known_by_itself_and_polls_are_answered_unchanged(visitor):
    row = one_table(rounds=2).event.tournament
    looker = visitor.become("member", row.event.club)
    at = reverse("tournament", args=[row.event.club.slug, row.slug])
    asked = {"hx-request": "true"}
    first = looker.get(at, headers=asked)["ETag"]
    again = looker.get(at, headers=asked | {"if-none-match": first})
    assert (again.status_code, again["ETag"]) == (304, first)

    player = Entrant.objects.get(tournament=row, number=2).player
    player.account = looker.user
    player.save()
    changed = looker.get(at, headers=asked | {"if-none-match": first})

    assert (changed.status_code, changed.context["card"]["number"]) == (200, 2)


def test_who_checks_in_by_the_link_is_known_to_that_phone(club):
    row = tournament_of(
        club, state="registration", event__published=True, settings={"check_in": "once"}
    )
    club.published = True
    club.save()
    me = EntrantFactory(tournament=row)
    phone = Client()
    link = reverse("check_in", args=[row.public_id, row.secret("check-in")])

    done = phone.post(link, {"entrant": me.number})

    at = reverse("tournament", args=[club.slug, row.slug])
    assert f'href="{at}"' in done.text
    assert phone.get(at).context["card"]["number"] == me.number
    # It opens nothing that the visitor may not see.
    Tournament.objects.filter(pk=row.pk).update(state="draft")
    assert phone.get(at).status_code == 404


def test_certificate_of_the_entrant_who_asks_after_the_end():
    row = running(*EIGHT, rounds=1)
    looker = member_of(row.event.club)
    round_ = closed(row, WHOLE_GAME)
    me = round_.tables.get(number=2).sittings.get(side=2).entrant
    at = reverse("my_certificate", args=[row.event.club.slug, row.slug])
    chooses(looker, row, me.number)
    assert looker.post(at).status_code == 404
    move_tournament(row.pk, "finished", NOBODY, at=EVENING)

    assert f'action="{at}"' in hub(looker, row).text
    assert looker.post(at).status_code == 302

    report = Report.objects.get()
    (item,) = compose_certificates(report, lambda *_steps: None)["items"]
    assert (report.audience, item["name"]) == ("visitors", me.shown_name)
    assert item["place"] == "Place 7, shared"


def test_winners_way_is_a_curve_beside_that_of_the_second():
    row = running(*EIGHT[:4], rounds=3)
    looker = member_of(row.event.club)
    for entries in (WHOLE_GAME, WHOLE_GAME, SHORT):
        closed(row, entries)
    leads = [sorted(game.result["totals"])[-2:] for game in Game.objects.all()]
    move_tournament(row.pk, "finished", NOBODY, at=EVENING)

    response = hub(looker, row)

    podium, way = response.context["seen"].podium, response.context["winner"]
    apart = next(each for each in response.context["numbers"] if "points apart" in each["text"])
    assert apart["figure"] == str(min(best - second for second, best in leads))
    assert [line["name"] for line in way["lines"]] == [each.name for each in podium[:2]]
    # Both begin at 0, at the left edge; the winner ends highest.
    begins = {line["curve"].split("L")[0] for line in way["lines"]}
    assert len(begins) == 1
    assert [line["end"][0] for line in way["lines"]] == ["314.0", "314.0"]
    first, second = (float(line["end"][1]) for line in way["lines"])
    assert first < second
    for line in way["lines"]:
        assert "{name} <b>{points}</b>".format(**line) in response.text


STAGES = {
    "draft": ((), (), ()),
    "registration": ((), (), ()),
    "proposal": ((), (), ()),
    "round open": ((1,), (1,), (1,)),
    "last round open": ((1, 2), (1, 2), (1,)),
    "last round closed": ((1, 2), (1, 2), (1, 2)),
    "final open": ((1, 2, 3), (1, 2, 3), (1, 2)),
    "final closed": ((1, 2, 3), (1, 2, 3), (1, 2)),
    "finished": ((1, 2, 3), (1, 2, 3), (1, 2, 3)),
}
"""For each stage: the rounds with tables to look at, those whose results everybody sees, and those
whose results they see if the standings are hidden during the last round."""

RUNNING = {"last round open": 2, "final open": 3}

SHEET = r'href="(/\S+?/games/\S+?)"'


def led_through(row):
    for state in ("draft", "registration", "running"):
        Tournament.objects.update(state=state)
        if state == "running":
            seated(row)
        yield "proposal" if state == "running" else state
    for stage in ("round", "last round", "final"):
        round_ = opened(row)
        if stage == "round":
            decide(round_, 1, PENALTY)
        play(round_, SHORT)
        yield f"{stage} open"
        close_round(round_.pk, NOBODY, at=EVENING)
        if stage != "round":
            yield f"{stage} closed"
    Tournament.objects.update(state="finished")
    yield "finished"


def seen(browser, row, last):
    """Rounds with tables, with totals, with a column, and in a sum; the reason of the ruling."""
    slugs = [row.event.club.slug, row.slug]
    names = ("standings", "rulings")
    standings, rulings = (browser.get(reverse(name, args=slugs)) for name in names)
    if (standings.status_code, rulings.status_code) == (404, 404):
        return None, ()
    rounds = {n: browser.get(reverse("running", args=[*slugs, n])) for n in range(1, last + 2)}
    tables = {n: page.text for n, page in rounds.items() if page.status_code == 200}
    totals = tuple(n for n, text in tables.items() if "<b>−520</b>" in text)
    sheets = {sheet for text in tables.values() for sheet in re.findall(SHEET, text)}
    why = browser.get(reverse("why_place", args=[*slugs, 1])).text
    columns = len(re.findall(r'<th [^>]*class="num round">', standings.text))
    reasons = [PENALTY.reason in page for page in (rulings.text, why)]
    rows = why.count('<th scope="row" class="num">')
    return (tuple(tables), totals, columns, rows, reasons), sheets


def promised(stage, visitor, *, published, hidden):
    if (visitor == "stranger" and not published) or (visitor != "director" and stage == "draft"):
        return None
    tables, *counted = STAGES[stage]
    results = counted[hidden and visitor != "director"]
    # The standings are those after the last closed round, if there is one.
    shown = len([n for n in results if n != RUNNING.get(stage)])
    return tables, results, shown, shown, [bool(tables)] * 2


def test_each_visitor_sees_at_each_stage_as_much_as_the_settings_promise(visitor):
    row = running(*NAMES, rounds=2, finals=4)
    club = row.event.club
    looks = {
        "stranger": Client(headers={"accept-language": "en"}),
        "member": member_of(club),
        "director": visitor.become("director", club),
    }
    found, expected, linked = {}, {}, set()

    for revision, stage in enumerate(led_through(row), 1):
        for is_published, hidden in product((False, True), repeat=2):
            # To members and directors it is all the same what is published; directors see all.
            inside = hidden and not is_published
            whom = ("stranger", "member", "director") if inside else ("stranger",)
            Event.objects.update(published=is_published)
            settings = Tournament.objects.get().settings | {"hide_last": hidden}
            # Another revision: pages are kept by it.
            Tournament.objects.update(settings=settings, revision=revision * 1000 + hidden)
            for who in whom:
                at = (stage, who, is_published, hidden)
                found[at], sheets = seen(looks[who], row, len(STAGES[stage][0]))
                linked |= {(who, sheet) for sheet in sheets}
                expected[at] = promised(stage, who, published=is_published, hidden=hidden)

    assert found == expected
    assert len(linked) == 6
    assert all(NAMES[0] in looks[who].get(sheet).text for who, sheet in linked)
