"""Rows of ratings, checks, programs and workers that a constraint refuses, by its name."""

from tests.check_factories import DifferenceFactory, EmailFactory
from tests.club_factories import (
    AccountFactory,
    ClubFactory,
    EntrantFactory,
    PlayerFactory,
    RoundFactory,
)
from tests.factories import EVENING, ReportFactory
from tests.program_factories import (
    DeliveryFactory,
    IdempotencyRecordFactory,
    TokenFactory,
    WebhookFactory,
)
from tests.rating_factories import (
    PlayerRatingFactory,
    RatedRoundFactory,
    RatingChangeFactory,
    RatingCountFactory,
    RatingPoolFactory,
)
from tournaments.models import (
    ChangeFeed,
    KeptSums,
    Notification,
    Partition,
    RatingLedger,
    Subscription,
    Worker,
)


def two(factory, **same):
    factory(**same)
    factory(**same)


def tell_twice():
    first = DeliveryFactory()
    two(DeliveryFactory, webhook=first.webhook, line=first.line)


def worker(**fields):
    new = {"name": "host:1", "version": "1", "started_at": EVENING, "seen_at": EVENING}
    Worker.objects.create(**(new | fields))


def subscribe(*rows, **fields):
    keys = {"endpoint": "https://push.example/1", "p256dh": "k", "auth": "a"}
    of_phone = {"phone": "a phone", **keys, "created_at": EVENING}
    return [Subscription.objects.create(**of_phone | each | fields) for each in rows]


def notify(**fields):
    (to,) = subscribe({"user": AccountFactory()})
    new = {"subscription": to, "round": RoundFactory(), "value": "1", "expires_at": EVENING}
    for _twice in range(2):
        Notification.objects.create(**new | {"kind": "time"} | fields)


def keep_sums_twice():
    player = PlayerFactory()
    for _twice in range(2):
        KeptSums.objects.create(player=player, part="a", version="1", sums={})


OTHERS_REFUSED = {
    "delivery_one_per_public_id": [lambda: two(DeliveryFactory, public_id="2345678923")],
    "kept_sums_once": [keep_sums_twice],
    "subscription_of_entrant_or_account": [
        lambda: subscribe({}),
        lambda: subscribe({"user": AccountFactory(), "entrant": EntrantFactory()}),
    ],
    "subscription_of_phone_or_by_mail": [
        lambda: subscribe({"entrant": EntrantFactory()}, phone="", endpoint=""),
        lambda: subscribe({"user": AccountFactory()}, phone=""),
        lambda: subscribe({"user": AccountFactory()}, auth=""),
    ],
    "subscription_one_per_phone_of_entrant": [
        lambda: subscribe(*[{"entrant": EntrantFactory()}] * 2),
    ],
    "subscription_one_per_phone_of_account": [
        lambda: subscribe(*[{"user": AccountFactory()}] * 2),
    ],
    "notification_one_of_a_kind": [notify],
    "notification_kind_known": [lambda: notify(kind="other")],
    "rating_pool_one_per_club": [
        lambda: two(RatingPoolFactory, club=ClubFactory(), family="euchre")
    ],
    "rating_pool_one_of_server": [lambda: two(RatingPoolFactory, club=None, family="euchre")],
    "rating_pool_has_a_family": [lambda: RatingPoolFactory(family="")],
    "rating_pool_of_some_strengths": [lambda: RatingPoolFactory(start=0)],
    "rating_one_per_person": [
        lambda: two(PlayerRatingFactory, pool=RatingPoolFactory(), person="p1")
    ],
    "rating_after_a_game": [lambda: PlayerRatingFactory(games=0)],
    "rating_never_certain": [lambda: PlayerRatingFactory(variance=0.0)],
    "rating_change_numbered": [
        lambda: two(RatingChangeFactory, rating=PlayerRatingFactory(), number=1)
    ],
    "rating_change_at_a_seat": [lambda: RatingChangeFactory(seat=4)],
    "rating_change_from_one": [lambda: RatingChangeFactory(number=0)],
    "rated_round_once": [
        lambda: two(RatedRoundFactory, pool=RatingPoolFactory(), round=RoundFactory())
    ],
    "rating_count_once": [lambda: two(RatingCountFactory, pool=RatingPoolFactory())],
    "rating_count_of_some": [lambda: RatingCountFactory(ratings=0)],
    "rating_ledger_is_one": [lambda: RatingLedger.objects.create(pk=2)],
    "difference_open_once": [lambda: two(DifferenceFactory, subject="game:1")],
    "difference_of_something": [lambda: DifferenceFactory(subject="")],
    "email_once_about_a_thing": [lambda: two(EmailFactory, user=AccountFactory(), about="a")],
    "email_with_report_carries_it": [lambda: EmailFactory(report=ReportFactory())],
    "token_has_a_name": [lambda: TokenFactory(name="")],
    "token_may_do_something": [lambda: TokenFactory(scopes=[])],
    "answer_key_not_empty": [lambda: IdempotencyRecordFactory(key="")],
    "feed_is_one": [lambda: ChangeFeed.objects.create(pk=2)],
    "webhook_has_an_address": [lambda: WebhookFactory(url="")],
    "webhook_is_about_something": [lambda: WebhookFactory(events=[])],
    "webhook_generation_from_one": [lambda: WebhookFactory(generation=0)],
    "delivery_once_about_a_change": [tell_twice],
    "delivery_state_known": [lambda: DeliveryFactory(state="lost")],
    "partition_has_keys": [
        lambda: Partition.objects.create(number=1, first_key=1, end_key=1, begun_at=EVENING)
    ],
    "worker_at_a_task_since_a_moment": [
        lambda: worker(task="sweep"),
        lambda: worker(task_since=EVENING),
    ],
}
