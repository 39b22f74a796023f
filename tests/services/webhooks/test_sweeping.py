import hashlib
import hmac
import json
import time
from base64 import b64decode, b64encode
from datetime import timedelta
from ipaddress import ip_network

import pytest
from django.utils import timezone

from tests.club_factories import ClubFactory, EventFactory, TableFactory
from tests.deals import WHOLE_GAME
from tests.factories import EVENING, ContextFactory, record_all
from tests.services.webhooks.receiver import receiving
from tests.together import at_once
from tests.tournament_builders import NINE, closed, running
from tournaments.engine.documents.entries import parse_entry
from tournaments.models import AuditEntry, Delivery, EventType, Webhook
from tournaments.models.audit import MOST_TRIES
from tournaments.services.audit import NOBODY
from tournaments.services.entrants.registration import (
    Entry,
    register_entrants,
    remove_entrant,
    withdraw_entrant,
)
from tournaments.services.events.events import close_round
from tournaments.services.games.playing import correct_entry
from tournaments.services.people.changes import remove_player, rename_player
from tournaments.services.people.players import add_player
from tournaments.services.ratings.computing import rebuild_ratings, sweep_ratings
from tournaments.services.tournaments import lifecycle
from tournaments.services.webhooks.calling import (
    WAITS,
    CallAnswer,
    WebhookPlan,
    create_webhook,
    forget_deliveries,
    put_pause,
    send_again,
    send_test,
    shown_secret,
    sweep_webhooks,
)

pytestmark = pytest.mark.django_db(transaction=True)

ALL = list(EventType.values)
URL = "https://receiver.example/hook"


@pytest.fixture
def club():
    return ClubFactory(slug="moda")


def webhook_of(club, url=URL, events=ALL):
    return create_webhook(club, WebhookPlan(url, events), NOBODY, at=EVENING)


def answering(*answers):
    """A receiver that answers so, the last one for ever; it keeps what it got."""
    left = list(answers)

    def calling(message, at):
        calling.got.append(message)
        return left.pop(0) if len(left) > 1 else left[0]

    calling.got = []
    return calling


def told(calling):
    return [message.body["type"] for message in calling.got]


def let_time_pass():
    """As if whatever waits had waited long enough."""
    Delivery.objects.filter(state="waiting").update(next_at=timezone.now())


def test_evening_tells_of_results_and_of_the_round_that_is_over(club):
    webhook_of(club)
    table = TableFactory(round__event__club=club, round__number=3)
    game = table.games.get()
    taken = answering(CallAnswer(200))
    record_all(game, WHOLE_GAME)
    correct_entry(game.pk, 0, parse_entry(WHOLE_GAME[0]), "", ContextFactory(revision=20))
    corrected = {**WHOLE_GAME[0], "counts": {"heart_king": [1, 0, 0, 0]}}
    correct_entry(game.pk, 0, parse_entry(corrected), "", ContextFactory(revision=20))
    close_round(table.round.pk, NOBODY, at=EVENING)

    sweep_webhooks(taken)

    assert sorted(told(taken)) == [
        *("game.begun", "result.entered", "result.entered", "round.closed")
    ]
    entered = next(m.body for m in taken.got if m.body["data"]["result"] == "entered")
    place = f"/api/v1/clubs/moda/events/{table.round.event.public_id}/rounds/3/"
    assert entered["data"] == {
        "number": entered["data"]["number"],
        "club": "moda",
        "event": table.round.event.public_id,
        "tournament": None,
        "round": 3,
        "game": game.public_id,
        "result": "entered",
        "player": None,
        "entrants": [],
        "resources": [f"/api/v1/games/{game.public_id}/", place],
    }
    assert not Delivery.objects.exclude(state="delivered").exists()
    sweep_webhooks(taken)
    assert len(taken.got) == 4


def test_tournament_tells_of_seatings_and_of_its_end():
    tournament = running(*NINE)
    webhook_of(tournament.event.club)
    taken = answering(CallAnswer(204))
    closed(tournament)
    lifecycle.move_tournament(tournament.pk, "finished", NOBODY, at=EVENING)

    sweep_webhooks(taken)

    assert sorted(told(taken)) == [
        *["game.begun"] * 2,
        *["result.entered"] * 2,
        "round.closed",
        "round.published",
        "tournament.finished",
    ]
    assert {m.body["data"]["tournament"] for m in taken.got} == {tournament.slug}


