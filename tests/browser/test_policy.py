"""What the browser is forbidden, no page of ours wants."""

import re

import pytest
from django.urls import reverse

from tests.factories import WHOLE_GAME, HouseRulesetFactory, UserFactory

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
    """A table, with a deal written by taps, and the page of its PDF."""
    phone.start_table()
    phone.page.wait_for_selector("#table")
    phone.write_deal(WHOLE_GAME[0])
    yield "table"
    phone.open(phone.page.url + "history/")
    yield "history"
    phone.page.go_back()
    phone.open(phone.page.url + "pen/")
    yield "pen"
    phone.open("/")
    phone.page.locator(".paper summary").tap()
    phone.page.locator(".paper button").first.tap()
    phone.page.wait_for_url(re.compile("/reports/"))
    yield "report"


def visits(phone, rules, user):
    """The main pages one after another, each with its name."""
    yield from table_and_report(phone)
    addresses = [
        *("/", "/new/", reverse("rules"), reverse("rules_of_game", args=["turkish-king"])),
        *(reverse("house_rules"), reverse("house_ruleset", args=[rules.slug])),
        *(reverse("try_rules", args=[rules.slug]), reverse("delete_rules", args=[rules.slug])),
        *(reverse("account_email"), reverse("account_set_password")),
        *(reverse("mfa_list_webauthn"), reverse("mfa_add_webauthn"), reverse("usersessions_list")),
        *(reverse("admin:index"), reverse("admin:tournaments_user_changelist")),
        reverse("admin:tournaments_user_add"),
        reverse("admin:tournaments_user_change", args=[user.pk]),
        reverse("admin:tournaments_user_delete", args=[user.pk]),
        reverse("admin:auth_user_password_change", args=[user.pk]),
        reverse("admin:password_change"),
        "/nothing/at/all/",
        reverse("account_logout"),
    ]
    for address in addresses:
        phone.open(address)
        yield address
    phone.context.clear_cookies(name="sessionid")
    for name in ("account_login", "account_signup", "account_reset_password"):
        phone.open(reverse(name))
        yield name


def test_no_page_breaks_the_policy(owner_phone):
    status = "performance.getEntriesByType('navigation')[0].responseStatus"
    seen = {}
    for name in visits(owner_phone, HouseRulesetFactory(), UserFactory()):
        owner_phone.page.wait_for_load_state()
        seen[name] = owner_phone.page.evaluate(status)

    assert owner_phone.violations == []
    assert seen.pop("/nothing/at/all/") == 404
    assert set(seen.values()) == {200}
    assert len(seen) > 25


def test_smuggled_script_and_style_are_refused(owner_phone):
    owner_phone.open("/")
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
