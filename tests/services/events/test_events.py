from dataclasses import replace
from datetime import date

import pytest

from tests import club_factories as make
from tests.deals import WHOLE_GAME
from tests.evening_builders import audit
from tests.factories import EVENING, ContextFactory, HouseRulesetFactory
from tournaments.engine.documents.entries import parse_entry
from tournaments.engine.rules.rulesets import InvalidEntry
from tournaments.models import Event, Round
from tournaments.services.audit import Actor
from tournaments.services.events import events
from tournaments.services.events.events import EventPlan
from tournaments.services.games.playing import record_entry
from tournaments.services.games.writing import RoundClosed

pytestmark = pytest.mark.django_db

PLAN = EventPlan("Cuma", date(2026, 11, 20), "turkish-king")
BY = Actor(address="192.0.2.7")


def test_season_of_a_day_is_the_one_that_began_last():
    club = make.ClubFactory()
    make.SeasonFactory(
        club=club, name="Yıl", starts_on=date(2026, 1, 1), ends_on=date(2026, 12, 31)
    )
    make.SeasonFactory(
        club=club, name="Güz", starts_on=date(2026, 9, 1), ends_on=date(2026, 11, 20)
    )
    make.SeasonFactory(name="Başka kulüp", starts_on=date(2026, 10, 1), ends_on=date(2026, 12, 1))

    days = [date(2026, 8, 31), date(2026, 9, 1), date(2026, 11, 20), date(2026, 11, 21)]

    found = [events.season_on(club, day) for day in days]
    assert [season.name for season in found] == ["Yıl", "Güz", "Güz", "Yıl"]
    assert events.season_on(club, date(2027, 1, 1)) is None


def test_evening_plays_by_known_rules_and_those_of_its_own_club_only():
    club = make.ClubFactory()
    director = make.MemberFactory(club=club, role="director").user
    by = Actor(director)
    make.MemberFactory(user=director, role="owner")
    for slug, of in (("theirs", director.memberships.last().club), ("ours", club), ("all", None)):
        HouseRulesetFactory(slug=slug, club=of)
    event = make.EventFactory(club=club)

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
    round_ = make.RoundFactory(number=1, closed_at=EVENING)

    assert events.open_round(round_.event_id, BY, at=EVENING).number == 2


def test_closed_round_is_written_by_directors_only():
    table = make.TableFactory(entries=WHOLE_GAME[:1])
    game = table.games.get()
    director = make.MemberFactory(club=table.round.event.club, role="director").user
    member = make.MemberFactory(club=table.round.event.club).user

    events.close_round(table.round_id, BY, at=EVENING)

    for by in (Actor(table=table.public_id), Actor(member)):
        with pytest.raises(RoundClosed):
            record_entry(game.pk, parse_entry(WHOLE_GAME[1]), ContextFactory(revision=1, by=by))
    record_entry(
        game.pk, parse_entry(WHOLE_GAME[1]), ContextFactory(revision=1, by=Actor(director))
    )


def test_round_is_closed_and_reopened_once():
    table = make.TableFactory()
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