def test_players_and_entrants_are_told_of_by_their_addresses():
    tournament = running(*NINE)
    webhook_of(tournament.event.club)
    taken = answering(CallAnswer(204))
    player = add_player(tournament.event.club, "Zeynep", NOBODY, at=EVENING)
    rename_player(player.pk, "Zeynep K.", NOBODY, at=EVENING)
    entrant = tournament.entrants.get(number=4)
    withdraw_entrant(entrant.pk, NOBODY, at=EVENING)
    [late] = register_entrants(tournament.pk, [Entry("Zeynep K.")], NOBODY, at=EVENING)
    remove_entrant(late.pk, NOBODY, at=EVENING)
    remove_player(player.pk, NOBODY, at=EVENING)

    sweep_webhooks(taken)

    about = sorted(
        (m.body["type"], m.body["data"]["player"], m.body["data"]["entrants"]) for m in taken.got
    )
    assert about == [
        ("entrant.added", None, [late.number]),
        ("entrant.changed", None, [4]),
        ("entrant.removed", None, [late.number]),
        ("player.added", player.public_id, []),
        ("player.changed", player.public_id, []),
        ("player.removed", player.public_id, []),
    ]
    added = next(m.body["data"] for m in taken.got if m.body["type"] == "player.added")
    club = tournament.event.club.slug
    assert added["resources"] == [f"/api/v1/clubs/{club}/players/{player.public_id}/"]


def test_ratings_are_told_of_once_they_are_computed(club):
    rebuild_ratings()
    for events in (ALL, ["round.closed"]):
        webhook_of(club, events=events)
    put_pause(webhook_of(club).pk, NOBODY, at=EVENING, paused=True)
    webhook_of(ClubFactory())
    close_round(
        TableFactory(round__event__club=club, entries=WHOLE_GAME).round.pk, NOBODY, at=EVENING
    )
    taken = answering(CallAnswer(204))
    sweep_ratings()
    sweep_webhooks(taken)

    [data] = [m.body["data"] for m in taken.got if m.body["type"] == "ratings.changed"]
    assert data == {"club": "moda", "resources": ["/api/v1/clubs/moda/ratings/"]}
    assert not Delivery.objects.filter(webhook__paused=True).exists()


def test_webhook_of_the_server_is_called_about_every_club(club):
    rebuild_ratings()
    hook = webhook_of(None, events=["round.closed", "ratings.changed"])
    taken = answering(CallAnswer(204))
    for place in (club, ClubFactory(slug="kadife")):
        table = TableFactory(round__event__club=place, entries=WHOLE_GAME)
        close_round(table.round.pk, NOBODY, at=EVENING)
        sweep_ratings()
    send_test(hook.pk, NOBODY, at=EVENING)

    sweep_webhooks(taken)

    assert sorted((m.body["type"], m.body["data"]["club"]) for m in taken.got) == [
        *(("ratings.changed", "kadife"), ("ratings.changed", "moda")),
        *(("round.closed", "kadife"), ("round.closed", "moda")),
        ("test", ""),
    ]


def test_only_what_is_asked_for_in_its_own_club_since_it_was_made_is_told(club):
    other = ClubFactory()
    close_round(TableFactory(round__event__club=club).round.pk, NOBODY, at=EVENING)
    webhook_of(club, events=["round.closed"])
    for place in (club, other):
        table = TableFactory(round__event__club=place, entries=WHOLE_GAME)
        close_round(table.round.pk, NOBODY, at=EVENING)
    taken = answering(CallAnswer(204))

    sweep_webhooks(taken)

    assert [(m.body["type"], m.body["data"]["club"]) for m in taken.got] == [
        ("round.closed", "moda")
    ]


def test_call_is_made_again_and_again_until_it_has_failed(club):
    send_test(webhook_of(club).pk, NOBODY, at=EVENING)
    broken = answering(CallAnswer(500))

    for number, wait in enumerate((*WAITS, None), 1):
        sweep_webhooks(broken)
        sweep_webhooks(broken)
        delivery = Delivery.objects.get()
        assert (len(broken.got), delivery.tries) == (number, number)
        if wait:
            assert timedelta() <= delivery.next_at - delivery.tried_at - wait < timedelta(seconds=9)
        let_time_pass()

    assert len(WAITS) == MOST_TRIES - 1
    assert (delivery.state, delivery.answer_status, delivery.answer_text) == ("failed", 500, "")
    assert len({message.id for message in broken.got}) == 1


def test_call_that_failed_is_sent_again_under_its_name(club):
    delivery = send_test(webhook_of(club).pk, NOBODY, at=EVENING)
    Delivery.objects.update(state="failed", tries=10)
    taken = answering(CallAnswer(204))

    send_again(delivery.pk, at=timezone.now())
    sweep_webhooks(taken)

    delivery.refresh_from_db()
    assert (delivery.state, delivery.tries, taken.got[0].id) == (
        "delivered",
        1,
        delivery.public_id,
    )


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        *[("120", 120), ("0", 10), ("99999999999999", 86400), ("soon", 30), ("٣", 30)],
        # A zone so far away that the moment cannot be counted with.
        ("Mon, 01 Jan 2026 00:00:00 +99999999999999", 30),
    ],
)
def test_receiver_can_say_when_to_come_again_within_bounds(club, said, seconds):
    send_test(webhook_of(club).pk, NOBODY, at=EVENING)

    sweep_webhooks(answering(CallAnswer(503, "", said)))

    delivery = Delivery.objects.get()
    waits = (delivery.next_at - delivery.tried_at).total_seconds()
    assert seconds <= waits < seconds + 9


