"""What the database refuses of what programs have, by the name of the constraint."""

from tests.models.check_refusals import two
from tests.program_factories import (
    DeliveryFactory,
    KeptAnswerFactory,
    TokenFactory,
    WebhookFactory,
)
from tournaments.models import ChangeFeed


def tell_twice():
    """Two calls of one webhook about one change."""
    first = DeliveryFactory()
    two(DeliveryFactory, webhook=first.webhook, line=first.line)


PROGRAMS_REFUSED = {
    "token_has_a_name": [lambda: TokenFactory(name="")],
    "token_may_do_something": [lambda: TokenFactory(scopes=[])],
    "answer_key_not_empty": [lambda: KeptAnswerFactory(key="")],
    "feed_is_one": [lambda: ChangeFeed.objects.create(pk=2)],
    "webhook_has_an_address": [lambda: WebhookFactory(url="")],
    "webhook_is_about_something": [lambda: WebhookFactory(happenings=[])],
    "webhook_generation_from_one": [lambda: WebhookFactory(generation=0)],
    "delivery_once_about_a_change": [tell_twice],
    "delivery_state_known": [lambda: DeliveryFactory(state="lost")],
}
