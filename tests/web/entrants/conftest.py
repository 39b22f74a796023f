import pytest

from tests.club_factories import EventFactory, TournamentFactory


@pytest.fixture
def row(club):
    event = EventFactory(club=club, name="Moda Açık")
    return TournamentFactory(
        event=event, slug="acik", state="registration", settings={"check_in": "once"}
    )
