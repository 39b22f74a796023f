import hashlib
import hmac
import json
import socket
import ssl
from base64 import b64decode, b64encode
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address, ip_network

import pytest
import trustme
from django.db import connection, transaction
from django.utils import timezone

from tests.club_factories import ClubFactory, TableFactory
from tests.deals import WHOLE_GAME
from tests.factories import EVENING, ContextFactory, record_all
from tests.services.webhooks.receiver import receiving
from tests.tournament_builders import NINE, closed, running
from tournaments.engine.documents.entries import parse_entry
from tournaments.models import AuditEntry, Delivery, EventType, Webhook
from tournaments.models.audit import MOST_TRIES
from tournaments.origin import lan_address
from tournaments.services.audit import NOBODY
from tournaments.services.base import writes
from tournaments.services.entrants import registration
from tournaments.services.events.events import close_round, reopen_round
from tournaments.services.games.playing import correct_entry
from tournaments.services.people.changes import remove_player, rename_player
from tournaments.services.people.players import add_player
from tournaments.services.ratings.computing import rebuild_ratings, sweep_ratings
from tournaments.services.tournaments import lifecycle
from tournaments.services.webhooks import calling

DAY = timedelta(days=1)
NOW = datetime(2026, 11, 20, 19, 30, tzinfo=UTC)
LOOPBACK = ip_network("127.0.0.0/8")


@pytest.fixture
def receiver():
    with receiving() as receiver:
        yield receiver


@pytest.fixture
def allowed(settings):
    settings.WEBHOOK_NETWORKS = [LOOPBACK]


def call_at(receiver, *addresses, url=None):
    data = {"type": "test", "data": {"club": "Moda ş"}}
    message = calling.Message("abcdefghjk", url or receiver.url(), [b"a secret"], data)
    return calling.call(message, NOW, lambda host, port: addresses)


@pytest.mark.parametrize(
    ("addresses", "why"),
    [
        (["127.0.0.1"], "private"),
        (["::1"], "private"),
        # One of several is enough: which of them is called decides who answers for the name.
        (["93.184.216.34", "10.0.0.1"], "private"),
        ([], "host"),
    ],
)
def test_name_of_something_within_is_not_called(receiver, addresses, why):
    assert call_at(receiver, *addresses) == calling.CallAnswer(0, f"not-called-{why}")
    assert receiver.calls == []


OF_AN_INTERFACE = pytest.param(lan_address() or "127.0.0.3", id="of an interface")


@pytest.mark.parametrize("address", ["127.0.0.1", "127.0.0.2", "::ffff:127.0.0.1", OF_AN_INTERFACE])
def test_address_of_this_machine_is_not_called_in_a_network_that_is_allowed(
    receiver, settings, address
):
    settings.WEBHOOK_NETWORKS = [ip_network("0.0.0.0/0"), ip_network("::/0")]

    assert call_at(receiver, address) == calling.CallAnswer(0, "not-called-private")
    assert receiver.calls == []


@pytest.mark.parametrize(
    ("url", "where", "host"),
    [
        ("http://[2620:fe::fe]/hook", ("2620:fe::fe", 80), "[2620:fe::fe]"),
        ("http://[2620:fe::fe]:8080/hook", ("2620:fe::fe", 8080), "[2620:fe::fe]:8080"),
        ("http://receiver.example/hook", ("9.9.9.9", 80), "receiver.example"),
    ],
)
def test_address_without_a_port_is_called_too(receiver, monkeypatch, url, where, host):
    connect, asked = socket.create_connection, []

    def connected(address, timeout):
        asked.append(address)
        return connect(("127.0.0.1", receiver.port), timeout)

    monkeypatch.setattr(socket, "create_connection", connected)

    assert call_at(receiver, where[0], url=url) == calling.CallAnswer(204)
    assert asked == [where]
    assert receiver.calls[0][1]["Host"] == host


def test_name_that_means_something_else_a_moment_later_is_asked_once(receiver, settings):
    settings.WEBHOOK_NETWORKS = [ip_network("127.0.0.1/32")]
    answers = iter([["127.0.0.1"], ["127.0.0.2"]])
    message = calling.Message("abcdefghjk", receiver.url(), [b"a secret"], {})

    called = [calling.call(message, NOW, lambda host, port: next(answers)) for _ in range(2)]

    assert called == [calling.CallAnswer(204), calling.CallAnswer(0, "not-called-private")]


