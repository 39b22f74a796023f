import pytest
from django.core import mail
from django.test import Client, RequestFactory
from django.urls import reverse

from kingscore.environment import allowed_hosts
from tests.factories import GameFactory
from tournaments.models import Report
from tournaments.origin import lan_address, origin
from tournaments.web.base.phone import address

EVIL = "evil.example.org"
PRINTED = "http://192.0.2.77:8000"


def asked_by(host, port="8000", **more):
    return origin(RequestFactory(SERVER_PORT=port).get("/", headers={"host": host}, **more))


OWN = f"http://{lan_address() or 'localhost'}:8000"
MACHINE = "http://127.0.0.1:8000"


@pytest.mark.parametrize(
    ("site", "found_at", "host", "leads_to"),
    [
        # An address in the settings holds, whatever is asked.
        *(
            ("https://king.example.org", "", host, "https://king.example.org")
            for host in (EVIL, "king.example.org:444", "127.0.0.1:8000")
        ),
        # Without HTTPS it has the port that was asked for.
        ("http://king.lan", "", "king.lan:8000", "http://king.lan:8000"),
        ("http://king.lan", "", f"{EVIL}:8000", "http://king.lan"),
        # The owner opens the first address that `up` prints; phones need the second one.
        ("", OWN, OWN.removeprefix("http://"), OWN),
        ("", OWN, "localhost:8000", OWN),
        # No strange host gets into links.
        *(("", OWN, host, OWN) for host in (EVIL, "203.0.113.9:8000", "localhost:9999")),
        *(("", MACHINE, host, MACHINE) for host in (EVIL, "127.0.0.1:8000")),
    ],
)
def test_links_lead_to_the_address_of_the_site(settings, site, found_at, host, leads_to):
    settings.SITE_ADDRESS, settings.FOUND_AT = site, found_at

    assert asked_by(host) == leads_to


def test_laptop_that_came_into_another_network_is_found_there(settings):
    settings.SITE_ADDRESS, settings.FOUND_AT = "", PRINTED

    lan = lan_address()
    assert asked_by("localhost:8000") == (f"http://{lan}:8000" if lan else PRINTED)


def test_unknown_host_is_refused_over_https(settings, client):
    settings.ALLOWED_HOSTS = allowed_hosts(["*"], "", https=True)

    assert client.get("/", headers={"host": EVIL}).status_code == 400


@pytest.mark.django_db
def test_mails_pages_and_documents_lead_to_the_site(settings):
    settings.SITE_ADDRESS = "https://king.example.org"
    game = GameFactory()
    stranger = Client(headers={"host": EVIL})
    stranger.post(reverse("account_login"), {"login": "kimse@ornek.org"})
    stranger.post(reverse("account_signup"), {"email": "yeni@ornek.org"})
    page = stranger.get(reverse("pen", args=[game.public_id, game.secret("write")]))
    stranger.post(reverse("follow_scoresheet", args=[game.public_id, game.secret("follow")]))

    assert f"https://king.example.org{reverse('account_signup')}" in mail.outbox[0].body
    assert page.context["follow"]["address"].startswith("https://king.example.org/")
    assert Report.objects.get().follow_url == f"https://king.example.org{address(game, 'follow')}"
    told = [letter.body for letter in mail.outbox] + [page.text]
    assert [text for text in told if EVIL in text] == []
