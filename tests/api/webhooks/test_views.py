from base64 import b64decode
from datetime import timedelta

import pytest
from django.utils import timezone

from tests.api.conftest import faults
from tests.factories import UserFactory
from tests.program_factories import DeliveryFactory
from tournaments.models import Delivery, Webhook
from tournaments.services.webhooks.calling import CallAnswer, sweep_webhooks

pytestmark = pytest.mark.django_db

NEW = {"url": "https://receiver.example/hook", "events": ["round.closed", "result.entered"]}
ALL = "clubs/moda/webhooks/"


@pytest.fixture
def owner(program, club):
    return program.role("owner", club, "manage")


def test_webhook_is_made_with_its_secret_changed_and_removed(owner):
    made = owner.post(ALL, NEW)

    row, secret = Webhook.objects.get(), made.json()["secret"]
    events = ["result.entered", "round.closed"]
    shown = {"id": row.public_id, "url": NEW["url"], "events": events, "happenings": events}
    shown |= {"paused": False, "created_at": made.json()["created_at"]}
    assert (made.status_code, made.json()) == (201, shown | {"secret": secret})
    assert b64decode(secret.removeprefix("whsec_")).decode() == row.secret
    one = made["Location"]
    assert owner.get(one).json() == shown
    assert owner.get(ALL).json()["results"] == [shown]
    assert owner.get(f"{one}secret/").json() == {"secret": secret}

    new = {"paused": True, "events": ["round.published"]}
    happenings = {"happenings": new["events"]}
    assert owner.patch(one, new).json() == shown | new | happenings
    assert owner.post(f"{one}secret/").json()["secret"] != secret
    now = timezone.now()
    assert (
        owner.post(f"{one}replay/", {"since": (now - timedelta(days=29)).isoformat()}).status_code
        == 200
    )
    early = owner.post(f"{one}replay/", {"since": (now - timedelta(days=31)).isoformat()})
    assert faults(early) == [("too-early", "since")]
    assert owner.delete(one).status_code == 204


@pytest.mark.parametrize(
    ("said", "code", "where"),
    [
        ({"url": "http://10.0.0.1/"}, "bad-address", "url"),
        ({"events": []}, None, "events"),
        ({"events": ["round.opened"]}, None, "events.0"),
        ({"happenings": ["round.published"]}, None, "happenings"),
        ({"paused": True}, "unexpected-field", "paused"),
    ],
)
def test_webhook_that_cannot_be_is_refused(owner, said, code, where):
    refused = owner.post(ALL, NEW | said)

    [problem] = refused.json()["problems"]
    assert (refused.status_code, problem["where"]) == (422, where)
    assert problem["code"] == (code or problem["code"])
    assert not Webhook.objects.exists()


def test_old_names_of_events_still_work(owner):
    old = {"url": NEW["url"], "happenings": ["round.closed"]}
    one = owner.post(ALL, old)["Location"]
    changed = owner.patch(one, {"happenings": ["round.published"]}).json()
    assert changed["events"] == changed["happenings"] == ["round.published"]
    call = DeliveryFactory(webhook=Webhook.objects.get())
    for name in ("happening", "type"):
        [shown] = owner.get(f"{one}deliveries/?{name}=round.closed").json()["results"]
        assert shown["type"] == shown["happening"] == call.type
        assert not owner.get(f"{one}deliveries/?{name}=round.published").json()["results"]


def test_staff_keeps_webhooks_of_the_server_and_no_club_sees_them(program, owner):
    staff = program.as_(UserFactory(is_staff=True), "manage")
    made = staff.post("webhooks/", NEW)

    assert (made.status_code, Webhook.objects.get().club) == (201, None)
    one = made["Location"]
    assert staff.patch(one, {"events": ["player.added"]}).json()["events"] == ["player.added"]
    assert staff.post(f"{one}test/").json()["body"]["data"] == {"club": ""}
    assert owner.get(ALL).json()["results"] == []
    assert staff.delete(one).status_code == 204


@pytest.mark.django_db(transaction=True)
def test_test_is_sent_shown_with_its_answer_and_sent_again(owner):
    one = owner.post(ALL, NEW)["Location"]
    asked = owner.post(f"{one}test/")
    assert (asked.status_code, asked.json()["state"]) == (201, "waiting")
    place = asked["Location"]
    assert owner.get(place).json() == asked.json()

    sweep_webhooks(lambda message, at: CallAnswer(204))

    shown = owner.get(place).json()
    assert (shown["state"], shown["tries"], shown["answer_status"]) == ("delivered", 1, 204)
    assert shown["tried_at"] <= timezone.now().isoformat()
    Delivery.objects.update(state="failed", tries=10, answer_status=500, answer_text="a secret")
    failed = owner.get(f"{one}deliveries/?state=failed").json()["results"]
    assert [(each["answer_text"], each["next_at"]) for each in failed] == [("", None)]
    again = owner.post(f"{place}again/").json()
    assert (again["id"], again["state"], again["tries"]) == (asked.json()["id"], "waiting", 0)