def test_certificate_that_nobody_vouches_for_is_refused(receiver, allowed):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trustme.CA().issue_cert("receiver.example").configure_cert(context)
    receiver.server.socket = context.wrap_socket(receiver.server.socket, server_side=True)
    url = receiver.url().replace("http:", "https:")

    assert call_at(receiver, "127.0.0.1", url=url) == calling.CallAnswer(0, "bad-certificate")
    assert receiver.calls == []


def test_redirection_is_an_answer_and_not_followed(receiver, allowed):
    with receiving() as within:
        receiver.answer = (302, {"Location": within.url("127.0.0.1")}, b"over there")
        assert call_at(receiver, "127.0.0.1") == calling.CallAnswer(302)
        assert within.calls == []


def test_only_the_status_of_an_answer_is_kept(receiver, allowed):
    receiver.answer = (500, {"Retry-After": "120"}, b"a secret of a machine within" * 10_000)
    assert call_at(receiver, "127.0.0.1") == calling.CallAnswer(500, retry_after="120")


def test_receiver_that_never_ends_is_left(receiver, allowed, monkeypatch):
    monkeypatch.setattr(calling, "ANSWER_WITHIN", 1.0)
    receiver.slow = 20

    assert call_at(receiver, "127.0.0.1") == calling.CallAnswer(0, "timeout")


def test_nobody_there_is_no_answer(receiver, allowed):
    nobody = "http://receiver.example:1"
    assert call_at(receiver, "127.0.0.1", url=nobody) == calling.CallAnswer(0, "not-called-port")
    # Plain where TLS is spoken, or the other way round.
    secure = receiver.url().replace("http:", "https:")
    assert call_at(receiver, "127.0.0.1", url=secure) == calling.CallAnswer(0, "no-answer")


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("ftp://example.org/", "scheme"),
        ("example.org", "scheme"),
        ("http:///path", "host"),
        ("https://exa mple.org/", "host"),
        ("https://example.org/\r\nHost: a", "host"),
        ("https://me:secret@example.org/", "login"),
        ("https://@example.org/", "login"),
        ("https://example.org:22/", "port"),
        ("https://example.org:99999/", "host"),
        ("http://127.0.0.1/", "private"),
        ("http://[::1]:8000/", "private"),
        ("http://[::ffff:10.0.0.1]/", "private"),
        ("http://169.254.169.254/latest/meta-data", "private"),
    ],
)
def test_address_that_may_not_be_called_is_refused(url, why):
    with pytest.raises(calling.BadAddress) as refused:
        calling.check_url(url)
    assert refused.value.why == why
    for allowed in ("https://example.org", "http://93.184.216.34:8080/a?b=c"):
        assert calling.check_url(allowed).scheme in {"http", "https"}


WITHIN = """
0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 169.254.169.254 172.16.0.1 192.0.2.1 192.168.0.1
198.18.0.1 224.0.0.1 239.1.1.1 240.0.0.1 255.255.255.255 :: ::1 ::7f00:1 ::ffff:127.0.0.1
::ffff:10.0.0.1 64:ff9b::10.0.0.1 64:ff9b::169.254.169.254 64:ff9b:1::1 2002:7f00:1::
2002:a00:1::1 2001:db8::1 2001:0:4136:e378:8000:63bf:3fff:fdd2 fc00::1 fd12::1 fe80::1 fec0::1
ff02::1 100::1 4000::1
"""
WORLD = """
8.8.8.8 93.184.216.34 2606:2800:220:1::1 ::ffff:8.8.8.8 64:ff9b::8.8.8.8 2002:808:808::1
"""


def test_addresses_within_are_told_from_those_in_the_world():
    assert [each for each in WITHIN.split() if calling.may_be_called(ip_address(each))] == []
    assert [each for each in WORLD.split() if not calling.may_be_called(ip_address(each))] == []


def test_owner_of_the_server_can_allow_a_network(settings):
    settings.WEBHOOK_NETWORKS = [ip_network("192.168.1.0/24"), ip_network("fd00::/8")]

    for each in ("192.168.1.7", "::ffff:192.168.1.7", "fd12::1234"):
        assert calling.may_be_called(ip_address(each))
    assert not calling.may_be_called(ip_address("192.168.2.7"))


