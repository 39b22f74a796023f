from datetime import timedelta

import pytest
from celery import shared_task
from django.conf import settings
from django.utils import timezone

from kingscore.observing import heartbeat, workers
from kingscore.observing.metrics import TASK_FAILURES, TASK_SECONDS
from kingscore.observing.work import CURRENT
from tests.waiting import wait_until
from tournaments.models import Worker

SEEN = []


@shared_task(name="tests.look_around")
def look_around(*, breaks=False):
    SEEN.append((CURRENT.get(), [heart.busy for heart in workers.HEART]))
    if breaks:
        raise ValueError


def counted(metric, ending):
    samples = [sample for family in metric.collect() for sample in family.samples]
    mine = [each for each in samples if each.labels.get("task") == look_around.name]
    return next((each.value for each in mine if each.name.endswith(ending)), 0)


def run(**headers):
    return look_around.apply(headers=headers, throw=False)


def test_a_task_works_for_the_request_that_asked_for_it():
    run(request_id="of-a-request")

    work, _busy = SEEN.pop()
    assert (work.id, work.name) == ("of-a-request", "tests.look_around")
    assert CURRENT.get() is None


def test_a_request_sends_its_id_along():
    headers = {}
    token = CURRENT.set(workers.Work("of-a-request", "a page"))
    try:
        workers.before_task_publish.send(sender="task", headers=headers, body=None)
    finally:
        CURRENT.reset(token)

    assert headers == {"request_id": "of-a-request"}


def test_tasks_are_timed_and_those_that_break_counted():
    timed, broken = counted(TASK_SECONDS, "_count"), counted(TASK_FAILURES, "_total")

    run()
    look_around.apply(kwargs={"breaks": True}, throw=False)

    assert counted(TASK_SECONDS, "_count") == timed + 2
    assert counted(TASK_FAILURES, "_total") == broken + 1


@pytest.fixture
def often(monkeypatch):
    monkeypatch.setattr(heartbeat, "EVERY", 0.05)


@pytest.mark.django_db(transaction=True)
def test_a_worker_is_there_busy_and_gone(often):
    now = timezone.now()
    long_ago = now - timedelta(days=2)
    Worker.objects.create(name="dead", version="1", started_at=long_ago, seen_at=long_ago)
    # Of a container that was killed: processes get the same numbers in the next one.
    name = heartbeat.Heartbeat().name
    Worker.objects.create(name=name, version="1", started_at=long_ago, seen_at=now)
    workers.worker_ready.send(sender=None)
    try:
        row = wait_until(lambda: Worker.objects.filter(seen_at__gt=now).first())
        assert (row.name, row.version, row.started_at >= now) == (name, settings.VERSION, True)
        wait_until(lambda: not Worker.objects.filter(name="dead").exists())

        workers.HEART[0].busy = ("tournaments.tasks.build_report", now)
        wait_until(lambda: Worker.objects.filter(task="tournaments.tasks.build_report").first())
        run()
        assert SEEN.pop()[1][0][0] == "tests.look_around"
        wait_until(lambda: Worker.objects.filter(task="", task_since=None).first())
    finally:
        workers.worker_shutdown.send(sender=None)

    wait_until(lambda: not Worker.objects.exists())
