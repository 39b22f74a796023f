import factory
from factory.django import DjangoModelFactory
from oauth2_provider.models import Application

from tests.club_factories import AccountFactory, AuditEntryFactory, ClubFactory
from tests.factories import EVENING
from tournaments.models import Delivery, IdempotencyRecord, PersonalToken, Webhook


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


class ApplicationFactory(DjangoModelFactory):
    class Meta:
        model = Application

    user = factory.SubFactory(AccountFactory)
    name = "The federation"
    client_type = Application.CLIENT_PUBLIC
    client_secret = ""
    authorization_grant_type = Application.GRANT_AUTHORIZATION_CODE
    redirect_uris = "https://federation.example/back"


class IdempotencyRecordFactory(DjangoModelFactory):
    class Meta:
        model = IdempotencyRecord

    key = factory.Sequence(lambda n: f"{n:064}")
    request = "0" * 64
    status = 201
    at = EVENING


class WebhookFactory(DjangoModelFactory):
    class Meta:
        model = Webhook

    club = factory.SubFactory(ClubFactory)
    url = "https://example.org/called"
    events = ["round.closed"]
    created_at = EVENING


class DeliveryFactory(DjangoModelFactory):
    class Meta:
        model = Delivery

    webhook = factory.SubFactory(WebhookFactory)
    line = factory.SubFactory(AuditEntryFactory, club=factory.SelfAttribute("..webhook.club"))
    type = "round.closed"
    body = {
        "type": "round.closed",
        "timestamp": "2026-11-20T19:30:00+00:00",
        "data": {"club": "moda"},
    }
    next_at = EVENING
    at = EVENING