pytestmark = pytest.mark.django_db
ALL = list(EventType.values)
URL = "https://receiver.example/hook"


@pytest.fixture
def club():
    return ClubFactory(slug="moda")


def webhook_of(club, url=URL, events=ALL):
    return calling.create_webhook(club, url, events, NOBODY, at=EVENING)


def answering(*answers):
    """A receiver that answers so, the last one for ever; it keeps what it got."""
    left = list(answers)

    def taken(message, at):
        taken.got.append(message)
        return left.pop(0) if len(left) > 1 else left[0]

    taken.got = []
    return taken


def told(taken):
    return [message.body["type"] for message in taken.got]


def let_time_pass():
    """As if whatever waits had waited long enough."""
    Delivery.objects.filter(state="waiting").update(next_at=timezone.now())


def test_evening_tells_of_results_and_of_the_round_that_is_over(club):
    webhook_of(club)
    table = TableFactory(round__event__club=club, round__number=3)
    game = table.games.get()
    taken = answering(calling.CallAnswer(200))
    record_all(game, WHOLE_GAME)
    correct_entry(game.pk, 0, parse_entry(WHOLE_GAME[0]), "", ContextFactory(revision=20))
    corrected = {**WHOLE_GAME[0], "counts": {"heart_king": [1, 0, 0, 0]}}
    correct_entry(game.pk, 0, parse_entry(corrected), "", ContextFactory(revision=20))
    close_round(table.round.pk, NOBODY, at=EVENING)

    calling.sweep_webhooks(taken)

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
    calling.sweep_webhooks(taken)
    assert len(taken.got) == 4


def test_tournament_tells_of_seatings_and_of_its_end():
    tournament = running(*NINE)
    webhook_of(tournament.event.club)
    taken = answering(calling.CallAnswer(204))
    closed(tournament)
    lifecycle.move_tournament(tournament.pk, "finished", NOBODY, at=EVENING)

    calling.sweep_webhooks(taken)

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
    taken = answering(calling.CallAnswer(204))
    player = add_player(tournament.event.club, "Zeynep", NOBODY, at=EVENING)
    rename_player(player.pk, "Zeynep K.", NOBODY, at=EVENING)
    entrant = tournament.entrants.get(number=4)
    registration.withdraw_entrant(entrant.pk, NOBODY, at=EVENING)
    [late] = registration.register_entrants(
        tournament.pk, [registration.Entry("Zeynep K.")], NOBODY, at=EVENING
    )
    registration.remove_entrant(late.pk, NOBODY, at=EVENING)
    remove_player(player.pk, NOBODY, at=EVENING)

    calling.sweep_webhooks(taken)

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


def close_one(club, at=EVENING):
    table = TableFactory(round__event__club=club, entries=WHOLE_GAME)
    close_round(table.round.pk, NOBODY, at=at)


def test_only_what_is_asked_for_in_its_own_club_since_it_was_made_and_not_during_a_pause_is_told(
    club,
):
    taken = answering(calling.CallAnswer(204))
    close_one(club)
    webhook = webhook_of(club, events=["round.closed"])
    for paused in (False, True, False):
        calling.put_pause(webhook.pk, NOBODY, at=EVENING, paused=paused)
        for place in (club, ClubFactory()):
            close_one(place)
        calling.sweep_webhooks(taken)

    assert [(m.body["type"], m.body["data"]["club"]) for m in taken.got] == [
        ("round.closed", "moda")
    ] * 2


def test_events_since_a_moment_are_sent_again_and_those_of_a_pause_at_last(club):
    webhook, days = webhook_of(club, events=["round.closed"]), [EVENING + n * DAY for n in range(4)]
    taken, again = answering(calling.CallAnswer(204)), answering(calling.CallAnswer(204))
    for paused, day in zip((False, True, False), days, strict=False):
        calling.put_pause(webhook.pk, NOBODY, at=day, paused=paused)
        close_one(club, day)
        calling.sweep_webhooks(taken)
    calling.send_test(webhook.pk, NOBODY, at=days[2])
    calling.sweep_webhooks(taken)

    calling.replay(webhook.pk, days[1], NOBODY, at=days[3])
    calling.sweep_webhooks(again)

    _first, third, _test = (message.id for message in taken.got)
    assert len(again.got) == 2
    assert [message.id for message in again.got if message in taken.got] == [third]
    with pytest.raises(calling.TooLongAgo):
        calling.replay(webhook.pk, days[3] - 31 * DAY, NOBODY, at=days[3])


