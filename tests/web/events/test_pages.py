import pytest
from django.urls import reverse

from tests import club_factories as make
from tests.deals import NAMES, WHOLE_GAME
from tests.factories import EVENING, record, record_all
from tests.match_builders import TWO, won_by
from tests.web.members import member_of
from tournaments.models import AuditEntry, Confirmation, Event, Game, Player, Season, Seat, Table
from tournaments.web.base.phone import address


@pytest.fixture
def member(club):
    return member_of(club)


def of_event(name, event, *more):
    return reverse(name, args=[event.club.slug, event.public_id, *more])


def of_table(name, table):
    return of_event(name, table.round.event, table.public_id)


def laid(club, number=1, **fields):
    round_ = make.RoundFactory(event__club=club, number=1)
    names = ([f"{name} {n}" for name in NAMES] for n in range(number))
    return [
        make.TableFactory(round=round_, number=n, players=who, **fields)
        for n, who in enumerate(names, start=1)
    ]


@pytest.mark.parametrize("is_closed", [False, True])
def test_totals_of_an_evening_are_typed_and_corrected_on_one_page(director, club, is_closed):
    first, euchre = laid(club, 2)
    Game.objects.filter(table=euchre).update(ruleset="euchre")
    round_ = first.round
    page = of_event("evening_totals", round_.event, 1)
    assert page in director.get(of_event("event", round_.event)).text

    def send(number, totals, at="", **more):
        typed = {f"total-{number}-{side}": points for side, points in enumerate(totals)}
        typed |= {f"key-{number}": f"key-of-{number}{at[-1:]}", f"revision-{number}": 0} | more
        return director.post(page + at, typed, follow=True)

    # Each line has the check of its own game.
    assert send(1, [100, 0, 0, 0]).status_code == send(2, [4, 9]).status_code == 422
    send(2, [4, 10])
    done = send(1, [100, 0, -60, -40])
    assert [line.number for line in done.context["finished"]] == [1, 2]
    if is_closed:
        director.post(of_event("close_round", round_.event, 1))
    assert f"{page}?table=1" in director.get(of_event("event", round_.event)).text
    send(1, [0, 100, -60, -40], "?table=1", **{"why-1": "swapped", "revision-1": 1})

    results = Game.objects.order_by("table__number").values_list("result__totals", flat=True)
    assert list(results) == [[0, 100, -60, -40], [4, 10]]


def test_evening_with_tables_stays_and_says_why(director, club):
    event = make.TableFactory(round__event__club=club).round.event
    address = reverse("remove_event", args=["moda", event.public_id])
    assert address not in director.get(reverse("change_event", args=["moda", event.public_id])).text

    page = director.post(address, follow=True)

    assert Event.objects.count() == 1
    assert "This evening has tables" in page.text


def test_director_makes_changes_and_removes_a_season(director, club):
    days = {"starts_on": "2026-09-01", "ends_on": "2027-06-30"}

    director.post(reverse("seasons", args=["moda"]), {"name": "Güz", **days})
    season = Season.objects.get()
    director.post(reverse("season", args=["moda", season.pk]), {"name": "Kış", **days})

    for year in (2024, 2027):
        make.SeasonFactory(
            club=club, name=str(year), starts_on=f"{year}-07-01", ends_on=f"{year}-08-01"
        )
    page = director.get(reverse("seasons", args=["moda"]))
    seen = [(each.name, each.events_seen) for each in page.context["seasons"]]
    assert seen == [("2027", 0), ("Kış", 0), ("2024", 0)]
    Season.objects.exclude(pk=season.pk).delete()
    director.post(reverse("remove_season", args=["moda", season.pk]))
    assert not Season.objects.exists()


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"name": ""}, "name"),
        ({"name": "Kış"}, "name"),
        ({"ends_on": "2026-08-31"}, "ends_on"),
        ({"starts_on": "soon"}, "starts_on"),
    ],
)
def test_refused_season_comes_back_with_what_was_typed(director, club, fields, field):
    make.SeasonFactory(club=club, name="Kış")
    typed = {"name": "Güz", "starts_on": "2026-09-01", "ends_on": "2027-06-30", **fields}

    page = director.post(reverse("seasons", args=["moda"]), typed)

    assert (page.status_code, list(page.context["form"].errors)) == (422, [field])
    assert page.context["form"].data["name"] == typed["name"]
    assert Season.objects.count() == 1


def test_season_with_evenings_stays_and_says_why(director, club):
    season = make.SeasonFactory(club=club)
    make.EventFactory(club=club, season=season)

    page = director.post(reverse("remove_season", args=["moda", season.pk]), follow=True)

    assert Season.objects.count() == 1
    assert "Evenings belong to this season" in page.text


