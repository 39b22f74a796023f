import time
from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.utils import timezone

from tests.club_factories import ClubFactory, EventFactory, MemberFactory, TableFactory
from tests.deals import WHOLE_GAME
from tests.factories import EVENING
from tests.services.notifications.push_service import push_service
from tests.together import at_once, while_another_is_writing
from tests.tournament_builders import running
from tournaments.models import Delivery, Email, EventType, Report
from tournaments.services.audit import NOBODY
from tournaments.services.emails import sweep_months
from tournaments.services.events.events import close_round
from tournaments.services.notifications.sending import sweep_notifications
from tournaments.services.notifications.subscriptions import subscribe_phone
from tournaments.services.rounds.seating import publish_round, seat_next_round
from tournaments.services.webhooks import calling

pytestmark = pytest.mark.django_db(transaction=True)


def test_two_workers_tell_each_phone_once(settings):
    row = running(*[f"Oyuncu {n}" for n in range(1, 13)])
    before = timezone.now()
    with push_service(settings) as service:
        browsers = [service.browser(str(number)) for number in range(1, 13)]
        for number, browser in enumerate(browsers, 1):
            entrant, address = row.entrants.get(number=number), browser.address(str(number))
            subscribe_phone(entrant, address, "tr", at=before)
        publish_round(seat_next_round(row.pk, NOBODY, at=before).pk, NOBODY, at=timezone.now())

        at_once(*[lambda: sweep_notifications(service.send)] * 3)

        assert [len(service.messages(each)) for each in browsers] == [1] * 12


def test_two_workers_write_each_letter_once():
    month_over = EVENING.replace(month=11, day=1, hour=6)
    club = ClubFactory(created_at=month_over - timedelta(days=300))
    event = EventFactory(club=club, held_on=(month_over - timedelta(days=12)).date())
    TableFactory(round__event=event, entries=WHOLE_GAME)
    owner = MemberFactory(club=club, role="owner").user
    EmailAddress.objects.create(user=owner, email=owner.email, verified=True)

    def sweep():
        sweep_months(month_over)
        return 1

    assert while_another_is_writing(sweep, sweep) == (1, 1, True)
    assert (Email.objects.count(), Report.objects.count()) == (1, 1)


def test_two_workers_make_each_call_once():
    event = EventFactory()
    url = "https://receiver.example/hook"
    webhook = calling.create_webhook(event.club, url, list(EventType.values), NOBODY, at=EVENING)
    for number in range(1, 6):
        table = TableFactory(round__event=event, round__number=number)
        close_round(table.round.pk, NOBODY, at=EVENING)
    calling.send_test(webhook.pk, NOBODY, at=EVENING)
    called = []

    def slowly(message, at):
        time.sleep(0.05)
        called.append(message.id)
        return calling.CallAnswer(204)

    def work():
        calling.sweep_webhooks(slowly)
        return "done"

    assert at_once(*[work] * 3) == ["done"] * 3
    assert len(called) == len(set(called)) == 6
    assert not Delivery.objects.exclude(state="delivered", tries=1).exists()