def test_ratings_are_told_of_once_they_are_computed(club):
    rebuild_ratings()
    for events in (ALL, ["round.closed"]):
        webhook_of(club, events=events)
    calling.put_pause(webhook_of(club).pk, NOBODY, at=EVENING, paused=True)
    webhook_of(ClubFactory())
    close_one(club)
    taken = answering(calling.CallAnswer(204))
    sweep_ratings()
    calling.sweep_webhooks(taken)

    [data] = [m.body["data"] for m in taken.got if m.body["type"] == "ratings.changed"]
    assert data == {"club": "moda", "resources": ["/api/v1/clubs/moda/ratings/"]}
    assert not Delivery.objects.filter(webhook__paused=True).exists()


def test_webhook_of_the_server_is_called_about_every_club(club):
    rebuild_ratings()
    hook = webhook_of(None, events=["round.closed", "ratings.changed"])
    taken = answering(calling.CallAnswer(204))
    for place in (club, ClubFactory(slug="kadife")):
        close_one(place)
        sweep_ratings()
    calling.send_test(hook.pk, NOBODY, at=EVENING)

    calling.sweep_webhooks(taken)

    assert sorted((m.body["type"], m.body["data"]["club"]) for m in taken.got) == [
        *(("ratings.changed", "kadife"), ("ratings.changed", "moda")),
        *(("round.closed", "kadife"), ("round.closed", "moda")),
        ("test", ""),
    ]


def test_call_is_made_again_until_it_has_failed_and_then_when_it_is_asked_for(club):
    calling.send_test(webhook_of(club).pk, NOBODY, at=EVENING)
    broken = answering(calling.CallAnswer(500))

    for number, wait in enumerate((*calling.WAITS, None), 1):
        calling.sweep_webhooks(broken)
        calling.sweep_webhooks(broken)
        delivery = Delivery.objects.get()
        assert (len(broken.got), delivery.tries) == (number, number)
        if wait:
            assert timedelta() <= delivery.next_at - delivery.tried_at - wait < timedelta(seconds=9)
        let_time_pass()

    assert len(calling.WAITS) == MOST_TRIES - 1
    assert (delivery.state, delivery.answer_status, delivery.answer_text) == ("failed", 500, "")
    assert {message.id for message in broken.got} == {delivery.public_id}
    taken = answering(calling.CallAnswer(204))
    calling.send_again(delivery.pk, at=timezone.now())
    calling.sweep_webhooks(taken)
    delivery.refresh_from_db()
    assert (delivery.state, delivery.tries) == ("delivered", 1)
    assert [message.id for message in taken.got] == [delivery.public_id]


def test_receiver_can_say_when_to_come_again_within_bounds(club):
    webhook = webhook_of(club)
    for said, seconds in (
        *(("120", 120), ("0", 10), ("99999999999999", 86400), ("soon", 30), ("٣", 30)),
        # A zone so far away that the moment cannot be counted with.
        ("Mon, 01 Jan 2026 00:00:00 +99999999999999", 30),
    ):
        delivery = calling.send_test(webhook.pk, NOBODY, at=EVENING)

        calling.sweep_webhooks(answering(calling.CallAnswer(503, "", said)))

        delivery.refresh_from_db()
        waits = (delivery.next_at - delivery.tried_at).total_seconds()
        assert seconds <= waits < seconds + 9


def test_receiver_that_is_gone_is_called_no_more(club):
    webhook = webhook_of(club)
    for _ in range(3):
        calling.send_test(webhook.pk, NOBODY, at=EVENING)
    gone = answering(calling.CallAnswer(410))

    calling.sweep_webhooks(gone)
    let_time_pass()
    calling.sweep_webhooks(gone)

    webhook.refresh_from_db()
    assert (webhook.paused, len(gone.got)) == (True, 2)
    assert AuditEntry.objects.filter(action="pause-webhook").count() == 1


