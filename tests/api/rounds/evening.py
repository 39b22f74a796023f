"""A tournament at the API: nine entrants, two rounds, and what is played at its tables."""

from dataclasses import dataclass
from typing import Any

from tests.deals import WHOLE_GAME

PATH = "clubs/moda/tournaments/"
NAMES = ("Ayşe", "Burak", "Cem", "Deniz", "Ece", "Fatma", "Gül", "Hakan", "İrem")
STOPPED = {"type": "stopped", "reason": "agreement"}


@dataclass
class Evening:
    """A tournament that a director leads, by programs alone."""

    director: Any
    path: str

    @property
    def program(self):
        """Somebody without a token."""
        return self.director.with_token("")

    def round(self, number, below=""):
        return f"{self.path}rounds/{number}/{below}"

    def play(self, number, games):
        for table in self.tables(number):
            phone = self.program.with_token(table["keys"]["write"])
            for entry in [*games, STOPPED]:
                added = phone.post(f"games/{table['game']}/entries/", {"entry": entry})
                assert added.status_code == 201, added.content

    def tables(self, number):
        return self.director.get(self.round(number, "tables/")).json()["results"]

    def seat(self, number):
        seated = self.director.post(f"{self.path}seat/")
        assert seated.status_code == 201, seated.content
        assert self.director.post(self.round(number, "seating/publish/")).status_code == 200
        assert self.director.post(self.round(number, "open/")).status_code == 200

    def standings(self, query=""):
        return self.director.get(f"{self.path}standings/{query}").json()


def begin(director, names=NAMES, preset=None, **settings):
    """Make a tournament with its entrants, and start it."""
    said = {} if preset is None else {"preset": preset}
    said |= {
        "name": "Moda Açık",
        "held_on": "2026-11-28",
        "ruleset": "turkish-king",
        "settings": {"rounds": 2, "points": "places", "minutes": 60} | settings,
        "seed": 3,
        "published": True,
    }
    made = director.post(PATH, said)
    assert made.status_code == 201, made.content
    evening = Evening(director, made["Location"])
    entrants = {"entrants": [n if isinstance(n, dict) else {"name": n} for n in names]}
    assert director.post(f"{evening.path}entrants/", entrants).status_code == 201
    for state in ("registration", "running"):
        moved = director.post(f"{evening.path}move/", {"state": state})
        assert moved.status_code == 200, moved.content
    return evening


FIRST = WHOLE_GAME[:4]
SECOND = WHOLE_GAME[:3]
