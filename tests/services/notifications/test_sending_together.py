"""Two workers that sweep at the same moment."""

import pytest
from django.utils import timezone

from tests.services.notifications.push_service import push_service
from tests.together import at_once
from tests.tournament_builders import running
from tournaments.services.audit import NOBODY
from tournaments.services.notifications.sending import subscribe_phone, sweep_notifications
from tournaments.services.rounds.seating import publish_round, seat_next_round

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
