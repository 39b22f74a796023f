from collections import Counter

import pytest
from django.test import Client
from oauth2_provider.models import AccessToken, RefreshToken

from tests.program_factories import ApplicationFactory
from tests.together import at_once, while_another_is_writing
from tests.web.accounts.signing_in import AYSE, PASSWORD, SIGN_IN
from tests.web.accounts.test_applications import asks, code_of, consent, exchange, refresh
from tournaments.services.accounts import revoke_all, withdraw

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def application():
    return ApplicationFactory()


@pytest.fixture
def visitor(ayse):
    client = Client()
    client.post(SIGN_IN, {"login": AYSE, "password": PASSWORD})
    return client


@pytest.fixture
def token(visitor, application):
    return exchange(application, code_of(consent(visitor, application)[1])).json()["refresh_token"]


def body(answer):
    return answer.status_code, tuple(sorted(answer.json().items()))


def renewal(application, token):
    return lambda: body(refresh(application, token))


@pytest.mark.parametrize("callers", [2, 8])
def test_all_get_the_same_answer_to_one_refresh_token(application, token, callers):
    for _ in range(3):
        (same,) = set(at_once(*[renewal(application, token)] * callers))
        assert same[0] == 200
        got = dict(same[1])
        assert asks("me/", got["access_token"]).status_code == 200
        token = got["refresh_token"]
    assert AccessToken.objects.count() == RefreshToken.objects.filter(revoked=None).count() == 1


@pytest.mark.parametrize("all_of_them", [False, True])
def test_consent_withdrawn_during_a_refresh_is_withdrawn(application, token, ayse, all_of_them):
    def end():
        revoke_all(ayse) if all_of_them else withdraw(ayse, application.pk)

    stores = ('INSERT INTO "oauth2_provider',)
    got, _none, waited = while_another_is_writing(renewal(application, token), end, stores)

    assert (got[0], waited) == (200, True)
    assert asks("me/", dict(got[1])["access_token"]).status_code == 401
    assert not AccessToken.objects.exists()
    assert not RefreshToken.objects.exists()


def test_refresh_during_a_withdrawal_gets_nothing(application, token, ayse):
    def end():
        withdraw(ayse)

    removes = ('DELETE FROM "oauth2_provider_refresh',)
    _none, got, waited = while_another_is_writing(end, renewal(application, token), removes)

    assert (got[0], dict(got[1])["error"], waited) == (400, "invalid_grant", True)
    assert not AccessToken.objects.exists()


def test_code_gives_tokens_to_one_of_eight(visitor, application):
    for _ in range(3):
        code = code_of(consent(visitor, application)[1])
        got = at_once(*[lambda code=code: body(exchange(application, code))] * 8)
        told = Counter((status, dict(fields).get("error")) for status, fields in got)
        assert told == {(200, None): 1, (400, "invalid_grant"): 7}
