"""A clock that jumps while people play: two hours back, then a day forward.

The programs read the time through `clock.c`, which adds what stands in a file; it is compiled here,
and the clock of the machine is left alone. (libfaketime 0.9.10 breaks Python's `time.sleep` where
it leaves alone the time that only passes.)
"""

import json
import shutil
import struct
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from benchmarks.faults.kills import INSIDE
from benchmarks.faults.programs import FaultySite, Program
from benchmarks.faults.sinks import MailSink
from tests.deals import WHOLE_GAME
from tests.phones import CSRF_FIELD, Phone, new_key, with_suit
from tests.servers import Server
from tests.services.webhooks.receiver import Receiver, receiving
from tests.waiting import wait_until
from tournaments.management.programs import worker_words

HOUR = 3600
JUMPS = (("as it is", 0), ("2 hours back", -2 * HOUR), ("1 day forward", 24 * HOUR))


def compiled(folder: Path) -> Path:
    """The library that sets a clock."""
    compiler = shutil.which("cc")
    if compiler is None:
        raise SystemExit("There is no C compiler here: apt install gcc libc6-dev")
    library, source = folder / "clock.so", Path(__file__).with_suffix(".c")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source], check=True)
    return library


class ClockedServer(FaultySite):
    """A web server, and what is started beside it, whose clock is set by a file."""

    def __init__(self, folder: Path, **more: str) -> None:
        folder.mkdir(parents=True)
        self.file, self.library = folder / "clock", compiled(folder)
        self.set_clock(0)
        super().__init__(folder, **more)

    @property
    def environment(self) -> dict[str, str]:
        """The variables of its programs."""
        own = {"LD_PRELOAD": str(self.library), "KINGSCORE_TEST_CLOCK": str(self.file)}
        return super().environment | own

    def set_clock(self, ahead: int) -> None:
        """Set it so many seconds ahead of the machine's; programs that run see it at once."""
        with self.file.open("r+b" if self.file.exists() else "wb") as file:
            file.write(struct.pack("q", ahead))


def play_on(server: Server, phone: Phone, number: int) -> Iterator[str]:
    """Six deals and a table of its own, by the page; what was not taken."""
    for deal in range(number, number + 6):
        answer = phone.write_deal(WHOLE_GAME[deal], deal, new_key())
        if answer.status != 200:
            yield f"deal {deal}: {answer.status}"
    other = Phone(server.host, server.port)
    other.open_table()
    other.hang_up()


def order(server: Server, language: str) -> str:
    """The page of a document that nobody has asked for."""
    person, speaks = Phone(server.host, server.port), {"Accept-Language": language}
    found = CSRF_FIELD.search(person.ask("GET", "/new/", headers=speaks).text)
    assert found is not None
    person.token = found[1]
    page: str = person.post("/empty-sheet/turkish-king/", {}, speaks).location
    person.hang_up()
    return page


def run(folder: Path) -> int:
    """Play, jump, and go on; whether anything was wrong."""
    with MailSink() as mails, receiving() as receiver:
        server = ClockedServer(
            folder / "data",
            KINGSCORE_EMAIL_URL=f"smtp://127.0.0.1:{mails.port}?tls=0&from=king@club.example",
            KINGSCORE_WEBHOOK_NETWORKS="127.0.0.0/8",
        )
        worker = Program(worker_words(beat=True), server.environment, server.folder / "worker.log")
        with closing(server):
            server.start()
            worker.start()
            try:
                wrong = list(_jump(server, mails, receiver))
            finally:
                worker.stop()
    for line in wrong:
        print("WRONG:", line)
    return 1 if wrong else 0


def _jump(server: ClockedServer, mails: MailSink, receiver: Receiver) -> Iterator[str]:
    """Do everything before and after each jump; what did not work."""
    hook = receiver.url("127.0.0.1")
    server.run_python(f"{INSIDE}print_laid(1, '{hook}')")
    phone, number = Phone(server.host, server.port), 0
    phone.open_table()
    for (name, ahead), language in zip(JUMPS, ("tr", "en", "it"), strict=True):
        server.set_clock(ahead)
        now = server.run_python("from django.utils import timezone; print(timezone.now())").strip()
        yield from play_on(server, phone, number)
        number += 6
        yield from _background(server, mails, receiver, name, language)
        print(f"{name}: the server takes it for {now[:16]}", flush=True)
    found = json.loads(server.run_python(f"{INSIDE}print_found()"))
    yield from found["differences"]
    (sheet,) = [each for each in server.read_sheets().values() if each["writes"]]
    bodies = [body for _revision, _key, body in sheet["writes"]]
    if bodies != [*map(with_suit, WHOLE_GAME[:number])]:
        yield f"another order than that in which it was written: {sheet}"


def _background(
    server: Server, mails: MailSink, receiver: Receiver, name: str, language: str
) -> Iterator[str]:
    """A document whose message was lost, an email and a call, each done soon."""
    page = order(server, language)
    lost = "from tournaments.models import Report; Report.objects.update(state='waiting')"
    waits = {
        "document": lambda: f"{page}file/" in read(server, page),
        "email": lambda: sum(mails.got.values()) == before["email"] + 1,
        "call": lambda: len(receiver.calls) == before["call"] + 1,
    }
    before = {"email": sum(mails.got.values()), "call": len(receiver.calls)}
    wait_until(waits["document"], 60, 0.2)
    server.run_python(f"{INSIDE}write('{name.replace(' ', '-')}', 1); inside.send_test_call()")
    server.run_python(lost)
    began = time.monotonic()
    for kind, done in waits.items():
        try:
            wait_until(done, 60, 0.2)
            print(f"  {name}: {kind} after {time.monotonic() - began:.1f} s", flush=True)
        except TimeoutError:
            yield f"{name}: no {kind} within a minute"


def read(server: Server, page: str) -> str:
    """A page, on a connection of its own: one that is kept ends after a while."""
    reader = Phone(server.host, server.port)
    text: str = reader.ask("GET", page).text
    reader.hang_up()
    return text
