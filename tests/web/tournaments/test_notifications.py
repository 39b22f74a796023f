import json

import pytest
from allauth.account.models import EmailAddress
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests.services.notifications.push_service import Browser
from tests.tournament_builders import running
from tests.web.members import member_of
from tournaments.models import Club, Event, Subscription
from tournaments.services.audit import NOBODY, Actor
from tournaments.services.clubs.membership import delete_account
from tournaments.services.notifications.subscriptions import application_key, switch_mail
from tournaments.services.people.changes import remove_player, set_initials

PLAYERS = [f"Oyuncu {n}" for n in range(1, 9)]


@pytest.fixture
def browser(service):
    return service.browser()


def at(name, row):
    return reverse(name, args=[row.event.club.slug, row.slug])


def form_of(browser):
    address = browser.address()
    fields = {name: getattr(address, name) for name in ("endpoint", "p256dh", "auth")}
    return {"does": "push", **fields}


def card(looker, row):
    return looker.get(at("tournament", row)).context["switches"]


def claims(row, user, number=1):
    player = row.entrants.get(number=number).player
    player.account = user
    player.save()


def proved(user):
    user.email = "ayse@example.org"
    user.save()
    EmailAddress.objects.create(user=user, email=user.email, verified=True)


def test_phone_switches_its_card_on_and_off(browser):
    row = running(*PLAYERS)
    phone, other = member_of(row.event.club), member_of(row.event.club)
    assert card(phone, row) is None
    assert phone.post(at("notify_me", row), form_of(browser)).status_code == 404
    for each in (phone, other):
        each.post(at("choose_entrant", row), {"number": 2})

    done = phone.post(at("notify_me", row), form_of(browser), headers={"accept-language": "it"})

    assert done["Location"] == at("tournament", row)
    subscription = Subscription.objects.get()
    assert (subscription.entrant.number, subscription.user) == (2, None)
    assert (subscription.language, subscription.endpoint) == ("it", browser.endpoint)
    assert [card(each, row)["phone"] for each in (phone, other)] == [True, False]
    assert row.event.name in phone.get(reverse("notifications")).text
    phone.post(reverse("notifications"), {"does": "off"})
    assert card(phone, row)["phone"] is False
    assert not Subscription.objects.exists()


def test_phone_renews_its_own_address_alone(browser):
    row = running(*PLAYERS)
    phone, other = member_of(row.event.club), member_of(row.event.club)
    for each, number in ((phone, 2), (other, 3)):
        each.post(at("choose_entrant", row), {"number": number})
        each.post(at("notify_me", row), form_of(browser))
    renew, new = reverse("renew_subscription"), form_of(Browser(f"{browser.endpoint}-new"))

    assert phone.get(renew).text == application_key()
    assert phone.post(renew, new | {"auth": "short"}).status_code == 422
    assert Client().post(renew, new).status_code == 204
    assert not Subscription.objects.filter(endpoint=new["endpoint"]).exists()
    assert phone.post(renew, new).status_code == 204
    (renewed,) = Subscription.objects.filter(endpoint=new["endpoint"])
    assert (renewed.entrant.number, renewed.auth) == (2, new["auth"])
    assert Subscription.objects.count() == 2


def test_page_of_notifications_leads_to_the_tournaments_that_are_on(client):
    row = running(*PLAYERS)
    event = reverse("event", args=[row.event.club.slug, row.event.public_id])
    leads = []
    for published in (False, True):
        Event.objects.update(published=published)
        Club.objects.update(published=published)
        leads.append(event in client.get(reverse("notifications")).text)

    assert leads == [False, True]


def test_hidden_players_are_offered_no_notifications(browser):
    row = running(*PLAYERS)
    phone = member_of(row.event.club)
    set_initials(row.entrants.get(number=2).player_id, True, NOBODY, at=timezone.now())
    phone.post(at("choose_entrant", row), {"number": 2})

    assert card(phone, row) is None


def test_account_is_notified_everywhere_until_it_signs_out_or_is_deleted(browser, visitor):
    row = running(*PLAYERS)
    phone = visitor.become("member", row.event.club)
    claims(row, phone.user)
    proved(phone.user)
    assert (card(phone, row)["phone"], card(phone, row)["mail"]) == (False, False)

    phone.post(at("notify_me", row), form_of(browser))
    phone.post(at("notify_me", row), {"does": "mail"})

    assert (card(phone, row)["phone"], card(phone, row)["mail"]) == (True, True)
    assert set(Subscription.objects.values_list("user", "entrant")) == {(phone.user.pk, None)}
    phone.post(reverse("account_logout"))
    assert list(Subscription.objects.values_list("phone", flat=True)) == [""]
    delete_account(Actor(phone.user), at=timezone.now())
    assert not Subscription.objects.exists()


def test_e_mail_ends_its_subscription_with_one_tap_and_a_look_ends_nothing(visitor):
    row = running(*PLAYERS)
    user = visitor.become("member", row.event.club).user
    proved(user)
    for _twice in range(2):
        switch_mail(user, "tr", wanted=True, at=timezone.now())
    mine = Subscription.objects.get()
    link = reverse("end_subscription", args=[mine.pk, mine.secret])
    wrong = reverse("end_subscription", args=[mine.pk, "x" * 24])
    # As programs that read mail do it: another browser, without a token against forged forms.
    program = Client(enforce_csrf_checks=True)

    assert program.get(link).context["there"] is True
    assert program.post(wrong, {"List-Unsubscribe": "One-Click"}).status_code == 404
    assert Subscription.objects.exists()
    assert program.post(link, {"List-Unsubscribe": "One-Click"}).status_code == 200
    assert not Subscription.objects.exists()
    assert program.post(link).status_code == 200


def test_data_of_a_player_have_the_phones_and_removal_takes_them(browser, visitor):
    row = running(*PLAYERS)
    phone = visitor.become("director", row.event.club)
    phone.post(at("choose_entrant", row), {"number": 2})
    phone.post(at("notify_me", row), form_of(browser))
    player = row.entrants.get(number=2).player

    export = reverse("player_data", args=[row.event.club.slug, player.public_id])
    (told,) = json.loads(b"".join(phone.post(export).streaming_content))["notifications"]

    assert (told["by"], told["endpoint"]) == ("push", browser.endpoint)
    assert told["tournament"]["slug"] == row.slug
    remove_player(player.pk, NOBODY, at=timezone.now())
    assert not Subscription.objects.exists()
