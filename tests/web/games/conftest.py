import pytest
from django.test import Client


@pytest.fixture
def phone(client):
    client.defaults |= {"HTTP_ACCEPT_LANGUAGE": "en", "HTTP_HX_REQUEST": "true"}
    return client


@pytest.fixture
def plain(client):
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "en"
    return client


@pytest.fixture
def other():
    return Client(headers={"accept-language": "en"})
