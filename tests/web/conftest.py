"""A club, and visitors who may be somebody in it."""

import pytest

from tests.club_factories import ClubFactory, MemberFactory


@pytest.fixture
def club():
    return ClubFactory(slug="moda", name="Moda King")


@pytest.fixture
def visitor(client):
    """A browser in English; `visitor.become(role, club)` signs somebody in."""
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "en"

    def become(role, club):
        client.user = MemberFactory(club=club, role=role).user
        client.force_login(client.user)
        return client

    client.become = become
    return client
