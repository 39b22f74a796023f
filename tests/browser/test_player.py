"""An evening as a player lives it, in Turkish on a phone: the QR code, push, the final place."""

import json
import re

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from tests.browser.service_worker import ServiceWorker
from tests.club_factories import ClubFactory
from tests.deals import WHOLE_GAME
from tests.factories import record_all
from tests.tournament_builders import plan, seated
from tests.web.tournaments.test_notifications import form_of
from tournaments.models import Entrant, Event, Game, Subscription
from tournaments.services.audit import NOBODY
from tournaments.services.entrants.registration import Entry, register_entrants
from tournaments.services.notifications.sending import sweep_notifications
from tournaments.services.rounds.rulings import RulingDecision, rule
from tournaments.services.rounds.running import close_round, open_round
from tournaments.services.rounds.seating import publish_round
from tournaments.services.tournaments.lifecycle import create_tournament, move_tournament

pytestmark = pytest.mark.browser

NAMES = ("Nazlı Erdoğan", "Burak Er", "Cem Ay", "Deniz Gül", "Ece Taş", "Fırat Can")
NAMES += ("Süleyman Karabulutoğlu", "Hakan Öz", "İrem Ak", "Kerem Geç", "Leyla Tunç", "Mert Uz")

# The push service of the browser's maker is not there: this is the address that it gave. And the
# headless Chromium says that they are denied, whatever was granted.
SUBSCRIBED = """
Object.defineProperty(Notification, "permission", { get: () => "default" });
PushManager.prototype.subscribe = async () => ({
  toJSON: () => ({ endpoint: %(endpoint)s, keys: { p256dh: %(p256dh)s, auth: %(auth)s } }) })"""


class Evening:
    """The player's phone, and the tournament that others lead meanwhile."""

    def __init__(self, phone, service):
        self.phone, self.page, self.service = phone, phone.page, service
        self.browser = service.browser()
        self.told, self.card = 0, self.page.locator(".my-card")
        phone.context.clock.install()
        phone.context.grant_permissions(["notifications"], origin=phone.base)
        known = {name: json.dumps(value) for name, value in form_of(self.browser).items()}
        phone.context.add_init_script(SUBSCRIBED % known)

    def wait(self):
        """Let the page ask for news, as it does every ten seconds."""
        self.phone.context.clock.fast_forward(10_000)

    def tap_button(self, name):
        self.phone.tap(self.page.get_by_role("button", name=name, exact=True).first)

    def hear(self):
        """Let the worker send what is due, and the browser's maker bring it to the phone."""
        sweep_notifications(self.service.send)
        messages = [message for message, _headers in self.service.messages(self.browser)]
        new, self.told = messages[self.told :], len(messages)
        return [self.deliver(json.dumps(message)) for message in new]

    def deliver(self, data):
        """Return what the service worker shows of a message."""
        title, options = ServiceWorker(self.phone).deliver(data)
        return [title, options["body"], options["tag"], options["data"]]


@pytest.mark.keeps_pages
def test_player_lives_an_evening_on_a_phone(new_phone, service):
    row = registered()
    evening = Evening(new_phone(locale="tr-TR"), service)
    phone, card = evening.phone, evening.card

    check_in(evening, row)
    for number in (1, 2, 3):
        place = publish_round(seated(row).pk, NOBODY, at=timezone.now())
        table = place.tables.get(sittings__entrant__number=1).number
        told = [f"{number}. raunt: {table}. masa", row.event.name, f"{row.public_id}-seating"]
        assert evening.hear() == [[*told, phone.path]]
        evening.wait()
        expect(card.locator(".huge:not(.medium)")).to_have_text(str(table))
        if number == 1:
            assert phone.faults() == {}
        play_round(evening, place)
        expect(card.locator(".huge.medium")).to_have_text(re.compile(r"\d+\.$"))
        expect(card.locator(".path > li")).to_have_count(number)
        if number == 1:
            expect(card.locator("svg.cut")).to_be_visible()
            assert phone.faults() == {}

    expect(card).to_contain_text("finali oynuyorsunuz")
    evening.tap_button("Kapat")
    expect(card).to_contain_text("bu telefona bildirilsin")
    assert not Subscription.objects.exists()
    move_tournament(row.pk, "finished", NOBODY, at=timezone.now())
    evening.wait()
    expect(card.get_by_role("button", name="Başarı belgem")).to_be_visible()
    expect(card).to_contain_text("12 kişi arasında")
    assert phone.faults() == {}


def registered():
    """A published tournament of three rounds that runs; nobody has checked in."""
    club, now = ClubFactory(published=True), timezone.now()
    row = create_tournament(club, plan(rounds=3, finals=4, check_in="once"), NOBODY, at=now)
    Event.objects.update(published=True)
    move_tournament(row.pk, "registration", NOBODY, at=now)
    register_entrants(row.pk, [Entry(name) for name in NAMES], NOBODY, at=now)
    return move_tournament(row.pk, "running", NOBODY, at=now)


def check_in(evening, row):
    """The code at the door, one's name, and the switch; all others are here too."""
    phone, page = evening.phone, evening.page
    phone.open(reverse("check_in", args=[row.public_id, row.secret("check-in")]))
    page.fill("[name=q]", "nazli")
    phone.tap(page.locator("#found a", has_text=NAMES[0]))
    evening.tap_button("Evet, buradayım")
    phone.tap(page.get_by_role("link", name="Nerede oturuyorum?"))
    expect(evening.card).to_contain_text(NAMES[0])
    evening.tap_button("Aç")
    expect(evening.card).to_contain_text("bu telefona bildiriliyor")
    Entrant.objects.update(checked_in=3)


def play_round(evening, place):
    """All tables play; in the second round the player follows them, in the third one is ruled."""
    open_round(place.pk, NOBODY, at=timezone.now())
    games = list(Game.objects.filter(table__round=place).order_by("table__number"))
    if place.number == 2:
        follow_the_others(evening, games)
    for game in games:
        game.refresh_from_db()
        record_all(game, WHOLE_GAME[game.revision :])
    assert evening.hear() == []
    if place.number == 3:
        mine = Entrant.objects.get(number=1)
        # Wherever the seating put them, they reach the final.
        said = RulingDecision("adjusted", 900, "sayım yanlıştı")
        rule(place.pk, mine.pk, said, NOBODY, at=timezone.now())
        ((title, *_more),) = evening.hear()
        assert title == "3. raunt: sonucunuz düzeltildi"
    close_round(place.pk, NOBODY, at=timezone.now())
    evening.wait()


def follow_the_others(evening, games):
    """The live board: every table in small, one tap from its game."""
    for game in games:
        record_all(game, WHOLE_GAME[:7])
    evening.wait()
    evening.phone.tap_and_go(evening.page.get_by_role("link", name="Bütün masalar canlı"), "/live/")
    expect(evening.page.locator(".board > li")).to_have_count(len(games))
    assert evening.phone.faults() == {}
    record_all(games[1], WHOLE_GAME[7:8])
    evening.wait()
    expect(evening.page.locator("#table-2 h2")).to_contain_text("9. tur / 20")
    evening.phone.tap_and_go("#table-2 h2 a", "/games/")
    evening.page.go_back()
    evening.page.go_back()
