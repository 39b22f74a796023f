from datetime import timedelta

import factory
from factory.django import DjangoModelFactory

from tests.club_factories import AccountFactory
from tests.factories import EVENING
from tournaments.models import Check, Difference, Email


class CheckFactory(DjangoModelFactory):
    """The check of a night that has just begun."""

    class Meta:
        model = Check

    night = factory.Sequence(lambda n: EVENING.date() + timedelta(days=n))
    started_at = EVENING


class DifferenceFactory(DjangoModelFactory):
    class Meta:
        model = Difference

    cache = "results"
    subject = factory.Sequence(lambda n: f"game:{n:05}")
    first_at = EVENING


class EmailFactory(DjangoModelFactory):
    class Meta:
        model = Email

    user = factory.SubFactory(AccountFactory)
    about = factory.Sequence(lambda n: f"check:{n:05}")
    subject = "Kingscore: nightly check"
    body = "Results of games: 1"
    written_at = EVENING
