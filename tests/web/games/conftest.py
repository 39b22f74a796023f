"""The browsers of those who play."""

import pytest
from django.test import Client


@pytest.fixture
def phone(client):
    client.defaults |= {"HTTP_ACCEPT_LANGUAGE": "en", "HTTP_HX_REQUEST": "true"}
    return client


@pytest.fixture
def plain(client):
    """A browser in English without scripts."""
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "en"
    return client


@pytest.fixture
def other():
    """A second browser in English without scripts."""
    return Client(headers={"accept-language": "en"})
