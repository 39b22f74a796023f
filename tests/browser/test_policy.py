"""What the browser is forbidden, no page of ours wants."""

import re
from urllib.parse import urljoin, urlsplit

import pytest
from django.urls import resolve, reverse

from tests.club_factories import EventFactory, MemberFactory, PlayerFactory
from tests.deals import WHOLE_GAME
from tests.factories import HouseRulesetFactory, UserFactory
from tests.services.tournaments.whole_tournament import whole_tournament
from tournaments.models import User

pytestmark = pytest.mark.browser


class Violations(list):
    """What a browser complained of, as it stands on its console."""

    def listen(self, page):
        page.on("console", self.note)

    def note(self, message):
        if "Content Security Policy" in message.text:
            self.append(f"{message.page.url}: {message.text}")


@pytest.fixture
def owner_phone(table_phone, client):
    """A phone of the server's owner that notes what its browser refuses."""
    client.force_login(UserFactory(username="Nil", email="nil@ornek.org", is_superuser=True))
    phone = table_phone()
    session = client.cookies["sessionid"].value
    phone.context.add_cookies([{"name": "sessionid", "value": session, "url": phone.base}])
    phone.violations = Violations()
    phone.violations.listen(phone.page)
    return phone


def table_and_report(phone):
    """A table, with a deal written by taps, and the page of its PDF; their addresses."""
    phone.start_table()
    phone.page.wait_for_selector("#table")
    phone.write_deal(WHOLE_GAME[0])
    yield phone.page.url.removeprefix(phone.base)
    phone.open("/")
    phone.page.locator(".paper summary").tap()
    phone.page.locator(".paper button").first.tap()
    phone.page.wait_for_url(re.compile("/reports/"))
    yield phone.page.url.removeprefix(phone.base)


def crawl(phone, waiting):
    """Open every page that links lead to, one for each view; yield the names of the views."""
    seen = set()
    while waiting:
        address = waiting.pop(0)
        view = resolve(urlsplit(address).path).view_name
        if view in seen:
            continue
        seen.add(view)
        answer = phone.page.request.get(phone.base + address)
        if not answer.ok or not answer.headers.get("content-type", "").startswith("text/html"):
            continue
        phone.open(address)
        yield view
        links = "links => links.map(link => link.getAttribute('href'))"
        found = phone.page.locator("a[href]").evaluate_all(links)
        here = [urljoin(phone.page.url, link) for link in found]
        waiting += [link.removeprefix(phone.base) for link in here if link.startswith(phone.base)]


def test_no_page_breaks_the_policy(owner_phone):
    rules, user = HouseRulesetFactory(), UserFactory()
    tournament = whole_tournament()
    club = tournament.event.club
    MemberFactory(club=club, user=User.objects.get(username="Nil"), role="owner")
    player = PlayerFactory(club=club)
    EventFactory(club=club)
    addresses = [
        *table_and_report(owner_phone),
        reverse("house_ruleset", args=[rules.slug]),
        reverse("admin:tournaments_user_change", args=[user.pk]),
        reverse("club", args=[club.slug]),
        reverse("player", args=[club.slug, player.public_id]),
        reverse("tournament", args=[club.slug, tournament.slug]),
        # The way through its pages leads to the seating of the round that is played.
        reverse("seating", args=[club.slug, tournament.slug, 3]),
        reverse("account_email"),
        reverse("admin:index"),
        "/",
    ]

    within = set(crawl(owner_phone, addresses))
    owner_phone.context.clear_cookies(name="sessionid")
    outside = set(crawl(owner_phone, [reverse("account_login"), reverse("account_reset_password")]))

    assert owner_phone.violations == []
    assert within >= {
        *("home", "new", "write", "pen", "history", "report", "rules", "rules_of_game"),
        *("house_rules", "try_rules", "club", "people", "players", "player", "me"),
        *("tournament", "change_tournament", "entrants", "add_entrants", "entrant", "seating"),
        *("running", "running_table", "new_ruling", "rulings", "wall", "standings", "why_place"),
        *("register_card", "check_in_card", "event_documents", "new_tournament"),
        *("account_email", "mfa_list_webauthn", "mfa_add_webauthn", "usersessions_list"),
        *("admin:index", "admin:tournaments_user_change", "admin:tournaments_user_changelist"),
    }
    assert outside >= {"account_login", "account_signup", "account_reset_password", "home"}


def test_smuggled_script_and_style_are_refused(owner_phone):
    # The first page of a browser comes by no service worker, whose answers cannot be changed.
    answer = owner_phone.page.request.get(owner_phone.base)
    html = answer.text().replace(
        "</body>",
        "<script>document.title = 'smuggled'</script><p style='color: red'>red</p></body>",
    )
    owner_phone.page.route(
        f"{owner_phone.base}/", lambda route: route.fulfill(response=answer, body=html)
    )

    owner_phone.open("/")

    assert owner_phone.page.title() != "smuggled"
    assert len(owner_phone.violations) == 2
