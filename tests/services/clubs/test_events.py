"""Seasons, evenings and rounds."""

from dataclasses import replace
from datetime import date

import pytest

from tests.club_factories import (
    ClubFactory,
    EventFactory,
    MemberFactory,
    RoundFactory,
    SeasonFactory,
    TableFactory,
)
from tests.deals import WHOLE_GAME
from tests.factories import EVENING, HouseRulesetFactory, PenFactory, record
from tournaments.engine.problems import InvalidEntry
from tournaments.models import AuditLine, Event, Round, Season
from tournaments.services.auditing import Actor
from tournaments.services.clubs import events, seasons
from tournaments.services.clubs.events import EventHasTables, EventPlan, RoundStillEmpty
from tournaments.services.clubs.seasons import SeasonDates, SeasonInUse, SeasonNameTaken
from tournaments.services.play.playing import record_entry
from tournaments.services.play.writing import RoundClosed

pytestmark = pytest.mark.django_db

WINTER = SeasonDates("Kış", date(2026, 11, 1), date(2027, 2, 28))
PLAN = EventPlan("Cuma", date(2026, 11, 20), "turkish-king")
BY = Actor(address="192.0.2.7")


def audit():
    """What the audit holds, the first line first: action, subject, before, after."""
    lines = AuditLine.objects.order_by("pk")
    return [(line.action, line.subject, line.before, line.after) for line in lines]


# Seasons.


def test_season_is_made_with_a_line_in_the_audit():
    club = ClubFactory()

    season = seasons.create_season(club, WINTER, BY, at=EVENING)

    assert (season.name, season.starts_on, season.ends_on) == (
        "Kış",
        date(2026, 11, 1),
        date(2027, 2, 28),
    )
    line = AuditLine.objects.get()
    assert (line.club, line.kind, line.action, line.address, line.after) == (
        club,
        "settings",
        "add-season",
        "192.0.2.7",
        {
            "name": "Kış",
            "starts_on": "2026-11-01",
            "ends_on": "2027-02-28",
            "league_best": None,
        },
    )


def test_season_with_the_name_of_another_is_refused():
    club = ClubFactory()
    seasons.create_season(club, WINTER, BY, at=EVENING)
    other = SeasonFactory(club=club)

    with pytest.raises(SeasonNameTaken):
        seasons.create_season(club, WINTER, BY, at=EVENING)
    with pytest.raises(SeasonNameTaken):
        seasons.change_season(other.pk, WINTER, BY, at=EVENING)

    assert Season.objects.count() == 2
    assert [action for action, *_ in audit()] == ["add-season"]


def test_season_is_changed_once():
    season = SeasonFactory(name="Yaz")

    for _ in range(2):
        seasons.change_season(season.pk, WINTER, BY, at=EVENING)

    season.refresh_from_db()
    assert (season.name, season.ends_on) == ("Kış", date(2027, 2, 28))
    ((action, subject, before, after),) = audit()
    assert (action, subject, before["name"], after["name"]) == (
        "change-season",
        f"season:{season.pk}",
        "Yaz",
        "Kış",
    )


def test_season_without_evenings_is_removed_once():
    season = SeasonFactory(name="Yaz")

    for _ in range(2):
        seasons.remove_season(season.pk, BY, at=EVENING)

    assert not Season.objects.exists()
    ((action, _subject, before, after),) = audit()
    assert (action, before["name"], after) == ("remove-season", "Yaz", None)


def test_season_with_an_evening_stays():
    season = SeasonFactory()
    EventFactory(club=season.club, season=season)

    with pytest.raises(SeasonInUse):
        seasons.remove_season(season.pk, BY, at=EVENING)

    assert (Season.objects.count(), audit()) == (1, [])


def test_season_of_a_day_is_the_one_that_began_last():
    club = ClubFactory()
    SeasonFactory(club=club, name="Yıl", starts_on=date(2026, 1, 1), ends_on=date(2026, 12, 31))
    SeasonFactory(club=club, name="Güz", starts_on=date(2026, 9, 1), ends_on=date(2026, 11, 20))
    SeasonFactory(name="Başka kulüp", starts_on=date(2026, 10, 1), ends_on=date(2026, 12, 1))

    days = [date(2026, 8, 31), date(2026, 9, 1), date(2026, 11, 20), date(2026, 11, 21)]

    found = [seasons.season_on(club, day) for day in days]
    assert [season.name for season in found] == ["Yıl", "Güz", "Güz", "Yıl"]
    assert seasons.season_on(club, date(2027, 1, 1)) is None


# Evenings.


def test_evening_without_tables_is_removed_once():
    event = RoundFactory(event__name="Cuma").event

    for _ in range(2):
        events.remove_event(event.pk, BY, at=EVENING)

    assert not Event.objects.exists()
    ((action, subject, before, after),) = audit()
    assert (action, subject, before["name"], after) == (
        "remove-event",
        f"event:{event.public_id}",
        "Cuma",
        None,
    )


def test_evening_with_a_table_stays():
    table = TableFactory()

    with pytest.raises(EventHasTables):
        events.remove_event(table.round.event.pk, BY, at=EVENING)

    assert (Event.objects.count(), audit()) == (1, [])


