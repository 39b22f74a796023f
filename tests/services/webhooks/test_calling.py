import base64
import json
import socket
import ssl
from datetime import UTC, datetime
from ipaddress import ip_address, ip_network

import pytest
import trustme

from tests.services.webhooks.receiver import receiving
from tournaments.origin import lan_address
from tournaments.services.webhooks import calling
from tournaments.services.webhooks.calling import (
    BadAddress,
    CallAnswer,
    Message,
    call,
    check_url,
    may_be_called,
    signature,
)

NOW = datetime(2026, 11, 20, 19, 30, tzinfo=UTC)
LOOPBACK = ip_network("127.0.0.0/8")


@pytest.fixture
def receiver():
    with receiving() as receiver:
        yield receiver


@pytest.fixture
def allowed(settings):
    settings.WEBHOOK_NETWORKS = [LOOPBACK]


def message(url):
    return Message("abcdefghjk", url, b"a secret", {"type": "test", "data": {"club": "Moda ş"}})


def at(*addresses):
    return lambda host, port: addresses


def test_call_arrives_signed_as_the_standard_has_it(receiver, allowed):
    answer = call(message(receiver.url()), NOW, at("127.0.0.1"))

    [(path, headers, body)] = receiver.calls
    assert (answer, path) == (CallAnswer(204), "/hook")
    assert json.loads(body) == {"type": "test", "data": {"club": "Moda ş"}}
    assert (headers["webhook-id"], headers["webhook-timestamp"]) == ("abcdefghjk", "1795203000")
    assert headers["Host"] == f"receiver.example:{receiver.port}"
    signed = signature(b"a secret", "abcdefghjk", "1795203000", body)
    assert headers["webhook-signature"] == signed


def test_signature_is_that_of_the_libraries_of_the_standard():
    # From their own tests.
    key = base64.b64decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    body = b'{"test": 2432232314}'

    signed = signature(key, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", body)

    assert signed == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


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
    assert call(message(receiver.url()), NOW, at(*addresses)) == CallAnswer(0, f"not-called-{why}")
    assert receiver.calls == []


OF_AN_INTERFACE = pytest.param(lan_address() or "127.0.0.3", id="of an interface")


@pytest.mark.parametrize("address", ["127.0.0.1", "127.0.0.2", "::ffff:127.0.0.1", OF_AN_INTERFACE])
def test_address_of_this_machine_is_not_called_in_a_network_that_is_allowed(
    receiver, settings, address
):
    settings.WEBHOOK_NETWORKS = [ip_network("0.0.0.0/0"), ip_network("::/0")]

    assert call(message(receiver.url()), NOW, at(address)) == CallAnswer(0, "not-called-private")
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

    assert call(message(url), NOW, at(where[0])) == CallAnswer(204)
    assert asked == [where]
    assert receiver.calls[0][1]["Host"] == host


def test_name_that_means_something_else_a_moment_later_is_asked_once(receiver, settings):
    settings.WEBHOOK_NETWORKS = [ip_network("127.0.0.1/32")]
    answers = iter([["127.0.0.1"], ["127.0.0.2"]])

    assert call(message(receiver.url()), NOW, lambda host, port: next(answers)).status == 204
    assert call(message(receiver.url()), NOW, lambda host, port: next(answers)) == CallAnswer(
        0, "not-called-private"
    )


def test_certificate_that_nobody_vouches_for_is_refused(receiver, allowed):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trustme.CA().issue_cert("receiver.example").configure_cert(context)
    receiver.server.socket = context.wrap_socket(receiver.server.socket, server_side=True)
    url = receiver.url().replace("http:", "https:")

    assert call(message(url), NOW, at("127.0.0.1")) == CallAnswer(0, "bad-certificate")
    assert receiver.calls == []


def test_redirection_is_an_answer_and_not_followed(receiver, allowed):
    with receiving() as within:
        receiver.answer = (302, {"Location": within.url("127.0.0.1")}, b"over there")
        assert call(message(receiver.url()), NOW, at("127.0.0.1")) == CallAnswer(302)
        assert within.calls == []


def test_only_the_status_of_an_answer_is_kept(receiver, allowed):
    receiver.answer = (500, {"Retry-After": "120"}, b"a secret of a machine within" * 10_000)
    assert call(message(receiver.url()), NOW, at("127.0.0.1")) == CallAnswer(500, retry_after="120")


def test_receiver_that_never_ends_is_left(receiver, allowed, monkeypatch):
    monkeypatch.setattr(calling, "ANSWER_WITHIN", 1.0)
    receiver.slow = 20

    assert call(message(receiver.url()), NOW, at("127.0.0.1")) == CallAnswer(0, "timeout")


def test_nobody_there_is_no_answer(receiver, allowed):
    nobody = message("http://receiver.example:1")
    assert call(nobody, NOW, at("127.0.0.1")) == CallAnswer(0, "not-called-port")
    # Plain where TLS is spoken, or the other way round.
    secure = message(receiver.url().replace("http:", "https:"))
    assert call(secure, NOW, at("127.0.0.1")) == CallAnswer(0, "no-answer")


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
    with pytest.raises(BadAddress) as refused:
        check_url(url)
    assert refused.value.why == why
    for allowed in ("https://example.org", "http://93.184.216.34:8080/a?b=c"):
        assert check_url(allowed).scheme in {"http", "https"}


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
    assert [each for each in WITHIN.split() if may_be_called(ip_address(each))] == []
    assert [each for each in WORLD.split() if not may_be_called(ip_address(each))] == []


def test_owner_of_the_server_can_allow_a_network(settings):
    settings.WEBHOOK_NETWORKS = [ip_network("192.168.1.0/24"), ip_network("fd00::/8")]

    for each in ("192.168.1.7", "::ffff:192.168.1.7", "fd12::1234"):
        assert may_be_called(ip_address(each))
    assert not may_be_called(ip_address("192.168.2.7"))
