import pytest
from django.urls import reverse

from tests.program_factories import DeliveryFactory, WebhookFactory
from tournaments.models import AuditEntry, Delivery, Webhook
from tournaments.services.webhooks.calling import MOST_WEBHOOKS, secret_text

URL = "https://receiver.example/hook?key=abc"


def at(name, webhook=None, **more):
    public_id = {"public_id": webhook.public_id} if webhook else {}
    return reverse(name, kwargs={"slug": "moda", **public_id, **more})


def add(client, url=URL, events=("round.closed", "result.entered")):
    return client.post(at("new_webhook"), {"url": url, "events": events})


def test_webhook_is_added_listed_and_changed(owner):
    assert b"Nobody is called yet" in owner.get(at("webhooks")).content

    answer = add(owner)

    webhook = Webhook.objects.get()
    assert answer["Location"] == at("webhook", webhook)
    assert (webhook.url, webhook.events) == (URL, ["result.entered", "round.closed"])
    assert "receiver.example" in owner.get(at("webhooks")).content.decode()
    page = owner.get(at("webhook", webhook)).content.decode()
    assert "a round is closed" in page
    assert "Nobody was called yet" in page
    assert secret_text(webhook) not in page

    other = {"url": "https://other.example/", "events": ["round.published"]}
    assert owner.post(at("change_webhook", webhook), other).status_code == 302
    webhook.refresh_from_db()
    assert (webhook.url, webhook.events) == (other["url"], other["events"])
    # The address may hold a secret of the receiver, and the audit is read by directors.
    before = {"host": "receiver.example", "happenings": ["result.entered", "round.closed"]}
    after = {"host": "other.example", "happenings": ["round.published"]}
    told = AuditEntry.objects.values_list("action", "before", "after").order_by("pk")
    assert list(told) == [("add-webhook", None, before), ("change-webhook", before, after)]
    audit = owner.get(reverse("club_changes", args=["moda"])).content.decode()
    assert "Webhook changed" in audit
    assert "the seating of a round is published" in audit


@pytest.mark.parametrize(
    ("url", "says"),
    [("", "Which address should the server call?"), ("http://192.168.1.1/", "private network")],
)
def test_address_that_cannot_be_called_is_refused_beside_its_field(owner, url, says):
    answer = add(owner, url)

    assert answer.status_code == 422
    assert says in answer.content.decode()
    assert not Webhook.objects.exists()


def test_of_no_event_and_of_too_many_webhooks_there_is_none(owner, club):
    assert add(owner, events=[]).status_code == 422
    WebhookFactory.create_batch(MOST_WEBHOOKS, club=club)
    answer = add(owner)
    assert (answer.status_code, Webhook.objects.count()) == (422, MOST_WEBHOOKS)
    assert "There are 20 already" in answer.content.decode()


def test_secret_is_shown_on_demand_and_made_anew(owner, club):
    webhook = WebhookFactory(club=club)
    old = secret_text(webhook)
    page = owner.get(at("webhook_secret", webhook))
    assert old in page.content.decode()
    assert "no-store" in page["Cache-Control"]

    owner.post(at("webhook_secret", webhook))

    webhook.refresh_from_db()
    page = owner.get(at("webhook_secret", webhook)).content.decode()
    assert old not in page
    assert secret_text(webhook) in page


def test_webhook_is_tested_paused_goes_on_and_is_removed(owner, club):
    webhook = WebhookFactory(club=club)

    owner.post(at("test_webhook", webhook))
    assert Delivery.objects.get().type == "test"
    owner.post(at("pause_webhook", webhook), {"paused": "yes"})
    assert b"Paused: nobody is called" in owner.get(at("webhook", webhook)).content
    owner.post(at("pause_webhook", webhook), {"paused": "no"})
    assert b"Paused: nobody is called" not in owner.get(at("webhook", webhook)).content
    owner.post(at("remove_webhook", webhook))

    assert not Webhook.objects.exists()
    assert list(AuditEntry.objects.order_by("pk").values_list("action", flat=True)) == [
        *("test-webhook", "pause-webhook", "go-on-webhook", "remove-webhook")
    ]


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"state": "delivered", "tries": 1, "answer_status": 200}, ["delivered", "1 try", "200"]),
        (
            {"tries": 3, "answer_status": 500, "answer_text": "a secret"},
            ["3 tries", "500", "again"],
        ),
        ({"tries": 1, "answer_text": "timeout"}, ["No answer within ten seconds"]),
        (
            {"state": "failed", "tries": 10, "answer_text": "not-called-private"},
            ["failed", "private"],
        ),
    ],
)
def test_call_is_shown_with_what_became_of_it(owner, club, fields, says):
    webhook = WebhookFactory(club=club)
    DeliveryFactory(webhook=webhook, **fields)

    page = owner.get(at("webhook", webhook)).content.decode()

    assert [each for each in says if each not in page] == []
    assert "a secret" not in page


def test_call_of_another_webhook_is_not_found(owner, club):
    webhook, foreign = WebhookFactory(club=club), DeliveryFactory(state="failed")

    path = at("send_again", webhook, delivery=foreign.public_id)
    assert owner.post(path).status_code == 404
    assert owner.get(at("webhook", foreign.webhook)).status_code == 404
    own = DeliveryFactory(webhook=webhook, state="failed")
    owner.post(at("send_again", webhook, delivery=own.public_id))
    assert Delivery.objects.get(state="waiting") == own
