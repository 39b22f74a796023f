"""Bodies that are not those of their request, as a proxy may mix them up."""

import base64
import hashlib
import json
from urllib.parse import urlencode

import pytest
from django.test import Client
from django.urls import reverse

from tests.deals import NAMES, WHOLE_GAME
from tests.phones import deal_fields, new_key
from tournaments.models import Game, IdempotencyRecord, Revision

pytestmark = pytest.mark.django_db

FORM = "application/x-www-form-urlencoded"


def digest_of(body, algorithm="sha256"):
    return base64.b64encode(hashlib.new(algorithm, body).digest()).decode()


def sent_with_the_body_of_another(client, path, body, other, method="POST", **more):
    """Send a body with the digest of another; then its own, which the server takes."""

    def send(content):
        headers = {"content-digest": f"sha-256=:{digest_of(body)}:", **more.get("headers", {})}
        return client.generic(method, path, content, **{**more, "headers": headers})

    before = (Game.objects.count(), Revision.objects.count(), IdempotencyRecord.objects.count())
    refused = send(other)
    assert (refused.status_code, refused.json()["code"]) == (400, "digest-mismatch")
    assert refused["Want-Content-Digest"] == "sha-256=10"
    after = (Game.objects.count(), Revision.objects.count(), IdempotencyRecord.objects.count())
    assert after == before
    return send(body)


@pytest.fixture
def started():
    """The start of a game by the API."""
    return {"ruleset": "turkish-king", "players": list(NAMES)}


def test_game_of_another_is_not_started_and_uses_up_no_key(client, started):
    mine, other = (json.dumps(started | {"title": title}).encode() for title in ("one", "two"))
    key = {"idempotency-key": new_key()}
    kind = "application/json"

    answer = sent_with_the_body_of_another(
        client, "/api/v1/games/", mine, other, content_type=kind, headers=key
    )

    assert (answer.status_code, answer.json()["title"]) == (201, "one")


@pytest.mark.parametrize(("method", "status"), [("POST", 201), ("PUT", 200)])
def test_deal_of_another_table_is_not_written_by_programs(client, started, method, status):
    game = client.post("/api/v1/games/", started, content_type="application/json").json()
    access = {"authorization": f"Bearer {game['keys']['write']}"}
    path, kind = f"/api/v1/games/{game['id']}/entries/", "application/json"
    mine, other = (json.dumps({"entry": deal}).encode() for deal in WHOLE_GAME[:2])
    if method == "PUT":
        client.post(path, json.loads(other), content_type=kind, headers=access)
        path, access = f"{path}0/", access | {"if-match": '"1"'}

    answer = sent_with_the_body_of_another(
        client, path, mine, other, method, content_type=kind, headers=access
    )

    assert answer.status_code == status
    latest = Revision.objects.latest("revision")
    assert (latest.body.get("entry") or latest.body)["contract"] == WHOLE_GAME[0]["contract"]


def test_deal_of_another_table_is_not_written_by_phones():
    client = Client(enforce_csrf_checks=True)
    client.get(reverse("new"))
    token = {"x-csrftoken": client.cookies["csrftoken"].value, "hx-request": "true"}
    names = {f"name{seat}": name for seat, name in enumerate(NAMES)}
    mine, other = (
        urlencode({**names, "ruleset": ruleset, "first_declarer": 0, "key": new_key()}).encode()
        for ruleset in ("turkish-king", "rifki")
    )
    new = sent_with_the_body_of_another(
        client, reverse("new"), mine, other, content_type=FORM, headers=token
    )
    deals = [urlencode(deal_fields(deal, 0, new_key())).encode() for deal in WHOLE_GAME[:2]]

    answer = sent_with_the_body_of_another(
        client, f"{new['Location']}entry/", *deals, content_type=FORM, headers=token
    )

    assert answer.status_code == 200
    assert Game.objects.get().ruleset == "turkish-king"
    assert Revision.objects.get().body["contract"] == WHOLE_GAME[0]["contract"]


@pytest.mark.parametrize(
    ("header", "is_taken"),
    [
        ("sha-256=:{sha256}:", True),
        ("sha-512=:{sha512}:, sha-256=:{sha256}:", True),
        (" sha-256=:{sha256}:;a=1 ,unixsum=:AAA=:", True),
        ("sha-256=:{other}:, sha-256=:{sha256}:", True),
        # What is not known says nothing.
        ("sha-512=:{other}:", True),
        ("crc32c=:AAAAAA==:", True),
        ("", True),
        ("sha-256=:{other}:", False),
        ("SHA-256=:{other}:", False),
        ("sha-512=:{sha512}:,sha-256=:{other}:", False),
        ("sha-256=:{sha256}:, sha-256=:{other}:", False),
        ("sha-256={sha256}", False),
        ('sha-256="{sha256}"', False),
        ("sha-256=:ÿ:", False),
        ("sha-256=::", False),
        ("sha-256", False),
    ],
)
@pytest.mark.parametrize(
    "body", [b'{"ruleset": "turkish-king", "players": ["A","B","C","D"]}', b""]
)
def test_digest_is_read_as_its_standard_says(client, header, is_taken, body):
    digests = {"sha256": digest_of(body), "sha512": digest_of(body, "sha512")}
    header = header.format(**digests, other=digest_of(b"of another"))

    answer = client.generic(
        "POST",
        "/api/v1/games/",
        body,
        content_type="application/json",
        headers={"content-digest": header},
    )

    taken = 201 if body else 422
    assert answer.status_code == (taken if is_taken else 400)


def test_form_with_a_file_is_compared_whole(client):
    boundary = b"--x\r\nContent-Disposition: form-data; name=text\r\n\r\n%s\r\n--x--\r\n"

    answer = sent_with_the_body_of_another(
        client,
        reverse("import_rules"),
        boundary % b"mine",
        boundary % b"hers",
        content_type="multipart/form-data; boundary=x",
    )

    assert answer.status_code in {302, 422}
