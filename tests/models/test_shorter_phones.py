from importlib import import_module

import pytest
from django.apps import apps

from tests.deals import WHOLE_GAME
from tests.factories import GameFactory
from tournaments.models.games import Revision, digest

MIGRATION = import_module("tournaments.migrations.0039_shorter_phones")


@pytest.mark.django_db
def test_phones_of_before_are_known_by_their_first_digits():
    game, phone, other = GameFactory(entries=WHOLE_GAME[:2]), digest("a phone"), digest("another")
    seat = {"name": "Ayşe", "phone": phone, "asks": other, "since": 1.5}
    game.revisions.filter(revision=2).update(phone=phone)
    game.phones = [seat]
    game.save()

    MIGRATION.shorten(apps, None)

    game.refresh_from_db()
    assert game.phones == [seat | {"phone": phone[:16], "asks": other[:16]}]
    assert list(Revision.objects.values_list("phone", flat=True)) == ["", phone[:16]]
