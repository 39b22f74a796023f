"""Notifications on the phone: what the service worker shows, where a tap leads, a new address."""

import json

import pytest
from django.urls import reverse
from django.utils import timezone

from tests.browser.service_worker import ServiceWorker
from tests.tournament_builders import running, seated
from tests.web.tournaments.test_notifications import form_of
from tournaments.models import Club, Event, Subscription
from tournaments.services.audit import NOBODY
from tournaments.services.notifications.sending import sweep_notifications
from tournaments.services.notifications.subscriptions import application_key
from tournaments.services.rounds.seating import publish_round

pytestmark = [pytest.mark.browser, pytest.mark.keeps_pages]

MESSAGE = {"title": "Round 3: table 7", "body": "Moda Open", "tag": "moda-seating", "lang": "en"}
ADDRESS = "/guide/"


def worker_of(phone, path="/"):
    phone.open(path)
    return ServiceWorker(phone)


def test_push_shows_its_notification_in_place_of_the_earlier_one(new_phone):
    worker = worker_of(new_phone())

    title, options = worker.deliver(json.dumps(MESSAGE | {"url": ADDRESS}))

    assert title == MESSAGE["title"]
    icon = options.pop("icon")
    shown = {name: MESSAGE[name] for name in ("body", "tag", "lang")}
    assert options == shown | {"data": ADDRESS, "renotify": True}
    assert worker.page.request.get(worker.phone.base + icon).headers["content-type"] == "image/png"


def test_tap_on_a_notification_opens_its_page(new_phone):
    worker = worker_of(new_phone())

    assert worker.tap(ADDRESS) == [["close"], ["open", ADDRESS]]


def test_tap_on_a_notification_goes_to_its_page_where_it_is_open(new_phone):
    phone = new_phone()
    worker = worker_of(phone)
    phone.open(ADDRESS + "?from=home")

    assert worker.tap(ADDRESS) == [["close"], ["focus", ADDRESS]]


def keys_of(browser):
    said = browser.address()
    return {"endpoint": said.endpoint, "keys": {"p256dh": said.p256dh, "auth": said.auth}}


def switch_on(phone, browser):
    """Send the form of the card with the address of a browser."""
    fields = {name: value for name, value in form_of(browser).items() if name != "does"}
    form = phone.page.locator("form[data-push-key]")
    form.evaluate(
        """(form, given) => {
          for (const [name, value] of Object.entries(given)) form.elements[name].value = value;
          form.submit();
        }""",
        fields,
    )
    phone.page.get_by_role("button", name="Switch off").first.wait_for()


@pytest.mark.parametrize("given", [False, True], ids=["asked anew", "given by the browser"])
def test_phone_whose_subscription_ends_is_notified_at_its_new_address(new_phone, service, given):
    row = running(*(f"Oyuncu {n}" for n in range(1, 9)))
    Event.objects.update(published=True)
    Club.objects.update(published=True)
    before, after = service.browser("before"), service.browser("after")
    phone = new_phone()
    phone.open(reverse("tournament", args=[row.event.club.slug, row.slug]) + "?find=Oyuncu+1")
    phone.tap(phone.page.get_by_role("button", name="That is me").first)
    switch_on(phone, before)
    worker = worker_of(phone)

    asked = worker.change_subscription(keys_of(after), keys_of(after) if given else None)

    assert asked == ([] if given else [["subscribe", application_key(), True]])
    assert Subscription.objects.get().endpoint == after.endpoint
    publish_round(seated(row).pk, NOBODY, at=timezone.now())
    sweep_notifications(service.send)
    assert service.titles(before) == []
    (title,) = service.titles(after)
    assert title.startswith("Round 1: table ")
