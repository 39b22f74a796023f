from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.utils import timezone

from tests.club_factories import AccountFactory
from tests.deals import WHOLE_GAME
from tests.factories import EVENING, record_all
from tests.services.notifications.push_service import signed_claims
from tests.tournament_builders import PENALTY, decide, play, running, seated
from tournaments.models import Game, Notification, Round, Subscription, Tournament
from tournaments.services.audit import NOBODY
from tournaments.services.emails import sweep_emails
from tournaments.services.notifications import sending, subscriptions
from tournaments.services.people.changes import set_initials
from tournaments.services.rounds.changes import Exchange, exchange_seats
from tournaments.services.rounds.running import Added, add_time, close_round, open_round
from tournaments.services.rounds.seating import publish_round, take_back_round

pytestmark = pytest.mark.django_db

EIGHT = [f"Oyuncu {n}" for n in range(1, 9)]


@pytest.fixture
def sweep(service):
    return lambda: sending.sweep_notifications(service.send)


def entrant(row, number=1):
    return row.entrants.get(number=number)


def subscribed(service, row, number=1, language="tr", name="one"):
    browser = service.browser(name)
    before = timezone.now() - timedelta(minutes=1)
    subscriptions.subscribe_phone(entrant(row, number), browser.address(name), language, at=before)
    return browser


def publish(row, **seats):
    return publish_round(seated(row, **seats).pk, NOBODY, at=timezone.now())


def begin(row, minutes_gone=0, **seats):
    round_ = open_round(publish(row, **seats).pk, NOBODY, at=timezone.now())
    if minutes_gone:
        Round.objects.filter(pk=round_.pk).update(
            clock_seconds=3600, clock_used=60 * minutes_gone, clock_started_at=timezone.now()
        )
    return round_


def pass_time():
    """Let what waits be due."""
    Notification.objects.filter(next_at__isnull=False).update(next_at=timezone.now())


def swap(round_, *keys):
    seen = Tournament.objects.get(event=round_.event).revision
    exchange_seats(round_.pk, Exchange(keys), NOBODY, seen=seen, at=timezone.now())


def test_seating_is_told_once_encrypted_and_signed_in_the_language_of_the_phone(service, sweep):
    row = running(*EIGHT, rounds=3)
    turkish = subscribed(service, row)
    english = subscribed(service, row, number=5, language="en", name="two")
    publish(row, tables=[(1, 2, 3, 4), (5, 6, 7, 8)])

    sweep()
    sweep()

    ((told, headers),) = service.messages(turkish)
    at = f"/clubs/{row.event.club.slug}/tournaments/{row.slug}/"
    tag = f"{row.public_id}-seating"
    assert told == {
        "title": "1. raunt: 1. masa",
        "body": "Moda Açık",
        "url": at,
        "tag": tag,
        "lang": "tr",
    }
    assert (headers["Topic"], headers["Urgency"], headers["Content-Encoding"]) == (
        tag,
        "high",
        "aes128gcm",
    )
    assert 7000 < int(headers["TTL"]) <= 7200
    claims = signed_claims(headers["Authorization"], subscriptions.application_key())
    assert claims["aud"] == service.receiver.url("push.example", "")
    assert 0 < claims["exp"] - timezone.now().timestamp() <= 24 * 3600
    assert claims["sub"].startswith("mailto:")
    assert service.titles(english) == ["Round 1: table 2"]


def test_who_is_moved_after_publishing_is_told_again_and_others_are_not(service, sweep):
    row = running(*EIGHT, rounds=3)
    moved, stays = subscribed(service, row), subscribed(service, row, number=2, name="two")
    round_ = publish(row, tables=[(1, 2, 3, 4), (5, 6, 7, 8)])
    sweep()

    swap(round_, "e1", "e5")
    sweep()

    assert service.titles(moved) == ["1. raunt: 1. masa", "1. raunt: 2. masa"]
    assert service.titles(stays) == ["1. raunt: 1. masa"]
    take_back_round(round_.pk, NOBODY, at=timezone.now())
    sweep()
    publish_round(round_.pk, NOBODY, at=timezone.now())
    sweep()
    assert len(service.titles(stays)) == 2


