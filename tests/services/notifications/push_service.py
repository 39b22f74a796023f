"""A push service and a browser that has subscribed there: it can read what comes."""

import base64
import json
import os
from contextlib import contextmanager
from ipaddress import ip_network

import http_ece
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

from tests.services.webhooks.receiver import receiving
from tournaments.services.notifications.subscriptions import PushAddress
from tournaments.services.webhooks.calling import post

HOST = "push.example"


def text(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def data(said):
    return base64.urlsafe_b64decode(said + "=" * (-len(said) % 4))


class Browser:
    """A browser with keys of its own; `endpoint` is its address at the push service."""

    def __init__(self, endpoint):
        self.endpoint, self.auth = endpoint, os.urandom(16)
        self.key = ec.generate_private_key(ec.SECP256R1())

    @property
    def point(self):
        return self.key.public_key().public_bytes(
            serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
        )

    def address(self, phone="a phone"):
        return PushAddress(phone, self.endpoint, text(self.point), text(self.auth))

    def read(self, body):
        """Decrypt a message with the library that others use."""
        return json.loads(
            http_ece.decrypt(body, private_key=self.key, auth_secret=self.auth, version="aes128gcm")
        )


class PushService:
    """A web server on this machine; `messages` of a browser are those it got, with headers."""

    def __init__(self, receiver):
        self.receiver = receiver

    def answers(self, status, headers=None):
        self.receiver.answer = (status, headers or {}, b"")

    def browser(self, name="one"):
        return Browser(self.receiver.url(HOST, f"/send/{name}"))

    def send(self, url, body, headers):
        """Post as the worker does, with the name of the push service looked up here."""
        return post(url, body, headers, lambda host, port: ["127.0.0.1"])

    def messages(self, browser):
        return [
            (browser.read(body), headers)
            for path, headers, body in self.receiver.calls
            if browser.endpoint.endswith(path)
        ]

    def titles(self, browser):
        return [message["title"] for message, _headers in self.messages(browser)]


@contextmanager
def push_service(settings):
    settings.WEBHOOK_NETWORKS = [ip_network("127.0.0.0/8")]
    settings.PUSH_SERVICES = [f"http://{HOST}"]
    with receiving() as receiver:
        yield PushService(receiver)


def signed_claims(header, key):
    """Return what a sender claims in an `Authorization`, verified with the key it subscribed by."""
    scheme, _space, rest = header.partition(" ")
    said = dict(part.strip().split("=", 1) for part in rest.split(","))
    assert (scheme, said["k"]) == ("vapid", key)
    head, claims, signature = said["t"].split(".")
    raw = data(signature)
    r, s = (int.from_bytes(half, "big") for half in (raw[:32], raw[32:]))
    public = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), data(key))
    public.verify(
        encode_dss_signature(r, s), f"{head}.{claims}".encode(), ec.ECDSA(hashes.SHA256())
    )
    assert json.loads(data(head)) == {"typ": "JWT", "alg": "ES256"}
    return json.loads(data(claims))