def test_evening_begins_as_the_club_is_set_and_in_the_season_of_its_day(director, club):
    club.table_codes, club.confirmations = True, "two"
    club.save()
    season = make.SeasonFactory(club=club)
    page = director.get(reverse("new_event", args=["moda"]))
    form = page.context["form"]

    assert (form["table_codes"].value(), form["confirmations"].value()) == (True, "two")
    answer = director.post(
        reverse("new_event", args=["moda"]),
        {
            "name": "Cuma",
            "held_on": "2026-11-20",
            "season": "day",
            "confirmations": "all",
            "published": "on",
            "family": "king",
            "form.king": "turkish-king",
            "turkish-king.rifki_ends": "True",
        },
    )

    event = Event.objects.get()
    assert answer.url == of_event("event", event)
    assert list(event.rounds.values_list("number", "closed_at")) == [(1, None)]
    assert (event.season, event.published, event.table_codes, event.confirmations) == (
        season,
        True,
        False,
        "all",
    )


def test_new_evening_has_the_answers_of_the_last_one_with_each_game(director, club):
    for options in ({"king": "off"}, {"king_tricks": 10}):
        make.EventFactory(club=club, ruleset="turkish-king", options=options)
    make.EventFactory(club=club, ruleset="euchre", options={"target": 5})

    for page in ("new_event", "new_tournament"):
        form = director.get(reverse(page, args=["moda"])).context["form"]
        asked = ("turkish-king.king", "turkish-king.king_tricks", "euchre.target")
        assert [str(form[name].value()) for name in asked] == ["ends-game", "10", "5"]


def test_evening_sent_twice_is_made_once(director):
    path = reverse("new_event", args=["moda"])
    page = director.get(path)
    key = page.context["form"].key
    assert f'name="key" value="{key}"' in page.text
    typed = {"name": "Cuma", "held_on": "2026-11-20", "confirmations": "none", "key": key}
    typed |= {"ruleset": "turkish-king"}

    first, second = (director.post(path, typed) for _ in range(2))

    event = Event.objects.get()
    assert first.url == second.url == of_event("event", event)
    assert AuditEntry.objects.filter(action="add-event").count() == 1
    assert key not in event.start_key
    director.post(path, typed | {"name": "Cumartesi"})
    assert Event.objects.count() == 2


def test_event_page_says_how_each_table_stands(member, club):
    first, second = laid(club, 2)
    Event.objects.update(confirmations="two")
    record_all(first.games.get(), WHOLE_GAME)
    record(second.games.get(), WHOLE_GAME[0])

    page = member.get(of_event("event", first.round.event))

    (part,) = page.context["rounds"]
    assert [(line.state, line.finished) for line in part["tables"]] == [
        ("Out: Ayşe 0", True),
        ("deal 2 of 20", False),
    ]
    assert part["tables"][0].totals == (
        ("Ayşe 0", 540),
        ("Burak 0", -110),
        ("Cem 0", -330),
        ("Deniz 0", -100),
    )
    secrets = [address(first.games.get(), "write"), first.secret, first.code]
    assert not [secret for secret in secrets if secret in page.text]
    assert "Not confirmed by" not in page.text


def test_director_is_reminded_of_results_that_are_not_confirmed(director, club):
    (table,) = laid(club, entries=WHOLE_GAME)
    Event.objects.update(confirmations="two")
    game = table.games.get()
    path = of_event("event", table.round.event)

    def reminded():
        page = director.get(path)
        return page.context["unconfirmed"], page.context["rounds"][0]["tables"][0].reminder

    assert reminded() == (1, "Ayşe 0, Burak 0, Cem 0, Deniz 0")
    for seat in (1, 3):
        Confirmation.objects.create(game=game, seat=seat, revision=20, at=EVENING)
    assert reminded() == (0, "")
    assert "confirmed" in director.get(path).text


def test_event_page_is_answered_304_until_something_changes(director, club):
    (table,) = laid(club)
    path = of_event("event", table.round.event)
    etag = director.get(path)["ETag"]
    listening = {"HX-Request": "true", "If-None-Match": etag}

    assert director.get(path, headers=listening).status_code == 304
    record(table.games.get(), WHOLE_GAME[0])
    page = director.get(path, headers=listening)

    assert (page.status_code, page["ETag"] != etag) == (200, True)
    assert "<html" not in page.text


def test_rounds_are_opened_closed_and_opened_again(director, club):
    (table,) = laid(club)
    event = table.round.event

    director.post(of_event("close_round", event, 1))
    director.post(of_event("open_round", event))
    assert [bool(r.closed_at) for r in event.rounds.all()] == [True, False]
    page = director.post(of_event("open_round", event), follow=True)
    assert "The last round has no table yet" in page.text
    director.post(of_event("reopen_round", event, 1))

    assert [bool(r.closed_at) for r in event.rounds.all()] == [False, False]