def test_who_sits_out_and_who_plays_the_final_is_told(service, sweep):
    row = running(*[*EIGHT, "Oyuncu 9"], rounds=1, finals=4)
    phones = [subscribed(service, row, n, name=str(n)) for n in range(1, 10)]
    round_ = begin(row, tables=[(1, 2, 3, 4), (5, 6, 7, 8)], byes=[9])
    sweep()
    assert service.titles(phones[8]) == ["1. raunt: bay geçiyorsunuz"]
    play(round_)
    close_round(round_.pk, NOBODY, at=timezone.now())
    final = publish(row)
    sweep()

    called = [each for each in phones if any("Finallere" in t for t in service.titles(each))]
    playing = final.sittings.exclude(table=None).values_list("entrant__number", flat=True)
    assert {phones.index(each) + 1 for each in called} == set(playing)
    assert {len(service.titles(each)) for each in phones if each not in called} == {1}
    assert service.titles(called[0])[-1] == "Finallere kaldınız! Final: 1. masa"


def test_five_minutes_before_the_end_of_a_clock_that_runs_whoever_still_plays_is_told_once(
    service, sweep
):
    row = running(*EIGHT, rounds=3)
    plays, done = subscribed(service, row), subscribed(service, row, number=5, name="two")
    round_ = begin(row, minutes_gone=54, tables=[(1, 2, 3, 4), (5, 6, 7, 8)])
    record_all(Game.objects.get(table__round=round_, table__number=2), WHOLE_GAME)

    def sweep_at(minutes, is_running=True):
        started = timezone.now() if is_running else None
        rows = Round.objects.filter(pk=round_.pk)
        rows.update(clock_used=60 * minutes, clock_started_at=started)
        sweep()
        return service.titles(plays)[1:]

    told = ["1. raunt: 5 dakika kaldı"]
    assert [sweep_at(54), sweep_at(56, is_running=False)] == [[], []]
    # Of four minutes before and less nobody is told; a clock that was set back changes nothing.
    assert [sweep_at(minutes) for minutes in (59, 55, 55, 10, 56)] == [[], told, told, told, told]
    assert service.titles(done) == ["1. raunt: 2. masa"]
    add_time(round_.pk, Added(600, 3600), NOBODY, at=timezone.now())
    assert sweep_at(66) == [*told, "1. raunt: 4 dakika kaldı"]


def test_corrected_result_is_told_to_whom_it_concerns(service, sweep):
    row = running(*EIGHT, rounds=3)
    ruled = subscribed(service, row)
    not_ruled = subscribed(service, row, number=2, name="two")
    round_ = begin(row, tables=[(1, 2, 3, 4), (5, 6, 7, 8)])
    play(round_)
    sweep()
    assert len(service.titles(ruled)) == 1

    decide(round_, 1, PENALTY)
    sweep()
    sweep()

    assert service.titles(ruled)[1:] == ["1. raunt: sonucunuz düzeltildi"]
    assert len(service.titles(not_ruled)) == 1
    game = Game.objects.get(table__round=round_, table__number=1)
    result = game.result
    # While the sheet is open again there is no result.
    for each in (None, result, result | {"totals": [0, *result["totals"][1:]]}):
        Game.objects.filter(pk=game.pk).update(result=each)
        sweep()
    assert len(service.titles(ruled)) == 3
    assert len(service.titles(not_ruled)) == 1


