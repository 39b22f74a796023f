"""Keys of programs, what they were answered, and webhooks, for tests."""

import factory
from factory.django import DjangoModelFactory

from tests.club_factories import AccountFactory, AuditLineFactory, ClubFactory
from tests.factories import EVENING
from tournaments.models import Delivery, KeptAnswer, PersonalToken, Webhook


class TokenFactory(DjangoModelFactory):
    """A personal token; its text is nobody's to know."""

    class Meta:
        model = PersonalToken

    user = factory.SubFactory(AccountFactory)
    name = "The screen in the hall"
    scopes = ["read"]

    @classmethod
    def _create(cls, model_class, *args, **kwargs):
        return model_class.objects.create(*args, **kwargs)[0]


class KeptAnswerFactory(DjangoModelFactory):
    class Meta:
        model = KeptAnswer

    key = factory.Sequence(lambda n: f"{n:064}")
    request = "0" * 64
    status = 201
    at = EVENING


class WebhookFactory(DjangoModelFactory):
    class Meta:
        model = Webhook

    club = factory.SubFactory(ClubFactory)
    url = "https://example.org/called"
    happenings = ["round.closed"]
    created_at = EVENING


class DeliveryFactory(DjangoModelFactory):
    class Meta:
        model = Delivery

    webhook = factory.SubFactory(WebhookFactory)
    line = factory.SubFactory(AuditLineFactory, club=factory.SelfAttribute("..webhook.club"))
    happening = "round.closed"
    body = {
        "type": "round.closed",
        "timestamp": "2026-11-20T19:30:00+00:00",
        "data": {"club": "moda"},
    }
    next_at = EVENING
    at = EVENING