def lay(director, round_, names=NAMES, **fields):
    typed = {f"name{seat}": name for seat, name in enumerate(names)}
    path = of_event("new_event_table", round_.event, round_.number)
    return director.post(path, {"ruleset": "turkish-king", **typed, **fields})


def test_those_who_played_last_are_drawn_to_the_tables_of_an_empty_round(director, club):
    event = laid(club, 2)[0].round.event
    stranger = make.PlayerFactory(club=club)
    director.post(of_event("open_round", event))
    page = director.get(of_event("event", event)).context["who"]
    played = [player.public_id for player in Player.objects.exclude(pk=stranger.pk)]
    assert sorted(page["player"].value()) == sorted(played)
    seats = of_event("seat_event_round", event, 2)
    refused = director.post(seats, {"player": played[:3]})
    assert (refused.status_code, refused.context["who"]["player"].value()) == (422, played[:3])

    for _twice in range(2):
        answer = director.post(seats, {"player": played})

    assert answer.url == of_event("event", event)
    drawn = Seat.objects.filter(game__table__round__number=2)
    assert sorted(drawn.values_list("player__public_id", flat=True)) == sorted(played)
    assert Table.objects.filter(round__number=2).count() == 2


def test_director_lays_a_table_with_four_names(director, club):
    round_ = make.RoundFactory(event__club=club, number=1)
    make.PlayerFactory(club=club, name="Ayşe")

    answer = lay(director, round_, first_declarer="2")

    game = Game.objects.get()
    assert answer.url == of_event("event", round_.event)
    assert (game.players, game.first_declarer, game.table.round) == (list(NAMES), 2, round_)
    assert Player.objects.count() == 4


def test_new_table_offers_what_the_evening_plays_and_who_sat_lately(director, club):
    (table,) = laid(club)
    Event.objects.update(ruleset="euchre")

    page = director.get(of_event("new_event_table", table.round.event, 1))

    assert page.context["form"].rules.id == "euchre"
    assert page.context["names"] == ["Deniz 0", "Cem 0", "Burak 0", "Ayşe 0"]
    names = director.get(reverse("player_names", args=["moda"]), {"name2": "AYSE"}).text
    assert names.strip() == '<option value="Ayşe 0"></option>'


def test_table_of_somebody_who_sits_elsewhere_comes_back(director, club):
    (table,) = laid(club)

    page = lay(director, table.round, ("Ayşe 0", *NAMES[1:]))

    assert page.status_code == 422
    assert "Ayşe 0 already sits at table 1 of this round." in page.text
    assert page.context["form"]["name1"].value() == "Burak"
    assert Table.objects.count() == 1


def test_address_is_replaced_with_one_tap(director, club):
    (table,) = laid(club)

    answer = director.post(of_table("replace_address", table))

    assert answer.url == of_table("event_table", table)
    new = Table.objects.get()
    page = director.get(answer.url)
    assert page.context["card"]["address"].endswith(new.secret + "/")
    assert new.secret != table.secret


def test_games_of_a_club_are_searched_by_the_name_of_a_player(member, director, club):
    first, second = laid(club, 2)
    Player.objects.filter(name="Cem 1").update(initials=True)
    make.TableFactory()

    def found(browser, asked=""):
        page = browser.get(reverse("club_games", args=["moda"]), {"q": asked})
        return {row.table for row, _ruleset, _state in page.context["lines"]}

    assert found(member) == {first, second}
    assert found(member, "AYSE 1") == {second}
    assert found(member, "zeki") == set()
    # Who is shown by initials is not found by the name behind them, except by directors.
    assert (found(member, "cem 1"), found(director, "cem 1")) == (set(), {second})


def test_match_is_shown_by_its_last_game(member, director, club):
    round_ = make.RoundFactory(event__club=club, number=1)
    lay(director, round_, TWO, ruleset="krapet", match="best-of.3")
    game = Game.objects.get()
    record(game, won_by(0))
    key = {"key": "a-key-of-at-least-22-characters"}
    director.post(reverse("next_game", args=[game.public_id, game.secret("write")]), key)

    page = member.get(of_event("event", round_.event))

    (line,) = page.context["rounds"][0]["tables"]
    assert (line.row.match_number, line.row.table_id) == (2, game.table_id)
    assert Seat.objects.filter(game=line.row).count() == 2


def test_list_of_evenings_is_of_one_season_where_asked(director, club):
    season = make.SeasonFactory(club=club)
    make.EventFactory(club=club, name="Cuma", season=season)
    make.EventFactory(club=club, name="Pazar")

    def names(query=""):
        page = director.get(reverse("events", args=["moda"]) + query)
        return [event.name for event in page.context["part"]]

    assert names() == ["Pazar", "Cuma"]
    assert names(f"?season={season.pk}") == ["Cuma"]
    assert names("?season=x&page=99") == ["Pazar", "Cuma"]