def test_hidden_players_and_cancelled_tournaments_are_not_told_of(service, sweep):
    row = running(*EIGHT, rounds=3)
    phone = subscribed(service, row)
    set_initials(entrant(row).player_id, True, NOBODY, at=EVENING)
    publish(row)
    sweep()
    assert service.messages(phone) == []

    set_initials(entrant(row).player_id, False, NOBODY, at=EVENING)
    Tournament.objects.filter(pk=row.pk).update(cancelled_at=EVENING)
    sweep()
    assert service.messages(phone) == []
    Tournament.objects.filter(pk=row.pk).update(cancelled_at=None)
    sweep()
    assert len(service.messages(phone)) == 1


def test_phone_switched_on_later_is_told_only_of_what_comes(service, sweep):
    row = running(*EIGHT, rounds=3)
    round_ = publish(row, tables=[(1, 2, 3, 4), (5, 6, 7, 8)])
    browser = service.browser()
    subscriptions.subscribe_phone(entrant(row), browser.address(), "tr", at=timezone.now())
    sweep()
    assert service.messages(browser) == []

    swap(round_, "e1", "e5")
    sweep()
    assert service.titles(browser) == ["1. raunt: 2. masa"]


@pytest.mark.parametrize(
    ("status", "tries", "phones"),
    [
        *((status, 2, 1) for status in (429, 503)),
        *((status, 1, 1) for status in (201, 400, 413)),
        *((status, 1, 0) for status in (403, 404, 410)),
    ],
)
def test_overloaded_push_service_is_asked_again_and_a_phone_it_does_not_know_is_deleted(
    service, sweep, status, tries, phones
):
    row = running(*EIGHT, rounds=3)
    phone = subscribed(service, row)
    publish(row)
    service.answers(status)
    sweep()
    sweep()
    assert len(service.messages(phone)) == 1
    service.answers(201)

    pass_time()
    sweep()

    assert (len(service.messages(phone)), Subscription.objects.count()) == (tries, phones)


@pytest.mark.parametrize("is_closed", [True, False])
def test_message_that_no_longer_helps_or_whose_time_is_over_is_dropped(service, sweep, is_closed):
    row = running(*EIGHT, rounds=3)
    phone = subscribed(service, row)
    service.answers(503)
    round_ = begin(row)
    sweep()
    service.answers(201)
    if is_closed:
        play(round_)
        close_round(round_.pk, NOBODY, at=timezone.now())
    else:
        Notification.objects.update(expires_at=timezone.now())

    pass_time()
    sweep()

    assert len(service.messages(phone)) == 1
    assert not Notification.objects.filter(next_at__isnull=False).exists()


def test_worker_that_died_while_sending_loses_nothing(service, sweep):
    row = running(*EIGHT, rounds=3)
    phone = subscribed(service, row)
    publish(row)

    def die(*_all):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sending.sweep_notifications(die)
    sweep()
    assert service.messages(phone) == []
    pass_time()
    sweep()
    assert len(service.messages(phone)) == 1


def test_push_address_is_one_of_a_known_service_with_keys_of_a_browser(service, settings):
    row = running(*EIGHT)
    good = service.browser().address()
    parts = (good.phone, good.endpoint, good.p256dh, good.auth)
    for at, wrong in (
        (1, "http://127.0.0.1/send/one"),
        (1, "http://push.example.evil.example/send"),
        (1, "https://push.example/send"),
        (1, "http://[push.example/"),
        (1, good.endpoint + "x" * 1000),
        (2, "AAAA"),
        (2, "é" * 87),
        (3, good.p256dh),
        (3, ""),
    ):
        spoiled = subscriptions.PushAddress(*parts[:at], wrong, *parts[at + 1 :])
        with pytest.raises(subscriptions.NoPushAddress):
            subscriptions.subscribe_phone(entrant(row), spoiled, "tr", at=EVENING)
    assert not Subscription.objects.exists()
    subscriptions.subscribe_phone(entrant(row), good, "tr", at=EVENING)
    # The server still never calls its own network.
    settings.WEBHOOK_NETWORKS = []
    publish(row)
    sending.sweep_notifications(service.send)
    assert service.receiver.calls == []


