"""A tournament at the API: nine entrants, two rounds, and what is played at its tables."""

from dataclasses import dataclass
from typing import Any

from tests import tournament_builders
from tests.deals import WHOLE_GAME
from tournaments.models import Club, Event, Round, Tournament
from tournaments.services.entrants.registration import Entry

NAMES = ("Ayşe", "Burak", "Cem", "Deniz", "Ece", "Fatma", "Gül", "Hakan", "İrem")
STOPPED = {"type": "stopped", "reason": "agreement"}


@dataclass
class Evening:
    """A tournament that a director leads by a program."""

    director: Any
    path: str

    @property
    def program(self):
        """Somebody without a token."""
        return self.director.with_token("")

    def round(self, number, below=""):
        return f"{self.path}rounds/{number}/{below}"

    def play(self, number, entries):
        tournament_builders.play(Round.objects.get(number=number), [*entries, STOPPED])

    def tables(self, number):
        return self.director.get(self.round(number, "tables/")).json()["results"]

    def seat(self, number):
        seated = self.director.post(f"{self.path}seat/")
        assert seated.status_code == 201, seated.content
        assert self.director.post(self.round(number, "seating/publish/")).status_code == 200
        assert self.director.post(self.round(number, "open/")).status_code == 200

    def close(self, number, entries):
        """Play a round that is seated now."""
        self.seat(number)
        self.play(number, entries)
        assert self.director.post(self.round(number, "close/")).status_code == 200

    def standings(self, query=""):
        return self.director.get(f"{self.path}standings/{query}").json()


def begin(director, names=NAMES, **settings):
    """A running tournament of the club; an entrant is a name, or a name and a team."""
    entries = [Entry(*name) if isinstance(name, tuple) else Entry(name) for name in names]
    settings = {"rounds": 2, "points": "places", "minutes": 60} | settings
    row = tournament_builders.running(*entries, club=Club.objects.get(), **settings)
    Tournament.objects.update(seed=3)
    Event.objects.update(published=True)
    return Evening(director, f"/api/v1/clubs/moda/tournaments/{row.slug}/")


FIRST = WHOLE_GAME[:4]
SECOND = WHOLE_GAME[:3]
