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
from tests.evening_builders import audit
from tests.factories import EVENING, ContextFactory, HouseRulesetFactory
from tournaments.engine.documents.entries import parse_entry
from tournaments.engine.rules.rulesets import InvalidEntry
from tournaments.models import AuditEntry, Event, Round, Season
from tournaments.services.audit import Actor
from tournaments.services.events import events
from tournaments.services.events.events import EventPlan, SeasonDates
from tournaments.services.games.playing import record_entry
from tournaments.services.games.writing import RoundClosed

pytestmark = pytest.mark.django_db

WINTER = SeasonDates("Kış", date(2026, 11, 1), date(2027, 2, 28))
PLAN = EventPlan("Cuma", date(2026, 11, 20), "turkish-king")
BY = Actor(address="192.0.2.7")


def test_season_is_made_changed_and_removed_once_with_a_line_for_each():
    club = ClubFactory()

    season = events.create_season(club, WINTER, BY, at=EVENING)
    for _tap in range(2):
        season = events.change_season(season.pk, replace(WINTER, name="Yaz"), BY, at=EVENING)
    for _tap in range(2):
        events.remove_season(season.pk, BY, at=EVENING)

    assert (season.name, Season.objects.count()) == ("Yaz", 0)
    subject = f"season:{season.pk}"
    whole = {
        "name": "Kış",
        "starts_on": "2026-11-01",
        "ends_on": "2027-02-28",
        "league_best": None,
        "league_points": "",
    }
    assert audit() == [
        ("add-season", subject, None, whole),
        ("change-season", subject, whole, whole | {"name": "Yaz"}),
        ("remove-season", subject, whole | {"name": "Yaz"}, None),
    ]
    told = set(AuditEntry.objects.values_list("club", "kind", "address"))
    assert told == {(club.pk, "settings", "192.0.2.7")}


def test_season_of_a_day_is_the_one_that_began_last():
    club = ClubFactory()
    SeasonFactory(club=club, name="Yıl", starts_on=date(2026, 1, 1), ends_on=date(2026, 12, 31))
    SeasonFactory(club=club, name="Güz", starts_on=date(2026, 9, 1), ends_on=date(2026, 11, 20))
    SeasonFactory(name="Başka kulüp", starts_on=date(2026, 10, 1), ends_on=date(2026, 12, 1))

    days = [date(2026, 8, 31), date(2026, 9, 1), date(2026, 11, 20), date(2026, 11, 21)]

    found = [events.season_on(club, day) for day in days]
    assert [season.name for season in found] == ["Yıl", "Güz", "Güz", "Yıl"]
    assert events.season_on(club, date(2027, 1, 1)) is None


def test_evening_begins_with_its_first_round_open_and_is_changed_and_removed_once():
    season = SeasonFactory()
    chosen = {"published": True, "table_codes": True, "confirmations": "two"}
    plan = replace(PLAN, season=season, **chosen)

    event = events.create_event(season.club, plan, BY, at=EVENING)

    assert list(event.rounds.values_list("number", "closed_at")) == [(1, None)]
    assert Event.objects.filter(season=season, **chosen).get() == event
    for _tap in range(2):
        event = events.change_event(
            event.pk, replace(plan, name="Cumartesi", held_on=date(2026, 11, 21)), BY, at=EVENING
        )
    assert (event.name, event.held_on) == ("Cumartesi", date(2026, 11, 21))
    for _tap in range(2):
        events.remove_event(event.pk, BY, at=EVENING)
    assert not Event.objects.exists()
    added, changed, removed = audit()
    subject = f"event:{event.public_id}"
    assert (added[:2], added[3]["season"]) == (("add-event", subject), season.name)
    assert changed == (
        "change-event",
        subject,
        {"name": "Cuma", "held_on": "2026-11-20"},
        {"name": "Cumartesi", "held_on": "2026-11-21"},
    )
    assert (removed[:2], removed[2]["name"]) == (("remove-event", subject), "Cumartesi")


def test_evening_plays_by_known_rules_and_those_of_its_own_club_only():
    club = ClubFactory()
    director = MemberFactory(club=club, role="director").user
    by = Actor(director)
    MemberFactory(user=director, role="owner")
    for slug, of in (("theirs", director.memberships.last().club), ("ours", club), ("all", None)):
        HouseRulesetFactory(slug=slug, club=of)
    event = EventFactory(club=club)

    for said in (
        {"ruleset": "theirs"},
        {"ruleset": "no-such-game"},
        {"options": {"no-such-option": 1}},
    ):
        with pytest.raises(InvalidEntry):
            events.create_event(club, replace(PLAN, **said), by, at=EVENING)
        with pytest.raises(InvalidEntry):
            events.change_event(event.pk, replace(PLAN, **said), by, at=EVENING)
    assert (Event.objects.count(), audit()) == (1, [])
    for slug in ("ours", "all"):
        assert events.create_event(club, replace(PLAN, ruleset=slug), by, at=EVENING).pk
        events.change_event(event.pk, replace(PLAN, ruleset=slug), by, at=EVENING)

    event.refresh_from_db()
    assert (event.ruleset, Event.objects.count()) == ("all", 3)


def test_round_that_was_closed_without_tables_is_followed_by_another():
    round_ = RoundFactory(number=1, closed_at=EVENING)

    assert events.open_round(round_.event_id, BY, at=EVENING).number == 2


def test_closed_round_is_written_by_directors_only():
    table = TableFactory(entries=WHOLE_GAME[:1])
    game = table.games.get()
    director = MemberFactory(club=table.round.event.club, role="director").user
    member = MemberFactory(club=table.round.event.club).user

    events.close_round(table.round_id, BY, at=EVENING)

    for by in (Actor(table=table.public_id), Actor(member)):
        with pytest.raises(RoundClosed):
            record_entry(game.pk, parse_entry(WHOLE_GAME[1]), ContextFactory(revision=1, by=by))
    record_entry(
        game.pk, parse_entry(WHOLE_GAME[1]), ContextFactory(revision=1, by=Actor(director))
    )


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
