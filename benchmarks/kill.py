"""Kills the server in the middle of writes, again and again, and counts lost entries.

Phones write deals without a pause, each at its own table. Every process of the server gets
SIGKILL at a moment drawn by chance; it is started again, and every deal that had been answered
must be in the database under its key, once, in a game that still folds. What was sent but not
answered is then sent again with its key, as the phones do, and must be answered.
"""

import os
import random
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from benchmarks.evening.comparing import Comparison, Sent, compare
from benchmarks.evening.tables import Deal
from benchmarks.figures import Figure
from tests.deals import WHOLE_GAME
from tests.phones import CUT_OFF, Phone, new_key, with_suit
from tests.servers import Server, prepared, serve
from tests.waiting import PATIENCE

GAME = tuple(map(with_suit, WHOLE_GAME))
DATABASES = ("SQLite", "PostgreSQL")
SIZES = {
    "tiny": {"kills": 1, "tables": 2},
    "usual": {"kills": 6, "tables": 6},
    "full": {"kills": 50, "tables": 6},
}


@dataclass
class Tally(Comparison):
    """The damage of all kills together."""

    kills: int = 0

    def add(self, found: Comparison) -> None:
        """Add the result of one more kill: every entry answered before it must be stored."""
        self.kills += 1
        self.answered = found.answered
        self.lost += found.lost
        self.twice += found.twice
        self.unanswered += found.unanswered
        self.unanswered_stored += found.unanswered_stored
        self.problems += found.problems


@dataclass
class Table:
    """A table whose phone writes without a pause; `answered` are the deals confirmed as stored."""

    phone: Phone
    game_key: str = ""
    game: str = ""
    written: int = 0
    sending: tuple[str, str, int] | None = None
    answered: dict[str, list[tuple[str, int]]] = field(default_factory=dict)
    problem: str = ""

    def write_until_cut_off(self, killed: threading.Event) -> None:
        """Write deals and start new games; `sending` keeps the unanswered request."""
        try:
            # A request that came while the server was down is answered by the next one.
            while not killed.is_set():
                if not self.game:
                    self._open()
                key = self.sending[1] if self.sending else new_key()
                self.sending = (self.game, key, self.written)
                answer = self.phone.write_deal(GAME[self.written], self.written, key)
                if answer.status != 200:
                    self.problem = f"answered {answer.status}: {answer.text[:300]}"
                    return
                self.answered[self.game].append((key, self.written))
                self.sending, self.written = None, self.written + 1
                if self.written == len(GAME):
                    self.game, self.game_key, self.written = "", "", 0
        except CUT_OFF:
            return

    def sent(self) -> Iterator[Sent]:
        """Return each game with its answered deals and the unanswered one."""
        for game, answered in self.answered.items():
            deals = [Deal(key, GAME[number], answered=True) for key, number in answered]
            if self.sending is not None and self.sending[0] == game:
                _, key, number = self.sending
                deals.append(Deal(key, GAME[number]))
            yield Sent(game, deals)

    def _open(self) -> None:
        # Kept until it is answered: asked again with it, the same table is opened.
        self.game_key = self.game_key or new_key()
        path = self.phone.open_table(self.game_key)
        self.game = path.split("/")[2]
        self.answered[self.game] = []


def kill_again_and_again(server: Server, kills: int, tables: int, seed: int = 1) -> Tally:
    """Kill the running server this many times; it runs again at the end."""
    chance = random.Random(seed)
    places = [Table(Phone(server.host, server.port)) for _ in range(tables)]
    tally = Tally()
    for _ in range(kills):
        killed = threading.Event()
        phones = [threading.Thread(target=p.write_until_cut_off, args=[killed]) for p in places]
        before = acknowledged(places)
        for phone in phones:
            phone.start()
        # In the middle of writes: a server just started on a busy machine takes its time.
        deadline = time.monotonic() + PATIENCE
        while acknowledged(places) == before and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(chance.uniform(0.0, 0.7))
        server.kill()
        killed.set()
        server.start()
        for phone in phones:
            phone.join()
        tally.add(compare(server.read_sheets(), [sent for p in places for sent in p.sent()]))
        tally.problems += [place.problem for place in places if place.problem]
        if tally.problems:
            break
    for place in places:
        place.phone.hang_up()
    return tally


def acknowledged(places: list[Table]) -> int:
    """The number of deals confirmed as stored."""
    # The phones write on meanwhile, and begin games.
    return sum(len(kept) for place in places for kept in list(place.answered.values()))


def measure(kills: int, tables: int) -> Iterator[Figure]:
    url = os.environ.get("KINGSCORE_DATABASE_URL")
    with (
        tempfile.TemporaryDirectory(prefix="kingscore-kill-") as folder,
        serve(folder, url, ready=prepared()) as server,
    ):
        tally = kill_again_and_again(server, kills, tables)
    yield Figure(
        f"acknowledged deals lost by {tally.kills} SIGKILLs", tally.lost, "",
        "acknowledged in all", tally.answered,
        f"of {tally.unanswered} cut off {tally.unanswered_stored} were stored",
    )  # fmt: skip
    if tally.problems:
        raise AssertionError("; ".join(tally.problems))
