"""Tasks that only tidy up; those that build reports are in tests/reports."""

from datetime import timedelta

import pytest
from django.conf import settings
from django.contrib.sessions.models import Session
from django.utils import timezone

from tests.factories import GamePhotoFactory
from tests.program_factories import IdempotencyRecordFactory, TokenFactory
from tournaments import tasks
from tournaments.models import GamePhoto, IdempotencyRecord, PersonalToken
from tournaments.models.games import PHOTOS_KEPT_FOR
from tournaments.models.people import ANSWERS_KEPT

pytestmark = pytest.mark.django_db


def test_sessions_that_are_over_are_forgotten_and_the_others_stay():
    now = timezone.now()
    for key, left in (("over", -timedelta(seconds=1)), ("going", timedelta(hours=1))):
        Session.objects.create(session_key=key, session_data="", expire_date=now + left)

    tasks.sweep_sessions()

    assert list(Session.objects.values_list("pk", flat=True)) == ["going"]


def test_answers_and_tokens_whose_time_is_over_are_forgotten_and_the_others_stay():
    now = timezone.now()
    IdempotencyRecordFactory(at=now - ANSWERS_KEPT - timedelta(seconds=1))
    kept = IdempotencyRecordFactory(at=now - ANSWERS_KEPT + timedelta(minutes=1))
    TokenFactory(expiry=-timedelta(seconds=1))
    lasting = [TokenFactory(expiry=timedelta(hours=1)), TokenFactory(expiry=None)]

    tasks.sweep_answers()

    assert IdempotencyRecord.objects.get() == kept
    assert set(PersonalToken.objects.all()) == set(lasting)


def test_photos_that_nobody_confirms_are_deleted_after_a_week_and_figures_stay():
    old = timezone.now() - PHOTOS_KEPT_FOR - timedelta(minutes=1)
    GamePhotoFactory(added_at=old)
    kept = [
        GamePhotoFactory(added_at=old + timedelta(hours=1)),
        GamePhotoFactory(added_at=old, state="confirmed", page=b""),
    ]

    tasks.expire_reports()

    assert set(GamePhoto.objects.all()) == set(kept)


def test_everything_on_the_clock_is_a_task_there_is():
    names = {
        task.name
        for task in (
            tasks.sweep_reports,
            tasks.expire_reports,
            tasks.sweep_ratings,
            tasks.sweep_checks,
            tasks.sweep_emails,
            tasks.sweep_months,
            tasks.sweep_webhooks,
            tasks.sweep_notifications,
            tasks.forget_deliveries,
            tasks.sweep_answers,
            tasks.sweep_sessions,
        )
    }

    assert {entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()} == names
