import time
from datetime import timedelta

import pytest
from celery import Celery
from django.core import mail
from django.core.cache import cache, caches
from django.utils import timezone

from kingscore.celery import Scheduler
from tests.check_factories import CheckFactory, EmailFactory
from tests.club_factories import AccountFactory
from tests.deals import WHOLE_GAME
from tests.factories import EVENING, ContextFactory, GameFactory, ReportFactory, reload
from tests.program_factories import DeliveryFactory
from tournaments.engine.documents.entries import parse_entry
from tournaments.models import Delivery, Email, Report
from tournaments.models.people import MOST_WRONG_TYPED
from tournaments.services.audit import Actor
from tournaments.services.checks.nights import claim_check
from tournaments.services.emails import sweep_emails
from tournaments.services.games import playing
from tournaments.services.people.merging import TooManyCodes, WrongClaimCode, find_by_code
from tournaments.services.webhooks.calling import CallAnswer, sweep_webhooks

BACK = timedelta(hours=2)
"""The clock stands so much earlier than when what is tested was written."""


@pytest.mark.django_db
@pytest.mark.parametrize("jump", [-BACK, timedelta(days=1)])
def test_game_goes_on_in_the_order_of_its_revisions(jump):
    game = GameFactory()
    for number, body in enumerate(WHOLE_GAME[:6]):
        at = EVENING + (jump if number >= 3 else timedelta())
        playing.record_entry(game.pk, parse_entry(body), ContextFactory(revision=number, at=at))

    assert [write.body for write in reload(game).revisions] == list(WHOLE_GAME[:6])


@pytest.mark.django_db
def test_letter_written_or_tried_ahead_of_the_clock_is_sent_once():
    now = timezone.now()
    EmailFactory(written_at=now + BACK)
    EmailFactory(written_at=now, tried_at=now + BACK, tries=1)

    for _ in range(2):
        sweep_emails(now)
        Email.objects.update(tried_at=None)

    assert (len(mail.outbox), Email.objects.filter(sent_at=None).count()) == (2, 0)


@pytest.mark.django_db
@pytest.mark.parametrize(("ahead", "waiting"), [(BACK, 1), (timedelta(seconds=5), 0)])
def test_report_and_check_left_behind_ahead_of_the_clock_are_taken_up(ahead, waiting):
    ReportFactory(state=Report.State.BUILDING, touched_at=EVENING + ahead)
    check = CheckFactory(started_at=EVENING + ahead)

    assert Report.objects.awaiting_build(EVENING).count() == waiting
    assert (claim_check(check.night, EVENING) is not None) == waiting


@pytest.mark.django_db(transaction=True)
def test_calls_noted_or_tried_ahead_of_the_clock_are_made():
    later = timezone.now() + BACK
    noted = DeliveryFactory(next_at=later)
    tried = DeliveryFactory(next_at=later + BACK, tried_at=later, tries=1)
    # It failed a minute ago, and waits for its hour.
    waits = DeliveryFactory(next_at=later, tried_at=timezone.now(), tries=4)

    sweep_webhooks(lambda _message, _at: CallAnswer(200))

    states = dict(Delivery.objects.values_list("pk", "state"))
    assert states == {noted.pk: "delivered", tried.pk: "delivered", waits.pk: "waiting"}


@pytest.mark.django_db
def test_wrong_codes_typed_ahead_of_the_clock_are_forgotten():
    user = AccountFactory(wrong_claims=MOST_WRONG_TYPED, wrong_claims_since=EVENING)

    with pytest.raises(TooManyCodes):
        find_by_code("1-abc", Actor(user), at=EVENING + timedelta(minutes=1))
    with pytest.raises(WrongClaimCode):
        find_by_code("1-abc", Actor(user), at=EVENING - BACK)


@pytest.mark.django_db
def test_tries_counted_ahead_of_the_clock_are_no_limit():
    now = timezone.now().timestamp()
    cache.set("tries", [now + BACK.total_seconds(), now + 5, now - 5])

    assert cache.get("tries") == [now + 5, now - 5]


def test_requests_counted_ahead_of_the_clock_are_no_limit(monkeypatch):
    counts, now = caches["throttles"], time.time()
    counts.clear()
    monkeypatch.setattr(time, "time", lambda: now + BACK.total_seconds())
    assert [counts.count("somebody", 60)[0] for _ in range(2)] == [1, 2]
    monkeypatch.setattr(time, "time", lambda: now)

    assert counts.count("somebody", 60) == (1, 60)


class Woken(Scheduler):
    def apply_entry(self, entry, producer=None):
        self.woken.append(entry.name)


@pytest.fixture
def clock():
    app = Celery("clock", broker="memory://")
    app.conf.beat_schedule = {
        "often": {"task": "often", "schedule": 15.0},
        "seldom": {"task": "seldom", "schedule": 600.0},
    }
    app.now = lambda: app.stands_at
    app.stands_at = EVENING
    scheduler = Woken(app)
    scheduler.woken = []
    return scheduler


def let_pass(scheduler, seconds):
    scheduler.woken.clear()
    for _ in range(seconds):
        scheduler.app.stands_at += timedelta(seconds=1)
        while scheduler.tick() == 0:
            pass
    return scheduler.woken.copy()


@pytest.mark.parametrize("jump", [-BACK, timedelta(), timedelta(days=1)])
def test_clock_that_jumps_wakes_everything_as_often_as_before(clock, jump):
    let_pass(clock, 900)

    clock.app.stands_at += jump
    woken = let_pass(clock, 1200)

    assert 75 <= woken.count("often") <= 85
    assert 1 <= woken.count("seldom") <= 3
