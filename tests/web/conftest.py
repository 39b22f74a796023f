import pytest
from django.core.cache import caches

from tests.club_factories import ClubFactory, MemberFactory


@pytest.fixture(autouse=True)
def nothing_kept(db):
    """Rows of the next test may have the numbers of those of the last one."""
    caches["pages"].clear()


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


@pytest.fixture
def member(visitor, club):
    return visitor.become("member", club)


@pytest.fixture
def director(visitor, club):
    return visitor.become("director", club)


@pytest.fixture
def owner(visitor, club):
    return visitor.become("owner", club)