def test_subscriptions_replace_each_other_within_limits_and_end_with_the_tournament(service):
    row = running(*EIGHT)
    one = service.browser()
    for phone in ("one", "one", "lost its cookies"):
        subscriptions.subscribe_phone(entrant(row), one.address(phone), "tr", at=timezone.now())
    assert Subscription.objects.get().phone == "lost its cookies"
    for n in range(subscriptions.MOST_OF_ENTRANT):
        browser = service.browser(str(n))
        subscriptions.subscribe_phone(
            entrant(row), browser.address(str(n)), "tr", at=timezone.now()
        )
    phones = set(Subscription.objects.values_list("phone", flat=True))
    assert phones == set(map(str, range(subscriptions.MOST_OF_ENTRANT)))
    for n in range(subscriptions.MOST_OF_PHONE + 1):
        browser = service.browser(f"of one phone {n}")
        account = AccountFactory()
        subscriptions.subscribe_phone(account, browser.address("same"), "tr", at=timezone.now())
    mine = Subscription.objects.filter(phone="same")
    assert (mine.count(), account.subscriptions.count()) == (subscriptions.MOST_OF_PHONE, 1)
    mine.delete()

    subscriptions.forget_subscriptions(EVENING + timedelta(days=30))
    assert Subscription.objects.count() == subscriptions.MOST_OF_ENTRANT
    Tournament.objects.update(state="finished")
    subscriptions.forget_subscriptions(EVENING)
    assert Subscription.objects.count() == subscriptions.MOST_OF_ENTRANT
    subscriptions.forget_subscriptions(EVENING + timedelta(days=4))
    assert not Subscription.objects.exists()


def reader(row, number=1, *, proved=True):
    """An account with a player in a tournament, which wants e-mails."""
    user = AccountFactory(email="ayse@example.org")
    EmailAddress.objects.create(user=user, email=user.email, verified=proved)
    player = entrant(row, number).player
    player.account = user
    player.save()
    before = timezone.now() - timedelta(minutes=1)
    subscriptions.switch_mail(user, "tr", wanted=True, at=before)
    return user


def test_account_is_told_by_e_mail_and_on_each_of_its_phones(service, sweep, settings):
    settings.SITE_ADDRESS = "https://king.example"
    row = running(*EIGHT, rounds=3)
    user = reader(row)
    phone = service.browser()
    before = timezone.now() - timedelta(minutes=1)
    subscriptions.subscribe_phone(user, phone.address(), "it", at=before)
    publish(row, tables=[(1, 2, 3, 4), (5, 6, 7, 8)])

    for _twice in range(2):
        sweep()
        sweep_emails(timezone.now())

    assert service.titles(phone) == ["Turno 1: tavolo 1"]
    (letter,) = mail.outbox
    row_of_mail = Subscription.objects.get(phone="")
    end = f"https://king.example/notifications/{row_of_mail.pk}/{row_of_mail.secret}/"
    assert (letter.to, letter.subject) == (["ayse@example.org"], "1. raunt: 1. masa · Moda Açık")
    assert end in letter.body
    assert (
        f"https://king.example/clubs/{row.event.club.slug}/tournaments/{row.slug}/" in letter.body
    )
    assert letter.extra_headers == {
        "List-Unsubscribe": f"<{end}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }


def test_e_mail_waits_for_no_address_that_was_not_proved_and_is_not_sent_late(service, sweep):
    row = running(*EIGHT, rounds=3)
    reader(row, proved=False)
    assert not Subscription.objects.exists()
    EmailAddress.objects.update(verified=True)
    before = timezone.now() - timedelta(minutes=1)
    subscriptions.switch_mail(EmailAddress.objects.get().user, "tr", wanted=True, at=before)
    publish(row)
    sweep()

    sweep_emails(timezone.now() + timedelta(hours=2, minutes=1))
    assert mail.outbox == []
    sweep_emails(timezone.now())
    assert len(mail.outbox) == 1
