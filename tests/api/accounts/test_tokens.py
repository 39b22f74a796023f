from datetime import timedelta

import pytest
from django.utils import timezone

from tests.club_factories import AccountFactory
from tests.program_factories import TokenFactory
from tournaments.models import PersonalToken
from tournaments.services.accounts import MOST_TOKENS

pytestmark = pytest.mark.django_db


@pytest.fixture
def account():
    return AccountFactory()


def test_token_is_made_shown_once_and_revoked(program, account):
    manager = program.as_(account, "read", "manage")
    made = manager.post("tokens/", {"name": "A bot", "scopes": ["read"], "days": 30})

    assert (made.status_code, made["Cache-Control"]) == (201, "no-store")
    text = made.json().pop("token")
    one = made["Location"]
    shown = {name: value for name, value in made.json().items() if name != "token"}
    assert manager.get(one).json() == shown
    assert text.startswith(shown["begins"])
    assert shown["name"] in [each["name"] for each in manager.get("tokens/").json()["results"]]
    bot = program.with_token(text)
    me = bot.get("me/").json()
    assert (me["id"], me["token"]["scopes"]) == (account.pk, ["read"])
    assert bot.get("tokens/").json()["scope"] == "manage"
    assert manager.delete(one).status_code == 204
    assert bot.get("me/").status_code == 401


def test_token_makes_none_that_may_do_more_or_lasts_longer(program, account):
    manager = program.as_(account, "read", "manage")
    end = timezone.now() + timedelta(days=10)
    PersonalToken.objects.update(expiry=end)

    refused = manager.post("tokens/", {"name": "A", "scopes": ["read", "direct"], "days": 11})

    problems = [(each["code"], each["where"]) for each in refused.json()["problems"]]
    assert problems == [("beyond-own-scopes", "scopes"), ("beyond-own-time", "days")]
    assert PersonalToken.objects.count() == 1
    made = manager.post("tokens/", {"name": "A", "scopes": ["manage", "read"]})
    assert made.json()["scopes"] == ["read", "manage"]
    lasts = PersonalToken.objects.get(public_id=made.json()["id"]).expiry - end
    assert abs(lasts) < timedelta(seconds=5)


def test_account_has_only_so_many(program, account):
    manager = program.as_(account)
    TokenFactory.create_batch(MOST_TOKENS - 1, user=account)
    refused = manager.post("tokens/", {"name": "A", "scopes": ["read"]})
    assert (refused.status_code, refused.json()["code"]) == (409, "too-many")


def test_tokens_of_others_are_not_there(program, account):
    other = TokenFactory()
    manager = program.as_(account)
    assert manager.get(f"tokens/{other.public_id}/").status_code == 404
    assert manager.delete(f"tokens/{other.public_id}/").status_code == 404
    assert len(manager.get("tokens/").json()["results"]) == 1
