"""Rows as lines and back: values that a database writes or reads in a way of its own."""

import uuid
from zoneinfo import ZoneInfo

import pytest
from django.db import connection
from oauth2_provider.models import RefreshToken

from tests.club_factories import ClubFactory
from tests.factories import EVENING, GameFactory
from tests.program_factories import ApplicationFactory, IdempotencyRecordFactory
from tests.rating_factories import PlayerRatingFactory
from tournaments.models import Club, Game, IdempotencyRecord, PlayerRating
from tournaments.services.backups.archives import DamagedBackup, columns_of, fill_table, write_rows

pytestmark = pytest.mark.django_db

STRANGE = 'İşıl "\\n" \\ \n\t\u2028 ♠ 😀'


def texts():
    GameFactory()
    Game.objects.update(title=STRANGE, phones=[{STRANGE: [None, 1.5, True]}])
    return Game


def floats():
    for mean in (0.1 + 0.2, 1 / 3, 5e-324, 1.7976931348623157e308, -25.0):
        PlayerRatingFactory(mean=mean)
    return PlayerRating


def moments_and_days():
    ClubFactory(created_at=EVENING.replace(microsecond=500_000), published=True)
    ClubFactory(created_at=EVENING.replace(microsecond=0), month_mailed=EVENING.date())
    with connection.cursor() as cursor:
        # In SQLite with its zone.
        for microsecond in (0, 250):
            at = EVENING.replace(microsecond=microsecond, tzinfo=ZoneInfo("Europe/Istanbul"))
            slug = ClubFactory().slug
            cursor.execute(
                "UPDATE tournaments_club SET created_at = %s WHERE slug = %s", [at, slug]
            )
    return Club


def bytes_of_any_kind():
    IdempotencyRecordFactory(body=bytes(range(256)))
    return IdempotencyRecord


def one_that_another_application_made():
    application = ApplicationFactory()
    RefreshToken.objects.create(
        user=application.user, application=application, token="one", token_family=uuid.UUID(int=7)
    )
    return RefreshToken


@pytest.mark.parametrize(
    "make",
    [texts, floats, moments_and_days, bytes_of_any_kind, one_that_another_application_made],
)
def test_rows_come_back_as_they_were(make):
    model = make()
    before = list(model._base_manager.order_by("pk").values())
    numbers, lines = zip(*write_rows(model), strict=True)
    model._base_manager.all()._raw_delete("default")

    names = [column.attname for column in columns_of(model)]
    count = fill_table(model, names, b"".join(lines).splitlines(keepends=True))

    assert list(model._base_manager.order_by("pk").values()) == before
    assert count == sum(numbers) == len(before)


def test_moment_is_found_by_its_value_afterwards():
    at = ClubFactory(created_at=EVENING.replace(microsecond=500_000)).created_at
    lines = b"".join(lines for _, lines in write_rows(Club))
    Club._base_manager.all()._raw_delete("default")

    fill_table(Club, [column.attname for column in columns_of(Club)], lines.splitlines())

    # SQLite compares the texts.
    assert Club.objects.filter(created_at=at).exists()


@pytest.mark.parametrize("line", [b"[1]\n", b"{}\n", b"[\n", b"null\n"])
def test_line_that_is_no_row_is_damaged(line):
    names = [column.attname for column in columns_of(Game)]

    with pytest.raises(DamagedBackup):
        fill_table(Game, names, [line])
