"""Who is not in the game counts nowhere: a house player, one who has withdrawn, one who waits."""

from datetime import date

import pytest
from django.core.cache import caches

from tests.club_factories import ClubFactory, EntrantFactory
from tests.factories import EVENING
from tests.tournament_builders import running
from tests.web.members import member_of
from tests.web.standings.shown import page
from tournaments.models import Event, Report, Subscription, Tournament
from tournaments.models.notifications import notified_entrants
from tournaments.queries.overview import list_entrants, overview_of
from tournaments.queries.site import coming
from tournaments.queries.state import load_state
from tournaments.queries.steps import how_far
from tournaments.queries.tables import filling_of, line_ups_of
from tournaments.reports.standings import compose_standings_picture
from tournaments.services.audit import NOBODY
from tournaments.services.entrants.registration import Entry, mark_paid
from tournaments.services.tournaments.lifecycle import places_left

pytestmark = pytest.mark.django_db

KINDS = {
    "house": {"house": True},
    "withdrawn": {"withdrawn_at": EVENING},
    "waiting": {"waiting": True},
}


def before_the_start(row):
    Tournament.objects.update(state="registration")
    left = places_left(Tournament.objects.get())
    hub = page(member_of(row.event.club), row, "tournament").text
    found = coming(Event.objects.all(), date(2026, 1, 1)).get()
    report = Report(kind="picture", club=row.event.club, event=row.event, audience="visitors")
    picture = compose_standings_picture(report)
    Tournament.objects.update(state="running")
    return left, hub.count("<span><i"), "place free" in hub, found.comers, str(picture["sides"])


def paid(row):
    mark_paid(row.pk, None, NOBODY, at=EVENING)
    numbers = [*row.entrants.filter(paid=True).values_list("number", flat=True)]
    mark_paid(row.pk, None, NOBODY, at=EVENING, paid=False)
    return numbers


def context(name, *keys):
    def values(row):
        director = member_of(row.event.club, "director")
        found = page(director, row, name, *([1] if name == "line_ups" else [])).context
        return [str(found[key]) for key in keys]

    return values


def outlook(row):
    director = member_of(row.event.club, "director")
    return str(page(director, row, "change_tournament").context["form"].outlook())


OBSERVED = {
    "before the start": before_the_start,
    "progress": lambda row: how_far(row, []).playing,
    "here": lambda row: how_far(row, []).here,
    "filling": lambda row: filling_of(load_state(row), 1),
    "line-ups": lambda row: [(t.team, len(t.members)) for t in line_ups_of(load_state(row), 1)],
    "without a team": context("line_ups", "without"),
    "overview": lambda row: overview_of(load_state(row)),
    "standings": lambda row: load_state(row).standings_before(1),
    "paid": paid,
    "fees": context("fees", "paid", "pot", "prizes"),
    "outlook": outlook,
    "owe": lambda row: [e.owes for e in list_entrants(row, directs=True).lines].count(True),
    "told": lambda row: notified_entrants(EVENING).count(),
}


def observe(row):
    # A tournament of another test may have had this key and version.
    caches["pages"].clear()
    return {name: look(row) for name, look in OBSERVED.items()}


STAYS = {"withdrawn": {"line-ups", "overview", "standings"}}
"""Where those who have withdrawn keep their place."""


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_changes_with_somebody_who_does_not_count(kind):
    names = [Entry(f"Oyuncu {n}", team=f"T{n % 2}") for n in range(8)]
    more = {"fee": "20", "prizes": ("60%", "40%"), "capacity": 9, "line_up": 4}
    row = running(*names, club=ClubFactory(published=True), rounds=3, check_in="once", **more)
    Event.objects.update(published=True)
    row.entrants.update(checked_in=1)
    row.refresh_from_db()
    before = observe(row)
    of_all = {"tournament": row, "checked_in": 1, **KINDS[kind]}
    extra, _alone = (EntrantFactory(number=9 + (not t), team=t, **of_all) for t in ("T1", ""))
    where = {"phone": "1", "endpoint": "https://push.example/1", "p256dh": "k", "auth": "a"}
    Subscription.objects.create(entrant=extra, language="tr", created_at=EVENING, **where)
    after = observe(Tournament.objects.get())
    assert {name for name in before if before[name] != after[name]} == STAYS.get(kind, set())
