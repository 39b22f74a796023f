from threading import Thread

import pytest
from django.db import connection

from tests.club_factories import ClubFactory
from tests.waiting import PATIENCE
from tournaments.models import Club
from tournaments.services.base.writes import one_moment


@pytest.mark.django_db(transaction=True)
def test_who_writes_meanwhile_is_not_kept_waiting_and_not_seen():
    def write():
        ClubFactory()
        connection.close()

    # As in a process that has asked for nothing yet.
    connection.close()
    with one_moment():
        before = Club.objects.count()
        other = Thread(target=write)
        other.start()
        other.join(PATIENCE)
        assert not other.is_alive()
        seen = Club.objects.count()

    assert (before, seen, Club.objects.count()) == (0, 0, 1)
