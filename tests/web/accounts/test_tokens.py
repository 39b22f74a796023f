import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from tests.program_factories import TokenFactory
from tests.web.accounts.signing_in import AYSE, PASSWORD, SIGN_IN
from tournaments.models import PersonalToken
from tournaments.services.accounts import MOST_TOKENS

TOKENS, NEW = reverse("tokens"), reverse("new_token")
WISH = {"name": "  The  screen ", "scopes": ["score", "read"], "days": "30"}


@pytest.fixture
def nil(visitor, ayse):
    visitor.post(SIGN_IN, {"login": AYSE, "password": PASSWORD})
    visitor.user = ayse
    return visitor


def revoking(token):
    return reverse("token", args=[token.public_id])


def shown(answer):
    return re.search(r"<textarea[^>]*>(ks_\w+)</textarea>", answer.text)[1]


def asks(client, text):
    headers = {"Authorization": f"Bearer {text}"}
    return client.get("/api/v1/games/abc/", headers=headers).status_code


def test_page_for_programs_leads_to_a_form_that_only_has_to_be_sent(nil):
    lead = re.search(r'href="([^"]+\?name=[^"]+)"', nil.get("/api/").text)[1]
    form = nil.get(lead).text
    name = re.search(r'<input type="text" name="name" value="([^"]+)"', form)[1]
    ticked = re.findall(r'name="scopes" value="(\w+)"[^>]* checked', form)

    asked = {"name": name, "scopes": ticked, "days": "365"}
    assert asks(nil, shown(nil.post(NEW, asked))) == 404


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


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"name": " "}, "Say what it is for, to know it again."),
        ({"scopes": []}, "Choose at least one."),
        ({"days": "5000"}, "5000"),
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


@pytest.mark.parametrize("end", ["deactivated", "deleted", "over"])
def test_token_ends_with_its_account_or_its_time(nil, end):
    text = shown(nil.post(NEW, WISH))
    if end == "deleted":
        nil.post(reverse("delete_account"), {"typed": nil.user.email})
        assert not PersonalToken.objects.exists()
    elif end == "over":
        PersonalToken.objects.update(expiry=timezone.now() - timedelta(seconds=1))
    else:
        nil.user.is_active = False
        nil.user.save()

    assert asks(nil, text) == 401