def test_evening_begins_with_its_first_round_open():
    season = SeasonFactory()
    plan = EventPlan(
        "Cuma",
        date(2026, 11, 20),
        "turkish-king",
        {},
        season,
        published=True,
        table_codes=True,
        confirmations="two",
    )

    event = events.create_event(season.club, plan, BY, at=EVENING)

    event = Event.objects.get(pk=event.pk)
    assert (event.season, event.published, event.table_codes, event.confirmations) == (
        season,
        True,
        True,
        "two",
    )
    assert list(event.rounds.values_list("number", "closed_at")) == [(1, None)]
    ((action, subject, _before, after),) = audit()
    assert (action, subject, after["season"]) == (
        "add-event",
        f"event:{event.public_id}",
        season.name,
    )


def test_evening_of_a_game_that_nobody_knows_is_refused():
    club = ClubFactory()

    for plan in (
        EventPlan("Cuma", date(2026, 11, 20), "no-such-game"),
        EventPlan("Cuma", date(2026, 11, 20), "turkish-king", {"no-such-option": 1}),
    ):
        with pytest.raises(InvalidEntry):
            events.create_event(club, plan, BY, at=EVENING)

    assert (Event.objects.count(), audit()) == (0, [])


def test_evening_plays_by_rules_of_its_own_club_only():
    club = ClubFactory()
    director = MemberFactory(club=club, role="director").user
    by = Actor(director)
    MemberFactory(user=director, role="owner")
    for slug, of in (("theirs", director.memberships.last().club), ("ours", club), ("all", None)):
        HouseRulesetFactory(slug=slug, club=of)
    event = EventFactory(club=club)

    with pytest.raises(InvalidEntry):
        events.create_event(club, replace(PLAN, ruleset="theirs"), by, at=EVENING)
    with pytest.raises(InvalidEntry):
        events.change_event(event.pk, replace(PLAN, ruleset="theirs"), by, at=EVENING)
    for slug in ("ours", "all"):
        assert events.create_event(club, replace(PLAN, ruleset=slug), by, at=EVENING).pk
        events.change_event(event.pk, replace(PLAN, ruleset=slug), by, at=EVENING)

    event.refresh_from_db()
    assert (event.ruleset, Event.objects.count()) == ("all", 3)


def test_changed_evening_says_in_the_audit_what_was_changed():
    event = events.create_event(ClubFactory(), PLAN, BY, at=EVENING)
    other = EventPlan("Cumartesi", date(2026, 11, 21), "turkish-king")

    for _ in range(2):
        events.change_event(event.pk, other, BY, at=EVENING)

    event.refresh_from_db()
    assert (event.name, event.held_on) == ("Cumartesi", date(2026, 11, 21))
    assert audit()[1:] == [
        (
            "change-event",
            f"event:{event.public_id}",
            {"name": "Cuma", "held_on": "2026-11-20"},
            {"name": "Cumartesi", "held_on": "2026-11-21"},
        )
    ]


# Rounds.


def test_next_round_is_opened_beside_the_one_that_goes_on():
    table = TableFactory(round__number=1)
    event = table.round.event

    second = events.open_round(event.pk, BY, at=EVENING)

    assert list(event.rounds.values_list("number", "closed_at")) == [(1, None), (2, None)]
    assert audit() == [("open-round", f"event:{event.public_id}", None, {"round": 2})]
    assert second.opened_at == EVENING


def test_round_is_not_opened_twice_by_a_button_tapped_twice():
    event = events.create_event(ClubFactory(), PLAN, BY, at=EVENING)

    with pytest.raises(RoundStillEmpty):
        events.open_round(event.pk, BY, at=EVENING)

    assert event.rounds.count() == 1


def test_round_that_was_closed_without_tables_is_followed_by_another():
    place = RoundFactory(number=1, closed_at=EVENING)

    assert events.open_round(place.event_id, BY, at=EVENING).number == 2


def test_closed_round_is_written_by_directors_only():
    table = TableFactory(entries=WHOLE_GAME[:1])
    game = table.games.get()
    director = MemberFactory(club=table.round.event.club, role="director").user
    member = MemberFactory(club=table.round.event.club).user

    events.close_round(table.round_id, BY, at=EVENING)

    for by in (Actor(table=table.public_id), Actor(member)):
        with pytest.raises(RoundClosed):
            record_entry(game.pk, WHOLE_GAME[1], PenFactory(revision=1, by=by))
    record_entry(game.pk, WHOLE_GAME[1], PenFactory(revision=1, by=Actor(director)))


def test_reopened_round_is_written_again():
    table = TableFactory()
    events.close_round(table.round_id, BY, at=EVENING)

    events.reopen_round(table.round_id, BY, at=EVENING)

    record(table.games.get(), WHOLE_GAME[0])


def test_round_is_closed_and_reopened_once():
    table = TableFactory()
    subject = f"event:{table.round.event.public_id}"
    later = EVENING.replace(hour=23)

    for at in (EVENING, later):
        events.close_round(table.round_id, BY, at=at)

    assert Round.objects.get(pk=table.round_id).closed_at == EVENING
    for _ in range(2):
        events.reopen_round(table.round_id, BY, at=later)
    number = {"round": table.round.number}
    assert audit() == [
        ("close-round", subject, None, number),
        ("reopen-round", subject, None, number),
    ]