def test_receiver_that_is_gone_is_called_no_more(club):
    webhook = webhook_of(club)
    for _ in range(3):
        send_test(webhook.pk, NOBODY, at=EVENING)
    gone = answering(CallAnswer(410))

    sweep_webhooks(gone)
    let_time_pass()
    sweep_webhooks(gone)

    webhook.refresh_from_db()
    assert (webhook.paused, len(gone.got)) == (True, 2)
    assert AuditEntry.objects.filter(action="pause-webhook").count() == 1


def test_what_happens_during_a_pause_is_not_told(club):
    webhook = webhook_of(club, events=["round.closed"])
    taken = answering(CallAnswer(204))
    for paused in (True, False):
        put_pause(webhook.pk, NOBODY, at=EVENING, paused=paused)
        close_round(TableFactory(round__event__club=club).round.pk, NOBODY, at=EVENING)
        sweep_webhooks(taken)
        if paused:
            assert taken.got == []

    assert len(taken.got) == 1


def test_worker_that_dies_between_call_and_note_leaves_it_to_another_one(club):
    send_test(webhook_of(club).pk, NOBODY, at=EVENING)

    class Killed(BaseException):
        pass

    def dying(message, at):
        taken.got.append(message)
        raise Killed

    taken = answering(CallAnswer(204))
    with pytest.raises(Killed):
        sweep_webhooks(dying)
    # Until its time is over it may still be at it.
    sweep_webhooks(taken)
    assert len(taken.got) == 1
    let_time_pass()
    sweep_webhooks(taken)

    assert len({message.id for message in taken.got}) == 1
    assert [len(taken.got), Delivery.objects.get().state] == [2, "delivered"]


def test_call_that_breaks_is_a_try_and_keeps_nobody_else_waiting(club):
    first, other = (send_test(webhook_of(club).pk, NOBODY, at=EVENING) for _ in range(2))

    def breaking(message, at):
        if message.id == first.public_id:
            raise RuntimeError
        return CallAnswer(204)

    sweep_webhooks(breaking)

    for delivery in (first, other):
        delivery.refresh_from_db()
    assert (first.state, first.tries, first.answer_text) == ("waiting", 1, "no-answer")
    assert first.next_at - first.tried_at < WAITS[0] + timedelta(seconds=9)
    assert (other.state, other.tries) == ("delivered", 1)


def test_two_workers_make_each_call_once(club):
    webhook = webhook_of(club)
    event = EventFactory(club=club)
    for number in range(1, 6):
        table = TableFactory(round__event=event, round__number=number)
        close_round(table.round.pk, NOBODY, at=EVENING)
    send_test(webhook.pk, NOBODY, at=EVENING)
    taken = answering(CallAnswer(204))

    def slowly(message, at):
        time.sleep(0.05)
        return taken(message, at)

    def work():
        sweep_webhooks(slowly)
        return "done"

    assert at_once(*[work] * 3) == ["done"] * 3
    assert len(taken.got) == len({message.id for message in taken.got}) == 6
    assert not Delivery.objects.exclude(state="delivered", tries=1).exists()


def test_call_arrives_and_can_be_verified_by_the_secret(club, settings):
    settings.WEBHOOK_NETWORKS = [ip_network("127.0.0.0/8")]
    with receiving() as receiver:
        webhook = webhook_of(club, receiver.url("127.0.0.1"))
        delivery = send_test(webhook.pk, NOBODY, at=EVENING)
        sweep_webhooks()

    [(_path, headers, body)] = receiver.calls
    assert json.loads(body) == {
        "type": "test",
        "timestamp": EVENING.isoformat(),
        "data": {"club": "moda"},
    }
    key = b64decode(shown_secret(webhook).removeprefix("whsec_"))
    signed = f"{delivery.public_id}.{headers['webhook-timestamp']}.".encode() + body
    digest = b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    assert headers["webhook-signature"] == f"v1,{digest}"
    assert Delivery.objects.get().state == "delivered"


def test_old_deliveries_are_forgotten_and_what_waits_is_not(club):
    webhook = webhook_of(club)
    now = timezone.now()
    for state, days in (("delivered", 31), ("failed", 31), ("waiting", 31), ("delivered", 29)):
        delivery = send_test(webhook.pk, NOBODY, at=EVENING)
        then = now - timedelta(days=days)
        Delivery.objects.filter(pk=delivery.pk).update(state=state, at=then, next_at=then)

    forget_deliveries(now)

    assert sorted(Delivery.objects.values_list("state", flat=True)) == ["delivered", "waiting"]
    assert Webhook.objects.count() == 1
