"""Access for programs: keys of an account, shown once, listed, and revoked."""

import re
from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.urls import reverse
from django.utils import timezone

from tests.club_factories import AccountFactory
from tests.program_factories import TokenFactory
from tournaments.models import PersonalToken
from tournaments.services.people.tokens import MOST_TOKENS

pytestmark = pytest.mark.django_db

TOKENS, NEW = reverse("tokens"), reverse("new_token")
PASSWORD = "sepet-havlu-33"
WISH = {"name": "  The  screen ", "scopes": ["score", "read"], "days": "30"}


@pytest.fixture
def nil(visitor):
    """Somebody who has just signed in."""
    user = AccountFactory()
    user.set_password(PASSWORD)
    user.save()
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    visitor.post(reverse("account_login"), {"login": user.username, "password": PASSWORD})
    visitor.user = user
    return visitor


def revoking(token):
    return reverse("token", args=[token.public_id])


def shown(answer):
    return re.search(r"<textarea[^>]*>(ks_\w+)</textarea>", answer.text)[1]


def asks(client, text):
    headers = {"Authorization": f"Bearer {text}"}
    return client.get("/api/v1/games/abc/", headers=headers).status_code


def test_token_is_shown_once_where_it_was_made_and_works(nil):
    made = nil.post(NEW, WISH)

    text = shown(made)
    assert "no-store" in made["Cache-Control"]
    assert asks(nil, text) == 404
    row = PersonalToken.objects.get()
    assert (row.name, row.scopes, row.user) == ("The screen", ["read", "score"], nil.user)
    assert row.expiry - timezone.now() > timedelta(days=29)
    listed = nil.get(TOKENS).text
    assert (text in listed, text[:8] in listed, "never used" in listed) == (False, True, False)
    assert "Read · Write sheets" in listed
    assert text not in nil.get(revoking(row)).text


def test_list_says_when_a_token_was_used_last_and_when_it_ends(nil):
    TokenFactory(user=nil.user, name="Hall", expiry=None)
    over = TokenFactory(user=nil.user, name="Long ago", expiry=-timedelta(minutes=1))

    listed = nil.get(TOKENS).text

    assert "never used · without end" in re.sub(r"\s+", " ", re.sub(r"<[^>]*>", "", listed))
    assert over.name not in listed


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"name": " "}, "Say what it is for, to know it again."),
        ({"scopes": []}, "Choose at least one."),
        ({"scopes": ["everything"]}, "everything"),
        ({"days": "5000"}, "5000"),
        ({"name": "a" * 61}, "60"),
        ({"name": "a\0"}, "Null characters"),
    ],
    ids=lambda case: str(case)[:20],
)
def test_token_that_cannot_be_is_not_made(nil, wrong, sentence):
    answer = nil.post(NEW, WISH | wrong)

    assert (answer.status_code, sentence in answer.text) == (422, True)
    assert not PersonalToken.objects.exists()


def test_account_has_so_many_tokens_and_no_more_until_one_is_over(nil):
    for _ in range(MOST_TOKENS - 1):
        TokenFactory(user=nil.user)
    over = TokenFactory(user=nil.user, expiry=-timedelta(minutes=1))
    TokenFactory()
    assert nil.post(NEW, WISH).status_code == 200
    assert not PersonalToken.objects.filter(pk=over.pk).exists()

    answer = nil.post(NEW, WISH)

    assert (answer.status_code, "There are 20 already" in answer.text) == (422, True)
    assert PersonalToken.objects.of(nil.user).count() == MOST_TOKENS


def test_token_that_is_revoked_opens_nothing_and_is_revoked_twice(nil):
    text = shown(nil.post(NEW, WISH))
    row = PersonalToken.objects.get()
    assert nil.get(revoking(row)).status_code == 200
    assert asks(nil, text) == 404

    answer = nil.post(revoking(row), follow=True)

    assert "“The screen” opens nothing any more." in answer.text
    assert asks(nil, text) == 401
    assert nil.post(revoking(row)).status_code == 404


def test_nobody_revokes_the_token_of_another(nil):
    theirs = TokenFactory()

    assert nil.get(revoking(theirs)).status_code == 404
    assert nil.post(revoking(theirs)).status_code == 404
    assert PersonalToken.objects.get() == theirs


def test_token_is_not_made_by_whoever_finds_the_phone_open(visitor):
    user = AccountFactory()
    user.set_password(PASSWORD)
    user.save()
    visitor.force_login(user)

    answer = visitor.post(NEW, WISH)

    assert answer.url.startswith("/accounts/reauthenticate/")
    assert not PersonalToken.objects.exists()


@pytest.mark.parametrize("end", ["deactivated", "deleted"])
def test_token_ends_with_its_account(nil, end):
    text = shown(nil.post(NEW, WISH))
    if end == "deleted":
        nil.post(reverse("delete_account"), {"typed": nil.user.email})
        assert not PersonalToken.objects.exists()
    else:
        nil.user.is_active = False
        nil.user.save()

    assert asks(nil, text) == 401


def test_token_whose_time_is_over_opens_nothing(nil):
    text = shown(nil.post(NEW, WISH))
    PersonalToken.objects.update(expiry=timezone.now() - timedelta(seconds=1))

    assert asks(nil, text) == 401


def test_use_is_noted(nil):
    asks(nil, shown(nil.post(NEW, WISH)))

    assert "last used" in nil.get(TOKENS).text
