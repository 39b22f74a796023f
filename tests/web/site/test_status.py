import os
import time
from datetime import timedelta

import pytest
from django.utils import timezone

from tests.club_factories import AccountFactory
from tests.factories import ReportFactory
from tournaments.models import Backup, Check, Worker

WELL = "Everything runs as it should."


@pytest.fixture
def now():
    return timezone.now()


@pytest.fixture
def keeper(client):
    client.force_login(AccountFactory(is_staff=True))
    return client


def worker(name, now, seen=timedelta(0), **more):
    return Worker.objects.create(
        name=name, version="1", started_at=now - timedelta(days=1), seen_at=now - seen, **more
    )


def backup(now, age):
    at = now - age
    return Backup.objects.create(began_at=at, ended_at=at, rows=1, size=1)


@pytest.fixture
def well(now):
    worker("club-1", now)
    backup(now, timedelta(hours=20))


def worries(client):
    return client.get("/office/status/").context["worries"]


def test_a_server_that_runs_as_it_should_says_so(keeper, well):
    page = keeper.get("/office/status/")

    assert page.context["worries"] == []
    assert WELL in page.text
    assert "all applied" in page.text
    assert "waiting for work, running for 1\xa0day" in page.text


def test_without_backup_and_worker_a_new_server_says_both(keeper):
    assert worries(keeper) == [
        "There is no backup yet.",
        "No worker is running: documents, ratings and e-mails wait.",
    ]


def test_the_last_backup_counts_and_is_missed_after_two_days(keeper, well, now):
    Backup.objects.all().delete()
    backup(now, timedelta(days=3))
    assert worries(keeper) == ["The last backup is more than two days old."]

    backup(now, timedelta(days=1))
    assert worries(keeper) == []


def test_continuous_copy_has_an_age_and_a_disk_of_its_own(keeper, well, settings, tmp_path):
    settings.COPY_TO, settings.COPIED_AT = "sftp://u@club.example/x", tmp_path / "copied-at"
    assert worries(keeper) == ["The continuous copy has not begun; the log of the server says why."]
    settings.COPIED_AT.touch()
    assert worries(keeper) == []
    assert "Continuous copy" in keeper.get("/office/status/").text
    old = time.time() - 5 * 60
    os.utime(settings.COPIED_AT, (old, old))
    assert worries(keeper) == [
        "The continuous copy is 5\xa0minutes old; the log of the server says why."
    ]

    settings.COPIED_AT.touch()
    settings.COPY_TO = str(tmp_path)
    assert worries(keeper) == [
        "The continuous copy is on the same disk as the site: both would be lost at once."
    ]


def test_a_worker_at_a_long_task_is_busy_and_a_silent_one_lost(keeper, well, now):
    busy_since = now - timedelta(minutes=40)
    worker("club-2", now, task="tournaments.tasks.build_report", task_since=busy_since)
    worker("club-3", now, seen=timedelta(hours=2))

    page = keeper.get("/office/status/")

    assert page.context["worries"] == []
    assert "at tournaments.tasks.build_report for 40\xa0minutes" in page.text
    assert "not heard of for 2\xa0hours" in page.text


def test_what_waits_too_long_is_shown(keeper, well, now):
    ReportFactory(asked_at=now - timedelta(minutes=20))

    page = keeper.get("/office/status/")

    assert page.context["worries"] == [
        "Something has been waiting for more than a quarter of an hour."
    ]
    assert [(str(name), length) for name, length, _oldest in page.context["queues"]] == [
        ("Documents", 1),
        ("Ratings", 0),
        ("E-mails", 0),
        ("Webhooks", 0),
    ]


@pytest.mark.parametrize(
    ("error", "found", "age", "said"),
    [
        ("", 0, 1, []),
        ("", 2, 1, ["The last nightly check has found differences."]),
        ("results: KeyError", 0, 1, ["The last nightly check did not come to its end."]),
        ("", 0, 3, ["The last nightly check is more than two days old."]),
    ],
)
@pytest.mark.usefixtures("well")
def test_the_last_nightly_check_is_shown(keeper, error, found, age, said):
    at = timezone.now() - timedelta(days=age)
    moments = {"started_at": at, "finished_at": at}
    Check.objects.create(night=at.date(), error=error, found=found, **moments)

    assert worries(keeper) == said
