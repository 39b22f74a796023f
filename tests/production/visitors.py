import ssl
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from http.client import HTTPSConnection

from tests.deals import WHOLE_GAME
from tests.phones import CUT_OFF, Phone, new_key, with_suit
from tests.waiting import PATIENCE


@dataclass
class SecurePhone(Phone):
    authority: object = None
    source: str = "127.0.0.1"

    def connect(self):
        trust = ssl.create_default_context()
        self.authority.configure_trust(trust)
        place = (self.source, 0)
        return HTTPSConnection(
            self.host, self.port, timeout=PATIENCE, context=trust, source_address=place
        )

    def ask(self, method, path, fields=None, headers=None):
        # As a browser says where a form was; by HTTPS Django wants to know.
        own = {"Origin": f"https://{self.host}:{self.port}"}
        return super().ask(method, path, fields, own | (headers or {}))


@dataclass
class PatientPhone(SecurePhone):
    """A phone that sends again what nobody answered, or what was a fault of the server's."""

    faults: Counter = field(default_factory=Counter)
    longest: float = 0

    def ask(self, *what, **more):
        begun = time.monotonic()
        while (answer := self.try_to_ask(*what, **more)) is None:
            assert time.monotonic() < begun + PATIENCE, "nobody answers any more"
            time.sleep(0.2)
        self.longest = max(self.longest, time.monotonic() - begun)
        return answer

    def try_to_ask(self, *what, **more):
        try:
            answer = super().ask(*what, **more)
        except CUT_OFF as fault:
            self.faults[type(fault).__name__] += 1
            return None
        if answer.status >= 500:
            self.faults[answer.status] += 1
            return None
        return answer


@dataclass
class Writer:
    """Writes game after game without a pause; `games` are the deals that it was told are kept."""

    phone: PatientPhone
    games: dict = field(default_factory=dict)
    refused: list = field(default_factory=list)
    done: threading.Event = field(default_factory=threading.Event)

    def start(self):
        self.thread = threading.Thread(target=self.write_on, daemon=True)
        self.thread.start()

    def stop(self):
        self.done.set()
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive()

    @property
    def deals(self):
        return sum(map(len, self.games.values()))

    def write_on(self):
        while not self.done.is_set():
            deals = self.games[self.phone.open_table().split("/")[2]] = []
            for revision, body in enumerate(map(with_suit, WHOLE_GAME)):
                if self.done.is_set():
                    break
                deals.append(self.write(body, revision))

    def write(self, body, revision):
        key = new_key()
        answer = self.phone.write_deal(body, revision, key)
        if answer.status != 200:
            self.refused.append(answer)
        # Restarts take longer than a game of phones without fingers.
        time.sleep(0.2)
        return [revision + 1, key, body]