def test_worker_that_dies_between_call_and_note_leaves_it_to_another_one(club):
    calling.send_test(webhook_of(club).pk, NOBODY, at=EVENING)

    class Killed(BaseException):
        pass

    def dying(message, at):
        taken.got.append(message)
        raise Killed

    taken = answering(calling.CallAnswer(204))
    with pytest.raises(Killed):
        calling.sweep_webhooks(dying)
    # Until its time is over it may still be at it.
    calling.sweep_webhooks(taken)
    assert len(taken.got) == 1
    let_time_pass()
    calling.sweep_webhooks(taken)

    assert len({message.id for message in taken.got}) == 1
    assert [len(taken.got), Delivery.objects.get().state] == [2, "delivered"]


def test_call_that_breaks_is_a_try_and_keeps_nobody_else_waiting(club):
    first, other = (calling.send_test(webhook_of(club).pk, NOBODY, at=EVENING) for _ in range(2))

    def breaking(message, at):
        if message.id == first.public_id:
            raise RuntimeError
        return calling.CallAnswer(204)

    calling.sweep_webhooks(breaking)

    for delivery in (first, other):
        delivery.refresh_from_db()
    assert (first.state, first.tries, first.answer_text) == ("waiting", 1, "no-answer")
    assert first.next_at - first.tried_at < calling.WAITS[0] + timedelta(seconds=9)
    assert (other.state, other.tries) == ("delivered", 1)


def test_call_arrives_and_can_be_verified_by_the_secret(club, settings):
    settings.WEBHOOK_NETWORKS = [ip_network("127.0.0.0/8")]
    with receiving() as receiver:
        webhook = webhook_of(club, receiver.url("127.0.0.1"))
        delivery = calling.send_test(webhook.pk, NOBODY, at=EVENING)
        calling.sweep_webhooks()

    [(_path, headers, body)] = receiver.calls
    assert json.loads(body) == {
        "type": "test",
        "timestamp": EVENING.isoformat(),
        "data": {"club": "moda"},
    }
    assert headers["webhook-signature"] == signed(webhook, delivery, headers, body)
    assert Delivery.objects.get().state == "delivered"


@pytest.mark.parametrize(("hours", "both"), [(0, True), (23, True), (25, False)])
def test_old_secret_signs_for_a_day_after_it_was_replaced(club, allowed, receiver, hours, both):
    old = webhook_of(club, receiver.url("127.0.0.1"))
    at = timezone.now() - timedelta(hours=hours)
    new = calling.renew_secret(old.pk, NOBODY, at=at)
    delivery = calling.send_test(new.pk, NOBODY, at=at)
    calling.sweep_webhooks()

    [(_path, *call)] = receiver.calls
    by = [new, old] if both else [new]
    assert call[0]["webhook-signature"].split() == [signed(row, delivery, *call) for row in by]


def signed(webhook, delivery, headers, body):
    key = b64decode(calling.secret_text(webhook).removeprefix("whsec_"))
    content = f"{delivery.public_id}.{headers['webhook-timestamp']}.".encode() + body
    return f"v1,{b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode()}"


def test_old_deliveries_are_forgotten_and_what_waits_is_not(club):
    webhook = webhook_of(club)
    now = timezone.now()
    for state, days in (("delivered", 31), ("failed", 31), ("waiting", 31), ("delivered", 29)):
        delivery = calling.send_test(webhook.pk, NOBODY, at=EVENING)
        then = now - timedelta(days=days)
        Delivery.objects.filter(pk=delivery.pk).update(state=state, at=then, next_at=then)

    calling.forget_deliveries(now)

    assert sorted(Delivery.objects.values_list("state", flat=True)) == ["delivered", "waiting"]
    assert Webhook.objects.count() == 1


def test_one_sweep_is_asked_for_whatever_else_waits_for_the_commit(
    club, monkeypatch, django_capture_on_commit_callbacks
):
    asked = []
    monkeypatch.setattr(writes, "wake_worker", lambda task, *_args: asked.append(task))
    round_ = TableFactory(round__event__club=club, entries=WHOLE_GAME).round
    monkeypatch.setattr(connection, "run_on_commit", [])
    with django_capture_on_commit_callbacks(execute=True):
        transaction.on_commit(list)
        close_round(round_.pk, NOBODY, at=EVENING)
        reopen_round(round_.pk, NOBODY, at=EVENING)
    assert asked.count(writes.WEBHOOKS_TASK) == 1
